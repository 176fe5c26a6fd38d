//! Characters as outlines. `glyphs.txt` is made from DejaVu Sans by `glyphs.py`; its licence is in `glyphs.LICENSE`.

use super::path::{self, Lines};

const TABLE: &str = include_str!("glyphs.txt");
/// Units of the table to the em.
const EM: f64 = 1000.0;
/// How much wider the lines of bold characters are, in em.
const BOLD: f64 = 0.045;
/// Stands for characters that the table has not.
const UNKNOWN: char = '\u{fffd}';

/// A character's advance and outline, in units of the table.
fn glyph(c: char) -> (f64, &'static str) {
    let row = |c: char| {
        let code = format!("{:x} ", u32::from(c));
        TABLE.lines().find_map(|line| line.strip_prefix(&code))
    };
    let row = row(c).or_else(|| row(UNKNOWN)).unwrap_or("600");
    let (advance, outline) = row.split_once(' ').unwrap_or((row, ""));
    (advance.parse().unwrap_or(EM), outline)
}

/// Width of a line of text, in em.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(|c| glyph(c).0).sum::<f64>() / EM
}

/// A line of text from (0, 0) to the right, one em high.
pub(super) fn outline(text: &str, bold: bool) -> Lines {
    let mut all = Lines::new();
    let mut x = 0.0;
    for (advance, outline) in text.chars().map(glyph) {
        let lines = path::lines(outline);
        for aside in if bold { &[0.0, BOLD][..] } else { &[0.0] } {
            all.extend(lines.iter().map(|l| l.iter().map(|p| (p.0 / EM + x + aside, p.1 / EM)).collect()));
        }
        x += advance / EM;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_character() {
        for line in TABLE.lines() {
            let (code, rest) = line.split_once(' ').expect(line);
            let c = char::from_u32(u32::from_str_radix(code, 16).expect(code)).expect(code);
            let (advance, outline) = glyph(c);
            assert!(rest.starts_with(&advance.to_string()) && advance > 0.0, "{line}");
            let drawn = path::lines(outline);
            assert_eq!(drawn.len(), outline.matches('m').count(), "{line}");
            // The path is read to its end: what comes last is closed.
            assert!(outline.is_empty() || drawn.iter().all(|l| l.first() == l.last()), "{line}");
        }
        assert_eq!(glyph('\u{4e00}'), glyph(UNKNOWN));
        assert!(width("WW") > width("ii") && width("") == 0.0);
    }
}
