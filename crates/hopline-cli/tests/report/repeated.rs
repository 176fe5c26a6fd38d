//! A page made again: by the command that it prints, or from JSON that carries its inputs.

use crate::common::Scratch;
use crate::{JOB, headings, page, whole};
use std::fs;

#[test]
fn a_result_is_enough_for_the_same_page() {
    let desk = Scratch::new("report-result");
    let lines = [
        format!("load {JOB}"),
        format!("map {JOB} --mapping default,greedy,random --seed 5"),
        "load --topology percs:ns=4,nd=2 --traffic halo:grid=16x32 --mapping row --routing indirect".to_string(),
        "flits --topology dragonfly:p=2,a=4,h=2 --traffic uniform --load 0.1,0.5 --cycles 400".to_string(),
        "replay --topology full-mesh:n=4 --schedule halo-steps:grid=2x2 --bin 1000 --critical 4".to_string(),
        "power --topology torus:dims=4x4 --traffic halo:grid=4x4 --list 3".to_string(),
        "fabric whatif --fabric testdata/fabrics/rack64 --each switch".to_string(),
        "fabric whatif --fabric testdata/fabrics/rack64 --without leaf01/U1[36]".to_string(),
        "collective broadcast --topology tree:arity=4x2 --size 1K,64K --order default,dft".to_string(),
        "fabric show --fabric testdata/fabrics/rack64 --switches".to_string(),
        "record merge testdata/recordings/ring-4-aborted".to_string(),
    ];
    for line in lines {
        let printed = desk.hopline(&format!("{line} --format json --report DIR/own.html"));
        assert_eq!(printed.code, Some(0), "{line}: {}", printed.stderr);
        let file = desk.write("result.json", &printed.stdout);
        let again = page(&desk, &format!("report {}", file.display()));
        whole(&again);
        assert!(headings(&again).len() > 2, "{line}");
        assert!(again == desk.read("own.html"), "{line}: another page than from --report");
    }
}

/// The command on a page, run again, gives the same answer, whatever a scenario does not hold.
#[test]
fn the_command_on_a_page_asks_for_the_same_again() {
    let desk = Scratch::new("report-again");
    let rack = "testdata/fabrics/rack64";
    let lines = [
        format!("fabric whatif --fabric {rack} --each leaf --hottest 2"),
        format!("fabric diff {rack} {rack} --list 3"),
        "power --topology torus:dims=4x4 --schedule app:halo-steps:grid=4x4 --policy static,learn --connected"
            .to_string(),
        "replay --topology full-mesh:n=4 --schedule halo-steps:grid=2x2 --bin 1000 --critical 4".to_string(),
        "compare --topology torus:dims=4x4 --topology full-mesh:n=16 --traffic halo:grid=4x4 --prices port=9"
            .to_string(),
        "collective allgather --topology tree:arity=4x2 --bound --size 1M --switches copy,reduce".to_string(),
        format!("fabric route --fabric {rack} node003 node060 --paths 2"),
        format!("blame expect --fabric {rack} --alltoall node[001-008]"),
    ];
    for line in lines {
        let json = desk.hopline(&format!("{line} --format json --report DIR/page.html"));
        let page = desk.read("page.html");
        let command =
            page.split("<pre>hopline ").nth(1).and_then(|rest| rest.split("</pre>").next()).expect("a command");
        let again = desk.hopline(&format!("{} --format json", command.replace('\'', "").replace("&#39;", "")));
        assert_eq!(again.stdout, json.stdout, "{line}: {command}");
    }
}

/// What a result carries is enough where its files are not.
#[test]
fn a_result_that_carries_its_inputs_is_drawn_without_them() {
    let desk = Scratch::new("report-carried");
    desk.hopline("fabric export json --fabric testdata/fabrics/rack64 -o DIR/here.json").done();
    desk.write("m.csv", "0,8,0,0\n0,0,1,0\n0,0,0,1\n1,0,0,0\n");
    let line = "map --fabric DIR/here.json --traffic matrix:file=DIR/m.csv --hosts first:4 --mapping default,greedy";
    let printed = |more: &str| desk.hopline(&format!("{line} --format json {more}")).stdout;
    let here = desk.path("").to_str().expect("UTF-8").trim_end_matches('/').to_string();
    desk.write("carried.json", printed("--with-inputs").replace("DIR", &here));
    desk.write("bare.json", printed("").replace("DIR", &here));
    let first_page = page(&desk, "report DIR/carried.json");
    ["here.json", "m.csv"].iter().for_each(|name| fs::remove_file(desk.path(name)).expect("a file"));
    assert!(page(&desk, "report DIR/carried.json") == first_page, "the same without the files");
    assert!(first_page.contains("class=\"net\""));
    let bare = page(&desk, "report DIR/bare.json");
    assert!(bare.contains("with --with-inputs the JSON would hold its files") && !bare.contains("class=\"net\""));
    let damaged = desk.read("carried.json").replacen("H4sI", "H4s?", 1);
    desk.write("damaged.json", damaged);
    assert!(page(&desk, "report DIR/damaged.json").contains("no base64"));
    assert_eq!(desk.hopline(&format!("{line} --with-inputs")).code, Some(2), "JSON alone holds them");
}
