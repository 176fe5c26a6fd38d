//! The list of launcher files that a mapping can be written as, and what they
//! are written from.

use super::{
    binding, cray_rank_order, gpu_order, hostfile, machinefile, mpich_coordinates, rankfile, sequential,
    slurm_hostfile, torchrun,
};
use crate::entry::{Entry, Listed};
use crate::error::{Error, Result};
use crate::fabric::Core;
use rustc_hash::FxHashMap;

/// A mapping in the words of launchers.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Placement<'a> {
    /// Per rank: its host and its slot there, from 0.
    pub ranks: Vec<(&'a str, u32)>,
    /// The hosts of the allocation in its order, each with its number of slots.
    pub hosts: Vec<(&'a str, u32)>,
    /// Per rank: [group and switch](mpich_coordinates::coordinates), where the
    /// network has any.
    pub coordinates: Option<Vec<[u32; 2]>>,
    /// Per rank: its core, where the insides of hosts tell cores; else empty.
    pub cores: Vec<Core>,
    /// Per rank: the number of its GPU on the bus, where hosts have some; else empty.
    pub gpus: Vec<u32>,
    /// Per rank: the NUMA domain of its processor, as the operating system counts them; empty where nobody tells any.
    pub numa: Vec<Option<u32>>,
    /// GPUs are AMD's, which other variables choose.
    pub amd: bool,
    /// Where a host spans several machines, each a host to launchers: how many.
    pub machines: Option<u32>,
}

impl<'a> Placement<'a> {
    /// Ranks whose hosts are the whole allocation, in the order of their first
    /// ranks; the network is not known. O(ranks).
    pub fn new(ranks: &[(&'a str, u32)]) -> Self {
        let mut hosts: Vec<(&str, u32)> = Vec::new();
        let mut index: FxHashMap<&str, (usize, u32)> = FxHashMap::default();
        for &(host, slot) in ranks {
            let (at, count) = index.entry(host).or_insert((hosts.len(), 0));
            if *count == 0 {
                hosts.push((host, 0));
            }
            *count = count.saturating_add(1);
            if let Some((_, slots)) = hosts.get_mut(*at) {
                *slots = (*slots).max(*count).max(slot.saturating_add(1));
            }
        }
        let (cores, gpus, numa) = Default::default();
        let ranks = ranks.to_vec();
        Placement { ranks, hosts, coordinates: None, cores, gpus, numa, amd: false, machines: None }
    }

    /// Runs of consecutive ranks on one host: the host and how many.
    pub(super) fn runs(&self) -> impl Iterator<Item = (&'a str, usize)> {
        self.ranks.chunk_by(|a, b| a.0 == b.0).filter_map(|run| Some((run.first()?.0, run.len())))
    }

    /// `lines` with the host of every rank below them, one a line.
    pub(super) fn hosts_below(&self, mut lines: String) -> String {
        for (host, _) in &self.ranks {
            lines.push_str(host);
            lines.push('\n');
        }
        lines
    }
}

/// Refuses names that a launcher or a shell would take for something else: none is quoted in what they read. O(names).
///
/// # Errors
/// The first name that is no host name.
pub fn launchable<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Result<()> {
    let plain = |c: char| c.is_alphanumeric() || "._-".contains(c);
    match hosts.into_iter().find(|h| h.is_empty() || h.starts_with('-') || !h.chars().all(plain)) {
        Some(host) => Err(Error::input(format!("`{}` is no host name for a launcher file", host.escape_debug()))
            .hint("letters, digits, `.`, `_` and `-` may stand in one, `-` not at its beginning")),
        None => Ok(()),
    }
}

/// One launcher format.
pub struct Export {
    entry: &'static Entry,
    text: fn(&Placement<'_>) -> Result<String>,
}

impl Export {
    /// The text of the file. O(ranks + hosts).
    ///
    /// # Errors
    /// The format cannot say this placement, and the error says why; or a host spans several machines, or
    /// has a name that would mean something else to a launcher.
    pub fn write(&self, placement: &Placement<'_>) -> Result<String> {
        if let Some(machines) = placement.machines {
            let text = format!("every host here is {machines} machines, and nobody tells what a launcher calls those");
            return Err(Error::input(text).hint("`mapping` in JSON has the slot of every task in its host"));
        }
        let ranks = placement.ranks.iter().map(|(host, _)| *host);
        launchable(placement.hosts.iter().map(|(host, _)| *host).chain(ranks))?;
        (self.text)(placement)
    }
}

impl Listed for Export {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

/// All launcher formats.
pub const EXPORTS: &[Export] = &[
    Export { entry: &rankfile::ENTRY, text: |p| Ok(rankfile::write(p)) },
    Export { entry: &hostfile::ENTRY, text: |p| Ok(hostfile::write(p)) },
    Export { entry: &sequential::ENTRY, text: |p| Ok(sequential::write(p)) },
    Export { entry: &machinefile::ENTRY, text: |p| Ok(machinefile::write(p)) },
    Export { entry: &slurm_hostfile::ENTRY, text: |p| Ok(slurm_hostfile::write(p)) },
    Export { entry: &cray_rank_order::ENTRY, text: cray_rank_order::write },
    Export { entry: &torchrun::ENTRY, text: torchrun::write },
    Export { entry: &mpich_coordinates::ENTRY, text: mpich_coordinates::write },
    Export { entry: &binding::SRUN, text: binding::srun },
    Export { entry: &binding::HYDRA, text: binding::hydra },
    Export { entry: &binding::WRAPPER, text: binding::wrapper },
    Export { entry: &gpu_order::ENTRY, text: gpu_order::write },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_would_break_a_file_are_refused() {
        for name in ["a b", "a\nrank 0=b", "a:2", "a,b", "#a", "n[1-2]", ""] {
            let placement = Placement::new(&[("good.site-1_x", 0), (name, 0)]);
            for export in EXPORTS {
                let error = export.write(&placement).expect_err(name).to_string();
                assert!(error.contains("is no host name"), "{}: {error}", export.entry.name);
                assert_eq!(error.lines().count(), 1, "{error}");
            }
        }
    }

    #[test]
    fn hosts_are_found_in_the_order_of_their_first_ranks() {
        let ranks = [("b", 0), ("a", 3), ("b", 1), ("c", 0), ("c", 0), ("big", u32::MAX)];
        let placement = Placement::new(&ranks);
        assert_eq!(placement.hosts, [("b", 2), ("a", 4), ("c", 2), ("big", u32::MAX)]);
        assert!(placement.runs().eq([("b", 1), ("a", 1), ("b", 1), ("c", 2), ("big", 1)]));
        assert!(Placement::new(&[]).hosts.is_empty());
    }
}
