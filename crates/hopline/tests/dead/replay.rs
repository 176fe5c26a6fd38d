//! Replays on what is left of random networks: a message alone takes the time of its links, and links are busy for what the search says that they carry.

use super::*;
use hopline::event::Silent;
use hopline::id::SlotId;
use hopline::mapping::Mapping;
use hopline::replay::{Model, Places, Record, ReplayInput, Replayed, replay};
use hopline::schedule::Builder;

/// Bytes of a packet, and nanoseconds that it keeps a link: all have 1 GB/s.
const PACKET: u64 = 1000;
/// Nanoseconds from one end of a link to the other.
const LATENCY: u64 = 100;
/// Packets from each endpoint to each other.
const PACKETS: u64 = 64;

/// Endpoint e is rank e.
fn replayed(fabric: &Fabric, routing: &dyn Routing, messages: &[(usize, usize)], packets: u64) -> Replayed {
    let model: Params = format!("replay:packet={PACKET}").parse().expect("a model");
    let model = Model::read(&model).expect("a model");
    let ranks = fabric.endpoints();
    let mapping = Mapping::new((0..ranks).map(SlotId).collect(), fabric).expect("a mapping");
    let places = Places::new(&mapping, fabric.hosts()).expect("places");
    let mut builder = Builder::new(ranks);
    for &(s, t) in messages {
        builder.send(s as u32, t as u32, packets * PACKET, 0);
        builder.recv(t as u32, s as u32, packets * PACKET, 0);
    }
    let schedule = builder.finish().expect("a schedule");
    let input = ReplayInput { schedule: &schedule, routing, places: &places, model: &model };
    replay(input, &Record::default(), &mut Silent).unwrap_or_else(|e| panic!("{}: {e}", fabric.name()))
}

#[test]
fn random_networks() {
    let mut looked_at = 0;
    for number in 0..if common::is_slow() { 10_000 } else { 300 } {
        let (machine, dead) = random::machine(number);
        let live = Live::new(&machine.whole, &dead, false);
        let left = Arc::new(machine.whole.without(&dead));
        let lengths: Vec<_> = (0..live.endpoints).map(|t| live.lengths_to(t, Ways::All)).collect();
        let joined: Vec<_> = pairs(live.endpoints).filter(|&(s, t)| lengths[t][s].is_some()).collect();
        if joined.is_empty() {
            continue;
        }
        for name in ["shortest", "ecmp:seed=5"] {
            let what = format!("{} {name}", machine.spec);
            let own = machine.routing(name, &left).unwrap_or_else(|e| panic!("{what}: {e}"));
            for &(s, t) in &joined {
                let alone = replayed(&left, &*own, &[(s, t)], 1);
                let expected = lengths[t][s].expect("a way") * (PACKET + LATENCY) * 1000;
                assert_eq!(alone.makespan(), expected, "{what}: from {s} to {t}");
            }
            let all = replayed(&left, &*own, &joined, PACKETS);
            assert_eq!(all.messages, joined.len() as u64, "{what}");
            let (expected, slack) = match name {
                "shortest" => carried(&live, &joined),
                _ => followed(&live, &left, &*own, &joined),
            };
            let [expected, slack] = [expected, slack].map(|by_wire| live.by_port(&by_wire));
            for link in left.link_ids() {
                let at = (left.source(link).index(), left.port(link));
                let packets = all.busy[link.index()] as f64 / (PACKET * 1000) as f64;
                let (should, most) = (expected[&at], slack[&at]);
                assert!(
                    (packets - should).abs() <= most + 1e-9,
                    "{what}: {} carried {packets} packets, not {should}",
                    left.link_name(link)
                );
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 300, "{looked_at}");
}

/// Packets by link as the search spreads them, and by how many it may be otherwise: 64 packets take a sequence of low discrepancy (golden ratio),
/// whose counts differ from the shares by less than four for each pair with a choice.
fn carried(live: &Live, joined: &[(usize, usize)]) -> (Vec<f64>, Vec<f64>) {
    let (mut expected, mut slack) = (vec![0.0; live.wires.len()], vec![0.0; live.wires.len()]);
    for &(s, t) in joined {
        let (mut from, mut own) = (vec![0.0; live.vertices], vec![0.0; live.wires.len()]);
        from[s] = 1.0;
        live.spread(&from, t, Ways::All, &mut own);
        for (at, share) in own.into_iter().enumerate() {
            expected[at] += share * PACKETS as f64;
            slack[at] += if share > 0.0 && share < 1.0 - 1e-12 { 4.0 } else { 0.0 };
        }
    }
    (expected, slack)
}

/// The same of one path for each pair, which is as long as it must be: exactly.
fn followed(live: &Live, left: &Fabric, own: &dyn Routing, joined: &[(usize, usize)]) -> (Vec<f64>, Vec<f64>) {
    let mut expected = vec![0.0; live.wires.len()];
    let mut path = Path::default();
    for &(s, t) in joined {
        own.path(VertexId(s as u32), VertexId(t as u32), 0, &mut path).expect("a way");
        for &link in &path.links {
            let is_it = |wire: &brute::Wire| (wire.from, wire.port) == (left.source(link).index(), left.port(link));
            expected[live.wires.iter().position(is_it).expect("a link that lives")] += PACKETS as f64;
        }
    }
    (expected, vec![0.0; live.wires.len()])
}
