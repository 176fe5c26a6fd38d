//! Files damaged at random, the same everywhere.

/// Numbers that overflow, and words that mean something to a reader.
const SPITE: &[&str] = &[
    "4294967296",
    "18446744073709551616",
    "4194304",
    "-1",
    "nan",
    "inf",
    "1e308",
    "é",
    "\u{feff}",
    "\0",
    ",",
    "=",
    "%",
    "#",
    " ",
    "\n",
    "\r\n",
];

/// A generator of our own (xorshift), so that the damages are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound.max(1) as u64) as usize
    }

    /// One byte, word or line less, more or elsewhere.
    pub fn damage(&mut self, text: &mut Vec<u8>) {
        let at = self.below(text.len() + 1);
        match self.below(7) {
            0 if at < text.len() => drop(text.remove(at)),
            1 if at < text.len() => text.insert(at, text[at]),
            2 if !text.is_empty() => {
                let [a, b] = [self.below(text.len()), self.below(text.len())];
                text.swap(a, b);
            }
            3 if self.below(4) == 0 => text.truncate(at),
            4 => {
                let word = SPITE[self.below(SPITE.len())].bytes();
                text.splice(at..at, word);
            }
            _ => {
                let mut lines: Vec<&[u8]> = text.split_inclusive(|&b| b == b'\n').collect();
                let [a, b] = [self.below(lines.len()), self.below(lines.len())];
                match self.below(3) {
                    _ if lines.is_empty() => {}
                    0 => drop(lines.remove(a)),
                    1 => lines.insert(b, lines[a]),
                    _ => lines.swap(a, b),
                }
                *text = lines.concat();
            }
        }
    }
}
