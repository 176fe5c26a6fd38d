//! What long runs keep and go on from: checkpoints of flits, directories of sweeps.

use crate::Target;
use crate::plain::{joined, parts, taken};
use crate::service::folder;
use hopline::files::Disk;
use hopline::flits::{FlitModel, Injection, Process, Progress, ROUTER, Router, Simulation, open, seal};
use hopline::forwarding::{self, Any, Wiring};
use hopline::id::SlotId;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::run::FlitsPoint;
use hopline::scenario::Scenario;
use hopline::traffic;
use hopline_sweep::store::Store;
use hopline_sweep::{outcome, table};
use sha2::{Digest, Sha256};
use std::fs;
use std::sync::{Arc, OnceLock};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "checkpoint",
        about: "the state of a simulation of flits, with a right sum so that what is in it is read",
        seeds: &[],
        reads: &["hopline/flits/checkpoint", "hopline/flits/stuck", "hopline/flits/wire", "hopline/run/flits/keep"],
        made: states,
        run: resumed,
    },
    Target {
        name: "sweep",
        about: "a directory of a sweep: its plan, a log with right checks, costs and what was begun; then its tables",
        seeds: &[],
        reads: &["hopline-sweep/store", "hopline-sweep/ordered", "hopline-sweep/outcome", "hopline-sweep/table"],
        made: || {
            let plan = "{\"schema\":\"hopline/sweep-points/1\",\"version\":\"0.1.0\",\"command\":\"load\",\"parameters\":[\"seed\"],\
                        \"points\":[{\"name\":\"p0\",\"values\":[1]},{\"name\":\"p1\",\"values\":[2]}]}\n";
            let log = "{\"point\":\"p0\",\"document\":{\"throughput_gb_s\":0.5,\"scenario\":{\"topology\":\"torus:dims=2x2\",\
                       \"mapping\":[\"default\"]}}}\n{\"point\":\"p1\",\"error\":\"it failed\"}\n";
            let costs = "{\"point\":\"p0\",\"seconds\":0.5,\"threads\":1,\"process_peak_bytes\":7}\n";
            vec![joined(&[plan, log, costs, "p1\n"].map(|text| text.as_bytes().to_vec()))]
        },
        run: swept,
    },
];

/// What the simulations are of: a torus of six routers.
struct Bench {
    network: Network,
    wiring: Arc<Wiring>,
    forwarding: Any,
}

fn bench() -> &'static Bench {
    static ONE: OnceLock<Bench> = OnceLock::new();
    ONE.get_or_init(|| {
        let scenario = Scenario::default().topology("torus:dims=3x2").expect("a topology");
        let network = Network::new(&scenario, &Disk).expect("a network");
        let wiring = Arc::new(Wiring::new(&network.fabric, 1).expect("wiring"));
        let (topology, fabric, routing) = (&network.topology, &network.fabric, &*network.routing);
        let context = forwarding::Context { topology, fabric, wiring: &wiring, routing };
        let forwarding = "dor".parse().and_then(|params| forwarding::build(&params, &context)).expect("a forwarding");
        Bench { network, wiring, forwarding }
    })
}

/// A simulation at its beginning.
fn simulation() -> Simulation<&'static Any> {
    let Bench { network, wiring, forwarding } = bench();
    let hosts = network.fabric.hosts();
    let context = traffic::Context { fabric: &network.fabric, slots: hosts.slots(), files: &Disk };
    let demand = "uniform".parse().and_then(|params| traffic::build(&params, &context)).expect("traffic").demand;
    let place: Vec<_> = (0..demand.tasks()).map(|task| hosts.endpoint_of(SlotId(task))).collect();
    let router = "router:packet=2,buffers=4".parse().and_then(|params: Params| Router::read(&params.check(&ROUTER)?));
    let injection = Injection { demand: &demand, place: &place, process: Process::Bernoulli, load: 0.5, seed: 7 };
    let setting = FlitModel::new(wiring.clone(), forwarding, router.expect("a router"), injection);
    Simulation::of_any(setting.expect("a setting"), 1)
}

/// States at the beginning and under way, behind the points that are done.
fn states() -> Vec<Vec<u8>> {
    let state = |cycles: u32| {
        let mut simulation = simulation();
        simulation.advance(cycles).expect("alone");
        joined(&[b"[]".to_vec(), Progress::default().save(&simulation).expect("alone")])
    };
    [0, 20, 300].map(state).into()
}

/// What is taken is written again as it was.
fn resumed(data: &[u8]) -> bool {
    let sealed = seal("fuzz", &parts(data, 2));
    let Some(parts) = taken(open("fuzz", &sealed)) else { return false };
    let [done, state] = parts[..] else { return false };
    let mut simulation = simulation();
    let Some(progress) = taken(Progress::load(&mut simulation, state)) else { return false };
    let again = progress.save(&simulation).expect("alone");
    taken(Progress::load(&mut self::simulation(), &again)).expect("what was written is read");
    serde_json::from_slice::<Vec<FlitsPoint>>(done).is_ok()
}

/// A line of a log with its check.
fn checked(line: &str) -> String {
    let digest = Sha256::digest(line.as_bytes());
    let check: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{check} {line}\n")
}

fn swept(data: &[u8]) -> bool {
    let dir = folder("sweep");
    let names = ["sweep.json", "points/w.log", "costs/w.jsonl", "begun/w.txt"];
    let given = parts(data, names.len());
    let write = || {
        for inner in ["points", "costs", "begun"] {
            fs::create_dir_all(dir.join(inner))?;
        }
        names.iter().zip(&given).try_for_each(|(name, bytes)| match *name {
            "points/w.log" => {
                let lines = String::from_utf8_lossy(bytes);
                fs::write(dir.join(name), lines.lines().map(checked).collect::<String>())
            }
            _ => fs::write(dir.join(name), bytes),
        })
    };
    write().expect("a folder in memory");
    let read = taken(Store::read(&dir.to_string_lossy())).is_some_and(|store| {
        taken(store.costs());
        taken(outcome::outcome(&store));
        taken(table::finish(&store)).is_some()
    });
    let _ = fs::remove_dir_all(&dir);
    read
}
