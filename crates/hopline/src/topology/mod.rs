//! Topologies: parameters in, [`Fabric`] out.
//!
//! One family is one file that holds its parameters, its [`Entry`], closed-form
//! [`Counts`] and `build`. A routing that needs structure takes the family's
//! own struct (`Dor` takes a [`Torus`]); nothing else matches on [`Topology`].

use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::fabric::{Fabric, Rails};
use crate::files::Files;
use crate::params::{FromValue, Params, Reader, Value, find};
use crate::unit::bytes;

/// Declares the families: one line adds one.
macro_rules! families {
    ($($module:ident :: $name:ident,)*) => {
        $(mod $module; pub use $module::$name;)*

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
                match self { $(Topology::$name(t) => t.build(),)* }
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
    kncube::KnCube,
    tree::Tree,
    fat_tree::FatTree,
    full_mesh::FullMesh,
    omega::Omega,
    cray_xc::CrayXc,
    file::File,
}

mod names;

pub use file::{Dumps, find_dumps, locate_dumps, read_tables};

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
pub struct Counts {
    /// Endpoints.
    pub endpoints: u64,
    /// Switches that are no endpoints.
    pub switches: u64,
    /// Class name and number of directed links; classes without links left out.
    pub links: Vec<(String, u64)>,
}

/// Reads a topology and builds it. Three keys belong to every family: `slots`,
/// places for tasks per host; `rails`, how hosts with several adapters use
/// them (`affine`, `stripe` or a number; slot k uses adapter k mod their number
/// where it is left out); and `names`, the names of a model's hosts in their
/// order (a hostlist such as `node[01-16]`, or a file of them). With fewer names
/// than hosts the hosts that are left over run no tasks.
///
/// # Errors
/// An unknown kind or key, or parameters that describe no network.
pub fn build(params: &Params, files: &dyn Files) -> Result<(Topology, Fabric)> {
    let mut params = params.clone();
    let slots = params.take::<u32>("slots")?;
    let rails = params.take::<Rails>("rails")?;
    let mut common = params.clone();
    params.take::<Value>("names")?;
    let family = find("topology", LIST, &params)?;
    let topology = (family.read)(&params.check(family.entry)?, files)?;
    let fabric = topology.build().map_err(|e| e.at(params.place()))?;
    let memory = memory(u64::from(fabric.vertices()), fabric.links() as u64);
    let fabric = match memory {
        0..MUCH => fabric,
        much => fabric.with_note(format!("building the network takes about {} of memory", bytes(much as f64))),
    };
    let fabric = match slots {
        Some(n) if n == 0 || n > 1 && u64::from(n) * u64::from(fabric.hosts().len()) > MOST_SLOTS => {
            let most = (MOST_SLOTS / u64::from(fabric.hosts().len()).max(1)).max(1);
            return Err(Error::input(format!("`slots` is {n}, expected 1 to {most}")).at(params.place()));
        }
        Some(n) => fabric.with_slots(n),
        None => fabric,
    };
    let fabric = names::apply(fabric, &mut common, files)?;
    match rails {
        Some(Rails::One(n)) if n as usize >= fabric.hosts().most_rails() => {
            let most = fabric.hosts().most_rails();
            Err(Error::input(format!("`rails` is {n}, but no host has more than {most} adapters (counted from 0)"))
                .at(params.place()))
        }
        Some(rails) => Ok((topology, fabric.with_rails(rails))),
        None => Ok((topology, fabric)),
    }
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

/// The most slots of a machine whose hosts have several: 16 million.
const MOST_SLOTS: u64 = 1 << 24;

/// Bytes that building takes for each vertex (which may be a host) and each
/// directed link, at most.
const PER_VERTEX: u64 = 220;
const PER_LINK: u64 = 48;

/// The most that a family is given, and from where on people are told.
const MOST_MEMORY: u64 = 16_000_000_000;
const MUCH: u64 = 1_000_000_000;

/// Bytes of memory that building a network takes, about.
fn memory(vertices: u64, links: u64) -> u64 {
    let bytes = |count: u64, each: u64| count.saturating_mul(each);
    bytes(vertices, PER_VERTEX).saturating_add(bytes(links, PER_LINK))
}

/// Refuses sizes that no machine has and no memory holds. `None` is more than 2^64.
fn check_size(reader: &Reader, vertices: Option<u64>, links: Option<u64>) -> Result<()> {
    let message = match (vertices, links) {
        (Some(vertices), Some(links)) if memory(vertices, links) <= MOST_MEMORY => return Ok(()),
        (Some(vertices), Some(links)) => {
            let (takes, most) = (bytes(memory(vertices, links) as f64), bytes(MOST_MEMORY as f64));
            format!("{vertices} vertices and {links} links take about {takes} of memory, expected at most {most}")
        }
        _ => "more than 2^64 vertices or links".to_string(),
    };
    Err(Error::input(message).at(reader.place()).hint("choose smaller sizes"))
}
