//! Orders of a communication tree, and what they save.

use super::*;

#[test]
fn traversals_put_children_close_to_their_parents() {
    // Four leaves with four hosts each, ranks dealt out to the leaves in turn.
    let net = network("tree:arity=4x4,bandwidth=1,host=1", None);
    let slots = (0..16).map(|r| SlotId(r % 4 * 4 + r / 4)).collect();
    let mapping = Mapping::new(slots, &net.fabric).expect("mapping");
    let given = Places::new(&mapping, net.fabric.hosts()).expect("places");
    let schedule = collective("knomial", 16, 1 << 16);
    let delays = Delays::by_hops(&given, &*net.routing).expect("delays");
    let tree = ordering::communication_tree(&schedule, 0);
    let model = model("S=1G");
    let time = |order: &[u32]| {
        let places = ordering::reorder(&given, order);
        let input = ReplayInput { schedule: &schedule, routing: &*net.routing, places: &places, model: &model };
        replay(input, &Record::default(), &mut Silent).map(|r| r.makespan())
    };
    let far =
        |order: &[u32]| -> f64 { (1..16).map(|r| delays.between(order[r], order[tree.parent[r] as usize])).sum() };
    let unchanged: Vec<u32> = (0..16).collect();
    for traversal in [Traversal::Depth, Traversal::Breadth] {
        let order = ordering::traverse(&tree, 0, &delays, traversal);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!((order[0], &sorted), (0, &unchanged), "a permutation that keeps the root");
        assert!(far(&order) < far(&unchanged), "{traversal:?}");
        let (found, t) = ordering::improve(order.clone(), 0, 60, &mut Rng::new(1, "test"), time).expect("search");
        assert!(t <= time(&order).expect("time"), "never worse");
        assert_eq!(t, time(&found).expect("time"));
        assert_eq!(found[0], 0);
    }
}

#[test]
fn speed_puts_slow_ends_at_the_leaves() {
    // 16 hosts, half of them behind slow links: the first child served is a fast one.
    let mut b = hopline::fabric::Builder::new("mixed", 16, 1);
    let class = |rate: f64| hopline::fabric::LinkClass::host(Some(hopline::unit::Bandwidth::gb_s(rate)));
    let (fast, slow) = (b.class(class(2.0)), b.class(class(1.0)));
    for e in 0..16 {
        b.cable(VertexId(e), VertexId(16), if e % 2 == 0 { fast } else { slow });
    }
    b.host_per_endpoint(1);
    let fabric = b.finish().expect("fabric");
    let routing = hopline::routing::Shortest::new(Arc::new(fabric));
    let places = Places::on((0..16).map(HostId).collect(), (0..16).map(VertexId).collect());
    let delays = Delays::by_speed(&places, &routing).expect("delays");
    assert_eq!((delays.between(0, 2), delays.between(0, 1), delays.between(1, 3)), (0.5, 1.0, 1.0));
    let tree = collective::Tree::knomial(16, 2);
    let order = ordering::traverse(&tree, 0, &delays, Traversal::Breadth);
    assert!(tree.children[0].iter().all(|&c| order[c as usize].is_multiple_of(2)), "{order:?}");
}
