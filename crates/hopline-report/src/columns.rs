//! Aligned columns, which make room for each other where a screen is narrow.

use super::names::{least_width, shortened, shortened_list};
use super::screen::Screen;
use super::wrap::wrap;
use std::collections::BTreeMap;

/// Blanks between columns.
const GAP: usize = 2;
/// The least width of running text in a cell while other columns can be left out.
const PROSE: usize = 36;
/// The least width of what gives way, where nothing can be left out any more.
const NARROW: usize = 8;

/// What the cells of a column are, which decides what happens where they do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellKind {
    /// Never shortened.
    Word,
    /// The same, to the right.
    Number,
    /// Shortened as long as they stay different.
    Name,
    /// Items with commas between them: those that do not fit are left out.
    List,
    /// Wrapped; only the last column is wrapped.
    Prose,
}

/// The head of a column, and what its cells are.
#[derive(Debug, Clone)]
pub struct Column {
    head: String,
    kind: CellKind,
    dropped: Option<usize>,
}

impl Column {
    fn new(head: impl Into<String>, kind: CellKind) -> Column {
        Column { head: head.into(), kind, dropped: None }
    }

    /// Words that are shown whole.
    pub fn word(head: impl Into<String>) -> Column {
        Column::new(head, CellKind::Word)
    }

    /// Numbers, aligned to the right.
    pub fn number(head: impl Into<String>) -> Column {
        Column::new(head, CellKind::Number)
    }

    /// Names of links, hosts, mappings: shortened to what distinguishes them.
    pub fn name(head: impl Into<String>) -> Column {
        Column::new(head, CellKind::Name)
    }

    /// Items with commas between them, the most important first.
    pub fn list(head: impl Into<String>) -> Column {
        Column::new(head, CellKind::List)
    }

    /// Running text, in the last column.
    pub fn prose(head: impl Into<String>) -> Column {
        Column::new(head, CellKind::Prose)
    }

    /// Left out where the screen is too narrow, the lowest number first. Columns without a number stay.
    pub fn dropped(self, order: usize) -> Column {
        Column { dropped: Some(order), ..self }
    }
}

/// A table of text.
#[derive(Debug, Clone)]
pub struct Columns {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
    /// The share of the worst, by row and column.
    heat: BTreeMap<(usize, usize), f64>,
}

/// A column as it is shown.
struct Shown {
    index: usize,
    width: usize,
    least: usize,
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn total(shown: &[Shown], width: impl Fn(&Shown) -> usize) -> usize {
    shown.iter().map(width).sum::<usize>() + GAP * shown.len().saturating_sub(1)
}

impl Columns {
    /// A table with these columns.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Columns { columns: columns.into_iter().collect(), rows: Vec::new(), heat: BTreeMap::new() }
    }

    /// Adds a row; it may be shorter than the head.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// Colours a cell of the last row by its share of the worst, 1 the hottest.
    pub fn heat(&mut self, column: &str, share: f64) {
        let column = self.columns.iter().position(|c| c.head == column);
        let row = self.rows.len().checked_sub(1);
        self.heat.extend(row.zip(column).map(|place| (place, share)));
    }

    fn cells(&self, column: usize) -> Vec<&str> {
        self.rows.iter().map(|row| row.get(column).map_or("", String::as_str)).collect()
    }

    /// The width that a column would like.
    fn width(&self, index: usize) -> usize {
        let cells = self.cells(index).into_iter().map(length).max().unwrap_or(0);
        cells.max(length(&self.columns[index].head))
    }

    /// The least that it can do with while other columns can be left out.
    fn least(&self, index: usize, width: usize) -> usize {
        let (column, cells) = (&self.columns[index], self.cells(index));
        let least = match column.kind {
            CellKind::Word | CellKind::Number => width,
            CellKind::Name => least_width(&cells),
            CellKind::List => cells.iter().map(|cell| first_item(cell)).max().unwrap_or(0),
            CellKind::Prose => PROSE.min(width),
        };
        least.max(length(&column.head))
    }

    /// The columns that fit a line, the widest of the flexible ones narrower first, then without those that may be left out.
    fn fit(&self, most: Option<usize>) -> Vec<Shown> {
        let whole = |index: usize| Shown { index, width: self.width(index), least: 0 };
        let mut shown: Vec<Shown> = (0..self.columns.len()).map(whole).collect();
        let Some(most) = most.filter(|&most| total(&shown, |s| s.width) > most) else { return shown };
        shown.iter_mut().for_each(|s| s.least = self.least(s.index, s.width));
        while total(&shown, |s| s.least) > most {
            let order = |s: &Shown| self.columns[s.index].dropped;
            let Some(next) = shown.iter().filter_map(order).min() else { break };
            shown.retain(|s| order(s) != Some(next));
        }
        // What cannot be told apart any more is still better than a line that breaks.
        if total(&shown, |s| s.least) > most {
            let soft = |s: &&mut Shown| !matches!(self.columns[s.index].kind, CellKind::Word | CellKind::Number);
            shown
                .iter_mut()
                .filter(soft)
                .for_each(|s| s.least = s.least.min(NARROW.max(length(&self.columns[s.index].head))));
        }
        while total(&shown, |s| s.width) > most {
            let Some(widest) = shown.iter_mut().filter(|s| s.width > s.least).max_by_key(|s| s.width) else { break };
            widest.width -= 1;
        }
        shown
    }

    /// The cells of a column in the width that it has, a line or several each.
    fn set(&self, shown: &Shown) -> Vec<Vec<String>> {
        let cells = self.cells(shown.index);
        let one = |cells: Vec<String>| cells.into_iter().map(|cell| vec![cell]).collect();
        match self.columns[shown.index].kind {
            CellKind::Word | CellKind::Number => one(cells.iter().map(|c| c.to_string()).collect()),
            CellKind::Name => one(shortened(&cells, shown.width)),
            CellKind::List => one(cells.iter().map(|c| shortened_list(c, shown.width)).collect()),
            CellKind::Prose => cells.iter().map(|c| wrap(c, shown.width).lines().map(String::from).collect()).collect(),
        }
    }

    /// The lines, two blanks between columns, nothing at their ends; then which columns were left out.
    pub fn render(&self, screen: Screen) -> String {
        let shown = self.fit(screen.width);
        let set: Vec<Vec<Vec<String>>> = shown.iter().map(|s| self.set(s)).collect();
        let widths: Vec<usize> = shown
            .iter()
            .zip(&set)
            .map(|(s, cells)| {
                cells.iter().flatten().map(|c| length(c)).max().unwrap_or(0).max(length(&self.columns[s.index].head))
            })
            .collect();
        let mut text = String::new();
        let heads: Vec<(&str, Option<f64>)> =
            shown.iter().map(|s| (self.columns[s.index].head.as_str(), None)).collect();
        self.line(&mut text, &shown, &widths, &heads, screen);
        for row in 0..self.rows.len() {
            let lines = set.iter().map(|cells| cells[row].len()).max().unwrap_or(0).max(1);
            for line in 0..lines {
                let cells: Vec<(&str, Option<f64>)> = shown
                    .iter()
                    .zip(&set)
                    .map(|(s, cells)| {
                        let heat = self.heat.get(&(row, s.index)).copied();
                        (cells[row].get(line).map_or("", String::as_str), heat)
                    })
                    .collect();
                self.line(&mut text, &shown, &widths, &cells, screen);
            }
        }
        let dropped: Vec<&str> = (0..self.columns.len())
            .filter(|c| !shown.iter().any(|s| s.index == *c))
            .map(|c| self.columns[c].head.as_str())
            .filter(|head| !head.is_empty())
            .collect();
        if !dropped.is_empty() {
            text += &wrap(&format!("(left out: {}; --wide shows them)", dropped.join(", ")), screen.prose());
            text.push('\n');
        }
        text
    }

    fn line(
        &self,
        text: &mut String,
        shown: &[Shown],
        widths: &[usize],
        cells: &[(&str, Option<f64>)],
        screen: Screen,
    ) {
        let mut blanks = 0;
        for ((s, width), (cell, heat)) in shown.iter().zip(widths).zip(cells) {
            let pad = width - length(cell);
            let before = if self.columns[s.index].kind == CellKind::Number { pad } else { 0 };
            if !cell.is_empty() {
                text.push_str(&" ".repeat(blanks + before));
                text.push_str(&heat.map_or(cell.to_string(), |share| screen.heat(cell, share)));
                blanks = pad - before + GAP;
            } else {
                blanks += width + GAP;
            }
        }
        text.push('\n');
    }
}

/// The first item of a list, with a sign that there were more.
fn first_item(list: &str) -> usize {
    list.split_once(", ").map_or(length(list), |(first, _)| length(first) + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Columns {
        let mut table = Columns::new([
            Column::name("link"),
            Column::number("load").dropped(2),
            Column::word("class").dropped(1),
            Column::list("pairs of tasks"),
        ]);
        let pairs = "1->2 640 kB, 3->4 620 kB, 5->6 600 kB";
        table.row(["leaf07/U1[36] -> spine02/U1[7]", "5.47 MB", "4xQDR", pairs].map(String::from).to_vec());
        table.row(["leaf07/U1[35] -> spine01/U1[7]", "5 MB", "4xQDR", pairs].map(String::from).to_vec());
        table
    }

    fn at(width: usize) -> String {
        table().render(Screen { width: Some(width), colour: false })
    }

    #[test]
    fn what_fits_is_whole() {
        assert_eq!(table().render(Screen::WIDE), at(200));
        assert!(at(200).contains("5->6 600 kB") && !at(200).contains("left out"), "{}", at(200));
    }

    #[test]
    fn lists_and_names_give_way_before_columns_do() {
        let (eighty, forty) = (at(80), at(44));
        assert!(eighty.contains("leaf07/U1[36] -> spine02/U1[7]") && eighty.contains("3->4 620 kB, …"), "{eighty}");
        assert!(!forty.contains("4xQDR") && forty.contains("(left out: load, class; --wide shows them)"), "{forty}");
    }

    #[test]
    fn no_line_is_longer_than_the_screen() {
        for width in 40..200 {
            let text = at(width);
            let longest = text.lines().map(length).max().unwrap_or(0);
            assert!(longest <= width, "{longest} at {width}:\n{text}");
            assert!(text.lines().all(|l| l == l.trim_end()), "{text}");
        }
    }

    #[test]
    fn running_text_is_wrapped_in_its_column() {
        let mut table = Columns::new([Column::word("name"), Column::prose("")]);
        table.row(vec!["percs".into(), "two levels of supernodes with links of three kinds between them".into()]);
        let text = table.render(Screen { width: Some(36), colour: false });
        assert_eq!(
            text,
            "name\npercs  two levels of supernodes with\n       links of three kinds between\n       them\n"
        );
    }

    #[test]
    fn heat_colours_a_cell_and_nothing_else() {
        let mut table = Columns::new([Column::word("link"), Column::number("busy")]);
        for (name, share) in [("a", 1.0), ("b", 0.6), ("c", 0.1)] {
            table.row(vec![name.into(), format!("{:.0} %", 100.0 * share)]);
            table.heat("busy", share);
        }
        let text = table.render(Screen { width: Some(80), colour: true });
        assert_eq!(
            text,
            "link   busy\na     \x1b[31m100 %\x1b[0m\nb      \x1b[33m60 %\x1b[0m\nc      \x1b[32m10 %\x1b[0m\n"
        );
        assert_eq!(table.render(Screen::WIDE), "link   busy\na     100 %\nb      60 %\nc      10 %\n");
    }
}
