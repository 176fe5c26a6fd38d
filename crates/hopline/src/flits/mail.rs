//! Flits on their way to routers, by the cycle of their arrival.

/// For each of the next cycles a place per port, since a link carries a flit
/// per cycle, and which places are taken.
#[derive(Debug)]
pub(super) struct Mail {
    routers: usize,
    ports: usize,
    /// Ports by which flits come to router r in cycle t, counted there: `masks[t * routers + r]`.
    masks: Vec<u64>,
    /// The flit that comes by port p, and by which VC: at `t * ports + p`.
    flits: Vec<u32>,
    vcs: Vec<u8>,
}

impl Mail {
    /// For so many routers, ports and cycles.
    pub(super) fn new(routers: usize, ports: usize, span: usize) -> Mail {
        let places = span * ports;
        Mail { routers, ports, masks: vec![0; span * routers], flits: vec![0; places], vcs: vec![0; places] }
    }

    /// A flit comes to a router by a port, whose number there is `offset`.
    #[inline]
    pub(super) fn put(&mut self, slot: usize, router: usize, (port, offset): (usize, u8), (flit, vc): (u32, u8)) {
        self.masks[slot * self.routers + router] |= 1 << offset;
        self.flits[slot * self.ports + port] = flit;
        self.vcs[slot * self.ports + port] = vc;
    }

    /// The ports by which flits come to a router; none from now on.
    #[inline]
    pub(super) fn take(&mut self, slot: usize, router: usize) -> u64 {
        std::mem::take(&mut self.masks[slot * self.routers + router])
    }

    /// The flit that comes by a port, of which a mask tells, and its VC.
    #[inline]
    pub(super) fn flit(&self, slot: usize, port: usize) -> (u32, u8) {
        (self.flits[slot * self.ports + port], self.vcs[slot * self.ports + port])
    }

    /// See [`Mail::take`].
    pub(super) fn mask(&self, slot: usize, router: usize) -> u64 {
        self.masks[slot * self.routers + router]
    }
}
