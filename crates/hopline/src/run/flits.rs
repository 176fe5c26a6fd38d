//! Flits: latency and throughput against offered load.

mod energy;
mod failure;
mod keep;
mod outcome;
mod series;

pub use failure::{FlitsFailure, FlitsLosses, FlitsSpan};
pub use keep::{Forget, Keep};
pub use outcome::{FlitsClass, FlitsOutcome, FlitsPoint};
pub use series::{ClassInterval, FlitsInterval, LinkInterval};

use super::among::same;
use super::{chosen, setting};
use crate::error::{Error, Result};
use crate::event::{Event, Observer, Work};
use crate::fabric::{Fabric, metrics};
use crate::flits::{
    Exchanged, FlitModel, Injection, Measured, Options, Precision, Process, Progress, Simulation, worthwhile,
};
use crate::forwarding::{self, Any, Channel, NOWHERE, Wiring};
use crate::id::{LinkId, VertexId};
use crate::parallel;
use crate::peers::{Alone, Peers, agree, broadcast, first_says};
use crate::plan::{Network, Plan};
use crate::routing;
use failure::Broken;
use keep::Run;
use std::ops::Range;
use std::sync::Arc;

/// What all points share.
struct Bench<'a> {
    plan: &'a Plan,
    options: &'a Options,
    peers: Arc<dyn Peers>,
    /// Of all processes together.
    threads: usize,
    wiring: Arc<Wiring>,
    forwarding: Any,
    broken: Option<Broken>,
    place: Vec<VertexId>,
}

/// Simulates the plan's first mapping at every load of the options:
///
/// ```
/// use hopline::{event::Silent, files::Disk, flits::Options, plan::Plan, scenario::Scenario};
/// use hopline::run::{Forget, flits};
///
/// let scenario = Scenario::default().topology("dragonfly:p=1,a=2,h=1")?.traffic("uniform")?;
/// let options = Options::read(&"flits:load=0.2,warmup=200,cycles=2000".parse()?)?;
/// let outcome = flits(&Plan::new(&scenario, &Disk)?, &options, &mut Forget, &mut Silent)?;
/// let point = &outcome.points[0];
/// assert!((point.accepted - 0.2).abs() < 0.05 && !point.saturated);
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// The same
/// plan and options give the same outcome at any number of threads, and whether
/// or not it was kept and gone on in between.
///
/// # Errors
/// The routing cannot be simulated or can deadlock; the mapping does not fit;
/// the observer says stop before the first load is done (later the loads that are done are the outcome, and a note says so);
/// what was kept cannot be read or is of another run.
pub fn flits(plan: &Plan, options: &Options, keep: &mut dyn Keep, observer: &mut dyn Observer) -> Result<FlitsOutcome> {
    flits_among(plan, options, &(Arc::new(Alone) as Arc<dyn Peers>), keep, observer).map(|(outcome, _)| outcome)
}

/// The same by several processes, each of which has a part of the network and all of the plan; they all have the same
/// outcome, that of [`flits`], and what all have told each other. The first process keeps, and its observer is asked.
/// A routing that looks at the queues of all routers is simulated by the first process alone.
///
/// # Errors
/// Those of [`flits`], of any of them; the processes have different plans or options; one is gone.
pub fn flits_among(
    plan: &Plan,
    options: &Options,
    peers: &Arc<dyn Peers>,
    keep: &mut dyn Keep,
    observer: &mut dyn Observer,
) -> Result<(FlitsOutcome, Exchanged)> {
    let removed = [Some(&plan.network), plan.broken.as_ref()].map(|network| network.map(|n| &n.removed));
    let name = format!("{:?} {removed:?} {options:?} {}", setting(plan), plan.candidates[0].spec);
    same(&**peers, &name)?;
    if options.interval.is_some() && peers.size() > 1 {
        return Err(Error::input("several processes share the simulation, and none sees all that happens over time")
            .hint("leave the intervals out, or let one process simulate alone"));
    }
    let bench = agree(&**peers, Bench::new(plan, options, peers, observer))?;
    let bench = bench.placed()?;
    let loads = if matches!(options.process, Process::Exchange { .. }) { &[1.0][..] } else { &options.loads };
    let all = loads.len();
    let keeps = keep.place().is_some();
    let mut run = Run::resume(name, keep, &**peers)?;
    if options.interval.is_some() && (keeps || run.state.is_some() || !run.points.is_empty()) {
        return Err(Error::input("intervals are recorded from the beginning of a run on, and no kept state has them")
            .hint("leave the intervals out, or keep no state"));
    }
    let (mut exchanged, mut links) = (Exchanged::default(), Vec::new());
    let loads = &loads[run.points.len().min(loads.len())..];
    if let Some(amount) = bench.flit_hops(loads)? {
        observer.event(Event::Work { amount, of: Work::FlitHops });
    }
    let mut left = None;
    for (i, &load) in loads.iter().enumerate() {
        let Simulated { point, links: recorded, exchanged: own } = match bench.point(load, &mut run, observer) {
            Err(e) if e.is_stopped() && !run.points.is_empty() => {
                left = Some(format!("stopped: {} of {all} loads were not simulated to their end", loads.len() - i));
                break;
            }
            done => done?,
        };
        exchanged.add(&own);
        run.points.push(point);
        run.state = None;
        links.extend(recorded);
    }
    let points = run.points;
    let mut about = setting(plan);
    about.notes.extend(unequal(&plan.network.fabric).into_iter().chain(left));
    about.notes.extend(imprecise(&points, options).into_iter().chain(failure::notes(&points, options)));
    let outcome = FlitsOutcome {
        setting: about,
        mapping: plan.candidates[0].spec.clone(),
        router: options.router_spec.clone(),
        inject: options.inject_spec.clone(),
        power: String::new(),
        virtual_channels: bench.setting(1.0)?.vcs().into(),
        confidence: Precision::from(options).confidence,
        failure: failure::told(plan, options),
        points,
        links,
    };
    Ok((outcome, exchanged.of_all(&**peers)?))
}

/// Says at which loads the cycles did not suffice for the precision that was asked for.
fn imprecise(points: &[FlitsPoint], options: &Options) -> Option<String> {
    let precision = options.until?;
    let is_known = |mean: f64, half: Option<f64>| half.is_some_and(|half| half <= precision.relative * mean);
    let is_short = |p: &&FlitsPoint| {
        let known =
            is_known(p.accepted, p.accepted_ci) && p.latency_cycles.is_none_or(|mean| is_known(mean, p.latency_ci));
        !p.saturated && p.deadlock.is_none() && !known
    };
    // An exchange has no load: it is counted to its end.
    let loads: Vec<String> = points.iter().filter(is_short).filter_map(|p| Some(p.load?.to_string())).collect();
    let asked = (precision.relative * 1e5).round() / 1e3;
    (!loads.is_empty()).then(|| {
        format!(
            "not known to {asked} % within {} cycles at loads of {}; more cycles tell more",
            options.cycles,
            loads.join(", ")
        )
    })
}

/// One load.
struct Simulated {
    point: FlitsPoint,
    /// Links by interval, where these are recorded.
    links: Option<Vec<LinkInterval>>,
    /// What this process told others.
    exchanged: Exchanged,
}

/// What a simulation of equal links leaves out of a fabric whose links are not.
fn unequal(fabric: &Fabric) -> Option<String> {
    let classes: Vec<_> = fabric.classes().iter().filter_map(|c| Some((&c.name, c.bandwidth?))).collect();
    let first = classes.first()?.1;
    classes.iter().any(|c| c.1 != first).then(|| {
        let all: Vec<_> =
            classes.iter().map(|(name, bandwidth)| format!("{name} {} GB/s", bandwidth.as_gb_s())).collect();
        format!("every link takes one flit a cycle here, whatever its bandwidth ({})", all.join(", "))
    })
}

/// Refuses a network whose endpoints are not all joined: forwardings lead from each to every other.
fn refuse_apart(fabric: &Fabric, wiring: &Wiring) -> Result<()> {
    let part = metrics::parts(fabric, |_| true);
    let mut ends = (0..fabric.endpoints()).map(VertexId).filter(|v| wiring.home[v.index()] != NOWHERE);
    let Some(first) = ends.next() else { return Ok(()) };
    match ends.find(|v| part[v.index()] != part[first.index()]) {
        None => Ok(()),
        Some(other) => Err(routing::unreachable(fabric, first, other, "no cables join them")
            .hint("flits need a way between any two endpoints; `hopline fabric check` counts pairs without one")),
    }
}

/// Refuses routes by which packets can wait for each other in a circle.
fn refuse_deadlock(network: &Network, wiring: &Wiring, forwarding: &Any) -> Result<()> {
    let Some(cycle) = forwarding::find_deadlock(wiring, forwarding)? else { return Ok(()) };
    let (params, fabric) = (&network.routing_params, &network.fabric);
    let names = names(wiring, fabric, &cycle, 4).join("; ");
    Err(Error::input(format!(
        "routing `{params}` can deadlock on {}: packets wait in a circle, such as {names}",
        fabric.name()
    ))
    .at(params.place())
    .hint(match (routing::takes_vcs(params.kind()), forwarding) {
        (true, _) => "give it a virtual channel for every hop with `vcs=hops`, or choose up-down, which needs one",
        (_, Any::Table(_)) => {
            "packets by tables are simulated on one virtual lane, whatever their service levels say, at which `hopline \
             check` looks; choose up-down, which needs one"
        }
        _ => "choose a routing with enough virtual channels, or up-down, which needs one",
    }))
}

/// At most so many channels by name.
fn names(wiring: &Wiring, fabric: &Fabric, channels: &[Channel], most: usize) -> Vec<String> {
    let name = |c: &Channel| format!("{} VC {}", wiring.port_name(fabric, c.port), c.vc);
    channels.iter().take(most).map(name).collect()
}

impl<'a> Bench<'a> {
    /// What this process needs. The first one finds the mapping and looks for deadlocks, which may take long.
    fn new(
        plan: &'a Plan,
        options: &'a Options,
        peers: &Arc<dyn Peers>,
        observer: &mut dyn Observer,
    ) -> Result<Bench<'a>> {
        let network = &plan.network;
        // First of all, since it knows which machines cannot be simulated.
        let wiring = Arc::new(Wiring::new(&network.fabric, options.router.latency)?);
        refuse_apart(&network.fabric, &wiring)?;
        let first = peers.rank() == 0;
        let chosen = if first { Some(chosen(plan, observer)?) } else { None };
        let (topology, fabric, routing) = (&network.topology, &network.fabric, &*network.routing);
        let context = forwarding::Context { topology, fabric, wiring: &wiring, routing };
        let forwarding = forwarding::build(&network.routing_params, &context)?;
        let place = chosen.map(|c| c.places(network.fabric.hosts())).unwrap_or_default();
        let size = peers.size() as usize;
        let threads = worthwhile(&wiring, parallel::threads() * size).max(size);
        if first {
            refuse_deadlock(network, &wiring, &forwarding)?;
        }
        let broken = Broken::of(plan, options, &wiring, first)?;
        Ok(Bench { plan, options, peers: peers.clone(), threads, wiring, forwarding, broken, place })
    }

    /// With the mapping of the first process, since a search may be one by time, and its number of threads.
    fn placed(self) -> Result<Bench<'a>> {
        let words = self.place.iter().map(|v| v.0).chain([self.threads as u32]);
        let bytes = broadcast(&*self.peers, words.flat_map(u32::to_le_bytes).collect())?;
        let mut place: Vec<VertexId> =
            bytes.chunks_exact(4).map(|b| VertexId(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect();
        let threads = place.pop().map_or(1, |v| v.0 as usize);
        Ok(Bench { place, threads, ..self })
    }

    /// What all loads take together, roughly; nothing where their number of cycles is not known.
    fn flit_hops(&self, loads: &[f64]) -> Result<Option<f64>> {
        let exchange = matches!(self.options.process, Process::Exchange { .. });
        if loads.is_empty() || (self.options.until.is_some() && !exchange) {
            return Ok(None);
        }
        let cycles = u64::from(self.options.warmup) + u64::from(self.options.cycles);
        // What is offered grows with the load.
        let all = self.setting(1.0)?.flit_hops(cycles) * if exchange { 1.0 } else { loads.iter().sum() };
        Ok(Some(all))
    }

    /// What is simulated at a load.
    fn setting(&self, load: f64) -> Result<FlitModel<&Any>> {
        let options = self.options;
        let setting = FlitModel::new(
            self.wiring.clone(),
            &self.forwarding,
            options.router,
            Injection {
                demand: &self.plan.demand,
                place: &self.place,
                process: options.process,
                load,
                seed: self.plan.seed,
            },
        )?;
        match self.broken.as_ref().and_then(|broken| broken.failure(options)) {
            Some(failure) => setting.failing(failure),
            None => Ok(setting),
        }
    }

    /// Simulates one load, from its beginning or from where the run was kept.
    fn point(&self, load: f64, run: &mut Run<'_>, observer: &mut dyn Observer) -> Result<Simulated> {
        let (options, peers) = (self.options, &*self.peers);
        let setting = agree(peers, self.setting(load))?;
        let cycles = u64::from(options.warmup) + u64::from(options.cycles);
        observer.event(Event::Stage { what: format!("load {load}"), steps: cycles });
        let mut simulation = Simulation::among(setting, self.threads, self.peers.clone());
        let state = run.state.take();
        let mut progress = match first_says(peers, state.is_some())? {
            true => {
                let progress = Progress::load(&mut simulation, &state.unwrap_or_default());
                progress.and_then(|p| p.check(simulation.now(), options).map(|()| p)).map_err(|e| run.at(e))?
            }
            false => Progress::default(),
        };
        let mut recorder = self.recorder()?;
        let measured = progress.run(&mut simulation, options, observer, |simulation, progress| {
            if let Some(recorder) = &mut recorder {
                recorder.look(simulation, progress)?;
            }
            if !first_says(peers, run.keep.is_due())? {
                return Ok(());
            }
            let state = progress.save(simulation)?;
            agree(peers, if peers.rank() == 0 { run.save(&state) } else { Ok(()) })
        })?;
        let mut point = self.describe(load, &simulation, &measured)?;
        let intervals = recorder.map(|recorder| recorder.finish(&simulation));
        let senders = simulation.setting().senders();
        point.series = intervals.as_ref().map(|all| all.iter().map(|i| self.interval(i, senders)).collect());
        let links = intervals.map(|all| self.links(&all));
        Ok(Simulated { point, links, exchanged: simulation.exchanged() })
    }

    fn describe(&self, load: f64, simulation: &Simulation<&Any>, measured: &Measured) -> Result<FlitsPoint> {
        let (totals, latencies) = (simulation.totals(), simulation.latencies()?);
        let offered = simulation.setting().offered();
        let exchange = matches!(self.options.process, Process::Exchange { .. });
        let (accepted, latency) = (measured.accepted, measured.latency);
        let below = accepted.mean + accepted.half.min(offered) < 0.99 * offered;
        let losses = self.losses(simulation, measured);
        // What fails makes latency rise, and costs packets: what counts then are cycles in which routes stay the same.
        let saturated = !exchange && measured.saturated.unwrap_or(below || measured.rising);
        let finite = |x: f64| x.is_finite().then_some(x);
        let sent = simulation.sent()?;
        let classes = self.classes(&sent, measured.from..measured.from + measured.cycles);
        let counted = simulation.setting().counts_hops() && measured.flits > 0;
        let link_hops = counted.then(|| measured.hops as f64 / measured.flits as f64);
        Ok(FlitsPoint {
            load: (!exchange).then_some(load),
            offered: (!exchange).then_some(offered),
            accepted: accepted.mean,
            accepted_ci: finite(accepted.half),
            latency_cycles: finite(latency.mean),
            latency_ci: finite(latency.half).filter(|_| !saturated),
            latency_p50: latencies.quantile(0.5),
            latency_p99: latencies.quantile(0.99),
            cycles: measured.cycles,
            flit_hops: totals.hops,
            link_hops: link_hops.map(|hops| hops - 1.0),
            lost: totals.lost,
            saturated,
            classes,
            series: None,
            deadlock: measured
                .deadlock
                .as_ref()
                .map(|cycle| names(&self.wiring, &self.plan.network.fabric, cycle, usize::MAX)),
            failure: losses,
        })
    }

    /// Loads of the links between routers, by class; a cable that fails counts as long as it is there.
    fn classes(&self, sent: &[u32], cycles: Range<u32>) -> Vec<FlitsClass> {
        let fabric = &self.plan.network.fabric;
        let mut classes = Vec::new();
        for (c, class) in (0..).zip(fabric.classes()) {
            let all = (0u32..).zip(self.wiring.ports.iter().zip(sent));
            let own = all.filter(|(_, (p, _))| p.peer != NOWHERE && fabric.class_id(LinkId(p.link)).0 == c);
            let (mut links, mut there, mut sum, mut most) = (0u32, 0u64, 0u64, None);
            for (number, (port, &n)) in own {
                links += 1;
                there += u64::from(self.there(number, &cycles));
                sum += u64::from(n);
                if n > 0 && most.is_none_or(|(m, _)| n > m) {
                    most = Some((n, port.link));
                }
            }
            if links > 0 {
                classes.push(FlitsClass {
                    name: class.name.clone(),
                    mean_load: sum as f64 / there.max(1) as f64,
                    max_load: most.map_or(0.0, |m| f64::from(m.0)) / cycles.len().max(1) as f64,
                    busiest: most.map(|m| fabric.link_name(LinkId(m.1))),
                    flit_hop_nj: None,
                });
            }
        }
        classes
    }
}
