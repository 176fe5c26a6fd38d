//! A device of InfraGraph as the inside of a host.

use super::devices::{Device, Wire};
use hopline::fabric::{Inside, LinkRates, Medium, PartKind};
use hopline::format::link_rates;
use hopline::unit::Bandwidth;
use std::collections::{BTreeMap, BTreeSet};

/// What is in a host whose components `out` lead into the network. NVLink switches that join GPUs are one, since
/// messages are spread over all of them.
pub(super) fn of(device: &Device, out: &BTreeSet<u32>, by_cpu: bool) -> Inside {
    let mut inside = Inside::new(device.name.clone());
    let kind = |at: u32| device.kind(at);
    let medium = |wire: &Wire| medium(wire, wire.ends.map(kind));
    let nvlinks = device.wires.iter().filter(|wire| medium(wire) == Medium::NvLink);
    let mut switches: BTreeSet<u32> = BTreeSet::new();
    // How many NVLinks each GPU has in the model, which may draw several as one.
    let mut drawn: BTreeMap<u32, u32> = BTreeMap::new();
    for wire in nvlinks {
        for (own, other) in [(wire.ends[0], wire.ends[1]), (wire.ends[1], wire.ends[0])] {
            if kind(own) == "xpu" {
                *drawn.entry(own).or_default() += 1;
                switches.extend((!["xpu", "cpu"].contains(&kind(other))).then_some(other));
            }
        }
    }
    let alone = device.has("nic") && out.is_empty();
    let mut place: Vec<Option<u32>> = Vec::new();
    let mut nvswitch = None;
    for (component, at) in device.components.iter().zip(0..) {
        let name = component.name.clone();
        let part = match component.kind.as_str() {
            "xpu" => Some(inside.part(name, PartKind::Processor { slots: 1 })),
            "cpu" if by_cpu => Some(inside.part(name, PartKind::Processor { slots: 1 })),
            "memory" => None,
            _ if switches.contains(&at) => {
                nvswitch = Some(nvswitch.unwrap_or_else(|| inside.part("nvswitch", PartKind::Switch)));
                nvswitch
            }
            _ if out.contains(&at) || alone && component.kind == "nic" => {
                Some(inside.part(name, PartKind::Adapter { bandwidth: None }))
            }
            _ => Some(inside.part(name, PartKind::Switch)),
        };
        place.push(part);
    }
    let mut joined: BTreeMap<([u32; 2], Medium), u64> = BTreeMap::new();
    let mut assumed: BTreeSet<String> = BTreeSet::new();
    for wire in &device.wires {
        let medium = medium(wire);
        let ends = wire.ends.map(|end| place.get(end as usize).copied().flatten());
        // What else an NVLink switch is joined to manages it.
        let managed = medium != Medium::NvLink && wire.ends.iter().any(|end| switches.contains(end));
        let [Some(a), Some(b)] = ends else { continue };
        if managed || a == b {
            continue;
        }
        let told = wire.link.gb_s.map(Bandwidth::gb_s);
        let rate = told.unwrap_or_else(|| {
            assumed.insert(wire.words.split_whitespace().next().unwrap_or_default().to_string());
            self::assumed(device, wire, medium, &drawn)
        });
        *joined.entry(([a, b], medium)).or_default() += rate.as_bytes_s();
    }
    for (([a, b], medium), bytes) in joined {
        inside.wire(a, b, medium, Bandwidth::bytes_s(bytes.max(1)));
    }
    if !assumed.is_empty() {
        let names: Vec<String> = assumed.into_iter().collect();
        inside.note(format!(
            "InfraGraph tells no bandwidth of {}: what NCCL assumes of such links is taken",
            names.join(", ")
        ));
    }
    inside
}

/// By the words of a link, else by what it joins.
fn medium(wire: &Wire, kinds: [&str; 2]) -> Medium {
    let has = |word: &str| wire.words.contains(word);
    let both = |kind: &str| kinds == [kind, kind];
    match () {
        // NVIDIA calls links of GPUs to switches so, too.
        () if has("c2c") && kinds.contains(&"cpu") => Medium::C2c,
        () if has("nvl") => Medium::NvLink,
        () if has("xgmi") || has("infinity") && both("xpu") => Medium::Xgmi,
        () if has("pci") => Medium::Pcie,
        () if both("cpu") || ["upi", "qpi", "infinity", "socket"].into_iter().any(has) => Medium::Socket,
        () if both("xpu") => Medium::NvLink,
        () => Medium::Pcie,
    }
}

/// Generations of NVLink and PCI Express in a machine that is called after its GPUs, or whose GPUs are described so.
fn generations(device: &Device) -> (Option<u32>, Option<u32>) {
    let described = device.components.iter().filter(|component| component.kind == "xpu");
    let said: Vec<String> =
        described.map(|c| &c.description).chain([&device.name]).map(|text| text.to_lowercase()).collect();
    let known: [(&[&str], Option<u32>, Option<u32>); 5] = [
        (&["b200", "b300", "blackwell"], Some(5), Some(5)),
        (&["h100", "h200", "h800", "hopper"], Some(4), Some(5)),
        (&["a100", "ampere"], Some(3), Some(4)),
        (&["mi3"], None, Some(5)),
        (&["mi2"], None, Some(4)),
    ];
    let is = |words: &[&str]| said.iter().any(|text| words.iter().any(|word| text.contains(word)));
    known.iter().find(|(words, ..)| is(words)).map_or((None, None), |&(_, nvlink, pcie)| (nvlink, pcie))
}

/// What NCCL and RCCL assume of such a link.
fn assumed(device: &Device, wire: &Wire, medium: Medium, drawn: &BTreeMap<u32, u32>) -> Bandwidth {
    let described =
        |end: u32| device.components.get(end as usize).map_or("", |component| component.description.as_str());
    let says = |word: &str| wire.ends.iter().any(|&end| described(end).to_lowercase().contains(word));
    let named = wire.words.replace("c2c", "");
    let generation = named.split_once(if medium == Medium::Pcie { "pci" } else { "nvl" });
    // `PCIe gen 5 x16`: the width is none.
    let words = generation.map_or("", |(_, rest)| rest).split_whitespace().filter(|word| !word.starts_with('x'));
    let (nvlink, pcie) = generations(device);
    let of_machine = if medium == Medium::Pcie { pcie } else { nvlink };
    let generation = words.flat_map(str::chars).find_map(|c| c.to_digit(10)).or(of_machine);
    let rates = LinkRates::Nccl;
    match medium {
        Medium::NvLink => {
            let (links, sm) = match generation {
                Some(1) => (4, "60"),
                Some(2) => (6, "70"),
                Some(4) => (18, "90"),
                Some(5) => (18, "100"),
                _ => (12, "80"),
            };
            let drawn = wire.ends.iter().filter_map(|end| drawn.get(end)).max().copied().unwrap_or(1);
            Bandwidth::bytes_s(link_rates::nvlink(Some(sm), rates).as_bytes_s() * links / u64::from(drawn.max(1)))
        }
        Medium::Xgmi => link_rates::xgmi(if says("mi2") { "gfx90a" } else { "gfx942" }, rates),
        Medium::C2c => Bandwidth::gb_s(450.0),
        Medium::Pcie => {
            let speed = ["", "2.5", "5", "8", "16", "32", "64"].get(generation.unwrap_or(3) as usize).copied();
            link_rates::pcie(speed, None, rates)
        }
        Medium::Socket => link_rates::socket(|key| match key {
            "vendor" if says("amd") => Some("AuthenticAMD"),
            "vendor" if says("intel") || says("xeon") => Some("GenuineIntel"),
            // Of an Intel CPU that nobody names, one of the last years.
            "modelid" => Some("143"),
            _ => None,
        }),
    }
}
