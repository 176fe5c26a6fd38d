//! What was done when and because of what: the material of the critical path.

use super::{Critical, Done, NONE};

/// What was done so far; empty where nobody asks.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Per operation: the record without which it would have begun earlier; `BY_MESSAGE` where that is its send.
    cause: Vec<u32>,
    records: Vec<Record>,
    /// (receive, when its message was there), in order of time.
    arrived: Vec<(u32, u64)>,
}

#[derive(Debug, Clone, Copy)]
struct Record {
    rank: u32,
    op: u32,
    time: u64,
    cause: u32,
}

/// A cause that is the send of a message.
pub(super) const BY_MESSAGE: u32 = 1 << 31;

impl Log {
    /// Of so many operations; none records nothing.
    pub(super) fn new(ops: usize) -> Log {
        Log { cause: vec![NONE; ops], ..Log::default() }
    }

    fn is_on(&self) -> bool {
        !self.cause.is_empty()
    }

    pub(super) fn cause(&self, op: u32) -> u32 {
        self.cause.get(op as usize).copied().unwrap_or(NONE)
    }

    /// Records that the message of a receive is there.
    pub(super) fn arrive(&mut self, recv: u32, time: u64) {
        if self.is_on() {
            self.arrived.push((recv, time));
        }
    }

    pub(super) fn set(&mut self, op: u32, cause: u32) {
        if let Some(cell) = self.cause.get_mut(op as usize) {
            *cell = cause;
        }
    }

    /// Records that an operation was done or sent.
    pub(super) fn record(&mut self, rank: u32, op: u32, time: u64) -> u32 {
        if !self.is_on() || self.records.len() >= (BY_MESSAGE - 1) as usize {
            return NONE;
        }
        self.records.push(Record { rank, op, time, cause: self.cause[op as usize] });
        self.records.len() as u32 - 1
    }

    /// What the last operation waited for, from the beginning.
    pub(super) fn path(&self) -> Vec<Critical> {
        let mut path = Vec::new();
        let last = (0..self.records.len()).max_by_key(|&i| (self.records[i].time, std::cmp::Reverse(i)));
        let mut at = last.map_or(NONE, |i| i as u32);
        while at != NONE {
            let r = self.records[at as usize];
            let by_message = r.cause != NONE && r.cause & BY_MESSAGE != 0;
            let before = if r.cause == NONE { NONE } else { r.cause & !BY_MESSAGE };
            let sent = by_message.then(|| self.records[before as usize].time);
            path.push(Critical { rank: r.rank, op: r.op, done: r.time, sent });
            at = before;
        }
        path.reverse();
        path
    }
}

impl From<Log> for Done {
    fn from(log: Log) -> Done {
        Done { ops: log.records.iter().map(|r| (r.rank, r.op, r.time)).collect(), arrived: log.arrived }
    }
}
