//! A training step against sums by hand, by formula and by awk; and its readers
//! and those of arrays and hostlists against damaged files.

mod common;

use common::{data, fabric, root};
use hopline::demand::Demand;
use hopline::error::Place;
use hopline::files::{Disk, Memory, read_text};
use hopline::format::workload::{self, Collective, Group, Layer, Operation, Pass, Workload};
use hopline::format::{hostlist, matrix};
use hopline::params::Params;
use hopline::traffic::workload::{AllReduce, Step, step};
use hopline::traffic::{self, Context};
use proptest::prelude::*;

const TINY: &str = "testdata/workloads/gpt-tiny-16.txt";

fn read(path: &str) -> Workload {
    workload::parse(path, &read_text(&Disk, path).expect(path)).expect(path)
}

fn totals(step: &Step) -> [f64; 4] {
    [&step.tensor, &step.data, &step.pipeline, &step.expert].map(Demand::total)
}

#[test]
fn the_tiny_step_has_the_totals_made_by_hand() {
    let workload = read(&format!("{}/{TINY}", root()));
    // Tensor groups of 4, every rank: 16 halves of 65,536 bytes times 3/4; all-reduces of
    // 2*512,000 + 3*512 + 4*4 bytes times 2*3/4. Data groups of 2: 914,432 + 1,828,864 bytes
    // times 1/2. Eight pairs of neighbours, both ways, 16,384 bytes, 2 micro-batches.
    let expected = [16.0 * (786_432.0 + 1_538_328.0), 16.0 * 1_371_648.0, 8.0 * 2.0 * 16_384.0 * 2.0, 0.0];
    let ring = step(&workload, AllReduce::Ring, 1).expect("ring");
    assert_eq!(totals(&ring), expected);
    let tree = step(&workload, AllReduce::Tree, 1).expect("tree");
    assert_eq!(totals(&tree), expected, "another way, as many bytes");
    assert_eq!(ring.tensor.entries()[..2], [(0, 1, 2_324_760.0), (1, 2, 2_324_760.0)]);
    // In a group of four the tree is 0-1, 0-2, 1-3; the halves still go around the ring.
    let pairs: Vec<(u32, u32)> = tree.tensor.entries().iter().map(|e| (e.0, e.1)).take(8).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 0), (1, 2), (1, 3), (2, 0), (2, 3), (3, 0)]);
    assert_eq!(ring.data.entries()[0], (0, 4, 1_371_648.0));
    assert_eq!(ring.pipeline.entries()[0], (0, 8, 32_768.0));
    // Three chunks: 3 times between the stages and 2 times back to the first.
    let chunks = step(&workload, AllReduce::Ring, 3).expect("chunks");
    assert_eq!(chunks.pipeline.entries()[0], (0, 8, 5.0 * 32_768.0));
}

#[test]
fn parts_make_the_whole() {
    let (_, fabric) = fabric("percs:ns=1,nd=1");
    let context = Context { fabric: &fabric, slots: fabric.hosts().slots(), files: &Disk };
    let build = |parts: &str| {
        let spec = format!("workload:file={}/{TINY},parts={parts}", root());
        let params = Params::from_spec(&spec, &Place::new("--traffic", 0)).expect("spec");
        traffic::build(&params, &context).expect("traffic")
    };
    let all = build("all");
    assert_eq!(all.notes, ["a step moves tp 37.2 MB, dp 21.9 MB, pp 524 kB, ep 0 B (tp 4, dp 2, pp 2, ep 1)"]);
    assert_eq!(all.demand.grid().map(|g| g.sizes.clone()), Some(vec![2, 2, 4]));
    let sum: f64 = ["tp", "dp", "pp", "ep"].iter().map(|part| build(part).demand.total()).sum();
    assert_eq!(all.demand.total(), sum);
    assert_eq!(build("tp").demand.total(), 37_196_160.0);
    let params = Params::from_spec(&format!("workload:{}/{TINY},chunks=0", root()), &Place::new("-", 0)).expect("spec");
    assert_eq!(
        traffic::build(&params, &context).err().map(|e| e.to_string()),
        Some("-: no chunks: expected at least 1".into())
    );
}

#[test]
fn the_13b_step_has_the_totals_of_awk() {
    let Some(path) = data("workloads/workload_gpt13b_128g.txt") else { return };
    let workload = read(&path);
    assert_eq!((workload.ranks, workload.tensor, workload.data, workload.stages), (128, 8, 8, 2));
    let expected = [4_888_503_520_768.0, 527_959_326_720.0, 5_368_709_120.0, 0.0];
    for way in [AllReduce::Ring, AllReduce::Tree] {
        let found = totals(&step(&workload, way, 1).expect("step"));
        assert!(found.iter().zip(expected).all(|(a, b): (&f64, f64)| (a - b).abs() <= 1e-9 * b), "{found:?}");
    }
}

/// Place of a rank: tensor, expert, replica of experts, stage.
fn place(w: &Workload, rank: u32) -> [u32; 4] {
    let rest = rank / w.tensor;
    [rank % w.tensor, rest % w.expert, rest / w.expert % (w.data / w.expert), rest / w.data]
}

proptest! {
    #[test]
    fn bytes_follow_the_formula_and_stay_in_their_group(
        (tensor, expert, replicas, stages) in (1u32..5, 1u32..4, 1u32..4, 1u32..4),
        operation in 0usize..4, group in 0usize..4, bytes in 1u32..1_000_000, tree in any::<bool>(),
    ) {
        let operation =
            [Operation::AllGather, Operation::ReduceScatter, Operation::AllReduce, Operation::AllToAll][operation];
        let group = [Group::Tensor, Group::Expert, Group::ExpertData, Group::Data][group];
        let (data, bytes) = (expert * replicas, f64::from(bytes));
        let forward = Pass { nanos: 0.0, collective: Some(Collective { operation, group, bytes }) };
        let w = Workload {
            ranks: tensor * data * stages, tensor, expert, data, stages, batches: 3, pipeline_bytes: 0.0,
            layers: vec![Layer { forward, ..Layer::default() }; 2], notes: Vec::new(),
        };
        let (size, fixed): (u32, &[usize]) = match group {
            Group::Tensor => (tensor, &[1, 2, 3]),
            Group::Expert => (expert, &[0, 2, 3]),
            Group::ExpertData => (replicas, &[0, 1, 3]),
            Group::Data => (data, &[0, 3]),
        };
        let way = if tree { AllReduce::Tree } else { AllReduce::Ring };
        let step = step(&w, way, 1).expect("step");
        let each = if operation == Operation::AllReduce { 2.0 } else { 1.0 } * f64::from(size - 1) * bytes;
        let expected = 2.0 * each * f64::from(w.ranks / size);
        let total: f64 = totals(&step).iter().sum();
        prop_assert!((total - expected).abs() <= 1e-9 * expected, "{total} bytes, expected {expected}");
        for demand in [&step.tensor, &step.data, &step.expert] {
            demand.each_pair(|a, b, _| {
                let (a, b) = (place(&w, a), place(&w, b));
                assert!(fixed.iter().all(|&i| a[i] == b[i]), "{a:?} -> {b:?} in {group:?}");
            });
        }
        prop_assert_eq!(step.pipeline.total(), 0.0);
    }
}

#[test]
fn sizes_that_do_not_divide_make_no_step() {
    let good = read(&format!("{}/{TINY}", root()));
    for (tensor, data, expert, stages) in
        [(0, 2, 1, 2), (4, 2, 0, 2), (4, 2, 3, 2), (4, 2, 1, 3), (1 << 31, 1 << 31, 1, 4)]
    {
        let wrong = Workload { tensor, data, expert, stages, ..good.clone() };
        assert!(step(&wrong, AllReduce::Ring, 1).is_err());
    }
    let wrong = Workload { pipeline_bytes: f64::NAN, ..good };
    assert!(step(&wrong, AllReduce::Ring, 1).is_err());
}

/// A NumPy file of 2 x 2 numbers of 4 bytes.
fn array() -> Vec<u8> {
    let header = b"\x93NUMPY\x01\x00\x3a\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}\n";
    [&header[..], &[0, 0, 0, 0, 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 0, 0]].concat()
}

#[test]
fn matrices_come_as_arrays_too() {
    let files = Memory([("m".to_string(), array())].into());
    assert_eq!(matrix::read(&files, "m").expect("array").demand.entries(), [(0, 1, 1.0), (1, 0, 2.0)]);
    let text = Memory([("m".to_string(), b"0 1\n2 0\n".to_vec())].into());
    assert_eq!(matrix::read(&files, "m"), matrix::read(&text, "m"));
}

#[test]
fn no_damage_makes_a_reader_panic() {
    let tiny = read_text(&Disk, &format!("{}/{TINY}", root())).expect(TINY);
    let moe = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 2 pp: 2 ga: 4 all_gpus: 32 checkpoints: 1 7 pp_comm 64.0\n\
               1\nmoe -1 1 ALLTOALL_EP 8 1 ALLREDUCE 16 1 ALLGATHER_DP_EP 32 100\n";
    let samples = [tiny.into_bytes(), moe.into(), array(), "n[001-004,7],r[1-2]n[08-11],login1".into()];
    let rounds = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let mut random = common::damage::Random(0x9e37_79b9_7f4a_7c15);
    let mut readable = [0u32; 3];
    for _ in 0..rounds {
        for sample in &samples {
            let mut bytes = sample.clone();
            for _ in 0..=random.below(4) {
                random.damage(&mut bytes);
            }
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let read = workload::parse("fuzz", &text);
            if let Ok(workload) = &read
                && workload.ranks <= 4096
            {
                readable[0] += 1;
                assert!(totals(&step(workload, AllReduce::Tree, 2).expect("step")).iter().all(|t| t.is_finite()));
            }
            let files = Memory([("fuzz".to_string(), bytes)].into());
            let array = matrix::read(&files, "fuzz");
            readable[1] += u32::from(array.is_ok());
            let names = hostlist::expand(&text).map_err(|e| e.at(&Place::new("fuzz", 0)));
            readable[2] += u32::from(names.is_ok());
            for error in [read.err(), array.err(), names.err()].into_iter().flatten() {
                let line = error.to_string();
                assert!(error.is_input() && line.starts_with("fuzz") && !line.contains('\n'), "{text:?}: {line}");
            }
        }
    }
    assert!(
        readable.iter().all(|&n| n > 0) || rounds == 0,
        "damage that no reader survives tests nothing: {readable:?}"
    );
}
