//! The study of links used and links off: what is printed, or a note that says why not.

mod common;

use common::study::Study;
use hopline::study::Drawing;

static STUDY: Study = Study::new("power");

/// One test: every test is a process of its own, and the study takes seconds.
#[test]
fn the_study_stands() {
    STUDY.nothing_differs_without_a_reason();
    links_are_counted();
    the_supernode_algorithm_wins();
    a_supernode_is_a_full_mesh();
    assert!(matches!(STUDY.all().drawings.last(), Some(Drawing::Bars { groups, .. }) if groups.len() == 10));
}

fn links_are_counted() {
    let percent = |application: &str, network: &str| STUDY.value("Figure 5", application, network);
    // 8 neighbours of 255 on a periodic 4 x 4 x 4 x 4 grid; an all-to-all uses what there is.
    assert!((percent("jacobi4d", "full mesh") - 800.0 / 255.0).abs() < 1e-9);
    assert_eq!([percent("FT", "full mesh"), percent("FT", "PERCS"), percent("FT", "3-D torus")], [100.0; 3]);
    // The grid of NAMD and the torus are the same, whichever dimension is numbered fastest.
    assert_eq!(percent("NAMD", "3-D torus"), 100.0);
    let torus =
        STUDY.item("Figure 5: percent").into_iter().filter(|f| f.column == "3-D torus" && f.published.is_some());
    let named: Vec<String> = torus.map(|f| f.row[0].1.to_string()).collect();
    assert_eq!(named, ["NAMD", "MILC", "jacobi4d", "BT", "CG"], "the text names no others");
    // BT's six neighbours on 64 nodes.
    assert!((STUDY.value("BT by number", "64", "full mesh") - 600.0 / 63.0).abs() < 1e-9);
}

fn the_supernode_algorithm_wins() {
    // For large messages: the largest size of Figure 3, which goes by rendezvous.
    let gain = STUDY.value("Section III: gain for large", "", "pairwise / supernode, 262 kB, by rendezvous");
    let times = STUDY.item("Figure 3");
    let last = times.iter().rfind(|f| f.column == "pairwise / supernode").and_then(|f| f.computed);
    assert!(gain > 2.0 && last == Some(gain), "{gain} {last:?}");
    let idle = |name: &str| {
        let all = STUDY.item("Figure 1: %");
        all.iter().find(|f| f.column == name).and_then(|f| f.computed).expect("computed")
    };
    assert!(idle("pairwise") < idle("supernode"));
    // A link to each node of the job is in use, if a node has as many cores.
    let of = |case: &str| STUDY.value("Section III: gain by parameters", case, "gain");
    let gains = ["8 cores a node", "8 nodes", "16 nodes of 16 cores, hub 192 GB/s"].map(of);
    assert!(gains[0] < gains[1] && gains[1] < gains[2], "{gains:?}");
    // Short buffers take from it; handshakes, which pass the data, do not.
    let limited = ["buffers of 256K", "buffers of 512K"].map(of);
    assert!(limited[0] < limited[1] && limited[1] < gains[2], "{limited:?}");
    let rendezvous = of("all messages by rendezvous") / gains[2];
    assert!((rendezvous - 1.0).abs() < 0.02, "{rendezvous}");
}

/// On one supernode both networks are the same; on more, CG uses the larger share of PERCS.
fn a_supernode_is_a_full_mesh() {
    let item = "Section IV: CG and BT";
    let of = |nodes: u32, each: u32, column: &str| {
        let row = [("kernel", "CG".into()), ("nodes", nodes.into()), ("ranks of a node", each.into())];
        let found = STUDY.item(item).into_iter().find(|f| f.row == row && f.column == column);
        found.and_then(|f| f.computed).expect("computed")
    };
    assert!((of(32, 8, "full mesh") - of(32, 8, "PERCS")).abs() < 1e-9);
    for (nodes, each) in [(64, 1), (64, 16)] {
        assert!(of(nodes, each, "PERCS") > of(nodes, each, "full mesh"));
    }
    assert!(of(64, 16, "PERCS with 16 D links a hub") < of(64, 16, "full mesh"));
}
