//! Hostfiles: a name a line.

use super::{Source, empty};
use crate::measured::Batch;
use hopline::error::Result;

pub(super) fn fits(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')).peekable();
    lines.peek().is_some() && lines.all(|line| line.split_whitespace().count() <= 2 && name(line).is_some())
}

/// `node01`, `node01 slots=2`, `node01:2`.
fn name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let name = words.next()?.split(':').next()?;
    let ok = name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    (ok && words.next().is_none_or(|word| word.contains('='))).then_some(name)
}

pub(super) fn read(source: &Source<'_>, batch: &mut Batch) -> Result<()> {
    let lines = source.text.lines().map(str::trim).filter(|l| !l.starts_with('#'));
    batch.hosts = lines.filter_map(name).map(String::from).collect();
    if batch.hosts.is_empty() { Err(empty(source, "names of hosts")) } else { Ok(()) }
}
