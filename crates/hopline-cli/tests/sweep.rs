//! Sweeps: results that survive a kill, parts, what is reused, and what a point is.

mod common;

use common::{Scratch, command, hopline};
use serde_json::Value;
use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// 200 points of flits, some milliseconds each.
const FLITS: &str = r#"
topology = "dragonfly:p=1,a=4,h=1"
traffic = "uniform"
[sweep]
command = "flits"
load = "0.05:0.5:0.05"
routing = ["minimal", "valiant-any"]
seed = "1:10"
cycles = 3000
warmup = 500
"#;

/// A sweep of the directory, started.
fn start(dir: &Scratch, words: &str) -> Child {
    let here = dir.path("").to_string_lossy().into_owned();
    let words = format!("sweep {words}").replace("DIR/", &here);
    let mut command = command(words.split_whitespace().map(String::from));
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().expect("hopline")
}

/// Lines of all logs, without those that are being written.
fn finished(dir: &Scratch, out: &str) -> usize {
    let Ok(logs) = fs::read_dir(dir.path(&format!("{out}/points"))) else { return 0 };
    logs.flatten().map(|log| fs::read_to_string(log.path()).map_or(0, |text| text.matches('\n').count())).sum()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn tables(dir: &Scratch, out: &str) -> [String; 2] {
    ["results.jsonl", "results.csv"].map(|name| dir.read(&format!("{out}/{name}")))
}

#[test]
fn a_sweep_killed_five_times_has_the_bytes_of_one_that_was_not() {
    let dir = Scratch::new("sweep-kill");
    dir.write("s.toml", FLITS);
    dir.hopline("sweep DIR/s.toml --out DIR/whole --threads 1").done();
    let expected = tables(&dir, "whole");
    assert_eq!(expected[0].lines().count(), 200);

    let mut kills = 0;
    for round in 1..=5 {
        let mut child = start(&dir, "DIR/s.toml --out DIR/killed --threads 2");
        let patience = Instant::now();
        while finished(&dir, "killed") < round * 30 && child.try_wait().expect("child").is_none() {
            assert!(patience.elapsed() < Duration::from_secs(120), "no progress");
            sleep(Duration::from_millis(2));
        }
        kills += usize::from(child.try_wait().expect("child").is_none());
        // SIGKILL.
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(!dir.path("killed/results.csv").exists(), "no table before all points are there");
    }
    assert_eq!(kills, 5, "it was finished before it could be killed");
    let shown = json(&dir.hopline("sweep show DIR/killed --format json").done());
    let (rows, missing) =
        (shown["points"].as_array().expect("points").len(), shown["missing"].as_u64().expect("missing"));
    assert!(rows >= 150 && rows as u64 + missing == 200, "{rows} and {missing}");

    // What a kill may leave of a line.
    let log = dir.names("killed/points").remove(0);
    let mut half = fs::read(dir.path(&format!("killed/points/{log}"))).expect("log");
    half.truncate(half.len() - 100);
    dir.write("killed/points/half.log", half);
    dir.hopline("sweep DIR/s.toml --out DIR/killed --threads 2").done();
    assert_eq!(tables(&dir, "killed"), expected);
    let logged = finished(&dir, "killed");
    dir.hopline("sweep DIR/s.toml --out DIR/killed").done();
    assert_eq!(finished(&dir, "killed"), logged, "nothing is computed twice");
}

#[test]
fn a_point_is_what_the_command_prints() {
    let dir = Scratch::new("sweep-point");
    dir.write("s.toml", "topology = \"percs:ns=4,nd=1\"\ntraffic = \"halo\"\n[sweep]\ncommand = \"map\"\ntopology.nd = [1, 2]\nmapping = [\"default\", \"random\"]\nseed = [3]\nevaluations = 50\n");
    for threads in [1, 3] {
        let out = format!("out{threads}");
        dir.hopline(&format!("sweep DIR/s.toml --out DIR/{out} --threads {threads}")).done();
        let log = dir.names(&format!("{out}/points")).remove(0);
        let log = dir.read(&format!("{out}/points/{log}"));
        let mut documents: Vec<Value> = log.lines().map(|line| json(&line[17..])["document"].clone()).collect();
        assert_eq!(documents.len(), 4);
        for nd in [1, 2] {
            for mapping in ["default", "random"] {
                let line = format!(
                    "map --topology percs:ns=4,nd={nd} --traffic halo --mapping {mapping} --seed 3 --evaluations 50 --format json"
                );
                let mut single = json(&hopline(&line).done());
                // A point is not asked for by words.
                single["asked"] = Value::Array(Vec::new());
                let at = documents
                    .iter()
                    .position(|own| *own == single)
                    .unwrap_or_else(|| panic!("{line}: not among the points"));
                documents.remove(at);
            }
        }
    }
    assert_eq!(tables(&dir, "out1"), tables(&dir, "out3"));
}

#[test]
fn parts_side_by_side_or_merged_are_the_whole() {
    let dir = Scratch::new("sweep-parts");
    dir.write("s.toml", FLITS);
    let few = "--set seed=1:2 --set load=0.1:0.4:0.1";
    dir.hopline(&format!("sweep DIR/s.toml --out DIR/whole {few}")).done();
    // In one directory at the same time.
    let parts: Vec<Child> =
        (1..=3).map(|i| start(&dir, &format!("DIR/s.toml --out DIR/shared {few} --shard {i}/3 --threads 1"))).collect();
    for mut part in parts {
        assert!(part.wait().expect("ended").success());
    }
    assert_eq!(tables(&dir, "shared"), tables(&dir, "whole"));
    // Each in a directory of its own, counted from 0.
    for i in 0..2 {
        let said = dir.hopline(&format!("sweep DIR/s.toml --out DIR/own{i} {few} --shard {i}/2")).done();
        assert!(said.contains("8 points in DIR/own") && said.contains("8 missing"), "{said}");
        assert!(!dir.path(&format!("own{i}/results.csv")).exists());
    }
    dir.hopline("sweep merge DIR/own0 DIR/own1").done();
    assert_eq!(tables(&dir, "own0"), tables(&dir, "whole"));

    dir.hopline(&format!("sweep DIR/s.toml --out DIR/other {few} --set cycles=100")).done();
    let ran = dir.hopline("sweep merge DIR/own0 DIR/other");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("DIR/other: holds another sweep than DIR/own0"), "{}", ran.stderr);
}

/// The guide's lines for GNU parallel and for Kubernetes, as they stand there.
#[test]
fn other_launchers_need_no_more_than_a_line() {
    let page = fs::read_to_string(common::root().join("docs/src/sweeps.md")).expect("guide");
    let dir = Scratch::new("sweep-lines");
    dir.write("s.toml", FLITS.replace("\"1:10\"", "\"1:2\"").replace("3000", "300"));
    dir.hopline("sweep DIR/s.toml --out DIR/whole").done();
    let expected = tables(&dir, "whole");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let run = |line: &str, index: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", line]).current_dir(dir.path("")).env("PATH", &path).env("JOB_COMPLETION_INDEX", index);
        let done = shell.output().expect("sh");
        assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let pod = page.lines().find_map(|line| line.trim().strip_prefix("command: [sh, -c, '")?.strip_suffix("']"));
    let pod = pod.expect("a line for Kubernetes").replace("/data", &dir.path("").to_string_lossy());
    (0..16).for_each(|index| run(&pod, &index.to_string()));
    assert_eq!(tables(&dir, "out"), expected);

    if let Some(why) = common::launch::obstacle(&["parallel"]) {
        return common::skip::skip(why);
    }
    let line = page.lines().find(|line| line.starts_with("seq 16 | parallel")).expect("a line for GNU parallel");
    run(line, "");
    assert_eq!(tables(&dir, "DIR"), expected);
}

#[test]
fn changed_sweeps_reuse_what_is_still_true() {
    let dir = Scratch::new("sweep-reuse");
    let matrix = |amount: u32| dir.write("matrix.csv", format!("0,{amount}\n1,0\n"));
    matrix(5);
    let scenario = format!(
        "topology = \"full-mesh:n=4\"\n[sweep]\ncommand = \"load\"\ntraffic = [\"matrix:file={}\", \"alltoall\"]\nseed = [1, 2]\n",
        dir.path("matrix.csv").display()
    );
    dir.write("s.toml", &scenario);
    let run = |more: &str| {
        let before = finished(&dir, "out");
        dir.hopline(&format!("sweep DIR/s.toml --out DIR/out {more}")).done();
        finished(&dir, "out") - before
    };
    assert_eq!(run(""), 4);
    assert_eq!(run("--set seed=1:3"), 2, "the new seed alone");
    assert_eq!(run("--set seed=1"), 0);
    assert_eq!(dir.read("out/results.jsonl").lines().count(), 2, "what is asked for no more is not shown");
    let before = dir.read("out/results.csv");
    matrix(7);
    assert_eq!(run("--set seed=1"), 1, "the matrix has changed, all to all has not");
    assert_ne!(dir.read("out/results.csv"), before);
}

#[test]
fn points_that_fail_are_recorded_and_skipped() {
    let dir = Scratch::new("sweep-failed");
    dir.write(
        "s.toml",
        "topology = \"torus:dims=4\"\ntraffic = \"uniform\"\n[sweep]\ncommand = \"flits\"\nload = [0.1, 1.5]\nrouting = [\"dor\", \"direct\"]\ncycles = 200\n",
    );
    let ran = dir.hopline("sweep DIR/s.toml --out DIR/out");
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stdout.contains("1 point in DIR/out/results.csv and results.jsonl, 3 failed"), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("3 points failed, first load=0.1 routing=direct"), "{}", ran.stderr);
    let shown = json(&dir.hopline("sweep show DIR/out --format json").done());
    assert_eq!((shown["failed"].as_u64(), shown["missing"].as_u64()), (Some(3), Some(0)));
    let error = shown["failures"][1]["error"].as_str().expect("why");
    assert!(error.starts_with("DIR/s.toml:5: the load is 1.5"), "{error}");
    assert_eq!(dir.read("out/results.jsonl").lines().filter(|line| line.contains("\"error\":")).count(), 3);

    let before = finished(&dir, "out");
    assert_eq!(dir.hopline("sweep DIR/s.toml --out DIR/out").code, Some(3));
    assert_eq!(finished(&dir, "out"), before, "failures are not computed again");
    assert_eq!(dir.hopline("sweep DIR/s.toml --out DIR/out --retry-failed").code, Some(3));
    assert_eq!(finished(&dir, "out"), before + 3);
}

/// A point for which memory does not suffice takes the whole sweep along, once.
#[test]
fn a_point_that_takes_its_process_down_is_recorded_by_the_next_run() {
    let dir = Scratch::new("sweep-lost");
    dir.write("s.toml", "traffic = \"uniform\"\n[sweep]\ncommand = \"load\"\ntopology = [\"full-mesh:n=3\", \"full-mesh:n=3000\", \"full-mesh:n=4\"]\n");
    let out = dir.path("out");
    let program = env!("CARGO_BIN_EXE_hopline");
    let run = |more: &str| {
        let (file, out) = (dir.path("s.toml"), out.display());
        let script = format!(
            "ulimit -c 0; ulimit -v 600000; exec {program} sweep {} --out {out} --threads 1 {more}",
            file.display()
        );
        let done = std::process::Command::new("bash").args(["-c", &script]).output().expect("bash");
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    assert_eq!(run("").0, None, "it is lost with its second point");
    let begun = fs::read_dir(dir.path("out/begun")).expect("begun").count();
    assert_eq!((finished(&dir, "out"), begun), (1, 1));
    let (code, said) = run("");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("2 points in ") && said.contains("1 failed"), "{said}");
    let shown = json(&dir.hopline("sweep show DIR/out --format json").done());
    assert_eq!((shown["failed"].as_u64(), shown["missing"].as_u64()), (Some(1), Some(0)));
    let error = shown["failures"][0]["error"].as_str().expect("why");
    assert!(error.starts_with("its process was ended by signal 6, after an earlier one was lost"), "{error}");
    let logged = finished(&dir, "out");
    assert_eq!((run("").0, finished(&dir, "out")), (Some(3), logged), "it is not tried again");
    // With memory enough.
    dir.hopline("sweep DIR/s.toml --out DIR/out --retry-failed --set topology=full-mesh:n=3,full-mesh:n=4").done();
}

/// Every command that yields numbers, with options of its own.
#[test]
fn every_command_that_yields_numbers_can_be_swept() {
    let dir = Scratch::new("sweep-commands");
    let sweeps = [
        (
            "load",
            "topology = \"percs:ns=4,nd=1\"\ntraffic = \"halo\"",
            "mapping = [\"default\", \"random\"]\nhottest = 0",
            "throughput_gb_s",
        ),
        (
            "map",
            "topology = \"percs:ns=4,nd=1\"\ntraffic = \"halo\"",
            "mapping = [\"default\", \"random\"]",
            "hop_bytes",
        ),
        (
            "flits",
            "topology = \"torus:dims=4\"\ntraffic = \"uniform\"",
            "load = [0.1, 0.2]\ncycles = 200",
            "latency_cycles",
        ),
        (
            "replay",
            "topology = \"full-mesh:n=4\"\n[replay]\nL = 500",
            "schedule = [\"knomial:bytes=1K\", \"chain:bytes=1K\"]\nreplay.o = 100",
            "makespan_s",
        ),
        ("power", "topology = \"torus:dims=4x4\"\ntraffic = \"halo:grid=4x4\"", "spare = [true, false]", "watts"),
        (
            "collective",
            "topology = \"tree:arity=4x2\"",
            "name = [\"broadcast\", \"allreduce\"]\nsize = [\"1K\", \"2K\"]\nranks = 8",
            "bytes",
        ),
        ("fabric show", "topology = \"torus:dims=4x4\"", "topology.dims = [[4, 4], [2, 8]]", "mean_hops"),
        ("fabric check", "routing = \"shortest\"", "topology = [\"torus:dims=4\", \"full-mesh:n=4\"]", "pairs"),
        ("fabric route", "topology = \"full-mesh:n=4\"", "from = [\"r0\", \"r1\"]\nto = \"r3\"", "from"),
        ("fabric whatif", "topology = \"torus:dims=4x4\"", "each = [\"link\", \"switch\"]", "left"),
    ];
    for (k, (command, scenario, keys, result)) in sweeps.into_iter().enumerate() {
        let (head, tables) =
            scenario.split_once("\n[").map_or((scenario, String::new()), |(a, b)| (a, format!("\n[{b}")));
        dir.write("s.toml", format!("{head}\n{tables}\n[sweep]\ncommand = \"{command}\"\n{keys}\n"));
        let ran = dir.hopline(&format!("sweep DIR/s.toml --out DIR/out{k} --format json"));
        let shown = json(&ran.done());
        assert_eq!((shown["failed"].as_u64(), shown["missing"].as_u64()), (Some(0), Some(0)), "{command}: {shown:#}");
        let points = shown["points"].as_array().expect("points");
        assert!(points.len() >= 2, "{command}");
        assert!(points.iter().all(|point| !point[result].is_null()), "{command} has no {result}: {:#}", points[0]);
        let text = dir.hopline(&format!("sweep show DIR/out{k}")).done();
        assert!(text.ends_with("0 missing, 0 failed\n"), "{text}");
    }
}

#[test]
fn curves_are_means_over_seeds_with_their_range() {
    let dir = Scratch::new("sweep-curve");
    dir.write("s.toml", FLITS);
    dir.hopline("sweep DIR/s.toml --out DIR/out --set seed=1:2 --set load=0.1:0.3:0.1 --set cycles=300").done();
    let ran = dir.hopline("sweep show DIR/out --curve accepted -o DIR/a.svg");
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "wrote DIR/a.svg: 2 curves of accepted\n"));
    let svg = dir.read("a.svg");
    for word in
        ["minimal", "valiant-any", "accepted (flits per cycle and endpoint)", "load (flits per cycle and endpoint)"]
    {
        assert!(svg.contains(word), "{word}: {svg}");
    }
    let ran = dir.hopline("sweep show DIR/out --curve acepted -o DIR/b.svg");
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("did you mean `accepted`?"), "{}", ran.stderr);
    let ran = dir.hopline("sweep show DIR/out --curve accepted --over speed -o DIR/b.svg");
    assert!(ran.stderr.contains("no parameter is called `speed`"), "{}", ran.stderr);
    assert!(!dir.path("b.svg").exists());
}

#[test]
fn points_are_ranked_by_a_result() {
    let dir = Scratch::new("sweep-ranked");
    dir.hopline("sweep examples/sweep-layouts.toml --out DIR/out").done();
    let shown = json(&dir.hopline("sweep show DIR/out --by seconds --format json").done());
    let points = shown["points"].as_array().expect("points");
    let seconds: Vec<f64> = points.iter().map(|point| point["seconds"].as_f64().expect("seconds")).collect();
    assert!(seconds.len() >= 10 && seconds.is_sorted(), "{seconds:?}");
    let best = ["tp", "pp", "dp", "ep"].map(|axis| points[0][format!("traffic.{axis}")].as_u64());
    assert_eq!(best, [Some(4), Some(4), Some(8), Some(8)]);
    let ran = dir.hopline("sweep show DIR/out --by secunds");
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("--by: no point has a number called `secunds`; did you mean `seconds`?"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_dry_run_prints_points_and_computes_none_of_them() {
    let dir = Scratch::new("sweep-dry");
    dir.write("s.toml", FLITS);
    let text = dir.hopline("sweep DIR/s.toml --dry-run").done();
    assert!(text.contains("200 points of `hopline flits`, 0 finished"), "{text}");
    assert!(text.contains("estimates, from the smallest point"), "{text}");
    dir.hopline("sweep DIR/s.toml --out DIR/out --set seed=1,2").done();
    let before = finished(&dir, "out");
    let shown = json(&dir.hopline("sweep DIR/s.toml --out DIR/out --dry-run --format json").done());
    assert_eq!((shown["finished"].as_u64(), shown["missing"].as_u64()), (Some(40), Some(160)));
    assert!(shown["estimated_seconds"].as_f64().is_some_and(|s| s > 0.0 && s < 600.0), "{shown:#}");
    assert_eq!(shown["estimated_from"], "the times of 40 points that are finished");
    assert_eq!(finished(&dir, "out"), before);
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_computed() {
    let dir = Scratch::new("sweep-wrong");
    let of = |sweep: &str, words: &str| {
        dir.write("s.toml", format!("topology = \"percs:ns=4,nd=1\"\ntraffic = \"halo\"\n{sweep}"));
        let ran = dir.hopline(&format!("sweep DIR/s.toml --out DIR/out {words}"));
        assert_eq!(ran.code, Some(2), "{sweep}: {}", ran.stderr);
        assert!(!dir.path("out").exists(), "{sweep}");
        ran.stderr
    };
    let load = "[sweep]\ncommand = \"load\"\n";
    assert!(of("", "").contains("[sweep] names no command"));
    assert!(
        of("[sweep]\ncommand = \"laod\"\n", "")
            .starts_with("hopline: DIR/s.toml:4: `laod` cannot be swept; did you mean `load`?")
    );
    assert!(of(&format!("{load}maping = \"random\"\n"), "").contains(
        "s.toml:5: `maping` is no key of a scenario, and no option of `hopline load`; did you mean `mapping`?"
    ));
    assert!(of(&format!("{load}threads = [1, 2]\n"), "").contains("it changes no result"));
    assert!(of(&format!("{load}report = \"page.html\"\n"), "").contains("it changes no result"));
    assert!(of(load, "--set seed").contains("`seed` sets no key"));
    assert!(of(load, "--shard 3/2").contains("--shard: 3/2 is no part of a whole"));
    assert!(of(load, "--memory much").contains("--memory: `much` is no size such as 8GB"));
    let ran = dir.hopline("sweep show DIR");
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (Some(2), "hopline: DIR: no results of a sweep; `hopline sweep SCENARIO --out DIR` fills a directory\n")
    );
}
