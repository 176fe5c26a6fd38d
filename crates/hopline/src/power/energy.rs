//! Energy of a replay whose cables sleep or run slower: by class, over time,
//! and as a part of the machine's.

use super::{Model, Watts, cables, is_cable};
use crate::fabric::Fabric;
use crate::id::LinkId;
use crate::replay::{Dimming, FULL, Replayed};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// Energy of one class of links.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct ClassEnergy {
    /// The class's name.
    pub name: String,
    /// Directions of cables.
    pub links: usize,
    /// Those that run slower.
    pub slow: usize,
    /// Share of the time in which a cable was off, and was being switched: the mean over cables.
    pub off: f64,
    /// See `off`.
    pub changing: f64,
    /// Joules.
    pub joules: f64,
    /// Packets that woke a cable, and so waited.
    pub woken: u64,
    /// How long packets waited for cables to be on, in seconds, added up.
    pub waited_s: f64,
}

/// Watts of a class in equal bins of time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
pub struct WattsOverTime {
    /// The class's name.
    pub name: String,
    /// With everything on and idle.
    pub all_on: f64,
    /// Mean of each bin.
    pub watts: Vec<f64>,
}

/// What a replay took.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Energy {
    /// Joules of all cables.
    pub joules: f64,
    /// By class; classes without cables are left out.
    pub classes: Vec<ClassEnergy>,
    /// By class over time; empty where not recorded.
    pub timeline: Vec<WattsOverTime>,
}

/// Sums per class, in picoseconds and watts times picoseconds.
#[derive(Debug, Clone, Default)]
struct Sum {
    links: usize,
    slow: usize,
    off: f64,
    changing: f64,
    /// Energy while sending, with the time, and watts of all links when idle.
    busy: f64,
    busy_time: f64,
    idle_watts: f64,
    energy: f64,
    woken: u64,
    waited: f64,
}

impl Energy {
    /// Of a replay under `plan`; `bin` is that of its recorded timeline. O(links).
    pub fn new(fabric: &Fabric, model: &Model, plan: &Dimming, done: &Replayed, bin: Option<u64>) -> Energy {
        let table = model.table(fabric);
        let mut sums = vec![Sum::default(); table.len()];
        for l in cables(fabric) {
            for d in [l, fabric.reverse(l)].into_iter().filter(|&d| is_cable(fabric, d)) {
                let class = fabric.class_id(d).index();
                sums[class].add(plan, done, d, &table[class].at_speed(speed(plan, d)));
            }
            let sum = &mut sums[fabric.class_id(l).index()];
            if let Some(c) = plan.cable_of(l) {
                sum.woken += u64::from(done.slept.woken[c]);
                sum.waited += done.slept.waited[c] as f64;
            }
        }
        let span = done.makespan().max(1) as f64;
        let of_class = |(c, sum): (usize, &Sum)| ClassEnergy {
            name: fabric.classes()[c].name.clone(),
            links: sum.links,
            slow: sum.slow,
            off: sum.off / (span * sum.links as f64),
            changing: sum.changing / (span * sum.links as f64),
            joules: sum.energy * 1e-12,
            woken: sum.woken,
            waited_s: sum.waited * 1e-12,
        };
        let with_cables = || sums.iter().enumerate().filter(|(_, s)| s.links > 0);
        let classes: Vec<ClassEnergy> = with_cables().map(of_class).collect();
        let timeline = with_cables().filter_map(|(c, sum)| {
            let watts = sum.over_time(&table[c], done, c, bin?);
            Some(WattsOverTime {
                name: fabric.classes()[c].name.clone(),
                all_on: sum.links as f64 * table[c].idle,
                watts,
            })
        });
        Energy { joules: 0.0 + classes.iter().map(|c| c.joules).sum::<f64>(), timeline: timeline.collect(), classes }
    }
}

/// Share of its bandwidth at which a link runs.
fn speed(plan: &Dimming, link: LinkId) -> f64 {
    f64::from(FULL) / f64::from(plan.slow_of(link))
}

impl Sum {
    fn add(&mut self, plan: &Dimming, done: &Replayed, link: LinkId, watts: &Watts) {
        let slept = |of: &[u64]| plan.cable_of(link).map_or(0.0, |c| of[c] as f64);
        let (off, changing) = (slept(&done.slept.off), slept(&done.slept.changing));
        let busy = done.busy[link.index()] as f64;
        // Packets may still be under way when the last rank is done.
        let idle = (done.makespan() as f64 - off - changing - busy).max(0.0);
        self.links += 1;
        self.slow += usize::from(speed(plan, link) < 1.0);
        self.off += off;
        self.changing += changing;
        self.busy += busy * watts.on;
        self.busy_time += busy;
        self.idle_watts += watts.idle;
        self.energy += busy * watts.on + idle * watts.idle + off * watts.off + changing * watts.changing;
    }

    /// Watts of each bin: the links' rest, and what sending, sleeping and changing differ from it. Links of a class
    /// that run at different speeds count with the mean of what they take while sending.
    fn over_time(&self, watts: &Watts, done: &Replayed, class: usize, bin: u64) -> Vec<f64> {
        let end = done.makespan();
        let idle = self.idle_watts / self.links as f64;
        let on = if self.busy_time > 0.0 { self.busy / self.busy_time } else { idle };
        let at = |rows: &[Vec<u64>], b: usize| rows.get(class).and_then(|r| r.get(b)).map_or(0.0, |&ps| ps as f64);
        let [off, changing] = &done.slept.timeline;
        let bins = end.div_ceil(bin.max(1)) as usize;
        let of_bin = |b: usize| {
            let length = bin.min(end - b as u64 * bin) as f64;
            let more = at(&done.timeline, b) * (on - idle)
                + at(off, b) * (watts.off - idle)
                + at(changing, b) * (watts.changing - idle);
            self.idle_watts + more / length
        };
        (0..bins).map(of_bin).collect()
    }
}
