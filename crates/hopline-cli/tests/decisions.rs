//! Decision files in the libraries that read them: what Open MPI and MPICH send
//! for a collective is what the schedule of the chosen algorithm sends.

mod common;

use common::Scratch;
use common::mpi::{OPEN_MPI, compile, run, skipped};
use hopline::format::tuning::{Decisions, Rule, offers, write};
use hopline::schedule::What;
use hopline::schedule::collective::{Keys, named, sized};
use std::collections::BTreeMap;
use std::fs;

/// Messages and bytes from rank to rank.
type Sent = BTreeMap<(u32, u32), (u64, u64)>;

/// Bytes of the first algorithm of an operation; each next one has four times as many. Six and
/// eight ranks cut them into equal parts: libraries do not agree on where odd bytes go.
const FIRST: u64 = 960;

/// Algorithms and radix.
type Algorithms = &'static [(&'static str, u32)];

/// Operations with their algorithms.
type Choices = &'static [(&'static str, Algorithms)];

fn keys(bytes: u64, k: u32) -> Keys {
    Keys { k, ..sized(bytes, 1) }
}

/// Sizes of the algorithms of an operation, ascending.
fn sizes(operation: &str, algorithms: &[(&'static str, u32)]) -> Vec<(u64, &'static str, u32)> {
    let bytes = |i: usize| if operation == "barrier" { 0 } else { FIRST << (2 * i) };
    algorithms.iter().enumerate().map(|(i, &(name, k))| (bytes(i), name, k)).collect()
}

/// Rules that change algorithms half way between the sizes.
fn decisions(operation: &str, ranks: u32, algorithms: &[(&'static str, u32)]) -> Decisions {
    let rule = |(i, (bytes, name, k)): (usize, (u64, &str, u32))| Rule {
        from: if i == 0 { 0 } else { bytes / 2 },
        algorithm: name.to_string(),
        segment: 0,
        k,
    };
    let rules = sizes(operation, algorithms).into_iter().enumerate().map(rule).collect();
    Decisions { operation: operation.to_string(), ranks, hosts: 1, rules }
}

/// What the schedule of an algorithm sends.
fn scheduled(name: &str, keys: &Keys, ranks: u32) -> Sent {
    let schedule = named(name).and_then(|a| a.schedule(keys, ranks)).expect(name);
    let mut sent = Sent::new();
    for rank in 0..ranks {
        let ops = schedule.of(0, rank).map(|i| schedule.ops()[i as usize]);
        for op in ops.filter(|op| op.what == What::Send) {
            let pair = sent.entry((rank, op.peer)).or_default();
            *pair = (pair.0 + 1, pair.1 + op.amount);
        }
    }
    sent
}

/// What Open MPI's monitoring wrote of messages within collectives: `I from to N bytes M msgs sent ...`.
fn monitored(dir: &Scratch, prefix: &str) -> Sent {
    let mut sent = Sent::new();
    for name in dir.names("").iter().filter(|name| name.starts_with(prefix)) {
        for line in dir.read(name).lines() {
            if let ["I", from, to, bytes, "bytes", messages, ..] = line.split_whitespace().collect::<Vec<_>>()[..] {
                let number = |word: &str| word.parse::<u64>().expect(line);
                sent.insert((number(from) as u32, number(to) as u32), (number(messages), number(bytes)));
            }
        }
    }
    sent
}

const OPEN_MPI_HAS: Choices = &[
    ("broadcast", &[("binomial", 4), ("knomial", 4), ("chain", 4), ("scatter-doubling", 4), ("scatter-ring", 4)]),
    ("reduce", &[("reduce-knomial", 2)]),
    ("allreduce", &[("allreduce-doubling", 4), ("allreduce-ring", 4), ("rabenseifner", 4)]),
    ("allgather", &[("allgather-bruck", 4), ("allgather-doubling", 4), ("allgather-ring", 4)]),
    ("reduce-scatter", &[("reduce-scatter-halving", 4), ("reduce-scatter-ring", 4)]),
    ("alltoall", &[("linear", 4), ("pairwise", 4), ("bruck", 4)]),
    ("barrier", &[("dissemination", 4)]),
];

/// Those of the algorithms that the form offers for so many ranks.
fn offered(form: &str, operation: &str, ranks: u32, all: Algorithms) -> Vec<(&'static str, u32)> {
    let rule = |&(name, k): &(&str, u32)| Rule { from: 0, algorithm: name.to_string(), segment: 0, k };
    all.iter().copied().filter(|a| offers(form, operation, ranks, &rule(a)).expect(form)).collect()
}

/// One job with rules for some operations; what all of them send is added up.
fn open_mpi(dir: &Scratch, ranks: u32, operations: Choices) {
    let (mut rules, mut words, mut expected) = (String::new(), Vec::new(), Sent::new());
    for &(operation, algorithms) in operations {
        let algorithms = offered("openmpi", operation, ranks, algorithms);
        let file = write("openmpi", &decisions(operation, ranks, &algorithms)).expect(operation);
        rules += file.strip_prefix("1 # collectives\n").expect("the number of operations");
        for (bytes, name, k) in sizes(operation, &algorithms) {
            words.push(format!("{operation} {bytes}"));
            // Its linear all-to-all starts persistent requests, which the monitoring does not see.
            if name == "linear" {
                continue;
            }
            for (pair, (n, b)) in scheduled(name, &keys(bytes, k), ranks) {
                let sum = expected.entry(pair).or_default();
                *sum = (sum.0 + n, sum.1 + b);
            }
        }
    }
    fs::write(dir.path("rules"), format!("{} # collectives\n{rules}", operations.len())).expect("rules");
    let name = format!("{}-of-{ranks}", operations[0].0);
    let ran = run(
        dir,
        &format!(
            "{OPEN_MPI} -n {ranks} --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename DIR/rules \
             --mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename DIR/{name} \
             DIR/collective {}",
            words.join(" ")
        ),
    );
    assert!(ran.success, "{name}: {}{}", ran.stdout, ran.stderr);
    assert_eq!(monitored(dir, &format!("{name}.")), expected, "{name}");
}

#[test]
fn open_mpi_takes_the_algorithms_of_the_file() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("decisions-openmpi");
    compile(&dir, "mpicc.openmpi", "decided.c", &["-ldl"], "collective");
    for choice in OPEN_MPI_HAS {
        open_mpi(&dir, 8, std::slice::from_ref(choice));
    }
    // No power of two, and the rules of all operations in one file.
    open_mpi(&dir, 6, OPEN_MPI_HAS);
}

const MPICH_HAS: Choices = &[
    ("broadcast", &[("knomial", 2), ("scatter-doubling", 2), ("scatter-ring", 2)]),
    ("reduce", &[("reduce-knomial", 2)]),
    ("allreduce", &[("allreduce-doubling", 2), ("rabenseifner", 2)]),
    ("allgather", &[("allgather-bruck", 2), ("allgather-doubling", 2), ("allgather-ring", 2)]),
    ("reduce-scatter", &[("reduce-scatter-halving", 2)]),
    ("alltoall", &[("linear", 2), ("pairwise", 2), ("bruck", 2)]),
    ("barrier", &[("dissemination", 2)]),
];

/// All over UCX, so that the preloaded counter sees it.
fn mpich(ranks: u32) {
    if skipped(&["mpiexec.hydra", "mpicc.mpich"]) {
        return;
    }
    let dir = Scratch::new(&format!("decisions-mpich-{ranks}"));
    compile(&dir, "mpicc.mpich", "decided.c", &["-ldl"], "collective");
    compile(&dir, "cc", "counted.c", &["-shared", "-fPIC", "-ldl"], "counted.so");
    for &(operation, algorithms) in MPICH_HAS {
        let algorithms = offered("mpich", operation, ranks, algorithms);
        let file = write("mpich", &decisions(operation, ranks, &algorithms)).expect(operation);
        fs::write(dir.path("selection.json"), file).expect("selection");
        let sizes = sizes(operation, &algorithms);
        let words: Vec<String> = sizes.iter().map(|(bytes, ..)| format!("{operation} {bytes}")).collect();
        let ran = run(
            &dir,
            &format!(
                "env LD_PRELOAD=DIR/counted.so MPIR_CVAR_NOLOCAL=1 MPIR_CVAR_DEVICE_COLLECTIVES=none \
                 MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=DIR/selection.json mpiexec.hydra -n {ranks} DIR/collective {}",
                words.join(" ")
            ),
        );
        assert!(ran.success, "{operation}: {}{}", ran.stdout, ran.stderr);
        let mut sent = vec![Sent::new(); sizes.len()];
        for line in ran.stdout.lines() {
            let numbers: Vec<u64> = line.split(' ').map(|word| word.parse().expect(line)).collect();
            let [which, from, to, messages, bytes] = numbers[..] else { panic!("{line}") };
            // Some algorithms hand a rank's own part to the network too.
            if from != to {
                sent[which as usize].insert((from as u32, to as u32), (messages, bytes));
            }
        }
        for ((bytes, name, k), sent) in sizes.into_iter().zip(sent) {
            // MPICH lets the odd ranks take part where Open MPI and the schedule let the even ones.
            if name == "rabenseifner" && !ranks.is_power_of_two() {
                continue;
            }
            assert_eq!(sent, scheduled(name, &keys(bytes, k), ranks), "{name}, {bytes} bytes, {ranks} ranks");
        }
    }
}

#[test]
fn mpich_takes_the_algorithms_of_the_file() {
    mpich(8);
}

#[test]
fn mpich_takes_them_with_any_number_of_ranks() {
    mpich(6);
}

/// All sizes of all algorithms of 4,096 ranks would take minutes.
#[test]
fn decisions_on_messages_without_latency_are_refused_before_the_work() {
    let dir = Scratch::new("decisions-latency");
    let words = "collective allreduce --topology torus:dims=16x16x16 --export mpich=DIR/no";
    let refused = dir.hopline(words);
    assert!(refused.code == Some(2) && refused.stderr.contains("--export: the file for mpich"), "{}", refused.stderr);
    assert!(refused.stderr.contains("L=770,o=400") && !dir.path("no").exists(), "{}", refused.stderr);
}
