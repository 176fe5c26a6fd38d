//! A recording as GOAL text (Hoefler, Siebert and Lumsdaine, "Group Operation Assembly
//! Language", ICPP 2009), as LogGOPSim and ATLAHS read it: nanoseconds and bytes.

use super::Recording;
use super::perform::{Message, Performance, Stage};
use crate::error::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes the schedule of a run: O(calls and messages).
///
/// # Errors
/// A rank's recording is not whole, or has more calls than a schedule should.
pub fn goal(recording: &Recording) -> Result<String> {
    let performance = Performance::new(recording)?;
    let mut text = format!("num_ranks {}\n", recording.ranks.len());
    for rank in 0..recording.ranks.len() as u32 {
        let mut page = Page { text, label: 0, after: Vec::new(), requests: BTreeMap::new() };
        let _ = writeln!(page.text, "\nrank {rank} {{");
        performance.rank(rank, &mut page);
        text = page.text + "}\n";
    }
    Ok(text)
}

struct Page {
    text: String,
    /// The last label.
    label: u64,
    /// What the next operation requires.
    after: Vec<u64>,
    /// Labels by request.
    requests: BTreeMap<u64, u64>,
}

impl Page {
    /// A labelled line that requires what stands before it.
    fn line(&mut self, what: &str) -> u64 {
        self.label += 1;
        let label = self.label;
        let _ = writeln!(self.text, "l{label}: {what}");
        for before in &self.after {
            let _ = writeln!(self.text, "l{label} requires l{before}");
        }
        label
    }

    fn message(&mut self, what: &str, request: Option<u64>) {
        let label = self.line(what);
        match request {
            Some(request) => drop(self.requests.insert(request, label)),
            None => self.after = vec![label],
        }
    }
}

impl Stage for Page {
    fn compute(&mut self, nanos: u64) {
        let label = self.line(&format!("calc {nanos}"));
        self.after = vec![label];
    }

    fn send(&mut self, m: Message) {
        self.message(&format!("send {}b to {} tag {}", m.bytes, m.peer, m.tag), m.request);
    }

    fn recv(&mut self, m: Message) {
        self.message(&format!("recv {}b from {} tag {}", m.bytes, m.peer, m.tag), m.request);
    }

    fn wait(&mut self, requests: &[u64]) {
        let ended = requests.iter().filter_map(|request| self.requests.remove(request));
        self.after.extend(ended);
        // One operation stands for all of them.
        if self.after.len() > 1 {
            let label = self.line("calc 0");
            self.after = vec![label];
        }
    }
}
