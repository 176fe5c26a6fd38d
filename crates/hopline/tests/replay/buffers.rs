//! Finite buffers: what must hold whatever they are, closed forms, deadlock, and the flit engine beside them.

use super::*;

/// All that does not depend on how packets are kept.
fn times(r: &Replayed) -> (&[u64], &[u64], u64, u64) {
    (&r.finish, &r.busy, r.messages, r.packet_hops)
}

#[test]
fn buffers_that_bind_nobody_are_as_if_unlimited() {
    for (topology, name, ranks) in [
        ("dragonfly:p=2,a=4,h=2,host=1,local_latency=10,global_latency=70", "linear", 40),
        ("fat-tree:k=4,n=2,host=1", "pairwise", 16),
        ("torus:dims=3x4", "allreduce-ring", 12),
        ("percs:ns=3,nd=4", "linear", 30),
    ] {
        let net = network(topology, None);
        let schedule = collective(name, ranks, 5000);
        for keys in ["packet=700,L=90,o=20,S=2000", "packet=700,forward=cut,G=0.1,g=40"] {
            let unlimited = run(&net, &schedule, keys);
            let huge = run(&net, &schedule, &format!("{keys},buffers=1G"));
            assert_eq!(times(&unlimited), times(&huge), "{topology} {name} {keys}");
        }
    }
}

#[test]
fn a_window_of_packets_pays_the_round_trip() {
    // One link of 1 GB/s and 500 ns: room for w packets of 1000 ns comes back 2 * 500 ns after they arrive.
    let net = network("dragonfly:p=1,a=2,h=1,local=1,local_latency=500", None);
    let message = stream(2, &[(0, 1, 20_000)]);
    for (window, expected) in [(1, 19 * 2000 + 1500), (2, 20_000 + 500), (20, 20_000 + 500)] {
        let r = run(&net, &message, &format!("packet=1000,buffers={}", window * 1000));
        assert_eq!(r.makespan(), expected * NS, "{window} packets");
    }
}

#[test]
fn full_buffers_hold_back_what_feeds_them() {
    // A row: 0 -> 3 and 2 -> 3 share the last link. With room for two packets, 0's wait where they are: its
    // first link is busy until the end, not only in the beginning; the last link is always full.
    let net = network("torus:dims=9", None);
    let schedule = stream(4, &[(0, 3, 64_000), (2, 3, 64_000)]);
    let mut out = net.fabric.out_links(VertexId(0));
    let link = out.find(|&l| net.fabric.target(l) == VertexId(1)).expect("0 -> 1");
    let watch = Record { watch: Some(Watch { bin: 64_000 * NS, links: vec![link] }), critical: false };
    let at = |keys: &str| {
        let r = run_with(&net, &schedule, &model(keys), &watch);
        (r.makespan(), r.timeline.last().expect("row").clone())
    };
    let (free, early) = at("packet=1000");
    let (held, late) = at("packet=1000,buffers=2000");
    assert_eq!(early[0], 64_000 * NS, "without limits all leaves at once");
    assert!(late[0] < 40_000 * NS && late[1] > 24_000 * NS, "{late:?}");
    assert_eq!(late.iter().sum::<u64>(), early.iter().sum::<u64>());
    assert!(held as f64 / (free as f64) < 1.05, "{held} {free}");
}

/// A message of every rank of a ring to the one after the next, with that routing.
fn around(routing: &str, keys: &str) -> hopline::error::Result<Replayed> {
    let net = network("torus:dims=5", Some(routing));
    let around = stream(5, &(0..5).map(|r| (r, (r + 2) % 5, 50_000)).collect::<Vec<_>>());
    let (places, model) = (places(&net, 5), model(keys));
    let input = ReplayInput { schedule: &around, routing: &*net.routing, places: &places, model: &model };
    replay(input, &Record::default(), &mut Silent)
}

#[test]
fn a_ring_of_full_buffers_is_a_deadlock_with_its_links() {
    let error = around("shortest", "packet=1000,buffers=1000,S=1G").expect_err("nobody can move").to_string();
    assert!(error.contains("a deadlock") && error.matches("then").count() == 4, "{error}");
    assert!(around("shortest", "packet=1000,buffers=200000,S=1G").is_ok());
}

#[test]
fn virtual_channels_keep_a_ring_moving() {
    for (buffers, slower) in [(1000, 2.5), (2000, 2.0), (200_000, 1.0)] {
        let r = around("dor", &format!("packet=1000,buffers={buffers},S=1G")).expect("two channels");
        // Each link carries two messages.
        let (best, time) = (100_000.0 * NS as f64, r.makespan() as f64);
        assert!((best..=(slower + 0.02) * best).contains(&time), "{buffers}: {time}");
    }
}

#[test]
fn buffers_must_hold_a_packet_and_belong_to_packets() {
    let wrong = |keys: &str| {
        let params = Params::from_spec(&format!("replay:{keys}"), &Place::new("test", 0)).expect("keys");
        Model::read(&params).expect_err("wrong").to_string()
    };
    assert!(wrong("packet=2048,header=8,buffers=2055").contains("expected at least a packet of 2056"));
    assert!(wrong("network=fluid,buffers=1M").contains("have none"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// In a tree, where no circle can be: the same twice, and every byte on the links of its path.
    #[test]
    fn laws(flows in prop::collection::vec((0u32..16, 1u32..16, 0u64..9000), 1..60), packets in 1u64..5) {
        let net = network("tree:arity=4x4,bandwidth=1,host=2", None);
        let flows: Vec<_> = flows.into_iter().map(|(from, by, bytes)| (from, (from + by) % 16, bytes)).collect();
        let schedule = stream(16, &flows);
        let keys = format!("packet=500,L=10,o=5,g=3,S=4000,buffers={}", packets * 500);
        let one = run(&net, &schedule, &keys);
        prop_assert_eq!(&one, &run(&net, &schedule, &keys));
        let free = run(&net, &schedule, "packet=500,L=10,o=5,g=3,S=4000");
        prop_assert_eq!(&one.busy, &free.busy);
        prop_assert_eq!(one.packet_hops, free.packet_hops);
        prop_assert_eq!(one.messages, flows.len() as u64);
    }
}

/// Completion in nanoseconds and cycles with so many flits of 64 bytes in every buffer.
fn beside_flits(topology: &str, shift: Option<u32>, flits: u32) -> (f64, f64) {
    let net = network(topology, None);
    let n = net.fabric.hosts().slots().min(24);
    let bytes = 8192;
    let schedule = match shift {
        Some(by) => stream(n, &(0..n).map(|r| (r, (r + by) % n, 16 * bytes)).collect::<Vec<_>>()),
        None => collective("linear", n, bytes),
    };
    let bytes = if shift.is_some() { 16 * bytes } else { bytes };
    let demand = schedule.demand().expect("demand");
    let cycles = flits::flit_cycles(&net, &demand, bytes, &format!("packet=4,buffers={flits},output=512"));
    let keys = format!("packet=256,forward=cut,S=1G,buffers={}", 64 * flits);
    ((run(&net, &schedule, &keys).makespan() / NS) as f64, f64::from(cycles))
}

/// On the same virtual channels, down to two packets each. On a Dragonfly whole packets wait for room where flits
/// wait for a place each, so small buffers cost a little more here. The guide has the table.
#[test]
fn flits_and_packets_with_small_buffers() {
    let dragonfly = "dragonfly:p=2,a=4,h=2,local=64,global=64,host=64,local_latency=10,global_latency=30";
    for (topology, most) in [
        ("fat-tree:k=4,n=2,bandwidth=64,host=64", 1.05),
        ("tree:arity=4x4,bandwidth=64,host=64", 1.05),
        (dragonfly, 1.07),
    ] {
        for shift in [None, Some(5)] {
            for flits in [4096, 512, 64, 16, 8] {
                let (nanos, cycles) = beside_flits(topology, shift, flits);
                println!("{topology} {shift:?} buffers={flits}: {nanos} ns, {cycles} cycles, {:.3}", nanos / cycles);
                let most = if flits == 4096 { 1.05 } else { most };
                assert!((0.95..most).contains(&(nanos / cycles)), "{topology} {shift:?} {flits}: {nanos} {cycles}");
            }
        }
    }
}
