//! What parts tell parts of another process, as bytes: for each of those parts the numbers of flits and credits, then
//! five words a flit and two a credit, in the lower byte first.

use super::queues::Flit;
use super::shared::Outgoing;
use crate::error::Result;
use crate::forwarding::Header;
use crate::peers::damaged;
use std::ops::Range;

/// What parts have for those of one process; they hold nothing from now on.
pub(super) fn write<'a>(from: impl Iterator<Item = &'a mut Vec<Outgoing>>, to: Range<usize>) -> Vec<u8> {
    let mut outgoing: Vec<&mut [Outgoing]> = from.map(|outgoing| &mut outgoing[to.clone()]).collect();
    let mut bytes = Vec::new();
    let mut put = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
    for part in 0..to.len() {
        put(outgoing.iter().map(|p| p[part].flits.len() as u32).sum());
        put(outgoing.iter().map(|p| p[part].credits.len() as u32).sum());
        for &(time, flit) in outgoing.iter().flat_map(|p| &p[part].flits) {
            [time, flit.next, flit.words, flit.header.0, flit.birth].into_iter().for_each(&mut put);
        }
        for &(time, buffer) in outgoing.iter().flat_map(|p| &p[part].credits) {
            [time, buffer].into_iter().for_each(&mut put);
        }
        outgoing.iter_mut().for_each(|p| p[part].clear());
    }
    bytes
}

/// The first words of bytes, and what is behind them.
fn words<const N: usize>(bytes: &[u8]) -> Result<([u32; N], &[u8])> {
    let (own, rest) = bytes.split_at_checked(4 * N).ok_or_else(damaged)?;
    let word = |i: usize| u32::from_le_bytes([own[4 * i], own[4 * i + 1], own[4 * i + 2], own[4 * i + 3]]);
    Ok((std::array::from_fn(word), rest))
}

/// What [`write`] wrote, for each of so many parts.
pub(super) fn read(mut bytes: &[u8], parts: usize, mut receive: impl FnMut(usize, &Outgoing)) -> Result<()> {
    let mut outgoing = Outgoing::default();
    for part in 0..parts {
        let ([flits, credits], rest) = words(bytes)?;
        bytes = rest;
        for _ in 0..flits {
            let ([time, next, words, header, birth], rest) = self::words(bytes)?;
            bytes = rest;
            outgoing.flits.push((time, Flit { next, words, header: Header(header), birth }));
        }
        for _ in 0..credits {
            let ([time, buffer], rest) = words(bytes)?;
            bytes = rest;
            outgoing.credits.push((time, buffer));
        }
        receive(part, &outgoing);
        outgoing.clear();
    }
    if bytes.is_empty() { Ok(()) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn posts_come_as_they_were_sent_and_cut_ones_are_refused() {
        let flit = |next| Flit { next, words: 1 << 31, header: Header(7), birth: 3 };
        let outgoing = |n: u32| Outgoing { flits: vec![(n, flit(n))], credits: vec![(n, 9), (n + 1, 8)] };
        let mut parts =
            [vec![Outgoing::default(), outgoing(1), outgoing(2)], vec![outgoing(5), outgoing(3), Outgoing::default()]];
        let bytes = write(parts.iter_mut(), 1..3);
        assert_eq!(parts[1][0].flits.len(), 1, "what goes elsewhere stays");
        assert!(parts.iter().all(|p| p[1].flits.is_empty() && p[2].credits.is_empty()));
        let mut found = Vec::new();
        read(&bytes, 2, |part, outgoing| found.push((part, outgoing.clone()))).expect("whole");
        assert_eq!(found[0].1.flits, [(1, flit(1)), (3, flit(3))]);
        assert_eq!(found[0].1.credits, [(1, 9), (2, 8), (3, 9), (4, 8)]);
        assert_eq!((found[1].0, &found[1].1.flits[..]), (1, &[(2, flit(2))][..]));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end], 2, |_, _| ()).is_err(), "cut at {end}");
        }
    }
}
