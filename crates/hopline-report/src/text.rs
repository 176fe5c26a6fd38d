//! Text in blocks: lines, running text and tables, set when it is known where they are shown.

use super::columns::Columns;
use super::screen::Screen;
use super::wrap::{broken, wrap};

/// Width of the labels in front of what is told.
const LABEL: usize = 12;
/// Blanks before what belongs to the line above.
const INDENT: usize = 2;

#[derive(Debug, Clone)]
enum Block {
    /// As it is, but broken where it is longer than the screen, so many blanks before the rest.
    Line(String, usize),
    /// Running text behind a label.
    Prose(String, String),
    Table(Columns),
}

/// What a command tells people.
#[derive(Debug, Clone, Default)]
pub struct Text {
    /// Each with the blanks before it.
    blocks: Vec<(usize, Block)>,
}

impl Text {
    /// Nothing yet.
    pub fn new() -> Text {
        Text::default()
    }

    fn push(&mut self, block: Block) {
        self.blocks.push((0, block));
    }

    /// One line.
    pub fn line(&mut self, line: impl Into<String>) {
        self.push(Block::Line(line.into(), INDENT));
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.line("");
    }

    /// A table.
    pub fn table(&mut self, table: Columns) {
        self.push(Block::Table(table));
    }

    /// Running text.
    pub fn prose(&mut self, words: impl Into<String>) {
        self.push(Block::Prose(String::new(), words.into()));
    }

    /// A label, and a line that belongs to it. A label that ends with a blank has its width already.
    pub fn fact(&mut self, label: &str, line: impl AsRef<str>) {
        let label = if label.ends_with(' ') { label.to_string() } else { format!("{label:<LABEL$}") };
        let hang = label.chars().count();
        self.push(Block::Line(label + line.as_ref(), hang));
    }

    /// A label that stands out, and running text that belongs to it.
    pub fn told(&mut self, label: &str, words: impl Into<String>) {
        self.push(Block::Prose(label.to_string(), words.into()));
    }

    /// Notes, one after the other.
    pub fn notes(&mut self, notes: &[String]) {
        notes.iter().for_each(|note| self.line(format!("note: {note}")));
    }

    /// Whether nothing is told.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All of another text.
    pub fn append(&mut self, other: Text) {
        self.blocks.extend(other.blocks);
    }

    /// Several texts, an empty line between them.
    pub fn joined(texts: impl IntoIterator<Item = Text>) -> Text {
        let mut all = Text::new();
        for text in texts {
            if !all.blocks.is_empty() {
                all.blank();
            }
            all.append(text);
        }
        all
    }

    /// All of another text, indented.
    pub fn indented(&mut self, other: Text) {
        self.blocks.extend(other.blocks.into_iter().map(|(blanks, block)| (blanks + INDENT, block)));
    }

    /// The lines, for a screen.
    pub fn render(&self, screen: Screen) -> String {
        let mut text = String::new();
        for (blanks, block) in &self.blocks {
            let inner = Screen { width: screen.width.map(|w| w.saturating_sub(*blanks)), ..screen };
            for line in set(block, inner).lines() {
                let line = format!("{}{line}", " ".repeat(*blanks));
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }
}

fn set(block: &Block, screen: Screen) -> String {
    match block {
        Block::Table(table) => table.render(screen),
        Block::Line(line, _) if line.is_empty() => "\n".to_string(),
        Block::Line(line, hang) => screen.width.map_or(line.clone(), |width| broken(line, width, *hang)),
        Block::Prose(label, words) if label.is_empty() => wrap(words, screen.prose().min(96)),
        Block::Prose(label, words) => {
            let words = wrap(words, screen.prose().saturating_sub(LABEL).max(LABEL));
            let hang = format!("\n{}", " ".repeat(LABEL));
            let pad = " ".repeat(LABEL.saturating_sub(label.chars().count()));
            format!("{}{pad}{}", screen.bold(label), words.replace('\n', &hang))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_of_words_is_longer_than_the_screen() {
        let mut text = Text::new();
        text.told(
            "verdict",
            "Use it: one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
        );
        text.fact("traffic", "4096 in all, 50.0 % within hosts; 4224 x hops, 1.03 hops on average, and so on and on");
        text.notes(&["one note that is long enough to be broken into several lines on any screen".into()]);
        let mut all = Text::new();
        all.indented(text);
        for width in 40..120 {
            let text = all.render(Screen { width: Some(width), colour: false });
            assert!(text.lines().all(|l| l.chars().count() <= width), "{width}:\n{text}");
            assert!(text.lines().all(|l| l.starts_with("  ")), "{text}");
        }
    }
}
