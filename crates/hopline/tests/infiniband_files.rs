//! The InfiniBand readers on whole dumps: our own in `testdata` and, where they
//! are there, those of real machines. Then on thousands of damaged ones.
#![allow(clippy::print_stderr, clippy::unwrap_used)]

mod common;

use common::data;
use hopline::fabric::{Fabric, Guid};
use hopline::files::{Disk, Files, join, read_text};
use hopline::format::ibnetdiscover::{self, Cable, Cabling, NodeKind, PortRef, Speed};
use hopline::format::infiniband::{Machine, build};
use hopline::format::lft;
use hopline::format::service_levels::ServiceLevels;
use hopline::id::{HostId, VertexId};
use std::collections::BTreeMap;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/fabrics");

/// A folder of real dumps.
fn shared(name: &str) -> Option<String> {
    data(&format!("fabrics/{name}"))
}

fn text(dir: &str, name: &str) -> String {
    read_text(&Disk, &join(dir, name)).unwrap()
}

fn cabling(dir: &str, name: &str) -> Cabling {
    let text = text(dir, name);
    assert!(ibnetdiscover::is_cabling(&text) && !lft::is_tables(&text), "{name}");
    ibnetdiscover::parse(name, &text).unwrap()
}

fn machine(dir: &str, name: &str) -> Machine {
    build("m", &cabling(dir, name)).unwrap()
}

fn tables(dir: &str, names: &[&str]) -> lft::Tables {
    let mut tables = lft::Tables::default();
    for name in names {
        let text = text(dir, name);
        assert!(lft::is_tables(&text) && !ibnetdiscover::is_cabling(&text), "{name}");
        lft::parse(name, &text, &mut tables).unwrap();
    }
    tables
}

fn outs(tables: &lft::Tables) -> BTreeMap<Guid, &[u8]> {
    tables.tables.iter().map(|(guid, table)| (*guid, table.out.as_slice())).collect()
}

fn count(cabling: &Cabling, kind: NodeKind) -> usize {
    cabling.nodes.iter().filter(|n| n.kind == kind).count()
}

/// The cables by port GUIDs, which both forms know.
fn cables(cabling: &Cabling) -> Vec<([(Guid, u16); 2], Speed)> {
    let end = |at: PortRef| {
        let node = &cabling.nodes[at.node as usize];
        let port = if node.kind == NodeKind::Switch { 0 } else { at.port };
        (node.port(port).unwrap().guid.unwrap(), at.port)
    };
    let sorted = |c: &Cable| ([end(c.a).min(end(c.b)), end(c.a).max(end(c.b))], c.speed);
    let mut all: Vec<_> = cabling.cables.iter().map(sorted).collect();
    all.sort();
    all
}

/// Every switch has a table that knows itself and leads to every LID by a port with a cable.
fn assert_fit(machine: &Machine, tables: &lft::Tables) {
    let fabric = &machine.fabric;
    assert_eq!(tables.tables.len(), fabric.switches() as usize);
    let lids: Vec<u16> = (0..fabric.vertices()).flat_map(|v| machine.lids.of(VertexId(v))).collect();
    for v in (fabric.endpoints()..fabric.vertices()).map(VertexId) {
        let table = &tables.tables[&fabric.guid(v).unwrap()];
        assert_eq!(table.lid(), Some(machine.lids.of(v).start));
        let ports: Vec<u16> = fabric.out_links(v).map(|l| fabric.port(l)).collect();
        for &lid in &lids {
            let port = u16::from(table.out(lid).unwrap());
            assert!(port == 0 || ports.contains(&port), "LID {lid} leaves {} by port {port}", fabric.vertex_name(v));
        }
    }
}

fn rails<'a>(fabric: &'a Fabric, host: &str) -> Vec<&'a str> {
    let host = fabric.hosts().find(host).unwrap();
    fabric.hosts().endpoints(host).iter().map(|v| fabric.vertex_name(*v)).collect()
}

#[test]
fn our_own_fabrics() {
    let dir = join(OWN, "rack64");
    let rack = machine(&dir, "ibnetdiscover.txt");
    assert_eq!((rack.fabric.endpoints(), rack.fabric.switches(), rack.fabric.links()), (64, 10, 160));
    assert_eq!(rack.fabric.level("leaf").unwrap().parts, 8);
    assert_eq!((rack.fabric.hosts().name(HostId(9)), rack.fabric.notes().len()), ("node010", 0));
    assert_fit(&rack, &tables(&dir, &["dump_fts_n.txt"]));

    let dir = join(OWN, "lmc1-8");
    let plain = cabling(&dir, "ibnetdiscover.txt");
    assert_eq!(cables(&plain), cables(&cabling(&dir, "ibnetdiscover_p.txt")));
    let small = machine(&dir, "ibnetdiscover.txt");
    assert_eq!(small.fabric, machine(&dir, "ibnetdiscover_p.txt").fabric);
    assert_eq!(small.lids.owner(3), small.lids.owner(2), "LMC 1: two LIDs a port");
    let all = tables(&dir, &["dump_fts_n.txt"]);
    assert_fit(&small, &all);
    let files = Disk.list(&join(&dir, "ibroute")).unwrap();
    let files: Vec<String> = files.iter().map(|f| join("ibroute", f)).collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    for same in [&["dump_lfts.txt"][..], &["opensm-lfts.dump"], &files, &["dump_fts_n.txt", "opensm-lfts.dump"]] {
        assert_eq!(outs(&tables(&dir, same)), outs(&all), "{same:?}");
    }
}

#[test]
fn ranger() {
    let Some(dir) = shared("ranger-2011") else { return };
    let cabling = cabling(&dir, "ibnetdiscover.txt.gz");
    assert_eq!((count(&cabling, NodeKind::Switch), count(&cabling, NodeKind::Adapter)), (1376, 4042));
    assert_eq!(cabling.cables.len(), 16_927);
    let machine = build("ranger", &cabling).unwrap();
    let fabric = &machine.fabric;
    assert_eq!((fabric.endpoints(), fabric.links(), fabric.hosts().len()), (4042, 2 * 16_927, 4041));
    assert_eq!(
        fabric.classes().iter().map(|c| c.name.as_str()).collect::<Vec<_>>(),
        ["4xSDR", "host 4xSDR", "host 4xDDR"]
    );
    assert_eq!(fabric.notes().len(), 1, "one adapter names no host: {:?}", fabric.notes());
    assert!(fabric.find("0x00144fa50f240050").is_some());
    let text = text(&dir, "minhop-dump_fts_n.txt.xz");
    let mut tables = lft::Tables::default();
    let start = std::time::Instant::now();
    lft::parse("minhop", &text, &mut tables).unwrap();
    eprintln!("{} MB of tables read in {:?}", text.len() / 1_000_000, start.elapsed());
    let entries = tables.tables.values().flat_map(|t| &t.out).filter(|port| **port != 255).count();
    assert_eq!(entries, 1376 * 5418);
    assert_fit(&machine, &tables);
}

#[test]
fn avakas() {
    let Some(dir) = shared("avakas") else { return };
    let avakas = machine(&dir, "ibnetdiscover-s-p.txt");
    assert_eq!((avakas.fabric.switches(), avakas.fabric.endpoints(), avakas.fabric.hosts().len()), (25, 281, 281));
    let files: Vec<String> = (1..=25).map(|lid| format!("ibroute/lid-{lid}.txt")).collect();
    assert_fit(&avakas, &tables(&dir, &files.iter().map(String::as_str).collect::<Vec<_>>()));
}

#[test]
fn dgx() {
    let Some(dir) = shared("dgx-ndr") else { return };
    let cabling = cabling(&dir, "ibnetdiscover.txt");
    assert_eq!((count(&cabling, NodeKind::Switch), count(&cabling, NodeKind::Adapter)), (40, 582));
    let fabric = build("dgx", &cabling).unwrap().fabric;
    assert_eq!(fabric.endpoints(), 582);
    let note = &fabric.notes()[0];
    assert!(note.contains("40 `Mellanox Technologies Aggregation Node`"), "{note}");
    let rails = rails(&fabric, "b05-p1-dgx-05-c01");
    assert!(rails.len() > 1 && rails.is_sorted() && rails[0].starts_with("b05-p1-dgx-05-c01 HCA-"), "{rails:?}");
    let bad = ibnetdiscover::parse("bad", &text(&dir, "ibnetdiscover-bad.txt")).and_then(|c| build("bad", &c));
    assert!(bad.unwrap_err().to_string().starts_with("bad: 1 nodes, but no cable"));
}

#[test]
fn simulated_fabrics() {
    let Some(dir) = shared("simulated") else { return };
    let counts = [("fat-tree-16", 16, 6, 24), ("fat-tree-324", 324, 54, 486), ("dragonfly-72", 72, 36, 162)];
    for (name, endpoints, switches, cables) in counts.into_iter().chain([("glenn-1to8", 191, 21, 303)]) {
        let dir = join(&dir, name);
        let machine = machine(&dir, "ibnetdiscover.txt");
        let fabric = &machine.fabric;
        assert_eq!((fabric.endpoints(), fabric.switches(), fabric.links()), (endpoints, switches, 2 * cables));
        assert_fit(&machine, &tables(&dir, &["dump_fts_n.txt"]));
    }
    let dir16 = join(&dir, "fat-tree-16");
    let files = ["dump_fts_n.txt", "dump_lfts.txt", "opensm-lfts.dump", "ibroute_lid6.txt", "ibroute_n_lid6.txt"];
    for file in &files[1..3] {
        assert_eq!(outs(&tables(&dir16, &[file])), outs(&tables(&dir16, &files[..1])), "{file}");
    }
    assert_eq!(tables(&dir16, &files).tables.len(), 6, "all forms agree on the switches they share");
    let top64 = tables(&join(&dir, "top-lid-64"), &["top64_dump_fts_n.txt"]);
    assert_eq!((top64.tables.len(), top64.notes.len()), (6, 0));
    assert!(top64.tables.values().all(|t| t.lost == Some(64)));
}

#[test]
fn all_forms_of_one_fabric() {
    let Some(dir) = shared("simulated/fat-tree-16-lmc2") else { return };
    let plain = cabling(&dir, "ibnetdiscover.txt");
    for form in ["ibnetdiscover_f.txt", "ibnetdiscover_g.txt", "ibnetdiscover_m.txt"] {
        assert_eq!(cabling(&dir, form).cables, plain.cables, "{form}");
    }
    let machine_of_plain = build("m", &plain).unwrap();
    for form in ["ibnetdiscover_p.txt", "ibnetdiscover_s_p.txt"] {
        assert_eq!(cables(&cabling(&dir, form)), cables(&plain), "{form}");
        assert_eq!(machine(&dir, form).fabric, machine_of_plain.fabric, "{form}");
    }
    assert_fit(&machine_of_plain, &tables(&dir, &["dump_lfts.txt"]));
    let all = tables(&dir, &["dump_lfts.txt", "ibroute_lid8.txt", "ibroute_a_lid8.txt"]);
    assert_eq!(all.tables.len(), 6, "all forms agree on the switch they share");
    assert!(ibnetdiscover::parse("l", &text(&dir, "ibnetdiscover_l.txt")).is_err(), "a list of nodes");
    for name in ["dump_mfts.txt", "dump_fts_M_n.txt"] {
        let e = lft::parse(name, &text(&dir, name), &mut lft::Tables::default()).unwrap_err();
        assert!(e.to_string().contains("multicast"), "{e}");
    }
}

#[test]
fn mixed_speeds_and_odd_names() {
    let Some(dir) = shared("simulated/mixed-speeds") else { return };
    let fabric = machine(&dir, "ibnetdiscover.txt").fabric;
    assert_eq!(fabric, machine(&dir, "ibnetdiscover_p.txt").fabric);
    assert_eq!(rails(&fabric, "node"), ["node one HCA-1 port 1", "node one HCA-1 port 2"]);
    assert!(fabric.find("it's 'quoted' #1").is_some());
    assert!(fabric.classes().iter().any(|c| c.name == "host 12xEDR"));
    assert!(fabric.notes().iter().any(|n| n.ends_with("1 (1 router)")), "{:?}", fabric.notes());
}

#[test]
fn a_dump_cut_at_any_line_is_refused() {
    let dir = join(OWN, "lmc1-8");
    for name in ["ibnetdiscover.txt", "ibnetdiscover_p.txt"] {
        let text = text(&dir, name);
        for (at, _) in text.trim_end().match_indices('\n') {
            let cut = ibnetdiscover::parse("cut", &text[..at]).and_then(|c| build("cut", &c));
            assert!(cut.is_err(), "{name} up to byte {at}");
        }
    }
    for name in ["dump_fts_n.txt", "ibroute/lid-4.txt", "opensm-lfts.dump"] {
        let text = text(&dir, name);
        let whole = tables(&dir, &[name]);
        for (at, _) in text.match_indices('\n') {
            let mut cut = lft::Tables::default();
            if lft::parse("cut", &text[..at], &mut cut).is_ok() {
                let whole = outs(&whole);
                assert!(outs(&cut).iter().all(|(guid, out)| whole[guid] == *out), "{name} up to byte {at}");
            }
        }
    }
}

/// A generator of our own, so that the damages are the same everywhere.
struct Xorshift(u64);

impl Xorshift {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn damage_bytes(text: &mut Vec<u8>, rng: &mut Xorshift) {
    const WORDS: [&[u8]; 8] = [b"65535", b"4294967296", b"\"", b"'", b"]", b"# lid ", b"\xc3\xa9", b"\xff"];
    let (a, b) = (rng.below(text.len()), rng.below(text.len()));
    let few = a..(a + 1 + b % 4).min(text.len());
    match rng.below(5) {
        0 => drop(text.drain(few)),
        1 => text.truncate(a),
        2 => text.swap(a, b),
        3 => drop(text.splice(few, WORDS[rng.below(WORDS.len())].iter().copied())),
        _ => drop(text.splice(a..a, WORDS[rng.below(WORDS.len())].iter().copied())),
    }
}

fn damage_lines(text: &mut Vec<u8>, rng: &mut Xorshift) {
    let mut lines: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    let (a, b) = (rng.below(lines.len()), rng.below(lines.len()));
    match rng.below(4) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a].clone()),
        2 => lines.swap(a, b),
        _ => lines.truncate(a + 1),
    }
    *text = lines.join(&b'\n');
}

#[test]
fn damaged_files_never_panic() {
    let rounds: usize = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(3000);
    let dir = join(OWN, "lmc1-8");
    let own = ["ibnetdiscover.txt", "ibnetdiscover_p.txt", "dump_fts_n.txt", "dump_lfts.txt", "opensm-lfts.dump"];
    let mut samples: Vec<String> = own.iter().chain(&["ibroute/lid-4.txt"]).map(|name| text(&dir, name)).collect();
    let lanes = join(OWN, "ring5-lash");
    samples.extend(["path-records.txt", "opensm-sl2vl.dump"].map(|name| text(&lanes, name)));
    if let Some(dir) = shared("simulated") {
        let others = ["mixed-speeds/ibnetdiscover.txt", "mixed-speeds/ibnetdiscover_p.txt"];
        samples.extend(others.iter().map(|name| text(&dir, name)));
        samples.extend(["g", "s_p"].map(|f| text(&dir, &format!("fat-tree-16-lmc2/ibnetdiscover_{f}.txt"))));
        samples.push(text(&dir, "fat-tree-16-lmc2/ibroute_a_lid8.txt"));
    }
    let mut rng = Xorshift(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for round in 0..rounds {
        let mut bytes = samples[round % samples.len()].clone().into_bytes();
        for _ in 0..=rng.below(4) {
            match rng.below(2) {
                0 if !bytes.is_empty() => damage_bytes(&mut bytes, &mut rng),
                _ => damage_lines(&mut bytes, &mut rng),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let cabling = ibnetdiscover::parse("fuzz", &text).and_then(|c| build("fuzz", &c));
        let tables = lft::parse("fuzz", &text, &mut lft::Tables::default());
        let partial = ibnetdiscover::parse_partial("fuzz", &text).and_then(|c| build("fuzz", &c));
        assert!(partial.is_ok() || cabling.is_err(), "what is whole is also partial");
        let paths = ServiceLevels::default().read_paths("fuzz", &text);
        let lanes = ServiceLevels::default().read_lanes("fuzz", &text);
        assert!(cabling.is_err() || ibnetdiscover::is_cabling(&text));
        assert!(tables.is_err() || lft::is_tables(&text));
        for e in cabling.err().into_iter().chain(tables.err()).chain(paths.err()).chain(lanes.err()) {
            assert!(e.is_input() && !e.to_string().contains('\n'), "{e}");
            refused += 1;
        }
    }
    assert!(refused > rounds, "one reader always refuses, both often");
}
