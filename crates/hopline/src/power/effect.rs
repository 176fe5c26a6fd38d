//! What a policy does to the energy of links and of the machine.

use super::{Energy, Keep, Model, SwitchCount, light};
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::replay::{Dimming, Replayed};

/// A replay under a policy beside the same job with everything on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Effect {
    /// Joules of links with everything on.
    pub all_on_joules: f64,
    /// Energy of links under the policy.
    pub energy: Energy,
    /// Switches whose cables were off from beginning to end.
    pub dark_switches: u32,
    /// Share of the machine's energy that is saved: links and dark switches, less what all the rest takes while the
    /// job lasts longer.
    pub machine_saving: f64,
}

impl Effect {
    /// Of a replay `done` under a plan; `bin` is that of its recorded timeline. O(links).
    pub fn new(
        fabric: &Fabric,
        model: &Model,
        base: &Replayed,
        (plan, done): (&Dimming, &Replayed),
        bin: Option<u64>,
    ) -> Effect {
        let all_on_joules = Energy::new(fabric, model, &Dimming::default(), base, None).joules;
        let energy = Energy::new(fabric, model, plan, done, bin);
        let SwitchCount { cabled, dark } = switches(fabric, plan, done);
        let longer = done.makespan().max(1) as f64 / base.makespan().max(1) as f64;
        // With everything on links take links * network of the machine's power.
        let links = model.links * model.network;
        let off = (1.0 - model.links) * model.network * f64::from(dark) / f64::from(cabled.max(1));
        let of_links = if all_on_joules > 0.0 { energy.joules / all_on_joules } else { longer };
        Effect {
            all_on_joules,
            energy,
            dark_switches: dark,
            machine_saving: 1.0 - (links * of_links + (1.0 - links - off) * longer),
        }
    }
}

/// Dark are those whose cables were never on.
fn switches(fabric: &Fabric, plan: &Dimming, done: &Replayed) -> SwitchCount {
    let never = |l: LinkId| plan.cable_of(l).is_some_and(|c| done.slept.off[c] == done.makespan());
    let load: Vec<f64> = fabric.link_ids().map(|l| if never(l) { 0.0 } else { 1.0 }).collect();
    light(fabric, &load, Keep::default()).switches(fabric)
}
