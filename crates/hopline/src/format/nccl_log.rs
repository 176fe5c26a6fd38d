//! Rings and trees of NCCL (or RCCL) as ranks tell them with `NCCL_DEBUG=INFO`: `Channel 00/16 : 0 1 2 ...` (a ring in order),
//! `Ring 00 : 3 -> 4 -> 5` (a rank's neighbours), `Trees [0] 1/-1/-1->0->-1` (children, a rank, its parent). Communicators are
//! told apart by the `commId` at the begin of their initialisation; older versions of NCCL do not tell it.
//! Source: NVIDIA/nccl, src/init.cc and src/graph/rings.cc.

use super::words::quote;
use crate::error::{Error, Place, Result};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What a communicator's ranks told.
#[derive(Debug, Default)]
pub struct Communicator {
    /// Its `commId`; empty where nobody tells it.
    pub id: String,
    /// How many ranks it has; at least those that were named.
    pub ranks: u32,
    /// By channel: who comes after a rank.
    rings: BTreeMap<u32, FxHashMap<u32, u32>>,
    /// By channel: the parent of a rank.
    trees: BTreeMap<u32, FxHashMap<u32, u32>>,
    /// The process of each rank.
    processes: FxHashMap<u32, String>,
}

/// Larger jobs than anybody runs.
const MOST: u32 = 1 << 22;
const HINT: &str = "set NCCL_DEBUG=INFO on all ranks, and give the output of all of them";

impl Communicator {
    /// By channel the links of its rings.
    ///
    /// # Errors
    /// There is no ring, or one is not closed.
    pub fn rings(&self, path: &str) -> Result<Vec<Vec<(u32, u32)>>> {
        let links = |(channel, next): (&u32, &FxHashMap<u32, u32>)| {
            let (mut at, mut all) = (0, Vec::with_capacity(next.len()));
            while let Some(&after) = next.get(&at).filter(|_| all.len() < self.ranks as usize) {
                all.push((at, after));
                at = after;
                // A ring of fewer ranks must not be taken for one that goes round twice.
                if at == 0 {
                    break;
                }
            }
            if all.len() < self.ranks as usize || at != 0 {
                let text = format!("the ring of channel {channel} is told of {} of {} ranks", next.len(), self.ranks);
                return Err(Error::input(text).at(&Place::new(path, 0)).hint(HINT));
            }
            Ok(all)
        };
        self.some(path, "ring", self.rings.iter().map(links).collect::<Result<_>>()?)
    }

    /// By channel the links of its trees, from each rank to its parent.
    ///
    /// # Errors
    /// There is no tree, or one does not reach every rank.
    pub fn trees(&self, path: &str) -> Result<Vec<Vec<(u32, u32)>>> {
        let links = |(channel, up): (&u32, &FxHashMap<u32, u32>)| {
            let mut all: Vec<(u32, u32)> = up.iter().map(|(&rank, &parent)| (rank, parent)).collect();
            all.sort_unstable();
            if all.len() + 1 != self.ranks as usize {
                let text = format!(
                    "the tree of channel {channel} has {} links, expected one less than {} ranks",
                    all.len(),
                    self.ranks
                );
                return Err(Error::input(text).at(&Place::new(path, 0)).hint(HINT));
            }
            Ok(all)
        };
        self.some(path, "tree", self.trees.iter().map(links).collect::<Result<_>>()?)
    }

    fn some<T>(&self, path: &str, what: &str, all: Vec<T>) -> Result<Vec<T>> {
        match all.is_empty() {
            true => Err(Error::input(format!("no {what} in it")).at(&Place::new(path, 0)).hint(HINT)),
            false => Ok(all),
        }
    }

    /// Its ranks as those of another communicator that has the same processes.
    ///
    /// # Errors
    /// Which process a rank is, or what that is in the other, is not told.
    pub fn ranks_in(&self, other: &Communicator, path: &str) -> Result<Vec<u32>> {
        let by_process: FxHashMap<&str, u32> =
            other.processes.iter().map(|(&rank, process)| (process.as_str(), rank)).collect();
        let find = |rank| {
            let own = self.processes.get(&rank).and_then(|process| by_process.get(process.as_str()));
            own.copied().ok_or_else(|| {
                let text = format!("rank {rank} of communicator {} is no rank of the largest one", quote(&self.id));
                Error::input(text).at(&Place::new(path, 0)).hint(HINT)
            })
        };
        (0..self.ranks).map(find).collect()
    }
}

/// The communicators of one or more texts, the largest first, else as they came. O(text).
///
/// # Errors
/// A line tells a rank that is none, or another ring or parent than an earlier one; with the line.
pub fn read<'a>(texts: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Vec<Communicator>> {
    let mut log = Log::default();
    for (path, text) in texts {
        log.threads.clear();
        for (line, number) in text.lines().zip(1u32..) {
            log.line(line).map_err(|message| Error::input(message).at(&Place::new(path, number)))?;
        }
    }
    let told = |one: &Communicator| !one.rings.is_empty() || !one.trees.is_empty();
    let mut all: Vec<Communicator> = log.all.into_iter().filter(told).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.ranks));
    Ok(all)
}

#[derive(Default)]
struct Log {
    all: Vec<Communicator>,
    /// Which communicator a thread of a process makes, and as which rank.
    threads: FxHashMap<String, (usize, u32)>,
}

impl Log {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let Some((before, told)) = line.split_once("NCCL INFO ") else { return Ok(()) };
        // `host:pid:tid [device]`, behind whatever a launcher puts before it.
        let mut words = before.split_whitespace().rev();
        let (device, thread) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (process, thread) =
            (thread.rsplit_once(':').map_or(thread, |(process, _)| process), format!("{thread} {device}"));
        if told.contains("rank ") && (told.starts_with("comm ") || told.starts_with("ncclComm")) {
            return self.begin(told, thread, format!("{process} {device}"));
        }
        let part = told.split_once(" : ").map(|(head, tail)| (head.trim(), tail.trim()));
        if let Some((head, ring)) = part.and_then(|(head, tail)| Some((head.strip_prefix("Channel ")?, tail))) {
            let ranks: Option<Vec<u32>> = ring.split_whitespace().map(|word| word.parse().ok()).collect();
            if let (Some(ranks), Some(channel)) = (ranks, head.split('/').next().and_then(|n| n.parse().ok())) {
                let at = self.own(&thread);
                let after = ranks.iter().cycle().skip(1);
                return ranks.iter().zip(after).try_for_each(|(&rank, &next)| self.next(at, channel, rank, next));
            }
        } else if let Some((head, ring)) = part.and_then(|(head, tail)| Some((head.strip_prefix("Ring ")?, tail))) {
            let ranks: Option<Vec<u32>> = ring.split(" -> ").map(|word| word.trim().parse().ok()).collect();
            if let (Some([before, rank, next]), Ok(channel)) = (ranks.as_deref(), head.parse()) {
                let at = self.own(&thread);
                self.next(at, channel, *before, *rank)?;
                return self.next(at, channel, *rank, *next);
            }
        } else if let Some(trees) = told.strip_prefix("Trees ") {
            let at = self.own(&thread);
            let mut channel = None;
            for word in trees.split_whitespace() {
                match word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) {
                    Some(number) => channel = number.parse().ok(),
                    None => channel.map_or(Ok(()), |channel| self.tree(at, channel, word))?,
                }
            }
        }
        Ok(())
    }

    /// `ncclCommInitRank comm 0x... rank 3 nranks 8 ... commId 0x... - Init START`; later lines tell no `commId`.
    fn begin(&mut self, told: &str, thread: String, process: String) -> Result<(), String> {
        let words: Vec<&str> = told.split_whitespace().collect();
        let after = |key: &str| words.windows(2).find(|two| two[0].eq_ignore_ascii_case(key)).map(|two| two[1]);
        let number = |key: &str| after(key).and_then(|word| word.parse::<u32>().ok());
        let (Some(rank), Some(ranks)) = (number("rank"), number("nranks")) else { return Ok(()) };
        if ranks > MOST || rank >= ranks {
            return Err(format!("rank {rank} of {ranks}"));
        }
        let at = match after("commId") {
            Some(id) => self.called(id),
            None => self.own(&thread),
        };
        if after("commId").is_some() {
            self.threads.insert(thread, (at, rank));
        }
        if let Some(own) = self.all.get_mut(at) {
            own.ranks = own.ranks.max(ranks);
            own.processes.insert(rank, process);
        }
        Ok(())
    }

    fn called(&mut self, id: &str) -> usize {
        let known = self.all.iter().position(|own| own.id == id);
        known.unwrap_or_else(|| {
            self.all.push(Communicator { id: id.to_string(), ..Communicator::default() });
            self.all.len() - 1
        })
    }

    /// The communicator that a thread makes; of those that told no `commId` all the same one.
    fn own(&mut self, thread: &str) -> usize {
        match self.threads.get(thread) {
            Some(&(at, _)) => at,
            None => self.called(""),
        }
    }

    fn next(&mut self, at: usize, channel: u32, rank: u32, next: u32) -> Result<(), String> {
        self.tell(at, rank.max(next), |own| &mut own.rings, channel, rank, next, "the rank after")
    }

    /// `1/-1/-1->0->-1`; what older versions write behind a `|` is the same tree downwards.
    fn tree(&mut self, at: usize, channel: u32, word: &str) -> Result<(), String> {
        let word = word.split('|').next().unwrap_or_default();
        let parts: Vec<&str> = word.split("->").collect();
        let number = |word: &str| word.parse::<i64>().ok().and_then(|n| u32::try_from(n).ok());
        let [children, rank, parent] = parts[..] else { return Ok(()) };
        let Some(rank) = number(rank) else { return Ok(()) };
        let up = |own: &mut Log, rank: u32, parent: u32| {
            own.tell(at, rank.max(parent), |own| &mut own.trees, channel, rank, parent, "the parent of")
        };
        if let Some(parent) = number(parent) {
            up(self, rank, parent)?;
        }
        // A channel is there even where this rank is alone in it.
        if let Some(own) = self.all.get_mut(at) {
            own.trees.entry(channel).or_default();
        }
        children.split('/').filter_map(number).try_for_each(|child| up(self, child, rank))
    }

    #[allow(clippy::too_many_arguments)]
    fn tell(
        &mut self,
        at: usize,
        most: u32,
        list: impl Fn(&mut Communicator) -> &mut BTreeMap<u32, FxHashMap<u32, u32>>,
        channel: u32,
        rank: u32,
        other: u32,
        what: &str,
    ) -> Result<(), String> {
        if most >= MOST || channel >= 1024 {
            return Err(format!(
                "rank {most} in channel {channel}, expected ranks below {MOST} and channels below 1024"
            ));
        }
        let Some(own) = self.all.get_mut(at) else { return Ok(()) };
        own.ranks = own.ranks.max(most + 1);
        match list(own).entry(channel).or_default().insert(rank, other) {
            Some(first) if first != other => Err(format!(
                "{what} {rank} in channel {channel} is {other}, and {first} in a line before: there are several communicators, which \
                 NCCL before 2.17 does not tell apart"
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_come_from_lists_or_from_neighbours() {
        let list =
            "h:1:2 [0] NCCL INFO Channel 00/02 : 0 2 1\nh:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[2] via P2P/IPC\n";
        let all = read([("f", list)].into_iter()).expect("a log");
        assert_eq!(all[0].rings("f").expect("a ring"), [[(0, 2), (2, 1), (1, 0)]]);
        let told = |rank: &str| format!("[1,0]<stdout>:h:1:2 [0] NCCL INFO Ring 00 : {rank}\n");
        let two = told("1 -> 0 -> 2") + &told("0 -> 2 -> 1");
        let all = read([("f", two.as_str())].into_iter()).expect("a log");
        assert_eq!(all[0].rings("f").expect("a ring"), [[(0, 2), (2, 1), (1, 0)]]);
        // A rank is missing; a ring goes round twice.
        let ranks = "h:1:2 [0] NCCL INFO comm 0x1 rank 0 nranks 4 cudaDev 0 busId 1 - Init COMPLETE\n";
        for log in [told("1 -> 0 -> 2") + ranks, told("1 -> 0 -> 1") + &told("0 -> 1 -> 0") + ranks] {
            let all = read([("f", log.as_str())].into_iter()).expect("a log");
            let error = all[0].rings("f").expect_err("too few").to_string();
            assert!(error.starts_with("f: the ring of channel 0 is told of 2 of 4 ranks"), "{error}");
        }
    }

    #[test]
    fn communicators_are_told_apart() {
        let start = |pid: u32, rank: u32, n: u32, id: &str| {
            format!(
                "h:{pid}:9 [0] NCCL INFO ncclCommInitRank comm 0x5 rank {rank} nranks {n} cudaDev 0 nvmlDev 0 busId 1 commId {id} - Init START\n"
            )
        };
        let mut text = start(7, 0, 2, "0xa") + "h:7:9 [0] NCCL INFO Channel 00/01 : 0 1\n" + &start(8, 1, 2, "0xa");
        text += &(start(7, 2, 3, "0xb") + &start(8, 0, 3, "0xb") + &start(9, 1, 3, "0xb"));
        text += "h:7:9 [0] NCCL INFO Channel 00/01 : 0 1 2\nh:7:9 [0] NCCL INFO Trees [0] 0/1/-1->2->-1\n";
        let all = read([("f", text.as_str())].into_iter()).expect("a log");
        assert_eq!(all.iter().map(|one| (one.id.as_str(), one.ranks)).collect::<Vec<_>>(), [("0xb", 3), ("0xa", 2)]);
        assert_eq!(all[0].trees("f").expect("a tree"), [[(0, 2), (1, 2)]]);
        assert_eq!(all[1].ranks_in(&all[0], "f").expect("processes"), [2, 0]);
        let mixed = "h:1:1 [0] NCCL INFO Channel 00/01 : 0 1 2\nh:1:1 [0] NCCL INFO Channel 00/01 : 0 2 1\n";
        let error = read([("f", mixed)].into_iter()).expect_err("two").to_string();
        assert!(error.starts_with("f:2: the rank after 0 in channel 0 is 2, and 1 in a line before"), "{error}");
    }
}
