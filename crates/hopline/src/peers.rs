//! Processes that share work: parts of a simulation, of a sum, of many tries. The library knows only that they exchange
//! bytes; what carries them (MPI, channels between threads) is the caller's.
//!
//! All of them call the same functions in the same order, as with collectives of MPI.

use crate::error::{Error, Result};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// The processes that share work, as one of them sees them.
pub trait Peers: Send + Sync {
    /// The number of this process, from 0 on.
    fn rank(&self) -> u32;

    /// How many there are.
    fn size(&self) -> u32;

    /// Sends bytes to each of these processes, and answers what each of them sends here, in the same order. They name
    /// this process in a call of their own; between two processes calls meet in the order in which they were made.
    ///
    /// # Errors
    /// A process is gone.
    fn exchange(&self, others: &[u32], bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>>;
}

/// A process that has everything.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alone;

impl Peers for Alone {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn exchange(&self, others: &[u32], _: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        Ok(vec![Vec::new(); others.len()])
    }
}

/// One of [`together`]: where it sends to each, and what comes from each.
struct Linked {
    rank: u32,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

impl Peers for Linked {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.to.len() as u32
    }

    fn exchange(&self, others: &[u32], bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        let gone = || Error::failed("a process is gone");
        for (&other, bytes) in others.iter().zip(bytes) {
            self.to[other as usize].send(bytes).map_err(|_| gone())?;
        }
        let receive = |&other: &u32| self.from[other as usize].lock().ok()?.recv().ok();
        others.iter().map(|other| receive(other).ok_or_else(gone)).collect()
    }
}

/// What each of so many peers answers, in their order: threads of this process, with a channel from each to each.
///
/// ```
/// use hopline::peers::{agree, together};
///
/// let ranks = together(3, |peers| agree(&*peers, Ok(peers.rank())).ok());
/// assert_eq!(ranks, [Some(0), Some(1), Some(2)]);
/// ```
///
/// # Panics
/// `work` does.
pub fn together<T: Send>(size: u32, work: impl Fn(Arc<dyn Peers>) -> T + Sync) -> Vec<T> {
    let mut linked: Vec<Linked> = (0..size).map(|rank| Linked { rank, to: Vec::new(), from: Vec::new() }).collect();
    for from in 0..size as usize {
        for to in 0..size as usize {
            let (sender, receiver) = channel();
            linked[from].to.push(sender);
            linked[to].from.push(Mutex::new(receiver));
        }
    }
    std::thread::scope(|scope| {
        let work = &work;
        let own = |own: Linked| scope.spawn(move || work(Arc::new(own)));
        let threads: Vec<_> = linked.into_iter().map(own).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// All but this one.
fn others(peers: &dyn Peers) -> Vec<u32> {
    (0..peers.size()).filter(|&r| r != peers.rank()).collect()
}

/// What every process has, in their order.
pub(crate) fn gather(peers: &dyn Peers, own: Vec<u8>) -> Result<Vec<Vec<u8>>> {
    let others = others(peers);
    let mut all = peers.exchange(&others, vec![own.clone(); others.len()])?;
    all.insert(peers.rank() as usize, own);
    Ok(all)
}

/// The same at the first process; nothing at the others.
pub(crate) fn gather_at_first(peers: &dyn Peers, own: Vec<u8>) -> Result<Vec<Vec<u8>>> {
    if peers.rank() > 0 {
        return peers.exchange(&[0], vec![own]).map(|_| Vec::new());
    }
    let others = others(peers);
    let mut all = peers.exchange(&others, vec![Vec::new(); others.len()])?;
    all.insert(0, own);
    Ok(all)
}

/// What the first process has for this one: a part for each, which the others leave empty.
pub(crate) fn scatter(peers: &dyn Peers, mut parts: Vec<Vec<u8>>) -> Result<Vec<u8>> {
    if peers.rank() > 0 {
        return Ok(peers.exchange(&[0], vec![Vec::new()])?.pop().unwrap_or_default());
    }
    let rest = parts.split_off(1.min(parts.len()));
    peers.exchange(&others(peers), rest)?;
    Ok(parts.pop().unwrap_or_default())
}

/// What the first process has.
pub(crate) fn broadcast(peers: &dyn Peers, own: Vec<u8>) -> Result<Vec<u8>> {
    scatter(peers, if peers.rank() == 0 { vec![own; peers.size() as usize] } else { Vec::new() })
}

/// Whether the first process says so.
pub(crate) fn first_says(peers: &dyn Peers, own: bool) -> Result<bool> {
    Ok(broadcast(peers, vec![u8::from(own)])? == [1])
}

/// A result of this process if all have one; else the error of this process, or of the first that has one.
///
/// # Errors
/// Any process has one.
pub fn agree<T>(peers: &dyn Peers, own: Result<T>) -> Result<T> {
    let said = match &own {
        Ok(_) => Vec::new(),
        Err(e) => [&[u8::from(e.is_input())], e.to_string().as_bytes()].concat(),
    };
    let all = gather(peers, said)?;
    let value = own?;
    for (rank, said) in all.iter().enumerate() {
        if let [is_input, text @ ..] = &said[..] {
            let text = format!("process {rank}: {}", String::from_utf8_lossy(text));
            return Err(if *is_input == 1 { Error::input(text) } else { Error::failed(text) });
        }
    }
    Ok(value)
}

/// What another process says cannot be read.
pub(crate) fn damaged() -> Error {
    Error::failed("what another process has sent cannot be read").hint("all must run the same program")
}
