//! GOAL as LogGOPSim takes it: what `txt2bin` writes. Little-endian, without padding.
//!
//! ```text
//! u64 4223   u32 ranks   u8 highest cpu   u8 highest nic
//! ranks times: u64 begin, u64 end of a rank, counted from behind the first 8 bytes
//! per rank:   u32 n operations, u32 m of them that wait for nobody, those m numbers as u32
//!             n times: u32 how many it waits for, u8 kind (1 send, 2 receive, 3 computation), u32 peer,
//!                      u64 bytes or time, u32 tag, u8 cpu, u8 nic,
//!                      u32 count and u32 first of those that wait for its end, the same for its beginning
//!             the numbers that these point at, as u32
//! ```
//!
//! Source: <https://github.com/spcl/LogGOPSim>, `Parser.hpp`.

use super::super::super::{Builder, Limit, Made, Schedule, What};
use super::{Draft, MOST_RANKS, each_play};
use crate::error::{Error, Place, Result};

const MAGIC: u64 = 4223;
const NODE: usize = 39;

/// Peer or tag of a receive that takes any.
const ANY: u32 = u32::MAX;

/// Whether a file begins as binary GOAL does.
pub fn is(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes())
}

/// Bytes that are read from the beginning on; `None` past the end.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_first_chunk()?;
        self.0 = tail;
        Some(*head)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// Reads binary GOAL: O(bytes). `path` is for errors.
///
/// # Errors
/// A file that ends too early or is damaged, a receive from any rank or with any tag, or a
/// schedule that [`Builder::finish`] refuses.
pub fn parse(path: &str, bytes: &[u8]) -> Result<Made> {
    parse_within(path, bytes, Limit::default())
}

pub(super) fn parse_within(path: &str, bytes: &[u8], limit: Limit) -> Result<Made> {
    let place = Place::new(path, 0);
    let damaged = |rank: Option<u32>| {
        let of = rank.map_or(String::new(), |rank| format!(", rank {rank}"));
        Error::input(format!("a damaged binary GOAL file{of}")).at(&place).hint("write it again with txt2bin")
    };
    let mut head = Cursor(bytes);
    let begins = (|| (head.u64()? == MAGIC).then_some((head.u32()?, head.u8()?, head.u8()?)))();
    let (ranks, cpu, nic) = begins.ok_or_else(|| damaged(None))?;
    // Every rank has two numbers in the table, so a short file cannot ask for much memory.
    if !(1..=MOST_RANKS).contains(&ranks) || head.0.len() / 16 < ranks as usize {
        return Err(damaged(None));
    }
    let (mut builder, mut last) = (Builder::within(ranks, limit), 0);
    for rank in 0..ranks {
        // Ranks stand one behind the other: none is read twice.
        let mut part = || {
            let (begin, end) = (head.u64()?, head.u64()?);
            let part = bytes[8..].get(usize::try_from(begin).ok()?..usize::try_from(end).ok()?);
            part.filter(|_| std::mem::replace(&mut last, end) <= begin)
        };
        let draft = part().and_then(rank_of).ok_or_else(|| damaged(Some(rank)))?;
        if draft.ops.iter().any(|&(what, _, peer, tag)| what == What::Recv && (peer == ANY || tag == ANY)) {
            return Err(Error::input(format!("rank {rank} receives from any rank or with any tag"))
                .at(&place)
                .hint("a receive must name its sender and its tag"));
        }
        draft.add_to(&mut builder, rank).map_err(|e| e.at(&place))?;
    }
    let schedule = builder.finish().map_err(|e| e.at(&place))?;
    let notes = if cpu > 0 || nic > 0 { vec![super::ONE_EACH.to_string()] } else { Vec::new() };
    Ok(Made { schedule, notes })
}

/// The operations of a rank.
fn rank_of(bytes: &[u8]) -> Option<Draft<'static>> {
    let mut cursor = Cursor(bytes);
    let (count, roots) = (cursor.u32()?, cursor.u32()?);
    let mut nodes = Cursor(cursor.0.get(4 * roots as usize..)?);
    let ends = Cursor(nodes.0.get(NODE * count as usize..)?);
    let mut draft = Draft::default();
    for earlier in 0..count {
        nodes.u32()?;
        let what = match nodes.u8()? {
            1 => What::Send,
            2 => What::Recv,
            3 => What::Compute,
            _ => return None,
        };
        let (peer, amount, tag) = (nodes.u32()?, nodes.u64()?, nodes.u32()?);
        draft.ops.push((what, amount, peer, tag));
        nodes.take::<2>()?;
        for begun in [false, true] {
            let (after, first) = (nodes.u32()?, nodes.u32()?);
            if after > 0 {
                let mut ends = Cursor(ends.0.get(4 * first as usize..)?);
                for _ in 0..after {
                    let later = ends.u32().filter(|&later| later < count)?;
                    draft.edges.push((later, earlier, begun));
                }
                // No number is pointed at twice in a whole file: a damaged one must not grow without end.
                if draft.edges.len() > bytes.len() {
                    return None;
                }
            }
        }
    }
    Some(draft)
}

/// The schedule as binary GOAL; bodies are written out play by play.
///
/// # Errors
/// A rank with more operations or requirements than 32 bits count.
pub fn write(schedule: &Schedule) -> Result<Vec<u8>> {
    let ranks = schedule.ranks();
    let mut out = MAGIC.to_le_bytes().to_vec();
    out.extend(ranks.to_le_bytes());
    out.extend([0, 0]);
    let table = out.len();
    out.resize(table + 16 * ranks as usize, 0);
    for rank in 0..ranks {
        let begin = out.len() as u64 - 8;
        write_rank(&mut out, schedule, rank)?;
        let end = out.len() as u64 - 8;
        let cell = &mut out[table + 16 * rank as usize..][..16];
        cell[..8].copy_from_slice(&begin.to_le_bytes());
        cell[8..].copy_from_slice(&end.to_le_bytes());
    }
    Ok(out)
}

fn write_rank(out: &mut Vec<u8>, schedule: &Schedule, rank: u32) -> Result<()> {
    let (mut ops, mut edges) = (Vec::new(), Vec::new());
    each_play(schedule, rank, |_, play| {
        ops.extend(play.ops);
        edges.extend(play.edges);
    });
    if u32::try_from(ops.len()).is_err() || u32::try_from(edges.len()).is_err() {
        return Err(Error::input(format!("rank {rank} has more operations than binary GOAL can count")));
    }
    // Who waits for an operation's end, then who for its beginning, operation by operation.
    edges.sort_unstable_by_key(|&(later, earlier, begun)| (earlier, begun, later));
    let mut needs = vec![0u32; ops.len()];
    edges.iter().for_each(|&(later, ..)| needs[later as usize] += 1);
    let mut put = |n: u32| out.extend(n.to_le_bytes());
    put(ops.len() as u32);
    put(needs.iter().filter(|&&n| n == 0).count() as u32);
    (0u32..).zip(&needs).filter(|(_, n)| **n == 0).for_each(|(op, _)| put(op));
    let mut next = 0;
    for (op, (what, amount, peer, tag)) in (0u64..).zip(ops) {
        let (kind, peer) = match what {
            What::Send => (1, peer),
            What::Recv => (2, peer),
            What::Compute => (3, 0),
        };
        out.extend(needs[op as usize].to_le_bytes());
        out.push(kind);
        out.extend(peer.to_le_bytes());
        out.extend(amount.to_le_bytes());
        out.extend(tag.to_le_bytes());
        out.extend([0, 0]);
        for begun in [false, true] {
            let count = edges[next..].iter().take_while(|e| (e.1, e.2) == (op, begun)).count();
            out.extend((count as u32).to_le_bytes());
            out.extend((next as u32).to_le_bytes());
            next += count;
        }
    }
    edges.iter().for_each(|&(later, ..)| out.extend((later as u32).to_le_bytes()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse as parse_text;
    use super::*;
    use crate::rng::Rng;
    use crate::schedule::Volume;

    const TEXT: &str = "num_ranks 2\nrank 0 {\n l1: calc 100\n l2: send 10b to 1 tag 5\n l2 requires l1\n}\n\
                        rank 1 {\n l1: recv 10b from 0 tag 5\n l2: calc 7\n l3: calc 9\n l2 irequires l1\n l3 requires l1\n}\n";

    fn schedule() -> Schedule {
        parse_text("a.goal", TEXT).expect("goal").schedule
    }

    /// The bytes that LogGOPSim's txt2bin makes of a send and a receive.
    #[test]
    fn bytes_are_those_of_txt2bin() {
        let text = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 3\n}\nrank 1 {\nl1: recv 8b from 0 tag 3\n}\n";
        let bytes = write(&parse_text("a", text).expect("goal").schedule).expect("binary");
        let rank = |kind: u8, peer: u8| {
            let mut r = vec![1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];
            r.extend([0, 0, 0, 0, kind, peer, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0]);
            r.extend([0; 16]);
            r
        };
        let mut wanted = vec![0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0];
        for n in [38u64, 89, 89, 140] {
            wanted.extend(n.to_le_bytes());
        }
        wanted.extend(rank(1, 1));
        wanted.extend(rank(2, 0));
        assert_eq!(bytes, wanted);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let s = schedule();
        let bytes = write(&s).expect("binary");
        assert!(is(&bytes));
        assert_eq!(parse("a.bin", &bytes).expect("own bytes").schedule, s);
        let twice = parse("a.bin", &write(&s.repeat(2).expect("twice")).expect("binary")).expect("own bytes");
        assert_eq!(twice.schedule.volume(), Volume { messages: 2, bytes: 20 });
    }

    #[test]
    fn damaged_files_are_refused_and_never_panic() {
        let bytes = write(&schedule()).expect("binary");
        for end in 8..bytes.len() {
            assert!(parse("a.bin", &bytes[..end]).is_err(), "cut at {end}");
        }
        let mut rng = Rng::new(1, "goal");
        for _ in 0..20_000 {
            let mut wrong = bytes.clone();
            for _ in 0..=rng.below(3) {
                let at = rng.below(wrong.len() as u64) as usize;
                wrong[at] = rng.below(256) as u8;
            }
            let _ = parse("a.bin", &wrong);
        }
    }
}
