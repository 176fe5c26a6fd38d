//! Patterns against brute force, and traffic made of traffic against matrices.

mod common;

use common::{fabric, root};
use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::{Disk, Files, Memory};
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;
use hopline::traffic::{self, Context};
use std::collections::BTreeMap;

fn try_make(spec: &str, files: &dyn Files) -> Result<Demand, String> {
    let (_, fabric) = fabric("percs:ns=1,nd=1,slots=2");
    let spec = spec.replace("testdata/", &format!("{}/testdata/", root()));
    let context = Context { fabric: &fabric, slots: fabric.hosts().slots(), files };
    let params = Params::from_spec(&spec, &Place::new("--traffic", 0));
    params.and_then(|p| traffic::build(&p, &context)).map(|t| t.demand).map_err(|e| e.to_string())
}

fn make(spec: &str) -> Demand {
    try_make(spec, &Disk).unwrap_or_else(|e| panic!("{spec}: {e}"))
}

type Pairs = BTreeMap<(u32, u32), f64>;

fn pairs(demand: &Demand) -> Pairs {
    let mut pairs = Pairs::new();
    demand.each_pair(|from, to, amount| *pairs.entry((from, to)).or_default() += amount);
    pairs
}

fn same(found: &Pairs, expected: &Pairs, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (pair, amount) in expected {
        let other = found.get(pair).unwrap_or_else(|| panic!("{what}: {pair:?} is missing"));
        assert!((amount - other).abs() < 1e-9 * amount, "{what}: {pair:?} has {other}, expected {amount}");
    }
}

/// Coordinates of all tasks, the last fastest.
fn coordinates(sizes: &[i64]) -> Vec<Vec<i64>> {
    sizes.iter().fold(vec![vec![]], |all, &size| {
        all.iter().flat_map(|c| (0..size).map(move |x| [c.as_slice(), &[x]].concat())).collect()
    })
}

/// Every pair of tasks and every direction, one by one.
fn brute_halo(sizes: &[i64], wrap: bool, per_edge: bool) -> Pairs {
    let tasks = coordinates(sizes);
    let mut found = Pairs::new();
    for (a, from) in tasks.iter().enumerate() {
        let mut steps = vec![];
        for (b, to) in tasks.iter().enumerate() {
            for d in (0..sizes.len()).filter(|&d| sizes[d] > 1) {
                for step in [-1, 1] {
                    let mut next = from.clone();
                    next[d] += step;
                    if wrap {
                        next[d] = next[d].rem_euclid(sizes[d]);
                    }
                    if next == *to {
                        steps.push(b as u32);
                    }
                }
            }
        }
        for &b in &steps {
            *found.entry((a as u32, b)).or_default() += if per_edge { 1.0 } else { 1.0 / steps.len() as f64 };
        }
    }
    found
}

#[test]
fn halos_of_every_dimension_equal_brute_force() {
    let grids: [&[i64]; 9] =
        [&[7], &[3, 5], &[4, 4, 4], &[2, 3, 4], &[5, 1, 2], &[3, 3, 3, 3], &[2, 2, 2, 2], &[4, 1, 3, 2], &[1, 2, 3, 4]];
    for sizes in grids {
        let grid = sizes.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
        for (wrap, per_edge) in [(true, false), (false, false), (true, true), (false, true)] {
            let weight = if per_edge { "per-edge" } else { "per-task" };
            let spec = format!("halo:grid={grid},wrap={wrap},weight={weight}");
            let demand = make(&spec);
            assert_eq!(u64::from(demand.tasks()), sizes.iter().product::<i64>() as u64);
            same(&pairs(&demand), &brute_halo(sizes, wrap, per_edge), &spec);
        }
    }
    assert_eq!(make("halo:grid=4x4x4x4").pairs(), 256 * 8);
    assert_eq!(make("halo:grid=4x4x4x4,wrap=false").pairs(), 4 * 2 * 3 * 64);
}

#[test]
fn a_sum_adds_and_a_factor_scales() {
    let (halo, uniform) = (pairs(&make("halo:grid=4x4x4")), pairs(&make("uniform:tasks=64")));
    let mut expected = uniform.clone();
    halo.iter().for_each(|(&pair, amount)| *expected.entry(pair).or_default() += 2.5 * amount);
    let sum = make("sum:of=[scale:of=[halo:grid=4x4x4],by=2.5;uniform:tasks=64]");
    same(&pairs(&sum), &expected, "sum");
    assert_eq!(sum.blocks().len(), 1, "the block stays whole");
    assert_eq!(sum.grid().map(|g| g.sizes.clone()), Some(vec![4, 4, 4]));
    let toml = "[traffic]\nkind = \"sum\"\nof = [\"scale:of=[halo:grid=4x4x4],by=2.5\", \"uniform:tasks=64\"]";
    let params = Scenario::from_toml("s.toml", toml).expect("scenario").traffic.expect("traffic");
    assert_eq!(make(&params.spec()), sum, "{}", params.spec());
    let matrix = "matrix:testdata/matrices/lammps-melt-64.csv";
    assert_eq!(make(&format!("scale:of={matrix},by=10")).total(), 2_562_391_760.0);
}

#[test]
fn a_product_is_kroneckers() {
    let (a, b) = ("halo:grid=2x3", "shift:by=3,tasks=5");
    let product = make(&format!("product:of=[{a};{b};uniform:tasks=2,self=true]"));
    let mut expected = Pairs::new();
    for ((i, k), x) in pairs(&make(a)) {
        for ((j, l), y) in pairs(&make(b)) {
            for (m, n) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                expected.insert(((i * 5 + j) * 2 + m, (k * 5 + l) * 2 + n), x * y * 0.5);
            }
        }
    }
    same(&pairs(&product), &expected, "product");
    let bytes = make("product:of=[alltoall:tasks=2;matrix:testdata/matrices/lammps-melt-64.csv]");
    assert_eq!((bytes.tasks(), bytes.unit()), (128, Unit::Bytes));
    assert_eq!(bytes.total(), 2.0 * 256_239_176.0);
}

/// The demand with each task t renamed.
fn renamed(demand: &Demand, name: impl Fn(u32) -> u32) -> Pairs {
    pairs(demand).into_iter().map(|((a, b), amount)| ((name(a), name(b)), amount)).collect()
}

#[test]
fn permuted_tasks_keep_their_partners() {
    for of in ["halo:grid=3x4", "transpose:grid=3x4", "uniform:tasks=12"] {
        let plain = make(of);
        let reverse = make(&format!("permute:of=[{of}],by=reverse"));
        same(&pairs(&reverse), &renamed(&plain, |t| 11 - t), of);
        let random = make(&format!("permute:of=[{of}],by=random,seed=3"));
        assert_eq!(random, make(&format!("permute:of=[{of}],by=random,seed=3")), "the same seed");
        let sorted = |d: &Demand| {
            let mut all: Vec<f64> = pairs(d).into_values().collect();
            all.sort_by(f64::total_cmp);
            all
        };
        assert_eq!(sorted(&random), sorted(&plain));
        let files = Memory([("p".to_string(), b"# t p(t)\n2 0\n0 1\n1 2\n".to_vec())].into());
        let moved = try_make("permute:of=[shift:by=1,tasks=3],by=file:p", &files).expect("file");
        assert_eq!(moved.entries(), [(0, 1, 1.0), (1, 2, 1.0), (2, 0, 1.0)]);
    }
    assert_ne!(make("permute:of=[shift:by=1,tasks=64],by=random"), make("shift:by=1,tasks=64"));
}

#[test]
fn a_subset_leaves_the_others_silent() {
    let plain = make("halo:grid=3x4");
    for (at, name) in [("first", (|t| t) as fn(u32) -> u32), ("stride", |t| t * 4)] {
        let subset = make(&format!("subset:of=[halo:grid=3x4],of_tasks=50,at={at}"));
        assert_eq!(subset.tasks(), 50);
        same(&pairs(&subset), &renamed(&plain, name), at);
    }
    let random = make("subset:of=[uniform:tasks=12],of_tasks=50,at=random,seed=2");
    let mut senders: Vec<u32> = pairs(&random).into_keys().map(|p| p.0).collect();
    senders.dedup();
    assert_eq!((senders.len(), pairs(&random).len()), (12, 132));
    assert!((random.total() - 12.0).abs() < 1e-9);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let deep = format!("{}halo", "subset:of=".repeat(202));
    let silent = |n: u32| format!("it must have the numbers 0 to {n} once each");
    for (spec, error) in [
        (
            "sum:of=[halo:grid=2x2;halo:grid=2x3]",
            "--traffic: demands of 4 and 6 tasks cannot be added; subset:of=[...],of_tasks=N puts a small one into a \
             larger job",
        ),
        (
            "sum:of=[uniform:tasks=64;matrix:testdata/matrices/lammps-melt-64.csv]",
            "--traffic: a pattern and a demand in bytes cannot be added; patterns count parts of what a task sends",
        ),
        (
            "sum:of=halo",
            "--traffic: `of` holds 1 kind of traffic, expected two or more; such as of=[halo:grid=8x8;uniform:tasks=64]",
        ),
        ("sum:of=[halo;hallo]", "--traffic: no traffic is called `hallo`; did you mean `halo`?"),
        ("scale:of=halo,by=0", "--traffic: `by` is 0, expected a number above 0 and at most 1e30"),
        ("scale:of=halo,by=-1", "--traffic: `by` is -1, expected a number above 0 and at most 1e30"),
        ("scale:of=[scale:of=[halo:grid=2x2],by=1e30],by=1e30", "--traffic: 4.000e60 in all, expected at most 1e40"),
        (
            "product:of=[matrix:testdata/matrices/lammps-melt-64.csv;matrix:testdata/matrices/lammps-melt-64.csv]",
            "--traffic: bytes times bytes are no bytes; a product takes one demand in bytes at most, the others are \
             patterns",
        ),
        (
            "product:of=[uniform:tasks=4096;uniform:tasks=4096]",
            "--traffic: a product of 16777216 x 16777216 pairs of tasks, expected at most 16777216; give each pattern \
             its size, such as alltoall:tasks=16",
        ),
        (
            "permute:of=halo,by=shuffle",
            "--traffic: `by` is `shuffle`, expected reverse, random or file:PATH; file:PATH has a number a line",
        ),
        ("subset:of=[uniform:tasks=9],of_tasks=8", "--traffic: `of_tasks` is 8, expected 9 to 4194304"),
        (deep.as_str(), "--traffic: more than 200 colons in one spec"),
    ] {
        assert_eq!(try_make(spec, &Disk), Err(error.to_string()), "{spec}");
    }
    for (text, error) in [
        ("0\n0\n1\n", format!("p:2: two tasks become task 0; {}", silent(2))),
        ("0\n3\n1\n", format!("p:2: task 3 is outside the 3 tasks; {}", silent(2))),
        ("0\n1\n", format!("p: 2 tasks, expected 3; {}", silent(2))),
        ("a\nb\nc\n", format!("p:1: found `a`, expected a task; {}", silent(2))),
    ] {
        let files = Memory([("p".to_string(), text.as_bytes().to_vec())].into());
        assert_eq!(try_make("permute:of=[uniform:tasks=3],by=file:p", &files), Err(error));
    }
    // As deep as is allowed, on the stack of a test.
    let deep = format!("{}halo", "subset:of=".repeat(201));
    assert_eq!(pairs(&make(&deep)), pairs(&make("halo")));
}

/// Every pattern, in bytes to each partner: where a task has as many partners as any other the throughput stays
/// what it is, and the time is what its busiest link takes.
#[test]
fn patterns_in_bytes_have_times_and_the_same_throughput() {
    let patterns = [
        ("halo:grid=8x8", 4.0),
        ("halo:grid=4x4x4", 6.0),
        ("transpose:grid=8x8", 16.0),
        ("alltoall", 64.0),
        ("uniform", 63.0),
        ("uniform:self=true", 64.0),
        ("bit-complement", 1.0),
        ("shift:by=5", 1.0),
        ("nearest3d:grid=4x4x4,phase=y", 2.0),
        ("linear:name=digit-reverse", 1.0),
    ];
    for (pattern, partners) in patterns {
        let load = |spec: &str| {
            let toml = format!("topology = \"torus:dims=4x4x4\"\ntraffic = \"{spec}\"");
            let plan = Plan::new(&Scenario::from_toml("s.toml", &toml).expect("scenario"), &Disk).expect(spec);
            (run::load(&plan, 1, &mut Silent).expect(spec).summary, plan.demand)
        };
        let apart = if pattern.contains(':') { ',' } else { ':' };
        let ((units, parts), (bytes, whole)) = (load(pattern), load(&format!("{pattern}{apart}bytes=64K")));
        assert_eq!((parts.unit(), units.seconds, whole.unit()), (Unit::Units, None, Unit::Bytes), "{pattern}");
        assert_eq!(whole.grid(), parts.grid(), "{pattern}");
        let close = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
        let [a, b] = [&bytes, &units].map(|summary| summary.throughput_gb_s.expect("a link limits it"));
        assert!(close(a, b), "{pattern}: {a} and {b} GB/s");
        assert!(close(whole.mean_sent(), 65536.0 * partners), "{pattern}: {}", whole.mean_sent());
        // Links of 1 GB/s.
        assert!(close(bytes.seconds.expect("a time"), bytes.max_load / 1e9), "{pattern}");
        assert!(close(bytes.max_load, 65536.0 * partners * units.max_load), "{pattern}");
    }
}

#[test]
fn bytes_go_to_each_partner_or_with_weight_to_all_of_them() {
    let amounts = |spec: &str| make(spec).entries().iter().map(|e| e.2).collect::<Vec<f64>>();
    assert_eq!(amounts("halo:grid=3,wrap=false,bytes=1000"), [1000.0; 4], "ends have one neighbour");
    assert_eq!(amounts("halo:grid=3,wrap=false,bytes=1000,weight=per-edge"), [1000.0; 4]);
    assert_eq!(amounts("halo:grid=3,wrap=false,bytes=1000,weight=per-task"), [1000.0, 500.0, 500.0, 1000.0]);
    assert_eq!(amounts("halo:grid=2,bytes=1000"), [2000.0; 2], "both neighbours are one task");
    let steps = make("scale:of=[halo:grid=3x3,bytes=1K],by=10");
    assert_eq!((steps.unit(), steps.total()), (Unit::Bytes, 36.0 * 10240.0));
    for (spec, says) in [
        ("halo:bytes=0", "--traffic: `bytes` is 0, expected at least 1"),
        ("uniform:bytes=-4", "--traffic: `bytes` is `-4`, expected bytes such as 65536, 64K, 1MiB or 1MB"),
        (
            "sum:of=[halo:grid=4x4,bytes=8;uniform:tasks=16]",
            "--traffic: a pattern and a demand in bytes cannot be added",
        ),
    ] {
        let error = try_make(spec, &Disk).expect_err(spec);
        assert!(error.starts_with(says), "{spec}: {error}");
    }
}
