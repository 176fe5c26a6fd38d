//! What stands out on a fabric: ways, circles of links, changes.

use crate::common::Scratch;
use crate::{headings, whole};

#[test]
fn ways_circles_and_changes_are_marked_on_the_fabric() {
    let desk = Scratch::new("report-marked");
    let shown = |line: &str| {
        let ran = desk.hopline(&format!("{line} --report DIR/page.html"));
        assert!(matches!(ran.code, Some(0 | 3)), "{line}: {}", ran.stderr);
        let page = desk.read("page.html");
        whole(&page);
        page
    };
    let way = shown("fabric route --fabric testdata/fabrics/rack64 node003 node060");
    assert!(way.contains(
        "From node003 HCA-1 to node060 HCA-1 over leaf01/U1, spine02/U1, leaf08/U1: 2 links between switches"
    ));
    assert!(way.contains("class=\"link s7\""), "its links stand out");
    let ring = shown(
        "fabric check --fabric cables=testdata/fabrics/ring5-lash/ibnetdiscover.txt,tables=testdata/fabrics/ring5-lash/dump_fts_n.txt",
    );
    assert!(ring.contains("around a circle of 5 links") && ring.contains("class=\"link s7\""));
    // A cable less, and one that is slower.
    desk.hopline("fabric export json --fabric testdata/fabrics/rack64 -o DIR/before.json").done();
    let mut fabric: serde_json::Value = serde_json::from_str(&desk.read("before.json")).expect("JSON");
    let cables = fabric["cables"].as_array_mut().expect("cables");
    let gone = cables.pop().expect("a cable");
    assert_eq!(gone["class"], "4xQDR");
    desk.write("after.json", fabric.to_string());
    let changed = shown("fabric diff DIR/before.json DIR/after.json");
    let titles = headings(&changed);
    assert_eq!(titles[1..3], ["The machine before", "What changed"], "{titles:?}");
    assert!(
        changed.contains("class=\"link s7\"") && changed.contains("<td>connect leaf08/U1[36] -- spine02/U1[8]</td>")
    );
}
