//! Flits on their way to routers, by the cycle of their arrival.

use super::queues::NONE;

/// For each of the next cycles a list of arrivals, strung together router by
/// router. The strings are short records in a row of their own, so that the
/// flits themselves need not be waited for one after the other.
#[derive(Debug)]
pub(super) struct Mail {
    routers: usize,
    /// The last arrival of router r in cycle t: `last[(t & mask) * routers + r]`.
    last: Vec<u32>,
    /// The one before it, and the flit.
    sacks: Vec<Vec<(u32, u32)>>,
}

impl Mail {
    /// For so many routers and cycles.
    pub(super) fn new(routers: usize, span: usize) -> Mail {
        Mail { routers, last: vec![NONE; span * routers], sacks: vec![Vec::new(); span] }
    }

    #[inline]
    pub(super) fn put(&mut self, slot: usize, router: usize, flit: u32) {
        let sack = &mut self.sacks[slot];
        let before = std::mem::replace(&mut self.last[slot * self.routers + router], sack.len() as u32);
        sack.push((before, flit));
    }

    /// The last arrival of a router, which [`Mail::get`] knows; none from now on.
    #[inline]
    pub(super) fn take(&mut self, slot: usize, router: usize) -> u32 {
        std::mem::replace(&mut self.last[slot * self.routers + router], NONE)
    }

    /// The arrival before one of a cycle, and its flit.
    #[inline]
    pub(super) fn get(&self, slot: usize, arrival: u32) -> (u32, u32) {
        self.sacks[slot][arrival as usize]
    }

    /// Forgets the arrivals of a cycle that all have been taken.
    pub(super) fn clear(&mut self, slot: usize) {
        self.sacks[slot].clear();
    }

    /// The flits that come to a router in a cycle.
    pub(super) fn flits(&self, slot: usize, router: usize) -> impl Iterator<Item = u32> + '_ {
        let mut at = self.last[slot * self.routers + router];
        std::iter::from_fn(move || {
            let (before, flit) = *self.sacks[slot].get(at as usize)?;
            at = before;
            Some(flit)
        })
    }
}
