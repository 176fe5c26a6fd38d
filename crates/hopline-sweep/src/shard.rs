//! Fair parts of a sweep.

use hopline::error::{Error, Result};
use std::str::FromStr;

/// One of several parts: `1/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// More parts than anybody starts.
const MOST: usize = 100_000;

impl Shard {
    /// Part `index` of `count`; `count` itself is the part 0, so that parts may be counted from 0 or from 1.
    ///
    /// # Errors
    /// There are no parts, too many, or the part is none of them.
    pub fn new(index: usize, count: usize) -> Result<Shard> {
        if count == 0 || count > MOST || index > count {
            return Err(Error::input(format!("{index}/{count} is no part of a whole"))
                .hint("write I/N with I from 1 to N, or from 0 to N-1"));
        }
        Ok(Shard { index: index % count, count })
    }

    /// Whether the n-th point belongs to it: the digits of n to the base of the number of parts are added up, and the
    /// sum's remainder is the part (the Thue-Morse sequence where there are two). Of any N points in a row that begin
    /// at a multiple of N each part has one, and no part has all points of one routing, as every N-th point could.
    pub fn has(self, number: usize) -> bool {
        if self.count == 1 {
            return true;
        }
        let (mut rest, mut sum) = (number, 0);
        while rest > 0 {
            (sum, rest) = (sum + rest % self.count, rest / self.count);
        }
        sum % self.count == self.index
    }
}

impl FromStr for Shard {
    type Err = Error;

    fn from_str(text: &str) -> Result<Shard> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)));
        match parts {
            Some((index, count)) => Shard::new(index, count),
            None => Err(Error::input(format!("`{text}` is no part such as 1/8"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_is_in_one_part_and_parts_are_fair() {
        for count in 1..20 {
            let shards: Vec<Shard> = (1..=count).map(|i| Shard::new(i, count).expect("part")).collect();
            for block in 0..50 {
                for shard in &shards {
                    let own = (block * count..(block + 1) * count).filter(|&n| shard.has(n)).count();
                    assert_eq!(own, 1, "{shard:?} in block {block}");
                }
            }
        }
    }

    /// Where two routings alternate, each of two parts has as many of both.
    #[test]
    fn no_part_has_all_of_one_value() {
        let shard = Shard::new(1, 2).expect("part");
        assert_eq!((0..400).filter(|&n| n % 2 == 0 && shard.has(n)).count(), 100);
    }

    #[test]
    fn parts_count_from_0_or_from_1() {
        assert_eq!("2/2".parse::<Shard>(), "0/2".parse());
        for wrong in ["3/2", "1/0", "1", "a/b", "-1/2", "1/1000000"] {
            assert!(wrong.parse::<Shard>().expect_err(wrong).is_input());
        }
    }
}
