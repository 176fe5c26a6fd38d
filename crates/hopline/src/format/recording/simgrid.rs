//! A recording as a time-independent trace of SimGrid (`smpirun -replay`): one line
//! per action, `rank action arguments`. Computation is given in flops, one a nanosecond.

use super::Recording;
use super::perform::{Message, Performance, Stage};
use crate::error::Result;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Writes the trace of a run, all ranks in one text: O(calls and messages).
///
/// # Errors
/// A rank's recording is not whole, or has more calls than a trace should.
pub fn simgrid_ti(recording: &Recording) -> Result<String> {
    let performance = Performance::new(recording)?;
    let mut text = String::new();
    for rank in 0..recording.ranks.len() as u32 {
        let mut page = Page { text, rank, requests: BTreeMap::new() };
        let _ = writeln!(page.text, "{rank} init");
        performance.rank(rank, &mut page);
        text = page.text;
        let _ = writeln!(text, "{rank} finalize");
    }
    Ok(text)
}

struct Page {
    text: String,
    rank: u32,
    /// Sender, receiver and tag by request: they name it.
    requests: BTreeMap<u64, (u32, u32, u32)>,
}

impl Stage for Page {
    fn compute(&mut self, nanos: u64) {
        let _ = writeln!(self.text, "{} compute {nanos}", self.rank);
    }

    fn send(&mut self, m: Message) {
        let action = if m.request.is_some() { "isend" } else { "send" };
        let _ = writeln!(self.text, "{} {action} {} {} {}", self.rank, m.peer, m.tag, m.bytes);
        self.requests.extend(m.request.map(|request| (request, (self.rank, m.peer, m.tag))));
    }

    fn recv(&mut self, m: Message) {
        let action = if m.request.is_some() { "irecv" } else { "recv" };
        let _ = writeln!(self.text, "{} {action} {} {} {}", self.rank, m.peer, m.tag, m.bytes);
        self.requests.extend(m.request.map(|request| (request, (m.peer, self.rank, m.tag))));
    }

    fn wait(&mut self, requests: &[u64]) {
        for (from, to, tag) in requests.iter().filter_map(|request| self.requests.remove(request)) {
            let _ = writeln!(self.text, "{} wait {from} {to} {tag}", self.rank);
        }
    }
}
