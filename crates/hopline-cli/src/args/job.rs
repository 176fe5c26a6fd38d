//! A job on a machine: what most commands are asked about.

use super::dumps::file_params;
use super::specs::Specs;
use super::{Common, limits};
use crate::inputs::Disk;
use clap::Args as ClapArgs;
use hopline::error::{Error, Place, Result};
use hopline::files::read_text;
use hopline::params::Value;
use hopline::scenario::Scenario;
use hopline_formats::resolve;

/// A machine.
#[derive(Debug, ClapArgs)]
pub(crate) struct Machine {
    /// A real machine: a file, a directory, or cables=FILE,tables=FILE and what else `hopline explain file` takes
    #[arg(long, value_name = "PATH", conflicts_with = "topology")]
    fabric: Option<String>,
    /// A model, such as percs:ns=32,nd=4 (see `hopline list topology`), a file or a directory
    #[arg(long, value_name = "SPEC", value_parser = Specs("topology"))]
    topology: Option<String>,
    /// Slots of each host: tasks that it can run, such as its cores (the same as slots= of the topology)
    #[arg(long, value_name = "N")]
    slots: Option<u32>,
    /// What is inside each host: dgx-h100, mi300x, ... (see `hopline list host`) or a file: NCCL's topology,
    /// lstopo's XML, `nvidia-smi topo -m`
    #[arg(long, value_name = "HOST")]
    inside: Option<String>,
    /// Which adapter of its host a task uses: affine (the one next to it), stripe (all in equal parts) or a number
    #[arg(long, value_name = "RAILS")]
    rails: Option<String>,
    /// Real names of a model's hosts, in their order: node[01-16], a file, or slurm for the allocation one is in
    #[arg(long, value_name = "HOSTS")]
    names: Option<String>,
    /// How it routes; the topology's own routing where left out; several with commas between them for `map`
    #[arg(long, value_name = "SPEC", value_parser = Specs("routing"))]
    routing: Option<String>,
    /// Take out SWITCH[PORT], "A -- B", or all cables of a switch or host; short names and patterns such as
    /// spine* or leaf0[1-4] do; may be repeated
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// The scenario of a sweep's point, in place of a file.
    #[arg(skip)]
    pub(crate) base: Option<Scenario>,
}

/// A job on a machine.
#[derive(Debug, ClapArgs)]
pub(crate) struct Job {
    /// A scenario in TOML; options replace what it says
    scenario: Option<String>,
    #[command(flatten)]
    pub(crate) options: JobOptions,
}

/// A job on a machine, in options.
#[derive(Debug, ClapArgs)]
pub(crate) struct JobOptions {
    #[command(flatten)]
    pub(crate) machine: Machine,
    /// Who sends how much to whom: halo:grid=64x64, a file of any known form, or a schedule (all that it sends)
    #[arg(long, value_name = "SPEC", value_parser = Specs("traffic"))]
    traffic: Option<String>,
    /// Where tasks sit; several with commas between them for `map`
    #[arg(long, value_name = "SPEC", value_parser = Specs("mapping"))]
    mapping: Option<String>,
    /// The allocation: a file of names (each once, or on a line for each slot as in $PBS_NODEFILE), n[001-064,70], random:N, first:N,
    /// @compute (all hosts but those whose names tell of management, login or storage; @compute:build,-head changes the words) or
    /// @partition:NAME:FILE (FILE being what Slurm's sinfo or scontrol prints)
    #[arg(long, value_name = "HOSTS")]
    hosts: Option<String>,
    #[command(flatten)]
    limits: limits::Limits,
}

/// `slurm` is the hosts of the allocation that the command runs in.
fn host_names(text: &str) -> Result<String> {
    match text {
        "slurm" => std::env::var("SLURM_JOB_NODELIST").map_err(|_| {
            Error::input("no Slurm allocation: SLURM_JOB_NODELIST is not set")
                .at(&Place::new("--names", 0))
                .hint("run this inside salloc or sbatch, or give the names: --names 'node[01-16]'")
        }),
        list => Ok(list.to_string()),
    }
}

impl Machine {
    /// The machine of a dump.
    pub(crate) fn at(path: &str) -> Machine {
        Machine {
            fabric: Some(path.to_string()),
            topology: None,
            slots: None,
            inside: None,
            rails: None,
            names: None,
            routing: None,
            without: Vec::new(),
            base: None,
        }
    }

    /// Puts what is given into a scenario.
    fn add_to(&self, mut scenario: Scenario) -> Result<Scenario> {
        if let Some(path) = &self.fabric {
            scenario.topology = Some(file_params(path)?);
        }
        if let Some(spec) = &self.topology {
            scenario = scenario.topology(spec)?;
        }
        if let (Some(slots), Some(topology)) = (self.slots, &mut scenario.topology) {
            topology.push("slots", Value::Int(slots.into()), Place::new("--slots", 0))?;
        }
        for (key, given) in [("inside", &self.inside), ("rails", &self.rails)] {
            if let (Some(given), Some(topology)) = (given, &mut scenario.topology) {
                topology.push(key, Value::from_word(given), Place::new(format!("--{key}"), 0))?;
            }
        }
        if let (Some(names), Some(topology)) = (&self.names, &mut scenario.topology) {
            topology.push("names", Value::Text(host_names(names)?), Place::new("--names", 0))?;
        }
        scenario = self.without.iter().fold(scenario, |s, part| s.without(part));
        match &self.routing {
            Some(spec) => scenario.routing(spec),
            None => Ok(scenario),
        }
    }

    /// The options that say which machine, for a shell.
    pub(crate) fn given(&self) -> String {
        let options = [
            ("fabric", &self.fabric),
            ("topology", &self.topology),
            ("inside", &self.inside),
            ("rails", &self.rails),
            ("names", &self.names),
            ("routing", &self.routing),
        ];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        given.map(|(name, value)| format!("--{name} '{}'", value.replace('\'', "'\\''"))).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn scenario(&self, common: &Common) -> Result<Scenario> {
        let mut scenario = self.add_to(self.base.clone().unwrap_or_default())?;
        resolve(&mut scenario, &Disk)?;
        Ok(common.seeded(scenario))
    }
}

impl Job {
    pub(crate) fn scenario(&self, common: &Common) -> Result<Scenario> {
        let scenario = match &self.scenario {
            None => self.options.machine.base.clone().unwrap_or_default(),
            Some(path) => read_scenario(path)?,
        };
        self.options.add_to(scenario, common)
    }
}

/// A scenario with a schedule from a spec or a path.
pub(crate) fn with_schedule(scenario: Scenario, spec: &str) -> Result<Scenario> {
    let mut scenario = scenario.schedule(spec)?;
    resolve(&mut scenario, &Disk)?;
    Ok(scenario)
}

/// A scenario's file.
pub(crate) fn read_scenario(path: &str) -> Result<Scenario> {
    if path.contains(':') && !path.ends_with(".toml") {
        return Err(Error::input(format!("`{path}` is no scenario file")).hint("give the topology with --topology"));
    }
    Scenario::from_toml(path, &read_text(&Disk, path)?).map_err(|e| match path.ends_with(".toml") {
        true => e,
        false => e.hint(
            "this is read as a scenario in TOML: --topology takes the file of a machine, --traffic that of a job",
        ),
    })
}

impl JobOptions {
    /// Whether any of them is given.
    pub(crate) fn given(&self) -> bool {
        let m = &self.machine;
        [&m.fabric, &m.topology, &m.inside, &m.rails, &m.names, &m.routing, &self.traffic, &self.mapping, &self.hosts]
            .iter()
            .any(|o| o.is_some())
            || m.slots.is_some()
            || !m.without.is_empty()
            || self.limits.given()
    }

    /// Puts what is given into a scenario.
    pub(crate) fn add_to(&self, scenario: Scenario, common: &Common) -> Result<Scenario> {
        let mut scenario = self.machine.add_to(scenario)?;
        if let Some(spec) = &self.traffic {
            scenario = scenario.traffic(spec)?;
        }
        if let Some(specs) = &self.mapping {
            scenario = scenario.mappings(specs)?;
        }
        if let Some(hosts) = &self.hosts {
            scenario = scenario.hosts(hosts);
        }
        self.limits.add_to(&mut scenario);
        resolve(&mut scenario, &Disk)?;
        Ok(common.seeded(scenario))
    }
}
