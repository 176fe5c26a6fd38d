//! What is typed and what is written are two spellings of one thing: every entry of every list writes what it reads,
//! constructors refuse what specs are refused for, and a family made by its constructor is the spec's.

mod common;

use common::{fabric, root};
use hopline::demand::Demand;
use hopline::entry::Listed as _;
use hopline::error::{Error, Result};
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::loads;
use hopline::mapping::{self, Blocks, Strategy};
use hopline::routing::{
    Adaptive, DModK, DestinationTag, Detour, Direct, Dor, DragonflyPaths, Ecmp, Indirect, Inside, LineOrder, PerHop,
    Routing, Shortest, Spec, Tie,
};
use hopline::topology::{
    self, CrayXc, Dragonfly, DragonflyPlus, FatTree, File, FullMesh, HyperX, Jellyfish, KnCube, Mesh, Omega, Percs,
    SlimFly, Topology, Torus, Tree,
};
use hopline::traffic::{self, Halo, Linear, Nearest3d, Pattern, Phase, Shift, Uniform};
use hopline::unit::{Bandwidth, Nanos};
use proptest::prelude::{Just, ProptestConfig, prop_assert_eq, prop_oneof, proptest};
use std::collections::BTreeSet;
use std::error::Error as _;
use std::sync::Arc;

/// An example whose files are found from here.
fn rooted(example: &str) -> String {
    example.replace("testdata/", &format!("{}/testdata/", root()))
}

#[test]
fn topologies_write_what_they_read() {
    let more = ["percs:ns=3,nd=8,ll=24,hub=192", "fat-tree:down=4x4,up=1x2,host=2.5", "tree:arity=4x2,distance=1x7"];
    for spec in topology::LIST.iter().map(|family| family.entry().example).chain(more) {
        let read: Topology = rooted(spec).parse().unwrap_or_else(|e| panic!("{spec}: {e}"));
        let again: Topology = read.to_string().parse().unwrap_or_else(|e| panic!("{read}: {e}"));
        assert_eq!(again.to_string(), read.to_string(), "{spec}");
        assert_eq!(again.build().expect("a fabric"), read.build().expect("a fabric"), "{spec}");
    }
}

#[test]
fn traffic_writes_what_it_reads_with_the_sizes_of_the_machine() {
    let (_, machine) = fabric("dragonfly:p=2,a=4,h=2");
    let context = traffic::Context { fabric: &machine, slots: 64, files: &Disk };
    let more = [
        "halo:grid=4x4,wrap=false,weight=per-edge,bytes=64K",
        "linear:order=1-0,b=1-1,k=4,n=2",
        "shift:by=70",
        "workload:model=mixtral-8x7b,layers=8,tp=2,dp=4,ep=4,global=8,capacity=1.5,order=tp-ep-dp,parts=ep",
        "workload:hidden=512,layers=4,gated=true,pp=2,cp=2,dp=2,fsdp=2,reduce=micro,cp_comm=a2a,seq=64",
        "workload:model=gpt-13b,hidden=2560,tp=2,sp=0,recompute=full,zero=0,grads=2,rules=megatron,algorithm=tree",
    ];
    for spec in traffic::LIST.iter().map(|kind| kind.entry().example).chain(more) {
        let spec = rooted(spec);
        let read = Pattern::read(&spec.parse().expect("a spec"), &context).unwrap_or_else(|e| panic!("{spec}: {e}"));
        let text = read.to_string();
        let again: Pattern = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(again.to_string(), text, "{spec}");
        assert_eq!(again.demand().expect("a demand"), read.demand().expect("a demand"), "{spec}");
    }
}

#[test]
fn mappings_write_what_they_read() {
    let more = [
        "portfolio:of=[coloring:block=4x8,bricks=true,greedy:unit=host],runs=2",
        "congestion-search:from=[blocks:level=node,order=random],method=tabu",
        "inner-search:of=[coloring:block=4x4],level=drawer,evaluations=10",
        "reorder-hosts:of=[multilevel:evaluations=10]",
        "curve:of=snake,tasks=ranks",
    ];
    for spec in mapping::LIST.iter().map(|kind| kind.entry().example).chain(more) {
        let read: Box<dyn Strategy> = rooted(spec).parse().unwrap_or_else(|e| panic!("{spec}: {e}"));
        let text = read.to_string();
        let again: Box<dyn Strategy> = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(again.to_string(), text, "{spec}");
        assert_eq!(again.is_random(), read.is_random(), "{spec}");
    }
}

#[test]
fn every_family_is_made_by_its_constructor() {
    let gb_s = Bandwidth::gb_s;
    let path = rooted("testdata/fabrics/rack64");
    let xc = rooted("testdata/fabrics/xc-mini.interconnect");
    let made = || -> Result<Vec<(Topology, String)>> {
        Ok(vec![
            (Percs::new(4, 2)?.hub_bandwidth(gb_s(192.0))?.into(), "percs:ns=4,nd=2,hub=192".into()),
            (
                Dragonfly::new(2, 4, 2)?.local_bandwidth(gb_s(2.5))?.global_latency(Nanos(7))?.into(),
                "dragonfly:p=2,a=4,h=2,local=2.5,global_latency=7".into(),
            ),
            (Torus::new(&[4, 3, 2])?.bandwidth(gb_s(10.0))?.into(), "torus:dims=4x3x2,bandwidth=10".into()),
            (
                Torus::new(&[4, 3])?.bandwidths(&[gb_s(10.0), gb_s(2.5)])?.into(),
                "torus:dims=4x3,bandwidth=10x2.5".into(),
            ),
            (Mesh::new(&[4, 3])?.bandwidths(&[gb_s(10.0), gb_s(2.5)])?.into(), "mesh:dims=4x3,bandwidth=10x2.5".into()),
            (KnCube::new(3, 2)?.into(), "kncube:k=3,n=2".into()),
            (Tree::new(&[4, 4])?.distance(&[1, 10])?.into(), "tree:arity=4x4,distance=1x10".into()),
            (FatTree::k_ary(3, 2)?.host_bandwidth(gb_s(1.0))?.into(), "fat-tree:k=3,n=2,host=1".into()),
            (FatTree::new(&[4, 3], &[1, 2])?.into(), "fat-tree:down=4x3,up=1x2".into()),
            (FullMesh::new(5)?.into(), "full-mesh:n=5".into()),
            (HyperX::new(&[4, 3], 2)?.trunk(&[1, 2])?.into(), "hyperx:dims=4x3,p=2,trunk=1x2".into()),
            (SlimFly::new(4)?.endpoints_per_router(2)?.into(), "slim-fly:q=4,p=2".into()),
            (
                DragonflyPlus::new(2, 3, 2, 1)?.groups(2)?.global_latency(Nanos(9))?.into(),
                "dragonfly-plus:p=2,l=3,h=1,g=2,global_latency=9".into(),
            ),
            (Jellyfish::new(8, 3, 1)?.seed(7).into(), "jellyfish:n=8,r=3,p=1,seed=7".into()),
            (Omega::new(2, 3)?.into(), "omega:k=2,n=3".into()),
            (CrayXc::new(&xc, &Disk)?.hosts(2)?.into(), format!("cray-xc:path={xc},hosts=2")),
            (File::open(&path, &Disk)?.into(), format!("file:path={path}")),
        ])
    };
    let made = made().expect("every family");
    for (typed, spec) in &made {
        assert_eq!(typed.to_string(), *spec);
        let (_, fabric) = topology::build(&spec.parse().expect("a spec"), &Disk).expect("a fabric");
        assert_eq!(typed.build().expect("a fabric"), fabric, "{spec}");
    }
    // A family that is not above shows its constructor in its own documentation, which is a test.
    let made: BTreeSet<String> = made.iter().map(|(typed, _)| typed.params().kind().to_string()).collect();
    for name in topology::LIST.iter().map(|family| family.entry().name).filter(|name| !made.contains(*name)) {
        let file = format!("{}/src/topology/{}.rs", env!("CARGO_MANIFEST_DIR"), name.replace('-', "_"));
        let source = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{file}: {e}"));
        let example = source.split("/// ```").nth(1).unwrap_or("");
        assert!(example.contains("::new(") && example.contains(&format!("\"{name}:")), "{file} has no example");
    }
}

/// The message of a refusal, whoever refuses.
fn refused<T>(made: Result<T>) -> Option<String> {
    made.err().map(|e| e.message().to_string())
}

fn numbers() -> impl proptest::strategy::Strategy<Value = u32> {
    prop_oneof![0..9u32, Just(32), Just(4096), Just(4097), Just(u32::MAX)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn constructors_refuse_what_specs_are_refused_for(a in numbers(), b in numbers(), c in numbers()) {
        let read = |spec: String| refused(spec.parse::<Topology>());
        prop_assert_eq!(refused(Dragonfly::new(a, b, c)), read(format!("dragonfly:p={a},a={b},h={c}")));
        prop_assert_eq!(refused(Percs::new(a, b)), read(format!("percs:ns={a},nd={b}")));
        prop_assert_eq!(refused(KnCube::new(a, b)), read(format!("kncube:k={a},n={b}")));
        prop_assert_eq!(refused(FatTree::k_ary(a, b)), read(format!("fat-tree:k={a},n={b}")));
        prop_assert_eq!(refused(Omega::new(a, b)), read(format!("omega:k={a},n={b}")));
        prop_assert_eq!(refused(FullMesh::new(a)), read(format!("full-mesh:n={a}")));
        prop_assert_eq!(refused(SlimFly::new(a)), read(format!("slim-fly:q={a}")));
        prop_assert_eq!(refused(Jellyfish::new(a, b, c)), read(format!("jellyfish:n={a},r={b},p={c}")));
        prop_assert_eq!(refused(DragonflyPlus::new(a, b, c, 1)), read(format!("dragonfly-plus:p={a},l={b},s={c},h=1")));
        // Sizes of 0 are no sizes: the reader says so in its own words.
        let sizes = [a, b, c];
        prop_assert_eq!(Torus::new(&sizes).is_err(), read(format!("torus:dims={a}x{b}x{c}")).is_some());
        prop_assert_eq!(Mesh::new(&sizes).is_err(), read(format!("mesh:dims={a}x{b}x{c}")).is_some());
        prop_assert_eq!(HyperX::new(&[a, b], c).is_err(), read(format!("hyperx:dims={a}x{b},p={c}")).is_some());
        prop_assert_eq!(Tree::new(&sizes).is_err(), read(format!("tree:arity={a}x{b}x{c}")).is_some());
    }
}

#[test]
fn setters_refuse_what_no_link_has() {
    let none = Bandwidth::bytes_s(0);
    let wrong = |e: Error| e.to_string();
    let dragonfly = Dragonfly::new(2, 4, 2).expect("a dragonfly");
    assert_eq!(dragonfly.clone().host_bandwidth(none).map_err(wrong), Err("`host` is 0 GB/s, expected more".into()));
    let e = dragonfly.local_latency(Nanos(0)).map_err(wrong).expect_err("no latency");
    assert!(e.starts_with("`local_latency` is 0, expected 1 or more"), "{e}");
    let e = Tree::new(&[4, 4]).and_then(|tree| tree.distance(&[1])).map_err(wrong).expect_err("one distance");
    assert_eq!(e, "1 distances for 2 levels, expected one per level");
    assert_eq!(
        Blocks::new("node").block(&[0]).err().map(wrong),
        Some("`block` is [0], expected sizes of 1 or more".into())
    );
}

#[test]
fn typed_traffic_is_that_of_its_spec() {
    let log = rooted("testdata/nccl/all-reduce-2-hosts.log");
    let trees = format!("nccl-log:file={log},algorithm=tree,bytes=64");
    let typed = || -> Result<Vec<(Pattern, &str)>> {
        Ok(vec![
            (Halo::new(&[4, 4])?.wrap(false).per_edge(true).into(), "halo:grid=4x4,wrap=false,weight=per-edge"),
            (traffic::Transpose::new(4, 8)?.bytes(64)?.into(), "transpose:grid=4x8,bytes=64"),
            (traffic::AllToAll::new(8)?.into(), "alltoall:tasks=8"),
            (Uniform::new(8)?.to_self(true).into(), "uniform:tasks=8,self=true"),
            (traffic::BitComplement::new(8)?.into(), "bit-complement:tasks=8"),
            (Shift::new(8, 3)?.into(), "shift:by=3,tasks=8"),
            (Nearest3d::new([2, 3, 4], Phase::Z)?.into(), "nearest3d:grid=2x3x4,phase=z"),
            (
                Linear::new(traffic::Communication::named("digit-reverse")?.backwards(), 2, 4)?.into(),
                "linear:name=digit-reverse,scatter=true,k=2,n=4",
            ),
            (traffic::Scale::new(Halo::new(&[2, 2])?, 0.5)?.into(), "scale:of=[halo:grid=2x2],by=0.5"),
            (
                traffic::Sum::new(vec![Halo::new(&[2, 2])?.into(), Uniform::new(4)?.into()])?.into(),
                "sum:of=[halo:grid=2x2;uniform:tasks=4]",
            ),
            (
                traffic::Permute::new(Shift::new(4, 1)?, traffic::Order::Reverse).into(),
                "permute:of=[shift:by=1,tasks=4],by=reverse",
            ),
            (
                traffic::Subset::new(Uniform::new(4)?, 8, traffic::Which::Stride).into(),
                "subset:of=[uniform:tasks=4],of_tasks=8,at=stride",
            ),
            (
                Linear::new(traffic::Communication::named("gather")?.rank(1)?.polynomial(11), 8, 3)?.into(),
                "linear:name=gather,rank=1,k=8,n=3,polynomial=11",
            ),
            (traffic::NcclLog::open(&log, &Disk)?.trees()?.bytes(64).into(), &trees),
        ])
    };
    for (pattern, spec) in typed().expect("traffic") {
        assert_eq!(pattern.to_string(), spec);
        let read: Pattern = spec.parse().unwrap_or_else(|e| panic!("{spec}: {e}"));
        let same = |a: Result<Demand>, b: Result<Demand>| assert_eq!(a, b, "{spec}");
        same(pattern.demand(), read.demand());
    }
    for spec in ["halo", "uniform", "shift:groups=2,tasks=8", "linear:transpose", "subset:of=[uniform:tasks=4]"] {
        assert!(spec.parse::<Pattern>().is_err(), "`{spec}` leaves sizes to a machine");
    }
}

#[test]
fn an_error_keeps_its_cause() {
    let e = "file:no/such.file".parse::<Topology>().expect_err("no file");
    assert!(e.source().is_some_and(|cause| cause.is::<std::io::Error>()), "{e}");
    let e = "bandwidth".parse::<Topology>().expect_err("no family");
    assert!(e.source().is_none());
    let error = Error::failed("a").caused_by(std::fmt::Error);
    assert_eq!(error.clone(), Error::failed("a"), "a cause tells people nothing more");
}

#[test]
fn typed_routings_are_those_of_their_specs() {
    type Made = (Box<dyn Routing>, Topology, &'static str);
    let made = || -> Result<Vec<Made>> {
        let dragonfly = Dragonfly::new(2, 2, 1)?;
        let torus = Torus::new(&[4, 3])?;
        let tree = FatTree::k_ary(2, 3)?;
        let omega = Omega::new(2, 3)?;
        let percs = Percs::new(3, 4)?;
        let whole = |topology: Topology| topology.build().map(Arc::new);
        let (d, t, f) = (whole(dragonfly.clone().into())?, whole(torus.clone().into())?, whole(tree.clone().into())?);
        let (mesh, hyperx) = (Mesh::new(&[4, 3])?, HyperX::new(&[4, 3], 2)?.trunk(&[1, 2])?);
        let (o, p) = (whole(omega.clone().into())?, whole(percs.clone().into())?);
        let (m, h) = (whole(mesh.clone().into())?, whole(hyperx.clone().into())?);
        let paths = |detour| DragonflyPaths::new(&dragonfly, detour, &d);
        Ok(vec![
            (Box::new(paths(Detour::None)?), dragonfly.clone().into(), "minimal"),
            (Box::new(paths(Detour::Group)?), dragonfly.clone().into(), "valiant-restricted"),
            (Box::new(paths(Detour::Router)?), dragonfly.clone().into(), "valiant-any"),
            (Box::new(Dor::new(&torus, &t)?.tie(Tie::Split)), torus.clone().into(), "dor:tie=split"),
            (Box::new(DModK::new(&tree, &f)?.roots(2)?), tree.clone().into(), "d-mod-k:roots=2"),
            (Box::new(DestinationTag::new(&omega, &o)?), omega.clone().into(), "destination-tag"),
            (Box::new(Direct::new(&percs, Inside::SingleHop, &p)?), percs.clone().into(), "direct:inside=single-hop"),
            (
                Box::new(Indirect::new(&percs, Inside::Striped, &p)?.by_others()?.free_middle()),
                percs.clone().into(),
                "indirect:intermediates=other,middle=free",
            ),
            (Box::new(Shortest::new(t.clone())), torus.clone().into(), "shortest"),
            (Box::new(PerHop::new(Box::new(Shortest::new(t.clone())))), torus.clone().into(), "shortest:vcs=hops"),
            (
                Box::new(Ecmp::new(f.clone()).seed(3).flows(4)?.by_bandwidth(true).salted(false)),
                tree.clone().into(),
                "ecmp:seed=3,flows=4,weights=bandwidth,salt=none",
            ),
            (Box::new(LineOrder::on_mesh(&mesh, &m)?), mesh.clone().into(), "dor"),
            (Box::new(LineOrder::on_hyperx(&hyperx, &h)?), hyperx.clone().into(), "dor"),
        ])
    };
    for (typed, topology, spec) in made().expect("routings") {
        let fabric = Arc::new(topology.build().expect("a fabric"));
        let read: Spec = spec.parse().unwrap_or_else(|e| panic!("{spec}: {e}"));
        assert_eq!(read.to_string(), spec);
        let read = read.build(&topology, &fabric, &Disk).unwrap_or_else(|e| panic!("{spec}: {e}"));
        let job = Uniform::new(fabric.endpoints()).and_then(Uniform::demand).expect("a demand");
        let places: Vec<VertexId> = (0..fabric.endpoints()).map(VertexId).collect();
        let loads = |routing: &dyn Routing| loads::evaluate(&job, &places, routing).expect("loads").load;
        assert_eq!(loads(&*typed), loads(&*read), "{spec}");
    }
    // What adapts has no shares, whoever makes it.
    let torus = Torus::new(&[4, 3]).expect("a torus");
    let t = Arc::new(torus.build().expect("a fabric"));
    let nearer = Adaptive::minimal(&torus, &t).and_then(|r| r.channels(3)).expect("its own fabric");
    let up = Adaptive::up_down(&t).roots(&[VertexId(5), VertexId(2)]).expect("its routers");
    let (local, global) = (Adaptive::ugal_local(&t).threshold(4), Adaptive::ugal_global(&t));
    let params = [nearer.params(), up.params(), local.params(), global.params()];
    let adaptive: [(Box<dyn Routing>, &str); 4] = [
        (Box::new(nearer), "min-adaptive:adaptive=3"),
        (Box::new(up), "up-adaptive:roots=[t1-1,t2-0]"),
        (Box::new(local), "ugal-l:threshold=4"),
        (Box::new(global), "ugal-g"),
    ];
    for ((typed, spec), params) in adaptive.into_iter().zip(params) {
        assert_eq!(params.to_string(), spec);
        let read: Spec = spec.parse().unwrap_or_else(|e| panic!("{spec}: {e}"));
        let read = read.build(&torus.clone().into(), &t, &Disk).unwrap_or_else(|e| panic!("{spec}: {e}"));
        let refusal =
            |routing: &dyn Routing| routing.choices(VertexId(0), VertexId(1)).expect_err("no shares").to_string();
        assert_eq!(refusal(&*typed), refusal(&*read), "{spec}");
    }
    assert!(Adaptive::up_down(&t).roots(&[VertexId(12)]).is_err(), "a root that is not there");
    let dragonfly = Dragonfly::new(2, 4, 2).expect("a dragonfly");
    let d = Arc::new(dragonfly.build().expect("a fabric"));
    let booksim = Adaptive::ugal_booksim(&dragonfly, &d).expect("a dragonfly");
    assert_eq!(booksim.params().to_string(), "ugal-l:like=booksim");
    assert_eq!(booksim.threshold(0).params().to_string(), "ugal-l:threshold=0,like=booksim");
    // A network of other sizes is refused, and one with a cable less.
    let (small, large) = (Torus::new(&[4]).expect("a ring"), Torus::new(&[5]).expect("a ring"));
    let e = Dor::new(&small, &Arc::new(large.build().expect("a fabric"))).err().expect("a mismatch");
    assert_eq!(e.to_string(), "routing `dor` of torus:dims=4 needs its whole network, not torus:dims=5");
}
