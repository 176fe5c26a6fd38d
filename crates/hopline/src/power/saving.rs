//! What it saves to switch dark cables off for a whole run.

use super::{Lit, Model, SwitchCount, Watts, is_cable};
use crate::fabric::{Fabric, LinkClass};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Power of one class of links.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ClassPower {
    /// The class's name.
    pub name: String,
    /// Directions of cables.
    pub links: usize,
    /// Those that carry anything.
    pub used: usize,
    /// Those that are off.
    pub off: usize,
    /// Watts with all on.
    pub watts: f64,
    /// Watts less with some off.
    pub saved_watts: f64,
    /// The shortest silence in seconds for which it pays to switch a link off and on again; null where it never does.
    pub break_even_s: Option<f64>,
}

/// What switching off comes to.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct Power {
    /// Directions of cables.
    pub links: usize,
    /// Those that carry anything.
    pub used: usize,
    /// Those that are off.
    pub off: usize,
    /// Watts of all cables with all on.
    pub watts: f64,
    /// Watts less with some off.
    pub saved_watts: f64,
    /// Switches that have cables.
    pub switches: u32,
    /// Those whose cables are all off.
    pub dark_switches: u32,
    /// Share of the network's power that is saved.
    pub network_saving: f64,
    /// Share of the machine's power that is saved.
    pub machine_saving: f64,
    /// By class, in the fabric's order; classes without cables are left out.
    pub classes: Vec<ClassPower>,
}

impl Power {
    /// Sums up a load and what is on: O(links).
    pub fn new(fabric: &Fabric, model: &Model, load: &[f64], lit: &Lit) -> Power {
        let table = model.table(fabric);
        let class = |(c, watts): (&LinkClass, &Watts)| ClassPower {
            name: c.name.clone(),
            links: 0,
            used: 0,
            off: 0,
            watts: 0.0,
            saved_watts: 0.0,
            break_even_s: watts.break_even().map(|ns| ns * 1e-9),
        };
        let mut classes: Vec<ClassPower> = fabric.classes().iter().zip(&table).map(class).collect();
        for l in fabric.link_ids().filter(|&l| is_cable(fabric, l)) {
            let at = fabric.class_id(l).index();
            let (class, watts) = (&mut classes[at], table[at]);
            let used = load[l.index()] > 0.0;
            let now = if used { watts.on } else { watts.idle };
            class.links += 1;
            class.used += usize::from(used);
            class.watts += now;
            if !lit.is_on(l) {
                class.off += 1;
                class.saved_watts += now - watts.off;
            }
        }
        classes.retain(|c| c.links > 0);
        // An empty sum of floats is -0.
        let sum = |of: fn(&ClassPower) -> f64| 0.0 + classes.iter().map(of).sum::<f64>();
        let count = |of: fn(&ClassPower) -> usize| classes.iter().map(of).sum();
        let (watts, saved_watts) = (sum(|c| c.watts), sum(|c| c.saved_watts));
        let SwitchCount { cabled: switches, dark: dark_switches } = lit.switches(fabric);
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let network_saving = model.links * share(saved_watts, watts)
            + (1.0 - model.links) * share(f64::from(dark_switches), f64::from(switches));
        Power {
            links: count(|c| c.links),
            used: count(|c| c.used),
            off: count(|c| c.off),
            watts,
            saved_watts,
            switches,
            dark_switches,
            network_saving,
            machine_saving: model.network * network_saving,
            classes,
        }
    }
}
