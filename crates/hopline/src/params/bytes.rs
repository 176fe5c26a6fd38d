//! Sizes of messages, as MPI benchmarks write them.

use super::{FromValue, Value};
use std::str::FromStr;

/// Bytes such as `65536`, `64K`, `1MiB` or `2GB`: K, M, G and T alone are powers of 1024, as in MPI's benchmarks, and so are
/// KiB, MiB, GiB and TiB; KB, MB, GB and TB are powers of 1000. Case does not matter. At most 1 PiB (`1024TiB`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// The largest size: 1 PiB.
const MOST: u64 = 1 << 50;

impl FromStr for Bytes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected bytes such as 65536, 64K, 1MiB or 1MB (units up to T), found `{text}`");
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let scale: u64 = match unit.to_ascii_uppercase().as_str() {
            "" | "B" => 1,
            "KB" => 1_000,
            "MB" => 1_000_000,
            "GB" => 1_000_000_000,
            "TB" => 1_000_000_000_000,
            "K" | "KIB" => 1 << 10,
            "M" | "MIB" => 1 << 20,
            "G" | "GIB" => 1 << 30,
            "T" | "TIB" => 1 << 40,
            _ => return Err(wrong()),
        };
        let number: u64 = number.trim().parse().map_err(|_| wrong())?;
        let fits = number.checked_mul(scale).filter(|&n| n <= MOST).map(Bytes);
        fits.ok_or_else(|| format!("`{text}` is more than 1024TiB, the largest size"))
    }
}

impl FromValue for Bytes {
    const EXPECTED: &'static str = "bytes such as 65536, 64K, 1MiB or 1MB";
    fn from_value(value: &Value) -> Option<Self> {
        String::from_value(value)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_binary_alone_and_with_an_i() {
        assert_eq!("1M".parse(), Ok(Bytes(1 << 20)));
        assert_eq!("1MB".parse(), Ok(Bytes(1_000_000)));
        assert_eq!("3GB".parse(), Ok(Bytes(3_000_000_000)));
        assert_eq!("2gib".parse(), Ok(Bytes(2 << 30)));
        assert_eq!("64KiB".parse(), Ok(Bytes(1 << 16)));
        assert_eq!("12".parse(), Ok(Bytes(12)));
        assert_eq!(("1TB".parse(), "1T".parse()), (Ok(Bytes(1_000_000_000_000)), Ok(Bytes(1 << 40))));
        assert_eq!("1024TiB".parse(), Ok(Bytes(MOST)));
        for large in ["1025TiB", "99999999TB"] {
            assert!(large.parse::<Bytes>().is_err_and(|e| e.contains("more than 1024TiB")), "{large}");
        }
        assert!("64KX".parse::<Bytes>().is_err());
        assert!("-1".parse::<Bytes>().is_err());
    }
}
