//! The inside of a host as `lstopo --of xml` writes it, of hwloc 2 and 3: NUMA domains with their cores are the processors,
//! InfiniBand and Ethernet cards the adapters; where there are GPUs these are the processors instead.
//! Source: hwloc's hwloc2.dtd and doc/hwloc.doxy, "Importing and exporting topologies from/to XML files".

mod links;
mod tree;

use super::nccl_topology::rates;
use super::xml;
use crate::error::{Error, Place, Result};
use crate::fabric::{Core, Inside, LinkRates, Medium, PartKind};
use crate::unit::Bandwidth;
use links::End;
use tree::{Domain, Machine};

/// The most NUMA domains of a host.
const MOST_DOMAINS: usize = 256;

/// True where a text is in this form, whatever it then holds.
pub(super) fn begins(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('<') && text.contains("<topology") && text.contains("type=\"Machine\"")
}

/// Reads the host of a file. O(text).
///
/// # Errors
/// It is no XML, or has no core; with the line.
pub(super) fn read(path: &str, text: &str, rates: LinkRates) -> Result<Inside> {
    let document = xml::parse(path, text, true)?;
    let fail = |text: String| Error::input(text).at(&Place::new(path, 0));
    let machine = Machine::of(document.root_element());
    if machine.cores.is_empty() {
        return Err(fail("no core in it".into())
            .hint("write it with `lstopo --of xml FILE`, from hwloc 2 on, and filter out no cores"));
    }
    if machine.domains.len() > MOST_DOMAINS {
        return Err(fail(format!("{} NUMA domains, expected at most {MOST_DOMAINS}", machine.domains.len())));
    }
    Ok(inside(path, &machine, rates))
}

fn inside(path: &str, machine: &Machine, rates: LinkRates) -> Inside {
    let mut inside = Inside::new(path);
    let plain =
        |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c)) && !name.is_empty();
    let name = machine.info.iter().find(|(name, _)| name == "HostName").map(|(_, value)| value.clone());
    inside.host_name = name.filter(plain);
    let gpus = machine.devices.iter().any(|device| device.is_gpu);
    let domains: Vec<u32> = machine
        .domains
        .iter()
        .zip(0..)
        .map(|(domain, n)| {
            let kind = if gpus { PartKind::Switch } else { PartKind::Processor { slots: domain.cores.len() as u32 } };
            inside.part(format!("numa{n}"), kind)
        })
        .collect();
    for (i, &a) in domains.iter().enumerate() {
        let info = |key: &str| machine.info.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        let socket = rates::socket(|name| match name {
            "vendor" => info("CPUVendor"),
            "modelid" => info("CPUModelNumber"),
            "arch" => info("Architecture").map(|arch| if arch.starts_with("ppc") { "ppc64" } else { arch }),
            _ => None,
        });
        domains[i + 1..].iter().for_each(|&b| inside.wire(a, b, Medium::Socket, socket));
    }
    devices(&mut inside, machine, &domains, gpus, rates);
    if !gpus {
        let own = |domain: &Domain| domain.cores.clone();
        inside.cores =
            machine.domains.iter().flat_map(own).filter_map(|core| machine.cores.get(core).cloned()).collect();
    } else if machine.links.is_empty() {
        inside.note(
            "no links between GPUs in it, which hwloc tells where it has NVML or ROCm SMI: what they exchange goes over \
             PCI Express",
        );
    } else {
        inside.note("links of GPUs carry what hwloc tells, which is raw");
    }
    inside
}

/// GPUs, where they run tasks, and adapters; bridges between them and their domain are switches.
fn devices(inside: &mut Inside, machine: &Machine, domains: &[u32], gpus: bool, rates: LinkRates) {
    let mut bridges = vec![None; machine.bridges.len()];
    let (mut gpu, mut adapters) = (0, 0);
    let mut parts = vec![None; machine.devices.len()];
    for (place, device) in machine.devices.iter().enumerate().filter(|(_, device)| gpus || !device.is_gpu) {
        let mut at = domains.get(device.domain).copied().unwrap_or(0);
        // From the domain down.
        for &bridge in &device.bridges {
            let part = match bridges[bridge] {
                Some(part) => part,
                None => {
                    let part = inside.part(format!("pci-{}", machine.bridges[bridge].0), PartKind::Switch);
                    inside.wire(part, at, Medium::Pcie, link(machine.bridges[bridge].1, rates));
                    bridges[bridge] = Some(part);
                    part
                }
            };
            at = part;
        }
        let part = if device.is_gpu {
            gpu += 1;
            inside.numa.push(device.numa);
            inside.part(format!("gpu{}", gpu - 1), PartKind::Processor { slots: 1 })
        } else {
            adapters += 1;
            inside.part(device.name.clone(), PartKind::Adapter { bandwidth: None })
        };
        inside.wire(part, at, Medium::Pcie, link(device.speed, rates));
        parts[place] = Some(part);
    }
    let mut switch = None;
    for link in &machine.links {
        let to = match link.to {
            End::Gpu(other) => parts.get(other).copied().flatten(),
            End::Switch => Some(*switch.get_or_insert_with(|| inside.part("nvswitch", PartKind::Switch))),
            End::Domain(domain) => domains.get(domain).copied(),
        };
        if let (Some(Some(from)), Some(to)) = (parts.get(link.gpu).copied(), to) {
            inside.wire(from, to, link.medium, Bandwidth::gb_s(link.mb_s.min(1_000_000_000) as f64 / 1e3));
        }
    }
    if adapters == 0 {
        inside.note("no adapter in it: `lstopo --of xml` tells them where it may read PCI devices");
    }
}

/// A PCI link of so many GB/s; 0 where nobody knows: then as of generation 3.
fn link(speed: f64, rates: LinkRates) -> Bandwidth {
    if speed > 0.0 && speed < 1e6 { Bandwidth::gb_s(speed) } else { rates::pcie(None, None, rates) }
}

/// A core for binding.
pub(super) fn core(package: Option<u32>, number: u32, pus: Vec<u32>) -> Core {
    Core { package, number, pus }
}
