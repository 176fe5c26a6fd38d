//! A file that a command reads is none that it writes, by whichever name.

use super::*;
use std::os::unix::fs::symlink;

const HALO: &str = "[topology]\nkind = \"torus\"\ndims = [8, 8]\n[traffic]\nkind = \"halo\"\ngrid = [8, 8]\n";

#[test]
fn outputs_never_replace_inputs() {
    let dir = Scratch::new("bad-targets");
    dir.write("job.toml", HALO);
    dir.write("m", "0,1\n1,0\n");
    dir.write("hosts", "node001\nnode002\n");
    dir.write("rounds.hosts", "node001\nnode002\n");
    dir.write("s.goal", "num_ranks 2\nrank 0 {\nl1: send 8b to 1\n}\nrank 1 {\nl1: recv 8b from 0\n}\n");
    dir.hopline("fabric export json --fabric testdata/fabrics/rack64 -o DIR/f.json").done();
    fs::create_dir(dir.path("rec")).expect("a directory");
    for rank in 0..4 {
        let name = format!("rank-{rank}.hop");
        fs::copy(root().join("testdata/recordings/ring-4").join(&name), dir.path("rec").join(&name)).expect("a stream");
    }
    symlink(dir.path("m"), dir.path("link")).expect("a link");
    fs::hard_link(dir.path("m"), dir.path("same")).expect("a link");
    let job = "--topology torus:dims=2 --traffic matrix:file=DIR/m";
    for (line, file, option) in [
        ("load DIR/job.toml --export dot=DIR/job.toml", "job.toml", "--export"),
        (&format!("load {job} --export graphml=DIR/link"), "m", "--export"),
        (&format!("map {job} --export hostfile=DIR/same"), "m", "--export"),
        (&format!("map {job} --export hostfile=DIR/out --export rankfile=DIR/m"), "m", "--export"),
        ("flits DIR/job.toml --series DIR/job.toml", "job.toml", "--series"),
        (
            &format!("power {RACK} --traffic halo:grid=1x2 --hosts DIR/hosts --export ibportstate=DIR/hosts"),
            "hosts",
            "--export",
        ),
        (&format!("collective broadcast {RACK} --hosts DIR/hosts --export rankfile=DIR/hosts"), "hosts", "--export"),
        (
            &format!("collective allgather {RACK} --hosts DIR/hosts --bound --export rankfile=DIR/hosts"),
            "hosts",
            "--export",
        ),
        ("replay --topology torus:dims=2 --schedule goal:file=DIR/s.goal --write DIR/s.goal", "s.goal", "--write"),
        (&format!("blame plan {RACK} --hosts DIR/hosts --export clusterkit=DIR/hosts"), "hosts", "--export"),
        (
            &format!("blame plan {RACK} --hosts DIR/rounds.hosts --export superbench=DIR/rounds"),
            "rounds.hosts",
            "--export",
        ),
        ("fabric export json --fabric DIR/f.json -o DIR/f.json", "f.json", "--output"),
        ("fabric import DIR/f.json -o DIR/f.json", "f.json", "--output"),
        ("record merge DIR/rec -o DIR/rec/rank-2.hop", "rec/rank-2.hop", "--output"),
    ] {
        let before = (dir.names(""), fs::read(dir.path(file)).expect(file));
        let ran = dir.hopline(line);
        complains(
            line,
            &ran,
            &format!("DIR/{file}: {option} would replace this file, which is read; write to another file"),
        );
        assert_eq!((dir.names(""), fs::read(dir.path(file)).expect(file)), before, "{line}");
    }
    // Pages and pictures replace only their own kind.
    for line in ["load DIR/job.toml --report DIR/job.toml", "report DIR/job.toml -o DIR/job.toml"] {
        complains(line, &dir.hopline(line), "`DIR/job.toml` is there already, and was not written by a report");
    }
    // What a command has written before is written again.
    for _ in 0..2 {
        dir.hopline(&format!("map {job} --export hostfile=DIR/out")).done();
    }
}

#[test]
fn folders_of_outputs_are_tried_before_the_work() {
    let dir = Scratch::new("bad-folders");
    for line in [
        "collective broadcast --topology torus:dims=4 --export rankfile=DIR/none/x",
        "collective broadcast --topology torus:dims=4 --bound --export rankfile=DIR/none/x",
        "blame plan --fabric testdata/fabrics/rack64 --export srun=DIR/none/x",
        "load --topology torus:dims=4 --traffic halo:grid=2x2 --export dot=DIR/none/x",
        "record merge testdata/recordings/ring-4 -o DIR/none/x",
        "fabric export json --fabric testdata/fabrics/rack64 -o DIR/none/x",
    ] {
        let ran = dir.hopline(line);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{line}: {}", ran.stderr);
        assert!(ran.stderr.contains("/none/x: No such file or directory"), "{line}: {}", ran.stderr);
    }
    let line = "collective broadcast --topology torus:dims=4 --export rankfil=DIR/x";
    complains(line, &dir.hopline(line), "--export: no decision file is called `rankfil`");
}

/// Neither takes the place of the other, by whichever name.
#[test]
fn files_that_two_options_write() {
    let dir = Scratch::new("bad-twice");
    let map = format!("map {JOB} --mapping default");
    for (line, expected) in [
        (
            format!("{map} --export rankfile=DIR/w --export hostfile=DIR/w"),
            "--export DIR/w: --export writes that file, too; ",
        ),
        (format!("{map} --export rankfile=DIR/w --export hostfile=DIR/./w"), "--export DIR/./w: --export writes"),
        (format!("load {JOB} --export dot=DIR/w --report DIR/w"), "-- .. DIR/w: -- .. writes that file, too"),
    ] {
        complains(&line, &dir.hopline(&line), expected);
        assert!(!dir.path("w").exists(), "{line}");
    }
    dir.hopline(&format!("{map} --export rankfile=DIR/w --export hostfile=DIR/h")).done();
}
