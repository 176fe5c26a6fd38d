//! The files of one rank. `rank-N.hop` holds finished blocks; `rank-N.tail` is
//! replaced from time to time by what is still being folded, so a program that is
//! killed leaves all but its last quarter of a second. A block is whole or, cut
//! short, recognised by its length and check.

use super::clock::Clock;
use super::encode::{Fx, put, put_block, put_text};
use super::event::{NONE, Shape, Words, item};
use super::fold::{Fold, Time};
use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::BuildHasherDefault;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Nodes kept for folding: loops of up to half as many calls are found.
const WINDOW: usize = 8192;
/// Nanoseconds between two tails.
const TAIL_EVERY: u64 = 250_000_000;

/// Who records.
pub(crate) struct Identity {
    pub(crate) rank: u32,
    pub(crate) size: u32,
    pub(crate) host: String,
    pub(crate) program: String,
    pub(crate) library: &'static str,
    pub(crate) clock: Clock,
}

/// The recording of a rank.
pub(crate) struct Stream {
    path: PathBuf,
    file: File,
    /// Bytes in the file.
    length: u64,
    /// Bytes after which calls are only counted.
    limit: u64,
    pub(crate) words: Words,
    fold: Fold,
    /// Calls after the limit, by shape.
    counts: HashMap<u32, (u64, Time), BuildHasherDefault<Fx>>,
    /// Calls whose data are not followed, since the last block.
    not_counted: Vec<(&'static str, u64)>,
    calls: u64,
    last_tail: u64,
}

impl Stream {
    /// Starts the files of a rank in a directory, in place of older ones.
    pub(crate) fn create(dir: &str, identity: &Identity, limit: u64) -> io::Result<Stream> {
        fs::create_dir_all(dir)?;
        let path = PathBuf::from(dir).join(format!("rank-{}.hop", identity.rank));
        let _ = fs::remove_file(path.with_extension("tail"));
        let mut stream = Stream {
            file: File::create(&path)?,
            path,
            length: 0,
            limit,
            words: Words::default(),
            fold: Fold::new(WINDOW),
            counts: HashMap::default(),
            not_counted: Vec::new(),
            calls: 0,
            last_tail: 0,
        };
        let mut first = b"HOPLINE1".to_vec();
        let mut payload = Vec::new();
        [item::RANK, u64::from(identity.rank), u64::from(identity.size)].iter().for_each(|&w| put(&mut payload, w));
        [&identity.host, &identity.program, identity.library].iter().for_each(|text| put_text(&mut payload, text));
        if identity.clock == Clock::Cpu {
            put(&mut payload, item::CLOCK);
            put_text(&mut payload, "cpu");
        }
        put_block(&mut first, &payload);
        stream.append(&first)?;
        Ok(stream)
    }

    /// The file of finished blocks.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True once calls are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.length >= self.limit
    }

    /// Adds a call that ended at `now`, in nanoseconds of time that goes by; with threads calls come in another order than they ended.
    pub(crate) fn add(&mut self, shape: Shape, time: Time, now: u64) -> io::Result<()> {
        self.calls += 1;
        if self.is_full() {
            return self.count(shape, time);
        }
        let number = self.words.shape(shape);
        self.fold.push(number, time);
        if self.words.is_full() {
            self.commit(usize::MAX)?;
            self.words.forget();
        } else if self.fold.is_full() {
            self.commit(WINDOW / 2)?;
        } else if now.saturating_sub(self.last_tail) > TAIL_EVERY || self.calls.is_power_of_two() {
            self.last_tail = now;
            self.write_tail()?;
        }
        Ok(())
    }

    /// A function was called whose data are not followed.
    pub(crate) fn not_counted(&mut self, function: &'static str) {
        match self.not_counted.iter_mut().find(|(name, _)| *name == function) {
            Some((_, calls)) => *calls += 1,
            None => self.not_counted.push((function, 1)),
        }
    }

    /// What is new since the last block.
    fn news(&self) -> Vec<u8> {
        let mut payload = self.words.fresh.clone();
        for &(function, calls) in &self.not_counted {
            put(&mut payload, item::NOT_COUNTED);
            put_text(&mut payload, function);
            put(&mut payload, calls);
        }
        payload
    }

    /// The same, to be written for good.
    fn take_news(&mut self) -> Vec<u8> {
        let payload = self.news();
        self.words.fresh.clear();
        self.not_counted.clear();
        payload
    }

    /// Counts a call past the limit: who, how much, how often. Past twice the limit new shapes are lost.
    fn count(&mut self, shape: Shape, time: Time) -> io::Result<()> {
        if self.words.is_full() && self.length < 2 * self.limit {
            self.commit_counts()?;
            self.words.forget();
        }
        if matches!(shape.op, "wait" | "cancel") || self.words.is_full() {
            return Ok(());
        }
        let number = self.words.shape(Shape { slot: NONE, ..shape });
        let (times, sum) = self.counts.entry(number).or_default();
        *times += 1;
        sum.gap += time.gap;
        sum.inside += time.inside;
        Ok(())
    }

    /// Writes everything, and that this was all.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.commit(usize::MAX)?;
        self.commit_counts()?;
        let mut payload = self.take_news();
        put(&mut payload, item::END);
        put(&mut payload, self.calls);
        let mut block = Vec::new();
        put_block(&mut block, &payload);
        self.append(&block)?;
        let _ = fs::remove_file(self.path.with_extension("tail"));
        Ok(())
    }

    /// Writes what is still being folded beside the file: whole, by a rename.
    pub(crate) fn write_tail(&mut self) -> io::Result<()> {
        let mut payload = self.news();
        put(&mut payload, item::RUN);
        put(&mut payload, self.fold.nodes().len() as u64);
        self.fold.nodes().iter().for_each(|node| node.write(&mut payload));
        let mut text = b"HOPTAIL1".to_vec();
        text.extend_from_slice(&self.length.to_le_bytes());
        put_block(&mut text, &payload);
        let draft = self.path.with_extension("part");
        let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, self.path.with_extension("tail")));
        written.inspect_err(|_| drop(fs::remove_file(&draft)))
    }

    /// Writes the first `count` nodes as a block.
    fn commit(&mut self, count: usize) -> io::Result<()> {
        let nodes = self.fold.take(count);
        let mut payload = self.take_news();
        if nodes.is_empty() && payload.is_empty() {
            return Ok(());
        }
        put(&mut payload, item::RUN);
        put(&mut payload, nodes.len() as u64);
        nodes.iter().for_each(|node| node.write(&mut payload));
        let mut block = Vec::new();
        put_block(&mut block, &payload);
        self.append(&block)?;
        if self.is_full() && count != usize::MAX {
            self.commit(usize::MAX)?;
        }
        Ok(())
    }

    /// Writes the calls counted since the limit, and starts counting anew.
    fn commit_counts(&mut self) -> io::Result<()> {
        if self.counts.is_empty() {
            return Ok(());
        }
        let mut payload = self.take_news();
        put(&mut payload, item::FULL);
        put(&mut payload, self.counts.len() as u64);
        let mut counts: Vec<_> = self.counts.drain().collect();
        counts.sort_unstable_by_key(|&(shape, _)| shape);
        for (shape, (times, time)) in counts {
            [u64::from(shape), times, time.gap, time.inside].iter().for_each(|&word| put(&mut payload, word));
        }
        let mut block = Vec::new();
        put_block(&mut block, &payload);
        self.append(&block)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }
}
