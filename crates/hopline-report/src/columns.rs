//! Aligned columns.

/// A table of text whose first row is the head. Columns that `right` names by
/// index are aligned to the right.
#[derive(Debug, Clone)]
pub struct Columns {
    rows: Vec<Vec<String>>,
    right: Vec<usize>,
}

impl Columns {
    /// A table with these heads.
    pub fn new(head: &[&str], right: &[usize]) -> Self {
        Columns { rows: vec![head.iter().map(|h| h.to_string()).collect()], right: right.to_vec() }
    }

    /// Adds a row; it may be shorter than the head.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The lines, two blanks between columns, nothing at their ends.
    pub fn render(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width: Vec<usize> = (0..columns)
            .map(|c| self.rows.iter().filter_map(|r| r.get(c)).map(|t| t.chars().count()).max().unwrap_or(0))
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (c, cell) in row.iter().enumerate() {
                let pad = " ".repeat(width[c] - cell.chars().count());
                let (before, after) = if self.right.contains(&c) { (pad, String::new()) } else { (String::new(), pad) };
                line.push_str(&before);
                line.push_str(cell);
                line.push_str(&after);
                line.push_str("  ");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}
