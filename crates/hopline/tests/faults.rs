//! Fabrics with something missing.

mod common;

use common::{fabric, network, root};
use hopline::event::Silent;
use hopline::fabric::find_links;
use hopline::files::Disk;
use hopline::id::VertexId;
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;

#[test]
fn a_part_is_found_by_port_by_ends_and_by_name() {
    let (_, f) = fabric("file:testdata/fabrics/rack64");
    let count = |word: &str| find_links(&f, word).unwrap_or_else(|e| panic!("{word}: {e}")).len();
    assert_eq!(count("leaf01/U1[36]"), 2, "both directions of one cable");
    assert_eq!(count("leaf01/U1 -- spine02/U1"), 2);
    assert_eq!(count("spine02/U1"), 16);
    assert_eq!(count("node001"), 2);
    assert_eq!(count("0x0002c90200420020"), 16);
    for (word, why) in [
        ("leaf01/U1[9]", "no cable in port"),
        ("leaf01/U1 -- leaf02/U1", "no cable `leaf01/U1 -- leaf02/U1`"),
        ("leaf1/U1", "no switch, host or GUID `leaf1/U1`"),
        ("leaf01/U1[x]", "no cable in port"),
    ] {
        let error = find_links(&f, word).expect_err(word).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn what_is_left_is_a_fabric_with_the_same_names() {
    let (_, f) = fabric("file:testdata/fabrics/rack64");
    let gone = find_links(&f, "spine02/U1").expect("spine");
    let left = f.without(&gone);
    assert_eq!(left.links(), f.links() - gone.len());
    for link in left.link_ids() {
        let back = left.reverse(link);
        assert_eq!((left.source(back), left.target(back)), (left.target(link), left.source(link)));
        assert!(left.out_links(left.source(link)).any(|l| l == link));
        // The same cable, with the same ports, was there before.
        let before = f.out_links(left.source(link)).find(|&l| f.port(l) == left.port(link)).expect("port");
        assert_eq!(f.link_name(before), left.link_name(link));
    }
    assert_eq!(left.vertex_name(VertexId(70)), f.vertex_name(VertexId(70)));
    assert!(f.without(&[]) == f);
}

fn plan(topology: &str, routing: Option<&str>, without: &[&str]) -> hopline::error::Result<Plan> {
    let topology = topology.replace("testdata/", &format!("{}/testdata/", root()));
    let mut scenario = Scenario::default().topology(&topology)?.traffic("alltoall")?;
    if let Some(routing) = routing {
        scenario = scenario.routing(routing)?;
    }
    Plan::new(&without.iter().fold(scenario, |s, w| s.without(w)), &Disk)
}

#[test]
fn half_the_uplinks_of_a_leaf_leave_half_the_throughput() {
    let whole = plan("file:testdata/fabrics/rack64", None, &[]).expect("whole");
    let broken = plan("file:testdata/fabrics/rack64", None, &["leaf01/U1[36]"]).expect("broken");
    let alike = plan("file:testdata/fabrics/rack64", Some("minhop"), &[]).expect("whole, the same routes");
    let o = run::whatif(&whole, Some(&alike), &broken, 3, &mut Silent).expect("outcome");
    assert_eq!((o.pairs, o.unreachable, o.cut_off.len()), (64 * 63, 0, 0));
    // Port 36 of leaf 1 carried one of two routes up (8 x 56 / 2) and one of two down.
    assert_eq!(o.broken_until_rerouted, Some(448));
    let load = |o: &run::LoadOutcome| o.summary.max_load;
    assert!((load(&o.before) - 3.5).abs() < 1e-9);
    // Tables that minhop made are those that it starts from.
    assert_eq!(o.before_alike, None);
    assert!((load(o.after.as_ref().expect("rerouted")) - 7.0).abs() < 1e-9);
    assert!(o.left.is_some_and(|left| (left - 0.5).abs() < 1e-9) && o.traffic_left == Some(1.0));
    assert!(
        o.after
            .expect("rerouted")
            .setting
            .notes
            .iter()
            .any(|n| n.contains("what minhop would make, which is assumed to be run again"))
    );
    let other = plan("file:testdata/fabrics/rack64", Some("shortest"), &["leaf01/U1[36]"]).expect("broken");
    let o = run::whatif(&whole, None, &other, 3, &mut Silent).expect("outcome");
    assert!(o.after.expect("rerouted").setting.notes.iter().any(|n| n.contains("assumed after the fault")));
}

#[test]
fn hosts_that_are_cut_off_are_named() {
    let whole = plan("file:testdata/fabrics/rack64", None, &[]).expect("whole");
    let broken = plan("file:testdata/fabrics/rack64", None, &["leaf08/U1"]).expect("broken");
    let o = run::whatif(&whole, None, &broken, 3, &mut Silent).expect("outcome");
    assert_eq!(o.cut_off, ["node057", "node058", "node059", "node060", "node061", "node062", "node063", "node064"]);
    assert_eq!(o.pairs_apart[0], ("node001".to_string(), "node057".to_string()));
    assert_eq!(o.pairs_apart.len(), 10);
    // 8 hosts lose all 63 others, and the 56 others lose those 8.
    assert_eq!(o.unreachable, 8 * 63 + 56 * 8);
    assert_eq!(o.broken_until_rerouted, Some(8 * 63 + 56 * 8));
    assert!(o.after.is_none() && o.error.expect("why").contains("no cables join them"));
}

#[test]
fn a_routing_that_relies_on_the_whole_machine_is_refused() {
    let error = plan("torus:dims=4x4", Some("dor"), &["t0-0"]).err().expect("refused").to_string();
    assert_eq!(
        error,
        "routing: routing `dor` needs a whole machine, and parts of this one are missing; those that find their way: minimal, valiant-any, ugal-l, ugal-g, shortest, up-down, up-adaptive, ecmp, minhop, table"
    );
    assert!(plan("torus:dims=4x4", Some("shortest"), &["t0-0 -- t1-0"]).is_ok());
    // Old tables are followed to the missing port.
    let stale = plan("file:testdata/fabrics/rack64", Some("table"), &["leaf01/U1[36]"]).expect("plan");
    let error = run::load(&stale, 0, &mut Silent).expect_err("a hole").to_string();
    assert!(error.contains(", where no cable is"), "{error}");
}

#[test]
fn a_check_counts_what_the_old_tables_lose() {
    let net = network("file:testdata/fabrics/rack64", None);
    assert_eq!(run::check(&net).broken, 0);
}
