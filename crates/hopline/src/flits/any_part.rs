//! A [`Part`] without its number of VCs in the type.

use super::FlitModel;
use super::bytes::{Bytes, Writer};
use super::part::Part;
use super::port_set::{PortSet, Wide};
use super::queues::Queue;
use super::shared::Outgoing;
use super::sound::Inbox;
use super::stuck::QueueState;
use super::tally::Tally;
use crate::error::Result;
use crate::forwarding::Forwarding;
use crate::stats::Histogram;
use std::ops::Range;

/// What a simulation does with its parts.
pub(super) trait AnyPart<F>: Send + Sync {
    /// See [`Part::advance`].
    fn advance(&mut self, setting: &FlitModel<F>, from: u32, to: u32);
    /// See [`Part::receive`].
    fn receive(&mut self, outgoing: &Outgoing);
    /// What is on its way to every part.
    fn outgoing(&mut self) -> &mut Vec<Outgoing>;
    fn tally(&self) -> &Tally;
    /// From now on links and latencies are counted anew.
    fn start_measuring(&mut self);
    /// Flits that left by each port since then.
    fn sent(&self) -> Vec<u32>;
    /// Flits in the input and output buffers of each port.
    fn waiting(&self) -> Vec<[u32; 2]>;
    /// See [`Part::hops`].
    fn hops(&self) -> u64;
    fn in_flight(&self) -> u64;
    fn births(&self) -> &[u32];
    /// See [`Part::backlog`].
    fn backlog(&self, setting: &FlitModel<F>, now: u32) -> Vec<u64>;
    /// Its ports, counted over the whole network.
    fn range(&self) -> Range<u32>;
    /// See [`Part::save`] and [`Part::load`].
    fn save(&self, out: &mut Writer);
    fn load(&mut self, from: &mut Bytes<'_>) -> Result<()>;
    /// See [`Part::inboxes`] and [`Part::is_joined`].
    fn inboxes(&self, setting: &FlitModel<F>, now: u32) -> Option<Vec<Inbox>>;
    fn is_joined(&self, setting: &FlitModel<F>, inbox: &dyn Fn(u32, u8) -> Inbox) -> bool;
    /// See [`Part::fail`] and [`Part::hold`].
    fn fail(&mut self, ports: &[u32]);
    fn hold(&mut self, holds: bool);
    /// What there is at a port and VC.
    fn look(&self, port: u32, vc: usize) -> QueueState;
}

/// See [`Part::new`]; compiled for the VCs and packets of the setting.
pub(super) fn new<F: Forwarding>(setting: &FlitModel<F>, cuts: &[u32], own: usize) -> Box<dyn AnyPart<F>> {
    fn sized<F: Forwarding, const V: usize>(setting: &FlitModel<F>, cuts: &[u32], own: usize) -> Box<dyn AnyPart<F>> {
        match setting.router.packet {
            1 => Box::new(Part::<V, false, u64>::new(setting, cuts, own)),
            _ => Box::new(Part::<V, true, u64>::new(setting, cuts, own)),
        }
    }
    // What is seldom asked for is compiled once.
    let usual = setting.router.is_usual() && !setting.decides;
    match (usual, setting.port_bits > 6) {
        (false, false) if setting.router.is_usual() && setting.router.packet == 1 => {
            return Box::new(Part::<8, false, u64>::new(setting, cuts, own));
        }
        // Most of a million endpoints' memory is ports, of which these take little more than half.
        (true, true) if setting.router.packet == 1 && setting.vcs() <= 4 => {
            return Box::new(Part::<4, false, Wide>::new(setting, cuts, own));
        }
        (_, true) => return Box::new(Part::<8, true, Wide>::new(setting, cuts, own)),
        (false, false) => return Box::new(Part::<8, true, u64>::new(setting, cuts, own)),
        (true, false) => {}
    }
    match setting.vcs() {
        1 => sized::<F, 1>(setting, cuts, own),
        2 => sized::<F, 2>(setting, cuts, own),
        3 | 4 => sized::<F, 4>(setting, cuts, own),
        _ => sized::<F, 8>(setting, cuts, own),
    }
}

impl<F: Forwarding, const V: usize, const LONG: bool, P: PortSet> AnyPart<F> for Part<V, LONG, P> {
    fn advance(&mut self, setting: &FlitModel<F>, from: u32, to: u32) {
        Part::advance(self, setting, from, to);
    }
    fn receive(&mut self, outgoing: &Outgoing) {
        Part::receive(self, outgoing);
    }
    fn outgoing(&mut self) -> &mut Vec<Outgoing> {
        &mut self.shared.outgoing
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
    fn waiting(&self) -> Vec<[u32; 2]> {
        let all = |queues: &[Queue]| queues.iter().map(|q| u32::from(q.len)).sum();
        self.ports.iter().map(|p| [all(&p.inputs), all(&p.outputs)]).collect()
    }
    fn hops(&self) -> u64 {
        Part::hops(self)
    }
    fn in_flight(&self) -> u64 {
        let tally = &self.shared.tally;
        let gone = (tally.delivered + tally.dropped_flits) as i64;
        (tally.injected as i64 - gone + self.shared.foreign) as u64
    }
    fn births(&self) -> &[u32] {
        &self.shared.births
    }
    fn backlog(&self, setting: &FlitModel<F>, now: u32) -> Vec<u64> {
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
    fn inboxes(&self, setting: &FlitModel<F>, now: u32) -> Option<Vec<Inbox>> {
        Part::inboxes(self, setting, now)
    }
    fn is_joined(&self, setting: &FlitModel<F>, inbox: &dyn Fn(u32, u8) -> Inbox) -> bool {
        Part::is_joined(self, setting, inbox)
    }
    fn fail(&mut self, ports: &[u32]) {
        Part::fail(self, ports);
    }
    fn hold(&mut self, holds: bool) {
        Part::hold(self, holds);
    }
    fn look(&self, port: u32, vc: usize) -> QueueState {
        let port = (port - self.range.start) as usize;
        let (own, output) = (&self.ports[port], &self.ports[port].outputs[vc]);
        QueueState {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Demand;
    use crate::error::Place;
    use crate::files::Disk;
    use crate::flits::{Injection, Process, ROUTER, Router};
    use crate::forwarding::{self, Context, Wiring};
    use crate::id::VertexId;
    use crate::params::Params;
    use std::sync::Arc;

    /// The same flits by either kind of set, whatever the router does with them; those of one flit also by the smaller engines.
    #[test]
    fn wide_sets_of_ports_change_nothing() {
        for (routing, keys) in [
            ("min-adaptive", "packet=3"),
            ("min-adaptive", "arbitration=oldest,delay=0"),
            ("min-adaptive", "crossbar=vcs,buffers=4,output=3"),
            ("min-adaptive", "arbitration=random"),
            ("min-adaptive", "like=booksim,buffers=4"),
            ("min-adaptive", "like=caminos,buffers=4,packet=2"),
            ("dor", "packet=1"),
            ("dor", "lanes=2,buffers=3,output=2,delay=2"),
        ] {
            simulated(routing, keys, |setting| {
                let mut engines: Vec<Box<dyn AnyPart<_>>> = vec![
                    Box::new(Part::<8, true, u64>::new(setting, &[0, 16], 0)),
                    Box::new(Part::<8, true, Wide>::new(setting, &[0, 16], 0)),
                ];
                if setting.router.is_usual() && setting.router.packet == 1 {
                    engines.push(Box::new(Part::<8, false, u64>::new(setting, &[0, 16], 0)));
                }
                if routing == "dor" {
                    engines.push(Box::new(Part::<4, false, u64>::new(setting, &[0, 16], 0)));
                    engines.push(Box::new(Part::<4, false, Wide>::new(setting, &[0, 16], 0)));
                }
                engines.iter_mut().for_each(|engine| engine.advance(setting, 0, 400));
                let (first, others) = engines.split_first().expect("engines");
                assert!(first.tally().packets > 1000, "{keys}");
                for (e, other) in others.iter().enumerate() {
                    assert_eq!((first.tally(), first.sent()), (other.tally(), other.sent()), "{keys}: {e}");
                }
            });
        }
    }

    /// Looks at what is simulated on a torus of 16 under uniform traffic.
    fn simulated(routing: &str, keys: &str, look: impl FnOnce(&FlitModel<&forwarding::Any>)) {
        let spec = |text: &str| Params::from_spec(text, &Place::new("here", 0)).expect("spec");
        let (topology, fabric) = crate::topology::build(&spec("torus:dims=4x4"), &Disk).expect("machine");
        let (fabric, params) = (Arc::new(fabric), spec(routing));
        let routing = crate::routing::build(&params, &topology, &fabric, &Disk).expect("routing");
        let wiring = Arc::new(Wiring::new(&fabric, 1).expect("wiring"));
        let context = Context { topology: &topology, fabric: &fabric, wiring: &wiring, routing: &*routing };
        let forwarding = forwarding::build(&params, &context).expect("forwarding");
        let rows: Vec<Vec<f64>> = (0..16).map(|a| (0..16).map(|b| f64::from(u8::from(a != b))).collect()).collect();
        let demand = Demand::from_rows(&rows).expect("demand");
        let place: Vec<VertexId> = (0..16).map(VertexId).collect();
        let router = spec(&format!("router:{keys}")).check(&ROUTER).and_then(|r| Router::read(&r)).expect("router");
        let injection = Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.9, seed: 1 };
        look(&FlitModel::new(wiring, &forwarding, router, injection).expect("setting"));
    }
}
