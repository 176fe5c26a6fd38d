//! Links of GPUs, which hwloc tells as matrices of bandwidths where it has NVML or ROCm SMI: between GPUs, to NVSwitches, and
//! to packages.

use crate::fabric::Medium;
use roxmltree::Node;
use std::collections::BTreeMap;

/// What a link of a GPU leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    /// A GPU, by its place among the devices.
    Gpu(usize),
    /// An NVSwitch: all stand for one.
    Switch,
    /// A package, by its domain.
    Domain(usize),
}

/// The links between a GPU and another end, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) gpu: usize,
    pub(super) to: End,
    pub(super) medium: Medium,
    /// MB/s of one direction.
    pub(super) mb_s: u64,
}

/// Those that a file tells; `find` knows the objects by their `gp_index`. O(cells * log GPUs).
pub(super) fn links(root: Node<'_, '_>, find: impl Fn(u64) -> Option<End>) -> Vec<Link> {
    let mut all = Vec::new();
    for matrix in root.descendants() {
        let medium = match (matrix.tag_name().name(), matrix.attribute("name")) {
            ("distances2" | "distances2hetero", Some("NVLinkBandwidth")) => Medium::NvLink,
            ("distances2" | "distances2hetero", Some("XGMIBandwidth")) => Medium::Xgmi,
            _ => continue,
        };
        // Devices have no numbers of the operating system.
        if matrix.attribute("indexing") == Some("os") {
            continue;
        }
        let words = |name: &'static str| {
            let parts = matrix.children().filter(move |part| part.has_tag_name(name));
            parts.flat_map(|part| part.text().unwrap_or_default().split_whitespace())
        };
        let object = |word: &str| find(word.rsplit(':').next()?.parse().ok()?);
        let ends: Vec<Option<End>> = words("indexes").map(object).collect();
        let mut sums: BTreeMap<(usize, End), u64> = BTreeMap::new();
        for (at, value) in words("u64values").enumerate().take(ends.len().saturating_mul(ends.len())) {
            let (from, to) = (ends[at / ends.len()], ends[at % ends.len()]);
            let (Some(End::Gpu(gpu)), Some(to), Ok(mb_s)) = (from, to, value.parse::<u64>()) else { continue };
            if to != End::Gpu(gpu) && mb_s > 0 {
                let sum = sums.entry((gpu, to)).or_default();
                *sum = sum.saturating_add(mb_s);
            }
        }
        // Both ends tell of the links between two GPUs.
        let told = |gpu: usize, to: usize| sums.get(&(gpu, End::Gpu(to))).copied().unwrap_or(0);
        for (&(gpu, to), &mb_s) in &sums {
            let mb_s = match to {
                End::Gpu(other) if other < gpu && told(other, gpu) > 0 => continue,
                End::Gpu(other) => mb_s.max(told(other, gpu)),
                _ => mb_s,
            };
            all.push(Link { gpu, to, medium, mb_s });
        }
    }
    all
}
