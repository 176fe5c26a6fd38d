//! `hopline compare`: prices, watts, cuts and throughputs against figures worked out by hand.

mod common;

use common::{Scratch, hopline};
use serde_json::Value;

fn json(line: &str) -> Value {
    let text = hopline(&format!("compare {line} --format json")).done();
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{line}: {e}\n{text}"))
}

fn number(of: &Value, at: &str) -> f64 {
    of.pointer(at).and_then(Value::as_f64).unwrap_or_else(|| panic!("no number at {at} in {of:#}"))
}

#[track_caller]
fn close(of: &Value, at: &str, expected: f64) {
    let found = number(of, at);
    assert!((found - expected).abs() < 1e-9 * expected.max(1.0), "{at} is {found}, not {expected}");
}

/// Sixteen routers of four links and a port of their own, 8 Gb/s each; 32 cables of 2 m in one rack.
#[test]
fn a_torus_is_priced_as_by_hand() {
    let d =
        json("--topology torus:dims=4x4 --topology full-mesh:n=16 --prices port=1,switch=10,copper=3,copper_metre=0.5");
    let torus = &d["machines"][0];
    for (at, expected) in [
        ("/hosts", 16.0),
        ("/switches", 16.0),
        ("/radix", 5.0),
        ("/switch_cost", 16.0 * 8.0 * (5.0 + 10.0)),
        ("/cables/0/cables", 32.0),
        ("/cables/0/metres", 64.0),
        ("/cables/0/cost", 32.0 * 8.0 * (3.0 + 2.0 * 0.5)),
        ("/cables/1/cables", 0.0),
        ("/cost", 1920.0 + 1024.0),
        ("/cost_per_host", 2944.0 / 16.0),
        // 64 directions of 1 GB/s at 0.08 W, which are 65 % of the network's watts.
        ("/watts", 64.0 * 0.08 / 0.65),
        ("/diameter", 4.0),
        // Between rows 1 and 2, and 3 and 0.
        ("/bisection_gb_s", 8.0),
    ] {
        close(torus, at, expected);
    }
    let mesh = &d["machines"][1];
    close(mesh, "/diameter", 1.0);
    close(mesh, "/bisection_gb_s", 64.0);
    // Every task sends a fifteenth to each other: a link of its own for each.
    close(mesh, "/jobs/0/throughput_gb_s", 16.0 / 16.0 * 15.0);
    close(mesh, "/jobs/1/throughput_gb_s", 1.0);
}

/// The worst shift is the one of which flits accept the least, and what they carry decides: routings that adapt have no loads
/// before a simulation.
#[test]
fn the_worst_shift_of_flits_is_simulated() {
    let length = "--warmup 200 --cycles 600";
    for (topology, routing, tries) in [
        ("hyperx:dims=4x4,p=4", "omni-dimensional", &[4, 22, 28, 32, 46][..]),
        ("dragonfly:p=2,a=4,h=2", "par", &[2, 7, 8, 32, 34, 36]),
        // Loads are known here, and say another shift.
        ("dragonfly:p=2,a=4,h=2", "valiant-any", &[2, 6, 8, 32, 34, 36, 66]),
    ] {
        let d = json(&format!("--topology {topology} --routing {routing} --saturation {length}"));
        let worst = number(&d, "/machines/0/jobs/1/saturation");
        for by in tries {
            let flits =
                format!("flits --topology {topology} --routing {routing} --traffic shift:by={by} --load 1 {length}");
            let text = hopline(&format!("{flits} --format json")).done();
            let accepted = number(&serde_json::from_str(&text).expect("JSON"), "/points/0/accepted");
            assert!(worst <= accepted, "{topology} {routing}: {worst}, but {accepted} by {by}");
        }
        assert!(d["machines"][0]["shifts"].is_u64() && d["machines"][0]["shifts_tried"] == d["machines"][0]["shifts"]);
        assert!(d["machines"][0]["jobs"][1]["missing"].is_null());
        // One bandwidth of 1 GB/s, and an endpoint for each host.
        let per_host = number(&d, "/machines/0/cost_per_host");
        close(&d, "/machines/0/jobs/1/saturation_per_1000", worst / per_host * 1000.0);
    }
    let line = format!("--topology dragonfly:p=2,a=4,h=2 --routing minimal,par --saturation {length}");
    let d = json(&line);
    assert_eq!(
        (&d["verdict"]["kind"], &d["verdict"]["routing"]),
        (&"depends".into(), &"par".into()),
        "{:#}",
        d["verdict"]
    );
    assert!(number(&d, "/verdict/gain") > 1.5);
}

/// Every shift is tried where there are few, and the worst of them by loads is no more than that of any.
#[test]
fn no_shift_is_worse_than_the_worst() {
    for (topology, routing, tasks) in
        [("slim-fly:q=3,p=2", "minimal", 36), ("dragonfly:p=2,a=4,h=2", "valiant-any", 72)]
    {
        let d = json(&format!("--topology {topology} --routing {routing}"));
        assert_eq!(
            (&d["machines"][0]["shifts_tried"], &d["machines"][0]["shifts"]),
            (&(tasks - 1).into(), &(tasks - 1).into())
        );
        let worst = number(&d, "/machines/0/jobs/1/throughput_gb_s");
        let of = |by: u32| {
            let line = format!("load --topology {topology} --routing {routing} --traffic shift:by={by} --format json");
            number(&serde_json::from_str(&hopline(&line).done()).expect("JSON"), "/throughput_gb_s")
        };
        let least = (1..tasks).map(of).fold(f64::INFINITY, f64::min);
        assert!((worst - least).abs() <= 1e-9 * least, "{topology}: {worst}, but {least}");
    }
    // Of many only some are, and a note says so.
    let d = json("--topology torus:dims=16x16x10 --topology full-mesh:n=8");
    assert!(number(&d, "/machines/0/shifts_tried") < number(&d, "/machines/0/shifts"));
    let notes = d["notes"].as_array().expect("notes");
    assert!(
        notes.iter().any(|note| note
            .as_str()
            .is_some_and(|note| note.starts_with("torus:dims=16x16x10, dor: the worst shift is the worst of "))),
        "{notes:?}"
    );
}

/// Half way round a ring that is tied to one direction is the worst shift; prices with fibre beyond the reach of copper.
#[test]
fn the_worst_shift_of_a_ring_is_half_way_round() {
    let d = json("--topology torus:dims=8 --topology torus:dims=2x4 --prices reach=1");
    assert_eq!(d["machines"][0]["jobs"][1]["traffic"], "shift:by=4");
    close(&d, "/machines/0/jobs/1/throughput_gb_s", 0.25);
    close(&d, "/machines/0/cables/0/cables", 0.0);
    close(&d, "/machines/0/cables/1/cost", 8.0 * 8.0 * (2.7 + 0.1 * 2.0));
    let cost = number(&d, "/machines/0/cost_per_host");
    close(&d, "/machines/0/jobs/1/gb_s_per_1000", 0.25 * 1000.0 / cost);
    close(&d, "/machines/0/jobs/1/gb_s_per_watt", 0.25 / number(&d, "/machines/0/watts_per_host"));
}

/// Scenarios bring their own routings and job; a job that one machine cannot run leaves a reason there.
#[test]
fn scenarios_routings_and_jobs_are_rows_and_columns() {
    let desk = Scratch::new("compare");
    let file = desk.write(
        "a.toml",
        "topology = \"dragonfly:p=2,a=4,h=2\"\nrouting = [\"minimal\", \"valiant-any\"]\ntraffic = \"halo:grid=8x9\"\n",
    );
    let d = json(&format!("{} --topology torus:dims=4x4", file.display()));
    assert_eq!(d["jobs"], serde_json::json!(["uniform", "worst shift", "halo:grid=8x9"]));
    let rows: Vec<&str> =
        d["machines"].as_array().expect("rows").iter().filter_map(|m| m["routing"].as_str()).collect();
    assert_eq!(rows, ["minimal", "valiant-any", "dor"]);
    let (minimal, valiant) = (&d["machines"][0], &d["machines"][1]);
    assert!(number(minimal, "/jobs/0/throughput_gb_s") > number(valiant, "/jobs/0/throughput_gb_s"));
    assert!(number(minimal, "/jobs/1/throughput_gb_s") < number(valiant, "/jobs/1/throughput_gb_s"));
    assert!(d["machines"][2]["jobs"][2]["missing"].as_str().is_some_and(|why| why.contains("72")), "{d:#}");
    // No other machine runs all jobs: its own routings stand beside each other.
    assert_eq!((&d["verdict"]["kind"], &d["verdict"]["use"]), (&"depends".into(), &"dragonfly:p=2,a=4,h=2".into()));
    assert!(d["verdict"]["sentence"].as_str().is_some_and(|s| s.ends_with("1 of 3 rows lack a job and are left out.")));
    // What `load` says of the same.
    let load =
        hopline("load --topology dragonfly:p=2,a=4,h=2 --routing minimal --traffic halo:grid=8x9 --format json").done();
    let load: Value = serde_json::from_str(&load).expect("JSON");
    assert_eq!(minimal["jobs"][2]["throughput_gb_s"], load["throughput_gb_s"]);
}

/// Machines and jobs in files are taken as `load` takes them.
#[test]
fn files_are_machines_and_jobs() {
    let (rack, matrix) = ("testdata/fabrics/rack64", "testdata/matrices/lammps-melt-64.csv");
    let d = json(&format!("--fabric {rack} --topology {rack} --topology torus:dims=4x4x4 --traffic {matrix}"));
    assert_eq!(d["jobs"].as_array().map(Vec::len), Some(3));
    let load: Value =
        serde_json::from_str(&hopline(&format!("load --fabric {rack} --traffic {matrix} --format json")).done())
            .expect("JSON");
    for machine in [0, 2] {
        assert_eq!(d["machines"][machine]["jobs"][2]["throughput_gb_s"], load["throughput_gb_s"], "{machine}");
    }
    let missing = hopline("compare --fabric no/such/machine");
    assert!(missing.code == Some(2) && missing.stderr.contains("no/such/machine"), "{}", missing.stderr);
}

/// Graphs in two files may have one name.
#[test]
fn files_whose_graphs_have_one_name_are_two_machines() {
    let desk = Scratch::new("compare-names");
    let graph = |trunk: u32| {
        let host = |h: u32| format!("h{h} -- s{} [bandwidth=10];\n", h / 2);
        format!("graph one {{\n{}s0 -- s1 [bandwidth={trunk}];\n}}\n", (0..4).map(host).collect::<String>())
    };
    let [thin, wide] = [("thin.dot", 5), ("wide.dot", 20)].map(|(name, trunk)| desk.write(name, graph(trunk)));
    let d = json(&format!("--topology {} --topology {} --prices port=1", thin.display(), wide.display()));
    assert_eq!((&d["verdict"]["kind"], d["verdict"]["gain"].as_f64() > Some(1.5)), (&"best".into(), true), "{d:#}");
    let name = |m: usize| d["machines"][m]["fabric"].as_str().unwrap_or_default().to_string();
    assert!(name(0).contains("thin.dot") && name(1).contains("wide.dot"), "{} {}", name(0), name(1));
    assert_eq!(d["verdict"]["use"].as_str(), Some(&name(1)[..]));
}

#[test]
fn verdicts_follow_the_price() {
    let of = |prices: &str| json(&format!("--topology full-mesh:n=16 --topology torus:dims=4x4 --prices {prices}"));
    let cheap = of("port=1");
    // A full mesh spreads uniform traffic over fifteen links, and a shift over one, which is dear.
    assert_eq!((&cheap["verdict"]["kind"], &cheap["verdict"]["use"]), (&"depends".into(), &"full-mesh:n=16".into()));
    let sentence = cheap["verdict"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("torus:dims=4x4 (dor) under worst shift"), "{sentence}");
    let means = |d: &Value, m: usize| -> f64 {
        let logs: f64 = (0..2).map(|k| number(d, &format!("/machines/{m}/jobs/{k}/gb_s_per_1000")).ln()).sum();
        (logs / 2.0).exp()
    };
    let gain = number(&cheap, "/verdict/gain");
    assert!((gain - means(&cheap, 0) / means(&cheap, 1)).abs() < 1e-9, "{gain}");
    // A ring of as many is cheaper, and carries less than it saves.
    let rings = json("--topology torus:dims=16 --topology torus:dims=4x4 --prices port=1");
    assert_eq!((&rings["verdict"]["kind"], &rings["verdict"]["use"]), (&"best".into(), &"torus:dims=4x4".into()));
    // Nothing to compare it with.
    assert_eq!(json("--topology torus:dims=4x4")["verdict"]["kind"], "unknown");
}

#[test]
fn saturation_is_what_arrives_at_full_load() {
    let d = json("--topology torus:dims=8 --saturation --warmup 500 --cycles 1000 --router arbitration=oldest");
    let full = number(&d, "/machines/0/jobs/1/saturation");
    assert!((0.24..=0.26).contains(&full), "{full}");
    let plain = json("--topology torus:dims=8");
    assert_eq!(plain["machines"][0]["jobs"][1]["saturation"], Value::Null);
}

#[test]
fn wrong_input_is_refused_with_a_reason() {
    for (line, word) in [
        ("", "no machine is named"),
        ("--topology torus:dims=4x4 --traffic halo:grid=64x64", "no machine runs halo"),
        ("--topology torus:dims=4x4 --prices port=-1", "port"),
        ("--topology torus:dims=4x4 --prices rack=0", "rack"),
        ("--topology torus:dims=4x4 --cycles 10", "--saturation"),
    ] {
        let ran = hopline(&format!("compare {line}"));
        assert_eq!(ran.code, Some(2), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{line}: {}", ran.stderr);
    }
}

/// The table, one row for a machine and a job, and the page with its pictures.
#[test]
fn there_is_a_table_and_a_page() {
    let desk = Scratch::new("compare-page");
    let (line, page) = ("compare --topology torus:dims=4x4 --topology full-mesh:n=16", desk.path("page.html"));
    let csv = hopline(&format!("{line} --format csv")).done();
    assert_eq!(csv.lines().count(), 1 + 2 * 2, "{csv}");
    assert!(csv.starts_with("fabric,routing,hosts,"), "{csv}");
    hopline(&format!("{line} --report {}", page.display())).done();
    let html = std::fs::read_to_string(page).expect("a page");
    assert!(html.contains("What machines carry over what they cost") && html.contains("What is built"));
}
