//! What several test files share.
#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test file uses a part")]

pub mod damage;
mod skip;
pub mod trace;
pub mod words;

pub use skip::*;

use hopline::entry::Listed as _;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::{LIST, RoutingEntry};
use hopline::scenario::Scenario;
use hopline::topology::{self, Topology};

/// The repository's root: specs name files from there.
pub fn root() -> String {
    format!("{}/../..", env!("CARGO_MANIFEST_DIR"))
}

/// A topology and its fabric from a spec; paths count from the repository's root.
pub fn fabric(spec: &str) -> (Topology, Fabric) {
    let spec = spec.replace("testdata/", &format!("{}/testdata/", root()));
    let place = hopline::error::Place::new("--topology", 0);
    let params = Params::from_spec(&spec, &place).unwrap_or_else(|e| panic!("{e}"));
    topology::build(&params, &Disk).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

/// A machine with its routing.
pub fn network(topology: &str, routing: Option<&str>) -> Network {
    let here = |spec: &str| spec.replace("testdata/", &format!("{}/testdata/", root()));
    let topology = here(topology);
    let mut scenario = Scenario::default().topology(&topology).unwrap_or_else(|e| panic!("{e}"));
    if let Some(routing) = routing {
        scenario = scenario.routing(&here(routing)).unwrap_or_else(|e| panic!("{e}"));
    }
    Network::new(&scenario, &Disk).unwrap_or_else(|e| panic!("{topology} {routing:?}: {e}"))
}

/// Appends a number, seven bits a byte, as recordings and Chakra traces have them.
pub fn varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// A random endpoint that belongs to a host.
pub fn endpoint(fabric: &Fabric, rng: &mut Rng) -> VertexId {
    loop {
        let v = VertexId(rng.below(u64::from(fabric.endpoints())) as u32);
        if fabric.hosts().owner(v).is_some() {
            return v;
        }
    }
}

/// Machines and routings that go together, small enough to enumerate: the example of every routing that has fixed paths,
/// and more of each.
pub fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let examples = LIST.iter().filter(|kind| !is_adaptive(kind)).map(|kind| (kind.network(), kind.entry().example));
    examples.chain(MORE.iter().copied())
}

/// Whether a routing decides as packets go; what else it may lack is no reason to leave it out of tests.
pub fn is_adaptive(kind: &RoutingEntry) -> bool {
    let routing = network(kind.network(), Some(kind.entry().example)).routing;
    let first = (0..).map(VertexId).find(|&v| routing.fabric().hosts().owner(v).is_some()).expect("a host");
    routing.choices(first, first).is_err_and(|e| e.to_string().contains("no fixed shares"))
}

/// Pairs beside the examples of the list.
const MORE: &[(&str, &str)] = &[
    ("percs:ns=2,nd=1", "direct"),
    ("percs:ns=3,nd=4", "direct"),
    ("percs:ns=5,nd=8", "direct:inside=single-hop"),
    ("percs:ns=3,nd=2,hub=192", "direct"),
    ("percs:ns=40,nd=2", "direct"),
    ("percs:ns=3,nd=4", "indirect"),
    ("percs:ns=5,nd=8", "indirect:intermediates=other"),
    ("percs:ns=5,nd=32", "indirect:middle=free"),
    ("percs:ns=37,nd=2", "indirect:intermediates=other,middle=free,inside=single-hop"),
    ("percs:ns=3,nd=2,hub=192", "indirect:intermediates=other"),
    ("fat-tree:k=3,n=3,host=1", "d-mod-k:roots=4"),
    ("dragonfly:p=2,a=4,h=2", "minimal"),
    ("dragonfly:p=1,a=3,h=1", "minimal"),
    ("dragonfly:p=3,a=2,h=3,host=1", "minimal"),
    ("dragonfly:p=2,a=4,h=2", "valiant-restricted"),
    ("dragonfly:p=1,a=3,h=2", "valiant-restricted"),
    ("dragonfly:p=2,a=1,h=2", "valiant-restricted"),
    ("dragonfly:p=2,a=1,h=1", "valiant-restricted"),
    ("dragonfly:p=2,a=4,h=2,host=1", "valiant-any"),
    ("dragonfly:p=1,a=5,h=1", "valiant-any"),
    ("dragonfly:p=3,a=2,h=1", "valiant-any"),
    ("dragonfly:p=2,a=4,h=3,g=4,arrangement=circulant", "minimal"),
    ("dragonfly:p=1,a=6,h=2,g=4,group=3x2,trunk=1x2,host=1", "minimal"),
    ("dragonfly:p=1,a=4,h=2,g=5,arrangement=absolute", "valiant-any"),
    ("mesh:dims=4x3x2", "dor"),
    ("mesh:dims=5x1x3", "shortest"),
    ("hyperx:dims=3x4,p=2", "dor"),
    ("hyperx:dims=3x2x2,p=1,trunk=2x1x3", "dor"),
    ("slim-fly:q=3,p=2", "minimal"),
    ("slim-fly:q=4,p=1", "valiant-any"),
    ("hyperx:dims=3x2x2,p=2,trunk=1x2x1", "minimal"),
    ("hyperx:dims=4x3,p=2,host=1", "valiant-any"),
    ("dragonfly-plus:p=2", "minimal"),
    ("dragonfly-plus:p=1,l=3,s=2,h=2,g=3", "valiant-any"),
    ("jellyfish:n=14,r=3,p=2", "minimal"),
    ("jellyfish:n=10,r=3,p=2,seed=5", "valiant-any"),
    ("torus:dims=3x4", "valiant-any"),
    ("full-mesh:n=5", "valiant-any"),
    ("torus:dims=4x3x2", "dor"),
    ("torus:dims=8x5", "dor:tie=minus"),
    ("torus:dims=6x1x4", "dor:tie=parity"),
    ("torus:dims=4x6x2", "dor:tie=split"),
    ("kncube:k=2,n=4", "dor"),
    ("kncube:k=4,n=3", "dor:tie=split"),
    ("torus:dims=4x4", "shortest"),
    ("tree:arity=3x2x2", "shortest"),
    ("dragonfly:p=2,a=4,h=2", "shortest"),
    ("percs:ns=2,nd=2", "shortest"),
    ("fat-tree:k=2,n=4", "d-mod-k"),
    ("fat-tree:down=3x2x4,up=1x2x3,host=1", "d-mod-k"),
    ("fat-tree:down=2x5x3,up=2x3x1", "d-mod-k"),
    ("fat-tree:down=2x5x3,up=2x3x1", "shortest"),
    ("full-mesh:n=7", "shortest"),
    ("omega:k=2,n=4", "destination-tag"),
    ("omega:k=3,n=2,host=1", "destination-tag"),
    ("fat-tree:k=3,n=3", "up-down"),
    ("fat-tree:down=2x5x3,up=2x3x1", "up-down:roots=[l3t0s4,l2t1s0]"),
    ("tree:arity=3x2x2", "up-down:roots=l1s2"),
    ("torus:dims=4x3x2", "up-down:roots=t1-1-1"),
    ("dragonfly:p=2,a=4,h=2", "up-down"),
    ("percs:ns=3,nd=2,hub=192", "up-down"),
    ("file:testdata/fabrics/rack64", "up-down"),
    ("file:testdata/fabrics/rack64", "table"),
    ("file:testdata/fabrics/rack64", "shortest"),
    ("file:testdata/fabrics/lmc1-8", "table:lid=spread"),
    ("file:testdata/fabrics/lmc1-8", "table:lid=1"),
    ("file:testdata/fabrics/rack64", "minhop"),
    ("file:testdata/fabrics/lmc1-8", "minhop:lid=spread"),
    ("file:path=testdata/fabrics/ring5-lash,tables=none", "minhop"),
];
