//! A study as text: matrices like the paper's tables, published values beside
//! what differs, and the reasons below.

use crate::{Finding, Key, Published, Reproduction, Verdict};
use hopline::unit::short;
use hopline_report::{Column, Columns, Text};
use std::fmt::Write as _;

/// Items with more findings than this, nearly all of them published, are shown by one sign for each.
const LARGE: usize = 40;

/// `hopline reproduce`.
pub fn reproduction(r: &Reproduction) -> Text {
    let mut text = Text::new();
    text.line(format!("{}: {}", r.study, r.paper));
    text.line(counts(r));
    text.blank();
    let items: Vec<&[Finding]> = r.entries.chunk_by(|a, b| a.item == b.item).collect();
    for group in items.chunk_by(|a, b| is_large(a) && is_large(b)) {
        match group {
            [one] if !is_large(one) => text.append(item(one)),
            many => text.append(overview(many)),
        }
        text.blank();
    }
    text.notes(&r.notes);
    text
}

/// How many numbers are as published, and what the others are.
pub(super) fn counts(r: &Reproduction) -> String {
    format!(
        "{} of {} published values as printed; {} not, with the reason; {} not, without one; {} that the paper does not have",
        r.matching,
        r.matching + r.noted + r.differing,
        r.noted,
        r.differing,
        r.beyond
    )
}

pub(super) fn is_large(item: &[Finding]) -> bool {
    // Signs compare; where most numbers are ours alone, the numbers themselves say more.
    let published = item.iter().filter(|f| f.published.is_some()).count();
    item.len() > LARGE && 10 * published >= 9 * item.len()
}

/// One item: a matrix where it has rows, else a line for each statement.
fn item(findings: &[Finding]) -> Text {
    let mut text = Text::new();
    text.line(findings[0].item.clone());
    let mut below = Text::new();
    if findings.iter().all(|f| f.row.is_empty()) {
        for f in findings {
            let published = f.published.as_ref().map_or("-".into(), Published::show);
            let computed = f.computed.map_or("-".into(), short);
            let line = format!("{}: published {published}, computed {computed}: {}", f.column, word(f));
            below.prose(line);
            let mut notes = Text::new();
            f.note.iter().for_each(|note| notes.prose(note));
            below.indented(notes);
        }
    } else {
        let matrix = Matrix::new(findings);
        let keys = matrix.keys.iter().map(|k| Column::number(*k));
        // Where a line has no room for all, the last columns are left out first.
        let columns = matrix.columns.iter().rev().enumerate().map(|(k, c)| Column::number(*c).dropped(k)).rev();
        let mut table = Columns::new(keys.chain(columns));
        for row in &matrix.rows {
            let cells = matrix.columns.iter().map(|c| matrix.find(row, c).map_or("-".into(), cell));
            table.row(matrix.coordinates(row).chain(cells).collect());
        }
        below.table(table);
        remarks(&mut below, findings);
    }
    text.indented(below);
    text
}

/// Coordinates by name.
type Row = Vec<(&'static str, Key)>;

/// Rows and columns of an item, in order of appearance.
pub(super) struct Matrix<'a> {
    findings: &'a [Finding],
    /// Names of the coordinates of rows; some rows have others than the first.
    pub(super) keys: Vec<&'static str>,
    pub(super) rows: Vec<Row>,
    pub(super) columns: Vec<&'a str>,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(findings: &'a [Finding]) -> Matrix<'a> {
        let (mut rows, mut columns): (Vec<Row>, Vec<&str>) = (Vec::new(), Vec::new());
        let mut keys = Vec::new();
        for f in findings {
            if !rows.contains(&f.row) {
                rows.push(f.row.clone());
            }
            f.row.iter().for_each(|(key, _)| {
                if !keys.contains(key) {
                    keys.push(*key);
                }
            });
            if !columns.contains(&f.column.as_str()) {
                columns.push(&f.column);
            }
        }
        Matrix { findings, keys, rows, columns }
    }

    pub(super) fn find(&self, row: &[(&'static str, Key)], column: &str) -> Option<&'a Finding> {
        self.findings.iter().find(|f| f.column == column && f.row == row)
    }

    /// The coordinates of a row, empty where it has none of that name.
    pub(super) fn coordinates(&self, row: &[(&'static str, Key)]) -> impl Iterator<Item = String> {
        let of = |key: &&'static str| row.iter().find(|r| r.0 == *key).map_or(String::new(), |r| r.1.to_string());
        self.keys.iter().map(of)
    }
}

/// "64 LR", or "20 D [10 D]" where the paper prints something else; random
/// cells with their standard deviation and the published value, simulated ones with half their interval.
pub(super) fn cell(f: &Finding) -> String {
    let number = |x: f64| match (x * 10.0).round() / 10.0 + 0.0 {
        _ if x >= 100.0 => format!("{x:.0}"),
        // What is more than nothing is not shown as nothing.
        tenths if tenths == 0.0 && x > 0.0 => short(three_digits(x)),
        tenths => short(tenths),
    };
    let mut text = f.computed.map_or("-".into(), number);
    if let Some(spread) = f.spread.or(f.ci).filter(|s| *s >= 0.05) {
        let _ = write!(text, "±{}", number(spread));
    }
    if let Some(class) = &f.bottleneck {
        let _ = write!(text, " {class}");
    }
    if let Some(published) = &f.published
        && (f.verdict != Verdict::Match || f.spread.is_some())
    {
        let class = f.published_bottleneck.as_ref().filter(|p| f.bottleneck.as_ref() != Some(p));
        let _ = write!(text, " [{}{}]", published.show(), class.map_or(String::new(), |c| format!(" {c}")));
    }
    if f.verdict == Verdict::Differs {
        text.push_str(" !");
    }
    text
}

fn three_digits(x: f64) -> f64 {
    let unit = 10f64.powi(x.log10().floor() as i32 - 2);
    (x / unit).round() * unit
}

fn word(f: &Finding) -> &'static str {
    match f.verdict {
        Verdict::Match => "match",
        Verdict::Ours => "ours",
        Verdict::Noted => "not as published",
        Verdict::Differs => "not as published, for no known reason",
    }
}

/// One sign for each finding: several large items side by side.
fn overview(items: &[&[Finding]]) -> Text {
    let mut text = Text::new();
    let matrices: Vec<Matrix<'_>> = items.iter().map(|i| Matrix::new(i)).collect();
    for (k, (item, matrix)) in items.iter().zip(&matrices).enumerate() {
        let count = |s: char| item.iter().filter(|f| sign(f) == s).count();
        let differ = item.iter().filter(|f| f.verdict == Verdict::Differs).count();
        let columns = (matrix.columns.first().unwrap_or(&""), matrix.columns.last().unwrap_or(&""));
        text.line(format!("{}  {} (signs: {} to {})", letter(k), item[0].item, columns.0, columns.1));
        text.line(format!(
            "   {} equal, {} above, {} below; {differ} differ for no known reason",
            count('='),
            count('>'),
            count('<')
        ));
    }
    // In the order of the item that has most of them.
    let mut by_rows: Vec<&Matrix<'_>> = matrices.iter().collect();
    by_rows.sort_by_key(|m| std::cmp::Reverse(m.rows.len()));
    let mut rows: Vec<&Row> = Vec::new();
    by_rows.iter().flat_map(|m| &m.rows).for_each(|r| {
        if !rows.contains(&r) {
            rows.push(r);
        }
    });
    let letters: Vec<String> = (0..items.len()).map(letter).collect();
    let keys = matrices[0].keys.iter().copied();
    let mut table = Columns::new(keys.map(Column::number).chain(letters.iter().map(Column::word)));
    for row in rows {
        let signs = |m: &Matrix<'_>| m.columns.iter().map(|c| m.find(row, c).map_or(' ', sign)).collect::<String>();
        table.row(matrices[0].coordinates(row).chain(matrices.iter().map(signs)).collect());
    }
    let nothing = items.iter().flat_map(|item| item.iter()).any(|f| sign(f) == '.');
    let nothing = if nothing { ", . nothing to compare" } else { "" };
    text.line(format!("= equal to the formula, > above it, < below it, ! differs for no known reason{nothing}"));
    let mut below = Text::new();
    below.table(table);
    items.iter().for_each(|item| remarks(&mut below, item));
    text.indented(below);
    text
}

/// Every note of an item once, with the places that it is about.
fn remarks(text: &mut Text, findings: &[Finding]) {
    let mut told: Vec<(&str, Vec<String>)> = Vec::new();
    for f in findings {
        let Some(note) = f.note.as_deref() else { continue };
        let row: Vec<String> = f.row.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let place = format!("{} {}", row.join(" "), f.column);
        match told.iter_mut().find(|t| t.0 == note) {
            Some((_, places)) => places.push(place),
            None => told.push((note, vec![place])),
        }
    }
    for (note, places) in told {
        let more = if places.len() > 4 { format!(" and {} more", places.len() - 3) } else { String::new() };
        let shown = if places.len() > 4 { &places[..3] } else { &places[..] };
        text.prose(format!("{}{more}: {note}", shown.join("; ")));
    }
}

fn letter(k: usize) -> String {
    char::from(b'a' + (k % 26) as u8).to_string()
}

/// How computed compares with published; a dot where one of the two is no number.
fn sign(f: &Finding) -> char {
    let formula = match &f.published {
        Some(Published::Number(x)) => Some(*x),
        Some(Published::Text(text)) => text.trim_start_matches(['>', '=', ' ']).parse().ok(),
        None => None,
    };
    match (formula, f.computed) {
        _ if f.verdict == Verdict::Differs => '!',
        (Some(a), Some(b)) if (a - b).abs() <= 1e-6 * a.abs() => '=',
        (Some(a), Some(b)) if b > a => '>',
        (Some(_), Some(_)) => '<',
        _ => '.',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline_report::Screen;

    /// 45 cells in rows of three, of which the first so many are published.
    fn cells(published: u32) -> Vec<Finding> {
        let cell = |i: u32| Finding {
            published: (i < published).then_some(Published::Number(1.0)),
            computed: Some(if i == 0 { 0.5 } else { 1.0 }),
            ..Finding::new("table", &[("row", Key::from(i / 3))], format!("c{}", i % 3))
        };
        (0..45).map(cell).collect()
    }

    #[test]
    fn signs_only_where_nearly_all_is_published() {
        assert!(!is_large(&cells(2)) && is_large(&cells(44)));
        let text = item(&cells(2)).render(Screen::WIDE);
        assert!(text.contains("0.5 [1]"), "{text}");
    }

    #[test]
    fn a_cell_without_a_published_value_is_neither_above_nor_below() {
        let text = overview(&[&cells(44)]).render(Screen::WIDE);
        assert!(text.contains("43 equal, 0 above, 1 below"), "{text}");
        assert!(text.contains("==.") && text.contains(". nothing to compare"), "{text}");
        assert!(!overview(&[&cells(45)]).render(Screen::WIDE).contains("nothing to compare"));
    }
}
