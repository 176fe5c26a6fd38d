//! The layer in programs that go wrong, under Open MPI and MPICH: what they print and how they end is what it is without the layer,
//! and what was recorded up to then is read, or refused in one line.

#![allow(clippy::print_stdout, reason = "a slow test tells how many programs there were")]

mod common;

use common::mpi::{OPEN_MPI, Output, compile, run, skipped};
use common::{Scratch, root, skip};
use std::collections::BTreeMap;
use std::fs;

/// Every second rank on another node, so that collectives have an order.
const HOSTS: &str =
    "#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\nexport HOPLINE_HOST=node00$((rank % 2))\nexec \"$@\"\n";

/// Recorded, with collectives in the layer's own order.
const LAYERED: &str = "LD_PRELOAD=LAYER HOPLINE_RECORD=DIR/recording HOPLINE_COLLECTIVES=all HOPLINE_FORCE=1 \
                       HOPLINE_MIN_BYTES=1 HOPLINE_DELAYS_FILE=none";

const LIBRARIES: [(&str, &str); 2] = [("openmpi", OPEN_MPI), ("mpich", "mpirun.mpich")];

/// Runs a test under each library, in a folder of its own that has the program `chaos`.
fn each(name: &str, test: impl Fn(&Scratch, &str, &str)) {
    for (library, launcher) in LIBRARIES {
        let mpicc = format!("mpicc.{library}");
        if skipped(&[&mpicc, &format!("mpirun.{library}")]) {
            continue;
        }
        let dir = Scratch::new(&format!("chaos-{name}-{library}"));
        compile(&dir, &mpicc, "chaos.c", &[], "chaos");
        dir.write("hosts.sh", HOSTS);
        test(&dir, library, launcher);
    }
}

/// Four ranks of a program without the layer, then with it and these variables: both print and end the same.
fn same(dir: &Scratch, launcher: &str, variables: &str, program: &str) -> Output {
    let ranks = |variables: &str| run(dir, &format!("{launcher} -n 4 env {variables} sh DIR/hosts.sh {program}"));
    let (alone, layered) = (ranks(""), ranks(&format!("{LAYERED} {variables}")));
    let what =
        format!("{launcher} {program}: {}{}\nwithout the layer: {}", layered.stdout, layered.stderr, alone.stderr);
    // MPICH tells which process was killed, by a number that every run gives anew.
    let printed =
        |ran: &Output| ran.stdout.lines().filter(|l| !l.starts_with("=   PID ")).collect::<Vec<_>>().join("\n");
    assert_eq!((printed(&layered), layered.code), (printed(&alone), alone.code), "{what}");
    assert_ne!(layered.code, Some(124), "it hangs: {what}");
    layered
}

/// What the layer said.
fn said(output: &Output) -> Vec<&str> {
    output.stderr.lines().filter(|line| line.starts_with("hopline: ")).collect()
}

/// Messages and bytes of each pair that the recording has.
fn recorded(dir: &Scratch) -> BTreeMap<(u32, u32), (u32, u32)> {
    dir.hopline("record merge DIR/recording -o DIR/matrix.csv").done();
    dir.hopline("load --topology full-mesh:n=4 --traffic matrix:file=DIR/recording").done();
    let matrix = dir.read("matrix.csv");
    let pair = |line: &str| {
        let fields: Vec<u32> = line.split(',').map(|field| field.parse().expect(line)).collect();
        ((fields[0], fields[1]), (fields[2], fields[3]))
    };
    matrix.lines().filter_map(|line| line.strip_prefix("p,")).map(pair).collect()
}

/// What a whole run of `chaos` sends around the ring.
fn whole() -> BTreeMap<(u32, u32), (u32, u32)> {
    (0..4).map(|rank| ((rank, (rank + 1) % 4), (20, 80))).collect()
}

#[test]
fn a_rank_that_is_killed_ends_the_others_and_leaves_what_was_recorded() {
    each("killed", |dir, library, launcher| {
        let ran = same(dir, launcher, "", "DIR/chaos kill");
        assert!(!ran.success && said(&ran).is_empty(), "{library}: {}{}", ran.stdout, ran.stderr);
        let left = recorded(dir);
        let (messages, bytes) = left.get(&(1, 2)).unwrap_or_else(|| panic!("{library}: nothing of rank 1: {left:?}"));
        assert!((1..=10).contains(messages) && *bytes == 4 * messages, "{library}: of 10 messages {left:?}");
    });
}

#[test]
fn children_that_end_last_leave_the_recording_alone() {
    each("fork", |dir, library, launcher| {
        let ran = same(dir, launcher, "", "DIR/chaos fork");
        assert_eq!(ran.stdout, "wrong: 0\n", "{library}: {}", ran.stderr);
        assert_eq!(recorded(dir), whole(), "{library}");
        let files = dir.names("recording");
        assert!(files.iter().all(|name| name.ends_with(".hop")), "{library}: a child wrote {files:?}");
    });
}

#[test]
fn a_full_disk_ends_the_recording_and_nothing_else() {
    // What is left there is taken out before the namespace ends, with the disk.
    let script = "here=${0%/*}; mkdir -p $here/small; mount -t tmpfs -o size=$1 tmpfs $here/small; shift; \"$@\"; code=$?\n\
                  rm -rf $here/recording; cp -r $here/small $here/recording; exit $code\n";
    each("full", |dir, library, launcher| {
        dir.write("full.sh", script);
        for size in ["4k", "28k"] {
            let ran = same(dir, &format!("sh DIR/full.sh {size} {launcher}"), "HOPLINE_RECORD=DIR/small", "DIR/chaos");
            let lines = said(&ran);
            assert!((1..=4).contains(&lines.len()), "{library}: {lines:?}");
            let told = |line: &&str| {
                line.contains("record") && line.contains("/small") && line.contains("No space left on device")
            };
            assert!(lines.iter().all(told), "{library}: {lines:?}");
            // A rank that could not even say who it is has no beginning.
            let merged = dir.hopline("record merge DIR/recording");
            let is_beginning =
                merged.code == Some(0) && merged.stdout.contains("4 of 4 ranks ended before MPI_Finalize");
            let is_refused = merged.code == Some(2) && merged.stderr.contains("cut short before it says whose it is");
            assert!(is_beginning || is_refused && merged.stderr.lines().count() == 1, "{library} {size}: {merged:?}");
            let drafts = dir.names("recording").into_iter().filter(|name| name.ends_with(".part")).count();
            assert_eq!(drafts, 0, "{library} {size}");
        }
    });
}

#[test]
fn a_library_that_is_thrown_out_takes_the_layer_nowhere() {
    each("dlclose", |dir, library, launcher| {
        compile(dir, &format!("mpicc.{library}"), "chaos.c", &["-DLIBRARY", "-shared", "-fPIC"], "libwork.so");
        compile(dir, "cc", "chaos_loader.c", &["-ldl"], "loader");
        for scope in ["global", "local"] {
            let ran = same(dir, launcher, "", &format!("DIR/loader {scope} DIR/libwork.so"));
            assert_eq!((&*ran.stdout, said(&ran).len()), ("wrong: 0\n", 0), "{library}, {scope}: {}", ran.stderr);
            assert_eq!(recorded(dir), whole(), "{library}, {scope}");
        }
    });
}

/// The program starts when the layer has waited long enough, with delays that it measures.
#[test]
fn a_service_that_hangs_does_not_keep_a_program() {
    if !skip::slow("the layer's five seconds") {
        return;
    }
    each("hung", |dir, library, launcher| {
        // Takes connections and says nothing; it ends with the namespace.
        let deaf =
            "import socket, time; s = socket.create_server(('127.0.0.1', 7077)); open('deaf', 'w'); time.sleep(200)";
        let wait = "until [ -e deaf ]; do sleep 0.1; done; rm deaf";
        dir.write("hung.sh", format!("python3 -c \"{deaf}\" &\n{wait}\n\"$@\"\n"));
        let ran = same(dir, &format!("sh DIR/hung.sh {launcher}"), "HOPLINE_SERVICE=127.0.0.1:7077", "DIR/chaos");
        let line = "hopline: delays are measured: 127.0.0.1:7077: it does not answer in time";
        assert_eq!((&*ran.stdout, said(&ran)), ("wrong: 0\n", vec![line]), "{library}: {}", ran.stderr);
        assert_eq!(recorded(dir), whole(), "{library}");
    });
}

/// Programs of `tests/mpi`: the compiler, what it is told beside, and words for the program.
const PROGRAMS: [(&str, &str, &str, &str); 11] = [
    ("many.c", "mpicc", "", ""),
    ("collectives.c", "mpicc", "", "few"),
    ("nonblocking.c", "mpicc", "", ""),
    ("communicators.c", "mpicc", "", "8"),
    ("threads.c", "mpicc", "-pthread", ""),
    ("meet.c", "mpicc", "-pthread -rdynamic", ""),
    ("cg.c", "mpicc", "", ""),
    ("chaos.c", "mpicc", "", ""),
    ("later.c", "mpicc", "", "."),
    ("ring.f90", "mpif90", "-cpp -DF08", ""),
    ("bottom.f90", "mpif90", "-cpp -DF77", ""),
];

/// LAMMPS and HPC Challenge on Open MPI, where they are installed: a line that shows what they print but for times; what they read, and
/// under which name.
const LARGE: [(&str, &str, &str, &str); 2] = [
    (
        "lmp",
        "lmp -in in.melt -var size 6 -log none | grep '^ *[0-9]* *[-0-9.]* *[-0-9.]* *0 '",
        "testdata/programs/in.melt",
        "in.melt",
    ),
    (
        "hpcc",
        "hpcc && grep Success= hpccoutf.txt && rm hpccoutf.txt",
        "/usr/share/doc/hpcc/examples/_hpccinf.txt",
        "hpccinf.txt",
    ),
];

/// Each of them in a folder of its own, with the line that runs four ranks of it.
fn programs(dir: &Scratch) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for (library, launcher) in LIBRARIES {
        let start = format!("{launcher} -n 4 env VARIABLES sh ../hosts.sh");
        for (source, compiler, told, words) in PROGRAMS {
            let name = format!("{library}-{source}");
            dir.write(&format!("{name}/out"), "");
            let told: Vec<&str> = told.split_whitespace().collect();
            compile(dir, &format!("{compiler}.{library}"), source, &told, &format!("{name}/program"));
            all.push((name, format!("{start} ./program {words}")));
        }
    }
    for (name, line, from, file) in LARGE {
        if !skipped(&[name, "mpirun.openmpi"]) {
            let input = fs::read_to_string(root().join(from)).expect(from);
            // A matrix of 100 rows in place of 1000, in blocks of 20.
            dir.write(&format!("{name}/{file}"), input.replacen("1000 ", "100 ", 1).replacen("80 ", "20 ", 1));
            all.push((name.to_string(), format!("{OPEN_MPI} -n 4 env VARIABLES sh ../hosts.sh {line}")));
        }
    }
    all
}

/// Programs all at once, with these variables: what each prints and how it ends.
fn side_by_side(dir: &Scratch, programs: &[(String, String)], variables: &str) -> Vec<String> {
    let start = |(name, line): &(String, String)| {
        let line = line.replace("VARIABLES", variables);
        format!("(cd {name}; ({line}) >out 2>err; echo ends with $? >>out) &\n")
    };
    let script: String = programs.iter().map(start).collect();
    dir.write("all.sh", script + "wait\n");
    let ran = run(dir, "sh all.sh");
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    programs.iter().map(|(name, _)| dir.read(&format!("{name}/out"))).collect()
}

/// They learn delays from each other while they run: one file for all.
#[test]
fn twenty_programs_side_by_side_do_what_they_do_without_the_layer() {
    if !skip::slow("a minute") || skipped(&["mpif90.openmpi", "mpif90.mpich", "mpirun.openmpi", "mpirun.mpich"]) {
        return;
    }
    let dir = Scratch::new("chaos-programs");
    dir.write("hosts.sh", HOSTS);
    let programs = programs(&dir);
    assert!(programs.len() >= 20);
    let alone = side_by_side(&dir, &programs, "");
    let here = dir.path("").display().to_string();
    let variables = LAYERED.replace("DIR/recording", "recording").replace("=none", &format!("={here}delays"));
    let variables = variables.replace("LAYER ", &format!("{} ", common::mpi::layer().display()));
    let layered = side_by_side(&dir, &programs, &variables);
    for (((name, _), alone), layered) in programs.iter().zip(alone).zip(layered) {
        let said = dir.read(&format!("{name}/err"));
        assert!(alone.ends_with("ends with 0\n"), "{name} without the layer: {alone}");
        assert_eq!(layered, alone, "{name}: {said}");
        assert!(!said.contains("hopline: "), "{name}: {said}");
        dir.hopline(&format!("record merge DIR/{name}/recording")).done();
    }
    assert!(dir.read("delays").starts_with("hopline delays 1\n"));
    println!("{} programs side by side", programs.len());
}
