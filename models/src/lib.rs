//! Every order of the steps of threads that share what the route service's threads share.
#![cfg(test)]
#![allow(clippy::print_stdout, reason = "how many orders there were")]

#[path = "../../crates/hopline-service/src/server/current.rs"]
mod current;
#[path = "../../crates/hopline-service/src/server/handed.rs"]
mod handed;

mod sync {
    pub(crate) use loom::sync::atomic::AtomicU64;
    pub(crate) use loom::sync::{Arc, Mutex, RwLock};
}

use current::Current;
use handed::Handed;
use loom::sync::Arc;
use loom::thread;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Tries every order; at least so many are expected.
fn all_orders(name: &str, least: usize, model: impl Fn() + Send + Sync + 'static) {
    let orders = std::sync::Arc::new(AtomicUsize::new(0));
    let count = orders.clone();
    loom::model(move || {
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
