//! The JSON that programs rely on, and that the same plan and seed give the same bytes.

mod common;

use common::{Scratch, hopline};
use serde_json::Value;

fn json(line: &str) -> Value {
    let text = hopline(&format!("{line} --format json")).done();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{line}: {e}\n{text}"))
}

/// A document without the words that asked for it.
fn unasked(mut document: Value) -> Value {
    document.as_object_mut().expect("an object").remove("asked").expect("the words");
    document
}

#[track_caller]
fn has(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "no key `{key}` in {value:#}");
    }
}

fn class<'a>(outcome: &'a Value, name: &str) -> &'a Value {
    let classes = outcome["classes"].as_array().expect("classes");
    classes.iter().find(|c| c["name"] == name).unwrap_or_else(|| panic!("no class {name}"))
}

const HALO: &str = "--routing direct --traffic halo:grid=64x64";

/// The scenario of a document as a file.
fn as_toml(scenario: &Value) -> String {
    let keys = scenario.as_object().expect("a scenario");
    // Texts, numbers and lists of texts are written alike in JSON and TOML.
    keys.iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}

#[test]
fn documents_name_themselves_and_what_was_asked_for() {
    let desk = Scratch::new("documents");
    let commands = [
        (
            "load",
            "load",
            "--topology percs:ns=4,nd=2 --traffic halo:grid=16x32 --mapping row --routing indirect --seed 3",
        ),
        (
            "map",
            "map",
            "--topology torus:dims=4x4 --traffic halo:grid=4x4 --pin 0=t0-1 --objective hop-bytes --hosts first:16",
        ),
        ("flits", "flits", "--topology torus:dims=3 --traffic uniform --load 0.1,0.2 --cycles 400"),
        ("replay", "replay", "--topology full-mesh:n=2 --schedule halo-steps:grid=2x1 --model L=500,o=20"),
        ("power", "power", "--topology torus:dims=4x4 --traffic halo:grid=4x4"),
        ("fabric-whatif-each", "fabric whatif", "--topology torus:dims=3 --each link --traffic halo"),
    ];
    for (schema, command, options) in commands {
        let document = json(&format!("{command} {options}"));
        assert_eq!(document["schema"], format!("hopline/{schema}/1"));
        // Its words ask for the same again.
        let words: Vec<&str> = document["asked"].as_array().expect("words").iter().filter_map(Value::as_str).collect();
        assert_eq!(json(&words.join(" ")), document, "{words:?}");
        assert_eq!((&document["command"], &document["version"]), (&command.into(), &env!("CARGO_PKG_VERSION").into()));
        let file = desk.write(&format!("{schema}.toml"), as_toml(&document["scenario"]));
        let more = if schema == "fabric-whatif-each" { "--each link" } else { "" };
        let again = json(&format!("{command} {} {more}", file.display()));
        assert_eq!(unasked(again), unasked(document), "{options}");
    }
    // What takes no scenario has none.
    assert_eq!(json("record merge testdata/recordings/ring-4-aborted")["scenario"], Value::Null);
}

#[test]
fn load_on_percs() {
    let outcome = json(&format!("load --topology percs:ns=32,nd=4 {HALO} --mapping mod-coloring"));
    assert_eq!((&outcome["throughput_gb_s"], &outcome["bottleneck"]), (&64.0.into(), &"LR".into()));
    let lr = class(&outcome, "LR");
    assert_eq!((&lr["links"], &lr["max_load"]), (&24576.into(), &0.3125.into()));
    assert_eq!(lr["throughput_gb_s"], 64.0);
    has(lr, &["mean_load"]);
    has(&outcome, &["fabric", "routing", "traffic", "mapping", "tasks", "hosts", "unit", "seed", "notes", "hottest"]);
}

#[test]
fn fewer_d_links_make_them_the_bottleneck() {
    for (mapping, throughput) in [("mod-coloring", 20.0), ("default", 2.5)] {
        let outcome = json(&format!("load --topology percs:ns=32,nd=1 {HALO} --mapping {mapping}"));
        assert_eq!(
            (&outcome["throughput_gb_s"], &outcome["bottleneck"]),
            (&throughput.into(), &"D".into()),
            "{mapping}"
        );
        assert_eq!(class(&outcome, "D")["throughput_gb_s"], throughput, "{mapping}");
    }
}

#[test]
fn map_answers_candidates_and_the_best_of_them() {
    let outcome = json("map examples/percs-halo.toml");
    let candidates = outcome["candidates"].as_array().expect("candidates");
    let names: Vec<&str> = candidates.iter().filter_map(|c| c["mapping"].as_str()).collect();
    let asked = ["default", "drawer-sequential", "supernode-sequential", "supernode-random", "mod-coloring"];
    assert_eq!(names, asked, "in the order of the scenario");
    for candidate in candidates {
        has(candidate, &["mapping", "throughput_gb_s", "max_load", "hop_bytes", "bound", "bottleneck", "classes"]);
    }
    assert_eq!(outcome["best"], candidates[4], "the best has all that its candidate has");
    // `load` and `map` agree about one mapping.
    let load = json("load examples/percs-halo.toml --mapping mod-coloring");
    for key in ["throughput_gb_s", "max_load", "hop_bytes", "classes"] {
        assert_eq!(outcome["best"][key], load[key], "{key}");
    }
}

#[test]
fn bytes_have_a_time() {
    let outcome = json("load examples/place-my-job.toml --mapping default");
    assert_eq!(outcome["unit"], "bytes");
    let number = |value: &Value, key: &str| value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value:#}"));
    let hottest = &outcome["hottest"][0];
    let bandwidth = number(class(&outcome, hottest["class"].as_str().expect("class")), "bandwidth_gb_s");
    assert_eq!(number(&outcome, "seconds"), number(hottest, "load") / (bandwidth * 1e9), "load over bandwidth");
    assert_eq!(json("load examples/dragonfly-bit-complement.toml")["seconds"], Value::Null, "units have no time");
}

#[test]
fn fabric_commands() {
    let rack = "--fabric testdata/fabrics/rack64";
    let show = json(&format!("fabric show {rack}"));
    assert_eq!((&show["hosts"], &show["switches"], &show["routing"]), (&64.into(), &10.into(), &"table".into()));
    has(&show, &["fabric", "slots", "endpoints", "links", "classes", "levels", "diameter", "mean_hops", "notes"]);
    let route = json(&format!("fabric route {rack} node001 node064"));
    let guids: Vec<&str> = route["paths"][0]["hops"]
        .as_array()
        .expect("hops")
        .iter()
        .map(|hop| hop["guid"].as_str().expect("a GUID"))
        .collect();
    assert_eq!(guids, ["0x0002c90200410010", "0x0002c90200420020", "0x0002c90200410080"]);
    assert_eq!(route["choices"], 1);
    let check = json(&format!("fabric check {rack}"));
    assert_eq!((&check["pairs"], &check["broken"]), (&4032.into(), &0.into()));
    assert_eq!(check["problems"], Value::Array(Vec::new()));
}

#[test]
fn lists() {
    let all = json("list");
    for what in ["topology", "routing", "traffic", "mapping", "export"] {
        assert_eq!(json(&format!("list {what}"))[what], all[what], "{what}");
        for entry in all[what].as_array().expect(what) {
            let name = entry["name"].as_str().expect("name");
            let explained = json(&format!("explain {name}"));
            assert!(explained.as_array().expect(name).contains(entry), "{what} {name}");
        }
    }
}

/// Everything that draws random numbers, with little work for each.
const RANDOM: &str = "map --topology percs:ns=4,nd=1 --traffic halo:grid=8x16 --hosts random:32 \
                      --mapping default,random,node-random,greedy --format json";

#[test]
fn threads_do_not_change_a_byte() {
    let percs = format!("load --topology percs:ns=32,nd=4 {HALO} --mapping mod-coloring --format json");
    let job = "map examples/place-my-job.toml --format json";
    for line in [percs.as_str(), job, RANDOM] {
        let one = hopline(&format!("{line} --threads 1")).done();
        assert!(one == hopline(&format!("{line} --threads 2")).done(), "{line}");
        assert!(one == hopline(line).done(), "{line} with all threads");
    }
}

#[test]
fn a_seed_gives_the_same_bytes_and_another_seed_another_mapping() {
    let dir = Scratch::new("json-seed");
    let run = |seed: &str, name: &str| {
        let line = format!("map --topology torus:dims=4x4 --traffic halo --mapping random {seed} --format json");
        let ran = dir.hopline(&format!("{line} --export rankfile=DIR/{name}"));
        (unasked(serde_json::from_str(&ran.done()).expect("JSON")), dir.read(name))
    };
    assert!(run("--seed 7", "a") == run("--seed 7", "b"));
    assert!(run("", "c") == run("--seed 0", "d"), "the seed is 0 where none is given");
    // The outcome names its seed, so only the mapping shows that it was used.
    assert_ne!(dir.read("a"), dir.read("c"));
    let hosts = |seed: u32| {
        let line = "map --topology torus:dims=4x4 --traffic halo --hosts random:4";
        dir.hopline(&format!("{line} --export hostfile=DIR/hosts --seed {seed}")).done();
        dir.read("hosts")
    };
    assert_eq!(hosts(1), hosts(1));
    assert_ne!(hosts(1), hosts(2));
}

#[test]
fn a_scenario_and_options_are_two_spellings_of_one_thing() {
    let dir = Scratch::new("json-spellings");
    let text = "traffic = \"halo:grid=8x8\"\nmapping = [\"random\"]\nhosts = \"first:64\"\nseed = 5\n\
                [topology]\nkind = \"torus\"\ndims = [4, 4, 4]\n[routing]\nkind = \"dor\"\ntie = \"minus\"\n";
    dir.write("job.toml", text);
    let options =
        "--topology torus:dims=4x4x4 --routing dor:tie=minus --traffic halo:grid=8x8 --hosts first:64 --mapping random";
    let spelt = |line: &str| {
        let text = dir.hopline(&format!("load {line} --format json")).done();
        unasked(serde_json::from_str(&text).expect("JSON"))
    };
    assert_eq!(spelt("DIR/job.toml"), spelt(&format!("{options} --seed 5")));
    // An option replaces what the file says, the seed too.
    assert_eq!(spelt("DIR/job.toml --traffic bit-complement --seed 6")["seed"], 6);
    let replaced = spelt("DIR/job.toml --traffic bit-complement");
    assert_eq!((&replaced["traffic"], &replaced["seed"]), (&"bit-complement".into(), &5.into()));
}

#[test]
fn flits_answer_a_point_per_load() {
    let line = "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --load 0.1,0.3 --warmup 200 --cycles 2000";
    let outcome = json(line);
    let points = outcome["points"].as_array().expect("points");
    assert_eq!(points.iter().map(|p| p["load"].as_f64()).collect::<Vec<_>>(), [Some(0.1), Some(0.3)]);
    for (point, latency) in points.iter().zip([7.8, 8.2]) {
        has(point, &["accepted_ci", "latency_ci", "cycles", "flit_hops", "deadlock", "saturated", "classes", "lost"]);
        let near = |key: &str, value: f64, slack: f64| {
            let found = point[key].as_f64().unwrap_or_else(|| panic!("{key} in {point:#}"));
            assert!((found - value).abs() < slack, "{key}: {found}, not {value}");
        };
        near("accepted", point["load"].as_f64().expect("load"), 0.005);
        near("latency_cycles", latency, 0.1);
        assert_eq!((&point["cycles"], &point["deadlock"]), (&2000.into(), &Value::Null));
    }
    // A scenario says the same, and options replace its keys.
    let dir = Scratch::new("json-flits");
    let text = "topology = \"dragonfly:p=2,a=4,h=2\"\ntraffic = \"uniform\"\n\
                [flits]\nload = [0.1, 0.3]\nwarmup = 200\ncycles = 9\n";
    dir.write("flits.toml", text);
    let same = dir.hopline("flits DIR/flits.toml --cycles 2000 --format json").done();
    assert_eq!(unasked(serde_json::from_str(&same).expect("JSON")), unasked(outcome));
    let one = hopline(&format!("{line} --format json --threads 1")).done();
    for threads in [2, 3] {
        assert!(one == hopline(&format!("{line} --format json --threads {threads}")).done(), "{threads} threads");
    }
}

#[test]
fn flits_stop_when_they_know_enough() {
    let outcome = json("flits --topology torus:dims=4x4 --traffic uniform --load 0.2,0.9 --until 3%@95%");
    assert_eq!(outcome["confidence"], 0.95);
    for point in outcome["points"].as_array().expect("points") {
        let number = |key: &str| point[key].as_f64().unwrap_or_else(|| panic!("{key} in {point:#}"));
        assert!(number("accepted_ci") <= 0.03 * number("accepted"), "{point:#}");
        assert!(point["saturated"] == true || number("latency_ci") <= 0.03 * number("latency_cycles"), "{point:#}");
    }
}

#[test]
fn an_exchange_ends_by_itself() {
    let outcome = json("flits --topology torus:dims=4x4 --traffic halo:grid=4x4 --inject exchange:bytes=6400");
    let point = &outcome["points"][0];
    // 100 flits to each of 4 neighbours over 4 links, all at once: a flit per cycle and endpoint at most.
    let cycles = point["cycles"].as_f64().expect("cycles");
    assert!((400.0..800.0).contains(&cycles), "{cycles}");
    assert_eq!((&point["load"], &point["saturated"]), (&Value::Null, &false.into()));
}

/// A trace of one play is too short for `learn`; who asked for `static` as well gets that.
#[test]
fn a_policy_that_cannot_learn_takes_no_other_with_it() {
    let line = "power --topology torus:dims=4x2 --schedule halo-steps:grid=2x4,steps=1,compute=2000000 --policy";
    let outcome = json(&format!("{line} static,learn"));
    let candidate = &outcome["candidates"][0];
    let policies = candidate["policies"].as_array().expect("policies");
    assert_eq!(policies.iter().map(|p| p["policy"].as_str()).collect::<Vec<_>>(), [Some("static")]);
    let note = "policy learn is left out: the job has 1 iterations, and 1 are to be learned from; repeat the schedule with --iterations";
    assert_eq!(candidate["notes"], serde_json::json!([note]));
    // A guard that is asked for is no better off; alone, there is nothing to show.
    let refused = hopline(&format!("{line} learn,threshold:iterations=3"));
    assert!(refused.stderr.contains("the job has 1 iterations, and 1 are to be learned from"), "{}", refused.stderr);
}

#[test]
fn collectives_by_hosts_say_that_ranks_do_not_divide() {
    let said = "supernode takes every rank for a host of its own: the 4 slots of a host do not divide 10 ranks";
    let machine = "--topology percs:ns=1,nd=1,slots=4";
    for (keys, noted) in [("--ranks 10", true), ("--ranks 10 --cores 1", false), ("--ranks 12", false)] {
        let outcome = json(&format!("collective alltoall {machine} {keys} --size 1K"));
        assert_eq!(outcome["notes"].to_string().contains(said), noted, "{keys}: {}", outcome["notes"]);
    }
    for (keys, noted) in [("", true), (",cores=1", false)] {
        let outcome = json(&format!("replay {machine} --schedule collective:supernode:ranks=10{keys}"));
        assert_eq!(outcome["notes"].to_string().contains(said), noted, "{keys}: {}", outcome["notes"]);
    }
}
