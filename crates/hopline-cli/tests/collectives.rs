//! Collectives of the layer against the library's own, on a few ranks of this
//! machine that are told to be on different nodes.

mod common;

use common::mpi::{OPEN_MPI, compile, run, skipped};
use common::{Scratch, skip};

/// Runs a program with this rank's node as `HOPLINE_HOST`: the lines of `hosts` in turn.
const HOSTS: &str = "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexport HOPLINE_HOST=$(sed -n $((rank % 4 + 1))p ${0%/*}/hosts)\nexec \"$@\"\n";
/// The first two and the last two are on one switch each in the fabric `rack64`.
const NODES: &str = "node001\nnode057\nnode002\nnode058\n";

const ALL: &str = "HOPLINE_COLLECTIVES=all";

fn prepare(name: &str, library: &str) -> Option<Scratch> {
    let (mpicc, mpirun) = (format!("mpicc.{library}"), format!("mpirun.{library}"));
    if skipped(&[&mpicc, &mpirun]) {
        return None;
    }
    let dir = Scratch::new(&format!("{name}-{library}"));
    compile(&dir, &mpicc, "collectives.c", &[], "collectives");
    dir.write("hosts.sh", HOSTS);
    dir.write("hosts", NODES);
    Some(dir)
}

/// Runs words on ranks with the layer before them and these variables.
fn layered(dir: &Scratch, library: &str, ranks: u32, variables: &[&str], job: &str) -> String {
    let launcher = if library == "openmpi" { OPEN_MPI } else { "mpirun.mpich" };
    let set: Vec<String> = variables.iter().map(|v| format!("{v} ")).collect();
    let words = format!("{launcher} -n {ranks} env LD_PRELOAD=LAYER {}sh DIR/hosts.sh {job}", set.concat());
    let ran = run(dir, &words);
    assert!(ran.success, "{library}: {}{}", ran.stdout, ran.stderr);
    ran.stdout + &ran.stderr
}

/// The numbers before and after a word in what the layer said at the end.
fn went(text: &str) -> (u64, u64) {
    let line = text.lines().find(|l| l.contains("went the ways")).unwrap_or_else(|| panic!("no report in {text}"));
    let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
    (numbers[0], numbers[1])
}

/// What a program compared, and how much of it was wrong.
fn compared(text: &str) -> &str {
    let line = text.lines().find_map(|l| l.strip_prefix("compared: ")).unwrap_or_else(|| panic!("{text}"));
    assert!(line.ends_with(" wrong: 0") && !line.starts_with('0'), "{text}");
    line
}

#[test]
fn every_collective_gives_what_the_library_gives() {
    // MPICH spins where it waits: many ranks on few cores take minutes.
    let slow = skip::is_slow();
    for (library, ranks) in [("openmpi", 8), ("mpich", if slow { 8 } else { 4 })] {
        let Some(dir) = prepare("collectives", library) else { continue };
        let modes = ["HOPLINE_FORCE=1", "HOPLINE_TRIALS=1"];
        for mode in &modes[..if slow { 2 } else { 1 }] {
            let variables = [ALL, mode, "HOPLINE_BUDGET=100", "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1"];
            let job = if slow { "DIR/collectives" } else { "DIR/collectives few" };
            let text = layered(&dir, library, ranks, &variables, job);
            compared(&text);
            let (ours, calls) = went(&text);
            assert!(calls > 50, "{library}: {calls} calls");
            assert!(*mode != modes[0] || ours == calls, "{library}: {ours} of {calls} calls");
        }
    }
}

#[test]
fn broadcasts_in_parts_give_what_the_library_gives() {
    // MPICH takes its time for this program, with and without the layer.
    let slow = skip::is_slow();
    let all = ["auto", "dft", "bft"];
    for (library, ranks, orders) in [("openmpi", 7, &all[..]), ("mpich", 5, &all[..if slow { 3 } else { 1 }])] {
        let Some(dir) = prepare("parts", library) else { continue };
        for order in orders {
            let order = format!("HOPLINE_ORDER={order}");
            let variables = [
                "HOPLINE_COLLECTIVES=bcast",
                "HOPLINE_BCAST=scatter-allgather",
                &order,
                "HOPLINE_FORCE=1",
                "HOPLINE_MIN_BYTES=1",
                "HOPLINE_VERBOSE=1",
            ];
            let text = layered(&dir, library, ranks, &variables, "DIR/collectives few");
            compared(&text);
            assert!(text.contains(": Scatter and all-gather, "), "{library}: {text}");
            let (ours, calls) = went(&text);
            assert!(ours == calls && calls > 20, "{library}: {ours} of {calls} calls");
        }
    }
}

#[test]
fn the_order_of_trees_is_the_one_asked_for() {
    let Some(dir) = prepare("order", "openmpi") else { return };
    let run = |order: &str| {
        let variables = [ALL, order, "HOPLINE_FORCE=1", "HOPLINE_VERBOSE=1"];
        layered(&dir, "openmpi", 4, &variables, "DIR/collectives few")
    };
    for (order, name, other) in [("dft", "depth first", "breadth first"), ("bft", "breadth first", "depth first")] {
        let text = run(&format!("HOPLINE_ORDER={order}"));
        compared(&text);
        assert!(text.contains(name) && !text.contains(other), "{text}");
    }
    for (wrong, known) in [
        ("HOPLINE_ORDER=deep", "dft, bft and auto are"),
        ("HOPLINE_BCAST=ring", "tree, scatter-allgather and auto are"),
    ] {
        let text = run(wrong);
        compared(&text);
        let (name, word) = wrong.split_once('=').expect("a variable");
        let line = format!("hopline: {name}: `{word}` is not known; {known}; collectives are the library's");
        let said: Vec<&str> = text.lines().filter(|line| line.starts_with("hopline: ")).collect();
        assert_eq!(said, [line], "one line");
    }
}

#[test]
fn calls_that_end_with_a_request_give_what_the_library_gives() {
    let slow = skip::is_slow();
    for (library, ranks) in [("openmpi", 8), ("mpich", if slow { 8 } else { 4 })] {
        let Some(dir) = prepare("requests", library) else { continue };
        compile(&dir, &format!("mpicc.{library}"), "nonblocking.c", &[], "nonblocking");
        for mode in ["HOPLINE_FORCE=1", "HOPLINE_BUDGET=100", "HOPLINE_ORDER=bft"] {
            let variables = [ALL, mode, "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1", "HOPLINE_DELAYS_FILE=none"];
            let text = layered(&dir, library, ranks, &variables, "timeout 200 DIR/nonblocking");
            compared(&text);
            if mode == "HOPLINE_FORCE=1" {
                // Where the first of a kind goes is not known yet.
                let (ours, calls) = went(&text);
                assert!(ours < calls && 4 * ours > calls, "{library}: {ours} of {calls} calls");
                for operation in ["bcast", "reduce", "allreduce", "allgather", "alltoall", "scatter", "gather"] {
                    let has = |line: &str| {
                        let words = line.strip_prefix("hopline: ").and_then(|line| line.strip_prefix(operation));
                        words.is_some_and(|rest| rest.starts_with([',', ' ']) && rest.contains("a request: ranks "))
                    };
                    assert!(text.lines().any(has), "{library}, {operation}: {text}");
                }
            }
        }
    }
}

#[test]
fn nodes_tell_each_other_the_rates_of_their_adapters() {
    let Some(dir) = prepare("adapters", "openmpi") else { return };
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    dir.write(
        "rated.sh",
        "#!/bin/sh\nexport HOPLINE_RATE=$(sed -n $((OMPI_COMM_WORLD_RANK + 1))p ${0%/*}/rates)\nexec \"$@\"\n",
    );
    let told = |rates: &str, delays: &[&str]| {
        dir.write("rates", rates.replace(' ', "\n") + "\n");
        let always = ["HOPLINE_COLLECTIVES=bcast", "HOPLINE_FORCE=1", "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1"];
        let variables: Vec<&str> = always.iter().chain(delays).copied().collect();
        let text = layered(&dir, "openmpi", 4, &variables, "sh DIR/rated.sh DIR/collective bcast 20000 2 c");
        assert!(text.contains("wrong bytes: 0"), "{text}");
        text
    };
    let file = "HOPLINE_DELAYS_FILE=none";
    for (rates, delays, said) in [
        // No file and no service: a job on adapters of two rates finds that out by itself.
        ("20 10 20 10", &[file][..], "delays Speed from the adapters"),
        ("20 20 20 20", &[file], "delays measured"),
        ("20 10 20 10", &[file, "HOPLINE_DELAYS=measured"], "delays measured"),
        ("20 20 20 20", &[file, "HOPLINE_DELAYS=speed"], "delays Speed from the adapters"),
        ("20 fast 20 10", &[file], "HOPLINE_RATE: `fast` is no rate in Gb/s"),
        ("20 fast 20 10", &[file], "delays measured"),
        (
            "20 -1 20 10",
            &[file, "HOPLINE_DELAYS=speed"],
            "delays are measured: the rate of the adapter of `node057` is not known; HOPLINE_RATE=10 there says 10 Gb/s",
        ),
    ] {
        let text = told(rates, delays);
        assert!(text.contains(said), "{rates} {delays:?}: {text}");
    }
}

#[test]
fn delays_come_from_the_service_from_files_and_from_slurm() {
    let Some(dir) = prepare("delays", "openmpi") else { return };
    dir.write("hops", "node001 node002 node057 node058\n0 0 2 2\n0 0 2 2\n2 2 0 0\n2 2 0 0\n");
    dir.write("rates", "node001 4\nnode002 4\nnode057 2\nnode058 2\n");
    dir.write(
        "topology",
        "SwitchName=a Level=0 LinkSpeed=1 Nodes=node[001-002]\nSwitchName=b Level=0 LinkSpeed=1 Nodes=node[057-058]\n\
         SwitchName=top Level=1 LinkSpeed=1 Nodes=node[001-002,057-058] Switches=a,b\n",
    );
    // The service, then the program, in one network.
    let fabric = common::root().join("testdata/fabrics/rack64").canonicalize().expect("rack64");
    let (hopline, fabric) = (env!("CARGO_BIN_EXE_hopline"), fabric.display());
    dir.write(
        "served.sh",
        format!(
            "{hopline} fabric serve {fabric} --listen 127.0.0.1:7476 2>serve.log &\n\
             for i in $(seq 100); do grep -q 127.0.0.1:7476 serve.log && break; sleep 0.1; done\n\
             \"$@\"\ncode=$?\nkill $!\nexit $code\n"
        ),
    );
    compile(&dir, "mpicc.openmpi", "collective.c", &[], "collective");
    let told = |variables: &[&str], launcher: &str| {
        let always = ["HOPLINE_COLLECTIVES=bcast", "HOPLINE_FORCE=1", "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1"];
        let set: String = always.iter().chain(variables).map(|v| format!("{v} ")).collect();
        let words = format!(
            "{launcher} {OPEN_MPI} -n 4 env LD_PRELOAD=LAYER {set}sh DIR/hosts.sh DIR/collective bcast 20000 2 c"
        );
        let ran = run(&dir, &words);
        assert!(ran.success && ran.stdout.contains("wrong bytes: 0"), "{}{}", ran.stdout, ran.stderr);
        ran.stderr
    };
    for (variables, from) in [
        (&["HOPLINE_DELAYS=hops=hops"][..], "in 2 islands, delays Hops from hops"),
        (&["HOPLINE_DELAYS=slurm=topology"], "in 2 islands, delays Slurm from topology"),
        (&["HOPLINE_DELAYS=speed=rates"], "delays Speed from rates"),
        (&[], "delays measured"),
        // Who does not know the hosts, or does not answer, is done without.
        (&["HOPLINE_DELAYS=hops=/dev/null"], "no host `node001`"),
        (&["HOPLINE_SERVICE=127.0.0.1:9"], "delays are measured: 127.0.0.1:9: "),
    ] {
        let said = told(variables, "");
        assert!(said.contains(from) && said.contains("cost: nodes "), "{variables:?}: {said}");
    }
    for (variables, from) in [
        (&["HOPLINE_SERVICE=127.0.0.1:7476"][..], "in 2 islands, delays Hops from 127.0.0.1:7476"),
        (&["HOPLINE_SERVICE=127.0.0.1:7476", "HOPLINE_DELAYS=speed"], "delays Speed from 127.0.0.1:7476"),
    ] {
        let said = told(variables, "sh DIR/served.sh");
        assert!(said.contains(from), "{variables:?}: {said}");
    }
}

#[test]
fn fortran_sends_from_the_bottom_and_in_place() {
    for (library, module) in ["openmpi", "mpich"].into_iter().flat_map(|l| [(l, "-DF77"), (l, "-DF08")]) {
        if skipped(&["gfortran", &format!("mpif90.{library}")]) {
            continue;
        }
        let Some(dir) = prepare(&format!("bottom{module}"), library) else { continue };
        compile(&dir, &format!("mpif90.{library}"), "bottom.f90", &["-cpp", module], "bottom");
        let variables = [ALL, "HOPLINE_FORCE=1", "HOPLINE_VERBOSE=1"];
        let text = layered(&dir, library, 3, &variables, "DIR/bottom");
        assert!(text.contains("wrong: 0"), "{library} {module}: {text}");
        assert_eq!(
            went(&text),
            (13, 16),
            "{library} {module}: all but the sum of one number and the first of each kind with a request"
        );
    }
}

#[test]
fn communicators_stay_the_programs() {
    // MPICH has 2,048 of them, and spins where it waits.
    let slow = skip::is_slow();
    for (library, communicators) in [("openmpi", 3000), ("mpich", if slow { 1500 } else { 1100 })] {
        let Some(dir) = prepare("communicators", library) else { continue };
        compile(&dir, &format!("mpicc.{library}"), "communicators.c", &[], "communicators");
        let variables = [ALL, "HOPLINE_FORCE=1", "HOPLINE_VERBOSE=1"];
        let text = layered(&dir, library, 2, &variables, &format!("DIR/communicators {communicators}"));
        assert!(text.contains(&format!("communicators: {communicators} wrong: 0")), "{library}: {text}");
        let (ours, calls) = went(&text);
        assert!(ours == calls && calls > communicators, "{library}: {ours} of {calls}");
    }
}

#[test]
fn parts_of_the_world_that_come_first_get_some_communicators_of_their_own() {
    for library in ["openmpi", "mpich"] {
        let Some(dir) = prepare("parts", library) else { continue };
        compile(&dir, &format!("mpicc.{library}"), "communicators.c", &[], "communicators");
        let text =
            layered(&dir, library, 4, &[ALL, "HOPLINE_FORCE=1", "HOPLINE_VERBOSE=1"], "DIR/communicators 20 parts");
        assert!(text.contains("communicators: 20 wrong: 0"), "{library}: {text}");
        // Twice 32 of 40 that are alive at once go two broadcasts our way, the world's one; then the 20 and their 42 more.
        let (ours, calls) = went(&text);
        assert!(ours == calls, "{library}: {ours} of {calls}");
        assert_eq!(ours, 2 * 32 * 2 + 1 + 20 + 20 + 2, "{library}");
    }
}

#[test]
fn communicators_that_cannot_be_paid_are_the_librarys() {
    for library in ["openmpi", "mpich"] {
        let Some(dir) = prepare("unpaid", library) else { continue };
        compile(&dir, &format!("mpicc.{library}"), "communicators.c", &[], "communicators");
        // 40 are asked about at both of their calls, and 3 of other members at their only one.
        for (budget, put_off) in [("HOPLINE_BUDGET=0", Some("could not be paid: 83\n")), ("HOPLINE_BUDGET=100", None)] {
            let text = layered(&dir, library, 2, &[ALL, budget, "HOPLINE_VERBOSE=1"], "DIR/communicators 40");
            assert!(text.contains("communicators: 40 wrong: 0"), "{library}: {text}");
            let said = put_off.map_or(!text.contains("could not be paid"), |words| text.contains(words));
            assert!(said, "{library}, {budget}: {text}");
        }
    }
}

#[test]
fn exceptions_of_error_handlers_pass_through() {
    for library in ["openmpi", "mpich"] {
        if skipped(&[&format!("mpicxx.{library}")]) {
            continue;
        }
        let Some(dir) = prepare("throws", library) else { continue };
        compile(&dir, &format!("mpicxx.{library}"), "throws.cpp", &[], "throws");
        for mode in ["HOPLINE_FORCE=1", "HOPLINE_TRIALS=2"] {
            let variables = [ALL, mode, "HOPLINE_MIN_BYTES=1", "HOPLINE_VERBOSE=1", "HOPLINE_RECORD=DIR/recording"];
            let text = layered(&dir, library, 3, &variables, "DIR/throws");
            assert!(text.contains("caught: 32 wrong: 0"), "{library} {mode}: {text}");
            assert!(mode != "HOPLINE_FORCE=1" || went(&text) == (17, 17), "{library}: {text}");
            // After an exception the recorder goes on: one exchange and one message a round.
            dir.hopline("record merge DIR/recording -o DIR/matrix.csv").done();
            assert!(dir.read("matrix.csv").contains("p,0,1,16,96\n"), "{library}: {}", dir.read("matrix.csv"));
        }
    }
}
