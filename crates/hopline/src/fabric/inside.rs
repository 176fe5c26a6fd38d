//! [`Inside`]: what is inside a host: its processors (GPUs, or domains of cores), switches, sockets and adapters, and the
//! links between them.

use crate::unit::Bandwidth;
use rustc_hash::FxHashSet;
use std::fmt;

/// What a part of a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// Runs tasks, and is an endpoint of the fabric: a GPU runs one, a domain of cores one on each core.
    Processor {
        /// Places for tasks.
        slots: u32,
    },
    /// Leads out of the host.
    Adapter {
        /// Of its port; none where nobody says.
        bandwidth: Option<Bandwidth>,
    },
    /// Forwards only: a switch, a bridge, a socket.
    Switch,
}

/// A part of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its name, unique in the host: `gpu0`, `nvswitch`, `mlx5_0`.
    pub name: String,
    /// What it is.
    pub kind: PartKind,
}

/// What joins two parts of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Medium {
    /// NVIDIA's links between GPUs, and to NVSwitches.
    NvLink,
    /// AMD's links between GPUs.
    Xgmi,
    /// NVIDIA's link between a processor and a GPU of one module.
    C2c,
    /// PCI Express.
    Pcie,
    /// Between the NUMA domains of a host: UPI, Infinity Fabric, X-Bus.
    Socket,
}

impl Medium {
    /// All of them.
    pub const ALL: [Medium; 5] = [Medium::NvLink, Medium::Xgmi, Medium::C2c, Medium::Pcie, Medium::Socket];
}

/// Its name, as classes of links have it.
impl fmt::Display for Medium {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Medium::NvLink => "nvlink",
            Medium::Xgmi => "xgmi",
            Medium::C2c => "c2c",
            Medium::Pcie => "pcie",
            Medium::Socket => "socket",
        })
    }
}

/// A cable inside a host: a link each way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wire {
    /// The parts at its ends, by their places in [`Inside::parts`].
    pub ends: [u32; 2],
    /// What it is.
    pub medium: Medium,
    /// Of one direction.
    pub bandwidth: Bandwidth,
}

/// Which bandwidths links inside a host have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LinkRates {
    /// What NCCL and RCCL assume, which is about what programs reach.
    #[default]
    Nccl,
    /// What the wires carry.
    Raw,
}

/// A core, in the words of those that bind processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Core {
    /// Its package, counted as hwloc does (logically); none where the machine tells none.
    pub package: Option<u32>,
    /// Its number in the package, or in the machine, counted so.
    pub number: u32,
    /// The numbers that the operating system gives its hardware threads.
    pub pus: Vec<u32>,
}

/// The inside of a host: see the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Inside {
    /// What it is, for people: `dgx-h100`, or the path of a file.
    pub name: String,
    /// Its parts; processors and adapters in the order in which they are counted.
    pub parts: Vec<Part>,
    /// What joins them.
    pub wires: Vec<Wire>,
    /// What a person should know of it.
    pub notes: Vec<String>,
    /// What the host that was looked at is called, where that is told.
    pub host_name: Option<String>,
    /// The core of each slot, in the order of the processors and their slots; empty where nobody told cores.
    pub cores: Vec<Core>,
    /// The number that the operating system gives the NUMA domain of each processor; empty where nobody told any.
    pub numa: Vec<Option<u32>>,
    /// Where it spans several machines, each a host to launchers: how many.
    pub machines: Option<u32>,
    names: FxHashSet<String>,
}

impl Inside {
    /// An empty host.
    pub fn new(name: impl Into<String>) -> Inside {
        Inside { name: name.into(), ..Inside::default() }
    }

    /// Adds a part: its place among the parts. A name that is taken gets a number.
    pub fn part(&mut self, name: impl Into<String>, kind: PartKind) -> u32 {
        let plain = |c: char| if c.is_control() || c.is_whitespace() { '_' } else { c };
        let name: String = name.into().chars().map(plain).collect();
        let mut unique = name.clone();
        let mut number = 1;
        while !self.names.insert(unique.clone()) {
            number += 1;
            unique = format!("{name}-{number}");
        }
        self.parts.push(Part { name: unique, kind });
        self.parts.len() as u32 - 1
    }

    /// Joins two parts.
    pub fn wire(&mut self, a: u32, b: u32, medium: Medium, bandwidth: Bandwidth) {
        self.wires.push(Wire { ends: [a, b], medium, bandwidth });
    }

    /// Something a person should know of it.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Whether anything in it is joined so.
    pub fn has(&self, medium: Medium) -> bool {
        self.wires.iter().any(|wire| wire.medium == medium)
    }

    /// The places of its processors, in order.
    pub fn processors(&self) -> Vec<u32> {
        self.places(|kind| matches!(kind, PartKind::Processor { .. }))
    }

    /// The places of its adapters, in order.
    pub fn adapters(&self) -> Vec<u32> {
        self.places(|kind| matches!(kind, PartKind::Adapter { .. }))
    }

    /// The places of the adapters that a job's network may have: those of at least a tenth of the fastest, which leaves out
    /// what a board has for its management.
    pub fn rails(&self) -> Vec<u32> {
        let rate = |at: u32| match self.parts.get(at as usize).map(|part| part.kind) {
            Some(PartKind::Adapter { bandwidth: Some(bandwidth) }) => bandwidth.as_gb_s(),
            _ => f64::INFINITY,
        };
        let all = self.adapters();
        let most = all.iter().map(|&at| rate(at)).filter(|rate| rate.is_finite()).fold(0.0, f64::max);
        all.into_iter().filter(|&at| 10.0 * rate(at) >= most).collect()
    }

    /// The same, where nobody told an adapter with one at the first socket or processor, by PCI Express of 24 GB/s.
    pub(super) fn with_an_adapter(&self) -> Inside {
        let mut inside = self.clone();
        if inside.rails().is_empty() {
            let at = inside.parts.iter().position(|part| part.kind == PartKind::Switch).unwrap_or(0);
            let adapter = inside.part("nic0", PartKind::Adapter { bandwidth: None });
            inside.wire(at as u32, adapter, Medium::Pcie, Bandwidth::gb_s(24.0));
            inside.note(format!("{} tells no adapter: one at its first socket is assumed, with 24 GB/s", self.name));
        }
        inside
    }

    /// The name of this host where it stands alone.
    pub fn host(&self) -> &str {
        self.host_name.as_deref().unwrap_or("host")
    }

    /// Whether processors pass on what comes by any link: domains of cores do, GPUs pass on to GPUs alone.
    pub(super) fn cores_forward(&self) -> bool {
        let is_processor =
            |at: &u32| self.parts.get(*at as usize).is_some_and(|part| matches!(part.kind, PartKind::Processor { .. }));
        self.wires.iter().any(|wire| wire.medium == Medium::Socket && wire.ends.iter().any(is_processor))
    }

    fn places(&self, is: impl Fn(&PartKind) -> bool) -> Vec<u32> {
        self.parts.iter().zip(0..).filter(|(part, _)| is(&part.kind)).map(|(_, at)| at).collect()
    }
}
