//! NVIDIA's machines.

use super::{GPU, Host, PCIE_4, PCIE_5, Rate, below_switches};
use crate::entry::Entry;
use crate::fabric::{Inside, LinkRates, Medium, PartKind};
use crate::unit::Bandwidth;

pub(super) const DGX_H100: Host = Host {
    entry: Entry {
        name: "dgx-h100",
        summary: "8 H100 on NVSwitches, an adapter of 400 Gb/s beside each, 2 sockets",
        doc: "18 NVLink4 of each GPU lead to the NVSwitches, which stand for one: 450 GB/s one way raw, 18 * 20.6 = 370.8 \
              by NCCL. A GPU and its adapter (mlx5_0, 3, 4, 5, 6, 9, 10, 11; the others are for storage and management, and \
              left out) share a PCIe switch: 16 lanes of generation 5, 63 GB/s raw, 48 by NCCL. GPUs 0 to 3 are at socket 0 \
              and in its one NUMA domain. Between the sockets NCCL assumes 22 GB/s; raw it is 3 UPI links of 35.8.\n\
              Source: NVIDIA, \"DGX H100 System User Guide\"; NCCL, src/graph/topo.h.",
        example: "dgx-h100",
        params: &[],
    },
    build: |rates| h100("dgx-h100", rates),
};

pub(super) const DGX_H200: Host = Host {
    entry: Entry {
        name: "dgx-h200",
        summary: "the same with H200, whose memory alone is larger",
        doc: "Links and adapters are those of dgx-h100: an H200 has the same 18 NVLink4.\n\
              Source: NVIDIA, \"DGX H100/H200 System User Guide\".",
        example: "dgx-h200",
        params: &[],
    },
    build: |rates| h100("dgx-h200", rates),
};

fn h100(name: &str, rates: LinkRates) -> Inside {
    let mut inside = Inside::new(name);
    let gpus = below_switches(&mut inside, 8, 1, Bandwidth::gb_s(50.0), PCIE_5.of(rates));
    switched(&mut inside, &gpus, Rate { nccl: 370.8, raw: 450.0 }, rates);
    sockets(&mut inside, Rate { nccl: 22.0, raw: 107.4 }, rates);
    inside.numa = (0..8).map(|gpu| Some(gpu / 4)).collect();
    inside
}

pub(super) const DGX_A100: Host = Host {
    entry: Entry {
        name: "dgx-a100",
        summary: "8 A100 on NVSwitches, 8 adapters of 200 Gb/s, 2 sockets",
        doc: "12 NVLink3 of each GPU lead to the NVSwitches, which stand for one: 300 GB/s one way raw, 12 * 20 = 240 by NCCL. \
              Two GPUs and two adapters share each of 4 PCIe switches: 16 lanes of generation 4, 31.5 GB/s raw, 24 by NCCL; \
              the GPUs of a switch use its adapters in their order, and are in NUMA domains 3, 1, 7 and 5. Between the \
              sockets NCCL assumes 16 GB/s; the raw rate is not published, so that it is the same here.\n\
              Source: NVIDIA, \"DGX A100 System User Guide\"; NCCL, src/graph/topo.h.",
        example: "dgx-a100",
        params: &[],
    },
    build: |rates| {
        let mut inside = Inside::new("dgx-a100");
        let gpus = below_switches(&mut inside, 4, 2, Bandwidth::gb_s(25.0), PCIE_4.of(rates));
        switched(&mut inside, &gpus, Rate { nccl: 240.0, raw: 300.0 }, rates);
        sockets(&mut inside, Rate { nccl: 16.0, raw: 16.0 }, rates);
        inside.numa = [3, 3, 1, 1, 7, 7, 5, 5].map(Some).to_vec();
        inside
    },
};

pub(super) const GB200_NVL72: Host = Host {
    entry: Entry {
        name: "gb200-nvl72",
        summary: "a rack of 72 B200 on NVSwitches: 18 trays of 4 GPUs, 2 Grace and 4 adapters of 400 Gb/s",
        doc: "The rack is one host here, because NVLink joins its GPUs: 18 NVLink5 of each lead to the switch trays, which \
              stand for one: 900 GB/s one way raw, 18 * 40.1 = 721.8 by NCCL. A launcher sees its 18 trays as hosts, whose names nobody tells, so \
              that launchers' files are refused (JSON has the slots): GPU g is GPU g mod 4 of tray g / 4. GPUs 0 and 1 of a tray hang at one Grace, NUMA domain 0, by NVLink-C2C (450 GB/s), adapters 0 and \
              1 by PCIe of generation 5. What joins the Graces of a tray is left out.\n\
              Source: NVIDIA, \"GB200 NVL72\"; NCCL, src/graph/topo.h.",
        example: "gb200-nvl72",
        params: &[],
    },
    build: |rates| {
        let mut inside = Inside::new("gb200-nvl72");
        let port = PartKind::Adapter { bandwidth: Some(Bandwidth::gb_s(50.0)) };
        let gpus: Vec<u32> = (0..72).map(|n| inside.part(format!("gpu{n}"), GPU)).collect();
        let adapters: Vec<u32> = (0..72).map(|n| inside.part(format!("nic{n}"), port)).collect();
        let graces: Vec<u32> = (0..36).map(|n| inside.part(format!("cpu{n}"), PartKind::Switch)).collect();
        for (n, (&gpu, &adapter)) in gpus.iter().zip(&adapters).enumerate() {
            inside.wire(gpu, graces[n / 2], Medium::C2c, Bandwidth::gb_s(450.0));
            inside.wire(adapter, graces[n / 2], Medium::Pcie, PCIE_5.of(rates));
        }
        switched(&mut inside, &gpus, Rate { nccl: 721.8, raw: 900.0 }, rates);
        inside.numa = (0..72).map(|gpu| Some(gpu / 2 % 2)).collect();
        inside.machines = Some(18);
        inside
    },
};

/// Joins GPUs by NVSwitches, which are as fast as the GPUs' links together.
fn switched(inside: &mut Inside, gpus: &[u32], rate: Rate, rates: LinkRates) {
    let switch = inside.part("nvswitch", PartKind::Switch);
    gpus.iter().for_each(|&gpu| inside.wire(gpu, switch, Medium::NvLink, rate.of(rates)));
}

/// Joins the two sockets.
pub(super) fn sockets(inside: &mut Inside, rate: Rate, rates: LinkRates) {
    let find = |name: &str| inside.parts.iter().position(|part| part.name == name).map(|at| at as u32);
    if let (Some(a), Some(b)) = (find("cpu0"), find("cpu1")) {
        inside.wire(a, b, Medium::Socket, rate.of(rates));
    }
}
