//! Machines with AMD's GPUs.

use super::dgx::sockets;
use super::{GPU, Host, PCIE_4, PCIE_5, Rate, below_switches};
use crate::entry::Entry;
use crate::fabric::{Inside, Medium, PartKind};
use crate::unit::Bandwidth;

pub(super) const MI300X: Host = Host {
    entry: Entry {
        name: "mi300x",
        summary: "8 MI300X, each joined to all others, 8 adapters of 400 Gb/s, 2 sockets",
        doc: "Each GPU has an Infinity Fabric link to each of the 7 others: 64 GB/s one way raw, 48 by RCCL. Two GPUs and two \
              adapters share each of 4 PCIe switches: 16 lanes of generation 5, 63 GB/s raw, 48 by RCCL; the GPUs of a switch \
              use its adapters in their order; each socket is one NUMA domain. Between the sockets RCCL \
              assumes 16 GB/s; the raw rate is not published, so that it is the same here.\n\
              Source: AMD, \"Instinct MI300X platform\"; RCCL, src/graph/topo.h.",
        example: "mi300x",
        params: &[],
    },
    build: |rates| {
        let mut inside = Inside::new("mi300x");
        let gpus = below_switches(&mut inside, 4, 2, Bandwidth::gb_s(50.0), PCIE_5.of(rates));
        let link = Rate { nccl: 48.0, raw: 64.0 }.of(rates);
        for (i, &a) in gpus.iter().enumerate() {
            gpus[i + 1..].iter().for_each(|&b| inside.wire(a, b, Medium::Xgmi, link));
        }
        sockets(&mut inside, Rate { nccl: 16.0, raw: 16.0 }, rates);
        inside.numa = (0..8).map(|gpu| Some(gpu / 4)).collect();
        inside
    },
};

pub(super) const FRONTIER: Host = Host {
    entry: Entry {
        name: "frontier",
        summary: "a node of Frontier: 4 MI250X, each two GPUs with an adapter of 200 Gb/s, 1 socket",
        doc: "A rank has one of the 8 GPUs (GCDs) of the modules. Infinity Fabric links carry 50 GB/s one way raw, 36 by RCCL: 4 join the \
              GPUs of a module, 2 join 0 with 6 and 2 with 4, 1 joins 0 with 2, 4 with 6, and 1 with 3 and 5, 7 with 3 and 5; each GPU has one \
              to the socket, which RCCL and raw take for 36. The adapter of a module hangs at its odd GPU and serves both, as if below a \
              switch: PCIe of generation 4 with extended speed, 50 GB/s raw, 24 by RCCL. GPUs 0 and 1 are in NUMA domain 3, \
              2 and 3 in 1, 4 and 5 in 0, 6 and 7 in 2. Cores are left out.\n\
              Source: OLCF, \"Frontier User Guide\", compute nodes; LUMI user guide, \"LUMI-G hardware\", whose figure of the same \
              node tells the pairs with two links; RCCL, tools/topo_expl/models/topo_8p_90a.xml and src/graph/topo.h.",
        example: "frontier",
        params: &[],
    },
    build: |rates| {
        let mut inside = Inside::new("frontier");
        let gpus: Vec<u32> = (0..8).map(|n| inside.part(format!("gpu{n}"), GPU)).collect();
        let port = PartKind::Adapter { bandwidth: Some(Bandwidth::gb_s(25.0)) };
        let adapters: Vec<u32> = (0..4).map(|n| inside.part(format!("nic{n}"), port)).collect();
        let socket = inside.part("cpu0", PartKind::Switch);
        let extended = Rate { nccl: PCIE_4.nccl, raw: 50.0 };
        let times = |links: f64| Rate { nccl: 36.0 * links, raw: 50.0 * links }.of(rates);
        for (module, &adapter) in adapters.iter().enumerate() {
            let switch = inside.part(format!("module{module}"), PartKind::Switch);
            inside.wire(adapter, switch, Medium::Pcie, extended.of(rates));
            for &gpu in gpus.iter().skip(2 * module).take(2) {
                inside.wire(gpu, switch, Medium::Pcie, extended.of(rates));
            }
        }
        let links =
            [(0, 1, 4.0), (2, 3, 4.0), (4, 5, 4.0), (6, 7, 4.0), (0, 6, 2.0), (2, 4, 2.0), (0, 2, 1.0), (4, 6, 1.0)];
        let odd = [(1, 3, 1.0), (1, 5, 1.0), (3, 7, 1.0), (5, 7, 1.0)];
        for (a, b, links) in links.into_iter().chain(odd) {
            inside.wire(gpus[a], gpus[b], Medium::Xgmi, times(links));
        }
        gpus.iter().for_each(|&gpu| inside.wire(gpu, socket, Medium::Xgmi, Bandwidth::gb_s(36.0)));
        inside.numa = [3, 3, 1, 1, 0, 0, 2, 2].map(Some).to_vec();
        inside
    },
};
