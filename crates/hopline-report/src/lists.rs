//! What there is, and everything about one thing.

use super::columns::{Column, Columns};
use super::text::Text;
use hopline::entry::Entry;

/// One list with a line per entry.
pub fn list(what: &str, entries: &[Entry]) -> Text {
    let mut table = Columns::new([Column::word(what), Column::name("example").dropped(1), Column::prose("")]);
    for e in entries {
        table.row(vec![e.name.to_string(), e.example.to_string(), e.summary.to_string()]);
    }
    let mut text = Text::new();
    text.table(table);
    text
}

/// Everything about one entry.
pub fn explain(what: &str, e: &Entry) -> Text {
    let mut text = Text::new();
    text.line(format!("{what} `{}`: {}", e.name, e.summary));
    text.blank();
    for paragraph in e.doc.lines() {
        if paragraph.is_empty() { text.blank() } else { text.prose(paragraph) }
    }
    text.blank();
    text.line(format!("example: {}", e.example));
    if !e.params.is_empty() {
        let mut params =
            Columns::new([Column::word("key"), Column::word("value"), Column::word("default"), Column::prose("")]);
        for p in e.params {
            let default = if p.default.is_empty() { "must be given" } else { p.default };
            params.row(vec![p.name.to_string(), p.value.to_string(), default.to_string(), p.summary.to_string()]);
        }
        text.blank();
        text.table(params);
    }
    text
}
