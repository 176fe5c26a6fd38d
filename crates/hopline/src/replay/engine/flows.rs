//! Messages join the flows, and leave them when they are through.

use super::Engine;
use crate::error::Result;
use crate::replay::events::EventKind;
use crate::replay::fluid::Flow;

impl Engine<'_> {
    /// A message joins the flows.
    pub(super) fn join(&mut self, id: u32, t: u64) -> Result<()> {
        let m = &self.wire.messages[id];
        let bytes = m.unsent as f64;
        let ends = self.endpoints(m);
        let fluid = &mut self.fluid;
        fluid.advance(t);
        self.input.routing.route(ends.0, ends.1, &mut fluid.route)?;
        let route = std::mem::take(&mut fluid.route);
        let latency: f64 = route.iter().map(|&(l, share)| share * fluid.latency[fluid.class_of(l.0)]).sum();
        route.iter().for_each(|&(l, share)| self.wire.links.add_busy(l.0, share * bytes));
        let limited = route.iter().filter(|(l, _)| fluid.bandwidth[fluid.class_of(l.0)].is_finite());
        let limited = limited.map(|&(l, share)| (l.0, share)).collect();
        fluid.route = route;
        fluid.flows.push(Flow { message: id, left: bytes, rate: 0.0, route: limited, latency: latency.round() as u64 });
        if fluid.due != Some(t) {
            fluid.due = Some(t);
            fluid.epoch += 1;
            self.queue.push(t, EventKind::Flow, fluid.epoch);
        }
        Ok(())
    }

    /// Flows that are through leave, and the others share anew.
    pub(super) fn flow(&mut self, epoch: u32, t: u64) {
        let fluid = &mut self.fluid;
        if epoch != fluid.epoch {
            return;
        }
        fluid.due = None;
        fluid.advance(t);
        for f in fluid.flows.iter().filter(|f| f.is_through()) {
            let arrival = t.saturating_add(f.latency).saturating_add(self.input.model.latency);
            self.queue.push(arrival, EventKind::Arrive, f.message);
            if let Some(next) = self.wire.left(f.message) {
                self.queue.push(t.max(self.wire.messages[next].arrival), EventKind::Join, next);
            }
        }
        fluid.flows.retain(|f| !f.is_through());
        fluid.fill();
        if let Some(end) = fluid.first_end() {
            fluid.epoch += 1;
            self.queue.push(t.saturating_add(end.ceil() as u64), EventKind::Flow, fluid.epoch);
        }
    }
}
