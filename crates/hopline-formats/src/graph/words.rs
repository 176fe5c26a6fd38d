//! Names and sizes as they stand in attributes.

/// A name without line breaks, which would tear reports apart.
pub(super) fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// `4x4x2` as numbers.
pub(super) fn sizes<T: std::str::FromStr>(text: &str) -> Option<Vec<T>> {
    text.split('x').map(|n| n.trim().parse().ok()).collect()
}
