//! One cable after the other, and pairs of them.

use super::*;
use hopline::entry::Listed as _;
use hopline::plan::Network;
use hopline::scenario::Scenario;

/// Small fabrics of every family that has a routing which finds its way.
pub(crate) const FABRICS: &[&str] = &[
    "percs:ns=1,nd=1",
    "dragonfly:p=1,a=2,h=1",
    "dragonfly:p=1,a=3,h=2,g=4,arrangement=circulant",
    "torus:dims=4x3",
    "mesh:dims=4",
    "mesh:dims=3x2",
    "kncube:k=2,n=3",
    "tree:arity=2x3",
    "fat-tree:k=2,n=3",
    "fat-tree:down=2x3,up=1x2,host=1",
    "full-mesh:n=5",
    "hyperx:dims=2x3,p=2",
    "slim-fly:q=3,p=1",
    "dragonfly-plus:p=1,l=2,s=2,h=1",
    "jellyfish:n=8,r=3,p=1",
    "cray-xc:testdata/fabrics/xc-mini.interconnect",
    "file:path=testdata/fabrics/lmc1-8,tables=none",
    "file:path=testdata/fabrics/ring5-lash,tables=none",
];

/// Of those a few links twice over, so that parallel cables and links of hosts that are endpoints themselves are there.
const DOUBLED: &[&str] = &["torus:dims=2x3", "hyperx:dims=3x2,p=1,trunk=2x1"];

#[test]
fn every_family_is_there() {
    for family in topology::LIST {
        let name = family.entry().name;
        // Messages pass its cables one way, by the one routing that it has, which needs all of them.
        let is_there = FABRICS.iter().any(|spec| spec.split(':').next() == Some(name));
        assert!(is_there || name == "omega", "no small fabric of `{name}`");
    }
}

/// Every routing of the list finds its way, and is looked at; or it is refused; or it depends on queues.
#[test]
fn every_routing_is_there() {
    for kind in hopline::routing::LIST {
        let (name, on) = (kind.entry().name, kind.network());
        let spec = on.replace("testdata/", &format!("{}/testdata/", root()));
        let machine = Machine::new(on);
        let inner = machine.cables().into_iter().find(|&cable| !machine.whole.is_host_link(cable)).expect("a cable");
        let cable = machine.whole.link_name(inner);
        let example = kind.entry().example.replace("testdata/", &format!("{}/testdata/", root()));
        let scenario = Scenario::default().topology(&spec).and_then(|s| s.routing(&example));
        let port = cable.split(" -> ").next().expect("a port");
        match Network::new(&scenario.expect("a scenario").without(port), &Disk) {
            Err(error) => assert!(error.to_string().contains("needs a whole machine"), "{name}: {error}"),
            Ok(_) => assert!(
                RULES.iter().any(|(rule, _)| rule.split(':').next() == Some(name))
                    || ["table", "ugal-l", "ugal-g", "up-adaptive"].contains(&name),
                "`{name}` finds its way, and no test here looks at it"
            ),
        }
    }
}

/// Routings that have a rule and take the whole fabric.
fn routings(machine: &Machine) -> impl Iterator<Item = (&'static str, Rule)> + '_ {
    RULES.into_iter().filter(|(routing, _)| machine.routing(routing, &machine.whole).is_ok())
}

#[test]
fn every_single_cable() {
    let mut tally = Tally::default();
    for spec in FABRICS.iter().chain(DOUBLED) {
        let machine = Machine::new(spec);
        let taken: Vec<_> = routings(&machine).collect();
        assert!(taken.len() >= 4, "{spec}: {taken:?}");
        for cable in machine.cables() {
            for &rule in &taken {
                tally += check(&machine, rule, &machine.links_of(&[cable]));
            }
        }
    }
    assert!(tally.exact > 1000 && tally.apart > 100, "{tally:?}");
}

#[test]
fn every_pair_of_cables() {
    let mut tally = Tally::default();
    for spec in ["fat-tree:down=2x3,up=1x2,host=1", "dragonfly:p=1,a=2,h=1"] {
        let machine = Machine::new(spec);
        let cables = machine.cables();
        for (at, &first) in cables.iter().enumerate() {
            for &second in &cables[at + 1..] {
                for rule in routings(&machine) {
                    tally += check(&machine, rule, &machine.links_of(&[first, second]));
                }
            }
        }
    }
    assert!(tally.exact > 100 && tally.apart > 100, "{tally:?}");
}
