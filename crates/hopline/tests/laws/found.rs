//! Faults that these laws found.

use super::*;

#[test]
fn a_torus_may_end_in_an_extent_of_one() {
    for dims in ["1", "4x1", "3x2x1"] {
        let network = network(&format!("torus:dims={dims}"), Some("dor"));
        let demand = built_traffic(&network, "alltoall");
        let place: Vec<VertexId> = (0..demand.tasks()).map(VertexId).collect();
        let loads = evaluate(&demand, &place, &*network.routing).expect("loads");
        assert_eq!(loads.load.len(), network.fabric.links());
    }
}

#[test]
fn a_block_with_an_impossible_amount_is_refused() {
    for amount in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(Demand::new(2, Unit::Units, vec![(0, 1, amount)], Vec::new()).is_err(), "{amount} in an entry");
        let block = Block { sources: TaskSet::all(2), destinations: TaskSet::all(2), amount, to_self: true };
        assert!(Demand::new(2, Unit::Units, Vec::new(), vec![block]).is_err(), "{amount} in a block");
    }
}

#[test]
fn a_spec_quotes_a_path_that_looks_like_a_key() {
    let place = Place::new("test", 0);
    let params = Params::from_spec("file:[a=b.txt]", &place).expect("a spec");
    assert_eq!(Params::from_spec(&params.spec(), &place).as_ref(), Ok(&params), "{}", params.spec());
}

/// The spec that every outcome prints must say the same as the TOML file it came from.
#[test]
fn a_grid_from_toml_has_a_spec_that_can_be_read() {
    let toml = "topology = \"torus:dims=4x4\"\n[traffic]\nkind = \"halo\"\ngrid = [4, 4]\n";
    let scenario = Scenario::from_toml("test.toml", toml).expect("a scenario");
    let spec = Plan::new(&scenario, &Disk).expect("a plan").traffic_spec;
    let again = scenario.traffic(&spec).expect(&spec);
    assert!(Plan::new(&again, &Disk).is_ok(), "{spec}");
}
