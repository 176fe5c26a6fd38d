//! Runs the built `hopline` as a user does: from the repository's root.
#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod launch;
pub(crate) mod mpi;
pub(crate) mod racks;
#[path = "../../../hopline/tests/common/skip.rs"]
pub(crate) mod skip;
pub(crate) mod slurm;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository's root: specs and examples name files from there.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
}

/// `hopline` with these words, not yet started. What the shell has set (COLUMNS,
/// CLICOLOR_FORCE, ...) must not reach the output.
pub(crate) fn command(words: impl IntoIterator<Item = String>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopline"));
    command.args(words).current_dir(root()).env_clear().stdin(Stdio::null());
    command
}

/// Runs `hopline` with the words of `line`.
pub(crate) fn hopline(line: &str) -> Ran {
    run(line.split_whitespace().map(String::from))
}

fn run(words: impl IntoIterator<Item = String>) -> Ran {
    let output = command(words).output().expect("the binary was built");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Ran { stdout: text(output.stdout), stderr: text(output.stderr), code: output.status.code() }
}

impl Ran {
    /// Standard output of a run that went well.
    pub(crate) fn done(self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout
    }
}

/// A directory that is gone after the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty directory; `name` is one that no other test has.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hopline-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary directory");
        Scratch(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and the directories above it.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a name below the directory")).expect(name);
        fs::write(&path, content).expect(name);
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect(name)
    }

    /// What a directory holds, sorted.
    pub(crate) fn names(&self, dir: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(dir)).expect(dir);
        let mut names: Vec<String> =
            entries.map(|e| e.expect(dir).file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Runs `hopline`; DIR is this directory, in `line` and in what is printed.
    pub(crate) fn hopline(&self, line: &str) -> Ran {
        let dir = self.0.to_str().expect("a temporary directory of UTF-8");
        let ran = run(line.split_whitespace().map(|word| word.replace("DIR", dir)));
        Ran { stdout: ran.stdout.replace(dir, "DIR"), stderr: ran.stderr.replace(dir, "DIR"), ..ran }
    }

    /// Puts the dumps of the fabric rack64 into `name`, with the forwarding tables changed.
    pub(crate) fn rack64(&self, name: &str, tables: impl FnOnce(&str) -> String) {
        let original = |file| fs::read_to_string(root().join("testdata/fabrics/rack64").join(file)).expect(file);
        self.write(&format!("{name}/ibnetdiscover.txt"), original("ibnetdiscover.txt"));
        self.write(&format!("{name}/dump_fts_n.txt"), tables(&original("dump_fts_n.txt")));
    }
}

impl Scratch {
    /// The same with its tables, and node001 on a sixteenth of the others' speed.
    pub(crate) fn rack64_slow_host(&self, name: &str) {
        self.rack64(name, str::to_string);
        let cabling = self.read(&format!("{name}/ibnetdiscover.txt"));
        let (mut own, mut changed) = (false, 0);
        let mut slow = String::new();
        for line in cabling.lines() {
            own = line.starts_with("Ca\t") && line.contains("node001") || own && line.starts_with('[');
            let is_cable = line.starts_with('[') && (own || line.contains("node001"));
            changed += u32::from(is_cable);
            slow += &if is_cable { line.replace("4xQDR", "1xSDR") } else { line.to_string() };
            slow.push('\n');
        }
        assert_eq!(changed, 2, "both ends of its cable");
        self.write(&format!("{name}/ibnetdiscover.txt"), slow);
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Forwarding tables without the way of one switch to one LID (as `0x0005`); the
/// last line of that table counts one LID less, so the dump is whole and the
/// subnet is not.
pub(crate) fn without_way(tables: &str, switch: &str, lid: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in tables.lines() {
        if line.starts_with("Unicast lids") {
            inside = line.contains(switch);
        }
        if !(inside && line.starts_with(lid)) {
            kept.push_str(&if inside { line.replace("74 valid lids", "73 valid lids") } else { line.to_string() });
            kept.push('\n');
        }
    }
    assert_eq!(kept.lines().count() + 1, tables.lines().count(), "{switch} has no {lid}");
    kept
}

/// The blocks of a page that begin with this line.
pub(crate) fn blocks(page: &str, start: &str) -> Vec<String> {
    let fence = format!("```{start}\n");
    page.split(&fence).skip(1).map(|part| part.split("```").next().unwrap_or("").to_string()).collect()
}
