//! Every order of the steps of threads that share what threads of the route service share, and those of a simulation.
#![cfg(test)]
#![allow(clippy::print_stdout, reason = "how many orders there were")]

#[path = "../../crates/hopline-service/src/server/current.rs"]
mod current;
#[path = "../../crates/hopline-service/src/server/handed.rs"]
mod handed;
#[path = "../../crates/hopline/src/flits/rounds.rs"]
mod rounds;
#[path = "../../crates/hopline/src/flits/team.rs"]
mod team;

mod sync {
    pub(crate) use loom::hint::spin_loop;
    pub(crate) use loom::sync::atomic::{AtomicU64, AtomicUsize};
    pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock};
    pub(crate) use loom::thread::yield_now;
}

use current::Current;
use handed::Handed;
use loom::sync::Arc;
use loom::thread;
use rounds::{Patience, Rounds};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use team::{Boxes, Cycles, Member, Team};

/// Tries every order; at least so many are expected.
fn all_orders(name: &str, least: usize, model: impl Fn() + Send + Sync + 'static) {
    orders(name, least, None, model);
}

/// Tries those in which a thread that could go on is stopped at most so often.
fn orders(name: &str, least: usize, stops: Option<usize>, model: impl Fn() + Send + Sync + 'static) {
    let orders = std::sync::Arc::new(AtomicUsize::new(0));
    let count = orders.clone();
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = stops;
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        model();
    });
    let orders = orders.load(Relaxed);
    println!("{name}: {orders} orders");
    assert!(orders >= least, "{name}: {orders} orders");
}

/// A generation: its number stands twice, and its end is counted.
struct Generation {
    number: usize,
    again: usize,
    ended: Arc<AtomicUsize>,
}

impl Drop for Generation {
    fn drop(&mut self) {
        self.ended.fetch_add(1, Relaxed);
    }
}

/// Threads answer, so often each, while generations are put in place: each answer is of one generation, later ones of no earlier
/// generation, and every generation ends once.
fn swapped(threads: usize, answers: usize, generations: usize) {
    let ended = Arc::new(AtomicUsize::new(0));
    let generation = |number| Generation { number, again: number, ended: ended.clone() };
    let current = Arc::new(Current::new(generation(0)));
    let answer = || {
        let current = current.clone();
        thread::spawn(move || {
            let mut last = 0;
            for _ in 0..answers {
                let held = current.get();
                assert_eq!(held.number, held.again);
                assert!(held.number >= last, "generation {} after {last}", held.number);
                last = held.number;
            }
        })
    };
    let answering: Vec<_> = (0..threads).map(|_| answer()).collect();
    (1..=generations).for_each(|number| current.replace(generation(number)));
    assert_eq!(current.get().number, generations, "what was put there is there");
    answering.into_iter().for_each(|thread| thread.join().expect("it answered"));
    assert_eq!(ended.load(Relaxed), generations, "those that nobody has any more");
    drop(current);
    assert_eq!(ended.load(Relaxed), generations + 1);
}

#[test]
fn answers_are_of_one_generation() {
    all_orders("two threads answer, one generation comes", 100, || swapped(2, 1, 1));
}

#[test]
fn answers_never_go_back() {
    all_orders("a thread answers twice, two generations come", 100, || swapped(1, 2, 2));
}

/// One thread hands over two connections while another takes what is there: each is taken once, and the count never runs below nothing.
#[test]
fn connections_are_taken_once_and_counts_end_at_nothing() {
    all_orders("connections handed over", 20, || {
        let inbox = Handed::new();
        let worker = inbox.clone();
        let taking = thread::spawn(move || {
            let mut all = Vec::new();
            for _ in 0..2 {
                for thing in worker.take() {
                    worker.taken();
                    all.push(thing);
                }
            }
            all
        });
        for thing in 1..=2 {
            inbox.give(thing);
            // The giver decides by it whether there are too many.
            assert!(inbox.waiting() <= thing, "{} wait", inbox.waiting());
        }
        let mut all = taking.join().expect("it took");
        let left = inbox.take();
        assert_eq!(inbox.waiting(), left.len() as u64);
        all.extend(left);
        assert_eq!(all, [1, 2], "each once, in order");
    });
}

/// Each thread does a piece of every round. What was written in a round, all see after it.
fn met(threads: usize, rounds: usize, looks: u32) {
    let common = Arc::new(Rounds::new(threads, Patience { looks, yields: looks }));
    let numbers: Arc<Vec<_>> = Arc::new((0..threads).map(|_| sync::AtomicUsize::new(0)).collect());
    let meet = |thread: usize| {
        let (common, numbers) = (common.clone(), numbers.clone());
        move || {
            for round in 0..rounds {
                numbers[thread].store(round + 1, Relaxed);
                common.done();
                assert!(common.wait(round), "nobody is gone");
                // Who is fast may be in the next round already.
                assert!(numbers.iter().map(|n| n.load(Relaxed)).all(|n| n == round + 1 || n == round + 2));
            }
        }
    };
    let others: Vec<_> = (1..threads).map(|thread| thread::spawn(meet(thread))).collect();
    meet(0)();
    others.into_iter().for_each(|thread| thread.join().expect("it met the others"));
}

#[test]
fn threads_that_wait_see_what_was_done_before() {
    orders("two threads, two rounds, asleep, three stops", 100, Some(3), || met(2, 2, 0));
    all_orders("two threads look, two rounds", 100, || met(2, 2, 1));
    orders("three threads, two rounds, two stops", 100, Some(2), || met(3, 2, 0));
}

#[test]
fn nobody_waits_for_a_thread_that_is_gone() {
    all_orders("one of two leaves", 5, || {
        let rounds = Arc::new(Rounds::new(2, Patience { looks: 0, yields: 0 }));
        let other = rounds.clone();
        let leaving = thread::spawn(move || other.leave());
        rounds.done();
        assert!(!rounds.wait(0));
        leaving.join().expect("it left");
        assert!(!rounds.wait(0), "ever again");
    });
}

/// Tells all others, and itself, its number and the cycle; every cycle all have heard of the one before.
struct Teller {
    number: usize,
    outgoing: Vec<Vec<(usize, u32)>>,
    heard: Vec<(usize, u32)>,
}

impl Member for Teller {
    type Mail = Vec<(usize, u32)>;

    fn advance(&mut self, from: u32, to: u32) {
        assert_eq!(to, from + 1);
        self.check(from);
        self.heard.clear();
        self.outgoing.iter_mut().for_each(|mail| mail.push((self.number, from)));
    }

    fn outgoing(&mut self) -> &mut [Self::Mail] {
        &mut self.outgoing
    }

    fn receive(&mut self, mail: &mut Self::Mail) {
        self.heard.append(mail);
    }
}

impl Teller {
    fn check(&mut self, cycle: u32) {
        self.heard.sort_unstable();
        let all = (0..self.outgoing.len()).filter_map(|number| Some((number, cycle.checked_sub(1)?)));
        assert!(self.heard.iter().copied().eq(all), "{:?} in cycle {cycle}", self.heard);
    }
}

/// So many members, advanced by two threads; of other processes they hear in every cycle, where there are any.
fn told(members: usize, cycles: u32, window: Option<u32>) {
    let teller = |number| Teller { number, outgoing: vec![Vec::new(); members], heard: Vec::new() };
    let boxes: &_ = Box::leak(Box::new(Boxes::new(members)));
    let rounds: &_ = Box::leak(Box::new(Rounds::new(members, Patience { looks: 0, yields: 0 })));
    let cycles = Cycles { from: 0, to: cycles, stride: 1, window };
    let team = Arc::new(Team::new((0..members).map(teller), boxes, cycles, 2, rounds));
    let other = team.clone();
    let working = thread::spawn(move || other.work(1, || Ok::<(), ()>(())));
    let mut heard = 0;
    let exchange = || {
        team.all(|members| members.for_each(|m| assert!(m.outgoing[0].is_empty(), "it is in its box")));
        heard += 1;
        Ok::<(), ()>(())
    };
    assert_eq!(team.work(0, exchange), Ok(()));
    assert_eq!(working.join().expect("it worked"), Ok(()));
    assert_eq!(heard, window.map_or(0, |_| cycles.to));
    team.all(|members| members.for_each(|member| member.check(cycles.to)));
}

#[test]
fn members_hear_in_a_stretch_what_was_sent_in_the_one_before() {
    orders("two threads, two members, two cycles, three stops", 100, Some(3), || told(2, 2, None));
    orders("two threads, three members, one cycle, three stops", 100, Some(3), || told(3, 1, None));
    orders("two threads, two members, a window, three stops", 100, Some(3), || told(2, 1, Some(1)));
}
