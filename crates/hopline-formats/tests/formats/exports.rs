//! Forms of a fabric for other tools: well-formed, whole, and for Slurm a tree.
use crate::common::words::check_words;
use crate::common::{data, fabric, skip};
use hopline::entry::Listed;
use hopline::fabric::{Builder, Fabric, LinkClass};
use hopline::format::{FabricSource, hostlist};
use hopline::id::{HostId, VertexId};
use hopline_formats::FABRIC_EXPORTS;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

fn export(form: &str, fabric: &Fabric) -> String {
    let form = FABRIC_EXPORTS.iter().find(|e| e.entry().name == form).unwrap();
    (form.write)(&FabricSource { fabric, lids: None, tables: None }).unwrap()
}

/// What a tool prints for this input, or `None` with a line that it is missing.
fn tool(command: &str, args: &[&str], input: &str) -> Option<String> {
    let started = Command::new(command).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = started else {
        skip(format!("{command} is not on this machine"));
        return None;
    };
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_string();
    let feed = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap().unwrap();
    assert!(output.status.success(), "{command} refuses it");
    Some(String::from_utf8(output.stdout).unwrap())
}

/// Names as real dumps have them, and worse.
fn odd() -> Fabric {
    let mut b = Builder::new("a \"b\" <c> & 'd' \\n \u{1b}[1m", 3, 1);
    let host = b.class(LinkClass::host(None));
    for (e, name) in ["it's \"so\" <#1> & more", "back\\slash\\", "\u{7}bell é"].iter().enumerate() {
        b.name(VertexId(e as u32), *name);
        b.cable(VertexId(e as u32), VertexId(3), host);
    }
    b.name(VertexId(3), "leaf;1]]>");
    b.level("a & b", None, |e| e / 2);
    b.host_per_endpoint(1);
    b.host("n1", Vec::new(), 0);
    b.finish().unwrap()
}

#[test]
fn every_form_has_its_words() {
    check_words(FABRIC_EXPORTS, "fabric-export");
}

#[test]
fn graphml_is_well_formed_and_whole() {
    const COUNT: &str = "import sys, xml.etree.ElementTree as t\n\
        n = '{http://graphml.graphdrawing.org/xmlns}'\n\
        g = t.parse(sys.stdin.buffer).getroot()\n\
        ids = {k.get('id') for k in g.iter(n + 'key')}\n\
        assert all(d.get('key') in ids for d in g.iter(n + 'data'))\n\
        print(len(list(g.iter(n + 'node'))), len(list(g.iter(n + 'edge'))))\n";
    for f in [odd(), fabric("file:testdata/fabrics/rack64").1, fabric("percs:ns=2,nd=2").1] {
        let Some(counts) = tool("python3", &["-c", COUNT], &export("graphml", &f)) else { return };
        let loops = f.link_ids().filter(|&l| f.reverse(l) == l).count();
        assert_eq!(counts.trim(), format!("{} {}", f.vertices(), (f.links() + loops) / 2), "{}", f.name());
    }
}

#[test]
fn graphviz_draws_it() {
    for f in [odd(), fabric("file:testdata/fabrics/lmc1-8").1] {
        let Some(svg) = tool("dot", &["-Tsvg"], &export("dot", &f)) else { return };
        assert_eq!(svg.matches("class=\"node\"").count(), f.vertices() as usize);
        assert_eq!(svg.matches("class=\"edge\"").count(), f.links() / 2);
    }
}

/// Switches of a topology.conf: name to (leaf?, children).
fn switches(conf: &str) -> Vec<(String, bool, Vec<String>)> {
    conf.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (name, children) = line.strip_prefix("SwitchName=").unwrap().split_once(' ').unwrap();
            let (kind, list) = children.split_once('=').unwrap();
            assert!(matches!(kind, "Nodes" | "Switches"), "{line}");
            (name.to_string(), kind == "Nodes", hostlist::expand(list).unwrap())
        })
        .collect()
}

/// Every node under one leaf, every switch under at most one and after its children.
fn assert_tree(f: &Fabric, roots: usize) {
    let conf = export("slurm-topology", f);
    let (mut free, mut nodes) = (BTreeSet::new(), BTreeSet::new());
    for (name, leaf, children) in switches(&conf) {
        for child in children {
            let fresh = if leaf { nodes.insert(child.clone()) } else { free.remove(&child) };
            assert!(fresh, "{}: {child} of {name} has another parent or none has it", f.name());
        }
        assert!(free.insert(name.clone()), "{}: two switches are called {name}", f.name());
    }
    assert_eq!(free.len(), roots, "{}: {free:?}", f.name());
    let hosts = f.hosts();
    let usable = (0..hosts.len()).map(HostId).filter(|&h| hosts.slot_count(h) > 0).map(|h| hosts.name(h).to_string());
    assert_eq!(nodes, usable.collect(), "{}", f.name());
    // The other file has the same tree.
    let yaml = export("topology-yaml", f);
    let told: BTreeMap<&str, &str> =
        conf.lines().filter_map(|l| l.strip_prefix("SwitchName=")?.split_once(' ')).collect();
    let names: Vec<&str> = yaml.lines().filter_map(|l| l.trim().strip_prefix("- switch: ")).collect();
    let below: Vec<&str> =
        yaml.lines().map(str::trim).filter(|l| l.starts_with("nodes: ") || l.starts_with("children: ")).collect();
    assert_eq!((names.len(), below.len()), (told.len(), told.len()));
    for (name, below) in names.iter().zip(below) {
        let below = below.replace("nodes: ", "Nodes=").replace("children: ", "Switches=").replace('"', "");
        assert_eq!(told.get(name.trim_matches('"')), Some(&below.as_str()));
    }
}

#[test]
fn slurm_gets_a_tree() {
    for spec in [
        "tree:arity=4x2x3",
        "tree:arity=3x1x2",
        "percs:ns=3,nd=2",
        "percs:ns=2,nd=1,hub=192",
        "dragonfly:p=2,a=4,h=2",
        "torus:dims=4x3",
        "file:testdata/fabrics/rack64",
        "file:testdata/fabrics/lmc1-8",
        "cray-xc:path=testdata/fabrics/xc-mini.interconnect",
    ] {
        assert_tree(&fabric(spec).1, 1);
    }
    for path in [
        "ranger-2011/ibnetdiscover.txt.gz",
        "avakas/ibnetdiscover-s-p.txt",
        "dgx-ndr/ibnetdiscover.txt",
        "theta-xc/theta.interconnect.gz",
        "simulated/fat-tree-324",
        "simulated/dragonfly-72",
    ] {
        if let Some(path) = data(&format!("fabrics/{path}")) {
            assert_tree(&fabric(&format!("file:{path}")).1, 1);
        }
    }
}

#[test]
fn slurm_gets_the_switches_of_a_cluster() {
    let conf = export("slurm-topology", &fabric("file:testdata/fabrics/rack64").1);
    assert!(conf.contains("\nSwitchName=leaf01_U1 Nodes=node[001-008]\n"), "{conf}");
    assert!(conf.contains("# root stands for spine01/U1, spine02/U1: Slurm wants one parent for each switch\n"));
    let tree = export("slurm-topology", &fabric("tree:arity=4x2x2").1);
    assert!(tree.ends_with("SwitchName=l2s1 Switches=l1s[2-3]\nSwitchName=l3s0 Switches=l2s[0-1]\n"), "{tree}");
    let dragonfly = export("slurm-topology", &fabric("dragonfly:p=2,a=4,h=2").1);
    assert!(dragonfly.ends_with("SwitchName=group-9 Switches=g8r[0-3]\nSwitchName=root Switches=group-[1-9]\n"));
    let error = (FABRIC_EXPORTS[3].write)(&FabricSource { fabric: &odd(), lids: None, tables: None });
    assert!(error.unwrap_err().to_string().contains("no host that Slurm takes as a node; names of nodes are"));
}
