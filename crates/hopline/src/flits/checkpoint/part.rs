//! A part of the network as bytes, and back, router by router.

use crate::error::Result;
use crate::flits::bytes::{Bytes, Writer, damaged};
use crate::flits::mail;
use crate::flits::part::Part;
use crate::flits::port_set::PortSet;

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// Writes its routers one by one.
    pub(in crate::flits) fn save(&self, all: &mut Writer) {
        let mut returning: Vec<(u32, usize)> = self
            .shared
            .returning
            .iter()
            .enumerate()
            .flat_map(|(slot, words)| words.iter().map(move |&w| (w, slot)))
            .collect();
        returning.sort_unstable();
        let mut returning = &returning[..];
        let mail = &self.shared.mail;
        let mut coming: Vec<_> = mail.under_way(&self.shared.pool).collect();
        coming.sort_unstable_by_key(|&(slot, flit)| (mail.router(flit.next), slot, flit.next));
        let mut coming = coming.chunk_by(|a, b| mail.router(a.1.next) == mail.router(b.1.next)).peekable();
        let mut own_bytes = Writer::default();
        for r in 0..self.states.len() {
            let (state, out) = (&self.states[r], &mut own_bytes);
            state.asked.save(out);
            state.sending.save(out);
            out.put(state.turn);
            out.rng(&self.shared.rngs[r]);
            let ports = self.states[r].range();
            ports.clone().for_each(|p| self.save_port(p, out));
            let (own, rest) = returning.split_at(returning.partition_point(|w| (w.0 >> 3) < ports.end as u32));
            returning = rest;
            out.put(own.len() as u64);
            for &(word, slot) in own {
                out.put(word - ((ports.start as u32) << 3));
                out.put(slot as u64);
            }
            let own = coming.next_if(|own| mail.router(own[0].1.next) == r).unwrap_or_default();
            out.put(own.len() as u64);
            for &(slot, flit) in own {
                out.put(slot as u64);
                out.put(flit.next - mail::place(mail.bits, r as u32, 0));
                out.flit(flit);
            }
            self.states[r].sources().for_each(|s| self.save_source(s, out));
            all.put(out.0.len() as u64);
            all.0.append(&mut out.0);
        }
    }

    fn save_port(&self, port: usize, out: &mut Writer) {
        let own = &self.ports[port];
        let words = [own.held, own.asked, own.room, own.filled, own.credit, own.link_turn, own.input_turn, own.vc_turn];
        words.into_iter().for_each(|n| out.put(n));
        out.put(own.sent);
        if let Some(turns) = self.shared.turns.get(port) {
            [turns.input.into(), turns.output.into()].into_iter().chain(turns.holder).for_each(|n: u16| out.put(n));
        }
        for vc in 0..V {
            out.queue(&own.inputs[vc], &self.shared.pool);
            out.queue(&own.outputs[vc], &self.shared.pool);
            own.asks[vc].save(out);
            out.put(self.credits[port][vc]);
            out.put(self.shared.since.get(port).map_or(0, |since| since[vc]));
        }
        self.save_dead(port, out);
    }

    fn save_source(&self, s: usize, out: &mut Writer) {
        let source = &self.shared.sources[s];
        source.clock.words().into_iter().for_each(|n| out.put(n));
        out.rng(&source.whom);
        out.rng(&source.how);
        [source.target, u32::from(source.left), u32::from(source.vc), source.next, self.shared.births[s]]
            .into_iter()
            .for_each(|n| out.put(n));
        out.put(source.count);
        out.put(source.waiting.len() as u64);
        source.waiting.iter().for_each(|&n| out.put(n));
    }

    /// Reads what [`Part::save`] wrote into a new part.
    pub(in crate::flits) fn load(&mut self, from: &mut Bytes<'_>) -> Result<()> {
        self.shared.waiting.clear();
        for r in 0..self.states.len() {
            let length: usize = from.get()?;
            let end = from.0.len().checked_sub(length).ok_or_else(damaged)?;
            self.states[r].asked = P::load(from)?;
            self.states[r].sending = P::load(from)?;
            self.states[r].turn = from.get()?;
            self.shared.rngs[r] = from.rng()?;
            let ports = self.states[r].range();
            ports.clone().try_for_each(|p| self.load_port(p, from))?;
            for p in ports.clone().filter(|&p| self.ports[p].held != 0) {
                self.states[r].undecided.insert(self.ports[p].offset);
            }
            for _ in 0..from.get::<usize>()? {
                let word: u32 = from.get()?;
                let slot: usize = from.get()?;
                let cell = self.shared.returning.get_mut(slot).filter(|_| (word as usize >> 3) < ports.len());
                cell.ok_or_else(damaged)?.push(word + ((ports.start as u32) << 3));
            }
            for _ in 0..from.get::<usize>()? {
                let (slot, place): (u32, u32) = (from.get()?, from.get()?);
                if place >= mail::place(self.shared.mail.bits, 0, ports.len() as u32) || place as usize % 8 >= V {
                    return Err(damaged());
                }
                let flit = from.flit(place + mail::place(self.shared.mail.bits, r as u32, 0))?;
                self.shared.mail.put_remote(self.shared.slot(slot), flit);
                self.shared.foreign += 1;
            }
            self.states[r].sources().try_for_each(|s| self.load_source(s, from))?;
            self.shared.note_due::<LONG>(&mut self.states[r]);
            if from.0.len() != end {
                return Err(damaged());
            }
        }
        Ok(())
    }

    fn load_port(&mut self, port: usize, from: &mut Bytes<'_>) -> Result<()> {
        let own = &mut self.ports[port];
        let words = [
            &mut own.held,
            &mut own.asked,
            &mut own.room,
            &mut own.filled,
            &mut own.credit,
            &mut own.link_turn,
            &mut own.input_turn,
            &mut own.vc_turn,
        ];
        for word in words {
            *word = from.get()?;
        }
        own.sent = from.get()?;
        if let Some(turns) = self.shared.turns.get_mut(port) {
            (turns.input, turns.output) = (from.get()?, from.get()?);
            for turn in &mut turns.holder {
                *turn = from.get()?;
            }
        }
        for vc in 0..V {
            own.inputs[vc] = from.queue(&mut self.shared.pool)?;
            own.outputs[vc] = from.queue(&mut self.shared.pool)?;
            self.shared.foreign += i64::from(own.inputs[vc].len) + i64::from(own.outputs[vc].len);
            own.asks[vc] = P::load(from)?;
            self.credits[port][vc] = from.get()?;
            let since = from.get()?;
            if let Some(cell) = self.shared.since.get_mut(port) {
                cell[vc] = since;
            }
        }
        self.load_dead(port, from)
    }

    fn load_source(&mut self, s: usize, from: &mut Bytes<'_>) -> Result<()> {
        let source = &mut self.shared.sources[s];
        source.clock.resume([from.get()?, from.get()?, from.get()?, from.get()?]);
        source.whom = from.rng()?;
        source.how = from.rng()?;
        source.target = from.get()?;
        source.left = from.get()?;
        source.vc = from.get()?;
        source.next = from.get()?;
        self.shared.births[s] = from.get()?;
        source.count = from.get()?;
        source.waiting.clear();
        for _ in 0..from.get::<usize>()? {
            source.waiting.push_back(from.get()?);
        }
        Ok(())
    }
}
