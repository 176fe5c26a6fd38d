//! Names that a shell or a launcher would take for something else: what is written for them is quoted, or refused in a line.

mod common;

use common::{Scratch, command};
use hopline::entry::Listed as _;
use hopline::fabric::{Builder, Guid, LinkClass};
use hopline::format::{EXPORTS, Switched, ibportstate};
use hopline::id::VertexId;
use hopline::unit::Bandwidth;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Each would run something, or be two words, where it is not quoted.
const NAMES: [&str; 6] = ["a;touch x", "$(touch x)", "`touch x`", "a b", "'\"", "-x"];

/// One that no fabric in JSON may have.
const BROKEN: &str = "a\ntouch x";

/// Four hosts on two switches, all with one name before their numbers.
fn fabric(name: &str) -> String {
    let vertex = |n: usize| serde_json::json!({ "name": format!("{name}{n}") });
    let host =
        |n: usize| serde_json::json!({ "name": format!("{name}{n}"), "endpoints": [format!("{name}{n}")], "slots": 1 });
    let cable = |a: usize, b: usize, class: &str| serde_json::json!({ "a": format!("{name}{a}"), "port_a": b, "b": format!("{name}{b}"), "port_b": a + 1, "class": class });
    let hosts = [(0, 4), (1, 4), (2, 5), (3, 5)].map(|(a, b)| cable(a, b, "host"));
    serde_json::json!({
        "hopline_fabric": 1,
        "name": name,
        "classes": [
            { "name": "host", "bandwidth_bytes_s": 1_000_000_000u64, "host": true },
            { "name": "link", "bandwidth_bytes_s": 1_000_000_000u64, "host": false },
        ],
        "endpoints": (0..4).map(vertex).collect::<Vec<_>>(),
        "switches": (4..6).map(vertex).collect::<Vec<_>>(),
        "cables": hosts.into_iter().chain([cable(4, 5, "link")]).collect::<Vec<_>>(),
        "hosts": (0..4).map(host).collect::<Vec<_>>(),
    })
    .to_string()
}

fn run(words: &[&str]) -> (Option<i32>, String) {
    let output = command(words.iter().map(|w| w.to_string())).output().expect("hopline");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn launcher_files_and_scripts_refuse_names_that_are_none() {
    let dir = Scratch::new("quoted");
    let forms = EXPORTS.iter().map(|e| e.entry().name);
    for name in NAMES {
        let machine = dir.write("fabric.json", fabric(name)).display().to_string();
        let to = dir.path("out").display().to_string();
        let refused = |words: &[&str], form: &str| {
            let export = format!("{form}={to}");
            let all = [words, &["--fabric", &machine, "--export", &export]].concat();
            let (code, said) = run(&all);
            assert_eq!(code, Some(2), "{name:?} {form}: {said}");
            assert!(
                said.contains("is no host name for a launcher file") && said.lines().count() == 1,
                "{form}: {said}"
            );
            assert!(!dir.path("out").exists(), "{form}");
        };
        for form in forms.clone() {
            refused(&["map", "--traffic", "halo:grid=2x2", "--mapping", "default"], form);
        }
        for form in ["srun", "mpirun", "clusterkit", "superbench"] {
            refused(&["blame", "plan"], form);
        }
    }
    let broken = dir.write("fabric.json", fabric(BROKEN)).display().to_string();
    let (code, said) = run(&["fabric", "show", "--fabric", &broken]);
    assert!(code == Some(2) && said.contains("holds a line break"), "{said}");
}

#[test]
fn slurm_reads_no_line_that_a_name_has_made() {
    let dir = Scratch::new("quoted-slurm");
    let plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "._-,[]".contains(c));
    for name in NAMES {
        let machine = dir.write("fabric.json", fabric(name)).display().to_string();
        let words = ["fabric", "export", "slurm-topology", "--fabric", &machine].map(String::from);
        let output = command(words).output().expect("hopline");
        let text = String::from_utf8(output.stdout).expect("text");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split(' ').collect();
            let good =
                |word: &str, keys: &[&str]| word.split_once('=').is_some_and(|(k, v)| keys.contains(&k) && plain(v));
            let all = words.len() == 2 && good(words[0], &["SwitchName"]) && good(words[1], &["Nodes", "Switches"]);
            assert!(all, "{name:?}: {line}");
        }
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(!text.is_empty() || said.contains("no host that Slurm takes"), "{name:?}: {said}");
    }
}

/// Runs a script where nothing but what stands in `dir/bin` is found, besides the shell's own commands.
fn sh(dir: &Path, words: &[&str]) -> String {
    let path = format!("{}:/usr/bin:/bin", dir.join("bin").display());
    let output = Command::new("sh").args(words).current_dir(dir).env("PATH", path).env("TRIES", "1").output();
    String::from_utf8_lossy(&output.expect("sh").stderr).into_owned()
}

fn program(dir: &Scratch, name: &str, text: &str) {
    let path = dir.write(&format!("bin/{name}"), text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("executable");
}

#[test]
fn a_script_names_its_fabric_whatever_the_file_is_called() {
    let dir = Scratch::new("quoted-path");
    let machine = dir.write("a'; touch x; ' $(touch x) .json", fabric("n"));
    let (machine, to) = (machine.display().to_string(), format!("srun={}", dir.path("plan.sh").display()));
    let (code, said) = run(&["blame", "plan", "--fabric", &machine, "--export", &to]);
    assert_eq!(code, Some(0), "{said}");
    program(&dir, "srun", "#!/bin/sh\nexit 0\n");
    program(&dir, "hopline", "#!/bin/sh\nprintf '%s\\n' \"$@\" >>words\nexit 1\n");
    sh(&dir.path(""), &["plan.sh"]);
    let words = dir.read("words");
    assert!(words.lines().any(|word| word == machine), "{words}");
    assert!(!dir.path("x").exists());
}

#[test]
fn names_in_comments_of_a_script_do_not_end_them() {
    let dir = Scratch::new("quoted-comments");
    let mut builder = Builder::new("f\ntouch x", 2, 2);
    for (v, name) in (0..).zip([BROKEN, NAMES[0], "b\ntouch x", NAMES[1]]) {
        builder.name(VertexId(v), name.to_string());
        builder.guid(VertexId(v), Guid(u64::from(v) + 1));
    }
    let class = builder.class(LinkClass::network("link", Bandwidth::gb_s(1.0)));
    let host = builder.class(LinkClass { host: true, ..LinkClass::network("host", Bandwidth::gb_s(1.0)) });
    builder.cable(VertexId(0), VertexId(2), host);
    builder.cable(VertexId(1), VertexId(3), host);
    for _ in 0..2 {
        builder.cable(VertexId(2), VertexId(3), class);
    }
    builder.host_per_endpoint(1);
    let fabric = builder.finish().expect("a fabric");
    let off: Vec<_> = fabric
        .link_ids()
        .filter(|l| fabric.source(*l) == VertexId(2) && fabric.target(*l) == VertexId(3))
        .take(1)
        .collect();
    let script = ibportstate(&fabric, Switched { off: &off, narrow: &[] }, "f\ntouch x").expect("a script");
    assert!(script.contains("# Written by hopline power: f touch x\n"), "{script}");
    dir.write("script", &script);
    program(&dir, "ibportstate", "#!/bin/sh\necho \"$@\" >>asked\n");
    program(&dir, "smpquery", "#!/bin/sh\nexit 1\n");
    let said = sh(&dir.path(""), &["script", "off"]);
    assert!(dir.read("asked").starts_with("-G 0x"), "{said}");
    assert!(!dir.path("x").exists(), "{script}");
}
