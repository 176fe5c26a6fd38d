//! What a schedule takes where no packets can be simulated, since links have one direction: messages queue for the links of their
//! ways.

use crate::routed::Routes;
use hopline::error::{Error, Result};
use hopline::schedule::{Schedule, What};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

impl Routes<'_> {
    /// Seconds of a schedule of as many ranks as there are ways between: a link takes messages one after the other in the order
    /// in which they may begin, and a message has come when all links of its way have carried it. Pieces go on before all of it
    /// is there, and switches hold what waits. O(messages x (links of a way + log messages)).
    ///
    /// # Errors
    /// Another number of ranks, plays behind each other, two ranks without a way, or operations that wait for ever.
    pub fn queued(&mut self, schedule: &Schedule) -> Result<f64> {
        if schedule.ranks() != self.ranks() || schedule.is_repeated() {
            let text = format!("a schedule of {} ranks for {} places", schedule.ranks(), self.ranks());
            return Err(Error::argument("schedule", text));
        }
        let mut run = Run::new(self, schedule);
        while let Some(Reverse((time, op))) = run.ready.pop() {
            run.step(f64::from_bits(time), op)?;
        }
        match run.left {
            0 => Ok(run.last),
            left => Err(Error::input(format!("{left} operations of this schedule wait for ever"))),
        }
    }
}

struct Run<'r, 'a> {
    routes: &'r mut Routes<'a>,
    schedule: &'r Schedule,
    /// Of each link its bytes per second and seconds of latency.
    speeds: Arc<[(Option<u64>, f64)]>,
    /// The rank of each operation.
    owner: Vec<u32>,
    /// What each still waits for: of receives their message, too.
    needs: Vec<u32>,
    /// When each may begin, as far as is known.
    begins: Vec<f64>,
    /// When each link is free.
    free: Vec<f64>,
    /// Operations that may begin, by time; bits of times from 0 on are in their order.
    ready: BinaryHeap<Reverse<(u64, u32)>>,
    left: usize,
    last: f64,
}

impl<'r, 'a> Run<'r, 'a> {
    fn new(routes: &'r mut Routes<'a>, schedule: &'r Schedule) -> Run<'r, 'a> {
        let ops = schedule.ops();
        let message = |op: usize| u32::from(ops[op].what == What::Recv);
        let needs: Vec<u32> = (0..ops.len()).map(|op| schedule.needs(op as u32) + message(op)).collect();
        let first = (0u32..).zip(&needs).filter(|(_, needs)| **needs == 0);
        let ready = first.map(|(op, _)| Reverse((0.0f64.to_bits(), op))).collect();
        let (speeds, owner) = (routes.speeds(), schedule.owners());
        let (begins, free) = (vec![0.0; ops.len()], vec![0.0; speeds.len()]);
        Run { routes, schedule, speeds, owner, needs, begins, free, ready, left: ops.len(), last: 0.0 }
    }

    fn step(&mut self, now: f64, op: u32) -> Result<()> {
        let own = self.schedule.ops()[op as usize];
        let ends = match own.what {
            What::Recv => now,
            What::Compute => now + own.amount as f64 * 1e-9,
            What::Send => self.carry(now, (self.owner[op as usize], own.peer), own.amount)?,
        };
        (self.left, self.last) = (self.left - 1, self.last.max(ends));
        for (later, begun) in self.schedule.after(op) {
            self.met(later, if begun { now } else { ends });
        }
        if own.what == What::Send {
            self.met(own.partner, ends);
        }
        Ok(())
    }

    /// One thing less that an operation waits for.
    fn met(&mut self, op: u32, at: f64) {
        let (needs, begins) = (&mut self.needs[op as usize], &mut self.begins[op as usize]);
        (*needs, *begins) = (*needs - 1, begins.max(at));
        if *needs == 0 {
            self.ready.push(Reverse((begins.to_bits(), op)));
        }
    }

    /// When a message that may begin now has come.
    fn carry(&mut self, now: f64, (from, to): (u32, u32), bytes: u64) -> Result<f64> {
        let (mut ends, mut latency_s) = (now, 0.0);
        for &(link, share) in self.routes.of(from, to)? {
            let (bytes_s, latency) = self.speeds[link.index()];
            latency_s += share * latency;
            let Some(bytes_s) = bytes_s else { continue };
            let free = &mut self.free[link.index()];
            *free = free.max(now) + share * bytes as f64 / bytes_s as f64;
            ends = f64::max(ends, *free);
        }
        Ok(ends + latency_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use hopline::schedule::Builder;

    /// Three ranks in a ring of one direction, 1 GB/s.
    #[test]
    fn messages_wait_for_what_they_pass_on_and_for_links() {
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let links = [(0, 1, 1_000_000_000), (1, 2, 1_000_000_000), (2, 0, 1_000_000_000)];
        let network = Network::new(names, vec![0, 1, 2], links).expect("a network");
        let mut builder = Builder::new(3);
        for rank in 0..3 {
            builder.send(rank, (rank + 1) % 3, 1_000_000_000, 0);
            let got = builder.recv((rank + 1) % 3, rank, 1_000_000_000, 0);
            let sent = builder.send((rank + 1) % 3, (rank + 2) % 3, 1_000_000_000, 1);
            builder.requires(sent, got);
            builder.recv((rank + 2) % 3, (rank + 1) % 3, 1_000_000_000, 1);
        }
        let ring = builder.finish().expect("a schedule");
        assert_eq!(Routes::shortest(&network).queued(&ring).expect("seconds"), 2.0);
        // Against the ring: every message passes two links, each link carries two of them.
        let mut builder = Builder::new(3);
        for rank in 0..3 {
            builder.send(rank, (rank + 2) % 3, 1_000_000_000, 0);
            builder.recv((rank + 2) % 3, rank, 1_000_000_000, 0);
        }
        let back = builder.finish().expect("a schedule");
        assert_eq!(Routes::shortest(&network).queued(&back).expect("seconds"), 2.0);
        let few = Builder::new(2).finish().expect("empty");
        assert!(Routes::shortest(&network).queued(&few).is_err());
    }
}
