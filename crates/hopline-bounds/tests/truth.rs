//! Exact values of `collectives/truth.json`, a data set beside the repository; networks of our own are in `brute_force.rs`.

use hopline_bounds::{Network, Rates, allgather, reduce_scatter};
use serde_json::Value;
use std::path::PathBuf;

/// The directory of the data set, where there is one.
fn data() -> Option<PathBuf> {
    let data = std::env::var_os("HOPLINE_DATA").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    data.or_else(|| beside.is_dir().then_some(beside)).map(|data| data.join("collectives"))
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
        let cut = allgather(&network).unwrap_or_else(|e| panic!("{name}: {e}"));
        cut.check(&network).unwrap_or_else(|e| panic!("{name}: {e}"));
        let text = |(a, b): (u64, u64)| if b == 1 { a.to_string() } else { format!("{a}/{b}") };
        let known = |key: &str| truth[key].as_str().map(str::to_string);
        assert_eq!(Some(text(cut.fraction())), known("allgather_seconds_per_GB_of_shard"), "{name}");
        let reduced = reduce_scatter(&network).unwrap_or_else(|e| panic!("{name}: {e}"));
        reduced.check(&network).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(Some(text(reduced.fraction())), known("reduce_scatter_seconds_per_GB_of_shard"), "{name}");
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
            .map(|&root| Rates::from(&network, root).expect("a rate").least().expect("limited").bytes_s() as f64 / 1e9)
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
