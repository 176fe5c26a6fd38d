//! Flits on their way to routers, by the cycle of their arrival.

use super::port_set::PortSet;
use super::queues::{Flit, NONE, Pool};

/// Bits of a place for the VC; above them stands the port, a row of ports for each router.
const VC_BITS: u32 = 3;
/// Most places of a row times routers of a part.
pub(super) const MOST_PLACES: u64 = 1 << (32 - VC_BITS);

/// A flit on a link, and its [`place`].
#[derive(Debug, Clone, Copy)]
pub(super) struct ArrivingFlit {
    pub(super) flit: u32,
    pub(super) place: u32,
}

impl ArrivingFlit {
    #[inline]
    pub(super) fn vc(self) -> u8 {
        self.place as u8 & ((1 << VC_BITS) - 1)
    }
}

/// See the [module](self). While they are on links flits stand in the order in
/// which they were sent; in the cycle of their arrival each finds its port.
#[derive(Debug)]
pub(super) struct Mail<P> {
    /// Bits that number a router's ports.
    pub(super) bits: u32,
    /// What comes from routers of the same part, by cycle, and from others,
    /// where `next` is the place.
    coming: Vec<Vec<ArrivingFlit>>,
    remote: Vec<Vec<Flit>>,
    /// Ports by which flits come to each router now, counted there.
    masks: Vec<P>,
    /// What comes by each of those ports.
    arrived: Vec<ArrivingFlit>,
}

/// Where flits of VC 0 come that go to a port of a router of a part, with numbers of ports of so many bits; the VC is to
/// be added.
pub(super) fn place(bits: u32, router: u32, port: u32) -> u32 {
    (router << bits | port) << VC_BITS
}

impl<P: PortSet> Mail<P> {
    /// For so many routers and cycles, where numbers of ports have so many bits.
    pub(super) fn new(routers: usize, bits: u32, span: usize) -> Mail<P> {
        Mail {
            bits,
            coming: vec![Vec::new(); span],
            remote: vec![Vec::new(); span],
            masks: vec![P::default(); routers],
            arrived: vec![ArrivingFlit { flit: NONE, place: 0 }; routers << bits],
        }
    }

    /// A flit sets out.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, flit: ArrivingFlit) {
        self.coming[slot].push(flit);
    }

    /// A flit from another part will arrive; its `next` is the place.
    #[inline]
    pub(super) fn put_remote(&mut self, slot: usize, flit: Flit) {
        self.remote[slot].push(flit);
    }

    /// What arrives now goes to its ports.
    pub(super) fn arrive(&mut self, slot: usize, pool: &mut Pool) {
        let (bits, masks, arrived) = (self.bits, &mut self.masks, &mut self.arrived);
        let mut enter = |flit: ArrivingFlit| {
            let at = flit.place >> VC_BITS;
            masks[(at >> bits) as usize].insert((at & ((1 << bits) - 1)) as u8);
            arrived[at as usize] = flit;
        };
        self.coming[slot].drain(..).for_each(&mut enter);
        self.remote[slot].drain(..).for_each(|flit| enter(ArrivingFlit { flit: pool.add(flit), place: flit.next }));
    }

    /// The ports by which flits come to a router; none from now on.
    #[inline]
    pub(super) fn take(&mut self, router: usize) -> P {
        std::mem::take(&mut self.masks[router])
    }

    /// What comes by a port, of which a mask tells.
    #[inline]
    pub(super) fn arrived(&self, router: usize, port: u8) -> ArrivingFlit {
        self.arrived[router << self.bits | usize::from(port)]
    }

    /// The router of a place, its port there and the VC.
    pub(super) fn of_place(&self, place: u32) -> (usize, usize, u8) {
        let port = (place >> VC_BITS) as usize & ((1 << self.bits) - 1);
        (self.router(place), port, place as u8 & ((1 << VC_BITS) - 1))
    }

    /// The router of a place.
    pub(super) fn router(&self, place: u32) -> usize {
        (place >> VC_BITS >> self.bits) as usize
    }

    /// All flits under way, with the cycle of arrival in the ring; `next` is the place.
    pub(super) fn under_way<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = (usize, Flit)> + 'a {
        let of = |l: &ArrivingFlit| Flit { next: l.place, ..pool.get(l.flit) };
        let slots = self.coming.iter().zip(&self.remote).enumerate();
        slots.flat_map(move |(slot, (own, others))| {
            own.iter().map(of).chain(others.iter().copied()).map(move |flit| (slot, flit))
        })
    }
}
