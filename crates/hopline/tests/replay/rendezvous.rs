//! Large messages: their requests and grants pass the data on the links.

use super::*;

#[test]
fn large_packets_hold_back_no_grants() {
    let net = network("fat-tree:k=4,n=3,host=1", None);
    let ring = collective("allreduce-ring", 64, 16 << 20);
    let time = |keys: &str| run(&net, &ring, keys).makespan() as f64 * 1e-9;
    let fluid = time("network=fluid");
    for packet in ["2K", "4K", "16K", "64K"] {
        let (eager, large) =
            (time(&format!("packet={packet},forward=cut,S=1G")), time(&format!("packet={packet},forward=cut")));
        println!("packets of {packet}: {large:.3} ms, eager {eager:.3} ms, fluid {fluid:.3} ms");
        assert!((large / eager - 1.0).abs() < 0.002, "{packet}: {large} ms, eager {eager} ms");
        assert!((large / fluid - 1.0).abs() < 0.002, "{packet}: {large} ms, fluid {fluid} ms");
    }
}

/// Rank 1 sends eagerly and is sent a large message: the grant goes where its data go.
fn crossing() -> Schedule {
    stream(2, &[(1, 0, 900_000), (0, 1, 1_100_000)])
}

#[test]
fn a_grant_passes_data_and_takes_its_header_from_the_link() {
    let net = network("full-mesh:n=2", None);
    let record = Record { watch: Some(Watch { bin: 2_000_000 * NS, links: Vec::new() }), critical: true };
    for (keys, header) in [("", 0), (",header=100", 100), (",header=100,buffers=4M", 100)] {
        let r = run_with(&net, &crossing(), &model(&format!("packet=300000,S=1M{keys}")), &record);
        // Request, grant, four packets of data.
        assert_eq!(r.makespan(), (2 * header + 1_100_000 + 4 * header) * NS, "{keys}");
        // Two packets have their time when the grant comes, the third one leaves later by its header.
        assert_eq!(r.done.arrived[0].1, (900_000 + 3 * header + header) * NS, "{keys}");
        let busy = (2_000_000 + 9 * header) * NS;
        assert_eq!((r.busy.iter().sum::<u64>(), r.timeline[0].iter().sum()), (busy, busy), "{keys}");
    }
    // The adapter does not hold it back either: its data take 2 ns a byte there.
    let ideal = run(&net, &crossing(), "S=1M,network=ideal,G=2,L=5");
    assert_eq!(ideal.finish[1], (2 * 5 + 5 + 2 * 1_099_999) * NS);
}

#[test]
fn requests_wait_for_each_other() {
    // Two messages to rank 2 of a star: their requests come to its link at once and leave it one by one; then both
    // messages share it.
    let net = network("tree:arity=4,bandwidth=1,host=1", None);
    let schedule = stream(4, &[(0, 2, 10_000), (1, 2, 10_000)]);
    let r = run(&net, &schedule, "S=0,header=1000,packet=10000");
    // Two links of 1,000 ns there, two back, 11,000 for the first link, twice that for the last.
    assert_eq!(r.makespan(), (4_000 + 11_000 + 22_000) * NS);
    assert_eq!(r.packet_hops, 3 * 2 * 2);
}

#[test]
fn grants_need_no_room_in_buffers() {
    // Rings whose buffers are full of data in both directions, on two channels.
    let net = network("torus:dims=5", Some("dor"));
    let both: Vec<_> = (0..5).flat_map(|r| [(r, (r + 2) % 5, 50_000), (r, (r + 3) % 5, 50_000)]).collect();
    let schedule = stream(5, &both);
    for header in [0, 64] {
        let keys = |more: &str| format!("packet=1000,header={header},S=0{more}");
        let (free, full) = (run(&net, &schedule, &keys("")), run(&net, &schedule, &keys(",buffers=1064")));
        assert_eq!((&free.busy, free.packet_hops), (&full.busy, full.packet_hops));
        assert_eq!(full, run(&net, &schedule, &keys(",buffers=1064")));
    }
}
