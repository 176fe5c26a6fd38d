//! What tools of clusters tell of networks: Slurm, iblinkinfo, topograph, InfraGraph, UFM.

use crate::common::{fabric, root};
use crate::imports::{export, import, machines, names, other, refused, runs_hold};
use hopline::fabric::Fabric;
use hopline::id::{HostId, LinkId};
use std::collections::BTreeSet;

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
fn lists_that_stand_for_too_many_nodes_are_too_large() {
    let lines: String = (0..8).map(|rack| format!("SwitchName=s{rack} Nodes=r{rack}n[0-19999]\n")).collect();
    let e = refused(&lines);
    assert!(e.contains("too large: "), "{e}");
    let few: String = lines.lines().take(2).map(|line| format!("{line}\n")).collect();
    assert_eq!(import(&few).unwrap().1.hosts().len(), 40_000);
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
    // Links of GPUs to switches are NVLinks whatever they are called, of the generation that the machine has.
    let gb200 = other("infragraph-dgx-h100.yaml").replace("nvlink_4", "nvlink_c2c").replace("dgx_h100", "dgx_gb200");
    let gb200 = gb200.replace("NVIDIA H100 / H200 SXM5", "NVIDIA B200");
    let f = import(&gb200).unwrap().1;
    let inside = f.outside().unwrap().inside();
    let nvlink = inside.wires.iter().filter(|w| w.medium == hopline::fabric::Medium::NvLink);
    assert!(nvlink.clone().count() == 8 && nvlink.clone().all(|w| (w.bandwidth.as_gb_s() - 721.8).abs() < 1e-6));
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
    // What older files look like, whose devices are in files of their own.
    let old = "infrastructure:\n  name: clos\n  instances:\n    - name: leafsw\n      device: generic-switch\n  connections:\n    - a.0.nic.0.eth.b.0.port.0\n";
    let found = refused(old);
    assert!(found.contains("`connections`, expected `edges`"), "{found}");
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
