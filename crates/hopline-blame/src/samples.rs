//! The numbers of a file, kept small: a file may have millions of them, of hosts that come again and again.

use crate::measured::{End, Quantity, Sample};
use rustc_hash::FxHashMap;

/// Numbers in their order. Each takes some 36 bytes where it is of one pair; ends are kept once.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    ends: Vec<End>,
    /// Where an end stands there.
    places: FxHashMap<End, u32>,
    rows: Vec<Row>,
    /// Ends of the pairs of all rows, one row after the other.
    pairs: Vec<[u32; 2]>,
    rounds: Vec<u32>,
}

#[derive(Debug, Clone)]
struct Row {
    /// NaN where no number came of it: none that is told is one.
    value: f64,
    line: u32,
    /// How many pairs and rounds are its own.
    pairs: u32,
    rounds: u32,
    kind: Quantity,
}

/// One of the numbers, as a [`Sample`] has it.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    ends: &'a [End],
    pairs: &'a [[u32; 2]],
    /// Rounds of the file in which its pairs ran; empty where they ran alone.
    pub rounds: &'a [u32],
    /// GB/s (1e9 bytes) or microseconds; none where the pair ran and no number came of it.
    pub value: Option<f64>,
    /// What the number says.
    pub kind: Quantity,
    /// The line where it stands, from 1; 0 for the file as a whole.
    pub line: u32,
}

impl<'a> View<'a> {
    /// The flows that the number is about.
    pub fn pairs(&self) -> impl ExactSizeIterator<Item = (&'a End, &'a End)> + Clone + use<'a> {
        let ends = self.ends;
        self.pairs.iter().map(|&[a, b]| (&ends[a as usize], &ends[b as usize]))
    }

    /// A copy that stands alone.
    pub fn sample(&self) -> Sample {
        Sample {
            pairs: self.pairs().map(|(a, b)| (a.clone(), b.clone())).collect(),
            rounds: self.rounds.to_vec(),
            value: self.value,
            kind: self.kind,
            line: self.line,
        }
    }
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = View<'_>> {
        let (mut pairs, mut rounds) = (&self.pairs[..], &self.rounds[..]);
        self.rows.iter().map(move |row| {
            let (own, ran);
            (own, pairs) = pairs.split_at(row.pairs as usize);
            (ran, rounds) = rounds.split_at(row.rounds as usize);
            View {
                ends: &self.ends,
                pairs: own,
                rounds: ran,
                value: Some(row.value).filter(|value| !value.is_nan()),
                kind: row.kind,
                line: row.line,
            }
        })
    }

    pub(crate) fn push(&mut self, sample: Sample) {
        self.rows.push(Row {
            value: sample.value.unwrap_or(f64::NAN),
            line: sample.line,
            pairs: sample.pairs.len() as u32,
            rounds: sample.rounds.len() as u32,
            kind: sample.kind,
        });
        for (a, b) in sample.pairs {
            let pair = [a, b].map(|end| self.place(end));
            self.pairs.push(pair);
        }
        self.rounds.extend(sample.rounds);
    }

    fn place(&mut self, end: End) -> u32 {
        if let Some(&place) = self.places.get(&end) {
            return place;
        }
        let place = self.ends.len() as u32;
        self.ends.push(end.clone());
        self.places.insert(end, place);
        place
    }

    /// The ends of all pairs, each once, to be named otherwise. Nothing is to be pushed after that.
    pub(crate) fn ends_mut(&mut self) -> &mut [End] {
        self.places.clear();
        &mut self.ends
    }
}

impl FromIterator<Sample> for Samples {
    fn from_iter<I: IntoIterator<Item = Sample>>(samples: I) -> Samples {
        let mut all = Samples::default();
        samples.into_iter().for_each(|sample| all.push(sample));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_was_given() {
        let name = |n: &str| End::Name(n.to_string());
        let given = [
            (vec![(name("a"), name("b"))], vec![], Some(1.5), Quantity::OneWay),
            (vec![(name("b"), name("a")), (End::Lid(7), End::Rank(0))], vec![3, 4], None, Quantity::Sum),
            (vec![], vec![5], Some(0.0), Quantity::Latency),
        ];
        let given = given.map(|(pairs, rounds, value, kind)| Sample { pairs, rounds, value, kind, line: 9 });
        let mut kept: Samples = given.iter().cloned().collect();
        let all = |kept: &Samples| kept.iter().map(|view| view.sample()).collect::<Vec<_>>();
        assert_eq!(all(&kept), given);
        assert_eq!((kept.len(), kept.is_empty()), (3, false));
        kept.ends_mut().iter_mut().filter(|end| **end == End::Rank(0)).for_each(|end| *end = name("c"));
        assert_eq!(all(&kept)[1].pairs[1], (End::Lid(7), name("c")));
    }
}
