//! Which numbers of a very long file are looked at: of every link as many as tell what there is to tell.

use crate::measured::Sample;
use crate::names::Names;
use crate::readers::{Source, read};
use hopline::error::Result;
use hopline::plan::Network;
use hopline::rng::Rng;
use hopline::routing::Route;
use std::cell::{Cell, RefCell};

/// Files up to so many bytes are read whole: some 500,000 pairs.
pub(crate) const LONG: usize = 16 << 20;
/// Numbers of a link that are looked at, on average at least, where it has so many.
const EACH: f64 = 64.0;
/// Numbers of hosts that the fabric lacks: so many are kept, for their names; the others are counted.
const MOST_UNKNOWN: u64 = 1000;

/// Numbers are drawn by chance, whatever they say: each with the probability that the link of its way with the fewest needs.
pub(crate) struct Thinning<'a> {
    network: &'a Network,
    names: &'a Names,
    /// Numbers that cross each link.
    crossings: Vec<u32>,
    rng: RefCell<Rng>,
    route: RefCell<Route>,
    seen: Cell<u64>,
    kept: Cell<u64>,
    unknown: Cell<u64>,
}

impl<'a> Thinning<'a> {
    /// Counts what crosses each link. O(numbers * hops), and no number is kept.
    ///
    /// # Errors
    /// The file cannot be read as what it looks like.
    pub(crate) fn new(network: &'a Network, names: &'a Names, path: &str, text: &str) -> Result<Thinning<'a>> {
        let crossings = RefCell::new(vec![0u32; network.fabric.links()]);
        let mut thinning = Thinning {
            network,
            names,
            crossings: Vec::new(),
            rng: RefCell::new(Rng::new(0, "thinning")),
            route: RefCell::default(),
            seen: Cell::new(0),
            kept: Cell::new(0),
            unknown: Cell::new(0),
        };
        let count = |sample: &Sample| {
            let mut crossings = crossings.borrow_mut();
            thinning.cross(sample, |link| crossings[link] = crossings[link].saturating_add(1));
            false
        };
        read(&Source { path, text, known: &|word| names.host(word).is_some(), keep: &count })?;
        thinning.crossings = crossings.into_inner();
        Ok(thinning)
    }

    /// Tells every link of a sample's ways; false where an end is unknown.
    fn cross(&self, sample: &Sample, mut tell: impl FnMut(usize)) -> bool {
        let mut route = self.route.borrow_mut();
        sample.pairs.iter().all(|(a, b)| {
            let (Some(a), Some(b)) = (self.names.end(a), self.names.end(b)) else { return false };
            let found = self.network.routing.route(a, b, &mut route).is_ok();
            route.iter().filter(|_| found).for_each(|(link, _)| tell(link.index()));
            found
        })
    }

    /// Whether this number is one of those to look at; to be asked once of each, in the order of the file.
    pub(crate) fn keeps(&self, sample: &Sample) -> bool {
        let mut fewest = u32::MAX;
        if !self.cross(sample, |link| fewest = fewest.min(self.crossings[link])) {
            self.unknown.set(self.unknown.get() + 1);
            return self.unknown.get() <= MOST_UNKNOWN;
        }
        self.seen.set(self.seen.get() + 1);
        let keep = self.rng.borrow_mut().unit() * f64::from(fewest) < EACH;
        self.kept.set(self.kept.get() + u64::from(keep));
        keep
    }

    /// Numbers of hosts that the fabric lacks, beyond those that were kept.
    pub(crate) fn unknown(&self) -> u64 {
        self.unknown.get().saturating_sub(MOST_UNKNOWN)
    }

    /// What was looked at; none where it was all.
    pub(crate) fn note(&self, path: &str) -> Option<String> {
        let (seen, kept) = (self.seen.get(), self.kept.get());
        (kept < seen)
            .then(|| format!("{path}: of {seen} numbers {kept} were drawn by chance, at least {EACH} of every link or all that cross it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::scenario::Scenario;

    #[test]
    fn unknown_hosts_are_counted_not_kept_without_end() {
        let rack = concat!("file:", env!("CARGO_MANIFEST_DIR"), "/../../testdata/fabrics/rack64");
        let scenario = Scenario::default().topology(rack).expect("a topology");
        let network = Network::new(&scenario, &hopline::files::Disk).expect("a network");
        let names = Names::new(&network);
        let unknown: String = (0..MOST_UNKNOWN + 500).map(|i| format!("alien{i},node001,1\n")).collect();
        let text = format!("src,dst,gbytes_per_s\n{unknown}node001,node002,1\n");
        let thinning = Thinning::new(&network, &names, "long.csv", &text).expect("a table");
        let keep = |sample: &Sample| thinning.keeps(sample);
        let batch = read(&Source { path: "long.csv", text: &text, known: &|_| true, keep: &keep }).expect("a table");
        assert_eq!((batch.samples.len() as u64, thinning.unknown()), (MOST_UNKNOWN + 1, 500));
        assert_eq!(thinning.note("long.csv"), None, "all numbers of known hosts were kept");
    }
}
