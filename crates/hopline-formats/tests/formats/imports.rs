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
use std::collections::{BTreeMap, BTreeSet};

fn export(form: &str, fabric: &Fabric) -> String {
    let form = FABRIC_EXPORTS.iter().find(|e| e.entry().name == form).unwrap();
    (form.write)(&FabricSource { fabric, lids: None, tables: None }).unwrap()
}

/// The library's forms and those of this crate.
fn forms() -> impl Iterator<Item = &'static FabricImport> {
    hopline::format::FABRIC_IMPORTS.iter().chain(FABRIC_IMPORTS)
}

/// Reads a text as `--fabric` does: by its content.
fn import(text: &str) -> hopline::error::Result<(&'static str, Fabric)> {
    let form = forms().find(|form| (form.begins)(text)).expect("a known form");
    (form.read)("f", text).map(|ReadFabric { machine, .. }| (form.name, machine.fabric))
}

fn refused(text: &str) -> String {
    import(text).err().map(|e| e.to_string()).unwrap_or_else(|| panic!("read: {text}"))
}

fn names(f: &Fabric) -> Vec<&str> {
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

fn machines() -> Vec<Fabric> {
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

/// Slurm's files carry hosts, the leaf of each, and which leaves belong together.
#[test]
fn trees_of_slurm_come_back() {
    for f in machines() {
        let conf = export("slurm-topology", &f);
        for form in ["slurm-topology", "topology-yaml"] {
            let what = format!("{} as {form}", f.name());
            let (found, back) = import(&export(form, &f)).unwrap_or_else(|e| panic!("{what}: {e}"));
            assert_eq!(found, form, "{what}");
            let body = |text: &str| {
                text.lines().filter(|line| !line.starts_with('#')).map(String::from).collect::<BTreeSet<_>>()
            };
            let again = export("slurm-topology", &back);
            let leaves =
                |text: &str| body(text).into_iter().filter(|line| line.contains(" Nodes=")).collect::<BTreeSet<_>>();
            assert_eq!(leaves(&again), leaves(&conf), "{what}");
            assert_eq!(body(&again).len(), body(&conf).len(), "{what}: as many switches\n{conf}\n{again}");
            assert!(back.notes().iter().any(|note| note.contains("1 GB/s")), "{what}: {:?}", back.notes());
        }
    }
}

#[test]
fn what_slurm_documents_is_read() {
    let conf = "\u{feff}# two racks\r\nSwitchName=s0 Nodes=node[0-1] LinkSpeed=100\r\nswitchname=s1 nodes=node[2-3]\r\n\
                SwitchName=top \\\r\n Switches=s[0-1]\r\n";
    let f = import(conf).unwrap().1;
    assert_eq!(names(&f).join(" "), "node0 node1 node2 node3 s0 s1 top");
    assert_eq!(f.levels().iter().map(|l| (l.name.as_str(), l.parts)).collect::<Vec<_>>(), [("leaf", 2)]);
    assert!(f.notes().iter().any(|note| note == "left out of topology.conf: LinkSpeed"), "{:?}", f.notes());
    // The example of topology.yaml's manual: a tree, blocks and a flat topology.
    let yaml = "---\n- topology: topo1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: sw_root\n        children: s[1-2]\n\
                \x20     - switch: s1\n        nodes: node[01-02]\n      - switch: s2\n        nodes: node[03-04]\n\
                - topology: topo2\n  cluster_default: false\n  block:\n    block_sizes:\n      - 4\n      - 16\n    blocks:\n\
                \x20     - block: b1\n        nodes: node[01-04]\n      - block: b2\n        nodes: node[05-08]\n\
                - topology: topo3\n  cluster_default: false\n  flat: true\n";
    let f = import(yaml).unwrap().1;
    assert_eq!(names(&f).join(" "), "node01 node02 node03 node04 sw_root s1 s2");
    assert!(f.notes().iter().any(|note| note == "topology topo1 is read; left out: topo2, topo3"), "{:?}", f.notes());
    let blocks = import(&yaml.replace("cluster_default: true", "cluster_default: no").replacen(
        "cluster_default: false",
        "cluster_default: true",
        1,
    ));
    assert_eq!(
        names(&blocks.unwrap().1).join(" "),
        "node01 node02 node03 node04 node05 node06 node07 node08 b1 b2 blocks"
    );
    let conf = import("BlockName=b1 Nodes=n[1-2]\nBlockName=b2 Nodes=n[3-4]\nBlockSizes=2,4\n").unwrap().1;
    assert_eq!(names(&conf).join(" "), "n1 n2 n3 n4 b1 b2 blocks");
    // A Dragonfly: leaves that list each other; and a node with two adapters.
    let f =
        import("SwitchName=a Nodes=n[1-2] Switches=b,c\nSwitchName=b Nodes=n3 Switches=a,c\nSwitchName=c Nodes=n1\n")
            .unwrap()
            .1;
    assert_eq!((f.links(), f.hosts().len(), f.hosts().most_rails()), (2 * (4 + 3), 3, 2));
}

#[test]
fn wrong_files_of_slurm_name_their_line() {
    for (text, error) in [
        ("SwitchName=a Nodes=n[1-\n", "f:1: found `n[1-`, expected brackets"),
        ("SwitchName=a Nodes=n1\nSwitchName=b Switches=c\n", "f:2: no switch is called `c`"),
        ("SwitchName=a Nodes=n1\nNodes=n2\n", "f:2: a line without a name"),
        ("SwitchName=a Nodes=n1\nInclude other\n", "f:2: found `Include`, expected KEY=VALUE"),
        ("SwitchName=a\n", "f: no node in it"),
        ("SwitchName=a Nodes=a\n", "f:1: two nodes are called `a`"),
        ("SwitchName=a Nodes=n1 Switches=a\n", "f:1: an edge from a node to itself"),
        ("- topology: t\n  flat: true\n", "f:1: topology `t` is neither tree nor block"),
        ("- topology: t\n  tree:\n    switches:\n      - nodes: n1\n", "f:4: no `switch:`"),
        ("- topology: t\n  tree:\n    switches:\n      - switch: a\n        nodes: n[1\n", "f:5: found `n[1`"),
        ("- topology: t\n  tree: &x\n", "f:2: found `&x`, expected a plain word"),
    ] {
        let found = refused(text);
        assert!(found.starts_with(error), "{found}");
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
fn runs_hold(text: &str) {
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
    let rounds: usize = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
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

/// The same machine from iblinkinfo, in both its forms: names, hosts, ports and bandwidths are those of ibnetdiscover.
#[test]
fn iblinkinfo_tells_the_same_cables() {
    let file = |name: &str| std::fs::read_to_string(format!("{}/testdata/fabrics/lmc1-8/{name}", root())).unwrap();
    let cables = |f: &Fabric| -> BTreeSet<String> {
        let of = |l: LinkId| format!("{} {:?}", f.link_name(l), f.class_of(l).bandwidth);
        f.link_ids().map(of).collect()
    };
    let whole = fabric("file:cables=testdata/fabrics/lmc1-8/ibnetdiscover.txt").1;
    for name in ["iblinkinfo.txt", "iblinkinfo_line.txt"] {
        let (form, f) = import(&file(name)).unwrap();
        assert_eq!((form, f.endpoints(), f.switches()), ("iblinkinfo", whole.endpoints(), whole.switches()));
        assert_eq!(cables(&f), cables(&whole), "{name}");
        assert_eq!(f.hosts().find("node005").map(|h| f.hosts().slot_count(h)), Some(1));
    }
    let broken = file("iblinkinfo.txt").replace("==(                Down/", "==( 4X 10.0 Gbps Active/ LinkUp/");
    assert!(refused(&broken).contains("expected a LID and a port behind the link"), "{}", refused(&broken));
}

/// What reduces inside a switch (SHARP) and adapters that no host has named yet run no tasks, whoever tells of them.
#[test]
fn aggregation_nodes_are_no_hosts() {
    const SHARP: &str = "Mellanox Technologies Aggregation Node";
    let ufm = |n: u32, name: &str| {
        format!(
            "{{\"source_guid\":\"a{n}\",\"source_port\":\"1\",\"destination_guid\":\"b0\",\"destination_port\":\"{n}\",\
             \"source_port_node_description\":\"{name}\",\"destination_port_node_description\":\"leaf01:{n}\"}}"
        )
    };
    let row = |n: u32, name: &str| {
        format!("0xb0 \"leaf01\" 100 {n}[  ] ==( 4X 53.125 Gbps Active/ LinkUp)==> 0xa{n} {n} 1[  ] \"{name}\" ( )\n")
    };
    let names = ["node01 mlx5_0", "node02 mlx5_0", SHARP, "MT4129 ConnectX7   Mellanox Technologies"];
    let links: Vec<String> = names.iter().zip(1..).map(|(name, n)| ufm(n, name)).collect();
    let rows: String = names.iter().zip(1..).map(|(name, n)| row(n, name)).collect();
    for text in [format!("[{}]", links.join(",")), rows] {
        let (form, f) = import(&text).unwrap();
        let hosts: Vec<&str> = (0..f.hosts().len()).map(|h| f.hosts().name(HostId(h))).collect();
        assert_eq!((f.endpoints(), hosts), (4, vec!["node01", "node02"]), "{form}");
        let told = format!("endpoints that name no host and so run no tasks: 2 (`{SHARP}`, ...)");
        assert!(f.notes().contains(&told), "{form}: {:?}", f.notes());
    }
}

fn other(name: &str) -> String {
    std::fs::read_to_string(format!("{}/testdata/fabrics/others/{name}", root())).unwrap()
}

/// What NVIDIA's topograph reads, of now and before, and what it writes.
#[test]
fn models_of_topograph_and_their_output_are_read() {
    let (form, f) = import(&other("topograph-nvl72.yaml")).unwrap();
    assert_eq!((form, f.endpoints(), f.switches(), f.hosts().len()), ("topograph", 72, 7, 72));
    assert_eq!(f.levels().iter().map(|l| (l.name.as_str(), l.parts)).collect::<Vec<_>>(), [("leaf", 4), ("tier2", 2)]);
    assert!(f.hosts().find("node2118").is_some());
    assert!(
        f.notes().iter().any(|note| note.starts_with("left out: 4 accelerator domains (nvl-1-1, ")),
        "{:?}",
        f.notes()
    );
    let before = "switches:\n- name: top\n  switches: [a,b]\n- name: a\n  capacity_blocks: [cb1]\n- name: b\n  capacity_blocks: [cb2]\n\
                  capacity_blocks:\n- name: cb1\n  nvlink: nvl1\n  nodes: [\"n1\",\"n2\"]\n- name: cb2\n  nodes: [n3]\n";
    let f = import(before).unwrap().1;
    assert_eq!(names(&f).join(" "), "n1 n2 n3 top a b");
    for (text, error) in [
        (
            "switches:\n  a:\n    switches:\n    - b\nblocks:\n- switch: c\n  nodes: [n1]\n",
            "f:6: no switch is called `c`",
        ),
        ("switches:\n  a: {}\nblocks:\n- nodes: [n1]\n", "f:4: a block without `switch:`"),
        ("switches:\n  a: {}\nblocks:\n- switch: a\n  nodes:\n    x: 1\n", "f:6: expected a list of names"),
        ("switches:\n  a: {}\nblocks:\n- switch: a\n  nodes: [n1-\n", "f:5: "),
        ("switches:\n  a: {}\nblocks:\n- switch: a\n", "f: no node in it"),
    ] {
        let found = refused(text);
        assert!(found.starts_with(error), "{found}");
    }
    // Its output by partition has a flat topology for the others, of blocks the domains in comments.
    let yaml = "- topology: default\n  cluster_default: true\n  flat: true\n- topology: gb200\n  cluster_default: false\n  block:\n\
                \x20   block_sizes: [18, 36]\n    blocks:\n    - block: nvl1\n      nodes: n[1-18]\n    - block: nvl2\n      nodes: n[19-36]\n";
    let f = import(yaml).unwrap().1;
    assert_eq!((f.hosts().len(), f.switches()), (36, 3));
    assert!(f.notes().iter().any(|note| note == "topology gb200 is read; left out: default"), "{:?}", f.notes());
    let conf = "# block001=nvl1\nBlockName=block001 Nodes=n[1-2]\n# block002=nvl2\nBlockName=block002 Nodes=n[3-4]\nBlockName=block003\nBlockSizes=2,4\n";
    assert_eq!(import(conf).unwrap().1.hosts().len(), 4);
}

/// Hosts and the network between them in one file: what is in a host becomes its inside.
#[test]
fn infragraph_tells_hosts_and_their_network() {
    let (form, f) = import(&other("infragraph-clos.yaml")).unwrap();
    // Four servers of two GPUs and two adapters, a leaf each, three spines.
    assert_eq!((form, f.endpoints(), f.hosts().len(), f.hosts().slots()), ("infragraph", 8, 4, 8));
    let outside = f.outside().unwrap();
    let rates: BTreeSet<String> =
        outside.fabric().classes().iter().map(|c| format!("{:?}", c.bandwidth.map(|b| b.as_gb_s()))).collect();
    assert_eq!(rates.into_iter().collect::<Vec<_>>(), ["Some(12.5)", "Some(50.0)"]);
    assert_eq!(
        (outside.fabric().endpoints(), outside.fabric().switches(), outside.fabric().links()),
        (8, 7, 2 * (8 + 12))
    );
    assert_eq!(outside.inside().adapters().len(), 2);
    let f = import(&other("infragraph-dgx-h100.yaml")).unwrap().1;
    let inside = f.outside().unwrap().inside();
    assert_eq!((inside.processors().len(), inside.adapters().len()), (8, 8));
    // 18 NVLinks of generation 4 as NCCL counts them, over all NVSwitches.
    let nvlink: Vec<f64> = inside
        .wires
        .iter()
        .filter(|w| w.medium == hopline::fabric::Medium::NvLink)
        .map(|w| w.bandwidth.as_gb_s())
        .collect();
    assert!(nvlink.len() == 8 && nvlink.iter().all(|rate| (rate - 370.8).abs() < 1e-6), "{nvlink:?}");
    let pcie = |a: &str, b: &str| {
        let name = |at: u32| inside.parts[at as usize].name.as_str();
        inside.wires.iter().find(|w| w.ends.map(name) == [a, b]).map(|w| w.bandwidth.as_gb_s())
    };
    assert_eq!((pcie("pciesl0", "xpu0"), pcie("xpu0", "pciesl0")), (None, Some(48.0)));
    assert!(f.notes().iter().any(|note| note
        == "InfraGraph tells no bandwidth of cpu_fabric, pcie, xpu_fabric: what NCCL assumes of such links is taken"));
    runs_hold(&other("infragraph-clos.yaml"));
    runs_hold(&other("infragraph-dgx-h100.yaml"));
}

#[test]
fn infragraph_s_devices_in_devices_slices_and_schemes_are_read() {
    let device = "devices:\n- name: host\n  components:\n  - {name}\n  - name: xpu\n    choice: xpu\n    count: 4\n  - name: cx\n    choice: device\n    count: 4\n\
        \x20 edges:\n  - ep1: \n      component: xpu[0:4]\n    ep2:\n      component: cx.bus[0]\n    scheme: one2one\n    link: pcie\n\
        \x20 - ep1:\n      component: xpu\n    ep2:\n      component: xpu\n    scheme: ring\n    link: nvlink\n\
        \x20 links:\n  - name: pcie\n    physical:\n      bandwidth:\n        choice: gigatransfers_per_second\n        gigatransfers_per_second: 16\n\
        \x20 - name: nvlink\n    physical:\n      bandwidth:\n        gigabytes_per_second: 50\n\
        - name: cx\n  components:\n  - name: bus\n    choice: custom\n  - name: port\n    choice: port\n    count: 2\n  edges:\n\
        \x20 - ep1:\n      component: bus\n    ep2:\n      component: port\n    scheme: many2many\n    link: x\n\
        - name: box\n  components:\n  - name: port\n    choice: port\n    count: 64\n";
    let whole = |edges: &str| {
        let instances = "instances:\n- name: h\n  device: host\n  count: 2\n- name: sw\n  device: box\n";
        device.replace("  - {name}\n", "") + instances + "edges:\n" + edges
    };
    let edge = |component: &str, port: &str| {
        format!(
            "- ep1:\n    instance: h\n    component: {component}\n  ep2:\n    instance: sw\n    component: {port}\n  scheme: one2one\n  link: eth\n"
        )
    };
    let f = import(&whole(&edge("cx[0:4].port[0]", "port[0:8]"))).unwrap().1;
    let inside = f.outside().unwrap().inside();
    let names: Vec<&str> = inside.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names[..7], ["xpu0", "xpu1", "xpu2", "xpu3", "cx0.bus0", "cx0.port0", "cx0.port1"]);
    assert_eq!((inside.adapters().len(), f.endpoints()), (4, 8));
    let rates =
        |medium| inside.wires.iter().filter(|w| w.medium == medium).map(|w| w.bandwidth.as_gb_s()).collect::<Vec<_>>();
    assert_eq!(rates(hopline::fabric::Medium::NvLink), [50.0; 4]);
    assert_eq!(rates(hopline::fabric::Medium::Pcie).iter().filter(|rate| (**rate - 31.508).abs() < 1e-3).count(), 4);
    for (text, error) in [
        (whole(&edge("nic[0]", "port[0]")), "no component is called `nic`"),
        (whole(&edge("xpu[0]", "port[0]")), "`xpu0` of `h` is joined to another instance"),
        (whole(&edge("cx[4].port[0]", "port[0]")), "found `cx[4]`, expected name[start:stop] of 0 to 4"),
        (whole("").replace("device: host", "device: hose"), "no device is called `hose`"),
        (whole("").replace("choice: xpu", "choice: custom"), "no instance has an xpu"),
        (whole("").replace("scheme: ring", "scheme: star"), "the scheme is `star`"),
        (whole("").trim_end_matches("edges:\n").to_string() + "connections:\n- a\n", "`connections`, expected `edges`"),
    ] {
        let found = refused(&text);
        assert!(found.contains(error) && found.starts_with("f:"), "{found}");
    }
    // Hosts of several kinds: what leads out of each is known, what is in them is not.
    let other = "- name: small\n  components:\n  - name: xpu\n    choice: xpu\n  - name: nic\n    choice: nic\n";
    let text = whole(&edge("cx[0:4].port[0]", "port[0:8]"))
        .replace("instances:\n", &format!("{other}instances:\n- name: s\n  device: small\n"));
    let text = text
        + "- ep1:\n    instance: s\n    component: nic\n  ep2:\n    instance: sw[0]\n    component: port[20]\n  link: eth\n";
    let f = import(&text).unwrap().1;
    assert!(
        f.outside().is_none() && f.notes().iter().any(|note| note.starts_with("hosts are of 2 devices (host, small)"))
    );
    assert_eq!((f.hosts().len(), f.hosts().slots()), (3, 9));
}

#[test]
fn links_of_ufm_are_read() {
    let (form, f) = import(&other("ufm-links-described.json")).unwrap();
    assert_eq!((form, f.endpoints(), f.switches(), f.links()), ("ufm-links", 8, 4, 2 * 12));
    assert_eq!(f.hosts().find("node03").map(|h| f.hosts().endpoints(h).len()), Some(2));
    assert!(names(&f).contains(&"node03 mlx5_1") && names(&f).contains(&"leaf02"), "{:?}", names(&f));
    // Without descriptions what has one port is an adapter.
    let f = import(&other("ufm-links.json")).unwrap().1;
    assert_eq!((f.endpoints(), f.switches(), f.links()), (5, 5, 2 * 11));
    let links = other("ufm-links-described.json");
    let fast = import(&links.replace("\"width\"", "\"speed\": \"NDR\", \"width\"")).unwrap().1;
    assert!(fast.link_ids().all(|l| fast.class_of(l).bandwidth.is_some_and(|b| (b.as_gb_s() - 50.0).abs() < 1.0)));
    for (text, error) in [
        (links.replacen("\"source_guid\": \"a0", "\"source_guid\": \"x0", 1), "f:2: the GUID is `x088c203000"),
        (links.replacen("\"destination_port\": \"1\"", "\"destination_port\": \"one\"", 1), "f:2: the port is `one`"),
        (links.replace("\"source_port\":", "\"port\":"), "f:2: a link cannot be read: missing field `source_port`"),
        (links.trim_end().trim_end_matches(']').to_string(), "f:"),
    ] {
        let found = refused(&text);
        assert!(found.starts_with(error) && !found.contains('\n'), "{found}");
    }
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
