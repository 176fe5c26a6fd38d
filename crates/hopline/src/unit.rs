//! Units as types. Bandwidths are whole bytes per second, so that two fabrics
//! with the same cables compare equal.

#[cfg(feature = "schemas")]
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};
#[cfg(feature = "schemas")]
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// Bytes per second in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bandwidth(u64);

impl Bandwidth {
    /// From gigabytes (10^9 bytes) per second; negative values and NaN give 0.
    pub fn gb_s(value: f64) -> Self {
        Bandwidth((value * 1e9).round() as u64)
    }

    /// From bytes per second.
    pub const fn bytes_s(value: u64) -> Self {
        Bandwidth(value)
    }

    /// In gigabytes (10^9 bytes) per second.
    pub fn as_gb_s(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In bytes per second.
    pub fn as_bytes_s(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Bandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} GB/s", short(self.as_gb_s()))
    }
}

impl Serialize for Bandwidth {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_f64(self.as_gb_s())
    }
}

#[cfg(feature = "schemas")]
impl JsonSchema for Bandwidth {
    fn schema_name() -> Cow<'static, str> {
        "Bandwidth".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        f64::json_schema(generator)
    }
}

impl FromStr for Bandwidth {
    type Err = String;

    /// `10`, `10GB/s`, `200Gb/s`, `2500MB/s`; a bare number is GB/s.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a bandwidth such as 10, 10GB/s or 200Gb/s, found `{text}`");
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = text.split_at(split);
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let scale = match unit.trim() {
            "" | "GB/s" => 1.0,
            "MB/s" => 1e-3,
            "Gb/s" => 0.125,
            _ => return Err(wrong()),
        };
        let value = number * scale;
        if value.is_finite() && value > 0.0 && value < 1e9 { Ok(Bandwidth::gb_s(value)) } else { Err(wrong()) }
    }
}

/// A duration of the network, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Nanos(pub u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ns", self.0)
    }
}

/// At most three digits past the point, or four significant ones below 1, without trailing zeros:
/// `64`, `2.5`, `106.667`, `0.000312`; large and tiny numbers in scientific form.
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".into() } else { value.to_string() };
    }
    let size = value.abs();
    if !(1e-4..1e15).contains(&size) {
        return format!("{value:.3e}");
    }
    let places = if size >= 1.0 { 3 } else { 3 + (-size.log10().floor()) as usize };
    without_zeros(&format!("{value:.places$}")).to_string()
}

/// A number in decimal form without zeros at the end of its fraction.
pub fn without_zeros(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

/// A part of 1 for reading: `99.9 %`. What is nearly whole is not rounded to it: `> 99.9 %`.
pub fn percent(part: f64) -> String {
    // A half is one however it was computed, as for `times`; adding 0 takes the sign from what rounds to nothing.
    let shown = (1000.0 * part * (1.0 + 1e-9)).round() / 10.0 + 0.0;
    if shown == 100.0 && part < 1.0 - 1e-6 {
        return "> 99.9 %".into();
    }
    format!("{shown:.1} %")
}

/// A count of bytes for reading: `17.7 MB`, `744 kB`, `12 B` (powers of 1000).
pub fn bytes(value: f64) -> String {
    const UNITS: [&str; 6] = ["B", "kB", "MB", "GB", "TB", "PB"];
    let mut value = value;
    let mut unit = 0;
    while value.abs() >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let places = if unit == 0 || value.abs() >= 99.95 {
        0
    } else if value.abs() >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.places$} {}", UNITS[unit])
}

/// How many times something is another, for reading: `1.13x` for 9/8, halves away from zero even where the quotient of two sums
/// lies a rounding error below.
pub fn times(value: f64) -> String {
    format!("{:.2}x", (value * 100.0 * (1.0 + 1e-9)).round() / 100.0)
}

/// Seconds for reading: `1.20 ms`, `34.5 us`.
pub fn seconds(value: f64) -> String {
    let (scaled, unit) = match value {
        0.0 => (0.0, "s"),
        v if v < 1e-6 => (v * 1e9, "ns"),
        v if v < 1e-3 => (v * 1e6, "us"),
        v if v < 1.0 => (v * 1e3, "ms"),
        v => (v, "s"),
    };
    let places = if scaled >= 99.95 {
        0
    } else if scaled >= 9.995 {
        1
    } else {
        2
    };
    format!("{scaled:.places$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidths_parse_and_print() {
        assert_eq!("10".parse::<Bandwidth>(), Ok(Bandwidth::gb_s(10.0)));
        assert_eq!("200Gb/s".parse::<Bandwidth>(), Ok(Bandwidth::gb_s(25.0)));
        assert_eq!(Bandwidth::gb_s(2.5).to_string(), "2.5 GB/s");
        assert!("ten".parse::<Bandwidth>().is_err());
        assert!("-1".parse::<Bandwidth>().is_err());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(64.0), "64");
        assert_eq!(short(106.66666), "106.667");
        assert_eq!(short(0.3125), "0.3125");
        assert_eq!(short(0.00031251), "0.0003125");
        assert_eq!(short(0.0), "0");
        assert_eq!(bytes(17_737_128.0), "17.7 MB");
        assert_eq!(bytes(12.0), "12 B");
        assert_eq!(seconds(0.00123), "1.23 ms");
        for eighths in [1.125, 1.125 - 2e-16, 1.125 + 2e-16] {
            assert_eq!(times(eighths), "1.13x");
        }
        for half in [0.1875, 0.1875 - 1e-16, 0.1875 + 1e-16] {
            assert_eq!((percent(half), percent(-half)), ("18.8 %".into(), "-18.8 %".into()));
        }
        assert_eq!((times(1.0), times(1.1249), times(13.5)), ("1.00x".into(), "1.12x".into(), "13.50x".into()));
    }
}
