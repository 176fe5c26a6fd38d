//! What several test files share.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::print_stderr,
    reason = "each test file uses a part; skipped tests say why"
)]

#[path = "../../../hopline/tests/common/trace.rs"]
pub(crate) mod trace;

use hopline_service::answer::{self, Desk};
use hopline_service::atlas::Column;
use hopline_service::generation::Generation;
use hopline_service::limits::Limits;
use hopline_service::protocol;
use hopline_service::store::Source;
use std::path::{Path, PathBuf};

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Real data beside the checkout, or `None` with a line that says so.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let path = root().join("../shared/data").join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: {} is not on this machine", path.display());
    None
}

/// The machine of a directory of dumps.
pub(crate) fn dumps(dir: &Path) -> Generation {
    Source::Dumps(dir.into()).load(0).unwrap_or_else(|e| panic!("{e}"))
}

/// A machine of the repository's own.
pub(crate) fn own(name: &str) -> Generation {
    dumps(&root().join("testdata/fabrics").join(name))
}

/// Answers lines from one generation, as a server does.
pub(crate) struct Asker<'a> {
    generation: &'a Generation,
    limits: Limits,
    column: Column,
}

impl<'a> Asker<'a> {
    pub(crate) fn new(generation: &'a Generation) -> Asker<'a> {
        Asker { generation, limits: Limits::default(), column: Column::new(&generation.atlas) }
    }

    pub(crate) fn ask(&mut self, line: &str) -> String {
        let mut desk =
            Desk { generation: self.generation, limits: &self.limits, warning: "", column: &mut self.column };
        let mut out = Vec::new();
        answer::line(&mut desk, &protocol::parse(line), &mut out);
        String::from_utf8(out).expect("answers are UTF-8")
    }
}

/// A directory that is gone after the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// An empty directory; `name` is one that no other test has.
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("hopline-service-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("temporary directory");
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The text of a file of a machine of the repository's own.
pub(crate) fn dump(machine: &str, file: &str) -> String {
    let path = root().join("testdata/fabrics").join(machine).join(file);
    hopline::files::read_text(&hopline::files::Disk, &path.to_string_lossy()).unwrap_or_else(|e| panic!("{e}"))
}

/// Publishes dumps as the next generation.
pub(crate) fn publish(store: &Path, cables: &str, tables: &str) -> u64 {
    let atlas = hopline_service::store::parse(cables, tables).unwrap_or_else(|e| panic!("{e}"));
    let draft = hopline_service::store::Draft {
        collected: "2026-11-21T12:00:00Z".into(),
        cables: cables.into(),
        tables: tables.into(),
        atlas,
        counts: Default::default(),
        tools: Default::default(),
        notes: Vec::new(),
    };
    hopline_service::store::publish(store, &draft, 8).unwrap_or_else(|e| panic!("{e}"))
}

/// Another state of rack64: what the leaves send to hosts over one spine goes over the other.
pub(crate) fn swapped(tables: &str) -> String {
    let mut leaf = false;
    let swap = |line: &str, leaf: bool| match line.split_at_checked(6) {
        // The spines themselves have LIDs 7 and 12.
        Some((lid, " 035 ")) if leaf && !["0x0007", "0x000c"].contains(&lid) => format!("{lid} 036 \n"),
        Some((lid, " 036 ")) if leaf && !["0x0007", "0x000c"].contains(&lid) => format!("{lid} 035 \n"),
        _ => format!("{line}\n"),
    };
    let lines = tables.lines().map(|line| {
        leaf = if line.starts_with("Unicast") { line.contains("(leaf") } else { leaf };
        swap(line, leaf)
    });
    lines.collect()
}
