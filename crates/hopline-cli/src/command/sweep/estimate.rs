//! What a point may take, before it is computed: told from its machine and options, and no more than a guide.

use super::Sweep;
use crate::args::{Args, Command, with_schedule};
use crate::inputs::Disk;
use hopline::error::{Error, Place, Result};
use hopline::flits;
use hopline::plan::Plan;
use hopline::run;
use hopline::schedule::collective::sized;
use hopline::schedule::{Bytes, Limit, Size as Schedule};
use hopline::topology;
use hopline_sweep::grid::Request;
use std::collections::HashMap;
use std::sync::Mutex;

/// Work and memory of a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    /// In no unit: twice the work takes about twice the time.
    pub(super) work: f64,
    /// Bytes.
    pub(super) bytes: u64,
}

/// Links, endpoints and slots of a machine.
#[derive(Debug, Clone, Copy)]
struct Size {
    links: f64,
    endpoints: f64,
    slots: f64,
}

/// Sizes of machines and schedules by what is written of them, each built once.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    machines: Mutex<HashMap<String, Option<Size>>>,
    schedules: Mutex<HashMap<String, Option<Schedule>>>,
}

impl Sizes {
    fn of(&self, request: &Request) -> Option<Size> {
        let params = request.scenario.topology.as_ref()?;
        let spec = params.spec();
        if let Some(known) = self.machines.lock().ok()?.get(&spec) {
            return *known;
        }
        let size = topology::build(params, &Disk).ok().map(|(_, fabric)| Size {
            links: fabric.links() as f64,
            endpoints: f64::from(fabric.endpoints()),
            slots: f64::from(fabric.hosts().slots()),
        });
        self.machines.lock().ok()?.insert(spec, size);
        size
    }
}

impl Sizes {
    /// The largest schedule of a point; `None` where it has none, or none that can be drawn.
    fn schedule(&self, args: &Args, slots: f64) -> Option<Schedule> {
        match &args.command {
            Command::Replay { job, options } => {
                let mut scenario = job.scenario(&args.common).ok()?;
                if let Some(spec) = &options.schedule {
                    scenario = with_schedule(scenario, spec).ok()?;
                }
                let written = scenario.schedule.as_ref()?.spec();
                let key = format!("{written} on {:?} {:?}", scenario.topology, scenario.hosts);
                if let Some(known) = self.schedules.lock().ok()?.get(&key) {
                    return *known;
                }
                let drawn = Plan::for_schedule_within(&scenario, &Disk, Limit::default());
                let size = drawn.ok().map(|(_, schedule)| schedule.size());
                self.schedules.lock().ok()?.insert(key, size);
                size
            }
            Command::Collective(asked) if !asked.options.bound => {
                let (name, options) = (asked.name.as_ref()?, &asked.options);
                let words = options.algorithm.iter().flat_map(|words| words.split(',')).map(|w| w.trim().to_string());
                let (_, algorithms) = run::algorithms(name, &words.collect::<Vec<_>>()).ok()?;
                let ranks = options.ranks.unwrap_or(slots as u32);
                let segment = options.segment.as_ref().map_or(Some(0), |text| Some(text.parse::<Bytes>().ok()?.0))?;
                let cores = options.cores.unwrap_or(1);
                let largest = options.sizes().ok()?.into_iter().max()?;
                let keys = hopline::schedule::collective::Keys { k: options.k, segment, ..sized(largest, cores) };
                let most = algorithms.iter().map(|algorithm| algorithm.messages(ranks, &keys)).max()?;
                Some(Schedule::new(ranks, most))
            }
            _ => None,
        }
    }
}

/// What each link and slot takes: measured on machines of 5,000 to 160,000 links, and rounded up.
const LINK_BYTES: f64 = 400.0;
const SLOT_BYTES: f64 = 600.0;
/// Buffers and queues of a simulation, beside its machine.
const FLIT_LINK_BYTES: f64 = 3000.0;
/// Times and lines of packets.
const REPLAY_LINK_BYTES: f64 = 240.0;
/// Routes of a pair of slots, and most that are kept.
const PAIR_BYTES: f64 = 160.0;
const MOST_ROUTES: f64 = 400e6;
/// The program itself.
const LEAST_BYTES: f64 = 4e6;

/// What a point may take; `None` where its machine cannot be built.
pub(super) fn of(sweep: &Sweep, number: usize, sizes: &Sizes) -> Option<Estimate> {
    let request = sweep.grid.request(&sweep.points[number], &sweep.base).ok()?;
    let size = sizes.of(&request)?;
    let machine = LEAST_BYTES + size.links * LINK_BYTES + size.slots * SLOT_BYTES;
    Some(match sweep.grid.command.as_str() {
        "flits" => {
            let (loads, cycles) = cycles(&request)?;
            // Every flit costs time, and every link some in each cycle.
            let work =
                cycles * (loads.iter().sum::<f64>() * size.endpoints * 8.0 + loads.len() as f64 * size.links * 0.2);
            Estimate { work, bytes: (machine + size.links * FLIT_LINK_BYTES) as u64 }
        }
        // Strategies and searches look at the job again and again, and some keep the routes of all pairs.
        "map" => {
            let routes = (size.slots * size.slots * PAIR_BYTES).min(MOST_ROUTES);
            Estimate { work: (size.links + size.slots) * 20.0, bytes: (2.0 * machine + routes) as u64 }
        }
        "replay" | "collective" => {
            let args = sweep.swept.args(&request).ok()?;
            let schedule = sizes.schedule(&args, size.slots).unwrap_or(Schedule::new(0, 0));
            let machine = (machine + size.links * REPLAY_LINK_BYTES) as u64;
            let work = size.links + size.slots + schedule.operations as f64;
            Estimate { work, bytes: machine.saturating_add(schedule.bytes()) }
        }
        _ => Estimate { work: size.links + size.slots, bytes: machine as u64 },
    })
}

/// Loads of a simulation, and its cycles with the warm-up.
fn cycles(request: &Request) -> Option<(Vec<f64>, f64)> {
    let mut params = request.scenario.flits.clone().unwrap_or_else(flits::no_options);
    for (parameter, value) in &request.options {
        if ["load", "warmup", "cycles", "until", "inject", "router"].contains(&parameter.name.as_str()) {
            params.replace(&parameter.name, value.clone(), parameter.place.clone()).ok()?;
        }
    }
    let options = flits::Options::read(&params).ok()?;
    // How long a precision takes nobody knows before; seldom all of the cycles that it may take.
    let cycles = if options.until.is_some() { 50_000 } else { options.cycles };
    Some((options.loads.clone(), f64::from(options.warmup) + f64::from(cycles)))
}

/// Bytes that points may take together: what is given, or most of what is free.
pub(super) fn memory(given: Option<&str>) -> Result<u64> {
    match given {
        Some(text) => match text.parse::<Bytes>() {
            Ok(Bytes(bytes)) if bytes > 0 => Ok(bytes),
            _ => Err(Error::input(format!("`{text}` is no size such as 8GB")).at(&Place::new("--memory", 0))),
        },
        None => Ok(crate::args::free_memory().map_or(u64::MAX, |bytes| bytes / 10 * 8)),
    }
}
