//! Sets of ports of one router: a word where it has at most 64, more words where it has more.

use super::bytes::{Bytes, Writer};
use crate::error::Result;
use std::ops::IndexMut;

/// The bits of a mask from `turn` on, then those below.
#[inline]
pub(super) fn in_turn(mask: u64, turn: u8) -> impl Iterator<Item = u8> {
    let mut left = mask.rotate_right(u32::from(turn));
    std::iter::from_fn(move || {
        let next = left.trailing_zeros() as u8;
        let some = left != 0;
        left &= left.wrapping_sub(1);
        some.then_some((next + turn) & 63)
    })
}

/// The first bit of a mask from `turn` on, round robin; the mask has one.
#[inline]
pub(super) fn next_in_turn(mask: u64, turn: u8) -> u8 {
    (mask.rotate_right(u32::from(turn)).trailing_zeros() as u8 + turn) & 63
}

/// A set of ports, counted at their router. The engine is compiled for both sizes, so that small routers pay nothing
/// for large ones.
pub(super) trait PortSet: Copy + Default + PartialEq + Send + Sync + 'static {
    /// A byte for each port.
    type Bytes: IndexMut<usize, Output = u8>;
    /// A number of ports.
    type Count: Copy + Into<usize> + Send + Sync + 'static;

    /// All zeros.
    fn bytes() -> Self::Bytes;
    /// A number of ports that a set holds.
    fn count(ports: usize) -> Self::Count;
    /// The port after one, round robin over all numbers.
    fn after(port: u8) -> u8;
    fn is_empty(self) -> bool;
    fn insert(&mut self, port: u8);
    fn remove(&mut self, port: u8);
    /// Both sets.
    fn or(self, other: Self) -> Self;
    /// This set without another.
    fn without(self, other: Self) -> Self;
    /// A port alone, if it is in the set.
    fn only(self, port: u8) -> Self;
    /// The smallest; there must be one.
    fn first(self) -> u8;
    /// Takes the smallest out; there must be one.
    fn pop(&mut self) -> u8;
    /// All from `turn` on, then those below.
    fn in_turn(self, turn: u8) -> impl Iterator<Item = u8>;
    /// The first from `turn` on, round robin; there must be one.
    fn next_in_turn(self, turn: u8) -> u8;
    /// For a checkpoint, and back.
    fn save(self, out: &mut Writer);
    fn load(from: &mut Bytes<'_>) -> Result<Self>;

    /// Puts a port in, or takes it out.
    #[inline(always)]
    fn set(&mut self, port: u8, is_in: bool) {
        if is_in { self.insert(port) } else { self.remove(port) }
    }
}

impl PortSet for u64 {
    type Bytes = [u8; 64];
    type Count = u8;

    #[inline(always)]
    fn bytes() -> [u8; 64] {
        [0; 64]
    }
    fn count(ports: usize) -> u8 {
        ports as u8
    }
    #[inline(always)]
    fn after(port: u8) -> u8 {
        (port + 1) & 63
    }
    #[inline(always)]
    fn is_empty(self) -> bool {
        self == 0
    }
    #[inline(always)]
    fn insert(&mut self, port: u8) {
        *self |= 1 << port;
    }
    #[inline(always)]
    fn remove(&mut self, port: u8) {
        *self &= !(1 << port);
    }
    #[inline(always)]
    fn or(self, other: u64) -> u64 {
        self | other
    }
    #[inline(always)]
    fn without(self, other: u64) -> u64 {
        self & !other
    }
    #[inline(always)]
    fn only(self, port: u8) -> u64 {
        self & 1 << port
    }
    #[inline(always)]
    fn first(self) -> u8 {
        self.trailing_zeros() as u8
    }
    #[inline(always)]
    fn pop(&mut self) -> u8 {
        let port = self.first();
        *self &= self.wrapping_sub(1);
        port
    }
    #[inline(always)]
    fn in_turn(self, turn: u8) -> impl Iterator<Item = u8> {
        in_turn(self, turn)
    }
    #[inline(always)]
    fn next_in_turn(self, turn: u8) -> u8 {
        next_in_turn(self, turn)
    }
    fn save(self, out: &mut Writer) {
        out.put(self);
    }
    fn load(from: &mut Bytes<'_>) -> Result<u64> {
        from.get()
    }
    #[inline(always)]
    fn set(&mut self, port: u8, is_in: bool) {
        *self = *self & !(1 << port) | u64::from(is_in) << port;
    }
}

const WORDS: usize = 4;

/// Up to 256 ports.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wide([u64; WORDS]);

impl Wide {
    fn zip(self, other: Wide, f: impl Fn(u64, u64) -> u64) -> Wide {
        Wide(std::array::from_fn(|w| f(self.0[w], other.0[w])))
    }

    /// The first from a port on, not round robin.
    fn from(self, port: usize) -> Option<u8> {
        let word = port / 64;
        let own = self.0.get(word)? & u64::MAX << (port % 64);
        if own != 0 {
            return Some((word * 64) as u8 + own.trailing_zeros() as u8);
        }
        let after = (word + 1..WORDS).find(|&w| self.0[w] != 0)?;
        Some((after * 64) as u8 + self.0[after].trailing_zeros() as u8)
    }
}

impl PortSet for Wide {
    type Bytes = [u8; 64 * WORDS];
    type Count = u16;

    fn bytes() -> Self::Bytes {
        [0; 64 * WORDS]
    }
    fn count(ports: usize) -> u16 {
        ports as u16
    }
    fn after(port: u8) -> u8 {
        port.wrapping_add(1)
    }
    fn is_empty(self) -> bool {
        self.0 == [0; WORDS]
    }
    fn insert(&mut self, port: u8) {
        self.0[usize::from(port / 64)] |= 1 << (port % 64);
    }
    fn remove(&mut self, port: u8) {
        self.0[usize::from(port / 64)] &= !(1 << (port % 64));
    }
    fn or(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a | b)
    }
    fn without(self, other: Wide) -> Wide {
        self.zip(other, |a, b| a & !b)
    }
    fn only(self, port: u8) -> Wide {
        let mut one = Wide::default();
        one.insert(port);
        self.zip(one, |a, b| a & b)
    }
    fn first(self) -> u8 {
        self.from(0).unwrap_or(0)
    }
    fn pop(&mut self) -> u8 {
        let port = self.first();
        self.remove(port);
        port
    }
    fn in_turn(self, turn: u8) -> impl Iterator<Item = u8> {
        let (mut at, turn) = (usize::from(turn), usize::from(turn));
        let mut wrapped = false;
        std::iter::from_fn(move || {
            if !wrapped {
                if let Some(port) = self.from(at) {
                    at = usize::from(port) + 1;
                    return Some(port);
                }
                (wrapped, at) = (true, 0);
            }
            let port = self.from(at).filter(|&port| usize::from(port) < turn)?;
            at = usize::from(port) + 1;
            Some(port)
        })
    }
    fn next_in_turn(self, turn: u8) -> u8 {
        self.from(usize::from(turn)).unwrap_or_else(|| self.first())
    }
    fn save(self, out: &mut Writer) {
        self.0.into_iter().for_each(|word| out.put(word));
    }
    fn load(from: &mut Bytes<'_>) -> Result<Wide> {
        let mut set = Wide::default();
        for word in &mut set.0 {
            *word = from.get()?;
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts the same ports into a set of either kind.
    fn both(ports: &[u8]) -> (u64, Wide) {
        let (mut small, mut wide) = (0u64, Wide::default());
        ports.iter().for_each(|&p| {
            small.insert(p);
            wide.insert(p);
        });
        (small, wide)
    }

    #[test]
    fn a_wide_set_is_as_a_word_where_that_is_enough() {
        for ports in [&[0u8, 5, 63][..], &[], &[17], &[1, 2, 3, 40, 62]] {
            let (small, wide) = both(ports);
            assert_eq!(small.is_empty(), PortSet::is_empty(wide));
            for turn in 0..64 {
                let order: Vec<u8> = PortSet::in_turn(small, turn).collect();
                assert_eq!(order, wide.in_turn(turn).collect::<Vec<_>>(), "{ports:?} from {turn}");
                if let Some(&first) = order.first() {
                    assert_eq!((first, first), (PortSet::next_in_turn(small, turn), wide.next_in_turn(turn)));
                }
            }
        }
    }

    #[test]
    fn wide_sets_hold_ports_beyond_a_word() {
        let mut set = both(&[3]).1;
        [64u8, 130, 255].iter().for_each(|&p| set.insert(p));
        assert_eq!(set.in_turn(65).collect::<Vec<_>>(), [130, 255, 3, 64]);
        assert_eq!((set.next_in_turn(131), set.next_in_turn(0), set.first()), (255, 3, 3));
        assert_eq!(Wide::after(255), 0);
        set.set(130, false);
        assert!(set.only(130).is_empty() && !set.only(255).is_empty());
        assert_eq!(set.without(both(&[3]).1).first(), 64);
    }
}
