//! The inside of a host as NCCL and RCCL write it (`NCCL_TOPO_DUMP_FILE`) and read it (`NCCL_TOPO_FILE`): `<system>` with
//! `<cpu>`, nested `<pci>`, `<gpu>` with its `<nvlink>` or `<xgmi>`, and `<nic>` with its `<net>`. One file is one host, or the
//! machines that NVLink joins, told apart by the `host_hash` of their CPUs.
//! Source: NCCL, src/graph/xml.cc and topo.cc; RCCL, the same files.

pub mod rates;

use super::words::quote;
use super::xml;
use crate::error::{Error, Place, Result};
use crate::fabric::{Inside, LinkRates, Medium, PartKind};
use crate::unit::Bandwidth;
use roxmltree::{Document, Node, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most GPUs and adapters of a host, and NUMA domains.
const MOST_PARTS: usize = 4096;
const MOST_DOMAINS: usize = 256;

/// True where a text is in this form, whatever it then holds.
pub(super) fn begins(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    text.starts_with('<') && (text.contains("<system ") || text.contains("<system>")) && !text.contains("<graphml")
}

/// Reads the host of a file. O(text).
///
/// # Errors
/// It is no XML, has no GPU with its links, two GPUs of one bus ID, or more parts than a host has; with the line.
pub(super) fn read(path: &str, text: &str, rates: LinkRates) -> Result<Inside> {
    let document = xml::parse(path, text, false)?;
    let root = document.root_element();
    if root.tag_name().name() != "system" {
        let line = document.text_pos_at(root.range().start).row;
        return Err(Error::input(format!("found <{}>, expected <system>", root.tag_name().name()))
            .at(&Place::new(path, line))
            .hint("NCCL_TOPO_DUMP_FILE=FILE has NCCL write such a file"));
    }
    let mut host =
        Host { path, document: &document, rates, inside: Inside::new(path), gpus: Vec::new(), nets: Vec::new() };
    host.walk(root)?;
    host.finish(root)
}

/// A GPU as it stands in the file.
struct Gpu<'a> {
    node: Node<'a, 'a>,
    /// With the machine that it is in.
    bus: Option<(&'a str, BusId)>,
    /// The part that it hangs at, by PCI Express of this bandwidth; and its CPU.
    parent: u32,
    pcie: Bandwidth,
    cpu: u32,
}

/// A port of an adapter.
struct Net<'a> {
    node: Node<'a, 'a>,
    parent: u32,
    pcie: Bandwidth,
}

/// What has been read.
struct Host<'a> {
    path: &'a str,
    document: &'a Document<'a>,
    rates: LinkRates,
    inside: Inside,
    gpus: Vec<Gpu<'a>>,
    nets: Vec<Net<'a>>,
}

/// Domain, bus, device, function.
type BusId = [u32; 4];

/// A bus ID as a machine or NCCL writes it: `0000:c1:00.0`, `00000000:C1:00.0`.
fn bus_id(text: &str) -> Option<BusId> {
    let (rest, function) = text.rsplit_once('.')?;
    let mut parts = rest.split(':');
    let mut next = || parts.next().and_then(|part| u32::from_str_radix(part, 16).ok());
    let id = [next()?, next()?, next()?, u32::from_str_radix(function, 16).ok()?];
    parts.next().is_none().then_some(id)
}

/// The class of a PCI function begins so.
fn has_class(node: Node<'_, '_>, attribute: &str, starts: &[&str]) -> bool {
    let class = node.attribute(attribute).unwrap_or_default().to_ascii_lowercase();
    starts.iter().any(|start| class.starts_with(start))
}

const GPU_CLASSES: [&str; 2] = ["0x03", "0x12"];
const SWITCH_CLASS: [&str; 1] = ["0x068000"];
const CPU_CLASS: [&str; 1] = ["0x068001"];

/// What hangs at a part, below a CPU.
struct Hanging<'a> {
    node: Node<'a, 'a>,
    at: u32,
    cpu: u32,
}

impl<'a> Host<'a> {
    fn fail(&self, node: Node<'_, '_>, message: impl Into<String>) -> Error {
        let line = self.document.text_pos_at(node.range().start).row;
        Error::input(message).at(&Place::new(self.path, line))
    }

    /// Everything above GPUs and adapters, which are kept for later.
    fn walk(&mut self, root: Node<'a, 'a>) -> Result<()> {
        let holds = holders(root);
        let mut cpus: Vec<(u32, Node<'a, 'a>)> = Vec::new();
        // By hand, since bridges may be nested deeply.
        let mut open: Vec<Hanging<'a>> = Vec::new();
        for node in root.children().filter(|node| node.has_tag_name("cpu")) {
            if cpus.len() == MOST_DOMAINS {
                return Err(self.fail(node, format!("more than {MOST_DOMAINS} CPUs of one host")));
            }
            let number = node.attribute("numaid").map_or_else(|| cpus.len().to_string(), String::from);
            let cpu = self.inside.part(format!("cpu{number}"), PartKind::Switch);
            cpus.push((cpu, node));
            open.push(Hanging { node, at: cpu, cpu });
        }
        open.reverse();
        while let Some(Hanging { node, at, cpu }) = open.pop() {
            let mut below = Vec::new();
            for child in node.children().filter(Node::is_element) {
                match child.tag_name().name() {
                    "nic" => self.add_nets(child, at, None)?,
                    "pci" if holds.contains(&child.id()) => below.extend(self.pci(child, at, cpu)?),
                    _ => {}
                }
            }
            open.extend(below.into_iter().rev());
        }
        for (i, &(a, node)) in cpus.iter().enumerate() {
            for &(b, _) in cpus[i + 1..].iter().filter(|(_, other)| machine(*other) == machine(node)) {
                self.inside.wire(a, b, Medium::Socket, rates::socket(|name| node.attribute(name)));
            }
        }
        let machines: FxHashSet<&str> = cpus.iter().map(|&(_, node)| machine(node)).collect();
        self.inside.machines = Some(machines.len() as u32).filter(|&n| n > 1);
        Ok(())
    }

    /// A PCI function: a GPU, an adapter, or a bridge, which is answered as a place where more hangs.
    fn pci(&mut self, node: Node<'a, 'a>, at: u32, cpu: u32) -> Result<Option<Hanging<'a>>> {
        if self.inside.parts.len() + self.gpus.len() + self.nets.len() >= MOST_PARTS {
            return Err(self.fail(node, format!("more than {MOST_PARTS} parts of one host")));
        }
        let pcie = rates::pcie(node.attribute("link_speed"), node.attribute("link_width"), self.rates);
        let child = |name: &str| node.children().find(|child| child.has_tag_name(name));
        if let Some(gpu) = child("gpu") {
            let bus = node.attribute("busid").and_then(bus_id).map(|id| (machine(node), id));
            if let Some(bus) = bus
                && self.gpus.iter().any(|other| other.bus == Some(bus))
            {
                let text = format!("two GPUs have the bus ID {}", quote(node.attribute("busid").unwrap_or_default()));
                return Err(self.fail(node, text));
            }
            self.gpus.push(Gpu { node: gpu, bus, parent: at, pcie, cpu });
        }
        if let Some(nic) = child("nic") {
            self.add_nets(nic, at, Some(pcie))?;
        }
        let is_bridge = node.children().any(|child| child.has_tag_name("pci"));
        Ok(is_bridge.then(|| {
            let name = format!("pci-{}", node.attribute("busid").unwrap_or("unknown"));
            let bridge = self.inside.part(name, PartKind::Switch);
            self.inside.wire(bridge, at, Medium::Pcie, pcie);
            Hanging { node, at: bridge, cpu }
        }))
    }

    /// The ports of an adapter: several share its PCI Express. What hangs at a CPU itself is as fast as its port.
    fn add_nets(&mut self, nic: Node<'a, 'a>, mut at: u32, pcie: Option<Bandwidth>) -> Result<()> {
        let nets: Vec<_> = nic.children().filter(|child| child.has_tag_name("net")).collect();
        if self.nets.len() + nets.len() > MOST_PARTS {
            return Err(self.fail(nic, format!("more than {MOST_PARTS} adapters of one host")));
        }
        if let (Some(pcie), [first, _, ..]) = (pcie, &nets[..]) {
            let name = format!("nic-{}", first.attribute("name").unwrap_or("unknown"));
            let card = self.inside.part(name, PartKind::Switch);
            self.inside.wire(card, at, Medium::Pcie, pcie);
            at = card;
        }
        for node in nets {
            let own = pcie.unwrap_or_else(|| rates::net(node.attribute("speed")));
            self.nets.push(Net { node, parent: at, pcie: own });
        }
        Ok(())
    }

    /// GPUs, in the order of their ranks, and adapters with their links.
    fn finish(mut self, root: Node<'a, 'a>) -> Result<Inside> {
        if self.gpus.is_empty() {
            return Err(self.no_gpus(root));
        }
        let rank = |gpu: &Gpu<'_>| gpu.node.attribute("rank").and_then(|rank| rank.parse::<u32>().ok());
        let ranks: FxHashSet<u32> = self.gpus.iter().filter_map(rank).collect();
        if ranks.len() == self.gpus.len() {
            self.gpus.sort_by_key(rank);
        }
        let (gpus, nets) = (std::mem::take(&mut self.gpus), std::mem::take(&mut self.nets));
        let mut parts = Vec::new();
        for (n, gpu) in gpus.iter().enumerate() {
            // Each machine counts its own.
            let own = gpu.node.attribute("dev").filter(|_| self.inside.machines.is_none());
            let number = own.map_or_else(|| n.to_string(), String::from);
            let part = self.inside.part(format!("gpu{number}"), PartKind::Processor { slots: 1 });
            self.inside.wire(part, gpu.parent, Medium::Pcie, gpu.pcie);
            // Virtual machines tell -1.
            let cpu = gpu.node.ancestors().find(|above| above.has_tag_name("cpu"));
            self.inside.numa.push(cpu.and_then(|cpu| cpu.attribute("numaid")?.parse().ok()));
            parts.push(part);
        }
        for net in &nets {
            let name = net.node.attribute("name").unwrap_or("net");
            let bandwidth = Some(rates::net(net.node.attribute("speed")));
            let part = self.inside.part(name, PartKind::Adapter { bandwidth });
            self.inside.wire(part, net.parent, Medium::Pcie, net.pcie);
        }
        self.join(&gpus, &parts);
        self.note_adapters(&nets);
        Ok(self.inside)
    }

    /// Links of GPUs: to each other, to NVSwitches, which stand for one, and to CPUs.
    fn join(&mut self, gpus: &[Gpu<'a>], parts: &[u32]) {
        let of_bus: FxHashMap<(&str, BusId), usize> =
            gpus.iter().enumerate().filter_map(|(n, gpu)| Some((gpu.bus?, n))).collect();
        // Both ends tell of the links between two GPUs.
        let mut between: BTreeMap<(usize, usize), [u32; 2]> = BTreeMap::new();
        let (mut switched, mut lost) = (vec![0u32; gpus.len()], 0);
        for (n, gpu) in gpus.iter().enumerate() {
            for link in gpu.node.children().filter(Node::is_element) {
                let count = link.attribute("count").and_then(|count| count.parse().ok()).unwrap_or(1u32).min(1024);
                match link.tag_name().name() {
                    "c2c" => {
                        let each: f64 = link.attribute("bw").and_then(|bw| bw.parse().ok()).unwrap_or(0.0);
                        let all = Bandwidth::gb_s(each.min(1e9) * f64::from(count) / 1e3);
                        if all > Bandwidth::bytes_s(0) {
                            self.inside.wire(parts[n], gpu.cpu, Medium::C2c, all);
                        }
                    }
                    "nvlink" | "xgmi" if has_class(link, "tclass", &SWITCH_CLASS) => switched[n] += count,
                    "nvlink" | "xgmi" if has_class(link, "tclass", &CPU_CLASS) => {
                        let (medium, each) = self.gpu_link(gpu);
                        self.inside.wire(parts[n], gpu.cpu, medium, times(each, count));
                    }
                    "nvlink" | "xgmi" => match link
                        .attribute("target")
                        .and_then(bus_id)
                        .and_then(|id| of_bus.get(&(machine(gpu.node), id)))
                    {
                        Some(&other) if other != n => {
                            let counts = between.entry((n.min(other), n.max(other))).or_default();
                            counts[usize::from(n > other)] += count;
                        }
                        _ => lost += 1,
                    },
                    _ => {}
                }
            }
        }
        for ((a, b), counts) in between {
            let (medium, each) = self.gpu_link(&gpus[a]);
            self.inside.wire(parts[a], parts[b], medium, times(each, counts[0].max(counts[1])));
        }
        if switched.iter().any(|&count| count > 0) {
            let switch = self.inside.part("nvswitch", PartKind::Switch);
            for (n, gpu) in gpus.iter().enumerate().filter(|(n, _)| switched[*n] > 0) {
                let (medium, each) = self.gpu_link(gpu);
                self.inside.wire(parts[n], switch, medium, times(each, switched[n]));
            }
        }
        if lost > 0 {
            self.inside.note(format!("{lost} links of GPUs lead to what is not in {}: left out", self.path));
        }
    }

    /// The medium of a GPU's links, and what one of them carries.
    fn gpu_link(&self, gpu: &Gpu<'_>) -> (Medium, Bandwidth) {
        match gpu.node.attribute("gcn") {
            Some(gcn) => (Medium::Xgmi, rates::xgmi(gcn, self.rates)),
            None => (Medium::NvLink, rates::nvlink(gpu.node.attribute("sm"), self.rates)),
        }
    }

    /// Adapters that are hardly meant for a job, and those whose speed is none.
    fn note_adapters(&mut self, nets: &[Net<'_>]) {
        let rails = self.inside.rails();
        let slow: Vec<&str> = self
            .inside
            .adapters()
            .iter()
            .filter(|at| !rails.contains(at))
            .map(|&at| &*self.inside.parts[at as usize].name)
            .collect();
        if !slow.is_empty() {
            let text = format!("much slower than the other adapters, and in no network of a job: {}", slow.join(", "));
            self.inside.note(text);
        }
        if nets.iter().any(|net| rates::net(net.node.attribute("speed")) > Bandwidth::gb_s(1000.0)) {
            self.inside
                .note("a speed above 1000 GB/s is no adapter's: the file was made to leave adapters out of account");
        }
    }

    fn no_gpus(&self, root: Node<'_, '_>) -> Error {
        let bare = root.descendants().filter(|n| n.has_tag_name("pci") && has_class(*n, "class", &GPU_CLASSES)).count();
        let text = match bare {
            0 => "no GPU in it".to_string(),
            n => format!(
                "no GPU in it: {n} PCI functions are of that class, but bare, without the <gpu> that has rank and links"
            ),
        };
        self.fail(root, text)
            .hint("NCCL fills such a file in when it runs; NCCL_TOPO_DUMP_FILE=FILE has it write the whole")
    }
}

/// The machine that an element is in: the hash of its name that NCCL writes where NVLink joins several.
fn machine<'a>(node: Node<'a, 'a>) -> &'a str {
    let cpu = node.ancestors().find(|above| above.has_tag_name("cpu"));
    cpu.and_then(|cpu| cpu.attribute("host_hash")).unwrap_or_default()
}

/// The elements that have GPUs or adapters in them. O(elements).
fn holders(root: Node<'_, '_>) -> FxHashSet<NodeId> {
    let mut holds = FxHashSet::default();
    for leaf in root.descendants().filter(|node| node.has_tag_name("gpu") || node.has_tag_name("net")) {
        for above in leaf.ancestors() {
            if !holds.insert(above.id()) {
                break;
            }
        }
    }
    holds
}

fn times(each: Bandwidth, count: u32) -> Bandwidth {
    Bandwidth::bytes_s(each.as_bytes_s().saturating_mul(u64::from(count.max(1))))
}
