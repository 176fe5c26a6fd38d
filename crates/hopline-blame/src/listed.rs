//! Who ran in a round, where a file lists it, and where nothing does and hosts are missing.

use crate::measured::{Batch, RoundPair};
use crate::names::Names;
use hopline::id::VertexId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

/// A round: of which file, and its number there.
pub(crate) type Key = (usize, u32);
/// Rounds of pairs that files of rounds tell.
pub(crate) type ByPair = FxHashMap<(VertexId, VertexId), Vec<Key>>;

pub(crate) fn unordered((a, b): (VertexId, VertexId)) -> (VertexId, VertexId) {
    (a.min(b), a.max(b))
}

/// The pairs that files of rounds list, in their order; a pair with itself is none.
fn lines<'a>(names: &'a Names, batches: &'a [Batch]) -> impl Iterator<Item = (Key, (VertexId, VertexId))> + 'a {
    batches.iter().enumerate().flat_map(move |(file, batch)| {
        let ends = move |RoundPair { round, server, client }: &RoundPair<String>| {
            let pair = (names.host(server)?, names.host(client)?);
            (pair.0 != pair.1).then_some(((file, *round), pair))
        };
        batch.rounds.iter().filter_map(ends)
    })
}

/// Rounds by pair; one that a round has in both orders is one pair.
pub(crate) fn given_rounds(names: &Names, batches: &[Batch]) -> ByPair {
    let mut given = ByPair::default();
    for (key, pair) in lines(names, batches) {
        let rounds = given.entry(unordered(pair)).or_default();
        if !rounds.contains(&key) {
            rounds.push(key);
        }
    }
    given
}

/// Pairs by round.
pub(crate) fn listed_pairs(names: &Names, batches: &[Batch]) -> FxHashMap<Key, BTreeSet<(VertexId, VertexId)>> {
    let mut pairs: FxHashMap<Key, BTreeSet<(VertexId, VertexId)>> = FxHashMap::default();
    for (key, pair) in lines(names, batches) {
        pairs.entry(key).or_default().insert(pair);
    }
    pairs
}

/// Numbers may name their rounds while another file lists who ran in them: the list of each such round, which has most of its
/// pairs, and whether it has all of them. One that lacks a pair that was measured may lack others.
pub(crate) fn lists(names: &Names, batches: &[Batch], given: &ByPair) -> FxHashMap<Key, (Key, bool)> {
    let mut found: BTreeMap<Key, (usize, BTreeMap<Key, usize>)> = BTreeMap::new();
    if given.is_empty() {
        return FxHashMap::default();
    }
    for (file, batch) in batches.iter().enumerate() {
        for sample in batch.samples.iter() {
            let mut pairs = sample.pairs();
            let ([round], Some((a, b)), None) = (sample.rounds, pairs.next(), pairs.next()) else { continue };
            let (Some(a), Some(b)) = (names.end(a), names.end(b)) else { continue };
            let (all, lists) = found.entry((file, *round)).or_default();
            *all += 1;
            let rounds = given.get(&unordered((a, b))).into_iter().flatten();
            rounds.for_each(|key| *lists.entry(*key).or_default() += 1);
        }
    }
    let best = |(own, (all, lists)): (Key, (usize, BTreeMap<Key, usize>))| {
        // Of lists that fit as well the one that numbers the round alike.
        let (list, fits) = lists.into_iter().max_by_key(|(list, fits)| (*fits, list.1 == own.1))?;
        (2 * fits >= all).then_some((own, (list, fits == all)))
    };
    found.into_iter().filter_map(best).collect()
}

/// A file with rounds of which nothing lists who ran, and hosts that some of them lack.
pub(crate) struct Incomplete {
    pub(crate) path: String,
    /// All of its rounds.
    pub(crate) rounds: Vec<u32>,
    /// The number of a round in the file, and how many hosts of others it lacks.
    pub(crate) lacks: Vec<(u32, usize)>,
    /// Pairs that were measured and stand in no list of the rounds.
    pub(crate) unlisted: usize,
}

/// Files whose rounds lack hosts, by what `ran` in each: sender and receiver of every flow. Tests of several pairs say themselves who
/// ran, and so does mpiGraph.
pub(crate) fn incomplete(
    ran: &[Vec<(VertexId, VertexId)>],
    batches: &[Batch],
    rounds: &FxHashMap<Key, u32>,
    listed: &FxHashSet<u32>,
) -> Vec<Incomplete> {
    let mut of_file: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
    rounds.iter().for_each(|(&(file, number), &id)| of_file.entry(file).or_default().push((number, id)));
    let mut found = Vec::new();
    for (file, mut own) in of_file {
        let batch = &batches[file];
        let says_who_ran = batch.format == "mpiGraph" || batch.samples.iter().any(|s| s.pairs().len() > 1);
        if says_who_ran || own.iter().all(|(_, id)| listed.contains(id)) {
            continue;
        }
        own.sort_unstable();
        let ends = |id: u32| -> [FxHashSet<VertexId>; 2] {
            let (senders, receivers) = ran[id as usize].iter().copied().unzip();
            [senders, receivers]
        };
        let sides: Vec<(u32, u32, [FxHashSet<VertexId>; 2])> =
            own.iter().map(|&(number, id)| (number, id, ends(id))).collect();
        let everyone: FxHashSet<VertexId> =
            sides.iter().flat_map(|(.., ends)| ends.iter().flatten().copied()).collect();
        // Where most hosts of a round both send and receive in it, one that does not lacks as well.
        let (mut once, mut twice) = (0, 0);
        for (.., [senders, receivers]) in &sides {
            once += senders.union(receivers).count();
            twice += senders.intersection(receivers).count();
        }
        let is_there = |[senders, receivers]: &[FxHashSet<VertexId>; 2], host: &VertexId| match 2 * twice > once {
            true => senders.contains(host) && receivers.contains(host),
            false => senders.contains(host) || receivers.contains(host),
        };
        let lacks = sides.iter().filter(|(_, id, _)| !listed.contains(id)).filter_map(|(number, _, ends)| {
            let gone: Vec<&VertexId> = everyone.iter().filter(|host| !is_there(ends, host)).collect();
            // Of an odd number of hosts one has no partner.
            let idle = everyone.len() % 2 == 1 && gone.len() == 1 && ends.iter().all(|side| !side.contains(gone[0]));
            (!gone.is_empty() && !idle).then_some((*number, gone.len()))
        });
        let lacks: Vec<(u32, usize)> = lacks.collect();
        if !lacks.is_empty() {
            let rounds = own.into_iter().map(|(_, id)| id).collect();
            found.push(Incomplete { path: batch.path.clone(), rounds, lacks, unlisted: 0 });
        }
    }
    found
}
