//! `hopline blame` as a user types it: exit codes, what is refused, files for other tools.

mod common;
#[path = "blame/throttled.rs"]
mod throttled;

use common::{Scratch, hopline};
use serde_json::Value;
use std::process::Command;

const RACK: &str = "--fabric testdata/fabrics/rack64";
const SLOW: &str = "testdata/blame/rack64-slow-link.csv";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn a_slow_link_is_named_with_code_3() {
    let ran = hopline(&format!("blame {RACK} --measured {SLOW} --format json"));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let answer = json(&ran.stdout);
    assert_eq!((&answer["schema"], &answer["command"]), (&"hopline/blame/1".into(), &"blame".into()));
    assert_eq!(answer["verdict"]["kind"], "blame");
    let suspects = answer["suspects"].as_array().expect("suspects");
    assert_eq!(suspects.len(), 1, "{suspects:?}");
    assert_eq!(suspects[0]["name"], "leaf05/U1[35] -> spine01/U1[5]");
    assert!((0.4..0.6).contains(&suspects[0]["rate"].as_f64().expect("a rate")));
    let text = hopline(&format!("blame {RACK} --measured {SLOW}"));
    assert_eq!(text.code, Some(3));
    assert!(text.stdout.contains("leaf05/U1[35] -> spine01/U1[5]"), "{}", text.stdout);
    let table = hopline(&format!("blame {RACK} --measured {SLOW} --format csv"));
    assert!(table.stdout.starts_with("kind,name,rate,"), "{}", table.stdout);
}

#[test]
fn a_directory_is_read_and_what_it_does_not_know_is_told() {
    let desk = Scratch::new("blame-directory");
    let text = std::fs::read_to_string(common::root().join(SLOW)).expect("the example");
    desk.write("runs/pairs.csv", text);
    desk.write("runs/README", "What was measured on Tuesday, and by whom: see the wiki.\n");
    let ran = hopline(&format!("blame {RACK} --measured {} --format json", desk.path("runs").display()));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    assert!(ran.stdout.contains("README: left out"), "{}", ran.stdout);
    let refused = [
        (desk.write("empty/README", "nothing here to see, move on\n"), "not a measurement that is known"),
        (desk.write("hosts.csv", "src,dst,gbytes_per_s\nx1,x2,3.0\n"), "the fabric knows no"),
        (
            desk.write("bad.csv", "src,dst,gbytes_per_s\nnode001,node002,3,0\nnode001,node002,quick\n"),
            "bad.csv:3: `quick`",
        ),
    ];
    for (path, why) in refused {
        let ran = hopline(&format!("blame {RACK} --measured {}", path.display()));
        assert_eq!(ran.code, Some(2), "{why}");
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn plans_are_written_for_the_tools_that_run_them() {
    let desk = Scratch::new("blame-plan");
    let path = |name: &str| desk.path(name).display().to_string();
    let [kit, bench, script, slurm] = ["kit.txt", "bench.txt", "run.sh", "srun.sh"].map(path);
    let line = format!(
        "blame plan {RACK} --crossings 1 --export clusterkit={kit} --export superbench={bench} --export mpirun={script} --export srun={slurm} --format json"
    );
    let plan = json(&hopline(&line).done());
    let rounds = plan["rounds"].as_array().expect("rounds");
    let pairs: usize = rounds.iter().map(|r| r.as_array().expect("pairs").len()).sum();
    assert!(pairs > 20 && plan["covered"] == plan["links"], "{plan}");
    assert_eq!(desk.read("kit.txt").lines().count(), pairs);
    assert_eq!(desk.read("bench.txt").lines().count(), rounds.len());
    assert_eq!(desk.read("bench.txt.hosts").lines().count(), 64);
    for script in [&script, &slurm] {
        assert!(Command::new("sh").args(["-n", script]).status().expect("sh").success(), "{script}");
    }
    let part = json(&hopline(&format!("blame plan {RACK} --hosts node[001-008] --format json")).done());
    assert_eq!(part["hosts"].as_array().map(Vec::len), Some(8));
    let unknown = hopline(&format!("blame plan {RACK} --hosts moon1,moon2"));
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("no host `moon1`"), "{}", unknown.stderr);
}

/// The script of a plan, run with a launcher and a benchmark that only pretend, feeds the answer back. The pretended `srun` sorts hosts
/// that it is told by `-w`, as Slurm does.
#[test]
fn the_script_of_a_plan_measures_and_asks() {
    for (form, from) in [
        ("mpirun", "from=${4%%,*}"),
        (
            "srun",
            "case \"$*\" in *-w*) from=$(echo \"$*\" | grep -o 'node[0-9]*' | sort | head -1);; *arbitrary*) read -r from <\"$SLURM_HOSTFILE\";; esac",
        ),
    ] {
        let desk = Scratch::new("blame-script");
        let script = desk.path("run.sh").display().to_string();
        hopline(&format!("blame plan {RACK} --crossings 2 --export {form}={script}")).done();
        // Host 5 sends at half its rate.
        let fake = format!(
            "#!/bin/sh\n{from}\nrate=3600\n[ \"$from\" = node005 ] && rate=1800\n\
             printf '# OSU MPI Bandwidth Test v7.3\\n# Size      Bandwidth (MB/s)\\n1048576  %s.%02d\\n' $rate $(( $$ % 90 ))\n"
        );
        let bin = desk.write(&format!("bin/{form}"), &fake);
        Command::new("chmod").args(["+x".as_ref(), bin.as_os_str()]).status().expect("chmod");
        let own = std::path::Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("a directory").to_path_buf();
        let search =
            format!("{}:{}:{}", desk.path("bin").display(), own.display(), std::env::var("PATH").unwrap_or_default());
        let run = Command::new("sh")
            .arg(&script)
            .current_dir(common::root())
            .env("PATH", search)
            .env("OUT", desk.path("out"))
            .output()
            .expect("sh");
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        assert_eq!(run.status.code(), Some(3), "{form}: {said}{}", String::from_utf8_lossy(&run.stderr));
        assert!(said.contains("host node005 (what it sends)"), "{form}: {said}");
        let answer = json(&desk.read("out.answer.json"));
        assert_eq!(answer["command"], "blame", "the answer is kept");
        let first = desk.read("out/rounds.0.txt");
        assert!(first.lines().filter(|l| l.starts_with("0 node")).count() > 10, "{first}");
        let notes = answer["notes"].as_array().expect("notes");
        assert!(notes.iter().all(|n| n.as_str().is_some_and(|n| !n.contains("without a round"))), "{notes:?}");
    }
}

#[test]
fn expected_values_name_what_limits_them() {
    let answer = json(&hopline(&format!("blame expect {RACK} --ring node[001-004] --format json")).done());
    let pairs = answer["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 4);
    assert!(pairs.iter().all(|p| p["expected_gb_s"] == 4.0 && p["flows_on_it"] == 1), "{pairs:?}");
    let bus = answer["bus_gb_s"].as_f64().expect("a rate");
    assert!((bus - 4.0).abs() < 1e-9 && answer["verdict"].is_null(), "{answer}");
    for (got, kind) in [("3.7", "normal"), ("2.0", "low"), ("4.5", "high")] {
        let asked = hopline(&format!("blame expect {RACK} --ring node[001-004] --got {got} --format json")).done();
        assert_eq!(json(&asked)["verdict"]["kind"], kind, "{asked}");
    }
    let crowd = json(&hopline(&format!("blame expect {RACK} --alltoall node[001-004] --format json")).done());
    let rate = crowd["pairs"][0]["expected_gb_s"].as_f64().expect("a rate");
    assert!((rate - 4.0 / 3.0).abs() < 1e-6, "{rate}");
    // busbw of an all-to-all is what a host sends to all others.
    assert!((crowd["bus_gb_s"].as_f64().expect("a rate") - 4.0).abs() < 1e-6, "{crowd}");
    // What has no rate is no measure.
    let desk = Scratch::new("blame-no-rate");
    let tree = hopline("fabric export json --topology tree:arity=4x2").done();
    let tree = desk.write("tree.json", tree).display().to_string();
    let ran = hopline(&format!("blame expect --fabric {tree} --ring e0,e1 --got 2"));
    assert!(ran.code == Some(2) && ran.stderr.contains("have no rate"), "{}{}", ran.stdout, ran.stderr);
    for (hosts, why) in
        [("node[001-002],node002", "stands twice"), ("node001", "at least two"), ("moon1,node001", "no host `moon1`")]
    {
        let ran = hopline(&format!("blame expect {RACK} --alltoall {hosts}"));
        assert!(ran.code == Some(2) && ran.stderr.contains(why), "{}", ran.stderr);
    }
}

#[test]
fn a_page_marks_suspects_and_shows_what_pairs_lack() {
    let desk = Scratch::new("blame-page");
    let page = desk.path("page.html");
    let ran = hopline(&format!("blame {RACK} --measured {SLOW} --report {}", page.display()));
    assert_eq!(ran.code, Some(3), "{}", ran.stderr);
    let html = desk.read("page.html");
    let again = format!("--measured {SLOW}");
    for part in [
        "The fabric, suspects in colour",
        "Measured over expected",
        "Measure next",
        "links at usual rate",
        "class=\"link s7\"",
        "leaf05/U1[35]",
        &again,
    ] {
        assert!(html.contains(part), "{part}");
    }
}

#[test]
fn answers_are_kept_and_told_together() {
    let desk = Scratch::new("blame-store");
    let store = desk.path("store").display().to_string();
    let none = hopline(&format!("blame history {store}"));
    assert!(none.code == Some(2) && none.stderr.contains("no answer is kept here"), "{}", none.stderr);
    for _ in 0..2 {
        let ran = hopline(&format!("blame {RACK} --measured testdata/blame/rack64-slow-link.csv --store {store}"));
        assert!(ran.code == Some(3) && ran.stderr.contains("wrote "), "{}", ran.stderr);
    }
    let told = json(&hopline(&format!("blame history {store} --format json")).done());
    let (answers, part) = (told["answers"].as_array().expect("answers"), &told["parts"][0]);
    assert!(answers.len() == 2 && answers[0]["kind"] == "blame", "{told}");
    assert!(part["times"] == 2 && part["still"] == true, "{told}");
    let text = hopline(&format!("blame history {store}")).done();
    assert!(text.contains(part["name"].as_str().expect("a name")), "{text}");
}
