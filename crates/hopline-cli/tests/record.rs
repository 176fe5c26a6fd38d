//! The recorder before real MPI programs, against what the libraries count themselves.

#![allow(clippy::print_stdout, reason = "a slow test tells what it has counted")]

mod common;

use common::mpi::{OPEN_MPI, compile, run, skipped};
use common::{Scratch, root, skip};
use std::collections::BTreeMap;
use std::fs;

/// Lines of a recording's matrix but for times.
fn counted(dir: &Scratch, recording: &str) -> Vec<String> {
    dir.hopline(&format!("record merge DIR/{recording} -o DIR/{recording}.csv")).done();
    dir.read(&format!("{recording}.csv")).lines().filter(|l| !l.starts_with(['t', '#'])).map(String::from).collect()
}

/// Messages and bytes of each pair in the lines of a kind.
fn pairs(lines: &[String], kind: &str) -> BTreeMap<(u32, u32), (u64, u64)> {
    let pair = |line: &String| {
        let fields: Vec<&str> = line.split(',').collect();
        let [found, src, dst, messages, bytes] = fields[..] else { return None };
        let number = |word: &str| word.parse::<u64>().expect(word);
        (found == kind).then(|| ((number(src) as u32, number(dst) as u32), (number(messages), number(bytes))))
    };
    lines.iter().filter_map(pair).collect()
}

/// What Open MPI's monitoring layer says that the program sent: "E <src> <dst> <n> bytes <n> msgs sent".
fn monitored(dir: &Scratch) -> BTreeMap<(u32, u32), (u64, u64)> {
    let mut found = BTreeMap::new();
    for name in dir.names("profiles") {
        for line in dir.read(&format!("profiles/{name}")).lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            let first = |text: &str| text.split(' ').next().and_then(|n| n.parse().ok()).expect("number");
            if let ["E", src, dst, bytes, messages, ..] = fields[..]
                && first(messages) > 0
            {
                found.insert((first(src) as u32, first(dst) as u32), (first(messages), first(bytes)));
            }
        }
    }
    found
}

const MONITORING: &str = "--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 \
                          --mca pml_monitoring_filename DIR/profiles/run";

#[test]
fn every_kind_of_call_is_counted_and_nothing_is_changed() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("record-many");
    compile(&dir, "mpicc.openmpi", "many.c", &[], "many");
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/open -- {OPEN_MPI} -n 4 DIR/many"));
    assert!(ran.success && ran.stdout.contains("wrong: 0"), "{}{}", ran.stdout, ran.stderr);
    let open = counted(&dir, "open");
    let ring: BTreeMap<_, _> = (0..4).map(|r| ((r, (r + 1) % 4), (24, 96))).collect();
    assert_eq!(pairs(&open, "p"), ring, "four sends, 20 starts; the one to no process is none");
    assert_eq!(pairs(&open, "r"), (0..4).map(|r| ((r, (r + 1) % 4), (1, 4))).collect(), "one put each");
    // Twice over three communicators, and the neighbours of a line.
    let to_next = pairs(&open, "a")[&(0, 1)];
    assert_eq!(to_next, (0, 2 * 2 * 4 + 4), "{open:?}");
    let limited = run(&dir, &format!("HOPLINE record run --out DIR/limited --limit 0 -- {OPEN_MPI} -n 4 DIR/many"));
    assert!(limited.success && limited.stderr.contains("HOPLINE_RECORD_LIMIT is reached"), "{}", limited.stderr);
    assert_eq!(counted(&dir, "limited"), open, "past the limit all is counted");
    let refused = dir.hopline("record merge DIR/limited --as goal -o DIR/goal");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);

    if skipped(&["mpicc.mpich", "mpirun.mpich"]) {
        return;
    }
    compile(&dir, "mpicc.mpich", "many.c", &[], "many.mpich");
    let ran = run(&dir, "HOPLINE record run --out DIR/mpich -- mpirun.mpich -n 4 DIR/many.mpich");
    assert!(ran.success && ran.stdout.contains("wrong: 0"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(counted(&dir, "mpich"), open, "MPICH as Open MPI");
}

#[test]
fn fortran_is_recorded_with_both_modules_and_libraries() {
    for (compiler, launcher) in [("mpif90.openmpi", OPEN_MPI), ("mpif90.mpich", "mpirun.mpich")] {
        let start = launcher.split(' ').next().expect("a launcher");
        if skipped(&["gfortran", compiler, start]) {
            continue;
        }
        for module in ["-DF77", "-DF08"] {
            let dir = Scratch::new(&format!("record-{compiler}{module}"));
            compile(&dir, compiler, "ring.f90", &["-cpp", module], "ring");
            fs::create_dir(dir.path("profiles")).expect("profiles");
            let monitoring = if launcher == OPEN_MPI { MONITORING } else { "" };
            let ran = run(&dir, &format!("HOPLINE record run --out DIR/r -- {launcher} {monitoring} -n 3 DIR/ring"));
            assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
            let ring: BTreeMap<_, _> = (0..3).map(|r| ((r, (r + 1) % 3), (100, 50 * 440))).collect();
            assert_eq!(pairs(&counted(&dir, "r"), "p"), ring, "{compiler} {module}");
            assert!(monitoring.is_empty() || monitored(&dir) == ring, "Open MPI's own count of {module}");
        }
    }
}

#[test]
fn a_program_that_is_killed_or_aborts_leaves_what_it_did() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("record-killed");
    compile(&dir, "mpicc.openmpi", "many.c", &[], "many");
    for end in ["kill", "abort"] {
        let ran = run(&dir, &format!("HOPLINE record run --out DIR/{end} -- {OPEN_MPI} -n 4 DIR/many {end}"));
        assert!(!ran.success && ran.stdout.contains("ended before MPI_Finalize"), "{}{}", ran.stdout, ran.stderr);
        let messages: u64 = pairs(&counted(&dir, end), "p").values().map(|sum| sum.0).sum();
        assert!((48..=96).contains(&messages), "{end}: {messages} of 96 messages");
    }
}

#[test]
fn schedules_send_what_they_receive_and_no_more_than_was_sent() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("record-schedule");
    compile(&dir, "mpicc.openmpi", "many.c", &[], "many");
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/r -- {OPEN_MPI} -n 4 DIR/many"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    for form in ["goal", "simgrid-ti"] {
        dir.hopline(&format!("record merge DIR/r --as {form} -o DIR/{form}")).done();
    }
    // (from, to, tag, bytes) to sends less receives.
    let mut goal: BTreeMap<(u32, u32, String, String), i64> = BTreeMap::new();
    let mut rank = 0;
    for line in dir.read("goal").lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["rank", number, "{"] => rank = number.parse().expect(line),
            [_, "send", bytes, "to", peer, "tag", tag] => {
                *goal.entry((rank, peer.parse().expect(line), tag.into(), bytes.into())).or_default() += 1;
            }
            [_, "recv", bytes, "from", peer, "tag", tag] => {
                *goal.entry((peer.parse().expect(line), rank, tag.into(), bytes.into())).or_default() -= 1;
            }
            _ => {}
        }
    }
    assert!(goal.len() > 20 && goal.values().all(|&open| open == 0), "{goal:?}");
    let trace = dir.read("simgrid-ti");
    let count = |action: &str| trace.lines().filter(|l| l.split(' ').nth(1) == Some(action)).count();
    assert_eq!(count("send") + count("isend"), count("recv") + count("irecv"));
    assert_eq!(count("wait"), count("isend") + count("irecv"));
    assert_eq!((count("init"), count("finalize")), (4, 4));
}

/// Seconds that each rank of a schedule computes.
fn computed(goal: &str) -> Vec<f64> {
    let mut ranks = Vec::new();
    for line in goal.lines() {
        match line.split_whitespace().collect::<Vec<_>>()[..] {
            ["rank", ..] => ranks.push(0.0),
            [_, "calc", nanos] => *ranks.last_mut().expect("a rank") += nanos.parse::<f64>().expect(line) * 1e-9,
            _ => {}
        }
    }
    ranks
}

#[test]
fn ranks_that_share_a_core_record_what_they_compute() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi", "taskset"]) {
        return;
    }
    let dir = Scratch::new("record-clock");
    compile(&dir, "mpicc.openmpi", "shared_core.c", &[], "shared_core");
    let of = |clock: &str| {
        let words = format!(
            "taskset -c 0 HOPLINE record run --clock {clock} --out DIR/{clock} -- {OPEN_MPI} --bind-to none -n 4 DIR/shared_core"
        );
        let ran = run(&dir, &words);
        assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
        dir.hopline(&format!("record merge DIR/{clock} --as goal -o DIR/{clock}.goal")).done();
        computed(&dir.read(&format!("{clock}.goal")))
    };
    let (wall, cpu) = (of("wall"), of("cpu"));
    assert!(cpu.iter().all(|s| (0.2..0.25).contains(s)), "0.2 s of each rank: {cpu:?}");
    // One core for four ranks that all compute at once.
    assert!(wall.iter().all(|s| *s > 0.4), "{wall:?}");
    let shown = dir.hopline("record merge DIR/cpu");
    assert!(shown.done().contains("of the processor in MPI per rank"), "the clock is told");
}

#[test]
fn lammps_is_counted_as_open_mpi_counts_it() {
    if !skip::slow("minutes") || skipped(&["mpirun.openmpi", "lmp"]) {
        return;
    }
    let dir = Scratch::new("record-lammps");
    dir.write("in.melt", fs::read_to_string(root().join("testdata/programs/in.melt")).expect("in.melt"));
    fs::create_dir(dir.path("profiles")).expect("profiles");
    let job = "-n 8 lmp -in DIR/in.melt -var size 12 -var steps 100 -log none";
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/r -- {OPEN_MPI} {MONITORING} {job}"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    let recorded = pairs(&counted(&dir, "r"), "p");
    assert!(recorded.len() >= 24, "{recorded:?}");
    assert_eq!(recorded, monitored(&dir));
    // A step is folded: a stream is a few kilobytes, however many messages it has.
    let bytes: u64 = dir.names("r").iter().map(|n| fs::metadata(dir.path("r").join(n)).expect("stream").len()).sum();
    assert!(bytes < 8 * 40_000, "{bytes} bytes of recording");
}

#[test]
fn conjugate_gradients_are_counted_as_open_mpi_counts_them() {
    if skipped(&["mpirun.openmpi", "mpicc.openmpi"]) {
        return;
    }
    let dir = Scratch::new("record-cg");
    compile(&dir, "mpicc.openmpi", "cg.c", &[], "cg");
    for ranks in [4, 16] {
        let _ = fs::remove_dir_all(dir.path("profiles"));
        fs::create_dir(dir.path("profiles")).expect("profiles");
        let words = format!("HOPLINE record run --out DIR/r{ranks} -- {OPEN_MPI} {MONITORING} -n {ranks} DIR/cg");
        let ran = run(&dir, &words);
        assert!(ran.success && ran.stdout.contains("residual small"), "{}{}", ran.stdout, ran.stderr);
        let recorded = pairs(&counted(&dir, &format!("r{ranks}")), "p");
        assert_eq!(recorded, monitored(&dir));
        // Partners along the row, and the transposed rank off the diagonal; with 4 ranks both are others.
        let partners = if ranks == 4 { 4 + 2 } else { 16 * 2 + 12 };
        assert_eq!(recorded.len(), partners, "{recorded:?}");
    }
}

/// Monitoring takes the messages of an all-to-all for the program's where all blocks are sent at once (`linear`), and
/// not where ranks exchange pair by pair: with either fixed, both counts are the same.
#[test]
fn hpcc_is_counted_as_open_mpi_counts_it() {
    if !skip::slow("minutes") || skipped(&["mpirun.openmpi", "hpcc"]) {
        return;
    }
    let input = fs::read_to_string("/usr/share/doc/hpcc/examples/_hpccinf.txt").expect("hpcc's example");
    for (algorithm, is_counted) in [(2, false), (1, true)] {
        let dir = Scratch::new(&format!("record-hpcc-{algorithm}"));
        dir.write("hpccinf.txt", input.replacen("1000 ", "100 ", 1).replacen("80 ", "20 ", 1));
        fs::create_dir(dir.path("profiles")).expect("profiles");
        let fixed = format!("--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm {algorithm}");
        let words = format!("HOPLINE record run --out DIR/r -- {OPEN_MPI} {fixed} {MONITORING} -n 4 hpcc");
        let ran = run(&dir, &words);
        assert!(ran.success && dir.read("hpccoutf.txt").contains("Success=1"), "{}{}", ran.stdout, ran.stderr);
        let lines = counted(&dir, "r");
        let mut recorded = pairs(&lines, "p");
        assert!(recorded.len() == 12 && recorded.values().all(|sum| sum.0 > 1000), "{recorded:?}");
        // c,rank,operation,size,root,calls,bytes: all are of the world.
        let alltoalls = |rank: u32| -> u64 {
            let start = format!("c,{rank},alltoall,4,-1,");
            let calls =
                lines.iter().filter_map(|line| line.strip_prefix(&start)?.split(',').next()?.parse::<u64>().ok());
            calls.sum()
        };
        for (pair, (_, bytes)) in pairs(&lines, "a").into_iter().filter(|((src, dst), _)| is_counted && src != dst) {
            let sum = recorded.entry(pair).or_default();
            *sum = (sum.0 + alltoalls(pair.0), sum.1 + bytes);
        }
        println!("algorithm {algorithm}: {} all-to-alls of rank 0; {recorded:?}", alltoalls(0));
        assert_eq!(recorded, monitored(&dir), "algorithm {algorithm}");
        dir.hopline("record merge DIR/r --as goal -o DIR/goal").done();
    }
}

#[test]
fn a_program_that_records_nothing_leaves_the_earlier_recording() {
    let dir = Scratch::new("record-nothing");
    let names: Vec<String> = (0..4).map(|rank| format!("rank-{rank}.hop")).collect();
    for name in &names {
        fs::create_dir_all(dir.path("old")).expect("a directory");
        fs::copy(root().join("testdata/recordings/ring-4").join(name), dir.path("old").join(name)).expect("a stream");
    }
    let record = |out: &str, words: &[&str]| {
        let path = dir.path(out).display().to_string();
        let words = ["record", "run", "--out", &path, "--"].into_iter().chain(words.iter().copied()).map(String::from);
        // These programs load no layer.
        let ran = common::command(words).env("HOPLINE_MPI_LIBRARY", "").output().expect("hopline");
        assert!(ran.stdout.is_empty(), "{}", String::from_utf8_lossy(&ran.stdout));
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).replace(&path, out))
    };
    let dynamic = "the program wrote no recording; what is recorded are MPI programs that are linked dynamically";
    for (out, stays) in [("old", "; the earlier recording stays"), ("new", "")] {
        let (code, said) = record(out, &["/none/such/launcher"]);
        assert_eq!(
            (code, said.as_str()),
            (Some(2), "hopline: /none/such/launcher: No such file or directory (os error 2)\n")
        );
        let (code, said) = record(out, &["/bin/true"]);
        assert_eq!((code, said), (Some(1), format!("hopline: {out}: {dynamic}{stays}\n")));
        let (code, said) = record(out, &["/bin/false"]);
        assert!(code == Some(1) && said.contains("/bin/false failed") && said.contains(dynamic), "{said}");
    }
    assert_eq!(dir.names("old"), names);
    assert_eq!(dir.names("new"), Vec::<String>::new());
    dir.hopline("record merge DIR/old").done();
}
