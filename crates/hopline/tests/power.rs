//! Links that stay on: laws against brute force, closed forms of what is saved.

mod common;

use common::{network, pairs};
use hopline::demand::{Demand, Unit};
use hopline::error::Place;
use hopline::fabric::Fabric;
use hopline::files::{Disk, Memory};
use hopline::format::{Switched, ibportstate};
use hopline::id::{LinkId, SlotId, VertexId};
use hopline::loads;
use hopline::mapping::Mapping;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::power::{Keep, Lit, Model, Power, SwitchCount, cables, dark_on_routes, light};
use hopline::rng::Rng;

fn model(keys: &str) -> Model {
    let params = Params::from_spec(&format!("power:{keys}"), &Place::new("test", 0)).expect("keys");
    Model::read(&params, &Disk).expect("model")
}

/// Task t in slot t.
fn places(net: &Network, tasks: u32) -> Vec<VertexId> {
    let mapping = Mapping::new((0..tasks).map(SlotId).collect(), &net.fabric).expect("mapping");
    mapping.places(net.fabric.hosts())
}

fn demand(tasks: u32, pairs: &[(u32, u32)]) -> Demand {
    let entries = pairs.iter().map(|&(from, to)| (from, to, 1.0)).collect();
    Demand::new(tasks, Unit::Units, entries, Vec::new()).expect("demand")
}

fn load(net: &Network, job: &Demand) -> Vec<f64> {
    loads::evaluate(job, &places(net, job.tasks()), &*net.routing).expect("loads").load
}

/// Part of every endpoint over links that are on and not `failed`, by flooding.
fn parts(fabric: &Fabric, on: &dyn Fn(LinkId) -> bool, failed: Option<LinkId>) -> Vec<u32> {
    let mut part = vec![u32::MAX; fabric.vertices() as usize];
    let gone = |l: LinkId| failed.is_some_and(|f| l == f || l == fabric.reverse(f));
    for root in 0..fabric.endpoints() {
        let mut look = vec![root];
        while let Some(v) = look.pop() {
            if part[v as usize] != u32::MAX {
                continue;
            }
            part[v as usize] = root;
            let out = fabric.out_links(VertexId(v)).filter(|&l| on(l) && !gone(l));
            look.extend(out.map(|l| fabric.target(l).0));
        }
    }
    part.truncate(fabric.endpoints() as usize);
    part
}

#[test]
fn what_is_kept_on_is_enough() {
    let mut rng = Rng::new(3, "power");
    for (topology, routing) in pairs().filter(|p| !p.0.contains("ns=40") && !p.0.contains("ns=37")) {
        let net = network(topology, Some(routing));
        let fabric = &*net.fabric;
        let tasks = fabric.hosts().slots().min(40);
        let pick = |rng: &mut Rng| rng.below(u64::from(tasks)) as u32;
        let pairs: Vec<(u32, u32)> = (0..12).map(|_| (pick(&mut rng), pick(&mut rng))).collect();
        let job = demand(tasks, &pairs);
        let load = load(&net, &job);
        let all = |_: LinkId| true;
        for (connected, spare) in [(false, false), (true, false), (true, true)] {
            let lit = light(fabric, &load, Keep { connected, spare, bisection: 0.0 });
            let found = dark_on_routes(&job, &places(&net, tasks), &*net.routing, &lit).expect("routes");
            assert_eq!(found, None, "{topology} {routing}");
            let on = |l: LinkId| lit.is_on(l);
            if connected {
                assert_eq!(parts(fabric, &on, None), parts(fabric, &all, None), "{topology} {routing}");
            }
            for cable in cables(fabric).filter(|&l| spare && lit.is_on(l)) {
                let (after, whole) = (parts(fabric, &on, Some(cable)), parts(fabric, &all, Some(cable)));
                assert_eq!(after, whole, "{topology} {routing}: {} fails", fabric.link_name(cable));
            }
        }
    }
}

#[test]
fn a_dark_link_on_a_route_is_found() {
    let net = network("torus:dims=4x4", None);
    let lit = light(&net.fabric, &load(&net, &demand(16, &[(0, 1)])), Keep::default());
    let other = demand(16, &[(0, 1), (0, 2)]);
    let (flow, link) = dark_on_routes(&other, &places(&net, 16), &*net.routing, &lit).expect("routes").expect("dark");
    assert_eq!((flow.source, flow.target), (VertexId(0), VertexId(2)));
    assert!(!lit.is_on(link));
}

/// Links that cross from the first half of a torus of 8 x 4 to the second, one way.
fn crossing(fabric: &Fabric, lit: &Lit) -> usize {
    let half = fabric.endpoints() / 2;
    let links = fabric.link_ids().filter(|&l| lit.is_on(l));
    links.filter(|&l| fabric.source(l).0 < half && fabric.target(l).0 >= half).count()
}

#[test]
fn a_share_of_the_bisection_stays() {
    let net = network("torus:dims=4x8", None);
    let nothing = vec![0.0; net.fabric.links()];
    for (bisection, least) in [(1.0, 8), (0.5, 4), (0.3, 3), (0.0, 0)] {
        let lit = light(&net.fabric, &nothing, Keep { bisection, ..Keep::default() });
        // Halves of rows meet in two cuts of four cables: the flow needs one cable for each share.
        assert_eq!(crossing(&net.fabric, &lit), least, "{bisection}");
    }
}

#[test]
fn savings_are_their_closed_form() {
    let net = network("full-mesh:n=4", None);
    let load = load(&net, &demand(4, &[(0, 1), (2, 3), (3, 2)]));
    let lit = light(&net.fabric, &load, Keep::default());
    let power = Power::new(&net.fabric, &model(""), &load, &lit);
    assert_eq!((power.links, power.used, power.off, power.switches), (12, 3, 8, 0));
    assert!((power.machine_saving - 0.4 * 0.65 * 8.0 / 12.0).abs() < 1e-12);
    // One that sends takes 2 W, an idle one 1 W, a dark one 0.5 W: 15 W, of which 8 * 0.5 are saved.
    let power = Power::new(&net.fabric, &model("on=2,idle=0.5,off=0.25"), &load, &lit);
    assert!((power.watts - 15.0).abs() < 1e-12 && (power.saved_watts - 4.0).abs() < 1e-12);
    // Off and on again takes 110 us at 2 W instead of 0.5: as much as 330 us of idleness save.
    assert!((power.classes[0].break_even_s.expect("pays") - 330e-6).abs() < 1e-12);
    let of_class = Power::new(&net.fabric, &model("on=9,classes=[mesh:on=2,idle=0.5,off=0.25]"), &load, &lit);
    assert_eq!(of_class, power);
}

#[test]
fn switches_of_a_fat_tree_are_consolidated() {
    let net = network("fat-tree:k=2,n=3,host=1", None);
    // Neighbours under each of two leaves: of the 12 switches these two stay on.
    let load = load(&net, &demand(8, &[(0, 1), (2, 3)]));
    assert_eq!(light(&net.fabric, &load, Keep::default()).switches(&net.fabric), SwitchCount { cabled: 12, dark: 10 });
    // Four leaves under a common tree: two switches above two leaves each, and one that joins them.
    let lit = light(&net.fabric, &load, Keep { connected: true, ..Keep::default() });
    assert_eq!(lit.switches(&net.fabric), SwitchCount { cabled: 12, dark: 12 - 4 - 2 - 1 });
}

#[test]
fn fewer_roots_leave_more_switches_dark() {
    // All to all on 27 endpoints: 9 leaves, 9 switches above them, 9 roots; R of the roots and as many ways up.
    let pairs: Vec<(u32, u32)> = (0..27 * 27).map(|i| (i / 27, i % 27)).filter(|p| p.0 != p.1).collect();
    for (roots, dark) in [(9, 0), (3, 6), (1, 6 + 8)] {
        let net = network("fat-tree:k=3,n=3,host=1", Some(&format!("d-mod-k:roots={roots}")));
        let job = demand(27, &pairs);
        let lit = light(&net.fabric, &load(&net, &job), Keep::default());
        assert_eq!(lit.switches(&net.fabric), SwitchCount { cabled: 27, dark }, "{roots}");
        assert_eq!(dark_on_routes(&job, &places(&net, 27), &*net.routing, &lit).expect("routes"), None);
    }
}

#[test]
fn a_table_of_watts_says_the_same_as_keys() {
    let table = "class,idle,on,wake\n# links of a mesh\nmesh,,2,\n*,0.5,1,7\n";
    let files = Memory([("watts.csv".to_string(), table.as_bytes().to_vec())].into());
    let params = Params::from_spec("power:table=watts.csv,off=0.25", &Place::new("test", 0)).expect("keys");
    let read = Model::read(&params, &files).expect("model");
    let net = network("full-mesh:n=4", None);
    let mut same = model("on=1,off=0.25,idle=0.5,wake=7,classes=[mesh:on=2]");
    assert_eq!(read.table(&net.fabric), same.table(&net.fabric));
    same = model("off=0.25");
    assert_ne!(read.table(&net.fabric), same.table(&net.fabric));
    let long = format!("class,on\n{}", "x,1\n".repeat((1 << 16) + 1));
    for (wrong, says) in [
        ("on\n1\n", "head"),
        ("class,volt\n*,1\n", "volt"),
        ("class,on\n*,1,2\n", "3 cells"),
        (&long, "watts.csv:65538: more than 65536 classes"),
    ] {
        let files = Memory([("watts.csv".to_string(), wrong.as_bytes().to_vec())].into());
        let error = Model::read(&params, &files).expect_err(says).to_string();
        assert!(error.contains(says), "{error}");
    }
}

#[test]
fn classes_that_are_not_there_and_wrong_figures_are_refused() {
    let net = network("full-mesh:n=4", None);
    let error = model("classes=[mash:on=1]").check(&net.fabric).expect_err("class").to_string();
    assert!(error.contains("did you mean `mesh`"), "{error}");
    for wrong in ["idle=2", "on=-1", "links=1.5", "classes=[mesh:links=0.5]", "volt=3"] {
        let params = Params::from_spec(&format!("power:{wrong}"), &Place::new("test", 0)).expect("keys");
        assert!(Model::read(&params, &Disk).is_err(), "{wrong}");
    }
}

/// The lines of a part of a script: GUID and port.
fn ports<'a>(script: &'a str, part: &str) -> Vec<(&'a str, u16)> {
    let body = script.split_once(&format!("\n{part}() {{\n")).expect(part).1.split_once("\n}").expect(part).0;
    let port = |line: &'a str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[0] == "port").then(|| (words[1], words[2].parse().expect(line)))
    };
    body.lines().filter_map(port).collect()
}

/// Step by step: the switch that is told is joined to the hosts before and after, and nothing else but a single switch
/// that goes dark is ever cut off.
#[test]
fn cables_go_off_in_an_order_that_never_cuts_the_fabric() {
    let (_, fabric) = common::fabric("file:testdata/fabrics/rack64");
    let mut rng = Rng::new(5, "power");
    for busy in [0, 1, 3, 9, 40] {
        let mut load = vec![0.0; fabric.links()];
        (0..busy).for_each(|_| load[rng.below(fabric.links() as u64) as usize] = 1.0);
        let lit = light(&fabric, &load, Keep { connected: true, ..Keep::default() });
        let off: Vec<LinkId> = lit.dark(&fabric).collect();
        let script = ibportstate(&fabric, Switched { off: &off, narrow: &[] }, "a test").expect("a script");
        let steps = ports(&script, "off");
        assert_eq!(steps.len(), off.len());
        assert!(ports(&script, "on").into_iter().eq(steps.iter().copied().rev()), "on in the other order");
        let mut on = vec![true; fabric.links()];
        // Vertices joined to the first host.
        let joined = |on: &[bool]| {
            let (mut seen, mut stack) = (vec![false; fabric.vertices() as usize], vec![VertexId(0)]);
            while let Some(v) = stack.pop() {
                if !std::mem::replace(&mut seen[v.index()], true) {
                    stack.extend(fabric.out_links(v).filter(|&l| on[l.index()]).map(|l| fabric.target(l)));
                }
            }
            seen
        };
        for (guid, port) in steps {
            let switch = fabric.find(guid).expect(guid);
            let link = fabric.out_links(switch).find(|&l| fabric.port(l) == port).expect("a port");
            let before = joined(&on);
            on[link.index()] = false;
            on[fabric.reverse(link).index()] = false;
            let after = joined(&on);
            assert!(before[switch.index()] && after[switch.index()], "{guid} is told and out of reach");
            let lost: Vec<usize> = (0..before.len()).filter(|&v| before[v] && !after[v]).collect();
            assert!(lost.len() <= 1 && lost.iter().all(|&v| v >= fabric.endpoints() as usize), "{lost:?}");
        }
        assert!(off.iter().all(|l| !on[l.index()]), "all of them");
    }
    // Without the cables that join them hosts would be apart, and percs has no GUIDs.
    let all: Vec<LinkId> = cables(&fabric).collect();
    let error = ibportstate(&fabric, Switched { off: &all, narrow: &[] }, "a test").expect_err("cut").to_string();
    assert!(error.contains("would be cut off from other hosts") && error.contains("keep enough cables on"), "{error}");
    let (_, percs) = common::fabric("percs:ns=2,nd=1,hub=100");
    let one = [cables(&percs).find(|&l| !percs.is_host_link(l)).expect("a cable")];
    let error = ibportstate(&percs, Switched { off: &one, narrow: &[] }, "a test").expect_err("no GUID").to_string();
    assert!(error.contains("no InfiniBand fabric"), "{error}");
}
