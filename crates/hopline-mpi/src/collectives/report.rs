//! What was done and what finding it out cost, for `HOPLINE_VERBOSE`: the phases of
//! Subramoni et al., CLUSTER 2011, Table III.

use super::delays::Cost;
use crate::say;

#[derive(Default)]
pub(super) struct Report {
    lines: Vec<String>,
    calls: u64,
    ours: u64,
    /// Looks at communicators that could not be paid.
    put_off: u64,
    find_nodes: u64,
    cost: Cost,
    plans: u64,
    planned: u64,
}

impl Report {
    pub(super) fn line(&mut self, line: String) {
        self.lines.push(line);
    }

    /// A communicator was met, with a line where its members were not known; times in nanoseconds.
    pub(super) fn met(&mut self, line: Option<String>, find_nodes: u64, cost: Cost) {
        self.lines.extend(line);
        self.find_nodes += find_nodes;
        self.spent(cost);
    }

    /// To look at a communicator could not be paid.
    pub(super) fn put_off(&mut self) {
        self.put_off += 1;
    }

    /// Delays were asked for or measured.
    pub(super) fn spent(&mut self, cost: Cost) {
        self.cost.asked += cost.asked;
        self.cost.shared += cost.shared;
        self.cost.measured += cost.measured;
    }

    /// A plan was made in so many nanoseconds.
    pub(super) fn planned(&mut self, took: u64) {
        self.plans += 1;
        self.planned += took;
    }

    pub(super) fn called(&mut self, ours: bool) {
        self.calls += 1;
        self.ours += u64::from(ours);
    }

    pub(super) fn print(&self) {
        self.lines.iter().for_each(|line| say(line));
        if self.put_off > 0 {
            say(&format!("looks at communicators that could not be paid: {}", self.put_off));
        }
        let ms = |nanos: u64| nanos as f64 / 1e6;
        let Cost { asked, shared, measured } = self.cost;
        say(&format!("{} of {} collectives of rank 0 went the ways of this layer", self.ours, self.calls));
        say(&format!(
            "cost: nodes {:.2} ms, delays asked {:.2} ms, shared {:.2} ms, measured {:.2} ms, {} plans {:.2} ms",
            ms(self.find_nodes),
            ms(asked),
            ms(shared),
            ms(measured),
            self.plans,
            ms(self.planned)
        ));
    }
}
