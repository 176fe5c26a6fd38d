//! Every function of every `mpi.h` there is: the layer stands before it, or it moves no data and
//! `mpi/no-data.txt` says why. And what MPI 4.0 brought is counted.

mod common;

use common::mpi::{OPEN_MPI, compile, layer, run, skipped};
use common::{Scratch, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where Debian and the libraries of HOPLINE_OPENMPI5 and HOPLINE_MPICH5 have their headers.
fn includes() -> Vec<PathBuf> {
    let installed = ["HOPLINE_OPENMPI5", "HOPLINE_MPICH5"].iter().filter_map(|name| std::env::var(name).ok());
    let own = installed.filter(|prefix| !prefix.is_empty()).map(|prefix| Path::new(&prefix).join("include"));
    let multiarch = format!("/usr/lib/{}-linux-gnu/openmpi/include", std::env::consts::ARCH);
    let debian = [multiarch, format!("/usr/include/{}-linux-gnu/mpich", std::env::consts::ARCH)];
    debian.iter().map(PathBuf::from).chain(own).filter(|dir| dir.join("mpi.h").is_file()).collect()
}

/// The text of the headers that `mpi.h` has beside it or brings along, without comments and directives.
fn headers(dir: &Path) -> String {
    let extensions = fs::read_dir(dir.join("openmpi/mpiext")).into_iter().flatten().flatten().map(|entry| entry.path());
    let names = ["mpi.h", "mpi_proto.h", "mpi_abi.h", "mpi-ext.h"].map(|name| dir.join(name));
    let mut text = String::new();
    for path in names.into_iter().chain(extensions.filter(|path| path.extension().is_some_and(|e| e == "h"))) {
        let content = fs::read_to_string(path).unwrap_or_default();
        let mut pieces = content.split("/*");
        text += pieces.next().unwrap_or_default();
        pieces.for_each(|piece| text += piece.split_once("*/").map_or("", |(_, after)| after));
    }
    text.lines().filter(|line| !line.trim_start().starts_with('#')).fold(String::new(), |all, line| all + line + "\n")
}

/// Functions that a text declares: a type, a name of MPI and a bracket.
fn declared(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in text.match_indices('(') {
        let before = text[..at].trim_end();
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_').map_or(0, |i| i + 1);
        let (head, name) = (before[..start].trim_end(), &before[start..]);
        let begins = ["MPI_", "MPIX_"].iter().any(|prefix| {
            name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        });
        let is_typed =
            !head.ends_with("typedef") && head.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '*');
        if begins && is_typed && name.contains(|c: char| c.is_ascii_lowercase()) {
            found.insert(name.to_string());
        }
    }
    found
}

/// Functions that the layer exports.
fn wrapped() -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(layer()).output().expect("nm");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| line.rsplit(' ').next()).filter(|n| n.starts_with("MPI")).map(String::from).collect()
}

#[test]
fn every_function_of_every_library_is_wrapped_or_moves_no_data() {
    if skipped(&["nm"]) {
        return;
    }
    let list = root().join("crates/hopline-cli/tests/mpi/no-data.txt");
    let list = fs::read_to_string(list).expect("no-data.txt");
    let words = list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    let listed: BTreeSet<String> = words.map(String::from).collect();
    let wrapped = wrapped();
    assert!(wrapped.len() > 250, "{wrapped:?}");
    let both: Vec<&String> = wrapped.intersection(&listed).collect();
    assert!(both.is_empty(), "wrapped and listed as moving no data: {both:?}");
    let includes = includes();
    if includes.is_empty() {
        common::skip::absent("there is no mpi.h");
    }
    for dir in includes {
        let declared = declared(&headers(&dir));
        assert!(declared.len() > 380, "{}: {} functions", dir.display(), declared.len());
        let is_listed =
            |name: &str| listed.contains(name) || name.strip_suffix("_c").is_some_and(|n| listed.contains(n));
        let unknown: Vec<&String> = declared.iter().filter(|n| !wrapped.contains(*n) && !is_listed(n)).collect();
        assert!(unknown.is_empty(), "{}: neither wrapped nor known to move no data: {unknown:?}", dir.display());
    }
}

/// Lines of a recording's matrix, of these kinds, and what `record merge` says.
fn merged(dir: &Scratch, recording: &str, kinds: &[char]) -> (Vec<String>, String) {
    let said = dir.hopline(&format!("record merge DIR/{recording} -o DIR/{recording}.csv")).done();
    let lines = dir.read(&format!("{recording}.csv"));
    (lines.lines().filter(|line| line.starts_with(kinds)).map(String::from).collect(), said)
}

/// What each rank sends the next: messages, integers in them, messages of one that only rank 0 sends beside, and how often.
#[derive(Clone, Copy)]
struct Sent(u64, u64, u64, u64);

impl Sent {
    /// Lines of the matrix: the ring, and two integers to either side seven times.
    fn lines(self) -> Vec<String> {
        let Sent(messages, ints, beside, times) = self;
        let pair = |r: u64| {
            let more = if r == 0 { beside } else { 0 };
            format!("p,{r},{},{},{}", (r + 1) % 3, times * (messages + more), times * 4 * (ints + more))
        };
        let ring = (0..3).filter(|_| messages > 0).map(pair);
        let pairs = (0..3).flat_map(|a| (0..3).filter(move |&b| b != a).map(move |b| (a, b)));
        ring.chain(pairs.map(|(a, b)| format!("a,{a},{b},0,{}", times * 7 * 8))).collect()
    }
}

/// Runs `later` in the world, and with sessions where there are any.
fn later(name: &str, compiler: &str, launcher: &str, world: Sent, sessions: Option<Sent>) {
    let dir = Scratch::new(&format!("later-{name}"));
    compile(&dir, compiler, "later.c", &[], "later");
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/r -- {launcher} -n 3 DIR/later DIR"));
    assert!(ran.success && ran.stdout.contains("wrong: 0"), "{name}: {}{}", ran.stdout, ran.stderr);
    let (lines, said) = merged(&dir, "r", &['p', 'a']);
    assert_eq!(lines, world.lines(), "{name}");
    let not_counted =
        "not counted, as files and shared memory are no messages: MPI_File_read_at 12, MPI_File_write_at_all 3 calls";
    assert!(said.contains(not_counted) && ran.stdout.contains(not_counted), "{name}: {said}");
    let text = dir.read("r.csv");
    assert!(text.contains("c,0,allreduce,3,-1,4,16"), "{name}: three starts, and the last one: {text}");
    dir.hopline("record merge DIR/r --as goal -o DIR/goal").done();
    let Some(sessions) = sessions else { return };
    let ran = run(&dir, &format!("HOPLINE record run --out DIR/s -- {launcher} -n 3 DIR/later DIR sessions"));
    assert!(ran.success && ran.stdout.contains("wrong: 0"), "{name}: {}{}", ran.stdout, ran.stderr);
    assert!(!ran.stdout.contains("ended before"), "{name}: {}", ran.stdout);
    assert_eq!(merged(&dir, "s", &['p', 'a']).0, sessions.lines(), "{name}, sessions");
    dir.hopline("record merge DIR/s --as goal -o DIR/goal").done();
}

#[test]
fn what_mpi_4_brought_is_counted() {
    if !skipped(&["mpicc.openmpi", "mpirun.openmpi"]) {
        later("openmpi", "mpicc.openmpi", OPEN_MPI, Sent(0, 0, 0, 1), None);
    }
    // Twice ten exchanges, and five messages of three partitions of two integers.
    if !skipped(&["mpicc.mpich", "mpirun.mpich"]) {
        later("mpich", "mpicc.mpich", "mpirun.mpich", Sent(25, 50, 0, 1), Some(Sent(25, 50, 0, 1)));
    }
    let installed = |name: &str| std::env::var(name).ok().filter(|prefix| !prefix.is_empty());
    if let Some(prefix) = installed("HOPLINE_MPICH5") {
        let (compiler, launcher) = (format!("{prefix}/bin/mpicc"), format!("{prefix}/bin/mpirun"));
        later("mpich5", &compiler, &launcher, Sent(25, 50, 10, 1), Some(Sent(25, 50, 10, 2)));
    }
    if let Some(prefix) = installed("HOPLINE_OPENMPI5") {
        let launcher = format!("{prefix}/bin/mpirun --allow-run-as-root --oversubscribe");
        let compiler = format!("{prefix}/bin/mpicc");
        later("openmpi5", &compiler, &launcher, Sent(25, 50, 10, 1), Some(Sent(20, 20, 10, 1)));
    }
}
