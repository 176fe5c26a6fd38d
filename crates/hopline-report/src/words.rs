//! Amounts, rates and shares as words, and what every command says first.

use hopline::demand::Unit;
use hopline::run::Setting;
pub(super) use hopline::unit::percent;
use hopline::unit::{bytes, short, without_zeros};

/// An amount in the demand's unit.
pub(super) fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Units => short(value),
        Unit::Bytes => bytes(value),
    }
}

/// The head of a column of amounts: bytes say so themselves.
pub(super) fn amounts(unit: Unit, head: &str) -> String {
    match unit {
        Unit::Units => format!("{head} (units)"),
        Unit::Bytes => head.to_string(),
    }
}

pub(super) fn rate(value: Option<f64>) -> String {
    value.map_or("unlimited".to_string(), |v| format!("{} GB/s", three(v)))
}

/// About three significant digits, for figures side by side.
pub(super) fn three(value: f64) -> String {
    let places = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else if value >= 0.9995 {
        2
    } else {
        4
    };
    without_zeros(&format!("{value:.places$}")).to_string()
}

/// "1 host", "2 hosts".
pub(super) fn count(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// What is sent on what, and how it is routed.
pub(super) fn head(s: &Setting) -> String {
    let (tasks, hosts) = (count(s.tasks.into(), "task"), count(s.hosts.into(), "host"));
    format!("{} on {} ({} routing): {tasks} on {hosts}", s.traffic, s.fabric, s.routing)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn zero_percent_has_no_sign() {
        assert_eq!([-1e-9, 0.0, 1e-9, -0.0006].map(percent), ["0.0 %", "0.0 %", "0.0 %", "-0.1 %"]);
    }
}
