use super::*;
use crate::demand::{Demand, Unit};
use crate::files::Disk;
use crate::loads::evaluate;
use crate::plan::Network;
use crate::rng::Rng;
use crate::scenario::Scenario;

/// Every task to some others, more and less.
fn demand(tasks: u32, rng: &mut Rng) -> Demand {
    let mut below = |n| rng.below(n) as u32;
    let entries = (0..tasks * 4).map(|i| (i % tasks, below(u64::from(tasks)), f64::from(below(9)) + 0.1)).collect();
    Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
}

fn check(state: &State<'_>, problem: &Problem<'_>, what: &str) {
    let fabric = problem.fabric();
    let places: Vec<VertexId> = state.place.iter().map(|&p| state.endpoint[p as usize]).collect();
    let loads = evaluate(problem.demand(), &places, problem.routing()).expect("loads");
    let limited = fabric.classes().iter().any(|c| c.bandwidth.is_some());
    for (l, cell) in state.cells.iter().enumerate() {
        let link = LinkId(l as u32);
        let expected = match limited {
            true => loads.busy(fabric, link),
            false if fabric.is_host_link(link) => 0.0,
            false => loads.load[l],
        };
        assert!((cell.busy - expected).abs() <= 1e-6 * (1.0 + expected), "{what}: {} and {expected}", cell.busy);
    }
    let hops: f64 = fabric.link_ids().filter(|&l| !fabric.is_host_link(l)).map(|l| loads.load[l.index()]).sum();
    assert!((state.travel - hops).abs() <= 1e-9 * (1.0 + hops), "{what}: {} and {hops} hops", state.travel);
}

#[test]
fn loads_after_thousands_of_moves_are_those_from_scratch() {
    let machines = [
        ("percs:ns=4,nd=2", "direct"),
        ("percs:ns=3,nd=8,hub=192", "direct:inside=single-hop"),
        ("percs:ns=4,nd=2", "indirect"),
        ("percs:ns=3,nd=16", "indirect:intermediates=other"),
        ("torus:dims=4x4x3,slots=2", "dor:tie=split"),
        ("dragonfly:p=2,a=4,h=2", "minimal"),
        ("dragonfly:p=2,a=4,h=2", "valiant-any"),
        ("dragonfly:p=2,a=4,h=2,slots=2", "valiant-restricted"),
        ("fat-tree:down=4x4x2,up=1x2x2,host=1,slots=3", "d-mod-k"),
        ("tree:arity=4x4x2", "shortest"),
        ("file:testdata/fabrics/lmc1-8,slots=3", "table:lid=spread"),
    ];
    for (topology, routing) in machines {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/");
        let place = topology.replace("testdata/", root);
        let scenario = Scenario::default().topology(&place).and_then(|s| s.routing(routing)).expect(topology);
        let net = Network::new(&scenario, &Disk).expect(topology);
        let slots: Vec<_> = (0..net.fabric.hosts().slots()).map(crate::id::SlotId).collect();
        let mut rng = Rng::new(3, topology);
        // A quarter of the places stays free.
        let demand = demand(slots.len() as u32 * 3 / 4, &mut rng);
        let problem = Problem::new(&demand, &*net.routing, &slots).expect("problem");
        let talk = Talk::new(&demand, 1 << 20).expect("talk");
        let start = Mapping::new(slots[..demand.tasks() as usize].to_vec(), &net.fabric).expect("mapping");
        let mut state = State::new(&problem, &talk, &start).expect("state");
        check(&state, &problem, topology);
        let most = state.busiest();
        let mut cost = state.aim(most.map(|b| b / 3.0 + 0.01));
        for _ in 0..2000 {
            let block = 1 + rng.below(4) as usize;
            let picked = rng.sample(2 * block, slots.len());
            let pairs: Vec<(u32, u32)> = picked.chunks(2).map(|c| (c[0] as u32, c[1] as u32)).collect();
            let before = (state.place.clone(), state.over);
            let grown = state.exchange(&pairs);
            if rng.below(2) == 0 {
                state.undo();
                assert_eq!((state.place.clone(), state.over), before, "{topology}: undone");
            } else {
                cost += grown;
            }
        }
        check(&state, &problem, topology);
        let over = state.over;
        let anew = state.aim([state.limit[0], state.limit[1]]);
        assert!((cost - anew).abs() <= 1e-6 * (1.0 + anew), "{topology}: {cost} {anew}");
        assert_eq!(over, state.over, "{topology}");
    }
}
