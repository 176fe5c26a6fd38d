//! What the words promise: every command of the README and the guide runs as
//! written, the reference pages are those of the lists, JSON obeys its schemas.
//!
//! `HOPLINE_BLESS=1 cargo test --test guide` writes pages anew.

use hopline::lists::{List, lists};
use hopline_report as report;
use hopline_study as study;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// A folder that looks like the repository, for commands that write files.
struct Desk(PathBuf);

impl Desk {
    fn new(name: &str) -> Desk {
        let path = std::env::temp_dir().join(format!("hopline-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary directory");
        for shared in ["testdata", "examples", "docs"] {
            std::os::unix::fs::symlink(root().join(shared), path.join(shared)).expect("link");
        }
        Desk(path)
    }

    fn run(&self, line: &str) -> Output {
        let bin = Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("target");
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
        Command::new("bash").args(["-c", line]).current_dir(&self.0).env("PATH", path).output().expect("bash")
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pages(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("docs").flatten() {
        match entry.path() {
            path if path.is_dir() => pages(&path, found),
            path if path.extension().is_some_and(|e| e == "md") => found.push(path),
            _ => {}
        }
    }
}

/// The `hopline` commands in ```sh blocks; the README's first command as the
/// installed one. Blocks marked ```sh slow take minutes: `./check --full` runs them.
fn commands(text: &str) -> Vec<String> {
    let slow = std::env::var_os("HOPLINE_SLOW").is_some();
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = line == "```sh" || (slow && line == "```sh slow");
        } else if inside && line.starts_with("hopline ") {
            found.push(line.to_string());
        } else if inside && let Some(rest) = line.strip_prefix("cargo run -- ") {
            found.push(format!("hopline {rest}"));
        }
    }
    found
}

#[test]
fn every_command_of_readme_and_guide_runs() {
    let mut found = vec![root().join("README.md")];
    pages(&root().join("docs/src"), &mut found);
    let (mut count, mut studied) = (0, false);
    for page in found {
        let desk = Desk::new("guide");
        for line in commands(&fs::read_to_string(&page).expect("page")) {
            // A study takes a while, wherever its figures go, and has a test of its own: the shortest is enough here, once.
            let study = line.strip_prefix("hopline reproduce ").and_then(|words| words.split(' ').next());
            if study.is_some_and(|study| study != "dragonfly" || std::mem::replace(&mut studied, true)) {
                continue;
            }
            let output = desk.run(&line);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: `{line}` failed: {errors}", page.display());
            let said = !output.stdout.is_empty()
                || line.contains(" > ")
                || errors.starts_with("wrote ")
                || line.starts_with("hopline man");
            assert!(said, "{}: `{line}` printed nothing", page.display());
            count += 1;
        }
    }
    assert!(count > 25, "only {count} commands were found");
}

/// Under each command of the page stands some of what it prints, in its order.
#[test]
fn the_first_commands_print_what_their_page_shows() {
    let desk = Desk::new("first");
    let page = fs::read_to_string(root().join("docs/src/first-commands.md")).expect("page");
    let mut shown = 0;
    for part in page.split("```sh\n").skip(1) {
        let (command, rest) = part.split_once("\n```").expect("the end of a command");
        let output = desk.run(command);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let block = rest.split("```text\n").nth(1).and_then(|b| b.split("```").next()).expect("what it prints");
        let mut lines = printed.lines();
        for line in block.lines().filter(|l| !l.is_empty()) {
            assert!(lines.any(|printed| printed == line), "`{command}` does not print `{line}` there:\n{printed}");
        }
        shown += 1;
    }
    assert_eq!(shown, 5);
}

#[test]
fn every_page_is_in_the_summary_and_every_link_leads_somewhere() {
    let src = root().join("docs/src");
    let summary = fs::read_to_string(src.join("SUMMARY.md")).expect("summary");
    let linked: Vec<&str> = summary.split("](").skip(1).filter_map(|l| l.split(')').next()).collect();
    for link in &linked {
        assert!(src.join(link).is_file(), "SUMMARY.md links {link}, which is not there");
    }
    let mut found = Vec::new();
    pages(&src, &mut found);
    for page in found {
        let name = page.strip_prefix(&src).expect("below src").to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || linked.contains(&name.as_str()), "{name} is not in SUMMARY.md");
    }
}

/// The file must hold the text; with HOPLINE_BLESS it is written.
fn current(path: &Path, text: &str) {
    if std::env::var_os("HOPLINE_BLESS").is_some() {
        fs::write(path, text).expect("write");
    }
    let stands = fs::read_to_string(path).unwrap_or_default();
    assert!(
        stands == text,
        "{} is out of date: HOPLINE_BLESS=1 cargo test -p hopline-cli --test guide",
        path.display()
    );
}

#[test]
fn reference_pages_are_those_of_the_lists() {
    for List { name, title, entries } in lists().into_iter().chain([study::studies(), report::terms()]) {
        current(&root().join(format!("docs/src/reference/{name}.md")), &report::reference(title, &entries));
    }
}

#[test]
fn real_output_obeys_its_schema() {
    let samples = [
        ("reproduce", "reproduce dragonfly"),
        ("record", "record merge testdata/recordings/ring-4-aborted"),
        ("load", "load --topology percs:ns=4,nd=1 --traffic halo"),
        ("load", "load --fabric testdata/fabrics/rack64 --traffic matrix:file=testdata/matrices/lammps-melt-64.csv"),
        ("load", "load --topology dragonfly:p=1,a=2,h=1 --traffic shift:by=0"),
        ("map", "map examples/place-my-job.toml"),
        ("flits", "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --load 0.1,1 --cycles 400"),
        ("flits", "flits --topology torus:dims=3 --traffic uniform --inject exchange:bytes=100"),
        ("flits", "flits --topology torus:dims=3 --traffic uniform --load 0.3 --cycles 400 --interval 600"),
        ("compare", "compare --topology torus:dims=4x4 --topology full-mesh:n=16 --traffic bit-complement"),
        ("map", "map --topology kncube:k=4,n=2 --traffic linear:transpose --mapping default,linear"),
        ("replay", "replay --topology full-mesh:n=2 --schedule goal:testdata/schedules/ping-pong.goal"),
        (
            "replay",
            "replay --topology dragonfly:p=2,a=4,h=2 --schedule collective:knomial:bytes=64K --critical 4 --bin 10000",
        ),
        (
            "power",
            "power --fabric testdata/fabrics/rack64 --traffic halo:grid=4x4 --spare --list 3 --mapping default,random",
        ),
        (
            "power",
            "power --topology torus:dims=4x4 --schedule halo-steps:grid=4x4,steps=6,compute=1000000 --policy static,learn,threshold,scale",
        ),
        ("collective", "collective broadcast --topology tree:arity=4x2 --size 1K,64K --order default,dft --ranks 8"),
        ("collective-bound", "collective allreduce --topology torus:dims=4x2 --bound --order default,optimised"),
        ("collective-check", "collective check testdata/schedules/allgather-hub.xml --topology torus:dims=4x2"),
        ("sweep", "sweep examples/sweep-machines.toml --out machines"),
        ("sweep", "sweep show machines"),
        ("sweep-dry-run", "sweep examples/sweep-machines.toml --out machines --dry-run --set seed=1,2"),
        ("blame", "blame --fabric testdata/fabrics/rack64 --measured testdata/blame/rack64-slow-link.csv"),
        ("blame-plan", "blame plan --fabric testdata/fabrics/rack64 --crossings 1"),
        ("blame-expect", "blame expect --fabric testdata/fabrics/rack64 --pairs testdata/blame/rack64-pairs.txt"),
        ("fabric", "fabric export json --fabric testdata/fabrics/lmc1-8"),
        ("fabric", "fabric export json --topology percs:ns=2,nd=1,rails=affine"),
        ("fabric-show", "fabric show --fabric testdata/fabrics/rack64"),
        ("fabric-route", "fabric route --topology percs:ns=4,nd=2 s0n0 s1n9"),
        ("fabric-route", "fabric route --fabric testdata/fabrics/lmc1-8 node001 node008"),
        ("fabric-check", "fabric check --fabric testdata/fabrics/rack64"),
        ("fabric-diff", "fabric diff testdata/fabrics/rack64 testdata/fabrics/rack64"),
        ("fabric-diff", "fabric diff torus:dims=4x4,bandwidth=4 torus:dims=4x4,bandwidth=2"),
        ("fabric-diff", "fabric diff testdata/fabrics/rack64-plan.csv testdata/fabrics/rack64"),
        ("fabric-whatif", "fabric whatif --fabric testdata/fabrics/rack64 --without leaf01/U1"),
        ("fabric-whatif-each", "fabric whatif --fabric testdata/fabrics/rack64 --each switch"),
        ("fabric-whatif-each", "fabric whatif --topology torus:dims=3 --each link --traffic halo"),
        ("fabric-show-switches", "fabric show --fabric testdata/fabrics/rack64 --switches"),
        ("fabric-show-hosts", "fabric show --fabric testdata/fabrics/rack64 --hosts"),
    ];
    let desk = Desk::new("schema");
    for (name, command) in samples {
        let schema = desk.run(&format!("hopline schema {name}"));
        let schema = String::from_utf8(schema.stdout).expect("text");
        let output = desk.run(&format!("hopline {command} --format json"));
        // 3: something was found.
        assert!(
            matches!(output.status.code(), Some(0 | 3)),
            "`{command}`: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let json = serde_json::from_slice(&output.stdout).expect(command);
        let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
        let place = format!("http://localhost/{name}.json");
        compiler.add_resource(&place, serde_json::from_str(&schema).expect(name)).expect(name);
        let id = compiler.compile(&place, &mut schemas).expect(name);
        schemas.validate(&json, id).unwrap_or_else(|e| panic!("`{command}` disobeys its schema: {e:#}"));
    }
}

#[test]
fn completions_and_manual_pages_are_written() {
    let desk = Desk::new("words");
    for shell in ["bash", "zsh", "fish"] {
        let output = desk.run(&format!("hopline completions {shell}"));
        assert!(String::from_utf8_lossy(&output.stdout).contains("whatif"), "{shell}");
    }
    assert!(desk.run("hopline man pages").status.success());
    let page = fs::read_to_string(desk.0.join("pages/hopline-fabric-route.1")).expect("page");
    assert!(page.contains(".SH SYNOPSIS"), "{page}");
}
