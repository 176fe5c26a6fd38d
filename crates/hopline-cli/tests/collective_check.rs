//! `hopline collective check` and `hopline replay --check`.

mod common;

use common::{Scratch, skip};

#[test]
fn files_of_the_data_set_are_what_they_say() {
    let Some(data) = skip::data("collectives/msccl") else { return };
    let dir = Scratch::new("check-data");
    let mut seen = [0, 0];
    for entry in std::fs::read_dir(&data).expect("a directory") {
        let path = entry.expect("a file").path();
        if !path.to_string_lossy().contains(".xml") {
            continue;
        }
        let is_bad = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("bad-"));
        let ran = dir.hopline(&format!("collective check {}", path.display()));
        assert_eq!(ran.code, Some(if is_bad { 3 } else { 0 }), "{}: {}{}", path.display(), ran.stdout, ran.stderr);
        seen[usize::from(is_bad)] += 1;
    }
    assert!(seen.iter().all(|&seen| seen >= 5), "{seen:?}");
}

#[test]
fn what_is_written_is_right_and_what_is_spoiled_is_not() {
    let dir = Scratch::new("check-own");
    for (name, algorithm) in [
        ("broadcast", "binomial"),
        ("allgather", "allgather-ring"),
        ("allreduce", "allreduce-ring"),
        ("allgather", "allgather-bruck"),
    ] {
        let machine = "--topology torus:dims=4x2,bandwidth=25 --size 1MB";
        dir.hopline(&format!("collective {name} {machine} --algorithm {algorithm} --export msccl=DIR/a.xml")).done();
        let found = dir.hopline("collective check DIR/a.xml --format json").done();
        let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
        assert_eq!(
            (&found["verdict"]["kind"], &found["schema"]),
            (&"right".into(), &"hopline/collective-check/1".into())
        );
        assert_eq!((&found["collective"], &found["on_fabric"]), (&name.into(), &serde_json::Value::Null));
    }
    let ring = dir.read("a.xml");
    dir.write("bad.xml", ring.replacen("hasdep=\"1\"", "hasdep=\"0\"", 1));
    let bad = dir.hopline("collective check DIR/bad.xml");
    assert!(bad.code == Some(3) && bad.stdout.contains("tells (hasdep)"), "{}{}", bad.stdout, bad.stderr);
    let replay = "replay --topology torus:dims=4x2,bandwidth=25 --schedule msccl:file=DIR";
    assert_eq!(dir.hopline(&format!("{replay}/bad.xml --check")).code, Some(3));
    let right = dir.hopline(&format!("{replay}/a.xml --check"));
    assert!(right.code == Some(0) && right.stderr.contains("every GPU gets what it must"), "{}", right.stderr);
    // What is no XML is told with its line, too.
    for (name, text, line) in [
        ("typo", ring.replacen("<tb ", "<tb id=0 ", 1), 3),
        ("cut", ring.lines().take(5).collect::<Vec<_>>().join("\n"), 5),
        ("word", ring.replacen("ngpus=\"8\"", "ngpus=\"eight\"", 1), 1),
    ] {
        dir.write(&format!("{name}.xml"), text);
        let ran = dir.hopline(&format!("collective check DIR/{name}.xml"));
        let (head, place) = (format!("{name}.xml: cannot be read"), format!("{name}.xml:{line}: "));
        assert!(ran.code == Some(3) && ran.stdout.contains(&head), "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(&place) && ran.stdout.contains("expected"), "{}", ran.stdout);
    }
    dir.write("no.xml", "<graph/>");
    let other = dir.hopline("collective check DIR/no.xml");
    assert!(other.code == Some(2) && other.stderr.contains("neither MSCCL XML"), "{}", other.stderr);
    assert_eq!(dir.hopline("collective check DIR/none.xml").code, Some(2));
    let silent = dir.hopline("replay --topology torus:dims=4 --schedule collective:allgather-ring:bytes=1K --check");
    assert!(
        silent.code == Some(2) && silent.stderr.contains("does not say what its messages carry"),
        "{}",
        silent.stderr
    );
}

#[test]
fn a_sweep_asks_for_no_check_that_nobody_would_read() {
    let dir = Scratch::new("check-sweep");
    let file = common::root().join("testdata/schedules/allgather-hub.xml");
    let sweep = |more: &str| {
        let sweep = format!("[sweep]\ncommand = \"replay\"\nseed = [1]\n{more}\n");
        dir.write(
            "s.toml",
            format!("topology = \"torus:dims=4x2\"\nschedule = \"msccl:file=[{}]\"\n{sweep}", file.display()),
        );
        let ran = dir.hopline(&format!("sweep DIR/s.toml --out DIR/out{}", more.len()));
        (ran.code, ran.stderr)
    };
    assert_eq!(sweep("").0, Some(0));
    let (code, said) = sweep("check = true");
    assert!(code == Some(3) && said.contains("answers with one of two documents"), "{said}");
}

/// A ring whose blocks send before they receive: the connections hold what is under way.
#[test]
fn a_ring_that_sends_first_is_timed_at_any_size() {
    let dir = Scratch::new("check-ring");
    let n = 5;
    let gpus: String = (0..n)
        .map(|r| {
            let step = |s: usize| {
                let (kind, own) = match s {
                    0 => ("s", r),
                    s if s == n - 1 => ("r", (r + n - s) % n),
                    s => ("rcs", (r + n - s) % n),
                };
                format!(
                    "<step s=\"{s}\" type=\"{kind}\" srcbuf=\"o\" srcoff=\"{own}\" dstbuf=\"o\" dstoff=\"{own}\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>"
                )
            };
            let steps: String = (0..n).map(step).collect();
            let (send, recv) = ((r + 1) % n, (r + n - 1) % n);
            format!(
                "<gpu id=\"{r}\" i_chunks=\"0\" o_chunks=\"{n}\" s_chunks=\"0\"><tb id=\"0\" send=\"{send}\" recv=\"{recv}\" chan=\"0\">{steps}</tb></gpu>"
            )
        })
        .collect();
    let ring = format!(
        "<algo name=\"ring\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"{n}\" ngpus=\"{n}\" coll=\"allgather\" inplace=\"1\">{gpus}</algo>"
    );
    dir.write("ring.xml", ring);
    let ran = dir.hopline("collective check DIR/ring.xml --topology torus:dims=5,bandwidth=10 --size 4K,1MB,1GB");
    assert!(ran.code == Some(0) && ran.stdout.contains("every GPU gets what it must"), "{}{}", ran.stdout, ran.stderr);
    // So does a replay, unless somebody says from which size on messages wait.
    let replay = "replay --topology torus:dims=5,bandwidth=10 --schedule msccl:file=DIR/ring.xml,bytes=1MB";
    dir.hopline(replay).done();
    let stuck = dir.hopline(&format!("{replay} --model S=64K"));
    let advice = "a larger S lets them go (--model S=1G)";
    assert!(stuck.code == Some(2) && stuck.stderr.contains(advice), "{:?}{}", stuck.code, stuck.stderr);
    // A fabric that is too small leaves the verdict.
    let small = dir.hopline("collective check DIR/ring.xml --topology torus:dims=4,bandwidth=10");
    let said = [&small.stdout, &small.stderr].map(String::as_str).concat();
    assert!(small.code == Some(0) && said.contains("every GPU gets what it must"), "{said}");
    assert!(said.contains("not timed on the fabric: 5 tasks do not fit into 4 slots"), "{said}");
}

#[test]
fn a_schedule_is_held_against_the_bound_of_a_fabric() {
    let dir = Scratch::new("check-fabric");
    let machine = "--topology torus:dims=4x4,bandwidth=25";
    let words =
        format!("collective allgather {machine} --size 1MB --algorithm allgather-ring --export msccl=DIR/ring.xml");
    dir.hopline(&words).done();
    let found = dir.hopline(&format!("collective check DIR/ring.xml {machine} --size 1MB,64MB --format json")).done();
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let size = &found["on_fabric"]["sizes"][1];
    // 15 shards over one link of four.
    assert!(size["of_bound"].as_f64().is_some_and(|of| (3.99..4.2).contains(&of)), "{size}");
    assert!((size["bound_s"].as_f64().expect("s") - 0.15 * 0.064).abs() < 1e-9, "{size}");
    let sentence = found["verdict"]["sentence"].as_str().expect("a sentence");
    assert!(sentence.contains("x the bound on this fabric at 64 MB"), "{sentence}");
}

#[test]
fn solved_schedules_of_te_ccl_are_checked() {
    let dir = Scratch::new("check-teccl");
    dir.hopline("collective check testdata/schedules/teccl-line.json").done();
    let text = std::fs::read_to_string(common::root().join("testdata/schedules/teccl-line.json")).expect("a file");
    dir.write("early.json", text.replace("1->2 in epoch 1", "1->2 in epoch 0"));
    assert_eq!(dir.hopline("collective check DIR/early.json").code, Some(3));
    let Some(data) = skip::data("collectives/teccl") else { return };
    let mut seen = 0;
    for entry in std::fs::read_dir(&data).expect("a directory") {
        let path = entry.expect("a file").path();
        if path.to_string_lossy().ends_with(".json.xz") {
            let ran = dir.hopline(&format!("collective check {}", path.display()));
            assert_eq!(ran.code, Some(0), "{}: {}{}", path.display(), ran.stdout, ran.stderr);
            seen += 1;
        }
    }
    assert!(seen >= 3, "{seen} files");
}

/// TE-CCL's own networks have links of one direction, and its switches copy: where they pass on alone, a GPU that sends 43
/// chunks of which it has 21 takes so much longer.
#[test]
fn solved_schedules_are_timed_on_the_networks_of_their_solver() {
    let Some(data) = skip::data("collectives") else { return };
    let dir = Scratch::new("check-teccl");
    let check = |file: &str, fabric: &str| -> serde_json::Value {
        let words = format!("{data}/teccl/{file}.json.xz --fabric {data}/fabrics/{fabric}.json --size 31250KB");
        let found = dir.hopline(&format!("collective check {words} --format json")).done();
        serde_json::from_str(&found).expect("JSON")
    };
    let found = check("DGX2-2_chassis-AllGather-Fast-1GB", "dgx2-2");
    let size = &found["on_fabric"]["sizes"][0];
    let [time, bound] = ["time_s", "bound_s"].map(|key| size[key].as_f64().expect("seconds"));
    // The bound is what the file says that it takes: 31 chunks of 1 GB / 32 into every GPU, by 125 GB/s.
    assert!((bound - 0.00775).abs() < 1e-9 && (time - 43.0 / 31.0 * bound).abs() < 1e-9, "{size}");
    assert!(found["notes"].to_string().contains("switches give out copies"), "{found}");
    let few = check("NDv2-2_chassis-AllGather-Fast-1GB", "ndv2-2");
    assert_eq!(few["on_fabric"], serde_json::Value::Null);
    assert!(few["notes"].to_string().contains("it is of 15 GPUs, and the fabric has 16 ranks"), "{few}");
}
