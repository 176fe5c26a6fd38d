//! Requests by handle. Each one that is under way holds the lowest free slot, as
//! registers are given out: a loop uses the same slots every time round, so it
//! folds whatever the library's handles are.

use crate::abi::Handle;
use crate::record::encode::Fx;
use crate::record::event::Shape;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::BuildHasherDefault;

type Map<T> = HashMap<Handle, T, BuildHasherDefault<Fx>>;

/// Slots of requests under way, and what persistent requests do.
#[derive(Default)]
pub(crate) struct Requests {
    under_way: Map<u32>,
    /// Libraries give sends that are done at once the same handle.
    more: Map<Vec<u32>>,
    persistent: Map<Shape>,
    /// Slots whose request has a second one: a send and a receive at once.
    partners: HashMap<u32, u32, BuildHasherDefault<Fx>>,
    free: BinaryHeap<Reverse<u32>>,
    next: u32,
}

impl Requests {
    /// A slot for a request that begins.
    pub(crate) fn begin(&mut self, request: Handle) -> u32 {
        let slot = self.take();
        if let Some(lost) = self.under_way.insert(request, slot) {
            self.more.entry(request).or_default().push(lost);
        }
        slot
    }

    /// Two slots for one request that begins.
    pub(crate) fn begin_both(&mut self, request: Handle) -> [u32; 2] {
        let both = [self.begin(request), self.take()];
        self.partners.insert(both[0], both[1]);
        both
    }

    /// A slot for a moment: no handle is behind it.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().map(|Reverse(slot)| slot).unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    pub(crate) fn give_back(&mut self, slot: u32) {
        self.free.push(Reverse(slot));
    }

    /// The slot of a request under way.
    pub(crate) fn slot(&self, request: Handle) -> Option<u32> {
        self.under_way.get(&request).copied()
    }

    /// Appends the slots of a request that is done, once.
    #[inline(always)]
    pub(crate) fn end(&mut self, request: Handle, ended: &mut Vec<u64>) {
        let slot = match self.take_more(request) {
            Some(slot) => slot,
            None => match self.under_way.remove(&request) {
                Some(slot) => slot,
                None => return,
            },
        };
        self.free.push(Reverse(slot));
        ended.push(u64::from(slot));
        if !self.partners.is_empty() {
            self.end_partner(slot, ended);
        }
    }

    #[cold]
    fn end_partner(&mut self, slot: u32, ended: &mut Vec<u64>) {
        if let Some(partner) = self.partners.remove(&slot) {
            self.free.push(Reverse(partner));
            ended.push(u64::from(partner));
        }
    }

    fn take_more(&mut self, request: Handle) -> Option<u32> {
        if self.more.is_empty() {
            return None;
        }
        let slots = self.more.get_mut(&request)?;
        let slot = slots.pop();
        if slots.is_empty() {
            self.more.remove(&request);
        }
        slot
    }

    /// A persistent request is made, to be started later.
    pub(crate) fn make(&mut self, request: Handle, shape: Shape) {
        self.persistent.insert(request, shape);
    }

    /// A persistent request is started: what it does, with its slot.
    pub(crate) fn start(&mut self, request: Handle) -> Option<Shape> {
        let shape = *self.persistent.get(&request)?;
        Some(Shape { slot: self.begin(request), ..shape })
    }

    /// A request is given up.
    pub(crate) fn forget(&mut self, request: Handle) {
        self.end(request, &mut Vec::new());
        self.persistent.remove(&request);
    }
}
