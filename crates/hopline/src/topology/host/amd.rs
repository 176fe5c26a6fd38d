//! Machines with AMD's GPUs.

use super::dgx::sockets;
use super::{Host, PCIE_5, Rate, below_switches};
use crate::entry::Entry;
use crate::fabric::{Inside, Medium};
use crate::unit::Bandwidth;

pub(super) const MI300X: Host = Host {
    entry: Entry {
        name: "mi300x",
        summary: "8 MI300X, each joined to all others, 8 adapters of 400 Gb/s, 2 sockets",
        doc: "Each GPU has an Infinity Fabric link to each of the 7 others: 64 GB/s one way raw, 48 by RCCL. Two GPUs and two \
              adapters share each of 4 PCIe switches: 16 lanes of generation 5, 63 GB/s raw, 48 by RCCL; the GPUs of a switch \
              use its adapters in their order. Between the sockets RCCL assumes 16 GB/s; the raw rate is not published, so \
              that it is the same here.\n\
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
        inside
    },
};
