//! Time from left to right in shades, a line per row.

use super::text::Text;

/// Widest line.
const WIDTH: usize = 72;

const SHADES: [char; 6] = ['.', ':', '-', '=', '+', '#'];

/// A row of shades.
pub(super) struct ShadedRow<'a> {
    pub(super) name: &'a str,
    /// One in each bin of time.
    pub(super) values: &'a [f64],
    /// What is drawn as `#`; `.` is nothing at all.
    pub(super) most: f64,
}

pub(super) fn shades<'a>(text: &mut Text, rows: impl Iterator<Item = ShadedRow<'a>> + Clone) {
    let width = rows.clone().map(|r| r.name.chars().count()).max().unwrap_or(0);
    let step = rows.clone().map(|r| r.values.len()).max().unwrap_or(0).div_ceil(WIDTH).max(1);
    for ShadedRow { name, values, most } in rows {
        let shade = |part: &[f64]| {
            let mean = part.iter().sum::<f64>() / part.len() as f64;
            let share = if most > 0.0 { mean / most } else { 0.0 };
            // Rounding of a sum is no step up.
            SHADES[((share * 5.0 - 1e-9).ceil() as usize).min(5)]
        };
        let line: String = values.chunks(step).map(shade).collect();
        text.line(format!("{name:width$}  {line}"));
    }
}

#[cfg(test)]
mod tests {
    use super::{ShadedRow, Text, shades};
    use crate::Screen;

    fn drawn(rows: &[(&str, &[f64], f64)]) -> String {
        let mut text = Text::new();
        shades(&mut text, rows.iter().map(|&(name, values, most)| ShadedRow { name, values, most }));
        text.render(Screen::WIDE)
    }

    #[test]
    fn shades_are_fifths_from_nothing_to_all() {
        let values = [0.0, 0.1, 0.2, 0.21, 0.6, 1.0, 3.0];
        assert_eq!(drawn(&[("a", &values[..], 1.0), ("long", &values[..2], 0.0)]), "a     .::-=##\nlong  ..\n");
    }

    #[test]
    fn a_long_time_takes_one_line() {
        assert_eq!(drawn(&[("", &[1.0; 1000][..], 1.0)]).trim().len(), 72);
    }
}
