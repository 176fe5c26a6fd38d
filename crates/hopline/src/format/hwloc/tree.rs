//! What hwloc's tree of objects says, flat.

use super::core;
use super::links::{End, Link, links};
use crate::fabric::Core;
use roxmltree::Node;
use rustc_hash::FxHashMap;

/// A NUMA domain.
#[derive(Debug, Default)]
pub(super) struct Domain {
    /// Places of its cores.
    pub(super) cores: Vec<usize>,
    /// Its number by the operating system.
    pub(super) number: Option<u32>,
}

/// A GPU or an adapter.
#[derive(Debug)]
pub(super) struct Device {
    pub(super) name: String,
    pub(super) is_gpu: bool,
    /// Its PCI link in GB/s, 0 where unknown.
    pub(super) speed: f64,
    pub(super) domain: usize,
    /// The number of the domain that it hangs at; none where it hangs at the whole machine.
    pub(super) numa: Option<u32>,
    /// Bridges between the domain and it, from the domain down.
    pub(super) bridges: Vec<usize>,
    /// The numbers of its objects in the file.
    objects: Vec<u64>,
}

/// A machine.
#[derive(Debug, Default)]
pub(super) struct Machine {
    pub(super) cores: Vec<Core>,
    pub(super) domains: Vec<Domain>,
    pub(super) devices: Vec<Device>,
    /// Bus IDs and speeds of bridges.
    pub(super) bridges: Vec<(String, f64)>,
    /// What the machine and its packages say of themselves.
    pub(super) info: Vec<(String, String)>,
    /// Links of GPUs.
    pub(super) links: Vec<Link>,
    /// Packages and NVSwitches by the numbers of their objects; of packages the domain.
    others: Vec<(u64, End)>,
}

/// Where the walk is.
#[derive(Clone, Default)]
struct At {
    package: Option<u32>,
    domain: Option<usize>,
    bridges: Vec<usize>,
}

impl Machine {
    /// Reads the objects below `<topology>`, in document order. O(objects * depth of bridges).
    pub(super) fn of(root: Node<'_, '_>) -> Machine {
        let mut machine = Machine::default();
        let (mut packages, mut of_package) = (0, Vec::<u32>::new());
        let mut open = vec![(root, At::default())];
        while let Some((node, at)) = open.pop() {
            let mut below = Vec::new();
            for child in node.children().filter(Node::is_element) {
                if child.has_tag_name("info")
                    && let (Some(name), Some(value)) = (child.attribute("name"), child.attribute("value"))
                {
                    machine.info.push((name.into(), value.into()));
                }
                if !child.has_tag_name("object") {
                    continue;
                }
                let mut at = at.clone();
                // Memory is a child beside the cores that are near it.
                let kind = child.attribute("type").unwrap_or_default();
                let memory = child.children().find(|c| c.attribute("type") == Some("NUMANode"));
                // Memory of the whole machine does not tell its packages apart.
                if kind != "Machine" && memory.is_some() || kind == "Package" && at.domain.is_none() {
                    let number = memory.and_then(|node| node.attribute("os_index")?.parse().ok());
                    machine.domains.push(Domain { number, ..Domain::default() });
                    at.domain = Some(machine.domains.len() - 1);
                }
                match kind {
                    "Package" => {
                        at.package = Some(packages);
                        packages += 1;
                        of_package.push(0);
                        machine.others.extend(index(child).map(|n| (n, End::Domain(at.domain.unwrap_or(0)))));
                    }
                    "Core" => machine.add_core(child, &at, &mut of_package),
                    "Bridge" => {
                        if let Some(bus) = child.attribute("pci_busid") {
                            machine.bridges.push((bus.into(), speed(child)));
                            at.bridges.push(machine.bridges.len() - 1);
                        }
                    }
                    "PCIDev" => {
                        let switch = index(child).filter(|_| child.attribute("subtype") == Some("NVSwitch"));
                        machine.others.extend(switch.map(|n| (n, End::Switch)));
                        machine.add_device(child, &at);
                        continue;
                    }
                    _ => {}
                }
                below.push((child, at));
            }
            open.extend(below.into_iter().rev());
        }
        machine.keep_domains_with_cores();
        let mut ends: FxHashMap<u64, End> = machine.others.drain(..).collect();
        for (at, device) in machine.devices.iter().enumerate().filter(|(_, device)| device.is_gpu) {
            ends.extend(device.objects.iter().map(|&object| (object, End::Gpu(at))));
        }
        machine.links = links(root, |object| ends.get(&object).copied());
        machine
    }

    fn add_core(&mut self, node: Node<'_, '_>, at: &At, of_package: &mut Vec<u32>) {
        if of_package.is_empty() {
            of_package.push(0);
        }
        if self.domains.is_empty() {
            self.domains.push(Domain::default());
        }
        let Some(count) = of_package.get_mut(at.package.unwrap_or(0) as usize) else { return };
        let number = |pu: Node<'_, '_>| pu.attribute("os_index").and_then(|n| n.parse().ok());
        let mut pus: Vec<u32> =
            node.descendants().filter(|n| n.attribute("type") == Some("PU")).filter_map(number).collect();
        if pus.is_empty() {
            // Some files leave out threads; the set of a core tells them, too.
            pus = node.attribute("cpuset").map(bits).unwrap_or_default();
        }
        self.cores.push(core(at.package, *count, pus));
        *count += 1;
        let domain = at.domain.unwrap_or(0);
        if let Some(domain) = self.domains.get_mut(domain) {
            domain.cores.push(self.cores.len() - 1);
        }
    }

    /// A PCI function that is a GPU of a maker whose GPUs compute, or an adapter.
    fn add_device(&mut self, node: Node<'_, '_>, at: &At) {
        let kind = node.attribute("pci_type").unwrap_or_default().to_ascii_lowercase();
        let names: Vec<&str> = node
            .descendants()
            .filter(|n| n.attribute("type") == Some("OSDev"))
            .filter_map(|n| n.attribute("name"))
            .collect();
        let computes =
            names.iter().any(|name| ["cuda", "nvml", "rsmi", "ze"].iter().any(|word| name.starts_with(word)));
        let is_gpu = (kind.starts_with("03") || kind.starts_with("12")) && computes;
        let is_adapter = kind.starts_with("02") && !names.is_empty();
        if !is_gpu && !is_adapter {
            return;
        }
        // An InfiniBand card has a name for its network device and one for its verbs.
        let verbs =
            |name: &&&str| ["mlx", "hfi", "irdma", "efa", "bnxt", "rdma", "qedr"].iter().any(|w| name.starts_with(w));
        let name = names.iter().find(verbs).or(names.first()).copied().unwrap_or("net").to_string();
        let numa = at.domain.and_then(|domain| self.domains.get(domain)?.number);
        let (domain, bridges) = (at.domain.unwrap_or(0), at.bridges.clone());
        let objects = node.descendants().filter_map(index).collect();
        self.devices.push(Device { name, is_gpu, speed: speed(node), domain, numa, bridges, objects });
    }

    /// Memory without cores (HBM, CXL) is no domain to run in; its devices go to the first.
    fn keep_domains_with_cores(&mut self) {
        let mut place = vec![0; self.domains.len()];
        let mut next = 0;
        for (domain, place) in self.domains.iter().zip(&mut place) {
            *place = if domain.cores.is_empty() { 0 } else { next };
            next += usize::from(!domain.cores.is_empty());
        }
        self.domains.retain(|domain| !domain.cores.is_empty());
        self.devices.iter_mut().for_each(|device| {
            device.domain = place.get(device.domain).copied().unwrap_or(0);
        });
        self.others.iter_mut().for_each(|(_, end)| {
            if let End::Domain(domain) = end {
                *domain = place.get(*domain).copied().unwrap_or(0);
            }
        });
    }
}

/// The numbers in a set: words of 32 bits with commas between them, the highest first; `0xf...f` for all is none.
fn bits(set: &str) -> Vec<u32> {
    let words = set.split(',').rev().take(1 << 12).zip(0u32..);
    let word = |text: &str| u32::from_str_radix(text.trim().trim_start_matches("0x"), 16).unwrap_or(0);
    words
        .flat_map(|(text, at)| (0..32).filter(move |bit| word(text) >> bit & 1 == 1).map(move |bit| 32 * at + bit))
        .collect()
}

/// The number of an object in the file, to which matrices refer.
fn index(node: Node<'_, '_>) -> Option<u64> {
    node.attribute("gp_index")?.parse().ok()
}

fn speed(node: Node<'_, '_>) -> f64 {
    node.attribute("pci_link_speed").and_then(|speed| speed.parse().ok()).unwrap_or(0.0)
}
