//! Every strategy on any allocation that it applies to.

use super::*;

/// Specs of one strategy: with every level of the machine where it takes one.
fn specs(name: &str, f: &Fabric) -> Vec<String> {
    let levels = || f.levels().iter().map(|l| l.name.clone()).chain(["node".to_string()]);
    match name {
        "blocks" => levels()
            .flat_map(|l| ["sequential", "random"].map(|order| format!("blocks:level={l},order={order}")))
            .collect(),
        "mod-coloring" => levels().map(|l| format!("mod-coloring:level={l}")).chain([name.to_string()]).collect(),
        "file" => vec!["file:placement.txt".to_string()],
        "congestion-search" => vec!["congestion-search:evaluations=300".to_string()],
        "reorder-hosts" => vec!["reorder-hosts:of=greedy".to_string()],
        "portfolio" => vec!["portfolio:of=[random,greedy],runs=2".to_string()],
        "inner-search" => levels().map(|l| format!("inner-search:of=random,level={l},evaluations=100")).collect(),
        _ => vec![name.to_string()],
    }
}

/// These need a grid at most.
const ALWAYS: [&str; 8] = ["default", "random", "row", "column", "hybrid", "greedy", "file", "congestion-search"];

/// Places a halo of `grid` tasks on `hosts` by every strategy; gives the names of those that apply.
fn strategies_that_apply(network: &Network, hosts: &[HostId], grid: [u32; 2], seed: u64) -> BTreeSet<&'static str> {
    let f = &*network.fabric;
    let demand = built_traffic(network, &format!("halo:grid={}x{}", grid[0], grid[1]));
    let slots: Vec<SlotId> = hosts.iter().flat_map(|&h| f.hosts().slots_of(h)).collect();
    let problem = Problem::new(&demand, &*network.routing, &slots).expect("tasks fit");
    let mut given = slots.clone();
    Rng::new(seed, "file").shuffle(&mut given);
    given.truncate(demand.tasks() as usize);
    let lines: String = given.iter().map(|s| format!("{s}\n")).collect();
    let files = Memory(BTreeMap::from([("placement.txt".to_string(), lines.into_bytes())]));
    let allowed: BTreeSet<SlotId> = slots.iter().copied().collect();
    let mut applied = BTreeSet::new();
    // All of the others, one after the other: seconds for a hundred tasks.
    let in_time = |name: &str| name != "best" || demand.tasks() <= 64 || common::is_slow();
    for entry in mapping::LIST.iter().map(Listed::entry).filter(|entry| in_time(entry.name)) {
        for spec in specs(entry.name, f) {
            let what = format!("{spec} of {grid:?} on {} with {hosts:?}", f.name());
            let params = Params::from_spec(&spec, &Place::new("test", 0)).expect("spec");
            let strategy = mapping::build(&params, &files).unwrap_or_else(|e| panic!("{what}: {e}"));
            let mut silent = Silent;
            let mut context = Context::new(seed, &spec, &mut silent);
            let mapping = match strategy.map(&problem, &mut context) {
                Ok(mapping) => mapping,
                Err(e) => {
                    assert!(!ALWAYS.contains(&entry.name) && e.is_input(), "{what}: {e}");
                    continue;
                }
            };
            let taken: BTreeSet<SlotId> = (0..mapping.tasks()).map(|t| mapping.slot(t)).collect();
            assert_eq!((mapping.tasks(), taken.len()), (demand.tasks(), demand.tasks() as usize), "{what}");
            assert!(taken.is_subset(&allowed), "{what}: outside of the allocation");
            assert!((0..mapping.tasks()).all(|t| mapping.task(mapping.slot(t)) == Some(t)), "{what}");
            assert!(entry.name != "file" || (0..).zip(&given).all(|(t, &s)| mapping.slot(t) == s), "{what}");
            applied.insert(entry.name);
        }
    }
    applied
}

/// Some hosts in any order and a grid that fits; or whole parts of a level and
/// a grid that fills them, as blocks want it.
fn allocation(f: &Fabric, seed: u64) -> (Vec<HostId>, [u32; 2]) {
    let mut rng = Rng::new(seed, "allocation");
    let mut below = |n: u32| rng.below(u64::from(n)) as u32;
    let hosts = f.hosts();
    let all: Vec<HostId> = (0..hosts.len()).map(HostId).collect();
    let slots = |picked: &[HostId]| picked.iter().map(|&h| hosts.slot_count(h)).sum::<u32>();
    let whole = (below(2) == 0).then(|| f.levels().get(below(3) as usize)).flatten();
    if let Some(level) = whole {
        let parts = 1 + below(level.parts.min(4));
        let first = below(level.parts - parts + 1);
        let part = |h: &HostId| level.part[hosts.endpoints(*h)[0].index()];
        let picked: Vec<HostId> = all.into_iter().filter(|h| (first..first + parts).contains(&part(h))).collect();
        let n = slots(&picked);
        let divisors: Vec<u32> = (1..=n).filter(|&d| n.is_multiple_of(d)).collect();
        let rows = divisors[below(divisors.len() as u32) as usize];
        return (picked, [rows, n / rows]);
    }
    let count = 1 + below(hosts.len().min(40));
    let mut picked: Vec<HostId> =
        Rng::new(seed, "hosts").sample(count as usize, all.len()).into_iter().map(|i| all[i]).collect();
    if below(2) == 0 {
        picked.reverse();
    }
    let rows = 1 + below(slots(&picked).min(12));
    (picked.clone(), [rows, 1 + below(slots(&picked) / rows)])
}

#[test]
fn every_strategy_that_applies_gives_each_task_a_slot_of_the_allocation() {
    let machines = [
        network("percs:ns=4,nd=1", None),
        network("dragonfly:p=2,a=3,h=5", None),
        network("tree:arity=2x8x2,slots=3", None),
        network("torus:dims=4x4x2", None),
        network("file:testdata/fabrics/rack64,slots=4", None),
        network("torus:dims=2", None),
    ];
    let applied = RefCell::new(BTreeSet::new());
    let try_all = |machine: usize, grid| {
        let f = &machines[machine].fabric;
        let hosts: Vec<HostId> = (0..f.hosts().len()).map(HostId).collect();
        applied.borrow_mut().extend(strategies_that_apply(&machines[machine], &hosts, grid, 1));
    };
    // Blocks for each level of PERCS, and 4 x 8 blocks of half a group for mod-coloring.
    try_all(0, [16, 32]);
    try_all(1, [4, 24]);
    // Two tasks have one partner each, as linear wants it.
    try_all(5, [1, 2]);
    let mut runner = TestRunner::new(config(24));
    let random = runner.run(&(0..machines.len(), any::<u64>()), |(machine, seed)| {
        let network = &machines[machine];
        let (hosts, grid) = allocation(&network.fabric, seed);
        applied.borrow_mut().extend(strategies_that_apply(network, &hosts, grid, seed));
        Ok(())
    });
    random.unwrap_or_else(|e| panic!("{e}"));
    let names: BTreeSet<&str> = mapping::LIST.iter().map(|k| k.entry().name).collect();
    assert_eq!(applied.into_inner(), names, "a strategy that never applied was not tested");
}
