//! A switch in which every VC of a port is a port by itself: one flit per cycle
//! from every input buffer and to every output buffer, as in CAMINOS'
//! input-output-buffered router.

use super::FlitModel;
use super::node::Node;
use super::port_set::{PortSet, in_turn};
use super::queues::{FREE, Grant, RouterState};
use super::router::Arbitration;
use crate::forwarding::Forwarding;

impl<const V: usize, const LONG: bool, const ONCE: bool, P: PortSet> Node<'_, V, LONG, ONCE, P> {
    /// One cycle of it.
    pub(super) fn switch_by_vc<F: Forwarding>(&mut self, setting: &FlitModel<F>) {
        let RouterState { asked, turn, .. } = *self.state;
        // VCs of each input port that have sent a flit.
        let mut sent = P::bytes();
        for port in asked.in_turn(turn) {
            for to in in_turn(u64::from(self.ports[usize::from(port)].open()), 0) {
                if let Some(grant) = self.choose_buffer(setting.router.arbitration, port, to, &sent) {
                    sent[usize::from(grant.input)] |= 1 << grant.from;
                    self.ports[usize::from(port)].input_turn = P::after(grant.input);
                    self.transfer(setting, port, grant);
                }
            }
        }
        self.next_turn();
    }

    /// The input buffer with the smallest key that asks for an output buffer and
    /// has not sent; the first in turn of equal ones.
    fn choose_buffer(&mut self, arbitration: Arbitration, port: u8, to: u8, sent: &P::Bytes) -> Option<Grant> {
        let own = &self.ports[usize::from(port)];
        let (turn, holder) = (own.input_turn, own.outputs[usize::from(to) & (V - 1)].holder());
        let mut best: Option<(u64, Grant)> = None;
        for input in self.candidates(port, to, P::default()).in_turn(turn) {
            for from in 0..V as u8 {
                let head = &self.ports[usize::from(input)].inputs[usize::from(from)];
                let asks = head.len > 0 && head.wish().0 == port && head.wish().1 >> to & 1 == 1;
                let held = LONG && holder != FREE && holder != (input, from);
                if !asks || held || sent[usize::from(input)] >> from & 1 == 1 {
                    continue;
                }
                let key = self.key(arbitration, usize::from(input), usize::from(from));
                if best.is_none_or(|b| key < b.0) {
                    best = Some((key, Grant { input, from, to }));
                }
            }
        }
        best.map(|b| b.1)
    }
}
