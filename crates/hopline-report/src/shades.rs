//! Time from left to right in shades, a line per row.

use super::text::Text;

/// Widest line.
const WIDTH: usize = 72;

const SHADES: [char; 6] = ['.', ':', '-', '=', '+', '#'];

/// Rows of a name, a value in each bin of time, and the value that is drawn as `#`; `.` is nothing at all.
pub(super) fn shades<'a>(text: &mut Text, rows: impl Iterator<Item = (&'a str, &'a [f64], f64)> + Clone) {
    let width = rows.clone().map(|r| r.0.chars().count()).max().unwrap_or(0);
    let step = rows.clone().map(|r| r.1.len()).max().unwrap_or(0).div_ceil(WIDTH).max(1);
    for (name, values, most) in rows {
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
    use super::{Text, shades};
    use crate::Screen;

    fn drawn<'a>(rows: impl Iterator<Item = (&'a str, &'a [f64], f64)> + Clone) -> String {
        let mut text = Text::new();
        shades(&mut text, rows);
        text.render(Screen::WIDE)
    }

    #[test]
    fn shades_are_fifths_from_nothing_to_all() {
        let values = [0.0, 0.1, 0.2, 0.21, 0.6, 1.0, 3.0];
        assert_eq!(
            drawn([("a", &values[..], 1.0), ("long", &values[..2], 0.0)].into_iter()),
            "a     .::-=##\nlong  ..\n"
        );
    }

    #[test]
    fn a_long_time_takes_one_line() {
        assert_eq!(drawn([("", &[1.0; 1000][..], 1.0)].into_iter()).trim().len(), 72);
    }
}
