//! Policies that switch cables while a job runs, tried in replays.

use crate::error::{Error, Result};
use crate::event::Observer;
use crate::fabric::Fabric;
use crate::mapping::Mapping;
use crate::params::Params;
use crate::power::policy::{Job, Planned, needs_critical, plan, too_short};
use crate::power::{Effect, Energy, Keep, Model};
use crate::replay::{self, Dimming, Places, Record, ReplayInput, Watch, replay_dimmed};
use crate::routing::Routing;
use crate::schedule::Schedule;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What is replayed under which policies.
#[derive(Debug)]
pub struct Policies<'a> {
    /// Specs of [`crate::power::policy::LIST`].
    pub specs: Vec<Params>,
    /// Who sends what after what.
    pub schedule: &'a Schedule,
    /// Parameters of hosts and packets.
    pub model: replay::Model,
    /// Length of a bin of watts over time in nanoseconds; a 64th of the time with everything on where left out.
    pub bin: Option<f64>,
}

/// One policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct PolicyTried {
    /// Its spec.
    pub policy: String,
    /// When the last rank is done with everything on, in seconds.
    pub all_on_s: f64,
    /// The same under the policy.
    pub makespan_s: f64,
    /// Joules of links with everything on.
    pub all_on_joules: f64,
    /// Energy of links, by class and over time.
    #[serde(flatten)]
    pub energy: Energy,
    /// Switches whose cables were off from beginning to end.
    pub dark_switches: u32,
    /// Share of the machine's energy that is saved: links and dark switches, less what all the rest takes while the
    /// job lasts longer.
    pub machine_saving: f64,
    /// Length of a bin of watts over time in seconds.
    pub bin_s: f64,
    /// What the policy leaves alone, and why.
    pub notes: Vec<String>,
}

/// All policies on one mapping.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct PoliciesTried {
    /// In the order in which they were asked for.
    pub tried: Vec<PolicyTried>,
    /// Those that are left out, and why.
    pub notes: Vec<String>,
}

/// Bins of watts over time where nobody says.
const BINS: u64 = 64;

impl Policies<'_> {
    /// Tries every policy on one mapping; one that cannot learn from so short a schedule is left out with a note, as the
    /// others do not need it.
    ///
    /// # Errors
    /// Hosts stripe over rails, a policy is not known, none is left that can learn from the schedule, those of
    /// [`replay::replay`], or the observer says stop.
    pub fn try_all(
        &self,
        (fabric, routing): (&Fabric, &dyn Routing),
        mapping: &Mapping,
        (model, keep): (&Model, Keep),
        observer: &mut dyn Observer,
    ) -> Result<PoliciesTried> {
        let places = Places::new(mapping, fabric.hosts())?;
        let input = ReplayInput { schedule: self.schedule, routing, places: &places, model: &self.model };
        let record = Record { critical: needs_critical(&self.specs), watch: None };
        let base = replay_dimmed(input, &record, &Dimming::default(), observer)?;
        let job = Job { input, model, keep, base: &base };
        let bin = match self.bin {
            Some(ns) => ((ns * 1000.0).round() as u64).max(1),
            None => base.makespan().div_ceil(BINS).max(1),
        };
        let (mut tried, mut left_out) = (Vec::with_capacity(self.specs.len()), Vec::<Error>::new());
        let mut notes = Vec::new();
        for spec in &self.specs {
            if let Some(why) = too_short(spec, &job).map_err(|e| e.at(spec.place()))? {
                // What is too short can be repeated: notes tell by which option, errors do not.
                notes.push(format!("policy {} is left out: {why} with --iterations", spec.spec()));
                left_out.push(why.at(spec.place()));
                continue;
            }
            let Planned { mut dimming, notes } = plan(spec, &job, observer).map_err(|e| e.at(spec.place()))?;
            dimming.bin = Some(bin);
            let record = Record { watch: Some(Watch { bin, links: Vec::new() }), critical: false };
            let done = replay_dimmed(input, &record, &dimming, observer)?;
            let effect = Effect::new(fabric, model, &base, (&dimming, &done), Some(bin));
            tried.push(PolicyTried {
                policy: spec.spec(),
                all_on_s: base.makespan() as f64 * 1e-12,
                makespan_s: done.makespan() as f64 * 1e-12,
                all_on_joules: effect.all_on_joules,
                dark_switches: effect.dark_switches,
                machine_saving: effect.machine_saving,
                energy: effect.energy,
                bin_s: bin as f64 * 1e-12,
                notes,
            });
        }
        // Where nothing is left to be shown, the reason is the answer.
        match left_out.into_iter().next() {
            Some(why) if tried.is_empty() => Err(why),
            _ => Ok(PoliciesTried { tried, notes }),
        }
    }
}
