//! Steps, of which algorithms are made.

/// Messages that are sent at once: from, to, and how much of the operation's size; done so many times.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// How often it comes one after the other.
    pub times: u32,
    /// Messages in a row until all links are busy: more than 1 for pipelines of many small pieces.
    pub depth: u32,
    /// Rank, rank, part of the size.
    pub sends: Vec<(u32, u32, f64)>,
}

impl Step {
    /// Messages that are sent at once, once.
    pub(crate) fn of(sends: Vec<(u32, u32, f64)>) -> Step {
        Step { times: 1, depth: 1, sends }
    }

    /// The same so often.
    pub(crate) fn repeated(self, times: u32) -> Step {
        Step { times, ..self }
    }
}

/// The same backwards: what spreads becomes what collects.
pub(crate) fn turned(mut steps: Vec<Step>) -> Vec<Step> {
    steps.reverse();
    steps.iter_mut().flat_map(|step| &mut step.sends).for_each(|(from, to, _)| std::mem::swap(from, to));
    steps
}

/// The powers of a number below `n`, from 1.
pub(crate) fn powers(of: u64, n: u32) -> impl DoubleEndedIterator<Item = u32> {
    let all: Vec<u32> =
        (0..).map_while(|k| of.checked_pow(k)).take_while(|&d| d < n.into()).map(|d| d as u32).collect();
    all.into_iter()
}
