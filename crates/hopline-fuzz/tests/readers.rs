//! No reader is forgotten: every file of the sources that takes in what others wrote is in a target, or says here why not.
//!
//! A reader announces itself by what it does: it opens, parses or decodes ([`CALLS`]), or it is a function that makes something
//! that can fail, or a truth, of a text or of bytes ([`is_reader`]).

use hopline_fuzz::targets;
use std::fs;
use std::path::{Path, PathBuf};

/// What brings foreign bytes in, or makes values of them.
const CALLS: &[&str] = &[
    "fs::read(",
    "fs::read_to_string(",
    "File::open(",
    "read_text(",
    "read_bytes(",
    "read_regular(",
    "read_at_most(",
    "files.read(",
    "read_to_end(",
    "read_to_string(",
    "read_line(",
    "serde_json::from_",
    "toml::from_str",
    "toml::de",
    "from_toml(",
    "Document::parse",
    "mmap(",
    "TcpStream::connect",
];

/// Parameters by which a function that answers a `Result`, an `Option` or a truth is a reader.
const PARAMETERS: &[&str] = &[
    "text: &str",
    "input: &str",
    "content: &str",
    "document: &str",
    "json: &str",
    "xml: &str",
    "&[u8]",
    "Vec<u8>",
    "impl Read",
    "dyn Read",
    "&Content",
];

/// Files that take in bytes and are no readers of others' bytes, and why.
const NOT_READERS: &[(&str, &str)] = &[
    ("hopline/peers", "what processes of one job, of one program, tell each other"),
    ("hopline/run/among", "what processes of one job, of one program, tell each other"),
    ("hopline-disk", "writes"),
    ("hopline/run/flits", "gives what was kept to the reader of checkpoints"),
    ("hopline/mapping/seats/measure", "levels that are typed"),
    ("hopline-cli/args", "words of the command line, and files given to readers that are targets"),
    ("hopline-cli/command/fabric/diff", "a plan or a fabric, given to their readers"),
    ("hopline-cli/command/flits", "a checkpoint, given to its reader"),
    ("hopline-cli/command/map", "forms of exports, which are typed"),
    ("hopline-cli/command/sweep", "a scenario and a directory, given to their readers; /proc"),
    ("hopline-cli/command/words", "writes pages of the manual"),
    ("hopline-cli/documents", "schemas that the build packed"),
    ("hopline-cli/inputs", "bytes, given to readers; what a result carries, which the target of results reads"),
    ("hopline-cli/output", "what was just computed, on its way out"),
    ("hopline-cli/page/mod", "how a file begins that is to be replaced, compared and dropped"),
    ("hopline-cli/progress", "which signals the kernel keeps from this process"),
    ("hopline-cli/ranks", "what processes of one job, of one program, tell each other"),
    ("hopline-ranks", "what processes of one job, of one program, tell each other"),
    ("hopline-mpi/collectives/adapters", "the kernel's own files"),
    ("hopline-mpi/function", "names of functions in the program's memory"),
    ("hopline-mpi/real", "the kernel's map of this process"),
    ("hopline-mpi/record", "writes; the kernel's host name"),
    ("hopline-service/collect/handed", "splits a file at two lines; cabling and tables have targets"),
    ("hopline-service/collect/tool", "output of a tool, given to the readers of cabling and tables"),
    ("hopline-service/owner", "looks at whose a file is, and hands its bytes on"),
    ("hopline-service/server/connection", "bytes of a client, given to the readers of lines and heads"),
    ("hopline-service/server/socket", "locks a folder"),
    ("hopline-service/server/stream", "bytes of a client, passed on as they are"),
    ("hopline-service/store/publish", "writes"),
    ("hopline-service/tls", "certificates of the administrator, and bytes of a client, given to rustls"),
    ("hopline-sweep/inputs", "sums of files, whatever they hold"),
    ("hopline-py", "what Python calls; files go to the readers"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => sources(&entry.path(), found),
            false => found.push(entry.path()),
        }
    }
}

/// Code without tests and comments.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Whether code has a function that reads.
fn is_reader(code: &str) -> bool {
    code.split("fn ").skip(1).any(|from| {
        let head = from.split('{').next().unwrap_or_default();
        let (Some(open), Some(arrow)) = (head.find('('), head.rfind("->")) else { return false };
        let answers =
            head[arrow..].contains("Result") || head[arrow..].contains("Option") || head[arrow..].contains("bool");
        // Lifetimes aside: `text: &'a str` is one, too.
        let taken: String =
            head.get(open..arrow).unwrap_or_default().replace("'a ", "").replace("'t ", "").replace("'static ", "");
        answers && PARAMETERS.iter().any(|parameter| taken.contains(parameter))
    })
}

/// `crates/CRATE/src/PATH.rs` as `CRATE/PATH`.
fn name(path: &Path) -> String {
    let inner = path.strip_prefix(root().join("crates")).expect("a source").to_string_lossy().into_owned();
    inner.replacen("/src/", "/", 1).trim_end_matches(".rs").to_string()
}

/// Whether a file is the one that is listed, or in that folder.
fn is_in(file: &str, listed: &str) -> bool {
    file.strip_prefix(listed).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn readers() -> Vec<String> {
    let mut files = Vec::new();
    for package in fs::read_dir(root().join("crates")).expect("crates").flatten() {
        if package.file_name() != "hopline-fuzz" {
            sources(&package.path().join("src"), &mut files);
        }
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "rs"));
    let reads = |path: &PathBuf| {
        let code = code(&fs::read_to_string(path).expect("a source"));
        CALLS.iter().any(|call| code.contains(call)) || is_reader(&code)
    };
    files.iter().filter(|path| reads(path)).map(|path| name(path)).collect()
}

#[test]
fn every_reader_is_in_a_target() {
    let readers = readers();
    assert!(readers.len() > 120, "the search for readers has gone blind: {}", readers.len());
    let listed = || targets().flat_map(|target| target.reads).copied().chain(NOT_READERS.iter().map(|(file, _)| *file));
    let mut missing: Vec<&String> = readers.iter().filter(|file| !listed().any(|listed| is_in(file, listed))).collect();
    missing.sort();
    assert!(
        missing.is_empty(),
        "readers without a target: {missing:#?}\nname them in `reads` of a target of crates/hopline-fuzz that enters them"
    );
    // A target may name more than the search finds, but nothing that is gone.
    let gone = |listed: &&str| {
        let (package, path) = listed.split_once('/').unwrap_or((listed, ""));
        let inner = root().join("crates").join(package).join("src").join(path);
        !inner.exists() && !inner.with_extension("rs").exists()
    };
    let gone: Vec<&str> = listed().filter(gone).collect();
    assert!(gone.is_empty(), "listed, and no file of the sources: {gone:?}");
    let idle = NOT_READERS.iter().filter(|(listed, _)| !readers.iter().any(|file| is_in(file, listed)));
    let idle: Vec<_> = idle.collect();
    assert!(idle.is_empty(), "excused, and no reader: {idle:?}");
}

#[test]
fn names_of_targets_are_names_and_stand_once() {
    let mut names: Vec<&str> = targets().map(|target| target.name).collect();
    assert!(names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-')), "{names:?}");
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

/// The search itself: what it takes for a reader.
#[test]
fn readers_are_known_by_what_they_take() {
    assert!(is_reader("pub fn read(path: &str, text: &str) -> Result<Machine> {"));
    assert!(is_reader("fn is<'a>(bytes: &'a [u8]) -> bool {".replace("'a [", "[").as_str()));
    assert!(!is_reader("fn write(text: &str) -> String {"));
    assert!(
        is_in("hopline/format/matrix/npy", "hopline/format/matrix")
            && !is_in("hopline/format/matrixes", "hopline/format/matrix")
    );
}
