//! One result at any number of threads.

use super::*;

#[test]
fn a_run_gives_the_same_bytes_at_any_number_of_threads() {
    let scenarios = [
        (
            "percs:ns=4,nd=2",
            "indirect",
            "transpose:grid=16x32",
            "default,random,row,column,hybrid,greedy,drawer-random,supernode-random",
        ),
        (
            "percs:ns=4,nd=2",
            "direct",
            "halo:grid=16x32",
            "inner-search:of=supernode-random,evaluations=9000,congestion-search:evaluations=3000",
        ),
        ("dragonfly:p=4,a=8,h=4", "shortest", "alltoall", "default,random"),
        ("file:testdata/fabrics/rack64", "shortest", "halo:grid=8x8", "random,greedy,blocks:level=leaf,order=random"),
        ("file:testdata/fabrics/lmc1-8", "table:lid=spread", "uniform", "default,random"),
        ("torus:dims=4x4x4", "dor:tie=split", "matrix:file=testdata/matrices/lammps-melt-64.csv", "random,greedy"),
    ];
    for (topology, routing, traffic, mappings) in scenarios {
        let absolute = |spec: &str| spec.replace("testdata/", &format!("{}/testdata/", root()));
        for seed in [0, 9] {
            let scenario = Scenario::default()
                .topology(&absolute(topology))
                .and_then(|s| s.routing(routing)?.traffic(&absolute(traffic))?.mappings(mappings))
                .unwrap_or_else(|e| panic!("{e}"));
            let bytes = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
                pool.install(|| {
                    let plan = Plan::new(&scenario.clone().seed(seed), &Disk).unwrap_or_else(|e| panic!("{e}"));
                    let outcome = run::map(&plan, &mut Silent).unwrap_or_else(|e| panic!("{topology}: {e}"));
                    let chosen: Vec<Mapping> = outcome.candidates.iter().map(|c| c.chosen.clone()).collect();
                    (serde_json::to_string(&outcome).expect("JSON"), chosen)
                })
            };
            assert_eq!(bytes(1), bytes(2), "{topology} {routing} {traffic}, seed {seed}");
        }
    }
}
