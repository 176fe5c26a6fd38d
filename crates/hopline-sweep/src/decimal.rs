//! Decimal numbers as they are written: steps of 0.1 are steps of 0.1.

use hopline::params::Value;

/// `digits` / 10^`places`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decimal {
    digits: i128,
    places: u32,
    /// Written with a point or an exponent: its values are no whole numbers, even where they are whole.
    has_point: bool,
}

/// More digits than any value has.
const MOST_PLACES: u32 = 30;

/// The digits of two numbers with the same places.
struct Aligned {
    digits: i128,
    other: i128,
    places: u32,
}

impl Decimal {
    /// `None` where it is no plain number, or has too many digits.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let bare = whole.strip_prefix('-').unwrap_or(whole);
        let is_number =
            (!bare.is_empty() || !part.is_empty()) && (bare.bytes().chain(part.bytes())).all(|b| b.is_ascii_digit());
        if !is_number || bare.len() + part.len() > 18 || exponent.unsigned_abs() > 18 {
            return None;
        }
        let digits: i128 = format!("{bare}{part}").parse().ok()?;
        let digits = if whole.starts_with('-') { -digits } else { digits };
        let places = i32::try_from(part.len()).ok()? - exponent;
        let has_point = text.contains(['.', 'e', 'E']);
        Some(match u32::try_from(places) {
            Ok(places) => Decimal { digits, places, has_point },
            Err(_) => Decimal { digits: digits.checked_mul(ten(places.unsigned_abs())?)?, places: 0, has_point },
        })
    }

    pub(crate) fn is_positive(self) -> bool {
        self.digits > 0
    }

    pub(crate) fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// Both with the same places.
    fn aligned(self, other: Decimal) -> Option<Aligned> {
        let places = self.places.max(other.places);
        let to = |d: Decimal| d.digits.checked_mul(ten(places - d.places)?);
        Some(Aligned { digits: to(self)?, other: to(other)?, places })
    }

    pub(crate) fn compare(self, other: Decimal) -> Option<std::cmp::Ordering> {
        self.aligned(other).map(|both| both.digits.cmp(&both.other))
    }

    pub(crate) fn plus(self, other: Decimal) -> Option<Decimal> {
        let both = self.aligned(other)?;
        let (digits, places) = (both.digits.checked_add(both.other)?, both.places);
        Some(Decimal { digits, places, has_point: self.has_point || other.has_point })
    }

    pub(crate) fn times(self, other: Decimal) -> Option<Decimal> {
        let (mut digits, mut places) = (self.digits.checked_mul(other.digits)?, self.places + other.places);
        while places > 0 && digits % 10 == 0 {
            (digits, places) = (digits / 10, places - 1);
        }
        (places <= MOST_PLACES).then_some(Decimal { digits, places, has_point: self.has_point || other.has_point })
    }

    /// The nearest value: whole numbers stay whole.
    pub(crate) fn value(self) -> Value {
        match i64::try_from(self.digits) {
            Ok(n) if self.places == 0 && !self.has_point => Value::Int(n),
            // The standard library rounds a written number to the nearest one.
            _ => Value::Float(format!("{}e-{}", self.digits, self.places).parse().unwrap_or(f64::NAN)),
        }
    }
}

fn ten(power: u32) -> Option<i128> {
    10i128.checked_pow(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written() {
        let value = |text| Decimal::parse(text).map(Decimal::value);
        assert_eq!(value("12"), Some(Value::Int(12)));
        assert_eq!(value("-0.25"), Some(Value::Float(-0.25)));
        assert_eq!(value(".5"), Some(Value::Float(0.5)));
        assert_eq!(value("1e3"), Some(Value::Float(1000.0)));
        assert_eq!(value("2.5e-3"), Some(Value::Float(0.0025)));
        for wrong in ["", "-", ".", "4x4", "1.2.3", "1e", "nan", "inf", "+1", "1e99", "1234567890123456789"] {
            assert_eq!(Decimal::parse(wrong), None, "{wrong}");
        }
    }
}
