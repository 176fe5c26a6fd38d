//! Width and rate of a link.

use crate::unit::Bandwidth;
use std::fmt;
use std::str::FromStr;

/// Width and rate of a link, such as `4xQDR`; `??` or `???` where unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Speed {
    lanes: Option<u8>,
    /// Index into [`RATES`].
    rate: Option<u8>,
}

/// Data rates of one lane in Gb/s, after coding.
const RATES: [(&str, f64); 9] = [
    ("SDR", 2.0),
    ("DDR", 4.0),
    ("QDR", 8.0),
    ("FDR10", 10.0),
    ("FDR", 13.64),
    ("EDR", 25.0),
    ("HDR", 50.0),
    ("NDR", 100.0),
    ("XDR", 200.0),
];

impl Speed {
    /// Bandwidth of one direction; `None` where width or rate is unknown.
    pub fn bandwidth(self) -> Option<Bandwidth> {
        let (_, lane) = RATES.get(usize::from(self.rate?))?;
        Some(Bandwidth::gb_s(f64::from(self.lanes?) * lane / 8.0))
    }

    /// The one that is known or slower, and whether the two contradict each other.
    pub(super) fn agree(self, other: Speed) -> (Speed, bool) {
        match (self.bandwidth(), other.bandwidth()) {
            (Some(a), Some(b)) => (if b < a { other } else { self }, self != other),
            (None, Some(_)) => (other, false),
            _ => (self, false),
        }
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.lanes {
            Some(lanes) => write!(f, "{lanes}x")?,
            None => f.write_str("??")?,
        }
        f.write_str(self.rate.and_then(|rate| RATES.get(usize::from(rate))).map_or("???", |(name, _)| name))
    }
}

impl FromStr for Speed {
    type Err = String;

    /// `4xQDR`, `12xEDR`, `4x???`, `??SDR`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("expected a link speed such as 4xQDR, found `{text}`");
        let (width, name) = text.split_at_checked(text.find('x').map_or(2, |x| x + 1)).ok_or_else(wrong)?;
        let lanes = match width {
            "??" => None,
            "1x" | "2x" | "4x" | "8x" | "12x" => width.trim_end_matches('x').parse().ok(),
            _ => return Err(wrong()),
        };
        let rate = RATES.iter().position(|(known, _)| *known == name).map(|r| r as u8);
        if rate.is_some() || name == "???" { Ok(Speed { lanes, rate }) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_have_data_rates_after_coding() {
        let gb_s = |text: &str| text.parse::<Speed>().expect(text).bandwidth().map(Bandwidth::as_gb_s);
        assert_eq!(gb_s("4xSDR"), Some(1.0));
        assert_eq!(gb_s("4xQDR"), Some(4.0));
        assert_eq!(gb_s("4xFDR10"), Some(5.0));
        assert_eq!(gb_s("12xEDR"), Some(37.5));
        assert_eq!(gb_s("2xNDR"), Some(25.0));
        assert_eq!(gb_s("4x???"), None);
        assert_eq!(gb_s("??SDR"), None);
        for text in ["4xQDR", "12xEDR", "4x???", "??SDR", "?????"] {
            assert_eq!(text.parse::<Speed>().expect(text).to_string(), text);
        }
        for text in ["", "4x", "3xQDR", "4xODR", "x", "é", "lid"] {
            assert!(text.parse::<Speed>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_slower_end_counts() {
        let speed = |text: &str| text.parse::<Speed>().expect(text);
        assert_eq!(speed("4xQDR").agree(speed("4xSDR")), (speed("4xSDR"), true));
        assert_eq!(speed("4x???").agree(speed("4xSDR")), (speed("4xSDR"), false));
        assert_eq!(speed("4xSDR").agree(speed("4x???")), (speed("4xSDR"), false));
    }
}
