//! Messages reach their hosts.

use super::Engine;
use crate::error::Result;
use crate::replay::events::EventKind;
use crate::replay::message::What;
use crate::schedule::What as Does;

impl Engine<'_> {
    /// A message is at its receiver's adapter, which takes one in every gap.
    pub(super) fn arrive(&mut self, id: u32, t: u64) -> Result<()> {
        let m = &self.wire.messages[id];
        let gap = self.input.model.gap;
        if gap == 0 || m.what != What::Data {
            return self.take(id, t);
        }
        let to = self.endpoints(m).1;
        let taken = &mut self.wire.taken[to.index()];
        let at = t.max(*taken);
        *taken = at + gap;
        if at == t {
            return self.take(id, t);
        }
        self.queue.push(at, EventKind::Take, id);
        Ok(())
    }

    /// The host has a message.
    pub(super) fn take(&mut self, id: u32, t: u64) -> Result<()> {
        let m = self.wire.messages[id];
        match m.what {
            What::Data => {
                if m.eager && !self.ranks.is_next(m.recv, m.number) {
                    self.wire.held.push(id);
                    return Ok(());
                }
                self.wire.drop_message(id);
                self.received(&m, t)?;
                if self.wire.held.is_empty() { Ok(()) } else { self.take_held(m.recv, t) }
            }
            What::Request => {
                self.wire.drop_message(id);
                self.requested((m.op, m.sender), t, m.cause)
            }
            What::Grant => {
                self.wire.drop_message(id);
                debug_assert_eq!(self.input.schedule.ops()[m.op as usize].what, Does::Send);
                self.launch(What::Data, (m.op, m.sender), t, m.cause)
            }
        }
    }

    /// Messages for a receive that had overtaken the last one.
    fn take_held(&mut self, recv: u32, t: u64) -> Result<()> {
        let next = |engine: &Self, &id: &u32| {
            let m = &engine.wire.messages[id];
            m.recv == recv && engine.ranks.is_next(recv, m.number)
        };
        match self.wire.held.iter().position(|id| next(self, id)) {
            Some(at) => {
                let id = self.wire.held.swap_remove(at);
                self.take(id, t)
            }
            None => Ok(()),
        }
    }
}
