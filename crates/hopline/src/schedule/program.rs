//! What a schedule plays: its bodies in order, each as often as it says.

use super::{Limit, NOBODY, Op, Schedule, Size};
use crate::error::{Error, Result};

/// A body and how often it is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Play {
    /// The body.
    pub body: u32,
    /// How often.
    pub times: u32,
}

impl Schedule {
    /// What is played, in order.
    pub fn program(&self) -> &[Play] {
        &self.program
    }

    /// Whether anything is played behind something else.
    pub fn is_repeated(&self) -> bool {
        self.program.len() > 1 || self.program.iter().any(|p| p.times > 1)
    }

    /// How often each body is played in all.
    pub fn plays(&self) -> Vec<u64> {
        let mut plays = vec![0; self.bodies() as usize];
        self.program.iter().for_each(|p| plays[p.body as usize] += u64::from(p.times));
        plays
    }

    /// Its first `plays` alone, those of a line that repeats counted one by one.
    pub fn first_plays(mut self, plays: u64) -> Schedule {
        let mut left = plays;
        self.program.retain_mut(|play| {
            play.times = u64::from(play.times).min(left) as u32;
            left -= u64::from(play.times);
            play.times > 0
        });
        self
    }

    /// The same `times` over.
    ///
    /// # Errors
    /// No times, or more plays than fit.
    pub fn repeat(mut self, times: u32) -> Result<Schedule> {
        let fits = |p: &Play| p.times.checked_mul(times).is_some();
        if times == 0 || !self.program.iter().all(fits) {
            return Err(Error::input(format!("a schedule repeated {times} times, expected 1 to {}", u32::MAX)));
        }
        match &mut self.program[..] {
            [only] => only.times *= times,
            _ => self.program = self.program.repeat(times as usize),
        }
        Ok(self)
    }

    /// This schedule, then another of as many ranks. O(operations).
    ///
    /// # Errors
    /// Another number of ranks, or more operations than fit.
    pub fn then(mut self, next: Schedule) -> Result<Schedule> {
        if self.ranks != next.ranks {
            return Err(Error::input(format!("a schedule of {} ranks goes on with {}", self.ranks, next.ranks)));
        }
        let (base, edges, bodies) = (self.ops.len(), self.after.len(), self.bodies());
        let operations = (base + next.ops.len()) as u64;
        Size { ranks: self.ranks, operations }.check(Limit { bytes: u64::MAX })?;
        let (base, edges) = (base as u32, edges as u32);
        self.first.pop();
        self.first.extend(next.first.iter().map(|f| f + base));
        let run = |at: u32| if at == NOBODY { NOBODY } else { at + edges };
        let moved = |op: &Op| Op { partner: op.partner + base, first_after: run(op.first_after), ..*op };
        self.tags.append(&self.ops, next.tags, &next.ops);
        self.ops.extend(next.ops.iter().map(moved));
        self.after.extend(next.after.iter().map(|a| a + base));
        self.crowds.extend(next.crowds.iter().map(|&(op, needs)| (op + base, needs)));
        self.program.extend(next.program.iter().map(|p| Play { body: p.body + bodies, ..*p }));
        Ok(self)
    }
}
