//! Replay beside the flit engine.

use super::*;

/// Cycles until the flit engine has delivered `bytes` along every pair of the demand.
pub(super) fn flit_cycles(net: &Network, demand: &Demand, bytes: u64, keys: &str) -> u32 {
    let params = Params::from_spec(&format!("router:{keys}"), &Place::new("test", 0)).expect("keys");
    let router = params.check(&ROUTER).and_then(|r| Router::read(&r)).expect("router");
    let wiring = Arc::new(Wiring::new(&net.fabric, router.latency).expect("wiring"));
    let context =
        forwarding::Context { topology: &net.topology, fabric: &net.fabric, wiring: &wiring, routing: &*net.routing };
    let forwarding = forwarding::build(&net.routing_params, &context).expect("forwarding");
    let place: Vec<VertexId> = (0..demand.tasks()).map(|t| net.fabric.hosts().endpoint_of(SlotId(t))).collect();
    let setting = hopline::flits::FlitModel::new(
        wiring,
        &forwarding,
        router,
        hopline::flits::Injection { demand, place: &place, process: Process::Exchange { bytes }, load: 1.0, seed: 1 },
    );
    let mut simulation = Simulation::of_any(setting.expect("setting"), 1);
    while !simulation.is_over() {
        simulation.advance(10).expect("alone");
        assert!(simulation.now() < 1_000_000, "never ends");
    }
    simulation.now()
}

/// A flit of 64 bytes per cycle of 1 ns is 64 GB/s; buffers of 512 flits bind nobody here.
#[test]
fn flits_and_packets_agree_where_buffers_do_not_bind() {
    for topology in [
        "dragonfly:p=2,a=4,h=2,local=64,global=64,host=64,local_latency=10,global_latency=30",
        "fat-tree:k=4,n=2,bandwidth=64,host=64",
        "tree:arity=4x4,bandwidth=64,host=64",
    ] {
        let net = network(topology, None);
        let n = net.fabric.hosts().slots().min(24);
        let bytes = 8192;
        let shift = stream(n, &(0..n).map(|r| (r, (r + 5) % n, 16 * bytes)).collect::<Vec<_>>());
        for (name, schedule, bytes) in
            [("alltoall", collective("linear", n, bytes), bytes), ("shift", shift, 16 * bytes)]
        {
            let demand = schedule.demand().expect("demand");
            let cycles = flit_cycles(&net, &demand, bytes, "packet=4,buffers=512,output=512");
            let nanos = run(&net, &schedule, "packet=256,forward=cut,S=1G").makespan() / NS;
            let ratio = nanos as f64 / f64::from(cycles);
            assert!((0.95..1.05).contains(&ratio), "{topology} {name}: {nanos} ns, {cycles} cycles");
        }
    }
}
