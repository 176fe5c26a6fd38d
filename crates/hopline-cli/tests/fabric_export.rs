//! `hopline fabric export` and `import`: what lands where.

mod common;

use common::Scratch;

const RACK: &str = "testdata/fabrics/rack64";

#[test]
fn a_converted_dump_routes_as_the_dump() {
    let dir = Scratch::new("import");
    let import = dir.hopline(&format!("fabric import {RACK} -o DIR/rack.json"));
    assert_eq!(import.stderr, format!("wrote DIR/rack.json: json of {RACK}\n"));
    assert_eq!(import.done(), "");
    let route = |path: &str| dir.hopline(&format!("fabric route --fabric {path} node001 node064")).done();
    assert!(route("DIR/rack.json").contains("(table routing)"));
    assert_eq!(route("DIR/rack.json"), route(RACK));
    dir.hopline("fabric check --fabric DIR/rack.json").done();
}

#[test]
fn tables_are_those_of_the_whole_machine_only() {
    let dir = Scratch::new("cut");
    let json = dir.hopline(&format!("fabric export json --fabric {RACK} --without leaf01/U1[36]")).done();
    assert!(json.contains("\"lid\": ") && !json.contains("\"tables\""), "LIDs stay, tables do not");
}

#[test]
fn a_form_is_printed_or_written_whole() {
    let dir = Scratch::new("forms");
    let printed = dir.hopline("fabric export slurm-topology --topology tree:arity=2x2").done();
    assert_eq!(printed.lines().last(), Some("SwitchName=l2s0 Switches=l1s[0-1]"));
    dir.hopline("fabric export slurm-topology --topology tree:arity=2x2 -o DIR/topology.conf").done();
    assert_eq!(dir.read("topology.conf"), printed);
    let nowhere = dir.hopline("fabric export dot --topology tree:arity=2x2 -o DIR/no/such/folder.dot");
    assert_eq!(nowhere.code, Some(1));
    let unknown = dir.hopline("fabric export slurm --topology tree:arity=2x2 -o DIR/x");
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.stderr.contains("did you mean `slurm-topology`?"), "{}", unknown.stderr);
    assert_eq!(dir.names(""), ["topology.conf"], "nothing half-written is left");
}
