//! Names and files at hand: a model with the host names of a real machine, jobs and
//! fabrics as other tools write them, tables for spreadsheets.

mod common;

use common::{Scratch, hopline};

const MODEL: &str = "map --topology torus:dims=2x2,slots=2 --traffic halo:grid=4x2 --mapping default";

fn refused(line: &str) -> String {
    let ran = hopline(line);
    assert_eq!(ran.code, Some(2), "{line}: {}", ran.stdout);
    ran.stderr
}

#[test]
fn rankfiles_have_the_names_that_were_given() {
    let scratch = Scratch::new("names");
    let hosts = scratch.write("hosts.txt", "node[05-07] slots=2\r\n# the last\r\nnode11\r\n");
    let ranks = scratch.path("ranks.txt");
    hopline(&format!("{MODEL} --names {} --export rankfile={}", hosts.display(), ranks.display())).done();
    let text = scratch.read("ranks.txt");
    let named = |rank: u32, host: &str| text.contains(&format!("rank {rank}={host} slot="));
    assert!(named(0, "node05") && named(2, "node06") && named(4, "node07") && named(7, "node11"), "{text}");
}

#[test]
fn with_fewer_names_only_named_hosts_run_tasks() {
    let text = hopline("load --topology torus:dims=4x4 --names n[01-08] --traffic alltoall").done();
    assert!(text.contains("8 tasks on 8 hosts"), "{text}");
    assert!(text.contains("note: 8 of 16 hosts have names: the others are there, but run no tasks"), "{text}");
    let error = refused("load --topology torus:dims=4x4 --names n[01-17] --traffic alltoall");
    assert!(error.contains("17 names, but torus:dims=4x4 has 16 hosts; choose a larger model"), "{error}");
    let error = refused("load --fabric testdata/fabrics/rack64 --names n[01-64] --traffic alltoall");
    assert!(error.contains("--names: ") && error.contains("has names of its own"), "{error}");
}

#[test]
fn exports_are_read_back() {
    let scratch = Scratch::new("forms");
    for (form, file) in [
        ("graphml", "f.graphml"),
        ("dot", "f.dot"),
        ("slurm-topology", "topology.conf"),
        ("topology-yaml", "topology.yaml"),
    ] {
        let path = scratch.path(file);
        let path = path.display();
        hopline(&format!("fabric export {form} --topology tree:arity=4x2x2 -o {path}")).done();
        let text = hopline(&format!("load --fabric {path} --traffic alltoall")).done();
        assert!(text.contains("16 tasks on 16 hosts"), "{form}: {text}");
    }
}

#[test]
fn tables_are_csv() {
    let lines = |line: &str| hopline(&format!("{line} --format csv")).done();
    let map = lines("map --topology torus:dims=2x2 --traffic alltoall --mapping default,random");
    let head = map.lines().next().unwrap_or_default();
    assert!(head.starts_with("mapping,") && head.contains(",throughput_gb_s,") && map.lines().count() == 3, "{map}");
    let load = lines("load --topology torus:dims=2x2 --traffic alltoall --hottest 99");
    assert_eq!(load.lines().count(), 9, "a head and eight links: {load}");
    assert!(lines("fabric show --topology torus:dims=2x2").starts_with("name,links,bandwidth_gb_s\r\n"));
    let hosts = lines("fabric show --hosts --topology full-mesh:n=2");
    assert!(
        hosts.starts_with("name,slots,endpoint,switch,port,class,bandwidth_gb_s\r\n") && hosts.lines().count() == 3,
        "{hosts}"
    );
    let lost = lines("fabric whatif --topology torus:dims=3x3 --without t1-1");
    assert!(
        lost.starts_with("list,") && lost.contains("\r\nhottest_before,") && lost.contains("\r\nhottest_after,"),
        "{lost}"
    );
    assert!(lines("list topology").contains("\r\ntopology,torus,"));
    let error = refused("explain torus --format csv");
    assert!(error.contains("--format csv: this command prints no table"), "{error}");
}
