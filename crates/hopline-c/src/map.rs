//! `hopline_map` and `hopline_evaluate`: tasks onto slots, and what that is worth.

use crate::error::{OK, guard};
use crate::machine::{Machine, NONE};
use crate::tasks::Tasks;
use crate::{given, items, text};
use hopline::demand::Demand;
use hopline::error::{Error, Place, Result};
use hopline::event::{Control, Event, Observer};
use hopline::files::Disk;
use hopline::id::SlotId;
use hopline::loads::Summary;
use hopline::mapping::{self, Context, Kinds, Mapping, Objective, Problem};
use hopline::params::Params;
use rayon::ThreadPoolBuilder;
use std::collections::HashSet;
use std::ffi::{c_char, c_int, c_void};

/// `hopline_options`.
#[repr(C)]
pub struct Options {
    /// A mapping's spec string, or null.
    pub strategy: *const c_char,
    /// Exchanges tried after the strategy.
    pub evaluations: u64,
    /// Seed of every random choice.
    pub seed: u64,
    /// Threads; 0 is one for each core.
    pub threads: u32,
    /// Number of allowed slots.
    pub slots: u32,
    /// The allowed slots, or null.
    pub slot: *const u32,
    /// Per task its slot or `HOPLINE_NONE`, or null.
    pub pin: *const u32,
    /// Asked from time to time whether to go on, or null.
    pub go_on: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    /// Handed to `go_on`.
    pub user: *mut c_void,
    /// What makes a mapping better, or null.
    pub objective: *const c_char,
    /// Number of forbidden slots.
    pub forbidden: u32,
    /// The forbidden slots, or null.
    pub forbid: *const u32,
}

/// `hopline_result`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcome {
    /// Bytes x hops.
    pub hop_bytes: f64,
    /// Bytes over the busiest link between routers.
    pub max_load: f64,
    /// For so long the busiest link is busy.
    pub seconds: f64,
    /// A proven lower bound on `seconds`, or 0.
    pub bound: f64,
    /// Throughput, or 0.
    pub gb_s: f64,
    /// Exchanges that were tried after the strategy.
    pub evaluations: u64,
    /// A proven lower bound on `hop_bytes`, or 0.
    pub hop_bound: f64,
}

/// `HOPLINE_UNTIL_STOPPED`.
pub const UNTIL_STOPPED: u64 = u64::MAX;

/// `hopline_map`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_map(
    machine: *const Machine,
    tasks: *const Tasks,
    options: *const Options,
    slot_of: *mut u32,
    result: *mut Outcome,
) -> c_int {
    let work = || {
        // SAFETY: the caller's promise.
        let (machine, tasks) = unsafe { (given(machine, "machine")?, given(tasks, "tasks")?) };
        if slot_of.is_null() && tasks.count > 0 {
            return Err(Error::input("`slot_of` is NULL"));
        }
        // SAFETY: the caller's promise.
        let demand = unsafe { tasks.demand() }?;
        let default = Options::default();
        // SAFETY: the caller's promise.
        let options = if options.is_null() { &default } else { unsafe { given(options, "options") }? };
        // SAFETY: the caller's promise.
        let job = unsafe { Job::new(machine, &demand, options) }?;
        let wanted = !result.is_null();
        let (mapping, outcome) = on_threads(options.threads, || {
            let (mapping, evaluations) = job.map()?;
            let outcome = if wanted { evaluate(&job.problem()?, &mapping)? } else { Outcome::default() };
            Ok((mapping, Outcome { evaluations, ..outcome }))
        })?;
        let places: Vec<u32> = (0..mapping.tasks()).map(|t| mapping.slot(t).0).collect();
        // SAFETY: the caller's promise: room for a slot of every task.
        unsafe { slot_of.copy_from(places.as_ptr(), places.len()) };
        if wanted {
            // SAFETY: not null; the rest is the caller's promise.
            unsafe { result.write(outcome) };
        }
        Ok(OK)
    };
    guard(work).unwrap_or_else(|code| code)
}

/// `hopline_evaluate`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_evaluate(
    machine: *const Machine,
    tasks: *const Tasks,
    slot_of: *const u32,
    result: *mut Outcome,
) -> c_int {
    let work = || {
        // SAFETY: the caller's promise.
        let (machine, tasks) = unsafe { (given(machine, "machine")?, given(tasks, "tasks")?) };
        if result.is_null() {
            return Err(Error::input("`result` is NULL"));
        }
        // SAFETY: the caller's promise.
        let (demand, places) = unsafe { (tasks.demand()?, items(slot_of, tasks.count as usize, "slot_of")?) };
        let all: Vec<SlotId> = (0..machine.fabric.hosts().slots()).map(SlotId).collect();
        let mapping = Mapping::new(places.iter().copied().map(SlotId).collect(), &machine.fabric)?;
        let problem = Problem::new(&demand, &*machine.routing, &all)?;
        let outcome = on_threads(1, || evaluate(&problem, &mapping))?;
        // SAFETY: not null; the rest is the caller's promise.
        unsafe { result.write(outcome) };
        Ok(OK)
    };
    guard(work).unwrap_or_else(|code| code)
}

fn evaluate(problem: &Problem<'_>, mapping: &Mapping) -> Result<Outcome> {
    let loads = problem.loads(mapping)?;
    let summary = Summary::new(problem.demand(), &loads, problem.fabric());
    Ok(Outcome {
        hop_bytes: summary.hop_bytes,
        max_load: summary.max_load,
        seconds: summary.seconds.unwrap_or(0.0),
        bound: mapping::bound(problem).map_or(0.0, |bound| bound.busy / 1e9),
        gb_s: summary.throughput_gb_s.unwrap_or(0.0),
        evaluations: 0,
        hop_bound: mapping::hop_bound(problem).unwrap_or(0.0),
    })
}

/// Works on threads of its own, which have ended when it returns.
fn on_threads<T: Send>(threads: u32, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    let builder = ThreadPoolBuilder::new().num_threads(threads as usize);
    let done = builder.build_scoped(|thread| thread.run(), |pool| pool.install(work));
    done.map_err(|e| Error::failed(format!("cannot start {threads} threads: {e}")))?
}

impl Default for Options {
    /// `HOPLINE_OPTIONS_INIT`.
    fn default() -> Self {
        Options {
            strategy: std::ptr::null(),
            evaluations: 0,
            seed: 0,
            threads: 1,
            slots: 0,
            slot: std::ptr::null(),
            pin: std::ptr::null(),
            go_on: None,
            user: std::ptr::null_mut(),
            objective: std::ptr::null(),
            forbidden: 0,
            forbid: std::ptr::null(),
        }
    }
}

/// What is to be mapped, checked.
struct Job<'a> {
    machine: &'a Machine,
    demand: &'a Demand,
    slots: Vec<SlotId>,
    kinds: Option<Kinds>,
    objective: Objective,
    spec: &'a str,
    evaluations: u64,
    seed: u64,
    go_on: GoOn,
}

impl<'a> Job<'a> {
    /// # Safety
    /// What the options point to is as the header says.
    unsafe fn new(machine: &'a Machine, demand: &'a Demand, options: &'a Options) -> Result<Job<'a>> {
        let spec = match options.strategy.is_null() {
            true => "multilevel",
            // SAFETY: the caller's promise.
            false => unsafe { text(options.strategy, "strategy") }?,
        };
        let all = machine.fabric.hosts().slots();
        let mut slots: Vec<SlotId> = match options.slot.is_null() {
            true => (0..all).map(SlotId).collect(),
            false => {
                // SAFETY: the caller's promise.
                let slots = unsafe { items(options.slot, options.slots as usize, "slot") }?;
                slots.iter().copied().map(SlotId).collect()
            }
        };
        // A mapping of slots onto themselves finds those that are not there, or twice.
        Mapping::new(slots.clone(), &machine.fabric).map_err(|_| {
            Error::input(format!("`slot` names a slot twice, or one that the machine's {all} slots do not hold"))
        })?;
        if !options.forbid.is_null() {
            // SAFETY: the caller's promise.
            let forbid = unsafe { items(options.forbid, options.forbidden as usize, "forbid") }?;
            if let Some(slot) = forbid.iter().find(|slot| **slot >= all) {
                return Err(Error::input(format!("`forbid` names slot {slot}, and the machine has {all}")));
            }
            let forbid: HashSet<u32> = forbid.iter().copied().collect();
            slots.retain(|slot| !forbid.contains(&slot.0));
        }
        let objective = match options.objective.is_null() {
            true => Objective::default(),
            // SAFETY: the caller's promise.
            false => Objective::read(unsafe { text(options.objective, "objective") }?, &Place::new("objective", 0))?,
        };
        let kinds = match options.pin.is_null() {
            true => None,
            false => {
                // SAFETY: the caller's promise.
                let pins = unsafe { items(options.pin, demand.tasks() as usize, "pin") }?;
                let pins = (0..).zip(pins).filter(|pin| *pin.1 != NONE).map(|(task, &slot)| (task, SlotId(slot)));
                let pins: Vec<_> = pins.collect();
                Some(Kinds::pinned(demand.tasks(), &slots, &pins, &machine.fabric)?)
            }
        };
        if options.evaluations == UNTIL_STOPPED && options.go_on.is_none() {
            return Err(Error::input("`evaluations` is HOPLINE_UNTIL_STOPPED, but `go_on` is NULL"));
        }
        let go_on = GoOn { ask: options.go_on, user: options.user, stopped: false };
        let Options { evaluations, seed, .. } = *options;
        Ok(Job { machine, demand, slots, kinds, objective, spec, evaluations, seed, go_on })
    }

    fn problem(&self) -> Result<Problem<'_>> {
        let problem = Problem::new(self.demand, &*self.machine.routing, &self.slots)?;
        Ok(problem.with_objective(&self.objective).with_kinds(self.kinds.as_ref()))
    }

    /// The mapping, and the exchanges tried after the strategy.
    fn map(&self) -> Result<(Mapping, u64)> {
        let problem = self.problem()?;
        let mut go_on = self.go_on;
        let mut found = self.run(self.spec, &problem, &mut go_on);
        if go_on.stopped && found.as_ref().is_err_and(|e| !e.is_input()) {
            // Stopped before it had any: the launcher's order.
            found = self.run("default", &problem, &mut go_on);
        }
        let found = found?;
        let allowed: HashSet<SlotId> = self.slots.iter().copied().collect();
        if let Some(task) = (0..found.tasks()).find(|&t| !allowed.contains(&found.slot(t))) {
            return Err(Error::input(format!("`{}` puts task {task} into a slot that is not allowed", self.spec)));
        }
        if self.evaluations == 0 || go_on.stopped {
            return Ok((found, 0));
        }
        let limit = Some(self.evaluations).filter(|&n| n != UNTIL_STOPPED);
        let mut context = Context::new(self.seed, "search", &mut go_on);
        mapping::improve(&problem, &[found], limit, &mut context)
    }

    fn run(&self, spec: &str, problem: &Problem<'_>, go_on: &mut GoOn) -> Result<Mapping> {
        let strategy = mapping::build(&Params::from_spec(spec, &Place::new("strategy", 0))?, &Disk)?;
        strategy.map(problem, &mut Context::new(self.seed, spec, go_on))
    }
}

/// Asks the caller whether to go on; once the answer was no, not again.
#[derive(Clone, Copy)]
struct GoOn {
    ask: Option<unsafe extern "C" fn(*mut c_void) -> c_int>,
    user: *mut c_void,
    stopped: bool,
}

// SAFETY: the header says that `go_on` is called from threads of the library,
// one at a time; what `user` points to is the caller's.
unsafe impl Send for GoOn {}
// SAFETY: a shared `GoOn` is only copied; calls need a mutable one.
unsafe impl Sync for GoOn {}

impl Observer for GoOn {
    fn event(&mut self, _: Event) -> Control {
        if let Some(ask) = self.ask
            && !self.stopped
        {
            // SAFETY: the caller gave the function together with what it takes.
            self.stopped = unsafe { ask(self.user) } == 0;
        }
        if self.stopped { Control::Stop } else { Control::Continue }
    }
}
