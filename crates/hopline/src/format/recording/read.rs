//! Bytes to [`Recording`]. Every number that names something is checked here, so
//! nothing that works on a recording can look beside it.

use super::{Comm, Node, Recording, Shape, Stream, Time};
use crate::error::{Error, Result};
use crate::files::{Files, join};
use crate::format::matrix::MAX_TASKS;
use crate::varint;

/// Loops in loops.
const MOST_DEPTH: usize = 64;
/// The most ranks in communicators and words in lists of one stream: a damaged number must not ask for all memory.
const MOST_WORDS: usize = 1 << 24;

/// True where a path is a directory with streams.
pub fn is_recording(files: &dyn Files, path: &str) -> bool {
    files.list(path).is_some_and(|names| names.iter().any(|name| rank_of(name).is_some()))
}

/// N of `rank-N.hop`.
fn rank_of(name: &str) -> Option<u32> {
    name.strip_prefix("rank-")?.strip_suffix(".hop")?.parse().ok()
}

/// Reads the worlds that the one of a directory has spawned, or those have, in the order in which they began.
///
/// # Errors
/// As [`read`].
pub fn read_spawned(files: &dyn Files, dir: &str) -> Result<Vec<Recording>> {
    spawned(files, dir).map(|world| read(files, &world)).collect()
}

/// Where those worlds are.
pub(super) fn spawned(files: &dyn Files, dir: &str) -> impl Iterator<Item = String> {
    let names = files.list(dir).unwrap_or_default().into_iter().filter(|name| name.starts_with("world-"));
    names.map(move |name| join(dir, &name)).filter(|world| is_recording(files, world))
}

/// Reads a directory of streams: O(bytes). Blocks cut short at the end are left out.
///
/// # Errors
/// A stream is missing or damaged before its end, or streams are of different runs.
pub fn read(files: &dyn Files, dir: &str) -> Result<Recording> {
    let names = files.list(dir).ok_or_else(|| Error::input(format!("{dir}: no directory")))?;
    let mut found: Vec<u32> = names.iter().filter_map(|name| rank_of(name)).collect();
    found.sort_unstable();
    let mut ranks = Vec::new();
    for rank in found {
        let path = join(dir, &format!("rank-{rank}.hop"));
        let bytes = files.read(&path)?;
        let tail_name = format!("rank-{rank}.tail");
        let tail = if names.contains(&tail_name) { files.read(&join(dir, &tail_name)).ok() } else { None };
        let RankStream { rank: own, size, stream } = parse(&path, &bytes, tail.as_deref())?;
        let hint = "the streams of all ranks of one run belong in one directory";
        if own != rank {
            return Err(Error::input(format!("{path}: found rank {own}, expected rank {rank}")).hint(hint));
        }
        if own as usize != ranks.len() {
            return Err(Error::input(format!("{dir}: no rank-{}.hop, of {size} ranks", ranks.len())).hint(hint));
        }
        if let Some((_, first)) = ranks.first()
            && *first != size
        {
            return Err(Error::input(format!("{path}: a run of {size} ranks, but rank 0 is of {first}"))
                .hint("record each run into a directory of its own"));
        }
        ranks.push((stream, size));
    }
    match ranks.first() {
        None => Err(Error::input(format!("{dir}: no rank-N.hop")).hint("record with `hopline record run`")),
        Some((_, size)) if *size as usize != ranks.len() => {
            Err(Error::input(format!("{dir}: streams of {} ranks, expected {size}", ranks.len()))
                .hint("copy the files of all hosts into one directory"))
        }
        Some(_) => {
            Ok(Recording { path: dir.to_string(), ranks: ranks.into_iter().map(|(stream, _)| stream).collect() })
        }
    }
}

/// A file's stream.
struct RankStream {
    rank: u32,
    /// Of the world.
    size: u32,
    stream: Stream,
}

fn parse(path: &str, bytes: &[u8], tail: Option<&[u8]>) -> Result<RankStream> {
    let cut = || {
        Error::input(format!("{path}: cut short before it says whose it is"))
            .hint("its rank was killed at once, or had no room on its disk; record again")
    };
    let Some(mut rest) = bytes.strip_prefix(b"HOPLINE1") else {
        if b"HOPLINE1".starts_with(bytes) {
            return Err(cut());
        }
        return Err(match bytes.strip_prefix(b"HOPLINE").and_then(<[u8]>::first) {
            Some(&form) => Error::input(format!(
                "{path}: a recording of another version of Hopline: in form {}, expected 1",
                form.escape_ascii()
            ))
            .hint("read it with the version that recorded it, or record again"),
            None => Error::input(format!("{path}: no recording")).hint("record with `hopline record run`"),
        });
    };
    let mut reader = Reader { path, bytes: &[], rank: None, stream: Stream::default(), shapes: 0, lists: 0, words: 0 };
    let mut length = 8u64;
    while let Some(block) = block(path, length, rest)? {
        length += (rest.len() - block.rest.len()) as u64;
        rest = block.rest;
        reader.items(block.payload)?;
    }
    // A tail goes on where its stream ended when it was written.
    if let Some(tail) = tail.and_then(|tail| tail.strip_prefix(b"HOPTAIL1"))
        && let Some((at, rest)) = tail.split_first_chunk::<8>()
        && u64::from_le_bytes(*at) == length
        && let Some(block) = block(&path.replace(".hop", ".tail"), 16, rest)?
    {
        reader.items(block.payload)?;
    }
    let (rank, size) = reader.rank.ok_or_else(cut)?;
    Ok(RankStream { rank, size, stream: reader.stream })
}

/// What one write of a rank has left, and what follows it.
struct Block<'a> {
    payload: &'a [u8],
    rest: &'a [u8],
}

/// The block that begins at a byte of a file; none where it is cut short.
///
/// # Errors
/// It is all there, but not as it was written: no rank leaves that which was killed.
fn block<'a>(path: &str, at: u64, bytes: &'a [u8]) -> Result<Option<Block<'a>>> {
    let whole = || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (check, rest) = rest.split_first_chunk::<4>()?;
        let (payload, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        Some((u32::from_le_bytes(*check), Block { payload, rest }))
    };
    let Some((check, block)) = whole() else { return Ok(None) };
    let sum = block.payload.iter().fold(0x811c_9dc5u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
    if sum == check {
        return Ok(Some(block));
    }
    Err(Error::input(format!("{path}: damaged after byte {at}"))
        .hint(format!("copy it anew, or cut it there (`truncate -s {at}`) to read what comes before")))
}

struct Reader<'a> {
    path: &'a str,
    bytes: &'a [u8],
    rank: Option<(u32, u32)>,
    stream: Stream,
    /// Where numbering began anew.
    shapes: usize,
    lists: usize,
    words: usize,
}

impl<'a> Reader<'a> {
    fn items(&mut self, payload: &'a [u8]) -> Result<()> {
        self.bytes = payload;
        while !self.bytes.is_empty() {
            let kind = self.word()?;
            if (kind == 0) != self.rank.is_none() {
                return Err(self.wrong("who recorded comes first, and once"));
            }
            match kind {
                0 => self.identity()?,
                1 => self.comm()?,
                2 => self.list()?,
                3 => self.shape()?,
                4 => {
                    let count = self.count()?;
                    let nodes = self.nodes(count, 0)?;
                    // After the last session another may begin.
                    self.stream.finished &= nodes.is_empty();
                    self.stream.calls.extend(nodes);
                }
                5 => (self.shapes, self.lists) = (self.stream.shapes.len(), self.stream.lists.len()),
                6 => {
                    for _ in 0..self.count()? {
                        let shape = self.shape_number()?;
                        let times = self.word()?;
                        let time = self.time()?;
                        self.stream.counted.push((shape, times, time));
                    }
                }
                7 => {
                    self.word()?;
                    self.stream.finished = true;
                }
                8 => {
                    let (function, calls) = (self.text()?, self.word()?);
                    let sum = self.stream.not_counted.entry(function).or_default();
                    *sum = sum.saturating_add(calls);
                }
                9 if self.text()? == "cpu" => self.stream.is_cpu_time = true,
                9 => return Err(self.wrong("a clock of no known kind")),
                _ => return Err(self.wrong("an item of no known kind")),
            }
        }
        Ok(())
    }

    fn identity(&mut self) -> Result<()> {
        let (rank, size) = (self.small()?, self.small()?);
        if rank >= size || size > MAX_TASKS {
            return Err(self.wrong("a rank outside its world"));
        }
        self.rank = Some((rank, size));
        self.stream.host = self.text()?;
        self.stream.program = self.text()?;
        self.stream.library = self.text()?;
        Ok(())
    }

    fn comm(&mut self) -> Result<()> {
        let twin = self.small()?;
        let peers = self.ranks()?;
        let local = if self.word()? == 0 { None } else { Some(self.ranks()?) };
        self.stream.comms.push(Comm { peers, local, twin });
        Ok(())
    }

    fn ranks(&mut self) -> Result<Vec<Option<u32>>> {
        let mut ranks = Vec::new();
        for _ in 0..self.count()? {
            let (start, length, step) = (self.word()?, self.word()?, self.word()?);
            self.reserve(length)?;
            for i in 0..length {
                let rank = step.checked_mul(i).and_then(|offset| start.checked_add(offset));
                ranks.push(match rank {
                    Some(0) => None,
                    Some(rank) => Some(self.world_rank(rank - 1)?),
                    None => return Err(self.wrong("a rank outside its world")),
                });
            }
        }
        Ok(ranks)
    }

    fn list(&mut self) -> Result<()> {
        let count = self.count()?;
        let list = (0..count).map(|_| self.word()).collect::<Result<_>>()?;
        self.stream.lists.push(list);
        Ok(())
    }

    fn shape(&mut self) -> Result<()> {
        let op = self.text()?;
        let (peer, tag) = (self.signed()?, self.signed()?);
        let bytes = self.word()?;
        let [comm, slot, list] = [self.small()?, self.small()?, self.small()?].map(|n| n.checked_sub(1));
        let list = list.map(|list| list as usize + self.lists);
        if comm.is_some_and(|comm| comm as usize >= self.stream.comms.len())
            || list.is_some_and(|list| list >= self.stream.lists.len())
        {
            return Err(self.wrong("a communicator or list that is not there"));
        }
        let elsewhere = peer == -2;
        let peer = match u64::try_from(peer) {
            Ok(peer) => Some(self.world_rank(peer)?),
            Err(_) => None,
        };
        let list = list.map(|list| list as u32);
        self.stream.shapes.push(Shape { op, peer, elsewhere, tag: u32::try_from(tag).ok(), bytes, comm, slot, list });
        Ok(())
    }

    fn nodes(&mut self, count: usize, depth: usize) -> Result<Vec<Node>> {
        if depth > MOST_DEPTH {
            return Err(self.wrong("loops deeper than any program's"));
        }
        let mut nodes = Vec::new();
        for _ in 0..count {
            nodes.push(match self.word()? {
                0 => Node::Call { shape: self.shape_number()?, time: self.time()? },
                times => {
                    let length = self.count()?;
                    Node::Loop { times, body: self.nodes(length, depth + 1)? }
                }
            });
        }
        Ok(nodes)
    }

    fn shape_number(&mut self) -> Result<u32> {
        let number = self.small()? as usize + self.shapes;
        if number < self.stream.shapes.len() { Ok(number as u32) } else { Err(self.wrong("a shape that is not there")) }
    }

    fn time(&mut self) -> Result<Time> {
        Ok(Time { gap: self.word()?, inside: self.word()? })
    }

    fn world_rank(&self, rank: u64) -> Result<u32> {
        let size = self.rank.map_or(0, |(_, size)| size);
        u32::try_from(rank).ok().filter(|&rank| rank < size).ok_or_else(|| self.wrong("a rank outside its world"))
    }

    /// A number of things that follow, a byte each at least.
    fn count(&mut self) -> Result<usize> {
        let count = self.word()?;
        if count > self.bytes.len() as u64 {
            return Err(self.wrong("more is announced than follows"));
        }
        Ok(count as usize)
    }

    fn reserve(&mut self, words: u64) -> Result<()> {
        self.words = self.words.saturating_add(usize::try_from(words).unwrap_or(usize::MAX));
        if self.words > MOST_WORDS { Err(self.wrong("communicators of more ranks than fit")) } else { Ok(()) }
    }

    fn text(&mut self) -> Result<String> {
        let length = self.count()?;
        let (text, rest) = self.bytes.split_at_checked(length).ok_or_else(|| self.wrong("a text cut short"))?;
        self.bytes = rest;
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    fn signed(&mut self) -> Result<i64> {
        let word = self.word()?;
        Ok((word >> 1) as i64 ^ -((word & 1) as i64))
    }

    fn small(&mut self) -> Result<u32> {
        let word = self.word()?;
        u32::try_from(word).map_err(|_| self.wrong("a number that is too large"))
    }

    fn word(&mut self) -> Result<u64> {
        varint::take(&mut self.bytes).ok_or_else(|| self.wrong("a number cut short"))
    }

    fn wrong(&self, what: &str) -> Error {
        Error::input(format!("{}: damaged: {what}", self.path)).hint("record the run again")
    }
}
