//! Machines without GPUs: domains of cores.

use super::dgx::sockets;
use super::{Host, PCIE_4, PCIE_5, Rate};
use crate::entry::Entry;
use crate::fabric::{Inside, LinkRates, Medium, PartKind};
use crate::unit::Bandwidth;

pub(super) const EPYC_2S: Host = Host {
    entry: Entry {
        name: "epyc-2s",
        summary: "2 sockets of 64 cores, an adapter of 200 Gb/s at the first",
        doc: "A socket is one endpoint with a slot for each core, what its cores exchange is free; slots= says how many cores \
              both have together. Between the sockets NCCL assumes 16 GB/s; the raw rate depends on the board, so that it is the \
              same here. The adapter hangs on 16 lanes of PCIe of generation 4: 31.5 GB/s raw, 24 by NCCL.\n\
              Source: NCCL, src/graph/topo.h.",
        example: "epyc-2s",
        params: &[],
    },
    build: |rates| {
        let (link, port) = (Rate { nccl: 16.0, raw: 16.0 }, Bandwidth::gb_s(25.0));
        two("epyc-2s", 64, link, PCIE_4, port, rates)
    },
};

pub(super) const XEON_2S: Host = Host {
    entry: Entry {
        name: "xeon-2s",
        summary: "2 sockets of 56 cores (Sapphire Rapids), an adapter of 400 Gb/s at the first",
        doc: "A socket is one endpoint with a slot for each core, what its cores exchange is free; slots= says how many cores \
              both have together. Between the sockets there are 3 UPI links of 35.8 GB/s raw; NCCL assumes 22 in all. The \
              adapter hangs on 16 lanes of PCIe of generation 5: 63 GB/s raw, 48 by NCCL.\n\
              Source: NCCL, src/graph/topo.h; Intel PCM, UPI at 16 GT/s.",
        example: "xeon-2s",
        params: &[],
    },
    build: |rates| {
        let (link, port) = (Rate { nccl: 22.0, raw: 107.4 }, Bandwidth::gb_s(50.0));
        two("xeon-2s", 56, link, PCIE_5, port, rates)
    },
};

fn two(name: &str, cores: u32, link: Rate, pcie: Rate, port: Bandwidth, rates: LinkRates) -> Inside {
    let mut inside = Inside::new(name);
    let first = inside.part("cpu0", PartKind::Processor { slots: cores });
    inside.part("cpu1", PartKind::Processor { slots: cores });
    let adapter = inside.part("nic0", PartKind::Adapter { bandwidth: Some(port) });
    sockets(&mut inside, link, rates);
    inside.wire(first, adapter, Medium::Pcie, pcie.of(rates));
    inside
}
