//! What Hopline writes of a fabric it reads; and what other tools write.
use crate::common::{damage::Random, data, fabric, root, skip};
use hopline::entry::Listed;
use hopline::fabric::Fabric;
use hopline::files::Memory;
use hopline::format::{FabricImport, FabricSource, ReadFabric};
use hopline::id::{HostId, LinkId, VertexId};
use hopline::plan::{Network, Plan};
use hopline::run;
use hopline::scenario::Scenario;
use hopline::{event::Silent, topology};
use hopline_formats::{AnyForm, FABRIC_EXPORTS, FABRIC_IMPORTS};
use std::collections::BTreeMap;

pub(crate) fn export(form: &str, fabric: &Fabric) -> String {
    let form = FABRIC_EXPORTS.iter().find(|e| e.entry().name == form).unwrap();
    (form.write)(&FabricSource { fabric, lids: None, tables: None }).unwrap()
}

/// The library's forms and those of this crate.
fn forms() -> impl Iterator<Item = &'static FabricImport> {
    hopline::format::FABRIC_IMPORTS.iter().chain(FABRIC_IMPORTS)
}

/// Reads a text as `--fabric` does: by its content.
pub(crate) fn import(text: &str) -> hopline::error::Result<(&'static str, Fabric)> {
    let form = forms().find(|form| (form.begins)(text)).expect("a known form");
    (form.read)("f", text).map(|ReadFabric { machine, .. }| (form.name, machine.fabric))
}

pub(crate) fn refused(text: &str) -> String {
    import(text).err().map(|e| e.to_string()).unwrap_or_else(|| panic!("read: {text}"))
}

pub(crate) fn names(f: &Fabric) -> Vec<&str> {
    (0..f.vertices()).map(|v| f.vertex_name(VertexId(v))).collect()
}

/// Everything that a graph with attributes carries.
fn assert_same(f: &Fabric, back: &Fabric, what: &str) {
    assert_eq!(f.name().replace(char::is_control, "\u{fffd}"), back.name(), "{what}");
    assert_eq!((f.endpoints(), f.links()), (back.endpoints(), back.links()), "{what}");
    assert_eq!(
        names(f).join("\n").replace(|c: char| c.is_control() && c != '\n', "\u{fffd}"),
        names(back).join("\n"),
        "{what}"
    );
    for l in f.link_ids() {
        let of = |f: &Fabric| (f.source(l), f.target(l), f.reverse(l), f.port(l), f.class_of(l).clone());
        assert_eq!(of(f), of(back), "{what} link {l}");
    }
    for v in (0..f.vertices()).map(VertexId) {
        assert_eq!(f.guid(v), back.guid(v), "{what}");
    }
    let hosts = |f: &Fabric| -> BTreeMap<String, (Vec<VertexId>, u32)> {
        let all = (0..f.hosts().len()).map(HostId).filter(|&h| !f.hosts().endpoints(h).is_empty());
        all.map(|h| (f.hosts().name(h).to_string(), (f.hosts().endpoints(h).to_vec(), f.hosts().slot_count(h))))
            .collect()
    };
    assert_eq!(hosts(f), hosts(back), "{what}");
    assert_eq!(f.levels(), back.levels(), "{what}");
    assert_eq!((f.coordinates(), f.hosts().rails()), (back.coordinates(), back.hosts().rails()), "{what}");
}

pub(crate) fn machines() -> Vec<Fabric> {
    let more = [
        "percs:ns=3,nd=2,hub=192",
        "tree:arity=2x3x2,distance=1x10x100,slots=3",
        "torus:dims=4x3x2",
        "dragonfly:p=2,a=4,h=2,local_latency=3",
        "file:testdata/fabrics/rack64,rails=affine",
        "file:testdata/fabrics/lmc1-8,rails=0",
        "full-mesh:n=4,names=n[01-03]",
        "omega:k=2,n=3",
    ];
    let listed = topology::LIST.iter().map(|family| family.entry().example);
    listed.chain(more).map(|spec| fabric(spec).1).collect()
}

#[test]
fn graphs_come_back_as_they_were() {
    for f in machines() {
        for form in ["graphml", "dot"] {
            let what = format!("{} as {form}", f.name());
            let text = export(form, &f);
            let (found, back) = import(&text).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(found, form, "{what}");
            assert_same(&f, &back, &what);
            // DOT's colours go by the order of the classes, here that of their first cables.
            assert!(form == "dot" || export(form, &back) == text, "{what}: the same bytes again");
        }
    }
}

#[test]
fn real_machines_come_back() {
    for path in ["ranger-2011/ibnetdiscover.txt.gz", "dgx-ndr/ibnetdiscover.txt", "simulated/mixed-speeds", "avakas"] {
        let Some(path) = data(&format!("fabrics/{path}")) else { continue };
        let f = fabric(&format!("file:{path},tables=none")).1;
        for form in ["graphml", "dot"] {
            assert_same(&f, &import(&export(form, &f)).unwrap().1, &format!("{path} as {form}"));
        }
    }
}

#[test]
fn graphs_of_other_tools_are_read() {
    // What NetworkX writes of a DiGraph with both directions.
    let graphml = "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <key id=\"d1\" for=\"edge\" attr.name=\"bandwidth\" attr.type=\"string\" />\n\
        <key id=\"d0\" for=\"node\" attr.name=\"type\" attr.type=\"string\"><default>switch</default></key>\n\
        <graph edgedefault=\"directed\">\n<edge source=\"h1\" target=\"s\"><data key=\"d1\">100Gb/s</data></edge>\n\
        <node id=\"h1\"><data key=\"d0\">server</data></node>\n<node id=\"h2\"><data key=\"d0\">server</data></node>\n<node id=\"s\" />\n\
        <edge source=\"s\" target=\"h1\" /><edge source=\"s\" target=\"h2\" />\n<edge source=\"h2\" target=\"s\" />\n</graph></graphml>";
    let f = import(graphml).unwrap().1;
    assert_eq!((names(&f).join(" "), f.endpoints(), f.links()), ("h1 h2 s".into(), 2, 4));
    assert_eq!(f.class_of(LinkId(0)).bandwidth.unwrap().as_gb_s(), 12.5);
    for (text, vertices, endpoints, links) in [
        ("strict graph  {\na;\nb;\na -- b  [speed=\"200 Gbps\"];\nb -- c; /* x */ c -- a\n}", 3, 3, 6),
        (
            "digraph \"g\" { // hosts\n node [kind=host]; h1, h2; node [kind=spine]\n {h1 h2} -> s [bandwidth=10] }",
            3,
            2,
            4,
        ),
        (
            "graph { subgraph cluster_0 { label=rack; h1 -- s1; h2 -- s1 }; s1 -- s2 [label=<a <b>x</b>>]; s2:w -- h3:\"e\" }",
            5,
            3,
            8,
        ),
        ("#pre\ngraph g{rankdir=LR a--{b;c}--d}", 4, 4, 8),
        ("graph { \"a\\\"b\" -- \"c\" + \"d\" }", 2, 2, 2),
    ] {
        let (form, f) = import(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!((form, f.vertices(), f.endpoints(), f.links()), ("dot", vertices, endpoints, links), "{text}");
    }
    let f = import("graph { a -- b; b -- c; c -- a }").unwrap().1;
    assert_eq!(
        f.notes(),
        [
            "no node has a kind: each is taken as a router with a host",
            "no edge has a bandwidth: links between switches have 1 GB/s, host links no limit",
            "no node has slots: every host takes one task, slots= changes that",
        ]
    );
}

#[test]
fn attributes_that_are_nearly_right_are_named() {
    let notes = |text: &str| import(text).unwrap().1.notes().join("; ");
    let said = "edges have `bandwith`, which says nothing here: is `bandwidth` meant?";
    assert!(notes("graph { a -- b [bandwith=10]; b -- c }").contains(said));
    for usual in ["penwidth", "label", "weight", "len", "headport", "linkspeed", "Capacity"] {
        assert!(!notes(&format!("graph {{ a -- b [{usual}=10]; b -- c }}")).contains("meant"), "{usual}");
    }
}

#[test]
fn wrong_graphs_name_their_line() {
    let xml = |inside: &str| format!("<graphml>\n<graph>\n{inside}</graph></graphml>");
    for (text, error) in [
        ("<graphml>\n<graph>\n".to_string(), "f:"),
        ("<graphml/>".into(), "f: no <graph> in it"),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><graphml/>".into(), "f:1: "),
        (xml(""), "f: 0 nodes and 0 edges, expected a network"),
        (xml("<node/>"), "f:3: a node without an id"),
        (xml("<node id='a'/>\n<node id='a'/>"), "f:4: two nodes have the id `a`"),
        (xml("<node id='a'/>\n<edge source='a' target='b'/>"), "f:4: no node has the id `b`"),
        (xml("<node id='a'/>\n<node id='b'><graph/></node>"), "f:4: node `b` holds a graph of its own"),
        (xml("<node id='a'/>\n<hyperedge/>"), "f:4: a hyperedge"),
        (
            "graph {\n a -- b [bandwidth=fast]\n}".into(),
            "f:2: expected a bandwidth such as 10, 10GB/s or 200Gb/s, found `fast`",
        ),
        ("graph { a [kind=cow]\n a -- b }".into(), "f:1: the kind of `a` is `cow`"),
        ("graph { a [kind=switch]; a -- b }".into(), "f:1: every node is a switch"),
        ("graph {\n a -- a }".into(), "f:2: an edge from a node to itself"),
        ("digraph {\n a -> b; b -> a;\n a -> c }".into(), "f:3: an edge `a` -> `c` without one back"),
        ("graph {\n a -- b".into(), "f:2: found the end of the file, expected `}`"),
        ("graph {\n a -- \"b".into(), "f:2: a quote that is not closed"),
        ("graph {\n a -- /* b".into(), "f:2: a comment that is not closed"),
        ("graph {\n a -- b [x".into(), "f:2: found the end of the file, expected a name"),
        ("graph {\n a -- }".into(), "f:2: found `}`, expected a name"),
        ("graph {\n a -- b [port_source=70000] }".into(), "f:2: port_source is `70000`, expected a port"),
        (
            "graph {\n a -- b [port_source=1,port_target=1]\n a -- c [port_source=1,port_target=1]}".into(),
            "f:3: port 1 of this end",
        ),
        ("graph {\n a [slots=x]; a -- b }".into(), "f:2: `x` slots"),
        ("graph {\n coordinates=9x9; a -- b }".into(), "f: coordinates are `9x9`, expected extents of 2"),
        ("graph {\n a [level_rack=1]; a -- b }".into(), "f:2: an endpoint has no level_`rack`"),
        ("graph {\n a [label=x]; b [label=x]; a -- b }".into(), "f:2: two nodes are called `x`"),
    ] {
        let found = refused(&text);
        assert!(found.starts_with(error) && !found.contains('\n'), "{text}\n{found}");
    }
    assert!(refused(&format!("graph {}", "{".repeat(1000))).contains("subgraphs in more than"));
    let many =
        format!("graph {{ {{{}}} -- {{{}}} }}", "a ".repeat(3), (0..9).map(|i| format!("b{i} ")).collect::<String>());
    assert_eq!(import(&many).unwrap().1.links(), 18);
}

/// Whatever can be read can be looked at, written in every form and loaded, or is refused.
pub(crate) fn runs_hold(text: &str) {
    let files = AnyForm(Memory([("fuzz".to_string(), text.as_bytes().to_vec())].into()));
    let scenario = Scenario::default().topology("file:fuzz").unwrap().traffic("alltoall").unwrap();
    let Ok(network) = Network::new(&scenario, &files) else { return };
    let _ = (run::show(&network), run::check(&network));
    for form in FABRIC_EXPORTS {
        if let Ok(text) = run::export(&network, form) {
            import(&text).map(drop).unwrap_or_else(|e| panic!("{}: {e}\n{text}", form.entry().name));
        }
    }
    if let Ok(plan) = Plan::new(&scenario, &files) {
        let _ = run::load(&plan, 3, &mut Silent);
    }
}

#[test]
fn damaged_files_never_panic() {
    let rounds: usize = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let machine = fabric("tree:arity=2x2x2,distance=1x10x100").1;
    let mut samples: Vec<String> =
        ["graphml", "dot", "slurm-topology", "topology-yaml"].iter().map(|form| export(form, &machine)).collect();
    samples.extend(["topograph-nvl72.yaml", "infragraph-clos.yaml", "ufm-links-described.json"].map(other));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut refused, mut read) = (0, 0);
    for round in 0..rounds {
        let mut bytes = samples[round % samples.len()].as_bytes().to_vec();
        (0..=random.below(4)).for_each(|_| random.damage(&mut bytes));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for form in forms() {
            let begins = (form.begins)(&text);
            match (form.read)("fuzz", &text) {
                Ok(_) if begins => {
                    runs_hold(&text);
                    read += 1;
                }
                Ok(_) => {}
                Err(e) => {
                    assert!(e.is_input() && e.to_string().starts_with("fuzz") && !e.to_string().contains('\n'), "{e}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > rounds / 2 && read > rounds / 100, "{refused} refused, {read} read");
}

pub(crate) fn other(name: &str) -> String {
    std::fs::read_to_string(format!("{}/testdata/fabrics/others/{name}", root())).unwrap()
}

#[test]
fn dumps_are_none_of_these() {
    let dump = hopline::files::read_text(
        &hopline::files::Disk,
        &format!("{}/testdata/fabrics/rack64/ibnetdiscover.txt", root()),
    );
    let Ok(dump) = dump else { return skip("no dump beside the tests".to_string()) };
    assert!(forms().all(|form| !(form.begins)(&dump)));
}
