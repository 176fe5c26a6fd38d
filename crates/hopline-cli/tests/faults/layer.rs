//! What the layer writes while a program runs, with a fault at its N-th call that writes: the program does not notice, one line names
//! the file and the cause, and what is left is a beginning, old or new; never is more read than was done.

use super::common::mpi::{Output, compile, run, skipped};
use super::common::{Scratch, skip};
use super::{NEVER, each_fault, library};
use std::fs;

/// A folder with the program `chaos`; none where it cannot be built or run.
fn prepare(name: &str) -> Option<Scratch> {
    if skipped(&["mpicc.mpich", "mpirun.mpich"]) {
        return None;
    }
    if library().is_none() {
        skip::skip("no C compiler");
        return None;
    }
    let dir = Scratch::new(&format!("faults-{name}"));
    compile(&dir, "mpicc.mpich", "chaos.c", &[], "chaos");
    Some(dir)
}

/// Runs `chaos` with a fault at a call that writes below DIR/written; what it did, and whether it came to the fault.
fn program(dir: &Scratch, launcher: &str, variables: &str, at: u64, mode: &str) -> (Output, bool) {
    let library = library().expect("built").display();
    let fault = format!("FAULT_BELOW=DIR/written FAULT_AT={at} FAULT_MODE={mode} FAULT_MARK=DIR/mark");
    let _ = fs::remove_file(dir.path("mark"));
    let ran = run(dir, &format!("{launcher} env LD_PRELOAD={library}:LAYER {fault} {variables} DIR/chaos"));
    (ran, dir.path("mark").exists())
}

/// Killed, or the program's own output and one line with file and cause; without a line what is written must be `whole`.
fn is_as_promised(ran: &Output, cause: &str, whole: bool, what: &str) {
    let said: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("hopline: ")).collect();
    if cause.is_empty() {
        assert!(!ran.success, "{what}");
        return;
    }
    assert_eq!((ran.code, &*ran.stdout), (Some(0), "wrong: 0\n"), "{what}");
    // What only tidies up may fail.
    let is_told = said.len() == 1 && said[0].contains("/written") && said[0].contains(cause);
    assert!(is_told || said.is_empty() && whole, "{what}");
}

/// Messages that the recording has, and whether it is whole; none where it is refused, in one line.
fn messages(dir: &Scratch, what: &str) -> Option<(u32, bool)> {
    let _ = fs::remove_file(dir.path("matrix.csv"));
    let read = dir.hopline("record merge DIR/written -o DIR/matrix.csv");
    if read.code != Some(0) {
        assert!(read.code == Some(2) && read.stderr.lines().count() == 1, "{what}: {}", read.stderr);
        return None;
    }
    let text = dir.read("matrix.csv");
    let sent = text.lines().find_map(|line| line.strip_prefix("p,0,0,"));
    let sent = sent.map_or(0, |rest| rest.split(',').next().and_then(|n| n.parse().ok()).expect("a number"));
    Some((sent, !read.stdout.contains("ended before MPI_Finalize")))
}

#[test]
fn a_recording() {
    let Some(dir) = prepare("recording") else { return };
    let program = |at: u64, mode: &str| program(&dir, "", "HOPLINE_RECORD=DIR/written", at, mode);
    let mut beginnings = 0;
    each_fault("a_recording", 23, |at, mode, cause| {
        let _ = fs::remove_dir_all(dir.path("written"));
        let (ran, fault) = program(at, mode);
        let what = format!("{mode} at call {at}: {}{}", ran.stdout, ran.stderr);
        if fault {
            // Whole is what has all of it, and a beginning is told as one.
            let read = messages(&dir, &what);
            assert!(
                read.is_none_or(|(sent, is_whole)| if is_whole { sent == 20 } else { sent <= 20 }),
                "{what}: {read:?}"
            );
            is_as_promised(&ran, cause, read == Some((20, true)), &what);
            beginnings += u32::from(read.is_some_and(|(sent, is_whole)| sent > 0 && !is_whole));
            assert_eq!(program(NEVER, "io").0.stdout, "wrong: 0\n", "{what}");
        }
        assert_eq!(messages(&dir, &what), Some((20, true)), "{what}: the next run");
        fault
    });
    assert!(beginnings > 0, "no beginning was read");
}

#[test]
fn learned_delays() {
    let Some(dir) = prepare("delays") else { return };
    let hosts = "#!/bin/sh\nexport HOPLINE_HOST=node$PMI_RANK\nexec \"$@\"\n";
    dir.write("hosts.sh", hosts);
    let variables =
        "HOPLINE_DELAYS_FILE=DIR/written/delays HOPLINE_COLLECTIVES=all HOPLINE_FORCE=1 HOPLINE_MIN_BYTES=1";
    let program = |at: u64, mode: &str| program(&dir, "mpirun.mpich -n 2 sh DIR/hosts.sh", variables, at, mode);
    // What an earlier job learned of other hosts.
    let since = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970").as_secs();
    let old = format!("hopline delays 1\npair a b 1e-4 4e-8 {since}\n");
    let is_new = |text: &str| {
        text.starts_with("hopline delays 1\n")
            && text.ends_with('\n')
            && text.contains("\npair a b ")
            && text.contains("\npair node0 node1 ")
    };
    each_fault("learned_delays", 7, |at, mode, cause| {
        dir.write("written/delays", &old);
        let (ran, fault) = program(at, mode);
        let what = format!("{mode} at call {at}: {}{}", ran.stdout, ran.stderr);
        let left = dir.read("written/delays");
        assert!(is_new(&left) || fault && left == old, "{what}\n{left}");
        if fault {
            is_as_promised(&ran, cause, is_new(&left), &what);
            let (again, _) = program(NEVER, "io");
            assert_eq!((&*again.stdout, &*again.stderr), ("wrong: 0\n", ""), "{what}: the next run");
            assert!(is_new(&dir.read("written/delays")), "{what}: the next run");
        }
        fault
    });
}
