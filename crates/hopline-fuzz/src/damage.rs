//! Bytes damaged at random, the same everywhere.

/// Numbers that overflow, and words that mean something to a reader.
const SPITE: &[&[u8]] = &[
    b"4294967296",
    b"18446744073709551616",
    b"4194304",
    b"65535",
    b"-1",
    b"0",
    b"nan",
    b"inf",
    b"1e308",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b",",
    b"=",
    b"%",
    b"#",
    b"\"",
    b"\\",
    b"[",
    b"]",
    b"{",
    b"}",
    b"-",
    b":",
    b" ",
    b"\n",
    b"\r\n",
];

/// A generator of our own (xorshift), so that damages are the same everywhere.
pub struct Random(u64);

impl Random {
    /// From a seed; the same seed gives the same damages.
    pub fn new(seed: u64) -> Random {
        // Never zero, and neighbours apart.
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`; 0 where that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % bound.max(1) as u64) as usize
    }

    /// One of the seeds with one to four damages; `others` are what a part may be taken from. O(bytes).
    pub fn damaged(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..1 + self.below(4) {
            match self.below(12) {
                0 => self.splice(&mut bytes, seeds),
                1 => self.number(&mut bytes),
                _ => self.damage(&mut bytes),
            }
        }
        bytes
    }

    /// A part of another seed, inserted or in place of as much.
    fn splice(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let other = &seeds[self.below(seeds.len())];
        let from = self.below(other.len());
        let part = &other[from..(from + 1 + self.below(64)).min(other.len())];
        let at = self.below(bytes.len() + 1);
        let end = if self.below(2) == 0 { at } else { (at + part.len()).min(bytes.len()) };
        bytes.splice(at..end, part.iter().copied());
    }

    /// A number of the text becomes another one.
    fn number(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len());
        let Some(start) = bytes.iter().skip(at).position(u8::is_ascii_digit).map(|more| at + more) else { return };
        let end = bytes[start..].iter().position(|b| !b.is_ascii_digit()).map_or(bytes.len(), |more| start + more);
        let word: &[u8] = match self.below(8) {
            0 => b"0",
            1 => b"1",
            2 => b"4294967295",
            3 => b"18446744073709551615",
            4 => b"9223372036854775808",
            5 => b"1e300",
            6 => b"-7",
            _ => b"100000",
        };
        bytes.splice(start..end, word.iter().copied());
    }

    /// One byte, word or line less, more or elsewhere.
    fn damage(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        match self.below(9) {
            0 if at < bytes.len() => drop(bytes.remove(at)),
            1 if at < bytes.len() => bytes.insert(at, bytes[at]),
            2 if !bytes.is_empty() => {
                let [a, b] = [self.below(bytes.len()), self.below(bytes.len())];
                bytes.swap(a, b);
            }
            3 if self.below(8) == 0 => bytes.truncate(at),
            4 | 5 if at < bytes.len() => bytes[at] = self.below(256) as u8,
            6 => drop(bytes.splice(at..at, SPITE[self.below(SPITE.len())].iter().copied())),
            _ => {
                let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&b| b == b'\n').collect();
                let [a, b] = [self.below(lines.len()), self.below(lines.len())];
                match self.below(3) {
                    _ if lines.is_empty() => {}
                    0 => drop(lines.remove(a)),
                    1 => lines.insert(b, lines[a]),
                    _ => lines.swap(a, b),
                }
                *bytes = lines.concat();
            }
        }
    }
}
