//! Hosts with an inside in a network: the list, both as one fabric, and bounds.

use crate::common::{data, fabric, network};
use crate::{LSTOPO, MATRIX, POD, XML, between, scenario};
use hopline::demand::{Demand, Flows};
use hopline::entry::Listed as _;
use hopline::event::Silent;
use hopline::fabric::{LinkRates, PartKind};
use hopline::files::{Disk, Memory};
use hopline::format::HOST_FORMS;
use hopline::id::{HostId, LinkId, VertexId};
use hopline::plan::{Network, Plan};
use hopline::rng::Rng;
use hopline::routing::{Path, Route, load_by_routes};
use hopline::run;
use hopline::scenario::Scenario;
use hopline::topology::{HOSTS, inside};
use std::collections::BTreeMap;

#[test]
fn ways_inside_are_those_of_nccl() {
    let files = Memory([("host.xml".to_string(), XML.as_bytes().to_vec())].into());
    let net = Network::new(&Scenario::default().topology("file:host.xml").unwrap(), &files).unwrap();
    let f = &*net.fabric;
    let way = |a: &str, b: &str| {
        let mut path = Path::default();
        net.routing.path(f.find(a).unwrap(), f.find(b).unwrap(), 0, &mut path).unwrap();
        path.links.iter().map(|&l| f.class_of(l).name.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(way("gpu0", "gpu1"), "nvlink", "direct");
    assert_eq!(way("gpu0", "gpu2"), "pcie-24 pcie-24 socket pcie-12", "by the sockets");
    // On NVSwitches and below one PCIe switch: both are two links, NVLink is wider.
    let a100 = inside("dgx-a100", LinkRates::Raw, &Disk).unwrap().fabric().unwrap();
    let (topology, routing) = (&net.topology, "shortest".parse::<hopline::routing::Spec>().unwrap());
    let a100 = std::sync::Arc::new(a100);
    let routing = routing.build(topology, &a100, &Disk).unwrap();
    let mut path = Path::default();
    routing.path(VertexId(0), VertexId(1), 0, &mut path).unwrap();
    assert!(path.links.iter().all(|&l| a100.class_of(l).name == "nvlink"), "{:?}", path.links);
}

#[test]
fn every_inside_of_the_list_is_whole() {
    for host in HOSTS {
        for rates in [LinkRates::Nccl, LinkRates::Raw] {
            let inside = host.inside(rates);
            let name = host.entry().name;
            assert_eq!(inside.name, name);
            let f = inside.fabric().unwrap();
            assert_eq!(f.endpoints() as usize, inside.processors().len(), "{name}");
            let adapters = inside.adapters();
            assert!(!adapters.is_empty() && inside.rails() == adapters, "{name}");
            assert!(
                adapters
                    .iter()
                    .all(|&at| { matches!(inside.parts[at as usize].kind, PartKind::Adapter { bandwidth: Some(_) }) })
            );
        }
        let [nccl, raw] = [LinkRates::Nccl, LinkRates::Raw].map(|rates| host.inside(rates));
        assert!(nccl.wires.iter().zip(&raw.wires).all(|(a, b)| a.bandwidth <= b.bandwidth), "{}", host.entry().name);
    }
    let error = inside("dgx-h10", LinkRates::Nccl, &Disk).unwrap_err().to_string();
    assert_eq!(
        error,
        "`dgx-h10` is no inside of a host, and no bandwidth such as 25 or 200Gb/s; did you mean `dgx-h100`?"
    );
}

#[test]
fn hosts_and_the_network_between_them_are_one_fabric() {
    let (_, f) = fabric(POD);
    assert_eq!((f.endpoints(), f.hosts().len(), f.hosts().slots()), (32, 4, 32));
    let outside = f.outside().expect("a network between hosts");
    assert_eq!(f.switches(), 4 * (8 + 2 + 1) + outside.fabric().vertices());
    // Every link outside is the same in the whole.
    for l in outside.fabric().link_ids() {
        let (own, whole) = (outside.fabric(), outside.link(l));
        assert_eq!(f.source(whole), outside.vertex(own.source(l)));
        assert_eq!(f.target(whole), outside.vertex(own.target(l)));
        assert_eq!(f.reverse(whole), outside.link(own.reverse(l)));
        assert_eq!(f.port(whole), own.port(l));
    }
    let classes: Vec<(&str, f64)> =
        f.classes().iter().map(|c| (c.name.as_str(), c.bandwidth.unwrap().as_gb_s())).collect();
    let all = [("nvlink", 370.8), ("pcie", 48.0), ("socket", 22.0), ("adapter", 50.0), ("up1", 50.0)];
    assert_eq!(classes, all, "innermost first; adapters without a limit have that of the inside");
    let levels: Vec<(&str, u32)> = f.levels().iter().map(|l| (l.name.as_str(), l.parts)).collect();
    assert_eq!(levels, [("host", 4), ("level2", 1)], "a leaf is part of all hosts: no level within another");
    // Without some links the rest stays in step.
    let broken = f.without(&[LinkId(0), outside.link(LinkId(5))]);
    let left = broken.outside().unwrap();
    assert_eq!(left.fabric().links(), outside.fabric().links() - 2);
    assert!(left.fabric().link_ids().all(|l| broken.source(left.link(l)) == left.vertex(left.fabric().source(l))));
}

#[test]
fn bandwidths_and_insides_share_a_key() {
    let (_, plain) = fabric("fat-tree:pods=1,servers=4,adapters=8,host=25");
    assert!(plain.outside().is_none() && plain.class_of(plain.adapter_link(VertexId(0)).unwrap()).bandwidth.is_some());
    let refused = |spec: &str| {
        let params = hopline::params::Params::from_spec(spec, &hopline::error::Place::new("test", 0)).unwrap();
        hopline::topology::build(&params, &Disk).expect_err(spec).to_string()
    };
    assert!(refused("torus:dims=4x4,host=nothing").contains("`nothing` is no inside of a host"));
    assert!(refused("torus:dims=4x4,rates=raw").contains("`rates` says nothing without `inside`"));
    assert!(refused("torus:dims=4x4,host=dgx-h100,rates=fast").contains("nccl or raw"));
    assert!(refused(&format!("{POD},rails=8")).contains("no host has more than 8 adapters"));
}

/// Paths, routes and loads say the same, whatever the network and the rails.
#[test]
fn routes_between_processors_obey_the_laws() {
    for spec in [
        POD.to_string(),
        format!("{POD},rails=stripe"),
        format!("{POD},rails=3"),
        "fat-tree:k=4,n=2,host=mi300x".into(),
        "dragonfly:p=1,a=4,h=1,host=epyc-2s,slots=4".into(),
        "torus:dims=4x2,host=dgx-a100".into(),
        "file:testdata/fabrics/rack64,host=xeon-2s,slots=2".into(),
    ] {
        let net = network(&spec, None);
        let (f, routing) = (&*net.fabric, &*net.routing);
        let mut rng = Rng::new(1, &spec);
        for _ in 0..60 {
            let [a, b] = [(); 2].map(|()| VertexId(rng.below(u64::from(f.endpoints())) as u32));
            let (mut path, mut route, mut channels) = (Path::default(), Route::new(), Vec::new());
            let (mut by_paths, mut total) = (BTreeMap::<LinkId, f64>::new(), 0.0);
            for choice in 0..routing.choices(a, b).unwrap() {
                routing.path(a, b, choice, &mut path).unwrap();
                let end = path.links.iter().fold(a, |at, &l| {
                    assert_eq!(f.source(l), at, "{spec}: a path is broken");
                    f.target(l)
                });
                assert_eq!(end, b, "{spec}");
                total += path.share;
                path.links.iter().for_each(|&l| *by_paths.entry(l).or_default() += path.share);
                routing.channels(&path, choice, &mut channels);
                assert_eq!(channels.len(), path.links.len());
                assert!(path.links.len() as u32 <= routing.most_hops() + 2 || a == b, "{spec}");
            }
            assert!((total - 1.0).abs() < 1e-9, "{spec}: shares add up to {total}");
            routing.route(a, b, &mut route).unwrap();
            let mut by_route = BTreeMap::<LinkId, f64>::new();
            route.iter().for_each(|&(l, share)| *by_route.entry(l).or_default() += share);
            assert!(by_route.keys().eq(by_paths.keys()), "{spec}");
            assert!(by_route.iter().all(|(l, share)| (share - by_paths[l]).abs() < 1e-9), "{spec}");
            let number = routing.draw(a, b, routing.choices(a, b).unwrap(), rng.word(), &mut path).unwrap();
            routing.channels(&path, number, &mut channels);
            assert!(path.links.iter().all(|l| by_paths.contains_key(l)), "{spec}: a draw leaves the paths");
        }
        let tasks = f.endpoints().min(24) as usize;
        let row = |a: usize| (0..tasks).map(|b| if a == b { 0.0 } else { 2.0 }).collect::<Vec<f64>>();
        let demand = Demand::from_rows(&(0..tasks).map(row).collect::<Vec<_>>()).unwrap();
        let place: Vec<VertexId> = (0..demand.tasks()).map(|t| VertexId((t * 5 + 1) % f.endpoints())).collect();
        let flows = Flows::new(&demand, &place, f);
        let [mut whole, mut single] = [(); 2].map(|()| vec![0.0; f.links()]);
        routing.load(&flows, &mut whole).unwrap();
        load_by_routes(routing, &flows, &mut single).unwrap();
        assert!(whole.iter().zip(&single).all(|(x, y)| (x - y).abs() < 1e-9 * (1.0 + x)), "{spec}");
        let hosts = f.hosts();
        let same = |a: usize, b: usize| a != b && hosts.owner(place[a]) == hosts.owner(place[b]);
        let inside = (0..tasks).flat_map(|a| (0..tasks).map(move |b| (a, b))).filter(|&(a, b)| same(a, b)).count();
        assert!((flows.local - 2.0 * inside as f64).abs() < 1e-9 * (1.0 + flows.local), "{spec}");
        assert!((flows.local + flows.remote - demand.total()).abs() < 1e-9 * demand.total(), "{spec}");
    }
}

/// What GPUs of a rail exchange stays at their leaf; what stays in a host loads no adapter.
#[test]
fn rails_and_hosts_keep_their_traffic() {
    let net = network(POD, None);
    let f = &*net.fabric;
    let classes = |a: u32, b: u32| {
        let mut path = Path::default();
        net.routing.path(VertexId(a), VertexId(b), 0, &mut path).unwrap();
        path.links.iter().map(|&l| f.class_of(l).name.as_str()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(classes(0, 7), "nvlink nvlink");
    assert_eq!(classes(3, 11), "pcie pcie adapter adapter pcie pcie", "the same rail of two hosts");
    assert_eq!(classes(3, 12), "pcie pcie adapter up1 up1 adapter pcie pcie", "another rail");
}

/// Throughput is told by level: tensor-parallel traffic in hosts no longer hides the adapters.
#[test]
fn loads_are_told_level_by_level() {
    let plan = Plan::new(&scenario(POD, "alltoall"), &Disk).unwrap();
    let outcome = run::load(&plan, 3, &mut Silent).unwrap();
    let [within, between] = &outcome.summary.levels[..] else { panic!("{:?}", outcome.summary.levels) };
    assert_eq!((within.name.as_str(), between.name.as_str()), ("within hosts", "between hosts"));
    assert!((within.share + between.share - 1.0).abs() < 1e-12);
    // Of 32 GPUs 24 are in other hosts: a host sends 8 * 24/32 of its units through 8 adapters of 48 GB/s.
    let rate = between.throughput_gb_s.unwrap();
    assert!(rate <= 8.0 * 50.0 + 1e-9, "{rate} GB/s leave a host with 8 adapters of 50");
    // Of 8 messages within its host a GPU sends one to itself, which takes no link.
    let nvlinks = 8.0 * 370.8 * 8.0 / 7.0;
    assert!((within.throughput_gb_s.unwrap() - nvlinks).abs() < 1e-6 * nvlinks, "{within:?}");
}

/// No order of ranks has less than the bounds say, insides or not.
#[test]
fn bounds_hold_with_insides() {
    for spec in [
        POD,
        "fat-tree:pods=2,servers=2,adapters=4,over=2,bandwidth=50,host=mi300x",
        "dragonfly:p=1,a=2,h=1,host=xeon-2s,slots=4",
    ] {
        let mut job = scenario(spec, "halo:grid=4x6").mappings("default,random,greedy,multilevel").unwrap();
        job.seed = 5;
        let outcome = run::map(&Plan::new(&job, &Disk).unwrap(), &mut Silent).unwrap();
        for tried in &outcome.candidates {
            let summary = &tried.summary;
            assert!(
                tried.hop_bound.is_none_or(|least| summary.hop_bytes >= least * (1.0 - 1e-9)),
                "{spec} {}",
                tried.mapping
            );
            assert!(tried.bound.is_none_or(|least| summary.busy.0 >= least * (1.0 - 1e-6)), "{spec} {}", tried.mapping);
        }
    }
}

/// On the machine whose hosts are read, too.
#[test]
fn a_dump_takes_insides() {
    let Some(dump) = data("fabrics/dgx-ndr") else { return };
    let spec = format!("file:{dump}/ibnetdiscover.txt,host=dgx-h100");
    let built = Network::new(&Scenario::default().topology(&spec).unwrap(), &Disk);
    let net = match built {
        Ok(net) => net,
        Err(e) => panic!("{e}"),
    };
    let f = &*net.fabric;
    let used = (0..f.hosts().len()).map(HostId).filter(|&h| f.hosts().slot_count(h) > 0);
    assert!(used.clone().count() > 100 && used.clone().all(|h| f.hosts().slot_count(h) == 8));
    assert!(
        f.notes().iter().any(|note| note.contains("adapters of a host in the network: 2 to 4, inside dgx-h100: 8")),
        "{:?}",
        f.notes()
    );
    let mut path = Path::default();
    net.routing.path(VertexId(0), VertexId(8), 0, &mut path).unwrap();
    assert!(path.links.iter().any(|&l| f.class_of(l).name == "pcie"));
}

/// Hosts that manage the fabric have no inside, and are told as those that were left out.
#[test]
fn who_manages_the_fabric_is_told_with_insides_too() {
    let Some(dump) = data("fabrics/dgx-ndr") else { return };
    let plan = |host: &str, hosts: &str| {
        let topology = format!("file:{dump}/ibnetdiscover.txt{host}");
        let job = Scenario::default().topology(&topology).unwrap().traffic("shift:by=1,tasks=8").unwrap().hosts(hosts);
        Plan::new(&job, &Disk)
    };
    let notes = |host: &str| plan(host, "@compute").unwrap().notes.join("\n");
    for host in ["", ",host=dgx-h100"] {
        assert!(notes(host).contains("left out by their names: B11-P1-CUFM-02"), "{}", notes(host));
    }
    let refused = plan(",host=dgx-h100", "B11-P1-CUFM-02").err().unwrap().to_string();
    assert!(refused.contains("runs no tasks; by its name it manages the fabric"), "{refused}");
}

/// Where no socket joins a GPU to an adapter, another GPU passes on what it sends, as NCCL's PXN does: with fewer adapters
/// in the network than GPUs, and with given ones.
#[test]
fn adapters_of_another_gpu_are_reached_through_it() {
    for (host, way) in [("gb200-nvl72", "nvlink nvlink c2c pcie"), ("frontier", "xgmi-36 pcie pcie")] {
        for spec in [
            format!("full-mesh:n=2,bandwidth=50,host={host}"),
            format!("fat-tree:pods=1,servers=2,adapters=4,bandwidth=50,host={host},rails=0"),
            format!("fat-tree:pods=1,servers=2,adapters=4,bandwidth=50,host={host},rails=stripe"),
        ] {
            let plan = Plan::new(&scenario(&spec, "alltoall"), &Disk).unwrap();
            let outcome = run::load(&plan, 3, &mut Silent).unwrap_or_else(|e| panic!("{spec}: {e}"));
            assert_eq!(outcome.summary.levels.len(), 2, "{spec}");
        }
        // GPU 2 to adapter 0 of its host, then out.
        let net = network(&format!("full-mesh:n=2,bandwidth=50,host={host}"), None);
        let (f, mut path) = (&*net.fabric, Path::default());
        net.routing.path(f.find("r0.gpu2").unwrap(), f.find("r1.gpu0").unwrap(), 0, &mut path).unwrap();
        let classes: Vec<&str> = path.links.iter().map(|&l| f.class_of(l).name.as_str()).collect();
        assert!(classes.join(" ").starts_with(way), "{host}: {classes:?}");
    }
}

/// GPUs of every form know their NUMA domain where the form does, and launchers get both.
#[test]
fn gpus_know_their_numa_domain() {
    use hopline::format::EXPORTS;
    use hopline::mapping::Mapping;
    let numa = |text: &str| {
        let form = HOST_FORMS.iter().find(|form| (form.begins)(text)).unwrap();
        (form.read)("host.xml", text, LinkRates::Nccl).unwrap().numa
    };
    assert_eq!(numa(XML), [Some(0), Some(0), Some(1)]);
    assert_eq!(
        numa(&XML.replace("numaid=\"1\"", "numaid=\"-1\"")),
        [Some(0), Some(0), None],
        "as virtual machines tell"
    );
    assert_eq!(numa(MATRIX), [Some(0), Some(0), Some(1)]);
    let gpu = LSTOPO.replace("pci_type=\"0207", "pci_type=\"0302").replace("name=\"ib0\"", "name=\"cuda0\"");
    let gpu = gpu.replacen("NUMANode\" os_index=\"1\"", "NUMANode\" os_index=\"8\"", 1);
    assert_eq!(numa(&gpu), [Some(8)], "the number of the operating system");
    assert!(numa(LSTOPO).is_empty(), "cores are bound by their threads");
    for host in HOSTS {
        let inside = host.inside(LinkRates::Nccl);
        let gpus = inside.parts.iter().any(|part| part.name == "gpu0");
        assert_eq!(inside.numa.len(), if gpus { inside.processors().len() } else { 0 }, "{}", inside.name);
    }
    let (_, f) = fabric(POD);
    let mapping = Mapping::new(f.slots().iter().rev().copied().collect(), &f).unwrap();
    let placement = mapping.placement(&f, &f.slots());
    let text = |name: &str| {
        let export = EXPORTS.iter().find(|export| export.entry().name == name).unwrap();
        export.write(&placement).unwrap()
    };
    assert!(text("wrapper").contains("\n0) gpu=7 numa=1 ;;\n") && text("wrapper").contains("\n31) gpu=0 numa=0 ;;\n"));
    assert!(text("gpu-order").contains("\nq0s3|q0s3.*) gpus=7,6,5,4,3,2,1,0 ;;\n"), "{}", text("gpu-order"));
}

/// Frontier's GPUs have eight links each, of which one leads to the CPU and, of odd ones, one to the adapter.
#[test]
fn links_of_frontier_add_up() {
    let f = HOSTS.iter().find(|host| host.entry().name == "frontier").unwrap().inside(LinkRates::Raw).fabric().unwrap();
    for gpu in 0..8 {
        let at = f.find(&format!("gpu{gpu}")).unwrap();
        let between = f.out_links(at).filter(|&l| f.is_endpoint(f.target(l)));
        let links: f64 = between.map(|l| f.class_of(l).bandwidth.unwrap().as_gb_s() / 50.0).sum();
        assert!((links + 1.0 + f64::from(gpu % 2) - 8.0).abs() < 1e-9, "gpu{gpu}: {links}");
    }
    for (a, b, rate) in
        [("gpu0", "gpu6", 100.0), ("gpu2", "gpu4", 100.0), ("gpu0", "gpu2", 50.0), ("gpu1", "gpu5", 50.0)]
    {
        assert_eq!(between(&f, a, b)[0].1, rate, "{a} {b}");
    }
}
