//! `hopline collective NAME --bound`.

mod common;

use common::Scratch;

const RACKS: &str = r#"{"name": "racks", "ranks": ["a0", "a1", "b0", "b1", "b2"], "switches": ["a", "b", "core"], "links": [
    ["a0", "a", 25], ["a", "a0", 25], ["a1", "a", 25], ["a", "a1", 25], ["b0", "b", 25], ["b", "b0", 25],
    ["b1", "b", 25], ["b", "b1", 25], ["b2", "b", 25], ["b", "b2", 25],
    ["a", "core", 10], ["core", "a", 10], ["b", "core", 10], ["core", "b", 10]]}"#;

fn json(dir: &Scratch, words: &str) -> serde_json::Value {
    serde_json::from_str(&dir.hopline(&format!("{words} --format json")).done()).expect("JSON")
}

#[test]
fn a_bound_has_a_proof_that_can_be_added_up() {
    let dir = Scratch::new("bounds");
    dir.write("racks.json", RACKS);
    let found = json(&dir, "collective allgather --fabric DIR/racks.json --size 1GB,1GiB --bound");
    // Three shards enter the rack of two ranks by 10 GB/s, in either case the worst.
    assert_eq!((&found["bound"]["fraction"], &found["bound"]["pieces"]), (&"3/10".into(), &3.into()));
    assert_eq!(found["bound"]["left_out"], serde_json::json!(["a0", "a1"]));
    let sum: f64 = found["bound"]["links"].as_array().expect("links").iter().filter_map(|l| l["gb_s"].as_f64()).sum();
    assert!((sum - 10.0).abs() < 1e-12 && found["bound"]["sum_gb_s"] == 10.0);
    let (gb, gib) = (&found["sizes"][0], &found["sizes"][1]);
    assert_eq!((&gb["bytes"], &gib["bytes"]), (&1_000_000_000u64.into(), &(1u64 << 30).into()));
    assert!((gb["bound_s"].as_f64().expect("s") - 0.3).abs() < 1e-12 && gb["bound_kind"] == "cut");
    assert!((gb["bound_tables_s"].as_f64().expect("s") - 0.3).abs() < 1e-6);
    let tried = gb["tried"].as_array().expect("algorithms");
    // A ring passes the core once each way, four shards.
    let ring = tried.iter().find(|t| t["algorithm"] == "ring").expect("a ring");
    assert!((ring["of_bound"].as_f64().expect("a quotient") - 4.0 / 3.0).abs() < 1e-9, "{ring}");
    assert!(tried.iter().all(|t| t["of_bound"].as_f64().is_some_and(|of| of >= 1.0)), "nothing beats a bound");
    assert_eq!((&found["schema"], &found["command"]), (&"hopline/collective-bound/1".into(), &"collective".into()));
}

#[test]
fn every_operation_has_a_bound_that_no_algorithm_beats() {
    let dir = Scratch::new("bounds-all");
    dir.write("racks.json", RACKS);
    let machines = ["--fabric DIR/racks.json", "--topology torus:dims=4x2,bandwidth=25", "--topology slim-fly:q=3,p=2"];
    for machine in machines {
        for name in ["allgather", "reduce-scatter", "allreduce", "broadcast", "reduce", "alltoall", "gather", "scatter"]
        {
            let found = json(&dir, &format!("collective {name} {machine} --size 1MB --root 1 --bound"));
            let algorithms = found["algorithms"].as_array().expect("algorithms");
            assert!(!algorithms.is_empty(), "{name} {machine}");
            for a in algorithms {
                assert!(a["of_bound"].as_f64().is_some_and(|of| of > 1.0 - 1e-9), "{name} {machine}: {a}");
            }
            if let Some(of) = found["tables"]["of_bound"].as_f64() {
                assert!(of > 1.0 - 1e-6, "{name} {machine}: {of}");
            }
        }
    }
}

#[test]
fn links_of_one_direction_are_followed_the_shortest_way() {
    let dir = Scratch::new("bounds-one-way");
    dir.write("ring.json", r#"{"ranks": ["a", "b", "c"], "links": [["a", "b", 10], ["b", "c", 10], ["c", "a", 10]]}"#);
    let found = json(&dir, "collective allgather --fabric DIR/ring.json --bound");
    assert_eq!((&found["bound"]["fraction"], &found["routing"]), (&"1/5".into(), &serde_json::Value::Null));
    let of = |name: &str| {
        let mut all = found["algorithms"].as_array().expect("algorithms").iter();
        all.find(|a| a["algorithm"] == name).and_then(|a| a["of_bound"].as_f64()).expect("times the bound")
    };
    // Half a shard on each link, and of the ring that goes against them twice that.
    assert!((of("ring") - 1.0).abs() < 1e-9 && (of("two-rings") - 1.5).abs() < 1e-9, "{found}");
    let notes = found["notes"].to_string();
    assert!(notes.contains("shortest ways along them"), "{notes}");
    dir.write("out.json", r#"{"ranks": ["a", "b", "c"], "links": [["a", "b", 10], ["b", "c", 10]]}"#);
    let alone = json(&dir, "collective broadcast --fabric DIR/out.json --bound");
    assert!(alone["algorithms"].as_array().is_some_and(Vec::is_empty), "{alone}");
    assert!(alone["notes"].to_string().contains("cannot be reached"), "{}", alone["notes"]);
    dir.hopline("collective allgather --fabric DIR/ring.json --bound --order default,optimised").done();
    for option in ["--ranks 2", "--hosts random:2", "--export rankfile=DIR/ranks"] {
        let refused = dir.hopline(&format!("collective allgather --fabric DIR/ring.json --bound {option}"));
        assert!(refused.code == Some(2) && refused.stderr.contains("has its own ranks"), "{}", refused.stderr);
    }
    let refused = dir.hopline("load --fabric DIR/ring.json --traffic alltoall");
    assert!(refused.code == Some(2) && refused.stderr.contains("has no other direction"), "{}", refused.stderr);
    let refused = dir.hopline("collective barrier --fabric DIR/ring.json --bound");
    assert!(
        refused.code == Some(2) && refused.stderr.contains("no bound is known for `barrier`"),
        "{}",
        refused.stderr
    );
    let refused = dir.hopline("collective broadcast --fabric DIR/ring.json --bound --root 9");
    assert!(refused.code == Some(2) && refused.stderr.contains("root 9 is none of 3 ranks"), "{}", refused.stderr);
}

#[test]
fn a_bound_takes_no_option_that_it_would_not_read() {
    let dir = Scratch::new("bounds-options");
    for option in ["--algorithm ring", "--segment 4096", "--model bandwidth"] {
        let words = format!("collective allgather --topology torus:dims=4 --bound {option}");
        let refused = dir.hopline(&words);
        assert!(
            refused.code == Some(2) && refused.stderr.contains("cannot be used with"),
            "{words}: {}",
            refused.stderr
        );
    }
}

#[test]
fn programs_prove_more_than_cuts() {
    let dir = Scratch::new("bounds-programs");
    dir.write("racks.json", RACKS);
    let found = json(&dir, "collective allreduce --fabric DIR/racks.json --size 1GB --bound");
    let program = &found["program"];
    let (own, aided) =
        (program["seconds_per_gb"].as_f64(), program["switches_reduce_and_copy_seconds_per_gb"].as_f64());
    assert_eq!(program["kind"], "trees");
    let (own, aided) = (own.expect("trees"), aided.expect("switches"));
    assert!(aided <= own + 1e-9 && program["of_bound"].as_f64().is_some_and(|of| of > 1.0 - 1e-6), "{program}");
    let flow = json(&dir, "collective alltoall --topology torus:dims=8,bandwidth=25 --size 1GB --bound");
    // Blocks of half the ring pass to the other half by two links each way: 16 through 50 GB/s.
    assert_eq!((&flow["program"]["kind"], &flow["sizes"][0]["bound_kind"]), (&"flow".into(), &"flow".into()));
    assert!((flow["sizes"][0]["bound_s"].as_f64().expect("s") - 0.32).abs() < 1e-6, "{}", flow["sizes"][0]);
    assert!(flow["tables"]["direct_seconds_per_gb"].as_f64().is_some_and(|direct| direct > 0.32 - 1e-6));
}

#[test]
fn few_ranks_of_a_large_network_need_a_small_program() {
    let dir = Scratch::new("bounds-few");
    // Two blocks leave each rank by all of its links.
    for (topology, seconds) in [("full-mesh:n=64", 2.0 / 63.0), ("torus:dims=8x8x8,bandwidth=25", 2.0 / 150.0)] {
        let words = format!("collective alltoall --topology {topology} --ranks 3 --size 1GB --bound");
        let found = json(&dir, &words);
        let program = &found["program"];
        assert!((program["seconds_per_gb"].as_f64().expect("s") - seconds).abs() < 1e-7, "{program}");
        assert!((program["reached_seconds_per_gb"].as_f64().expect("s") - seconds).abs() < 1e-7, "{program}");
    }
}

#[test]
fn of_an_all_to_all_sets_of_several_ranks_are_looked_at() {
    let dir = Scratch::new("bounds-sets");
    let ring = r#"["a", "b", 10], ["b", "c", 10], ["c", "d", 10], ["d", "a", 10]"#;
    dir.write("ring.json", format!(r#"{{"ranks": ["a", "b", "c", "d"], "links": [{ring}]}}"#));
    let found = json(&dir, "collective alltoall --fabric DIR/ring.json --size 1GB --bound");
    // Four blocks leave two neighbours by one link; of one rank only three. Blocks take two links in the mean.
    assert_eq!((&found["bound"]["fraction"], &found["bound"]["pieces"]), (&"2/5".into(), &4.into()), "{found}");
    assert!((found["program"]["seconds_per_gb"].as_f64().expect("s") - 0.6).abs() < 1e-9, "{}", found["program"]);
}

#[test]
fn sizes_are_named_with_their_limits() {
    let dir = Scratch::new("bounds-sizes");
    let words = "collective allgather --topology torus:dims=4,bandwidth=25 --bound --size";
    let found = json(&dir, &format!("{words} 1TB,1TiB,1T"));
    let sizes: Vec<u64> =
        found["sizes"].as_array().expect("sizes").iter().filter_map(|s| s["bytes"].as_u64()).collect();
    assert_eq!(sizes, [1_000_000_000_000, 1 << 40, 1 << 40]);
    for (size, said) in [("2000TiB", "more than 1024TiB"), (",", "--size: no size is given"), ("1PB", "units up to T")]
    {
        let refused = dir.hopline(&format!("{words} {size}"));
        assert!(refused.code == Some(2) && refused.stderr.contains(said), "{size}: {}", refused.stderr);
    }
}

#[test]
fn hosts_that_run_no_tasks_are_told() {
    let dir = Scratch::new("bounds-idle");
    let text = dir.hopline("fabric export json --topology full-mesh:n=4").done();
    dir.write("mesh.json", text.replacen("\"slots\": 1", "\"slots\": 0", 1));
    let found = json(&dir, "collective allgather --fabric DIR/mesh.json --bound");
    let notes = found["notes"].to_string();
    assert!(found["ranks"] == 3 && notes.contains("hosts with 0 slots run no tasks: "), "{notes}");
}

#[test]
fn a_better_order_is_found_and_written() {
    let dir = Scratch::new("bounds-order");
    let words = "collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --mapping random --seed 3 \
                 --size 1MB,1GB --order default,optimised --bound --export rankfile=DIR/ranks";
    let found = json(&dir, words);
    let of = |order: &str| {
        let rings = found["algorithms"].as_array().expect("algorithms").iter();
        let mut rings = rings.filter(|a| a["algorithm"] == "ring" && a["order"] == order);
        rings.next().expect("a ring").clone()
    };
    let (default, better) = (of("default"), of("optimised"));
    // A ring that leaves every leaf once takes 15 steps of a GB over 5 GB/s.
    assert!((better["seconds_per_gb"].as_f64().expect("s") - 3.0).abs() < 1e-9, "{better}");
    assert!(default["seconds_per_gb"].as_f64() > better["seconds_per_gb"].as_f64(), "{default}");
    let mut ranks: Vec<u64> = better["ranks"].as_array().expect("an order").iter().filter_map(|r| r.as_u64()).collect();
    ranks.sort_unstable();
    assert_eq!(ranks, (0..16).collect::<Vec<u64>>());
    assert_eq!(dir.read("ranks").lines().filter(|line| line.starts_with("rank ")).count(), 16);
    assert!(
        found["verdict"]["sentence"].as_str().is_some_and(|s| s.contains("optimised order")),
        "{}",
        found["verdict"]
    );
}

#[test]
fn switches_that_copy_and_add_up_lower_the_bound() {
    let dir = Scratch::new("bounds-switches");
    let words = "collective allreduce --topology full-mesh:n=1,slots=1 --size 1GB --bound";
    assert_eq!(dir.hopline(words).code, Some(2));
    let star: String = (0..4).map(|r| format!("[\"r{r}\", \"s\", 25], [\"s\", \"r{r}\", 25],")).collect();
    let star = format!(
        "{{\"ranks\": [\"r0\", \"r1\", \"r2\", \"r3\"], \"switches\": [\"s\"], \"links\": [{}]}}",
        star.trim_end_matches(',')
    );
    dir.write("star.json", star);
    let at = |more: &str| {
        let found = json(&dir, &format!("collective allreduce --fabric DIR/star.json --size 1GB --bound {more}"));
        found["sizes"][0]["bound_s"].as_f64().expect("s")
    };
    // 2 (n - 1) vectors through all ranks' 100 GB/s; with sums in the switch one vector out of each rank.
    assert!((at("") - 0.06).abs() < 1e-9, "{}", at(""));
    assert!((at("--switches copy,reduce") - 0.04).abs() < 1e-6, "{}", at("--switches copy,reduce"));
}

#[test]
fn a_page_has_the_worst_set_and_curves() {
    let dir = Scratch::new("bounds-page");
    let words =
        "collective allgather --topology fat-tree:down=4x4,up=1x2,host=25,bandwidth=5 --bound --report DIR/page.html";
    dir.hopline(words).done();
    let page = dir.read("page.html");
    for part in ["The worst set on the fabric", "The bound and the algorithms by size", "How near the algorithms come"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<svg ").count(), 2);
}

#[test]
fn processors_of_one_host_have_an_exact_bound() {
    let dir = Scratch::new("bounds-dgx");
    let words =
        "collective allgather --topology fat-tree:pods=1,servers=1,adapters=8,bandwidth=50,host=dgx-a100 --bound";
    let found = json(&dir, words);
    // Seven shards into a GPU, by 240 GB/s of NVLink and 24 of PCIe as NCCL counts them.
    assert_eq!((&found["ranks"], &found["bound"]["fraction"]), (&8.into(), &"7/264".into()));
    assert_eq!((&found["bound"]["pieces"], &found["bound"]["sum_gb_s"]), (&7.into(), &264.0.into()));
}

#[test]
fn what_was_not_worked_out_is_said() {
    let dir = Scratch::new("bounds-large");
    let found = json(&dir, "collective alltoall --topology torus:dims=65,bandwidth=25 --bound");
    assert_eq!(found["tables"]["kind"], "direct");
    let notes = found["notes"].to_string();
    assert!(
        notes.contains("direct messages alone: with ranks that pass on it is worked out for up to 64 ranks"),
        "{notes}"
    );
    let text = dir.hopline("collective alltoall --topology torus:dims=65,bandwidth=25 --bound").done();
    assert!(text.contains("note: what the routes cost is of direct messages alone"), "{text}");
    let small = json(&dir, "collective alltoall --topology torus:dims=8,bandwidth=25 --bound");
    assert!(!small["notes"].to_string().contains("direct messages alone"), "{}", small["notes"]);
}

#[test]
fn a_switch_that_copies_does_not_add_up() {
    let dir = Scratch::new("bounds-reversed");
    // Ranks send at 175 GB/s and receive at 25: parts of a sum come in slowly, unless the switch adds up.
    let links: Vec<String> = (0..8).map(|r| format!("[\"g{r}\", \"s\", 175], [\"s\", \"g{r}\", 25]")).collect();
    let ranks: Vec<String> = (0..8).map(|r| format!("\"g{r}\"")).collect();
    let star = format!("{{\"ranks\": [{}], \"switches\": [\"s\"], \"links\": [{}]}}", ranks.join(","), links.join(","));
    dir.write("star.json", star);
    for (switches, seconds) in
        [("", 0.28), ("--switches copy", 0.28), ("--switches reduce", 0.04), ("--switches copy,reduce", 0.04)]
    {
        let found =
            json(&dir, &format!("collective reduce-scatter --fabric DIR/star.json --size 1GB --bound {switches}"));
        let own = found["sizes"][0]["bound_s"].as_f64().expect("s");
        assert!((own - seconds).abs() < 1e-9, "{switches}: {own}");
    }
}

#[test]
fn what_a_switch_copies_is_sent_once_and_received_by_all() {
    let dir = Scratch::new("bounds-copied");
    let star = |up: u32, down: u32| {
        let links: Vec<String> =
            (0..4).map(|r| format!("[\"g{r}\", \"s\", {up}], [\"s\", \"g{r}\", {down}]")).collect();
        format!(
            "{{\"ranks\": [\"g0\", \"g1\", \"g2\", \"g3\"], \"switches\": [\"s\"], \"links\": [{}]}}",
            links.join(",")
        )
    };
    dir.write("slow-up.json", star(4, 10));
    dir.write("slow-down.json", star(10, 4));
    // A reduce-scatter sends 3/4 of a vector from every rank and brings it 3/4, an allgather the same; a switch that copies takes
    // 1/4 once and still brings 3/4.
    let cases = [
        ("slow-up", "", 0.375, "volume"),
        ("slow-up", "--switches copy", 0.25, "separation"),
        ("slow-down", "", 0.375, "volume-in"),
        ("slow-down", "--switches copy", 0.375, "volume-in"),
    ];
    for (fabric, switches, seconds, kind) in cases {
        let found =
            json(&dir, &format!("collective allreduce --fabric DIR/{fabric}.json --size 1GB --bound {switches}"));
        let own = &found["sizes"][0];
        assert!((own["bound_s"].as_f64().expect("s") - seconds).abs() < 1e-6, "{fabric} {switches}: {own}");
        assert_eq!(own["bound_kind"], kind, "{fabric} {switches}");
    }
}

#[test]
fn operations_without_algorithms_are_told_to_have_a_bound() {
    let dir = Scratch::new("bounds-only");
    let ran = dir.hopline("collective gather --topology torus:dims=4 --size 1MB");
    assert!(ran.code == Some(2) && ran.stderr.contains("no algorithm here plays `gather`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("with --bound"), "{}", ran.stderr);
}

#[test]
fn nothing_beats_the_latency_of_a_line_from_any_root() {
    let dir = Scratch::new("bounds-line");
    let line = dir.hopline("fabric export json --topology mesh:dims=5,bandwidth=25").done();
    dir.write("line.json", line.replace("\"latency_ns\": 0", "\"latency_ns\": 1000"));
    for (root, far) in [(0, 4.0), (1, 3.0), (2, 2.0), (4, 4.0)] {
        for name in ["scatter", "gather", "broadcast", "reduce"] {
            let words = format!("collective {name} --fabric DIR/line.json --root {root} --size 1,4K,1MB,1GB --bound");
            let found = json(&dir, &words);
            let latency = found["latency_s"].as_f64().expect("s");
            assert!((latency - far * 1e-6).abs() < 1e-12, "{name} from {root}: {latency}");
            let sizes = found["sizes"].as_array().expect("sizes");
            assert_eq!((&sizes[0]["bound_kind"], sizes.len()), (&"latency".into(), 4));
            for tried in sizes.iter().flat_map(|size| size["tried"].as_array().expect("algorithms")) {
                assert!(tried["of_bound"].as_f64().is_some_and(|of| of > 1.0 - 1e-9), "{name} from {root}: {tried}");
            }
        }
    }
}

#[test]
fn decisions_and_programs_are_written_beside_a_bound() {
    let dir = Scratch::new("bounds-decisions");
    let words = "collective allgather --topology dragonfly:p=2,a=4,h=2,local_latency=300,global_latency=900 --ranks 16 --bound \
                 --size 64,1MB";
    let files = "--export openmpi=DIR/rules.conf --export nccl=DIR/tuner.conf --export msccl=DIR/ring.xml --export rankfile=DIR/ranks";
    let said = dir.hopline(&format!("{words} {files}"));
    assert!(said.code == Some(0) && said.stderr.contains("ring.xml: allgather-"), "{}", said.stderr);
    // Few steps for small messages, the ring for large ones: 3 is recursive doubling, 4 the ring; all ranks' bytes count.
    let rules = dir.read("rules.conf");
    assert!(
        rules.contains("16 # ranks\n2 # sizes") && rules.contains("\n0 3 ") && rules.contains("\n16000000 4 "),
        "{rules}"
    );
    assert!(dir.read("tuner.conf").contains("allgather,0,"), "{}", dir.read("tuner.conf"));
    dir.hopline("collective check DIR/ring.xml").done();
    assert_eq!(dir.read("ranks").lines().filter(|line| line.starts_with("rank ")).count(), 16);
    for (name, topology, form, said) in [
        ("gather", "torus:dims=4", "openmpi", "none of the algorithms of gather"),
        ("allgather", "torus:dims=4,bandwidth=25", "openmpi", "messages without latency"),
        ("alltoall", "dragonfly:p=2,a=4,h=2,local_latency=300", "nccl", "NCCL has no `alltoall`"),
        ("allgather", "dragonfly:p=2,a=4,h=2,local_latency=300", "openmpi4", "no decision file is called `openmpi4`"),
    ] {
        let refused = dir.hopline(&format!("collective {name} --topology {topology} --bound --export {form}=DIR/no"));
        assert!(refused.code == Some(2) && refused.stderr.contains(said), "{name} {form}: {}", refused.stderr);
    }
    assert!(!dir.path("no").exists());
}

#[test]
fn insides_are_put_into_models_whose_hosts_have_a_bandwidth() {
    let dir = Scratch::new("bounds-inside");
    let machine = "--topology fat-tree:pods=2,servers=2,adapters=8,bandwidth=50,host=50 --inside dgx-a100";
    let found = json(&dir, &format!("collective allgather {machine} --bound"));
    assert_eq!(found["ranks"], 32);
}
