//! Flits: latency and throughput against offered load.

mod series;

pub use series::{ClassInterval, FlitsInterval, LinkInterval};

use super::{Setting as About, chosen, setting};
use crate::error::{Error, Result};
use crate::event::{Event, Observer};
use crate::fabric::Fabric;
use crate::flits::{
    Measured, Options, Precision, Process, Progress, Setting, Simulation, head, open, seal, worthwhile,
};
use crate::forwarding::{self, Any, Channel, Forwarding as _, NOWHERE, Wiring};
use crate::id::{LinkId, VertexId};
use crate::parallel;
use crate::plan::Plan;
use crate::routing;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Latency and throughput against offered load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsOutcome {
    /// What it was about.
    #[serde(flatten)]
    pub setting: About,
    /// The mapping.
    pub mapping: String,
    /// Keys of the router that were given; the others have their defaults.
    pub router: String,
    /// The injection process.
    pub inject: String,
    /// Virtual channels of every port.
    pub virtual_channels: u32,
    /// Probability with which the true means lie within the `_ci` of the measured ones.
    pub confidence: f64,
    /// One per load.
    pub points: Vec<FlitsPoint>,
    /// Every link over time, one list per load that was simulated now; empty where no intervals were recorded.
    #[serde(skip)]
    pub links: Vec<Vec<LinkInterval>>,
}

/// One load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsPoint {
    /// Flits per cycle that the endpoint that sends most generates; null for an exchange.
    pub load: Option<f64>,
    /// Flits per cycle and sender that are generated on average; null for an exchange.
    pub offered: Option<f64>,
    /// Flits per cycle and sender that arrive.
    pub accepted: f64,
    /// Half width of its confidence interval; null with too few batches, and for an exchange, which is counted whole.
    pub accepted_ci: Option<f64>,
    /// Mean cycles from a packet's generation to the arrival of its last flit;
    /// null where none arrived. In saturation it grows with the run.
    pub latency_cycles: Option<f64>,
    /// Half width of its confidence interval; null with too few batches, for an exchange, and in saturation.
    pub latency_ci: Option<f64>,
    /// Median, within 1/64.
    pub latency_p50: Option<u32>,
    /// 99 of 100 packets are not slower, within 1/64.
    pub latency_p99: Option<u32>,
    /// Cycles measured, after the warm-up; of an exchange all until the last packet has arrived.
    pub cycles: u32,
    /// Flits that went through a router, times routers, in the whole run.
    pub flit_hops: u64,
    /// Links between routers per delivered flit, of those delivered while measured; null where none was, or where
    /// paths may be too long to be counted.
    pub link_hops: Option<f64>,
    /// Packets that were lost because the queue of their endpoint was full.
    pub lost: u64,
    /// Accepted is below offered beyond its confidence interval and 1 %, or the latency still rises at the end.
    pub saturated: bool,
    /// By class of links.
    pub classes: Vec<FlitsClass>,
    /// What happened over time, from the first cycle; left out where no intervals were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Vec<FlitsInterval>>,
    /// Channels whose packets wait for each other for ever; null where all is well.
    pub deadlock: Option<Vec<String>>,
}

/// Links of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct FlitsClass {
    /// The class.
    pub name: String,
    /// Flits per cycle and link.
    pub mean_load: f64,
    /// Flits per cycle of the busiest link.
    pub max_load: f64,
    /// That link; null where none carries anything.
    pub busiest: Option<String>,
}

/// Where a long run keeps what it has, so that it can be killed and go on.
pub trait Keep {
    /// What was kept before, if anything; of what does not begin with `head` the
    /// beginning is enough.
    ///
    /// # Errors
    /// It cannot be read, or nothing could be kept there.
    fn load(&mut self, head: &[u8]) -> Result<Option<Vec<u8>>>;

    /// Whether it is time to keep the state.
    fn is_due(&mut self) -> bool;

    /// Keeps the state in place of what was kept before.
    ///
    /// # Errors
    /// It cannot be written.
    fn save(&mut self, state: &[u8]) -> Result<()>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forget;

impl Keep for Forget {
    fn load(&mut self, _: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }

    fn is_due(&mut self) -> bool {
        false
    }

    fn save(&mut self, _: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// What is kept of a run: points that are done, and the state of the next.
struct Run<'a> {
    /// What tells it from other runs.
    name: String,
    keep: &'a mut dyn Keep,
    points: Vec<FlitsPoint>,
    state: Option<Vec<u8>>,
}

impl<'a> Run<'a> {
    fn resume(name: String, keep: &'a mut dyn Keep) -> Result<Run<'a>> {
        let (mut points, mut state) = (Vec::new(), None);
        if let Some(bytes) = keep.load(&head(&name))?
            && let [done, next] = open(&name, &bytes)?[..]
        {
            let damaged =
                |e: serde_json::Error| Error::input(format!("the checkpoint cannot be read: {e}")).caused_by(e);
            points = serde_json::from_slice(done).map_err(damaged)?;
            state = Some(next.to_vec());
        }
        Ok(Run { name, keep, points, state })
    }

    fn save(&mut self, state: &[u8]) -> Result<()> {
        let done = serde_json::to_vec(&self.points)
            .map_err(|e| Error::failed(format!("cannot write JSON: {e}")).caused_by(e))?;
        self.keep.save(&seal(&self.name, &[&done, state]))
    }
}

/// What all points share.
struct Bench<'a> {
    plan: &'a Plan,
    options: &'a Options,
    wiring: Arc<Wiring>,
    forwarding: Any,
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
/// the observer says stop; what was kept cannot be read or is of another run.
pub fn flits(plan: &Plan, options: &Options, keep: &mut dyn Keep, observer: &mut dyn Observer) -> Result<FlitsOutcome> {
    let network = &plan.network;
    // First of all, since it knows which machines cannot be simulated.
    let wiring = Arc::new(Wiring::new(&network.fabric, options.router.latency)?);
    let candidate = &plan.candidates[0];
    let chosen = chosen(plan, observer)?;
    let (topology, fabric, routing) = (&network.topology, &network.fabric, &*network.routing);
    let context = forwarding::Context { topology, fabric, wiring: &wiring, routing };
    let forwarding = forwarding::build(&network.routing_params, &context)?;
    let place = chosen.places(network.fabric.hosts());
    let bench = Bench { plan, options, wiring, forwarding, place };
    bench.refuse_deadlock()?;
    let loads = if matches!(options.process, Process::Exchange { .. }) { &[1.0][..] } else { &options.loads };
    let mut run = Run::resume(format!("{:?} {options:?} {}", setting(plan), candidate.spec), keep)?;
    if options.interval.is_some() && (run.state.is_some() || !run.points.is_empty()) {
        return Err(Error::input("intervals can only be recorded from the beginning of a run")
            .hint("leave the intervals out, or begin anew without the state that was kept"));
    }
    let mut links = Vec::new();
    for &load in &loads[run.points.len().min(loads.len())..] {
        let (point, recorded) = bench.point(load, &mut run, observer)?;
        run.points.push(point);
        run.state = None;
        links.extend(recorded);
    }
    let points = run.points;
    let mut about = setting(plan);
    about.notes.extend(unequal(fabric));
    Ok(FlitsOutcome {
        setting: about,
        mapping: candidate.spec.clone(),
        router: options.router_spec.clone(),
        inject: options.inject_spec.clone(),
        virtual_channels: u32::from(bench.forwarding.vcs()) * u32::from(options.router.lanes),
        confidence: Precision::from(options).confidence,
        points,
        links,
    })
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

impl Bench<'_> {
    fn refuse_deadlock(&self) -> Result<()> {
        let Some(cycle) = forwarding::find_deadlock(&self.wiring, &self.forwarding)? else { return Ok(()) };
        let names = self.names(&cycle, 4).join("; ");
        let (params, fabric) = (&self.plan.network.routing_params, self.plan.network.fabric.name());
        Err(Error::input(format!(
            "routing `{params}` can deadlock on {fabric}: packets wait in a circle, such as {names}"
        ))
        .at(params.place())
        .hint(match routing::takes_vcs(params.kind()) {
            true => "give it a virtual channel for every hop with `vcs=hops`, or choose up-down, which needs one",
            false => "choose a routing with enough virtual channels, or up-down, which needs one",
        }))
    }

    /// At most so many channels by name.
    fn names(&self, channels: &[Channel], most: usize) -> Vec<String> {
        let name = |c: &Channel| format!("{} VC {}", self.wiring.port_name(&self.plan.network.fabric, c.port), c.vc);
        channels.iter().take(most).map(name).collect()
    }

    /// Simulates one load, from its beginning or from where the run was kept.
    fn point(
        &self,
        load: f64,
        run: &mut Run<'_>,
        observer: &mut dyn Observer,
    ) -> Result<(FlitsPoint, Option<Vec<LinkInterval>>)> {
        let options = self.options;
        let setting = Setting::new(
            self.wiring.clone(),
            &self.forwarding,
            (options.router, options.process),
            (&self.plan.demand, &self.place),
            (load, self.plan.seed),
        )?;
        let cycles = u64::from(options.warmup) + u64::from(options.cycles);
        observer.event(Event::Stage { what: format!("load {load}"), steps: cycles });
        let mut simulation = Simulation::new(setting, worthwhile(&self.wiring, parallel::threads()));
        let mut progress = match run.state.take() {
            Some(state) => Progress::load(&mut simulation, &state)?,
            None => Progress::default(),
        };
        let mut recorder = self.recorder()?;
        let measured = progress.run(&mut simulation, options, observer, |simulation, progress| {
            if let Some(recorder) = &mut recorder {
                recorder.look(simulation, progress);
            }
            if run.keep.is_due() { run.save(&progress.save(simulation)) } else { Ok(()) }
        })?;
        let mut point = self.describe(load, &simulation, &measured);
        let intervals = recorder.map(|recorder| recorder.finish(&simulation));
        let senders = simulation.setting().senders();
        point.series = intervals.as_ref().map(|all| all.iter().map(|i| self.interval(i, senders)).collect());
        Ok((point, intervals.map(|all| self.links(&all))))
    }

    fn describe(&self, load: f64, simulation: &Simulation<&Any>, measured: &Measured) -> FlitsPoint {
        let (totals, latencies) = (simulation.totals(), simulation.latencies());
        let offered = simulation.setting().offered();
        let exchange = matches!(self.options.process, Process::Exchange { .. });
        let (accepted, latency) = (measured.accepted, measured.latency);
        let below = accepted.mean + accepted.half.min(offered) < 0.99 * offered;
        let saturated = !exchange && (below || measured.rising);
        let finite = |x: f64| x.is_finite().then_some(x);
        let sent = simulation.sent();
        let classes = self.classes(&sent, measured.cycles);
        let counted = simulation.setting().counts_hops() && measured.flits > 0;
        let link_hops = counted.then(|| measured.hops as f64 / measured.flits as f64);
        FlitsPoint {
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
            deadlock: measured.deadlock.as_ref().map(|cycle| self.names(cycle, usize::MAX)),
        }
    }

    /// Loads of the links between routers, by class.
    fn classes(&self, sent: &[u32], cycles: u32) -> Vec<FlitsClass> {
        let fabric = &self.plan.network.fabric;
        let mut classes = Vec::new();
        for (c, class) in (0..).zip(fabric.classes()) {
            let own = self
                .wiring
                .ports
                .iter()
                .zip(sent)
                .filter(|(p, _)| p.peer != NOWHERE && fabric.class_id(LinkId(p.link)).0 == c);
            let (mut links, mut sum, mut most) = (0u32, 0u64, None);
            for (port, &n) in own {
                links += 1;
                sum += u64::from(n);
                if n > 0 && most.is_none_or(|(m, _)| n > m) {
                    most = Some((n, port.link));
                }
            }
            if links > 0 {
                let per_cycle = |n: f64| n / f64::from(cycles.max(1));
                classes.push(FlitsClass {
                    name: class.name.clone(),
                    mean_load: per_cycle(sum as f64 / f64::from(links)),
                    max_load: per_cycle(most.map_or(0.0, |m| f64::from(m.0))),
                    busiest: most.map(|m| fabric.link_name(LinkId(m.1))),
                });
            }
        }
        classes
    }
}
