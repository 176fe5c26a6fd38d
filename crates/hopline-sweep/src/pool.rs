//! Points over threads: as many at a time as there are threads, and as fit into memory.

use hopline::error::{Error, Result};
use std::sync::{Condvar, Mutex};

/// What points may use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Threads; where there are fewer points, each has several.
    pub threads: usize,
    /// Bytes.
    pub bytes: u64,
}

/// Points that wait, and what those under way are expected to take.
struct Queue {
    next: usize,
    running: usize,
    bytes: u64,
    failed: Option<Error>,
}

/// Does all of `count` pieces of work, by number: first those with small numbers. Each runs on threads of its own,
/// whose number it is told. A piece begins when what it is expected to take fits into the budget beside what is under
/// way, or when nothing else is.
///
/// # Errors
/// The first that `work` answers: pieces that are under way end, no other begins. Threads cannot be started.
pub fn run(
    count: usize,
    budget: Budget,
    bytes: &(dyn Fn(usize) -> u64 + Sync),
    work: &(dyn Fn(usize, usize) -> Result<()> + Sync),
) -> Result<()> {
    let workers = budget.threads.min(count).max(1);
    let queue = (Mutex::new(Queue { next: 0, running: 0, bytes: 0, failed: None }), Condvar::new());
    let pools: Vec<rayon::ThreadPool> = (0..workers)
        .map(|k| pool(budget.threads / workers + usize::from(k < budget.threads % workers)))
        .collect::<Result<_>>()?;
    std::thread::scope(|scope| {
        for pool in &pools {
            let queue = &queue;
            scope.spawn(move || {
                while let Some((number, expected)) = next(queue, count, budget.bytes, bytes) {
                    let threads = pool.current_num_threads();
                    let done = pool.install(|| work(number, threads));
                    let Ok(mut state) = queue.0.lock() else { return };
                    state.running -= 1;
                    state.bytes -= expected;
                    if let Err(e) = done {
                        state.failed.get_or_insert(e);
                    }
                    queue.1.notify_all();
                }
            });
        }
    });
    let lost = || Error::failed("a worker of the sweep ended without an answer");
    match queue.0.into_inner().map_err(|_| lost())?.failed {
        Some(e) => Err(e),
        None => Ok(()),
    }
}

fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    let start = rayon::ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    start.map_err(|e| Error::failed(format!("cannot start {threads} threads: {e}")).caused_by(e))
}

/// Waits for a piece that may begin, with what it is expected to take; `None` where there is none left.
fn next(
    (queue, changed): &(Mutex<Queue>, Condvar),
    count: usize,
    most: u64,
    bytes: &(dyn Fn(usize) -> u64 + Sync),
) -> Option<(usize, u64)> {
    let mut state = queue.lock().ok()?;
    // It may take a while to find out, so others go on meanwhile; another worker may have begun it by then.
    let mut known: Option<(usize, u64)> = None;
    loop {
        if state.failed.is_some() || state.next == count {
            return None;
        }
        let number = state.next;
        let expected = match known {
            Some((own, expected)) if own == number => expected,
            _ => {
                drop(state);
                known = Some((number, bytes(number)));
                state = queue.lock().ok()?;
                continue;
            }
        };
        if state.running == 0 || state.bytes.saturating_add(expected) <= most {
            state.next += 1;
            state.running += 1;
            state.bytes += expected;
            return Some((number, expected));
        }
        state = changed.wait(state).ok()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

    #[test]
    fn every_piece_is_done_once_on_all_threads() {
        for (count, threads) in [(0, 2), (1, 4), (3, 8), (100, 3)] {
            let (done, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let work = |number: usize, own: usize| {
                assert_eq!(own, rayon::current_num_threads());
                assert!(own <= threads && (count > 1 || own == threads));
                done.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(number, Ordering::Relaxed);
                Ok(())
            };
            run(count, Budget { threads, bytes: 100 }, &|_| 1, &work).expect("run");
            assert_eq!((done.into_inner(), sum.into_inner()), (count, count * count.saturating_sub(1) / 2));
        }
    }

    /// What is expected of the pieces under way never exceeds the budget, but for one alone.
    #[test]
    fn the_budget_is_kept() {
        let (now, most) = (AtomicU64::new(0), AtomicU64::new(0));
        let size = |number: usize| if number.is_multiple_of(7) { 25 } else { 4 };
        let work = |number: usize, _: usize| {
            let own = size(number);
            let all = now.fetch_add(own, Ordering::SeqCst) + own;
            most.fetch_max(all, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(1));
            now.fetch_sub(own, Ordering::SeqCst);
            Ok(())
        };
        run(60, Budget { threads: 8, bytes: 10 }, &size, &work).expect("run");
        assert_eq!(most.into_inner(), 25, "the large ones run alone");
    }

    #[test]
    fn a_failure_ends_it() {
        let begun = AtomicUsize::new(0);
        let work = |number: usize, _: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if number == 5 { Err(Error::failed("disk full")) } else { Ok(()) }
        };
        let e = run(1000, Budget { threads: 2, bytes: 10 }, &|_| 0, &work).expect_err("failed");
        assert_eq!(e.message(), "disk full");
        assert!(begun.into_inner() < 1000);
    }
}
