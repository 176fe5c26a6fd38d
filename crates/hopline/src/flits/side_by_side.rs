//! Parts of the network advanced side by side, here and in other processes.

use super::FlitModel;
use super::any_part::AnyPart;
use super::rounds::{Patience, Rounds};
use super::shared::Outgoing;
use super::shares::Shares;
use super::team::{Boxes, Cycles, Member, Team};
use crate::error::Result;
use crate::forwarding::Forwarding;
use std::ops::Range;
use std::sync::OnceLock;
use std::thread;

/// A part, and what it needs.
struct Advancing<'a, F> {
    setting: &'a FlitModel<F>,
    part: &'a mut dyn AnyPart<F>,
    /// The parts of this process among all.
    own: Range<usize>,
}

impl<F: Forwarding> Member for Advancing<'_, F> {
    type Mail = Outgoing;

    fn advance(&mut self, from: u32, to: u32) {
        self.part.advance(self.setting, from, to);
    }

    fn outgoing(&mut self) -> &mut [Outgoing] {
        &mut self.part.outgoing()[self.own.clone()]
    }

    fn receive(&mut self, mail: &mut Outgoing) {
        self.part.receive(mail);
        mail.clear();
    }
}

/// Router-cycles that pay for a thread, which takes some ten microseconds to start: a network that drains is looked at after each cycle.
const WORTH_A_START: u64 = 256;

/// Simulates cycles by at most so many threads. At the end of every window processes tell each other what crosses.
///
/// # Errors
/// Another process is gone.
pub(super) fn advance<F: Forwarding>(
    setting: &FlitModel<F>,
    parts: &mut [Box<dyn AnyPart<F>>],
    boxes: &Boxes<Outgoing>,
    shares: &mut Shares,
    threads: usize,
    cycles: Cycles,
) -> Result<()> {
    let work = u64::from(cycles.to - cycles.from) * setting.wiring.len() as u64;
    let worth = usize::try_from(work / WORTH_A_START).unwrap_or(usize::MAX);
    let threads = threads.min(parts.len()).min(worth).max(1);
    let own = shares.own();
    let members = parts.iter_mut().map(|part| Advancing { setting, part: &mut **part, own: own.clone() });
    let rounds = Rounds::new(own.len(), patience(threads));
    let team = Team::new(members, boxes, cycles, threads, &rounds);
    thread::scope(|scope| {
        for thread in 1..threads {
            let team = &team;
            scope.spawn(move || team.work(thread, || Ok::<(), ()>(())));
        }
        team.work(0, || {
            team.all(|members| {
                let mut parts: Vec<&mut dyn AnyPart<F>> = Vec::new();
                members.for_each(|member| parts.push(&mut *member.part));
                shares.exchange(&mut parts)
            })
        })
    })
}

/// Some 100 microseconds, then a few more in turn with other threads. Who looks out takes a core that others may need, where
/// there is none for each.
fn patience(threads: usize) -> Patience {
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = *CORES.get_or_init(|| thread::available_parallelism().map_or(1, usize::from));
    Patience { looks: if threads <= cores { 3000 } else { 0 }, yields: 50 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    /// Counts what it has heard, and can bear only so much.
    struct Counter {
        heard: u32,
        most: u32,
        outgoing: Vec<u32>,
    }

    impl Member for Counter {
        type Mail = u32;

        fn advance(&mut self, from: u32, to: u32) {
            assert!(self.heard < self.most, "provoked");
            self.outgoing.iter_mut().for_each(|mail| *mail += to - from);
        }

        fn outgoing(&mut self) -> &mut [u32] {
            &mut self.outgoing
        }

        fn receive(&mut self, mail: &mut u32) {
            self.heard += std::mem::take(mail);
        }
    }

    /// Five members and three threads for 100 cycles: what each has heard, and how it ended.
    fn counted(
        most: u32,
        mut between: impl FnMut() -> Result<(), &'static str>,
    ) -> (Vec<u32>, Result<(), &'static str>) {
        let boxes = Boxes::new(5);
        let rounds = Rounds::new(5, Patience { looks: 10, yields: 10 });
        let cycles = Cycles { from: 0, to: 100, stride: 3, window: Some(20) };
        let counter = |m| Counter { heard: 0, most: if m == 4 { most } else { u32::MAX }, outgoing: vec![0; 5] };
        let team = Team::new((0..5).map(counter), &boxes, cycles, 3, &rounds);
        let end = thread::scope(|scope| {
            for thread in 1..3 {
                let team = &team;
                scope.spawn(move || team.work(thread, || Ok::<(), ()>(())));
            }
            team.work(0, &mut between)
        });
        let mut heard = Vec::new();
        team.all(|members| members.for_each(|member| heard.push(member.heard)));
        (heard, end)
    }

    #[test]
    fn all_hear_of_all_cycles() {
        let mut windows = 0;
        let (heard, end) = counted(u32::MAX, || {
            windows += 1;
            Ok(())
        });
        assert_eq!((heard, end, windows), (vec![500; 5], Ok(()), 5));
    }

    #[test]
    fn what_fails_or_panics_ends_all_threads() {
        let (heard, end) = counted(u32::MAX, || Err("no other process"));
        assert_eq!(end, Err("no other process"));
        assert!(heard.iter().all(|&cycles| cycles < 100), "{heard:?}");
        assert!(catch_unwind(AssertUnwindSafe(|| counted(150, || Ok(())))).is_err());
    }
}
