//! A study as text: matrices like the paper's tables, published values beside
//! what differs, and the reasons below.

use crate::{Finding, Key, Published, Reproduction, Verdict};
use hopline::unit::short;
use hopline_report::{Columns, notes, wrap};
use std::fmt::Write as _;

/// Items with more findings than this, nearly all of them published, are shown by one sign for each.
const LARGE: usize = 40;
/// Columns of running text.
const WIDTH: usize = 96;

/// `hopline reproduce`.
pub fn reproduction(r: &Reproduction) -> String {
    let mut text = format!("{}: {}\n", r.study, r.paper);
    let _ = writeln!(text, "{}\n", counts(r));
    let items: Vec<&[Finding]> = r.entries.chunk_by(|a, b| a.item == b.item).collect();
    for group in items.chunk_by(|a, b| is_large(a) && is_large(b)) {
        match group {
            [one] if !is_large(one) => text.push_str(&item(one)),
            many => text.push_str(&overview(many)),
        }
        text.push('\n');
    }
    notes(&mut text, &r.notes);
    text
}

/// How many numbers are as published, and what the others are.
pub(super) fn counts(r: &Reproduction) -> String {
    format!(
        "{} as published; {} not as published, with the reason; {} not, without one; {} that the paper does not have",
        r.matching, r.noted, r.differing, r.beyond
    )
}

pub(super) fn is_large(item: &[Finding]) -> bool {
    // Signs compare; where most numbers are ours alone, the numbers themselves say more.
    let published = item.iter().filter(|f| f.published.is_some()).count();
    item.len() > LARGE && 10 * published >= 9 * item.len()
}

/// One item: a matrix where it has rows, else a line for each statement.
fn item(findings: &[Finding]) -> String {
    let mut text = format!("{}\n", findings[0].item);
    if findings.iter().all(|f| f.row.is_empty()) {
        for f in findings {
            let published = f.published.as_ref().map_or("-".into(), Published::show);
            let computed = f.computed.map_or("-".into(), short);
            let line = format!("{}: published {published}, computed {computed}: {}", f.column, word(f));
            text.push_str(&indent(&wrap(&line, WIDTH)));
            f.note.iter().for_each(|note| text.push_str(&indent(&indent(&wrap(note, WIDTH)))));
        }
    } else {
        let matrix = Matrix::new(findings);
        let head: Vec<&str> = matrix.keys.iter().copied().chain(matrix.columns.iter().copied()).collect();
        let mut table = Columns::new(&head, &(0..head.len()).collect::<Vec<_>>());
        for row in &matrix.rows {
            let cells = matrix.columns.iter().map(|c| matrix.find(row, c).map_or("-".into(), cell));
            table.row(row.iter().map(|k| k.to_string()).chain(cells).collect());
        }
        text.push_str(&indent(&table.render()));
        remarks(&mut text, findings);
    }
    text
}

/// Rows and columns of an item, in order of appearance.
pub(super) struct Matrix<'a> {
    findings: &'a [Finding],
    /// Names of the coordinates of a row.
    pub(super) keys: Vec<&'static str>,
    pub(super) rows: Vec<Vec<Key>>,
    pub(super) columns: Vec<&'a str>,
}

impl<'a> Matrix<'a> {
    pub(super) fn new(findings: &'a [Finding]) -> Matrix<'a> {
        let (mut rows, mut columns): (Vec<Vec<Key>>, Vec<&str>) = (Vec::new(), Vec::new());
        for f in findings {
            let row: Vec<Key> = f.row.iter().map(|r| r.1.clone()).collect();
            if !rows.contains(&row) {
                rows.push(row);
            }
            if !columns.contains(&f.column.as_str()) {
                columns.push(&f.column);
            }
        }
        let keys = findings[0].row.iter().map(|r| r.0).collect();
        Matrix { findings, keys, rows, columns }
    }

    pub(super) fn find(&self, row: &[Key], column: &str) -> Option<&'a Finding> {
        self.findings.iter().find(|f| f.column == column && f.row.iter().map(|r| &r.1).eq(row))
    }
}

/// "64 LR", or "20 D [10 D]" where the paper prints something else; random
/// cells with their standard deviation and the published value, simulated ones with half their interval.
pub(super) fn cell(f: &Finding) -> String {
    let number = |x: f64| if x >= 100.0 { format!("{x:.0}") } else { short((x * 10.0).round() / 10.0 + 0.0) };
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

fn word(f: &Finding) -> &'static str {
    match f.verdict {
        Verdict::Match => "match",
        Verdict::Ours => "ours",
        Verdict::Noted => "not as published",
        Verdict::Differs => "not as published, for no known reason",
    }
}

/// One sign for each finding: several large items side by side.
fn overview(items: &[&[Finding]]) -> String {
    let mut text = String::new();
    let matrices: Vec<Matrix<'_>> = items.iter().map(|i| Matrix::new(i)).collect();
    for (k, (item, matrix)) in items.iter().zip(&matrices).enumerate() {
        let count = |s: char| item.iter().filter(|f| sign(f) == s).count();
        let differ = item.iter().filter(|f| f.verdict == Verdict::Differs).count();
        let columns = (matrix.columns.first().unwrap_or(&""), matrix.columns.last().unwrap_or(&""));
        let _ = writeln!(
            text,
            "{}  {} (signs: {} to {})\n   {} equal, {} above, {} below; {differ} differ for no known reason",
            letter(k),
            item[0].item,
            columns.0,
            columns.1,
            count('='),
            count('>'),
            count('<')
        );
    }
    // In the order of the item that has most of them.
    let mut by_rows: Vec<&Matrix<'_>> = matrices.iter().collect();
    by_rows.sort_by_key(|m| std::cmp::Reverse(m.rows.len()));
    let mut rows: Vec<&Vec<Key>> = Vec::new();
    by_rows.iter().flat_map(|m| &m.rows).for_each(|r| {
        if !rows.contains(&r) {
            rows.push(r);
        }
    });
    let letters: Vec<String> = (0..items.len()).map(letter).collect();
    let keys = matrices[0].keys.iter().copied();
    let head: Vec<&str> = keys.chain(letters.iter().map(String::as_str)).collect();
    let mut table = Columns::new(&head, &(0..matrices[0].keys.len()).collect::<Vec<_>>());
    for row in rows {
        let signs = |m: &Matrix<'_>| m.columns.iter().map(|c| m.find(row, c).map_or(' ', sign)).collect::<String>();
        table.row(row.iter().map(|k| k.to_string()).chain(matrices.iter().map(signs)).collect());
    }
    text.push_str("= equal to the formula, > above it, < below it, ! differs for no known reason");
    let nothing = items.iter().flat_map(|item| item.iter()).any(|f| sign(f) == '.');
    text.push_str(if nothing { ", . nothing to compare\n" } else { "\n" });
    text.push_str(&indent(&table.render()));
    items.iter().for_each(|item| remarks(&mut text, item));
    text
}

/// Every note of an item once, with the places that it is about.
fn remarks(text: &mut String, findings: &[Finding]) {
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
        text.push_str(&indent(&wrap(&format!("{}{more}: {note}", shown.join("; ")), WIDTH)));
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

fn indent(text: &str) -> String {
    text.lines().map(|l| format!("  {l}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(item(&cells(2)).contains("0.5 [1]"), "{}", item(&cells(2)));
    }

    #[test]
    fn a_cell_without_a_published_value_is_neither_above_nor_below() {
        let text = overview(&[&cells(44)]);
        assert!(text.contains("43 equal, 0 above, 1 below"), "{text}");
        assert!(text.contains("==.") && text.contains(". nothing to compare"), "{text}");
        assert!(!overview(&[&cells(45)]).contains("nothing to compare"));
    }
}
