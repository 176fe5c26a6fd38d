//! How far the nodes of a communicator are apart: measured, or told by the route
//! service, a file or Slurm.
//!
//! Who is told hops or rates measures one pair of nodes for each value that
//! occurs, so the matrix becomes seconds without measuring all pairs. Only rank 0
//! asks, and hands the answer to the others (Subramoni et al., CLUSTER 2011,
//! section IV-B). What was measured once is kept for all communicators.

mod file;
mod measure;
mod service;

use super::model::Network;
use super::nodes::Nodes;
use crate::abi::{Handle, abi};
use crate::now;
use crate::real::pmpi;
use crate::say;
use measure::Delay;
use std::collections::HashMap;

/// Nodes beyond which measuring all pairs takes too long.
const MOST_MEASURED: usize = 32;
/// Nodes beyond which planning takes too long.
const MOST_TOLD: usize = 256;

/// Where delays come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Measured,
    Told(Teller, Measure),
}

/// Who tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Teller {
    /// The route service at an address.
    Service(String),
    File(String),
    /// `scontrol show topology`.
    Scontrol,
}

/// What is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// Links between switches.
    Hops,
    /// Rate of the slower end.
    Speed,
    /// Slurm's switches: links between leaves.
    Slurm,
}

impl Source {
    /// From `HOPLINE_DELAYS` and `HOPLINE_SERVICE`.
    ///
    /// # Errors
    /// A word that is not known.
    pub(super) fn read(delays: Option<&str>, server: Option<&str>) -> Result<Source, String> {
        let told = |teller, measure| Ok(Source::Told(teller, measure));
        let asked = || server.map(|s| Teller::Service(s.to_string()));
        let file = |path: &str| Teller::File(path.to_string());
        match (delays, delays.and_then(|d| d.split_once('='))) {
            (None, _) => Ok(asked().map_or(Source::Measured, |teller| Source::Told(teller, Measure::Hops))),
            (Some("measured"), _) => Ok(Source::Measured),
            (Some("slurm"), _) => told(Teller::Scontrol, Measure::Slurm),
            (Some("hops"), _) => told(asked().ok_or("`hops` needs HOPLINE_SERVICE")?, Measure::Hops),
            (Some("speed"), _) => told(asked().ok_or("`speed` needs HOPLINE_SERVICE")?, Measure::Speed),
            (_, Some(("hops", path))) => told(file(path), Measure::Hops),
            (_, Some(("speed", path))) => told(file(path), Measure::Speed),
            (_, Some(("slurm", path))) => told(file(path), Measure::Slurm),
            (Some(word), _) => Err(format!(
                "HOPLINE_DELAYS: `{word}` is not known; measured, hops, speed, slurm, hops=FILE, speed=FILE, slurm=FILE are"
            )),
        }
    }

    /// The most nodes with which it is asked.
    fn most(&self) -> usize {
        if *self == Source::Measured { MOST_MEASURED } else { MOST_TOLD }
    }
}

impl Teller {
    /// A value for every pair of hosts.
    fn matrix(&self, measure: Measure, hosts: &[String]) -> Result<Vec<f64>, String> {
        let text = match self {
            Teller::Service(server) => {
                let measure = if measure == Measure::Speed { "speed" } else { "hops" };
                return service::matrix(server, measure, hosts);
            }
            Teller::File(path) => std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?,
            Teller::Scontrol => {
                let mut command = std::process::Command::new("scontrol");
                command.args(["show", "topology"]).env_remove("LD_PRELOAD");
                let output = command.output().map_err(|e| format!("scontrol: {e}"))?;
                String::from_utf8_lossy(&output.stdout).into_owned()
            }
        };
        match measure {
            Measure::Hops => file::hops(&text, hosts),
            Measure::Speed => file::speed(&text, hosts),
            Measure::Slurm => file::slurm(&text, hosts),
        }
    }
}

/// What finding delays cost, in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Asking the service, reading a file.
    pub(super) asked: u64,
    /// Handing the answer to all.
    pub(super) shared: u64,
    /// Messages between pairs of nodes.
    pub(super) measured: u64,
}

/// Delays between nodes that were measured, by the hashes of their names.
pub(super) type Known = HashMap<(u64, u64), Delay>;

/// The ranks of a communicator that find delays together.
pub(super) struct Team<'a> {
    pub(super) comm: Handle,
    pub(super) rank: usize,
    pub(super) nodes: &'a Nodes,
}

impl Team<'_> {
    fn count(&self) -> usize {
        self.nodes.leader.len()
    }

    /// Collective: the network between the nodes, and in words where it was learnt. `None` where there are too
    /// many nodes, or MPI fails.
    pub(super) fn network(&self, source: &Source, known: &mut Known, cost: &mut Cost) -> Option<(Network, String)> {
        if let Source::Told(teller, measure) = source
            && self.count() <= source.most()
            && let Some(values) = self.told(teller, *measure, cost)
        {
            let network = self.calibrated(&values, *measure, cost)?;
            let from = match teller {
                Teller::Service(server) => server.as_str(),
                Teller::File(path) => path.as_str(),
                Teller::Scontrol => "scontrol",
            };
            return Some((network, format!("{measure:?} from {from}")));
        }
        if self.count() > Source::Measured.most() {
            return None;
        }
        let begin = now();
        let (network, how) = self.measured(known)?;
        cost.measured += now() - begin;
        Some((network, how.to_string()))
    }

    /// Rank 0 asks, all get the answer; `None` where it got none.
    fn told(&self, teller: &Teller, measure: Measure, cost: &mut Cost) -> Option<Vec<f64>> {
        let n = self.count();
        let mut cells = vec![-1.0f64; n * n];
        let begin = now();
        if self.rank == 0 {
            match teller.matrix(measure, &self.nodes.name) {
                Ok(values) => cells = values,
                Err(why) => say(&format!("delays are measured: {why}")),
            }
        }
        let asked = now();
        let code = pmpi!(PMPI_Bcast(cells.as_mut_ptr(), n * n, abi().double, 0, self.comm));
        cost.asked += asked - begin;
        cost.shared += now() - asked;
        (code == 0 && cells.iter().all(|&cell| cell >= 0.0)).then_some(cells)
    }

    /// Seconds for hops or rates: one pair of nodes is measured for each value.
    fn calibrated(&self, values: &[f64], measure: Measure, cost: &mut Cost) -> Option<Network> {
        let n = self.count();
        let begin = now();
        let (class, pairs) = classes(n, values);
        let delays = measure::pairs(self.comm, self.rank, self.nodes, &pairs)?;
        cost.measured += now() - begin;
        let delay = |pair: usize| delays.get(class[pair]).copied().unwrap_or_default();
        let latency = (0..n * n).map(|pair| delay(pair)[0]).collect();
        let per_byte = (0..n * n).map(|pair| delay(pair)[1]).collect();
        let network = Network::new(n, latency, per_byte);
        let off_diagonal = (0..n * n).filter(|pair| pair / n != pair % n).map(|pair| values[pair]);
        let least = off_diagonal.fold(f64::INFINITY, f64::min);
        Some(match measure {
            Measure::Speed => network,
            Measure::Hops | Measure::Slurm => network.with_islands(|i, j| values[i * n + j] <= least),
        })
    }

    /// All pairs, but for those that all ranks know already.
    fn measured(&self, known: &mut Known) -> Option<(Network, &'static str)> {
        let n = self.count();
        let hash = &self.nodes.hash;
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        let key = |&(i, j): &(usize, usize)| (hash[i].min(hash[j]), hash[i].max(hash[j]));
        let mine: Option<Vec<Delay>> = pairs.iter().map(|pair| known.get(&key(pair)).copied()).collect();
        // The largest of what lacks: 0 where no rank lacks anything.
        let (lacks, mut most) = (f64::from(u8::from(mine.is_none())), 1.0f64);
        let code = pmpi!(PMPI_Allreduce(&raw const lacks, &raw mut most, 1, abi().double, abi().max, self.comm));
        let (delays, how) = match mine {
            Some(mut mine) if most == 0.0 => {
                // Ranks may know the same pair from different communicators: what rank 0 knows counts.
                let words = 2 * mine.len();
                pmpi!(PMPI_Bcast(mine.as_mut_ptr(), words, abi().double, 0, self.comm));
                (mine, "measured before")
            }
            _ => (measure::pairs(self.comm, self.rank, self.nodes, &pairs)?, "measured"),
        };
        known.extend(pairs.iter().map(key).zip(delays.iter().copied()));
        let (mut latency, mut per_byte) = (vec![0.0; n * n], vec![0.0; n * n]);
        for (&(i, j), &[empty, byte]) in pairs.iter().zip(&delays) {
            for pair in [i * n + j, j * n + i] {
                (latency[pair], per_byte[pair]) = (empty, byte);
            }
        }
        (code == 0).then(|| (Network::new(n, latency, per_byte), how))
    }
}

/// The class of every pair of nodes by its value, and the first pair of each class.
fn classes(n: usize, values: &[f64]) -> (Vec<usize>, Vec<(usize, usize)>) {
    let (mut seen, mut pairs): (Vec<f64>, Vec<(usize, usize)>) = Default::default();
    for i in 0..n {
        for j in i + 1..n {
            if !seen.contains(&values[i * n + j]) {
                seen.push(values[i * n + j]);
                pairs.push((i, j));
            }
        }
    }
    // Ways there and back may differ; a value that occurs only backwards is taken for the nearest.
    let nearest = |value: f64| {
        let gap = |&c: &usize| (seen[c] - value).abs();
        (0..seen.len()).min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or(0)
    };
    (values.iter().map(|&value| nearest(value)).collect(), pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_from_two_words() {
        let read = |delays, server| Source::read(delays, server);
        assert_eq!(read(None, None), Ok(Source::Measured));
        let service = || Teller::Service("s:1".into());
        assert_eq!(read(None, Some("s:1")), Ok(Source::Told(service(), Measure::Hops)));
        assert_eq!(read(Some("speed"), Some("s:1")), Ok(Source::Told(service(), Measure::Speed)));
        assert_eq!(read(Some("measured"), Some("s:1")), Ok(Source::Measured));
        assert_eq!(read(Some("slurm=t"), None), Ok(Source::Told(Teller::File("t".into()), Measure::Slurm)));
        assert!(read(Some("hops"), None).is_err() && read(Some("near"), None).is_err());
    }

    #[test]
    fn one_pair_stands_for_each_value() {
        let (class, pairs) = classes(3, &[0.0, 1.0, 3.0, 1.0, 0.0, 3.0, 3.0, 3.0, 0.0]);
        assert_eq!(pairs, [(0, 1), (0, 2)]);
        assert_eq!((class[1], class[3], class[2], class[7]), (0, 0, 1, 1));
    }
}
