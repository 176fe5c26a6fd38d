//! Topologies: parameters in, [`Fabric`] out.
//!
//! A family is made by its constructor or read from a spec; both check the same, and it writes its spec again:
//!
//! ```
//! use hopline::topology::{Topology, Torus};
//!
//! let typed = Torus::new(&[4, 4, 4])?;
//! let read: Topology = "torus:dims=4x4x4".parse()?;
//! assert_eq!(read.build()?, typed.build()?);
//! assert_eq!(read.to_string(), typed.to_string());
//! assert!("torus:dims=0x4".parse::<Topology>().is_err() && Torus::new(&[0, 4]).is_err());
//! # Ok::<(), hopline::error::Error>(())
//! ```
//!
//! One family is one file that holds its parameters, its [`Entry`], closed-form
//! [`Counts`] and `build`. A routing that needs structure takes the family's
//! own struct (`Dor` takes a [`Torus`]); nothing else matches on [`Topology`].

use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, Rails};
use crate::files::{Disk, Files};
use crate::id::{ClassId, VertexId};
use crate::params::{FromValue, Params, Reader, Value, find};
use crate::unit::{Bandwidth, bytes};
use std::fmt;
use std::str::FromStr;

/// Gives a family the setters of its bandwidths: name, key of a spec, field, and which links have it.
macro_rules! bandwidths {
    ($family:ident: $($setter:ident sets $key:literal in $($field:ident).+, $links:literal;)*) => {
        impl $family { $(
            #[doc = concat!("The same with ", $links, ".")]
            ///
            /// # Errors
            /// It is 0.
            pub fn $setter(mut self, bandwidth: crate::unit::Bandwidth) -> crate::error::Result<Self> {
                self.$($field).+ = super::positive($key, bandwidth)?.into();
                Ok(self)
            }
        )* }
    };
}

/// Gives a family the setters of its latencies: name, which is also the key of a spec and the field, and which links have it.
macro_rules! latencies {
    ($family:ident: $($setter:ident of $links:literal;)*) => {
        impl $family { $(
            #[doc = concat!("The same with ", $links, " of another latency.")]
            ///
            /// # Errors
            /// It is 0: a flit is a cycle, which is 1 ns, on a link at least.
            pub fn $setter(mut self, latency: crate::unit::Nanos) -> crate::error::Result<Self> {
                self.$setter = super::cycles(stringify!($setter), latency)?;
                Ok(self)
            }
        )* }
    };
}

/// Declares the families: one line adds one.
macro_rules! families {
    ($($module:ident :: $name:ident,)*) => {
        $(mod $module; pub use $module::$name;)*

        $(
            impl $name {
                /// The fabric, built anew. O(vertices + links log links).
                ///
                /// # Errors
                /// The parameters describe no network.
                pub fn build(&self) -> Result<Fabric> {
                    self.network()
                }
            }

            /// Its spec, without what has its default.
            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.params().fmt(f)
                }
            }

            /// Reads its spec, as [`Topology`] does.
            impl FromStr for $name {
                type Err = Error;

                fn from_str(spec: &str) -> Result<$name> {
                    match spec.parse()? {
                        Topology::$name(family) => Ok(family),
                        _ => Err(Error::input(format!("`{spec}` is no {}", $module::ENTRY.name))),
                    }
                }
            }

            impl From<$name> for Topology {
                fn from(family: $name) -> Topology {
                    Topology::$name(family)
                }
            }
        )*

        /// A topology with its parameters.
        #[derive(Debug, Clone)]
        #[allow(missing_docs)]
        pub enum Topology { $($name($name),)* }

        /// All families.
        pub const LIST: &[Family] = &[$(Family {
            entry: &$module::ENTRY,
            read: |reader, files| Ok(Topology::$name($name::read(reader, files)?)),
        },)*];

        impl Topology {
            /// The fabric, built anew. O(vertices + links log links).
            ///
            /// # Errors
            /// The parameters describe no network.
            pub fn build(&self) -> Result<Fabric> {
                match self { $(Topology::$name(t) => t.network(),)* }
            }

            /// Kind and keys, without what has its default.
            pub fn params(&self) -> Params {
                match self { $(Topology::$name(t) => t.params(),)* }
            }

            /// Vertices and links by formula, where the family has one.
            pub fn counts(&self) -> Option<Counts> {
                match self { $(Topology::$name(t) => t.counts(),)* }
            }

            /// The routing that is meant where none is named.
            pub fn default_routing(&self) -> &'static str {
                match self { $(Topology::$name(t) => t.default_routing(),)* }
            }
        }
    };
}

families! {
    percs::Percs,
    dragonfly::Dragonfly,
    torus::Torus,
    mesh::Mesh,
    kncube::KnCube,
    tree::Tree,
    fat_tree::FatTree,
    full_mesh::FullMesh,
    hyperx::HyperX,
    slim_fly::SlimFly,
    dragonfly_plus::DragonflyPlus,
    jellyfish::Jellyfish,
    omega::Omega,
    cray_xc::CrayXc,
    file::File,
}

mod checks;
mod host;
mod names;

use checks::{MUCH, check_count, check_size, cycles, extents, memory, positive};
pub use dragonfly::Arrangement;
pub use file::{Dumps, find_dumps, locate_dumps, read_tables};
pub use host::{HOSTS, Host, inside};

impl Topology {
    /// The torus, where the family is one.
    pub(crate) fn torus(&self) -> Option<&Torus> {
        match self {
            Topology::Torus(t) => Some(t),
            Topology::KnCube(k) => Some(&k.torus),
            _ => None,
        }
    }
}

/// Lines of a network, dimension by dimension: dimension 0 runs fastest in the numbering of its routers.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    /// Routers of a line.
    pub(crate) dims: Vec<u32>,
    /// Parallel cables between two routers that are joined.
    pub(crate) cables: Vec<u32>,
    /// All of a line are joined, not neighbours alone.
    pub(crate) are_joined: bool,
}

impl Topology {
    /// The lines, where the family has some that do not wrap around.
    pub(crate) fn lines(&self) -> Option<Lines> {
        match self {
            Topology::Mesh(mesh) => Some(mesh.lines()),
            Topology::HyperX(hyperx) => Some(hyperx.lines()),
            _ => None,
        }
    }
}

/// Its spec, without what has its default.
impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.params().fmt(f)
    }
}

/// Reads the spec of a family. What `file` and `cray-xc` name is read from [`Disk`]; [`build`] reads it from elsewhere,
/// and takes the keys of hosts too: `slots`, `rails`, `names`, and `host` where it names an inside.
impl FromStr for Topology {
    type Err = Error;

    fn from_str(spec: &str) -> Result<Topology> {
        let params: Params = spec.parse()?;
        if let Some(key) = OF_HOSTS.iter().find(|key| params.place_of(key).is_some()) {
            return Err(Error::input(format!("`{key}` is no key of a family, but of its hosts"))
                .at(params.place())
                .hint("topology::build reads it, Fabric::with_slots, with_rails and with_host_names set it"));
        }
        read(&params, &Disk)
    }
}

/// Keys that belong to the hosts of every family.
const OF_HOSTS: [&str; 3] = ["slots", "rails", "names"];

fn read(params: &Params, files: &dyn Files) -> Result<Topology> {
    let family = find("topology", LIST, params)?;
    let reader = params.check(family.entry)?;
    // A value of the wrong type is named before sizes that do not fit and files that are not there.
    for key in family.entry.params {
        match key.value {
            "bandwidth" => reader.get::<Bandwidth>(key.name).map(drop)?,
            "count" => reader.get::<i64>(key.name).map(drop)?,
            _ => {}
        }
    }
    reader.made((family.read)(&reader, files))
}

/// One family of the list.
pub struct Family {
    entry: &'static Entry,
    read: fn(&Reader, &dyn Files) -> Result<Topology>,
}

impl Listed for Family {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// Vertices and directed links by class, from a family's formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Endpoints.
    pub endpoints: u64,
    /// Switches that are no endpoints.
    pub switches: u64,
    /// Class name and number of directed links; classes without links left out.
    pub links: Vec<(String, u64)>,
}

impl Counts {
    fn new<N: Into<String>>(endpoints: u64, switches: u64, links: impl IntoIterator<Item = (N, u64)>) -> Counts {
        let links = links.into_iter().filter(|(_, n)| *n > 0).map(|(name, n)| (name.into(), n)).collect();
        Counts { endpoints, switches, links }
    }

    /// Whether a fabric has as many vertices and links: whole, as far as numbers tell.
    pub(crate) fn are_of(&self, fabric: &Fabric) -> bool {
        let own = (u64::from(fabric.endpoints()), u64::from(fabric.switches()), fabric.links() as u64);
        own == (self.endpoints, self.switches, self.links.iter().map(|(_, n)| n).sum())
    }
}

/// Reads a topology and builds it. Some keys belong to every family: `slots`,
/// places for tasks per host; `rails`, how hosts with several adapters use
/// them (`affine`, `stripe` or a number; slot k uses adapter k mod their number
/// where it is left out); `names`, the names of a model's hosts in their
/// order (a hostlist such as `node[01-16]`, or a file of them; with fewer names
/// than hosts the hosts that are left over run no tasks); and `inside` (or `host`, where
/// that is no bandwidth), what is inside each host: a name of [`HOSTS`] or a file that tells it, with
/// `rates=nccl` or `raw`. Then processors use the adapter next to them where `rails` is left out.
///
/// # Errors
/// An unknown kind or key, or parameters that describe no network.
pub fn build(params: &Params, files: &dyn Files) -> Result<(Topology, Fabric)> {
    let given = params;
    let mut params = given.clone();
    let slots = params.take::<u32>("slots")?;
    let rails = params.take::<Rails>("rails")?;
    let inside = host::take(&mut params, files)?;
    let mut common = params.clone();
    params.take::<Value>("names")?;
    let topology = read(&params, files)?;
    let fabric = topology.build().map_err(|e| e.at(params.place()))?;
    let at = |key: &str| given.place_of(key).unwrap_or(given.place());
    let memory = memory(u64::from(fabric.vertices()), fabric.links() as u64);
    let fabric = match memory {
        0..MUCH => fabric,
        much => fabric.with_note(format!("building the network takes about {} of memory", bytes(much as f64))),
    };
    let fabric = match slots {
        Some(n) => fabric.with_slots(n).map_err(|e| e.at(at("slots")))?,
        None => fabric,
    };
    let fabric = names::apply(fabric, &mut common, files)?;
    let fabric = match inside {
        Some((inside, place)) => {
            let fabric = host::put(fabric, &inside).map_err(|e| e.at(&place))?;
            match slots {
                Some(n) => fabric.with_slots(n).map_err(|e| e.at(at("slots")))?,
                None => fabric,
            }
        }
        None => fabric,
    };
    let fabric = match rails {
        Some(rails) => fabric.with_rails(rails).map_err(|e| e.at(at("rails")))?,
        None => fabric,
    };
    Ok((topology, fabric))
}

impl FromValue for Rails {
    const EXPECTED: &'static str = "affine, stripe or the number of an adapter";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "affine" => Some(Rails::Affine),
            Value::Text(word) if word == "stripe" => Some(Rails::Stripe),
            Value::Int(n) => u32::try_from(*n).ok().map(Rails::One),
            _ => None,
        }
    }
}

/// The name of a point of a grid: its coordinates, dimension 0 first, which runs fastest in the numbering.
fn named_at(prefix: &str, mut number: u32, dims: &[u32]) -> String {
    let coordinate = |k: &u32| {
        let x = number % k;
        number /= k;
        x.to_string()
    };
    format!("{prefix}{}", dims.iter().map(coordinate).collect::<Vec<_>>().join("-"))
}

/// What links of a model have where nobody says.
const ONE: Bandwidth = Bandwidth::bytes_s(1_000_000_000);

/// Names the first `routers` switches, and joins `p` endpoints to each: endpoint n of router r is r*p + n, at port n.
fn attach(b: &mut Builder, routers: u32, p: u32, host: ClassId, name: impl Fn(u32) -> String) {
    for r in 0..routers {
        let (router, name) = (b.switch(r), name(r));
        for n in 0..p {
            let endpoint = VertexId(r * p + n);
            b.name(endpoint, format!("{name}n{n}"));
            b.cable_at(endpoint, Some(0), router, Some(n as u16), host);
        }
        b.name(router, name);
    }
}
