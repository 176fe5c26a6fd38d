//! Wrong inputs: one line that says where and what to do, exit code 2, nothing
//! printed and nothing written.

#[path = "../common/mod.rs"]
mod common;
mod files;
mod targets;

use common::{Ran, Scratch, root, without_way};
use std::fs;

/// One line on stderr that reads as `expected`, whose parts with ` .. ` between
/// them follow each other; nothing on stdout; exit code 2.
#[track_caller]
fn complains(line: &str, ran: &Ran, expected: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "hopline {line}\n{}", ran.stderr);
    assert!(ran.stderr.ends_with('\n') && ran.stderr.lines().count() == 1, "hopline {line}\n{}", ran.stderr);
    let mut rest = ran.stderr.strip_prefix("hopline: ").unwrap_or_else(|| panic!("hopline {line}\n{}", ran.stderr));
    for (i, part) in expected.split(" .. ").enumerate() {
        // The place stands at the very beginning.
        let found = rest.find(part).filter(|at| i > 0 || *at == 0);
        let at = found.unwrap_or_else(|| panic!("hopline {line}\n{}expected {part}", ran.stderr));
        rest = &rest[at + part.len()..];
    }
}

/// `load` and `map` complain in the same words, and `map` leaves the files that it was to write alone.
#[track_caller]
fn refused(dir: &Scratch, job: &str, expected: &str) {
    let load = format!("load {job}");
    complains(&load, &dir.hopline(&load), expected);
    dir.write("out/ranks", "of an earlier run\n");
    let map = format!("map {job} --export rankfile=DIR/out/ranks --export hostfile=DIR/out/hosts");
    complains(&map, &dir.hopline(&map), expected);
    assert_eq!(dir.names("out"), ["ranks"], "hopline {map}");
    assert_eq!(dir.read("out/ranks"), "of an earlier run\n", "hopline {map}");
}

/// A fabric that nothing is wrong with, and a job that fits it.
const RACK: &str = "--fabric testdata/fabrics/rack64";
const JOB: &str = "--fabric testdata/fabrics/rack64 --traffic halo:grid=8x8";
const PERCS: &str = "--topology percs:ns=4,nd=1";

/// Bytes of no format at all: all values but 0, which no text has, with line feeds and quotes among them.
fn garbage() -> Vec<u8> {
    (0..4096u32).map(|i| ((i.wrapping_mul(2_654_435_761) >> 13) as u8).max(1)).collect()
}

#[test]
fn misspelt_words_are_suggested() {
    let dir = Scratch::new("bad-words");
    for (job, expected) in [
        ("--topology percs:nss=32,nd=4 --traffic halo", "--topology: `percs` has no key `nss`; did you mean `ns`?"),
        (
            "--topology perc:ns=32,nd=4 --traffic halo",
            "--topology: no topology is called `perc`; did you mean `percs`?",
        ),
        ("--topology percs:ns=4,nd=1 --traffic hallo", "--traffic: no traffic is called `hallo`; did you mean `halo`?"),
        (
            "--topology percs:ns=4,nd=1 --traffic halo --routing drect",
            "--routing: no routing is called `drect`; did you mean `direct`?",
        ),
        (
            "--topology percs:ns=4,nd=1 --traffic halo --mapping mod-colouring",
            "--mapping: no mapping is called `mod-colouring`; did you mean `mod-coloring`?",
        ),
        ("--topology percs:ns=4,ns=5 --traffic halo", "--topology: `ns` is given twice"),
        (
            "--topology percs:4,1,21,5,10,9,8 --traffic halo",
            "--topology: `8` is one value too many .. percs:ns=32,nd=4",
        ),
        ("--topology percs:ns=4 --traffic halo", "--topology: `percs` needs `nd`; example: percs:ns=32,nd=4"),
        ("--topology file:[a,b --traffic halo", "--topology: `file:[a,b` has a bracket that is not closed"),
        ("--topology percs:ns=4,nd=1", "no traffic is given; add --traffic "),
        ("--traffic halo", "no topology is given; add --topology "),
        ("percs:ns=4,nd=1 --traffic halo", "`percs:ns=4,nd=1` is no scenario file; give the topology with --topology"),
    ] {
        refused(&dir, job, expected);
    }
    dir.write("tree.dot", "graph tree {\n h0 -- s\n}\n");
    let machine = "load DIR/tree.dot --traffic halo";
    complains(
        machine,
        &dir.hopline(machine),
        "DIR/tree.dot:1: key with no value, expected `=`; this is read as a scenario in TOML: --topology takes the file of a \
         machine, --traffic that of a job",
    );
    let several = format!("map {JOB} --mapping default,gredy");
    complains(&several, &dir.hopline(&several), "--mapping: no mapping is called `gredy`; did you mean `greedy`?");
    for (word, hint) in [
        ("mod-colouring", "did you mean `mod-coloring`?"),
        ("caminos", "keys have it: see `hopline explain minimal`, `hopline explain router`"),
        ("checkpoint", "`--checkpoint` is an option: see `hopline help flits`"),
        ("threads", "`--threads` is an option of every command: see `hopline help`"),
        ("series", "`--series` is an option: see `hopline help flits`"),
        ("hottest", "`--hottest` is an option: see `hopline help load`, `hopline help fabric whatif`"),
    ] {
        let line = format!("explain {word}");
        complains(&line, &dir.hopline(&line), &format!("nothing is called `{word}`; {hint}"));
    }
}

#[test]
fn exports_are_checked_before_the_work() {
    let dir = Scratch::new("bad-exports");
    dir.write("out/ranks", "of an earlier run\n");
    for (export, expected) in [
        ("rankfil=DIR/out/ranks", "--export: no export is called `rankfil`; did you mean `rankfile`?"),
        ("rankfile", "--export: `rankfile` names no file; write --export rankfile=FILE"),
        ("rankfile=", "--export: `rankfile=` names no file; write --export rankfile=FILE"),
        ("DIR/out/ranks", "--export: `DIR/out/ranks` names no file; write --export rankfile=FILE"),
    ] {
        // The first export is fine, and is not written either.
        let line = format!("map {JOB} --export hostfile=DIR/out/hosts --export {export}");
        complains(&line, &dir.hopline(&line), expected);
        assert_eq!(dir.names("out"), ["ranks"], "hopline {line}");
        assert_eq!(dir.read("out/ranks"), "of an earlier run\n", "hopline {line}");
    }
}

#[test]
fn scenarios_are_wrong_in_a_line() {
    let dir = Scratch::new("bad-scenarios");
    for (text, expected) in [
        (
            "seed = 1\ntopologie = \"percs\"\n",
            "DIR/s.toml:2: a scenario has no key `topologie`; did you mean `topology`?",
        ),
        (
            "traffic = \"halo\"\n[topology]\nkind = \"percs\"\nns = 2\nnd = 1\nlll = 3\n",
            "DIR/s.toml:6: `percs` has no key `lll`; did you mean `ll`?",
        ),
        ("[topology]\nkind = \"prcs\"\n", "DIR/s.toml:1: no topology is called `prcs`; did you mean `percs`?"),
        ("\n[topology]\nns = 3\n", "DIR/s.toml:2: [topology] has no kind; write kind = "),
        (
            "topology = \"percs:ns=2,nd=1\"\ntraffic = \"halo\"\nmapping = [\n  \"randon\",\n]\n",
            "DIR/s.toml:4: no mapping is called `randon`; did you mean `random`?",
        ),
        ("seed = -1\n", "DIR/s.toml:1: `seed` is a whole number from 0"),
        ("seed = 1\nhosts = [\"node001\"]\n", "DIR/s.toml:2: `hosts` is a text such as \"random:64\""),
        ("topology = 3\n", "DIR/s.toml:1: `topology` is neither a spec string nor a table"),
        ("# a question\nthis is no TOML\n", "DIR/s.toml:2: "),
        ("seed = 1\ntraffic = \"halo\n", "DIR/s.toml:2: "),
    ] {
        dir.write("s.toml", text);
        refused(&dir, "DIR/s.toml", expected);
    }
    dir.write("s.toml", garbage());
    refused(&dir, "DIR/s.toml", "DIR/s.toml:1: ");
    dir.write("s.toml", "");
    refused(&dir, "DIR/s.toml", "no topology is given; ");
    refused(&dir, "DIR/none.toml", "DIR/none.toml: No such file");
    refused(&dir, "DIR", "DIR: Is a directory");
    let several = "load examples/percs-halo.toml";
    complains(several, &dir.hopline(several), "`hopline load` takes one mapping; `hopline map` compares several");
    for (line, command) in
        [("load --traffic alltoall", "load"), ("flits --traffic alltoall", "flits"), ("fabric show", "fabric")]
    {
        let line = format!("{line} --topology percs:ns=2,nd=1 --routing direct,indirect");
        let wanted = format!("--routing: `hopline {command}` takes one routing; `hopline map` compares several");
        complains(&line, &dir.hopline(&line), &wanted);
    }
}

#[test]
fn hosts_without_a_way_between_them() {
    let dir = Scratch::new("bad-ways");
    // LID 5 is node064; the table of leaf01 begins in line 703.
    dir.rack64("broken", |tables| without_way(tables, "leaf01/U1", "0x0005"));
    let missing = "DIR/broken/dump_fts_n.txt:703: .. no way from node001 HCA-1 to node064 HCA-1: \
                   switch leaf01/U1 has no entry for LID 5; collect cables and tables again";
    // Message by message, and as one block of all pairs.
    for traffic in ["bit-complement", "alltoall"] {
        refused(&dir, &format!("--fabric DIR/broken --traffic {traffic}"), missing);
    }
    let route = "fabric route --fabric DIR/broken node001 node064";
    complains(route, &dir.hopline(route), missing);
    // What does not need the missing entry is answered.
    dir.hopline("fabric route --fabric DIR/broken node064 node001").done();

    // Two pairs of hosts, each back to back.
    let pair = |a: u32, b: u32| {
        let end = |x: u32, y: u32| {
            format!(
                "Ca 1 \"H-{x:016x}\" # \"n{x} HCA-1\"\n\
                 [1](9{x}) \"H-{y:016x}\"[1] (9{y}) # lid {x} lmc 0 \"n{y} HCA-1\" lid {y} 4xQDR\n"
            )
        };
        end(a, b) + &end(b, a)
    };
    dir.write("islands", pair(1, 2) + &pair(3, 4));
    for traffic in ["bit-complement", "alltoall"] {
        let job = format!("--fabric DIR/islands --traffic {traffic}");
        refused(&dir, &job, "DIR/islands: no way from n .. to n .. no cables join them; `hopline fabric check` ");
    }
}

#[test]
fn allocations() {
    let dir = Scratch::new("bad-hosts");
    dir.write("unknown", "node001\nnode02 # the second\n");
    dir.write("twice", "node001\nnode002\n\nnode001\n");
    dir.write("garbage", garbage());
    for (hosts, expected) in [
        ("node001,nod002", "--hosts: testdata/fabrics/rack64 has no host `nod002`; did you mean `node002`?"),
        ("nod002", "--hosts: nod002: No such file .. did you mean `node002`?"),
        ("DIR/unknown", "DIR/unknown:2: testdata/fabrics/rack64 has no host `node02`; did you mean `node"),
        ("node001,node002,node001", "--hosts: host `node001` is named twice"),
        ("DIR/twice", "DIR/twice:1: `2` slots of host `node001`, expected 1 to 1"),
        ("DIR/garbage", "DIR/garbage:1: testdata/fabrics/rack64 has no host `"),
        ("DIR/none", "--hosts: DIR/none: No such file .. --hosts takes a file, names, random:N, first:N or @compute"),
        ("first:0", "--hosts: 0 hosts are asked for, testdata/fabrics/rack64 has 64"),
        ("random:65", "--hosts: 65 hosts are asked for, testdata/fabrics/rack64 has 64"),
        ("random:many", "--hosts: `many` is no number of hosts"),
    ] {
        refused(&dir, &format!("{JOB} --hosts {hosts}"), expected);
    }
    let ends = format!("fabric route {RACK} node001 nod064");
    let expected = "testdata/fabrics/rack64 has no host, switch or GUID `nod064`; did you mean `node064`?";
    complains(&ends, &dir.hopline(&ends), expected);
}

#[test]
fn jobs_that_do_not_fit_the_machine() {
    let dir = Scratch::new("bad-fits");
    let matrix = "--traffic matrix:file=testdata/matrices/lammps-melt-64.csv";
    let slots = "give more hosts with --hosts, or more slots per host with slots=";
    for (job, expected) in [
        (
            "--topology torus:dims=4x4 --traffic halo:grid=8x8".into(),
            format!("--traffic: 64 tasks do not fit into 16 slots; {slots}"),
        ),
        (format!("{JOB} --hosts first:10"), format!("--traffic: 64 tasks do not fit into 10 slots; {slots}")),
        (
            format!("{JOB} --routing dor"),
            "--routing: routing `dor` needs a torus, kncube, mesh or hyperx, not testdata/fabrics/rack64; leave the routing out"
                .into(),
        ),
        (
            format!("{PERCS} --traffic halo --routing table"),
            "--routing: percs:ns=4,nd=1 has no forwarding tables; use routing `direct`".into(),
        ),
        (
            "--topology torus:dims=4x4 --traffic halo --routing direct".into(),
            "--routing: routing `direct` needs percs, not torus:dims=4x4; leave the routing out for `dor`".into(),
        ),
        (
            format!("{PERCS} {matrix} --mapping mod-coloring"),
            "--mapping: mapping `mod-coloring` needs a task grid, and this traffic has none; use a pattern with grid="
                .into(),
        ),
        (
            "--topology percs:ns=32,nd=4 --traffic halo:grid=16x16x16 --mapping mod-coloring".into(),
            "--mapping: mapping `mod-coloring`: the grid 16x16x16 is not two-dimensional".into(),
        ),
        (
            "--topology torus:dims=4x4 --traffic halo --mapping drawer-random".into(),
            "--mapping: torus:dims=4x4 has no level `drawer`; its levels are node".into(),
        ),
    ] {
        refused(&dir, &job, &expected);
    }
}

#[test]
fn numbers_out_of_range() {
    let dir = Scratch::new("bad-numbers");
    for (topology, expected) in [
        ("percs:ns=0,nd=1", "`ns` is 0, expected at least one supernode"),
        ("percs:ns=4,nd=3", "`nd` is 3, expected a divisor of 32: 1, 2, 4, 8, 16 or 32"),
        ("percs:ns=-1,nd=1", "`ns` is `-1`, expected a whole number"),
        ("percs:ns=99999999999,nd=1", "`ns` is `99999999999`, expected "),
        ("percs:ns=4000000000,nd=1", "128000000000 vertices and 16000003968000000000 links take about "),
        ("dragonfly:p=128,a=128,h=128", "270549120 vertices and 1071710080 links take about "),
        ("percs:ns=4,nd=1,ll=0", "`ll` is `0`, expected a bandwidth such as 10, 10GB/s or 200Gb/s"),
        ("percs:ns=4,nd=1,ll=nan", "`ll` is `nan`, expected a bandwidth"),
        ("percs:ns=four,nd=1", "`ns` is `four`, expected a whole number"),
        ("percs:ns=4,nd=1,slots=-1", "`slots` is `-1`, expected a whole number"),
        (
            "torus:dims=100000x100000x100000",
            "1000000000000000 vertices and 6000000000000000 links take about 508 PB of memory, expected at most 16.0 GB; choose smaller sizes",
        ),
        ("torus:dims=0x4", "`dims` is `0x4`, expected sizes such as "),
        ("torus:dims=", "`dims` is ``, expected sizes such as "),
        ("dragonfly:p=0,a=4,h=2", "`p` is 0, expected 1 to "),
        ("dragonfly:p=1000,a=1000,h=1000", "1001001001000 vertices and 3999003999000 links take about "),
        ("kncube:k=1000,n=1000", "`k` is 1000 and `n` is 1000, expected k >= 1 and 1 <= n <= 24"),
        ("kncube:k=1000,n=24", "more than 2^64 vertices or links; choose smaller sizes"),
        ("omega:k=1,n=3", "`k` is 1 and `n` is 3, expected k >= 2 and 1 <= n <= 24"),
        ("omega:k=2,n=24,bandwidth=x", "`bandwidth` is `x`, expected a bandwidth"),
        ("omega:k=1000,n=24", "more than 2^64 vertices or links; choose smaller sizes"),
        ("tree:arity=4000000000x2", "16000000000 vertices and 32000000000 links take about "),
    ] {
        let expected = format!("--topology: {expected}");
        refused(&dir, &format!("--topology {topology} --traffic halo"), &expected);
        let show = format!("fabric show --topology {topology}");
        complains(&show, &dir.hopline(&show), &expected);
    }
    for (traffic, expected) in [
        ("uniform:tasks=0", "0 tasks, expected 1 to 16777216"),
        ("uniform:tasks=1.5", "`tasks` is `1.5`, expected a whole number"),
        ("halo:grid=0x0", "`grid` is `0x0`, expected sizes such as 64x64"),
        ("halo:grid=8x", "`grid` is `8x`, expected sizes such as 64x64"),
        ("halo:grid=99999x99999", "a grid of more than 16777216 tasks; choose smaller sizes"),
        ("halo:wrap=3", "`wrap` is `3`, expected true or false"),
        ("halo:weight=heavy", "`weight` is `heavy`, expected one of per-task, per-edge"),
        ("shift:by=-1", "`by` is `-1`, expected a whole number"),
    ] {
        refused(&dir, &format!("{PERCS} --traffic {traffic}"), &format!("--traffic: {expected}"));
    }
    refused(&dir, &format!("{PERCS} --traffic alltoall:tasks=513"), "--traffic: 513 tasks do not fit into 512 slots");
}

#[test]
fn options_that_no_command_has() {
    // The parser of the command line answers with several lines, the usage among them.
    for line in
        ["", "lod", "fabric", "list topologies", "load --tasks 3", "load --format xml", "map --seed x", "map a b"]
    {
        let ran = common::hopline(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "hopline {line}\n{}", ran.stderr);
        assert!(ran.stderr.contains("--help"), "hopline {line}\n{}", ran.stderr);
    }
}

#[test]
fn flits_say_what_they_cannot_simulate() {
    let dir = Scratch::new("bad-flits");
    let torus = "--topology torus:dims=4x4 --traffic uniform";
    for (words, expected) in [
        (format!("{torus} --load 1.5"), "--load: the load is 1.5, expected more than 0 and at most 1; "),
        (format!("{torus} --load 0.1,x"), "--load: `load` is `0.1,x`, expected loads such as 0.1,0.3"),
        (format!("{torus} --until 1%"), "--until: `until` is `1%`, expected a precision such as 1%@99%"),
        (format!("{torus} --cycles 0"), "--cycles: 0 cycles after a warm-up of 2000, expected"),
        (
            format!("{torus} --inject poison"),
            "--inject: no injection process is called `poison`; did you mean `poisson`?",
        ),
        (format!("{torus} --router bufers=2"), "--router: `router` has no key `bufers`; did you mean `buffers`?"),
        (format!("{torus} --router packet=65"), "--router: a packet of 65 flits does not fit a buffer of 64; "),
        (format!("{torus} --router lanes=5"), "10 virtual channels, at most 8 are possible; "),
        (format!("{torus} --routing shortest"), "--routing: routing `shortest` can deadlock on torus:dims=4x4: "),
        (format!("{torus} --mapping default,random"), "`hopline flits` takes one mapping; "),
        (format!("{torus} --threads 100000"), "--threads 100000: expected at most 1024; "),
        (
            "--topology percs:ns=4,nd=1 --traffic uniform".into(),
            "--routing: routing `direct` cannot be simulated flit by flit; ",
        ),
        ("--topology full-mesh:n=300 --traffic uniform".into(), " ports, and flits know at most 256; "),
    ] {
        let line = format!("flits {words}");
        let ran = dir.hopline(&line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "hopline {line}\n{}", ran.stderr);
        assert!(ran.stderr.contains(expected) && ran.stderr.lines().count() == 1, "hopline {line}\n{}", ran.stderr);
    }
    for (text, expected) in [
        ("this is none", "this is no state that a run has kept"),
        ("hopline flits 1\nas it was", "the checkpoint is of another version of Hopline"),
    ] {
        dir.write("checkpoint", text);
        let ran = dir.hopline(&format!("flits {torus} --checkpoint DIR/checkpoint"));
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    // Not after half a minute of work.
    let ran = dir.hopline(&format!("flits {torus} --checkpoint DIR/none/state"));
    assert!(ran.code != Some(0) && ran.stderr.contains("none/state: No such file"), "{}", ran.stderr);
    let twice = dir.hopline("load --topology torus:dims=4x4,slots=2 --slots 3 --traffic uniform");
    assert!(twice.stderr.contains("--slots: ") && twice.code == Some(2), "{}", twice.stderr);
    let load = dir.hopline("load --topology dragonfly:p=2,a=4,h=2 --routing ugal-l --traffic uniform");
    assert!(load.stderr.contains("no fixed shares") && load.code == Some(2), "{}", load.stderr);
}
