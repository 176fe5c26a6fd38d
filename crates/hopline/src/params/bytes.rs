//! Sizes of messages, as MPI benchmarks write them.

use super::{FromValue, Value};
use std::str::FromStr;

/// Bytes such as `65536`, `64K`, `1MB` or `2GiB`: suffixes count in powers of 1024, as MPI benchmarks do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// The largest size: 1 PiB.
const MOST: u64 = 1 << 50;

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected bytes such as 65536, 64K or 1MB, found `{text}`");
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let shift = match unit.to_ascii_uppercase().as_str() {
            "" | "B" => 0,
            "K" | "KB" | "KIB" => 10,
            "M" | "MB" | "MIB" => 20,
            "G" | "GB" | "GIB" => 30,
            _ => return Err(wrong()),
        };
        let number: u64 = number.trim().parse().map_err(|_| wrong())?;
        number.checked_mul(1 << shift).filter(|&n| n <= MOST).map(Bytes).ok_or_else(wrong)
    }
}

impl FromValue for Bytes {
    const EXPECTED: &'static str = "bytes such as 65536, 64K or 1MB";
    fn from_value(value: &Value) -> Option<Self> {
        String::from_value(value)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_powers_of_1024() {
        assert_eq!("1MB".parse(), Ok(Bytes(1 << 20)));
        assert_eq!("64KiB".parse(), Ok(Bytes(1 << 16)));
        assert_eq!("12".parse(), Ok(Bytes(12)));
        assert!("64KX".parse::<Bytes>().is_err());
        assert!("-1".parse::<Bytes>().is_err());
    }
}
