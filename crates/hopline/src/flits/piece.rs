//! A [`Part`] without its number of VCs in the type.

use super::Setting;
use super::bytes::{Bytes, Writer};
use super::part::Part;
use super::shared::Post;
use super::stuck::Look;
use super::tally::Tally;
use crate::error::Result;
use crate::forwarding::Forwarding;
use crate::stats::Histogram;
use std::ops::Range;

/// What a simulation does with its parts.
pub(super) trait Piece<F>: Send + Sync {
    /// See [`Part::advance`].
    fn advance(&mut self, setting: &Setting<F>, from: u32, to: u32);
    /// See [`Part::receive`].
    fn receive(&mut self, post: &Post);
    /// What is on its way to every part.
    fn posts(&mut self) -> &mut Vec<Post>;
    fn tally(&self) -> &Tally;
    /// From now on links and latencies are counted anew.
    fn start_measuring(&mut self);
    /// Flits that left by each port since then.
    fn sent(&self) -> Vec<u32>;
    /// See [`Part::hops`].
    fn hops(&self) -> u64;
    fn in_flight(&self) -> u64;
    fn births(&self) -> &[u32];
    /// See [`Part::backlog`].
    fn backlog(&self, setting: &Setting<F>, now: u32) -> Vec<u64>;
    /// Its ports, counted over the whole network.
    fn range(&self) -> Range<u32>;
    /// See [`Part::save`] and [`Part::load`].
    fn save(&self, out: &mut Writer);
    fn load(&mut self, from: &mut Bytes<'_>) -> Result<()>;
    /// What there is at a port and VC.
    fn look(&self, port: u32, vc: usize) -> Look;
}

/// See [`Part::new`]; compiled for the VCs and packets of the setting.
pub(super) fn new<F: Forwarding>(setting: &Setting<F>, cuts: &[u32], own: usize) -> Box<dyn Piece<F>> {
    fn sized<F: Forwarding, const V: usize>(setting: &Setting<F>, cuts: &[u32], own: usize) -> Box<dyn Piece<F>> {
        match setting.router.packet {
            1 => Box::new(Part::<V, false>::new(setting, cuts, own)),
            _ => Box::new(Part::<V, true>::new(setting, cuts, own)),
        }
    }
    if setting.router.delay == 0 || setting.decides {
        // Seldom asked for, and compiled once.
        return Box::new(Part::<8, true>::new(setting, cuts, own));
    }
    match setting.vcs() {
        1 => sized::<F, 1>(setting, cuts, own),
        2 => sized::<F, 2>(setting, cuts, own),
        3 | 4 => sized::<F, 4>(setting, cuts, own),
        _ => sized::<F, 8>(setting, cuts, own),
    }
}

impl<F: Forwarding, const V: usize, const LONG: bool> Piece<F> for Part<V, LONG> {
    fn advance(&mut self, setting: &Setting<F>, from: u32, to: u32) {
        Part::advance(self, setting, from, to);
    }
    fn receive(&mut self, post: &Post) {
        Part::receive(self, post);
    }
    fn posts(&mut self) -> &mut Vec<Post> {
        &mut self.shared.posts
    }
    fn tally(&self) -> &Tally {
        &self.shared.tally
    }
    fn start_measuring(&mut self) {
        let tally = &mut self.shared.tally;
        tally.latencies = Histogram::new();
        tally.sent_before += self.ports.iter_mut().map(|p| u64::from(std::mem::take(&mut p.sent))).sum::<u64>();
    }
    fn sent(&self) -> Vec<u32> {
        self.ports.iter().map(|p| p.sent).collect()
    }
    fn hops(&self) -> u64 {
        Part::hops(self)
    }
    fn in_flight(&self) -> u64 {
        (self.shared.tally.injected as i64 - self.shared.tally.delivered as i64 + self.shared.foreign) as u64
    }
    fn births(&self) -> &[u32] {
        &self.shared.births
    }
    fn backlog(&self, setting: &Setting<F>, now: u32) -> Vec<u64> {
        Part::backlog(self, setting, now)
    }
    fn range(&self) -> Range<u32> {
        self.range.clone()
    }
    fn save(&self, out: &mut Writer) {
        Part::save(self, out);
    }
    fn load(&mut self, from: &mut Bytes<'_>) -> Result<()> {
        Part::load(self, from)
    }
    fn look(&self, port: u32, vc: usize) -> Look {
        let port = (port - self.range.start) as usize;
        let (own, output) = (&self.ports[port], &self.ports[port].outputs[vc]);
        Look {
            input: own.inputs[vc],
            head: own.inputs[vc].iter(&self.shared.pool).next(),
            waiting: output.len,
            holder: output.holder(),
            room: own.room >> vc & 1 == 1,
            sends: own.credit >> vc & 1 == 1,
            credits: self.credits[port][vc],
        }
    }
}
