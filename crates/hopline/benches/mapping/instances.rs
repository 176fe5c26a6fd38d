//! What is mapped onto what.

/// A job on a machine. `DATA` stands for the folder of the data.
pub(crate) struct Instance {
    pub(crate) name: &'static str,
    pub(crate) topology: &'static str,
    /// The topology's own where empty.
    pub(crate) routing: &'static str,
    pub(crate) traffic: &'static str,
    /// The first that fit where empty.
    pub(crate) hosts: &'static str,
    pub(crate) mappings: &'static str,
}

const TORUS: &str = "torus:dims=16x16x16";
const TORUS16: &str = "torus:dims=16x16x16,slots=16";
const TREE: &str = "tree:arity=4x16x64,distance=1x10x100";
const TREE16: &str = "tree:arity=4x16x64,distance=1x10x100,slots=16";
const RGG: &str = "matrix:file=DATA/mapping/rgg_4096.graph.xz";
const RGG16: &str = "matrix:file=DATA/mapping/rgg_65536.graph.xz";
const DELAUNAY: &str = "matrix:file=DATA/mapping/cg2d_del18_k4096.graph.xz";
const DELAUNAY3: &str = "matrix:file=DATA/mapping/cg3d_del16_k4096.graph.xz";
const HALO2: &str = "halo:grid=64x64,weight=per-edge";
const HALO3: &str = "halo:grid=16x16x16,weight=per-edge";
const HALO2_16: &str = "halo:grid=256x256,weight=per-edge";
const HALO3_16: &str = "halo:grid=32x32x64,weight=per-edge";

/// Hop-bytes: the launcher's order, ours without annealing, with little and with much time.
const SHORT: &str = "default,multilevel:evaluations=0,multilevel:evaluations=2000000,multilevel:evaluations=30000000";
const LONG: &str = "default,multilevel:evaluations=0,multilevel:evaluations=10000000,multilevel:evaluations=120000000";

const fn hops(name: &'static str, topology: &'static str, traffic: &'static str, mappings: &'static str) -> Instance {
    Instance { name, topology, routing: "", traffic, hosts: "", mappings }
}

/// Of the paper, then ours.
const HALOS: &str = "mod-coloring,hybrid,congestion-search:evaluations=2000000";
const BOUNCED: &str = "mod-coloring,hybrid,supernode-random,congestion-search:evaluations=2000000,\
    congestion-search:evaluations=1500000,from=supernode-random";
const TRANSPOSES: &str = "mod-coloring,hybrid,inner-search:of=hybrid,evaluations=100000";

const fn halo(name: &'static str, topology: &'static str) -> Instance {
    Instance { name, topology, routing: "direct", traffic: "halo:grid=64x64", hosts: "", mappings: HALOS }
}

const fn bounced(name: &'static str, topology: &'static str) -> Instance {
    Instance { mappings: BOUNCED, routing: "indirect", ..halo(name, topology) }
}

const fn transpose(name: &'static str, topology: &'static str, routing: &'static str) -> Instance {
    Instance { name, topology, routing, traffic: "transpose:grid=64x64", hosts: "", mappings: TRANSPOSES }
}

const fn real(name: &'static str, topology: &'static str, traffic: &'static str) -> Instance {
    // Theta's ties are spread over many paths: a move there takes longest.
    let mappings = "default,random,multilevel,congestion-search:evaluations=50000";
    Instance { name, topology, routing: "", traffic, hosts: "random:64", mappings }
}

const AMG: &str = "matrix:file=DATA/matrices/amg/comm_matrix.p2p.size.csv";
const LULESH: &str = "matrix:file=DATA/matrices/lulesh/comm_matrix.p2p.size.csv";
const RANGER: &str = "file:DATA/fabrics/ranger-2011";
const THETA: &str = "file:DATA/fabrics/theta-xc/theta.interconnect.gz";
const DGX: &str = "file:DATA/fabrics/dgx-ndr";
const DIRECT: &str = "direct";
const INDIRECT: &str = "indirect";

pub(crate) const INSTANCES: &[Instance] = &[
    hops("torus 16^3, halo 64x64", TORUS, HALO2, "default,fold,multilevel"),
    hops("torus 16^3, halo 16^3", TORUS, HALO3, "default,fold,multilevel"),
    hops("torus 16^3, transpose 64x64", TORUS, "transpose:grid=64x64,weight=per-edge", "default,fold,multilevel"),
    hops("torus 16^3, rgg_4096", TORUS, RGG, LONG),
    hops("torus 16^3, cg2d_del18", TORUS, DELAUNAY, LONG),
    hops("torus 16^3, cg3d_del16", TORUS, DELAUNAY3, LONG),
    hops("torus 16^3 x 16, halo 256x256", TORUS16, HALO2_16, "default,fold"),
    hops("torus 16^3 x 16, halo 32x32x64", TORUS16, HALO3_16, "default,fold"),
    hops("torus 16^3 x 16, rgg_65536", TORUS16, RGG16, SHORT),
    hops("tree 4:16:64, halo 64x64", TREE, HALO2, "default,fold,multilevel"),
    hops("tree 4:16:64, halo 16^3", TREE, HALO3, "default,fold,multilevel"),
    hops("tree 4:16:64, rgg_4096", TREE, RGG, LONG),
    hops("tree 4:16:64, cg2d_del18", TREE, DELAUNAY, LONG),
    hops("tree 4:16:64, cg3d_del16", TREE, DELAUNAY3, LONG),
    hops("tree 4:16:64 x 16, halo 256x256", TREE16, HALO2_16, "default,fold"),
    hops("tree 4:16:64 x 16, halo 32x32x64", TREE16, HALO3_16, "default,fold"),
    hops("tree 4:16:64 x 16, rgg_65536", TREE16, RGG16, SHORT),
    hops("torus 4^3 x 1024, rgg_65536", "torus:dims=4x4x4,slots=1024", RGG16, SHORT),
    hops("torus 4^3 x 1024, halo 32x32x64", "torus:dims=4x4x4,slots=1024", HALO3_16, "default,fold"),
    hops("tree 4:8:8 x 256, rgg_65536", "tree:arity=4x8x8,distance=1x10x100,slots=256", RGG16, SHORT),
    hops("dragonfly (8,16,8), rgg_4096", "dragonfly:p=8,a=16,h=8", RGG, SHORT),
    hops("torus 12x18x20 with holes, rgg_4096", "torus:dims=12x18x20", RGG, SHORT),
    halo("percs 32x1 direct, halo", "percs:ns=32,nd=1"),
    halo("percs 32x2 direct, halo", "percs:ns=32,nd=2"),
    halo("percs 32x4 direct, halo", "percs:ns=32,nd=4"),
    halo("percs 32x8 direct, halo", "percs:ns=32,nd=8"),
    halo("percs 32x16 direct, halo", "percs:ns=32,nd=16"),
    bounced("percs 32x1 indirect, halo", "percs:ns=32,nd=1"),
    bounced("percs 32x2 indirect, halo", "percs:ns=32,nd=2"),
    bounced("percs 32x4 indirect, halo", "percs:ns=32,nd=4"),
    bounced("percs 32x8 indirect, halo", "percs:ns=32,nd=8"),
    bounced("percs 32x16 indirect, halo", "percs:ns=32,nd=16"),
    transpose("percs 32x1 direct, transpose", "percs:ns=32,nd=1", DIRECT),
    transpose("percs 32x2 direct, transpose", "percs:ns=32,nd=2", DIRECT),
    transpose("percs 32x4 direct, transpose", "percs:ns=32,nd=4", DIRECT),
    transpose("percs 32x8 direct, transpose", "percs:ns=32,nd=8", DIRECT),
    transpose("percs 32x16 direct, transpose", "percs:ns=32,nd=16", DIRECT),
    transpose("percs 32x1 indirect, transpose", "percs:ns=32,nd=1", INDIRECT),
    transpose("percs 32x2 indirect, transpose", "percs:ns=32,nd=2", INDIRECT),
    transpose("percs 32x4 indirect, transpose", "percs:ns=32,nd=4", INDIRECT),
    transpose("percs 32x8 indirect, transpose", "percs:ns=32,nd=8", INDIRECT),
    transpose("percs 32x16 indirect, transpose", "percs:ns=32,nd=16", INDIRECT),
    real("Theta, AMG", THETA, AMG),
    real("Theta, LULESH", THETA, LULESH),
    real("Ranger, AMG", RANGER, AMG),
    real("Ranger, LULESH", RANGER, LULESH),
    real("DGX, AMG", DGX, AMG),
    real("DGX, LULESH", DGX, LULESH),
];
