//! How far the nodes of a communicator are apart: measured, or told by the route
//! service, a file, Slurm or the nodes' adapters.
//!
//! Who is told hops or rates measures one pair of nodes for each value that
//! occurs, so the matrix becomes seconds without measuring all pairs. Only rank 0
//! asks, and hands the answer to the others (Subramoni et al., CLUSTER 2011,
//! section IV-B). What was measured once is kept for all communicators and for later
//! jobs ([`kept`]); what lacks is measured in slices, as the job can afford it.

mod file;
pub(super) mod kept;
mod learner;
mod measure;
mod service;

use super::adapters;
use super::channel::Channel;
use super::nodes::Nodes;
use crate::abi::{Handle, abi};
use crate::now;
use crate::real::pmpi;
use crate::say;
use kept::{Found, Kept};
use learner::Told;
pub(super) use learner::{Fact, Learner};

/// Nodes beyond which measuring all pairs takes too long.
const MOST_MEASURED: usize = 32;
/// Nodes beyond which planning takes too long.
const MOST_TOLD: usize = 256;

/// Where delays come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// The adapters' rates where they differ, else measured.
    Unsaid,
    Measured,
    Told(DelaySource, Measure),
}

/// Who tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DelaySource {
    /// The route service at an address.
    Service(String),
    File(String),
    /// `scontrol show topology`.
    Scontrol,
    /// The nodes themselves, when they are found.
    Adapters,
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
        let asked = || server.map(|s| DelaySource::Service(s.to_string()));
        let file = |path: &str| DelaySource::File(path.to_string());
        match (delays, delays.and_then(|d| d.split_once('='))) {
            (None, _) => Ok(asked().map_or(Source::Unsaid, |teller| Source::Told(teller, Measure::Hops))),
            (Some("measured"), _) => Ok(Source::Measured),
            (Some("slurm"), _) => told(DelaySource::Scontrol, Measure::Slurm),
            (Some("hops"), _) => told(asked().ok_or("`hops` needs HOPLINE_SERVICE")?, Measure::Hops),
            (Some("speed"), _) => told(asked().unwrap_or(DelaySource::Adapters), Measure::Speed),
            (_, Some(("hops", path))) => told(file(path), Measure::Hops),
            (_, Some(("speed", path))) => told(file(path), Measure::Speed),
            (_, Some(("slurm", path))) => told(file(path), Measure::Slurm),
            (Some(word), _) => Err(format!(
                "HOPLINE_DELAYS: `{word}` is not known; measured, hops, speed, slurm, hops=FILE, speed=FILE, slurm=FILE are"
            )),
        }
    }

    /// What it is for nodes with these adapters.
    fn settled(&self, rates: &[u64]) -> &Source {
        const ADAPTERS: Source = Source::Told(DelaySource::Adapters, Measure::Speed);
        match self {
            Source::Unsaid if adapters::differ(rates) => &ADAPTERS,
            Source::Unsaid => &Source::Measured,
            said => said,
        }
    }
}

impl DelaySource {
    /// A value for every pair of hosts.
    fn matrix(&self, measure: Measure, nodes: &Nodes) -> Result<Vec<f64>, String> {
        let hosts = &nodes.name[..];
        let text = match self {
            DelaySource::Adapters => return adapters::matrix(&nodes.rate, hosts),
            DelaySource::Service(server) => {
                let measure = if measure == Measure::Speed { "speed" } else { "hops" };
                return service::matrix(server, measure, hosts, service::PATIENCE);
            }
            DelaySource::File(path) => std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?,
            DelaySource::Scontrol => {
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

/// True where a text can be read in one of the forms of delays.
pub(crate) fn readable(text: &str, hosts: &[String], now: u64) -> bool {
    let matrices = [
        file::hops(text, hosts),
        file::speed(text, hosts),
        file::slurm(text, hosts),
        service::rows("service", hosts, text.lines().map(|line| Ok(line.to_string()))),
    ];
    matrices.iter().filter(|read| read.is_ok()).count() + usize::from(Kept::read(text, now).is_ok()) > 0
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

/// The ranks of a communicator that find delays together.
pub(super) struct Team<'a> {
    /// The program's own: for collectives, which come in between its in the same order on all ranks.
    pub(super) handle: Handle,
    /// For messages, which meet no other's.
    pub(super) channel: &'a Channel,
    pub(super) nodes: &'a Nodes,
}

impl Team<'_> {
    fn count(&self) -> usize {
        self.nodes.leader.len()
    }

    /// Collective: what must be known of the nodes, and what rank 0 knows already. `None` where there are too many
    /// nodes, or MPI fails.
    pub(super) fn learner(&self, source: &Source, kept: &Kept, cost: &mut Cost) -> Option<Learner> {
        let n = self.count();
        let told = match source.settled(&self.nodes.rate) {
            Source::Told(teller, measure) if n <= MOST_TOLD => {
                self.told(teller, *measure, cost).map(|values| Told::new(n, values, teller, *measure))
            }
            _ => None,
        };
        if told.is_none() && n > MOST_MEASURED {
            return None;
        }
        let all = || (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect();
        let pairs: Vec<(usize, usize)> = told.as_ref().map_or_else(all, |told| told.pairs.clone());
        // Latency, seconds a byte and age of each pair; negative where it is not known.
        let mut cells = vec![-1.0f64; 3 * pairs.len()];
        if self.channel.rank == 0 {
            let now = kept::today();
            for (&(i, j), cell) in pairs.iter().zip(cells.chunks_exact_mut(3)) {
                let known = kept.delay(&self.nodes.name[i], &self.nodes.name[j]);
                if let Some(Found { value: [latency, per_byte], when }) = known {
                    cell.copy_from_slice(&[latency, per_byte, now.saturating_sub(when) as f64]);
                }
            }
        }
        let begin = now();
        let code = pmpi!(PMPI_Bcast(cells.as_mut_ptr(), cells.len(), abi().double, 0, self.handle));
        cost.shared += now() - begin;
        (code == 0).then(|| Learner::new(n, pairs, &cells, told))
    }

    /// Rank 0 asks, all get the answer; `None` where it got none.
    fn told(&self, teller: &DelaySource, measure: Measure, cost: &mut Cost) -> Option<Vec<f64>> {
        let n = self.count();
        let mut cells = vec![-1.0f64; n * n];
        let begin = now();
        if self.channel.rank == 0 {
            match teller.matrix(measure, self.nodes) {
                Ok(values) => cells = values,
                Err(why) => say(&format!("delays are measured: {why}")),
            }
        }
        let asked = now();
        let code = pmpi!(PMPI_Bcast(cells.as_mut_ptr(), n * n, abi().double, 0, self.handle));
        cost.asked += asked - begin;
        cost.shared += now() - asked;
        (code == 0 && cells.iter().all(|&cell| cell >= 0.0)).then_some(cells)
    }

    /// Collective: measures `count` pairs more. Answers those that are new, and whether what was kept turned out to
    /// be no longer true. `None` where MPI fails.
    pub(super) fn learn(&self, learner: &mut Learner, count: usize, cost: &mut Cost) -> Option<(Vec<Fact>, bool)> {
        let begin = now();
        let next = learner.next(count);
        let pairs: Vec<(usize, usize)> = next.iter().map(|&at| learner.pairs[at]).collect();
        let mut delays = measure::pairs(self, &pairs)?;
        // What differs is measured once more: the first time may have been a bad moment.
        let odd: Vec<usize> = (0..next.len()).filter(|&i| learner.differs(next[i], delays[i])).collect();
        let again = measure::pairs(self, &odd.iter().map(|&i| pairs[i]).collect::<Vec<_>>())?;
        for (&i, again) in odd.iter().zip(again) {
            delays[i] = if learner.differs(next[i], again) { delays[i] } else { again };
        }
        let stale = next.iter().zip(&delays).any(|(&at, &delay)| learner.differs(at, delay));
        if stale {
            learner.forget();
        }
        let took = now() - begin;
        learner.each = Some(took as f64 / 1e9 / next.len().max(1) as f64);
        cost.measured += took;
        for (&at, &delay) in next.iter().zip(&delays) {
            learner.know(at, delay);
        }
        let name = |node: usize| self.nodes.name[node].clone();
        Some((pairs.iter().zip(delays).map(|(&(i, j), delay)| (name(i), name(j), delay)).collect(), stale))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_read_from_two_words() {
        let read = |delays, server| Source::read(delays, server);
        assert_eq!(read(None, None), Ok(Source::Unsaid));
        let adapters = Ok(Source::Told(DelaySource::Adapters, Measure::Speed));
        assert_eq!(read(Some("speed"), None), adapters);
        assert_eq!(Ok(Source::Unsaid.settled(&[20_000, 10_000]).clone()), adapters);
        assert_eq!(Source::Unsaid.settled(&[10_000, 10_000]), &Source::Measured, "they say nothing");
        assert_eq!(Source::Measured.settled(&[20_000, 10_000]), &Source::Measured, "as it is asked for");
        let service = || DelaySource::Service("s:1".into());
        assert_eq!(read(None, Some("s:1")), Ok(Source::Told(service(), Measure::Hops)));
        assert_eq!(read(Some("speed"), Some("s:1")), Ok(Source::Told(service(), Measure::Speed)));
        assert_eq!(read(Some("measured"), Some("s:1")), Ok(Source::Measured));
        assert_eq!(read(Some("slurm=t"), None), Ok(Source::Told(DelaySource::File("t".into()), Measure::Slurm)));
        assert!(read(Some("hops"), None).is_err() && read(Some("near"), None).is_err());
    }
}
