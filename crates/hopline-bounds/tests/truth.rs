//! Exact values of `collectives/truth.json`, a data set beside the repository; networks of our own are in `brute_force.rs`.

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline::error::Result;
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::plan::Network as Machine;
use hopline::routing::{Path, Routing};
use hopline::scenario::Scenario;
use hopline_bounds::{
    Network, Operation, Routes, Switches, algorithms, bound, concurrent, on_tables, relayed, separation, trees,
};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;

/// The directory of the data set, where there is one.
fn data() -> Option<PathBuf> {
    skip::data("collectives").map(PathBuf::from)
}

fn read(path: PathBuf) -> Value {
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

fn network(value: &Value) -> Network {
    let words = |key: &str| {
        let words = value[key].as_array().expect("a list").iter();
        words.map(|w| w.as_str().expect("a name").to_string()).collect::<Vec<_>>()
    };
    let names: Vec<String> = [words("ranks"), words("switches")].concat();
    let at = |v: &Value| names.iter().position(|n| n == v.as_str().expect("a name")).expect("a vertex") as u32;
    let links = value["links"].as_array().expect("links").iter();
    let links: Vec<_> =
        links.map(|l| (at(&l[0]), at(&l[1]), (l[2].as_f64().expect("GB/s") * 1e9).round() as u64)).collect();
    Network::new(names.clone(), (0..words("ranks").len() as u32).collect(), links).expect("a network")
}

#[test]
fn cut_bounds_are_the_known_fractions() {
    let Some(data) = data() else { return };
    let truth = read(data.join("truth.json"));
    for (name, truth) in truth.as_object().expect("fabrics") {
        let network = network(&read(data.join("fabrics").join(format!("{name}.json"))));
        for (operation, key) in [
            (Operation::Allgather, "allgather_seconds_per_GB_of_shard"),
            (Operation::ReduceScatter, "reduce_scatter_seconds_per_GB_of_shard"),
        ] {
            let least = bound(&network, operation, 0, Switches::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
            least.check(&network, operation, 0).unwrap_or_else(|e| panic!("{name}: {e}"));
            let (a, b) = least.fraction();
            let text = if b == 1 { a.to_string() } else { format!("{a}/{b}") };
            assert_eq!(Some(text.as_str()), truth[key].as_str(), "{name}");
        }
    }
}

#[test]
fn a_root_gives_what_its_smallest_cut_takes() {
    let Some(data) = data() else { return };
    let truth = read(data.join("truth.json"));
    for (name, truth) in truth.as_object().expect("fabrics") {
        let network = network(&read(data.join("fabrics").join(format!("{name}.json"))));
        let roots: Vec<f64> = network
            .ranks()
            .iter()
            .map(|&root| {
                separation(&network, root, false).expect("a cut").expect("limited").border().bytes_s() as f64 / 1e9
            })
            .collect();
        for (key, own) in [
            ("broadcast_GBps_worst_root", roots.iter().copied().fold(f64::INFINITY, f64::min)),
            ("broadcast_GBps_best_root", roots.iter().copied().fold(0.0, f64::max)),
        ] {
            if let Some(known) = truth[key].as_f64() {
                assert!((own - known).abs() < 1e-5 * known, "{name} {key}: {own}, known is {known}");
            }
        }
    }
}

/// A fabric of the data set as a machine: a family of ours where its routes are one's, else the file.
fn machine(name: &str, data: &std::path::Path) -> Machine {
    let (topology, routing) = match name {
        "torus4x4" => ("torus:dims=4x4,bandwidth=25".to_string(), Some("dor")),
        "fattree3-os" => ("fat-tree:down=4x4x4,up=1x2x2,host=25,bandwidth=25".into(), Some("d-mod-k")),
        "ft16-thin" => ("fat-tree:down=4x4,up=1x2,host=25,bandwidth=5".into(), Some("d-mod-k")),
        "dragonfly-2-4-2" => ("dragonfly:p=2,a=4,h=2,local=25,global=25,host=25".into(), Some("minimal")),
        "dragonfly-2-4-2-thin" => ("dragonfly:p=2,a=4,h=2,local=25,global=10,host=100".into(), Some("minimal")),
        "dragonfly-2-2-1-thin" => ("dragonfly:p=2,a=2,h=1,local=25,global=10,host=100".into(), Some("minimal")),
        name => (format!("file:{}", data.join("fabrics").join(format!("{name}.json")).display()), None),
    };
    let mut scenario = Scenario::default().topology(&topology).expect("a topology");
    if let Some(routing) = routing {
        scenario = scenario.routing(routing).expect("a routing");
    }
    Machine::new(&scenario, &Disk).unwrap_or_else(|e| panic!("{name}: {e}"))
}

#[test]
fn algorithms_take_the_known_times() {
    let Some(data) = data() else { return };
    let known = read(data.join("algorithms.json"));
    let mut compared = 0;
    for (name, known) in known.as_object().expect("fabrics") {
        let machine = machine(name, &data);
        let slots = machine.fabric.slots();
        let mut routes = Routes::new(&*machine.routing, &slots);
        for algorithm in algorithms(Operation::Allgather, slots.len() as u32, 0, &[]) {
            let Some(known) = known[algorithm.name.replace('-', " ")].as_array() else { continue };
            let own = routes.time(&algorithm).expect("routes");
            for (own, known) in [(own.seconds_per_gb, &known[0]), (own.busiest_seconds_per_gb, &known[1])] {
                let known = known.as_f64().expect("seconds");
                assert!((own - known).abs() < 1e-5 * known, "{name} {}: {own}, known is {known}", algorithm.name);
            }
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared} algorithms were compared");
}

/// What a linear program comes to, six digits of it.
#[track_caller]
fn is_known(name: &str, own: f64, known: &Value) {
    if let Some(known) = known.as_f64() {
        assert!((own - known).abs() < 2e-6 * known, "{name}: {own}, known is {known}");
    }
}

/// The fabrics whose linear programs are small, or all of them where time is given.
fn is_small(truth: &Value) -> bool {
    let ranks = if skip::is_slow() { 1000 } else { 16 };
    truth["ranks"].as_u64().expect("ranks") <= ranks
}

#[test]
fn trees_take_the_known_times() {
    let Some(data) = data() else { return };
    let truth = read(data.join("truth.json"));
    for (name, truth) in truth.as_object().expect("fabrics") {
        let network = network(&read(data.join("fabrics").join(format!("{name}.json"))));
        let plain = Switches::default();
        let able = Switches { copy: true, reduce: true };
        for (switches, key) in
            [(plain, "allreduce_trees_seconds_per_GB"), (able, "allreduce_switches_reduce_and_copy_seconds_per_GB")]
        {
            if truth[key].is_null() || !is_small(truth) {
                continue;
            }
            let found = trees(&network, Operation::Allreduce, switches).expect("solved").expect("small");
            let own = found.check(&network, Operation::Allreduce, switches).expect("a proof");
            is_known(&format!("{name} {key}"), own, &truth[key]);
        }
        for (operation, key) in [
            (Operation::Allgather, "allgather_by_plain_switches_seconds_per_GB_of_shard"),
            (Operation::ReduceScatter, "reduce_scatter_by_plain_switches_seconds_per_GB_of_shard"),
        ] {
            if !truth[key].is_null() {
                let found = trees(&network, operation, plain).expect("solved").expect("small");
                is_known(name, found.check(&network, operation, plain).expect("a proof"), &truth[key]);
            }
        }
    }
}

#[test]
fn flows_of_all_pairs_take_the_known_times() {
    let Some(data) = data() else { return };
    let truth = read(data.join("truth.json"));
    for (name, truth) in truth.as_object().expect("fabrics") {
        let known = &truth["alltoall_free_routes_seconds_per_GB_of_pair"];
        if known.is_null() || !is_small(truth) {
            continue;
        }
        let network = network(&read(data.join("fabrics").join(format!("{name}.json"))));
        let found = concurrent(&network).expect("solved").expect("limited");
        is_known(name, found.check(&network).expect("a proof"), known);
        is_known(name, found.reached_seconds_per_gb(), known);
    }
}

/// Routes of a fabric of two levels by a rule of its own: the spine that a message to a host takes.
struct BySpine {
    fabric: Arc<Fabric>,
    spine: fn(u32) -> u32,
}

impl Routing for BySpine {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        Ok(1)
    }

    fn path(&self, source: VertexId, target: VertexId, _: u64, path: &mut Path) -> Result<()> {
        let fabric = &self.fabric;
        let to = |from: VertexId, to: VertexId| fabric.out_links(from).find(|&link| fabric.target(link) == to);
        let leaf = |host: VertexId| fabric.out_links(host).map(|link| fabric.target(link)).next().expect("a leaf");
        let (up, down) = (leaf(source), leaf(target));
        let ups = fabric.out_links(up).map(|link| fabric.target(link)).filter(|&v| v >= VertexId(fabric.endpoints()));
        let spine = ups.collect::<Vec<_>>()[(self.spine)(target.0) as usize];
        let stops = if up == down { vec![source, up, target] } else { vec![source, up, spine, down, target] };
        path.links = stops.windows(2).map(|ends| to(ends[0], ends[1]).expect("a link")).collect();
        path.share = 1.0;
        Ok(())
    }
}

#[test]
fn routes_cost_what_is_known() {
    let Some(data) = data() else { return };
    let known = read(data.join("fixed-routes.json"));
    let mut compared = 0;
    for known in known.as_array().expect("fabrics") {
        let (name, rule) = (known["fabric"].as_str().expect("a name"), known["routes"].as_str().expect("a rule"));
        let machine = machine(name, &data);
        // Rules that no routing of ours has.
        let fabric = machine.fabric.clone();
        let own = match rule {
            "spine = leaf of the target mod 2" => Some(BySpine { fabric, spine: |host| host / 4 % 2 }),
            "all through spine 0" => Some(BySpine { fabric, spine: |_| 0 }),
            _ => None,
        };
        let routing: &dyn Routing = own.as_ref().map_or(&*machine.routing, |own| own);
        let (slots, least) = (machine.fabric.slots(), known["allgather_fixed"].as_f64().expect("seconds"));
        let (n, mut routes) = (slots.len() as u32, Routes::new(routing, &slots));
        let found = on_tables(&mut routes, n, false).expect("solved").expect("bandwidths");
        let own = found.seconds_per_gb();
        assert!((own - least).abs() < 1e-6 * least, "{name}, {rule}: {own}, known is {least}");
        let again = found.check(&mut routes, n, false).expect("a proof");
        assert!((again - own).abs() < 1e-9 * own, "{name}: {again} for {own}");
        let found = relayed(&mut routes, n).expect("solved").expect("bandwidths");
        is_known(name, found.check(&mut routes, n).expect("a proof"), &known["alltoall_fixed_with_relays"]);
        for algorithm in algorithms(Operation::Alltoall, n, 0, &[]).iter().filter(|a| a.name == "at-once") {
            is_known(name, routes.time(algorithm).expect("routes").seconds_per_gb, &known["alltoall_direct"]);
        }
        compared += 1;
    }
    assert!(compared >= 4, "{compared} fabrics were compared");
}
