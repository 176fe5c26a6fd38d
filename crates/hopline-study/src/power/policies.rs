//! A runtime system at work: policies tried in replays of three applications,
//! what they save and cost, and watts over time.

use super::links::percs_of;
use super::{DIRECT, ours};
use crate::machine::Machine;
use crate::{Figure, Finding, Key, Point, Series};
use hopline::error::{Place, Result};
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::params::Params;
use hopline::power::{Keep, Model, no_params};
use hopline::replay;
use hopline::run::{Policies, PolicyTried};

const ITEM: &str = "Section IV, dynamic: percent saved by policies in a replay, 64 nodes of PERCS";
const CLAIMS: &str = "Section IV: claims";

/// An application in steps of 2 ms of computation, and the policies that suit it.
struct Case {
    name: &'static str,
    schedule: &'static str,
    policies: &'static [&'static str],
}

/// `iterations=0` is hardware alone, without a guard.
const STEPS: &[&str] =
    &["static", "learn", "threshold:iterations=0", "threshold", "predict:iterations=0", "predict", "scale"];

const CASES: [Case; 3] = [
    Case { name: "MILC", schedule: "milc:grid=4x4x2x2,steps=20,compute=2000000", policies: STEPS },
    Case { name: "jacobi4d", schedule: "halo-steps:grid=4x4x2x2,bytes=64K,steps=20,compute=2000000", policies: STEPS },
    Case {
        name: "ISAM",
        schedule: "isam:bytes=1M,compute=1000000000,ranks=64",
        policies: &["static", "threshold", "scale"],
    },
];

pub(super) fn policies() -> Result<(Vec<Finding>, Vec<Figure>)> {
    let machine = Machine::new(&percs_of(64, 1))?;
    let model = Model::read(&no_params(), &Disk)?;
    let (mut findings, mut figures) = (Vec::new(), Vec::new());
    for case in &CASES {
        let tried = try_case(&machine, &model, case.schedule, case.policies)?;
        for t in &tried {
            let row = [("application", Key::from(case.name)), ("policy", Key::from(t.policy.as_str()))];
            findings.push(ours(ITEM, &row, "of links' energy", 100.0 * (1.0 - t.energy.joules / t.all_on_joules)));
            findings.push(ours(ITEM, &row, "of the machine's", 100.0 * t.machine_saving));
            findings.push(ours(ITEM, &row, "later", 100.0 * (t.makespan_s / t.all_on_s - 1.0)));
        }
        match case.name {
            "MILC" => figures.push(over_time(case.name, &tried)),
            "ISAM" => {
                let most = tried.iter().map(|t| 100.0 * t.machine_saving).fold(0.0, f64::max);
                let says = "percent of the machine's energy saved by a data-parallel job, whole run";
                let holds = (25.5..26.0).contains(&most);
                findings.push(Finding::claim(CLAIMS, says, "almost 26", most, holds).remark(
                    "the broadcast and the reduction at the ends need the links, and those take time to switch",
                ));
                let least = tried.iter().map(least_watts).fold(1.0, f64::min);
                let saved = 100.0 * model.links * model.network * (1.0 - least);
                let says = "percent of the machine's power saved by a data-parallel job while it computes";
                findings.push(ours(CLAIMS, &[], says, saved).remark("all that links take, which the paper has at 26"));
            }
            _ => {}
        }
    }
    Ok((findings, figures))
}

/// A schedule under policies, replayed on a machine.
pub(super) fn try_case(
    machine: &Machine,
    model: &Model,
    schedule: &str,
    policies: &[&str],
) -> Result<Vec<PolicyTried>> {
    let place = Place::new("study", 0);
    let schedule = machine.schedule(schedule)?;
    let routing = machine.routing(DIRECT)?;
    let packets = Params::from_spec("replay:packet=65536,forward=cut", &place)?;
    let policies = Policies {
        specs: policies.iter().map(|spec| Params::from_spec(spec, &place)).collect::<Result<_>>()?,
        schedule: &schedule,
        model: replay::Model::read(&packets)?,
        bin: None,
    };
    let mapping = machine.in_order(schedule.ranks())?;
    Ok(policies.try_all((routing.fabric(), &*routing), &mapping, (model, Keep::default()), &mut Silent)?.tried)
}

/// The least watts of all links in any bin, as a share of all on.
fn least_watts(t: &PolicyTried) -> f64 {
    let rows = || t.energy.timeline.iter();
    let all_on: f64 = rows().map(|r| r.all_on).sum();
    let bins = rows().map(|r| r.watts.len()).min().unwrap_or(0);
    let watts = |bin: usize| rows().map(|r| r.watts[bin]).sum::<f64>();
    (0..bins).map(watts).fold(all_on, f64::min) / all_on
}

/// Watts of all links under each policy, as percent of all on.
fn over_time(name: &str, tried: &[PolicyTried]) -> Figure {
    let percent = |t: &PolicyTried, bin: usize| {
        let rows = || t.energy.timeline.iter();
        let now: f64 = rows().filter_map(|r| r.watts.get(bin)).sum();
        100.0 * now / rows().map(|r| r.all_on).sum::<f64>()
    };
    let bins = |t: &PolicyTried| t.energy.timeline.first().map_or(0, |r| r.watts.len());
    let point = |t: &PolicyTried, bin: usize| Point {
        tick: bin as f64 / 10.0,
        y: percent(t, bin),
        range: None,
        published: None,
    };
    let series =
        |t: &PolicyTried| Series { name: t.policy.clone(), points: (0..bins(t)).map(|bin| point(t, bin)).collect() };
    let most = tried.iter().map(bins).max().unwrap_or(0);
    let bin_s = tried.first().map_or(0.0, |t| t.bin_s);
    Figure {
        name: "watts-over-time".into(),
        title: format!("{name}: watts of all links under policies, 64 nodes of PERCS"),
        x: "time, ms".into(),
        y: "% of all on".into(),
        ticks: (0..=most / 10).map(|t| format!("{:.1}", (t * 10) as f64 * bin_s * 1e3)).collect(),
        log: false,
        series: tried.iter().map(series).collect(),
    }
}
