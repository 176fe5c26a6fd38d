//! Real MPI programs of our own, compiled by the test, with the layer before them.

use super::launch::{isolated, obstacle};
use super::{Scratch, root, skip};
use std::path::PathBuf;
use std::process::Command;

/// What an MPI program printed.
pub(crate) struct Output {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) success: bool,
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
}

/// Compiles a program of `tests/mpi` into the directory.
pub(crate) fn compile(dir: &Scratch, compiler: &str, source: &str, words: &[&str], name: &str) {
    let source = root().join("crates/hopline-cli/tests/mpi").join(source);
    let mut command = Command::new(compiler);
    command.arg("-O1").arg("-w").args(words).arg(source).arg("-o").arg(dir.path(name));
    let output = command.output().expect(compiler);
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}

/// `libhopline_mpi.so` as it was built with this test.
pub(crate) fn layer() -> PathBuf {
    let path = std::env::current_exe().expect("this test").with_file_name("libhopline_mpi.so");
    assert!(path.is_file(), "{} was not built", path.display());
    path
}

/// Says why a test is skipped, and true where it is.
pub(crate) fn skipped(commands: &[&str]) -> bool {
    let why = obstacle(commands);
    if let Some(why) = &why {
        skip::skip(why);
    }
    why.is_some()
}

/// Runs words in namespaces of their own, in the directory; DIR, HOPLINE and LAYER in them are paths.
pub(crate) fn run(dir: &Scratch, words: &str) -> Output {
    let here = dir.path("").to_str().expect("a temporary directory of UTF-8").trim_end_matches('/').to_string();
    let fill = |word: &str| match word {
        "HOPLINE" => env!("CARGO_BIN_EXE_hopline").to_string(),
        word => word.replace("DIR", &here).replace("LAYER", &layer().to_string_lossy()),
    };
    let words: Vec<String> = words.split_whitespace().map(fill).collect();
    // Process numbers repeat in namespaces, and shared memory is named after them: tests must not meet there.
    let mut all = vec!["sh", "-c", "mount -t tmpfs tmpfs /dev/shm && exec \"$@\"", "sh"];
    all.extend(words.iter().map(String::as_str));
    let ones = [
        "OMPI_ALLOW_RUN_AS_ROOT",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
        "OMP_NUM_THREADS",
        // MPICH looks a thousand times before it lets another rank on the core.
        "MPIR_CVAR_POLLS_BEFORE_YIELD",
    ];
    let ones = ones.map(|name| (name, "1"));
    // What `hopline record run` finds beside itself may be of another build.
    let output =
        isolated(dir, &all).envs(ones).env("HOPLINE_MPI_LIBRARY", layer()).output().expect("unshare ran before");
    Output {
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        success: output.status.success(),
        code: output.status.code(),
    }
}

/// Open MPI on this machine alone, with more ranks than cores.
pub(crate) const OPEN_MPI: &str = "mpirun.openmpi --oversubscribe --mca btl self,vader --mca mpi_yield_when_idle 1";
