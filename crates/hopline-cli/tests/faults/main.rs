//! Nothing is half-written: commands that write run with a fault at their N-th call that writes, for every N until they do
//! without one: a full disk, half of a write, an error of the device, a disk that cannot be changed any more, a kill before a
//! call and in the middle of one. What was there is there, or what is new, whole; one line says which file and why; and the next
//! run without a fault leaves what a run leaves that was never disturbed.
//!
//! Calls are counted by `faults.c`, which is preloaded. With HOPLINE_SLOW every N of every mode is tried, else a few.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "how many faults there were")]

#[path = "../common/mod.rs"]
mod common;
mod layer;
mod points;

use common::{Ran, Scratch, root, skip};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const MODES: [(&str, &str); 6] = [
    ("full", "No space left on device"),
    ("short", "No space left on device"),
    ("io", "Input/output error"),
    ("readonly", "Read-only file system"),
    ("kill", ""),
    ("half", ""),
];

/// A call that nothing comes to.
const NEVER: u64 = u64::MAX >> 1;

/// The preloaded library; none where there is no C compiler.
fn library() -> Option<&'static Path> {
    static ONE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = || {
        // In one file for all processes of tests, which put it there whole.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (own, to) = (folder.join(format!("faults-{}.so", std::process::id())), folder.join("faults.so"));
        let from = root().join("crates/hopline-cli/tests/faults/faults.c");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"]).arg(&own).arg(from).arg("-ldl");
        let built = compiler.status().is_ok_and(|status| status.success());
        (built && fs::rename(&own, &to).is_ok()).then_some(to)
    };
    ONE.get_or_init(built).as_deref()
}

/// A command that writes into DIR.
struct Case {
    name: &'static str,
    /// Files that are there before.
    given: &'static [(&'static str, &'static str)],
    /// What is run before, and leaves what is old.
    before: &'static str,
    line: &'static str,
    /// What parts of paths tell files whose bytes differ from run to run: JSON or lines, if they are there.
    differ: &'static [&'static str],
    /// Whether the next run leaves the same bytes of these files, too, and prints the same.
    goes_on: bool,
}

/// Contents below a folder by name; drafts left out.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(dir: &Path, inner: &str, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(dir).expect("a folder").flatten() {
            let name = format!("{inner}{}", entry.file_name().to_string_lossy());
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            match entry.path().is_dir() {
                true if !hidden => walk(&entry.path(), &format!("{name}/"), all),
                false if !hidden && !name.ends_with(".part") => {
                    all.insert(name, fs::read(entry.path()).expect("a file"));
                }
                _ => {}
            }
        }
    }
    let mut all = BTreeMap::new();
    walk(dir, "", &mut all);
    all
}

/// Runs a line with a fault at the `at`-th call; what it left, and whether it came to the fault.
fn run(dir: &Path, line: &str, at: u64, mode: &str) -> (Ran, bool) {
    let place = dir.to_str().expect("UTF-8");
    let words = line.split_whitespace().map(|word| word.replace("DIR", place));
    let mark = dir.with_extension("mark");
    let _ = fs::remove_file(&mark);
    let mut command = common::command(words);
    command.env("LD_PRELOAD", library().expect("built")).env("FAULT_BELOW", place);
    command.env("FAULT_AT", at.to_string()).env("FAULT_MODE", mode).env("FAULT_MARK", &mark);
    let output = command.output().expect("the binary was built");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).replace(place, "DIR");
    let code = output.status.code().or(output.status.signal().map(|signal| -signal));
    (Ran { stdout: text(output.stdout), stderr: text(output.stderr), code }, fs::remove_file(&mark).is_ok())
}

/// Every fault with HOPLINE_SLOW, else one in `step`: `comes` runs with the fault of a mode, which has this cause, at a call, and tells
/// whether it came to that call.
fn each_fault(name: &str, step: usize, mut comes: impl FnMut(u64, &str, &str) -> bool) {
    let step = if skip::is_slow() { 1 } else { step };
    let mut came = 0;
    for (number, (mode, cause)) in MODES.iter().enumerate() {
        let calls = (1 + (number % step) as u64..).step_by(step);
        came += calls.take_while(|&at| comes(at, mode, cause)).count();
    }
    assert!(came > 0, "{name}: no fault came");
    println!("{name}: {came} faults");
}

/// Runs a case with every fault.
fn disturbed(case: &Case) {
    if library().is_none() {
        return skip::skip("no C compiler");
    }
    let home = Scratch::new(&format!("faults-{}", case.name));
    let prepared = |name: &str| {
        let dir = home.path(name);
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).expect("a folder");
        case.given.iter().for_each(|(file, text)| fs::write(dir.join(file), text).expect("a file"));
        if !case.before.is_empty() {
            let (ran, _) = run(&dir, case.before, NEVER, "io");
            assert_eq!(ran.code, Some(0), "{}: {}", case.before, ran.stderr);
        }
        dir
    };
    let old = contents(&prepared("old"));
    let fresh = prepared("new");
    let (undisturbed, _) = run(&fresh, case.line, NEVER, "io");
    assert_eq!(undisturbed.code, Some(0), "{}: {}", case.line, undisturbed.stderr);
    let new = contents(&fresh);
    assert_ne!(old, new, "{} writes nothing", case.line);
    let is_free = |name: &str| case.differ.iter().any(|part| name.contains(part));
    each_fault(case.name, 23, |at, mode, cause| {
        let dir = prepared("disturbed");
        let (ran, fault) = run(&dir, case.line, at, mode);
        if !fault {
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            return false;
        }
        let what = format!("{}: {mode} at call {at}: {ran:?}", case.name);
        let left = contents(&dir);
        for (name, bytes) in &left {
            let known = [&old, &new].iter().any(|all| all.get(name).is_some_and(|known| known == bytes));
            let whole = || !name.ends_with(".json") || serde_json::from_slice::<serde_json::Value>(bytes).is_ok();
            assert!(known || is_free(name) && whole(), "{what}\n{name} is neither old nor new");
        }
        assert!(old.keys().all(|name| left.contains_key(name)), "{what}\nsomething is gone");
        match ran.code {
            Some(-9) => assert!(cause.is_empty(), "{what}"),
            // What only tidies up may fail.
            Some(0) => assert!(new.iter().all(|(n, b)| is_free(n) || left.get(n) == Some(b)), "{what}\nand went well"),
            code => {
                assert_eq!(code, Some(1), "{what}");
                let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("hopline: ")).collect();
                assert!(told.len() == 1 && told[0].contains("DIR/") && told[0].contains(cause), "{what}");
            }
        }
        let (again, _) = run(&dir, case.line, NEVER, "io");
        assert_eq!(again.code, Some(0), "{what}\nthe next run: {}", again.stderr);
        assert!(!case.goes_on || again.stdout == undisturbed.stdout, "{what}\nthe next run: {}", again.stdout);
        let after = contents(&dir);
        for (name, bytes) in new.iter().filter(|(name, _)| case.goes_on || !is_free(name)) {
            assert_eq!(after.get(name), Some(bytes), "{what}\nafter the next run {name} differs");
        }
        true
    });
}

const SWEEP: &str =
    "topology = \"torus:dims=2x2\"\ntraffic = \"alltoall\"\n[sweep]\ncommand = \"load\"\nseed = [1, 2, 3]\n";

/// What OpenSM's plugin hands over.
const SUBNET: &str = concat!(
    include_str!("../../../../testdata/fabrics/lmc1-8/ibnetdiscover.txt"),
    "\n# tables\n",
    include_str!("../../../../testdata/fabrics/lmc1-8/dump_fts_n.txt"),
    "# end\n"
);

macro_rules! cases {
    ($($test:ident: $given:expr, $before:literal, $line:literal, $differ:expr;)*) => {
        $(#[test]
        fn $test() {
            let (name, goes_on) = (stringify!($test), false);
            disturbed(&Case { name, given: $given, before: $before, line: $line, differ: $differ, goes_on });
        })*
    };
}

cases! {
    a_rankfile: &[], "map --topology torus:dims=2x2 --traffic alltoall --mapping default --export rankfile=DIR/ranks",
        "map --topology torus:dims=4x4 --traffic alltoall --mapping default --export rankfile=DIR/ranks", &[];
    several_exports: &[], "map --topology torus:dims=2x2 --traffic alltoall --mapping default --export rankfile=DIR/a --export hostfile=DIR/b",
        "map --topology torus:dims=4x4 --traffic alltoall --mapping default --export rankfile=DIR/a --export hostfile=DIR/b", &[];
    a_page: &[], "load --topology torus:dims=2x2 --traffic alltoall --report DIR/page.html",
        "load --topology torus:dims=4x2 --traffic alltoall --report DIR/page.html", &[];
    a_fabric: &[], "fabric export json --topology torus:dims=2x2 -o DIR/f.json",
        "fabric export json --topology torus:dims=4x2 -o DIR/f.json", &[];
    pages_of_the_manual: &[], "", "man DIR/man", &[];
    a_matrix: &[], "", "record merge testdata/recordings/ring-4 -o DIR/matrix.csv", &[];
    a_sweep: &[("s.toml", SWEEP)], "", "sweep DIR/s.toml --out DIR/out", &["out/points/", "out/costs/", "out/begun/", "costs.csv"];
    a_generation: &[("subnet", SUBNET)], "", "fabric collect --from DIR/subnet --out DIR/store", &["manifest.json", "collector.json"];
}

/// States that are kept under way differ from each other; a run that goes on from any of them ends as one that was never disturbed.
#[test]
fn a_state_under_way() {
    let line = "flits --topology torus:dims=3x2 --traffic uniform --load 0.2 --warmup 1000 --cycles 2000 \
                --checkpoint DIR/state --checkpoint-every 0s";
    disturbed(&Case { name: "a_state_under_way", given: &[], before: "", line, differ: &["state"], goes_on: true });
}
