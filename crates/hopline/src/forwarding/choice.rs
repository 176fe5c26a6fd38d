//! What a packet that adapts at every hop chooses among: hops that are offered, and the queues that they are judged by.

use super::masks::mix;
use super::{Header, Hop};

/// What a flit counts more than all places in an order of ports and VCs.
const TIES: u32 = 1 << 11;

/// What is seen at every hop: the queues of the packet's own router, now.
pub trait Outputs {
    /// Flits that wait for a VC of a port, counted as by [`Queues::waiting`](super::Queues::waiting).
    fn waiting(&self, hop: Hop) -> u32;

    /// Flits that wait for a port, on all its VCs.
    fn at_port(&self, port: u16) -> u32;
}

/// Of the hops that are offered it takes the one of the least cost that has room, of equal ones the first.
pub trait Choice: Outputs {
    /// Offers a hop; true if it has room and is the one to be taken so far.
    fn offer(&mut self, hop: Hop, cost: u32) -> bool;

    /// Offers a hop by what waits for its VC, of equal ones the earlier place; true where none of a later place can be better.
    #[inline(always)]
    fn offer_in_turn(&mut self, hop: Hop, place: u32) -> bool {
        let cost = self.waiting(hop) * TIES + self.place(hop, place);
        self.offer(hop, cost) && cost < TIES && self.drawn() == 0
    }

    /// The place of a hop among those of equal queues: its own, or a random one below 256 where ties are drawn.
    #[inline(always)]
    fn place(&self, hop: Hop, own: u32) -> u32 {
        match self.drawn() {
            0 => own,
            bits => mix(Header(bits), u32::from(hop.port) << 3 | u32::from(hop.vc)) & 0xff,
        }
    }

    /// Whether one of those that were offered has room.
    fn is_made(&self) -> bool;

    /// Random bits by which ties are decided, others in every cycle; 0 where a packet's own decide them once and for all.
    #[inline(always)]
    fn drawn(&self) -> u32 {
        0
    }
}

/// All hops that are offered, whether they have room or not.
pub struct Offers<'a> {
    outputs: &'a dyn Outputs,
    offered: Vec<(u32, Hop)>,
}

impl<'a> Offers<'a> {
    /// None yet, where queues are like this.
    pub fn new(outputs: &'a dyn Outputs) -> Self {
        Offers { outputs, offered: Vec::new() }
    }

    /// The hops, those of the least cost first, equal ones in the order in which they were offered.
    pub fn in_order(mut self) -> Vec<Hop> {
        self.offered.sort_by_key(|offered| offered.0);
        self.offered.into_iter().map(|offered| offered.1).collect()
    }
}

impl Outputs for Offers<'_> {
    fn waiting(&self, hop: Hop) -> u32 {
        self.outputs.waiting(hop)
    }
    fn at_port(&self, port: u16) -> u32 {
        self.outputs.at_port(port)
    }
}

impl Choice for Offers<'_> {
    fn offer(&mut self, hop: Hop, cost: u32) -> bool {
        self.offered.push((cost, hop));
        false
    }
    fn is_made(&self) -> bool {
        false
    }
}
