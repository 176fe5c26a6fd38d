//! What must be known of the nodes of a communicator, and what of it is: pairs are measured a few at a
//! time, and those that were kept from an earlier job are looked at again where that was long ago.

use super::super::model::Network;
use super::measure::{self, Delay};
use super::{DelaySource, Measure};

/// Kept pairs that a job looks at again.
const PROBES: usize = 3;
/// Seconds for which nobody looks again: a day.
const FRESH: f64 = 86_400.0;
/// A message of 64 KiB that takes so much longer or shorter than before: the network is another.
const OTHER: f64 = 1.5;

/// Two hosts and what was measured between them.
pub(in super::super) type Fact = (String, String, Delay);

/// What hops or rates were told.
pub(super) struct Told {
    values: Vec<f64>,
    /// The pair of `pairs` that stands for each two nodes.
    class: Vec<usize>,
    pub(super) pairs: Vec<(usize, usize)>,
    measure: Measure,
    from: String,
}

impl Told {
    pub(super) fn new(n: usize, values: Vec<f64>, teller: &DelaySource, measure: Measure) -> Told {
        let (class, pairs) = classes(n, &values);
        let from = match teller {
            DelaySource::Service(server) => server.clone(),
            DelaySource::File(path) => path.clone(),
            DelaySource::Scontrol => "scontrol".to_string(),
            DelaySource::Adapters => "the adapters".to_string(),
        };
        Told { values, class, pairs, measure, from }
    }
}

/// How far nodes are apart, as far as it is known; the same on all ranks.
pub(in super::super) struct Learner {
    nodes: usize,
    pub(super) pairs: Vec<(usize, usize)>,
    delays: Vec<Option<Delay>>,
    /// Kept pairs to look at again, the oldest first.
    doubtful: Vec<usize>,
    told: Option<Told>,
    /// Kept pairs, and the seconds since the oldest was measured.
    kept: (usize, f64),
    /// Seconds that measuring a pair took.
    pub(super) each: Option<f64>,
}

impl Learner {
    /// `cells`: latency, seconds a byte and age of each pair, negative where it is not known.
    pub(super) fn new(nodes: usize, pairs: Vec<(usize, usize)>, cells: &[f64], told: Option<Told>) -> Learner {
        let known = |cell: &[f64]| (cell[0] >= 0.0).then(|| [cell[0], cell[1]]);
        let delays: Vec<Option<Delay>> = cells.chunks_exact(3).map(known).collect();
        let age = |at: usize| cells[3 * at + 2];
        let kept = || (0..pairs.len()).filter(|&at| delays[at].is_some());
        let mut doubtful: Vec<usize> = kept().filter(|&at| age(at) > FRESH).collect();
        doubtful.sort_by(|&a, &b| age(b).total_cmp(&age(a)));
        doubtful.truncate(PROBES);
        let kept = (kept().count(), kept().map(age).fold(0.0, f64::max));
        Learner { nodes, pairs, delays, doubtful, told, kept, each: None }
    }

    /// Pairs that are not measured yet, or not again.
    pub(in super::super) fn open(&self) -> usize {
        self.delays.iter().filter(|delay| delay.is_none()).count() + self.doubtful.len()
    }

    /// Seconds that measuring a pair takes, and whether that is a guess: from what a byte of a collective takes at least.
    pub(in super::super) fn each(&self, rate: f64) -> (f64, bool) {
        self.each.map_or((measure::LARGE as f64 * rate, true), |each| (each, false))
    }

    /// The next pairs to measure: what is doubtful, then what is not known.
    pub(super) fn next(&self, count: usize) -> Vec<usize> {
        let lacking = (0..self.pairs.len()).filter(|&at| self.delays[at].is_none());
        self.doubtful.iter().copied().chain(lacking).take(count).collect()
    }

    /// True where a pair is known to be otherwise.
    pub(super) fn differs(&self, at: usize, delay: Delay) -> bool {
        let seconds = |[latency, per_byte]: Delay| latency + 65536.0 * per_byte;
        self.delays[at].is_some_and(|known| {
            let ratio = seconds(delay) / seconds(known);
            !(1.0 / OTHER..=OTHER).contains(&ratio)
        })
    }

    pub(super) fn forget(&mut self) {
        self.delays.fill(None);
        self.doubtful.clear();
        self.kept = (0, 0.0);
    }

    pub(super) fn know(&mut self, at: usize, delay: Delay) {
        self.delays[at] = Some(delay);
        self.doubtful.retain(|&other| other != at);
    }

    /// In words where delays are from.
    pub(in super::super) fn how(&self) -> String {
        let from =
            self.told.as_ref().map_or("measured".to_string(), |told| format!("{:?} from {}", told.measure, told.from));
        match self.kept {
            (0, _) => from,
            (count, age) => {
                let days = age / 86_400.0;
                format!("{from}, {count} of {} pairs known before, {days:.1} days ago at most", self.pairs.len())
            }
        }
    }

    /// What is still unknown, in words.
    pub(in super::super) fn lack(&self) -> String {
        let known = self.delays.iter().flatten().count();
        format!("{known} of {} pairs measured", self.pairs.len())
    }

    /// The network, once every pair is known.
    pub(in super::super) fn network(&self) -> Option<Network> {
        let n = self.nodes;
        let delays: Vec<Delay> = self.delays.iter().copied().collect::<Option<_>>()?;
        let mut cells = vec![Delay::default(); n * n];
        match &self.told {
            Some(told) => {
                for (cell, &class) in cells.iter_mut().zip(&told.class) {
                    *cell = delays.get(class).copied().unwrap_or_default();
                }
            }
            None => {
                for (&(i, j), &delay) in self.pairs.iter().zip(&delays) {
                    (cells[i * n + j], cells[j * n + i]) = (delay, delay);
                }
            }
        }
        let network =
            Network::new(n, cells.iter().map(|cell| cell[0]).collect(), cells.iter().map(|cell| cell[1]).collect());
        let Some(Told { values, measure: Measure::Hops | Measure::Slurm, .. }) = &self.told else {
            return Some(network);
        };
        let least =
            (0..n * n).filter(|pair| pair / n != pair % n).map(|pair| values[pair]).fold(f64::INFINITY, f64::min);
        Some(network.with_islands(|i, j| values[i * n + j] <= least))
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

    /// Four nodes: pairs of seconds a byte and age in days, as rank 0 knows them; negative where it does not.
    fn learner(known: [(f64, f64); 6]) -> Learner {
        let pairs = vec![(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
        let cells: Vec<f64> = known.iter().flat_map(|&(rate, days)| [rate, rate, 86_400.0 * days]).collect();
        Learner::new(4, pairs, &cells, None)
    }

    #[test]
    fn what_lacks_is_measured_in_slices_and_what_is_old_again() {
        let mut some = learner([(1e-8, 0.5), (-1.0, 0.0), (1e-8, 9.0), (1e-8, 3.0), (-1.0, 0.0), (1e-8, 4.0)]);
        assert_eq!((some.open(), some.next(9)), (5, vec![2, 5, 3, 1, 4]), "the oldest first");
        assert!(some.network().is_none() && some.lack() == "4 of 6 pairs measured");
        for at in some.next(9) {
            assert!(!some.differs(at, [1e-8, 1e-8]));
            some.know(at, [1e-8, 1e-8]);
        }
        assert_eq!((some.open(), some.network().map(|network| network.islands())), (0, Some(1)));
        assert!(some.how().contains("4 of 6 pairs known before, 9.0 days ago"), "{}", some.how());
    }

    #[test]
    fn a_pair_that_became_another_makes_all_unknown() {
        let mut all = learner([(1e-8, 2.0); 6]);
        assert!(all.open() == PROBES && all.network().is_some());
        assert!(all.differs(0, [1e-8, 2e-8]) && all.differs(0, [1e-8, 0.5e-8]) && !all.differs(0, [1e-8, 1.2e-8]));
        all.forget();
        assert!(all.open() == 6 && all.network().is_none());
    }

    #[test]
    fn one_pair_stands_for_each_value() {
        let (class, pairs) = classes(3, &[0.0, 1.0, 3.0, 1.0, 0.0, 3.0, 3.0, 3.0, 0.0]);
        assert_eq!(pairs, [(0, 1), (0, 2)]);
        assert_eq!((class[1], class[3], class[2], class[7]), (0, 0, 1, 1));
    }
}
