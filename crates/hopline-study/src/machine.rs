//! A machine on which a study evaluates many mappings: built once.

use hopline::demand::Demand;
use hopline::error::{Place, Result};
use hopline::event::Silent;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::forwarding::{self, Any, Wiring};
use hopline::id::{SlotId, VertexId};
use hopline::loads::Summary;
use hopline::mapping::{self, Context, Mapping, Problem};
use hopline::params::Params;
use hopline::routing::{self, Routing};
use hopline::schedule::{self, Schedule};
use hopline::topology::{self, Topology};
use hopline::traffic;
use std::sync::Arc;

/// A topology with all its slots.
pub(super) struct Machine {
    topology: Topology,
    fabric: Arc<Fabric>,
    slots: Vec<SlotId>,
}

fn params(spec: &str) -> Result<Params> {
    Params::from_spec(spec, &Place::new("study", 0))
}

impl Machine {
    pub(super) fn new(topology: &str) -> Result<Machine> {
        let (topology, fabric) = topology::build(&params(topology)?, &Disk)?;
        let slots = (0..fabric.hosts().slots()).map(SlotId).collect();
        Ok(Machine { topology, fabric: Arc::new(fabric), slots })
    }

    pub(super) fn routing(&self, spec: &str) -> Result<Box<dyn Routing>> {
        routing::build(&params(spec)?, &self.topology, &self.fabric, &Disk)
    }

    pub(super) fn job(&self, traffic: &str) -> Result<Demand> {
        let context = traffic::Context { fabric: &self.fabric, slots: self.fabric.hosts().slots(), files: &Disk };
        Ok(traffic::build(&params(traffic)?, &context)?.demand)
    }

    /// Who sends what after what.
    pub(super) fn schedule(&self, spec: &str) -> Result<Schedule> {
        let context = traffic::Context { fabric: &self.fabric, slots: self.fabric.hosts().slots(), files: &Disk };
        Ok(schedule::build(&params(spec)?, &context)?.schedule)
    }

    /// Task t in slot t.
    pub(super) fn in_order(&self, tasks: u32) -> Result<Mapping> {
        Mapping::new((0..tasks).map(SlotId).collect(), &self.fabric)
    }

    /// What a job comes to under one mapping.
    pub(super) fn evaluate(&self, routing: &dyn Routing, job: &Demand, mapping: &str, seed: u64) -> Result<Summary> {
        let problem = Problem::new(job, routing, &self.slots)?;
        let loads = problem.loads(&chosen(&problem, mapping, seed)?)?;
        Ok(Summary::new(job, &loads, &self.fabric))
    }

    /// What a job comes to where task t sits in `slots[t]`.
    pub(super) fn summary(&self, routing: &dyn Routing, job: &Demand, slots: Vec<SlotId>) -> Result<Summary> {
        let mapping = Mapping::new(slots, &self.fabric)?;
        let loads = Problem::new(job, routing, &self.slots)?.loads(&mapping)?;
        Ok(Summary::new(job, &loads, &self.fabric))
    }

    /// Where the tasks of a job sit under one mapping.
    pub(super) fn places(
        &self,
        routing: &dyn Routing,
        job: &Demand,
        mapping: &str,
        seed: u64,
    ) -> Result<Vec<VertexId>> {
        let problem = Problem::new(job, routing, &self.slots)?;
        Ok(chosen(&problem, mapping, seed)?.places(self.fabric.hosts()))
    }

    /// The network as flits see it, links of one cycle, and how a routing forwards there.
    pub(super) fn hops(&self, routing: &str) -> Result<(Arc<Wiring>, Any)> {
        let wiring = Arc::new(Wiring::new(&self.fabric, 1)?);
        let paths = self.routing(routing)?;
        let (topology, fabric) = (&self.topology, &self.fabric);
        let context = forwarding::Context { topology, fabric, wiring: &wiring, routing: &*paths };
        let forwarding = forwarding::build(&params(routing)?, &context)?;
        Ok((wiring, forwarding))
    }

    /// The throughput in GB/s that no mapping of a job exceeds; `None` where no bound is known.
    pub(super) fn bound(&self, routing: &dyn Routing, job: &Demand) -> Result<Option<f64>> {
        let problem = Problem::new(job, routing, &self.slots)?;
        let sent_per_host = job.mean_sent() * self.fabric.hosts().mean_slots();
        Ok(mapping::bound(&problem).map(|bound| sent_per_host / bound.busy))
    }

    /// The throughput in GB/s that no rearrangement of a mapping inside the parts
    /// of a level exceeds.
    pub(super) fn inner_bound(
        &self,
        routing: &dyn Routing,
        job: &Demand,
        mapping: &str,
        level: &str,
    ) -> Result<Option<f64>> {
        let problem = Problem::new(job, routing, &self.slots)?;
        let strategy = mapping::build(&params(mapping)?, &Disk)?;
        let mut silent = Silent;
        let mut context = Context::new(0, mapping, &mut silent);
        let busy = mapping::inner_bound(&problem, &strategy.map(&problem, &mut context)?, level)?;
        let sent_per_host = job.mean_sent() * self.fabric.hosts().mean_slots();
        Ok(busy.filter(|busy| *busy > 0.0).map(|busy| sent_per_host / busy))
    }
}

fn chosen(problem: &Problem<'_>, mapping: &str, seed: u64) -> Result<Mapping> {
    let strategy = mapping::build(&params(mapping)?, &Disk)?;
    strategy.map(problem, &mut Context::new(seed, mapping, &mut Silent))
}
