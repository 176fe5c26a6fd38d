//! Tables and figures as HTML. Whatever comes from outside is escaped here.

use hopline::format::escape;
use std::fmt::Write as _;

/// Longer words are broken into lines.
const PROSE: usize = 60;

/// A cell: what is read, and what it is sorted by where that is a number.
pub(super) struct Cell {
    text: String,
    value: Option<f64>,
    mark: bool,
}

impl Cell {
    /// Words.
    pub(super) fn word(text: impl Into<String>) -> Cell {
        Cell { text: text.into(), value: None, mark: false }
    }

    /// A number with its unit.
    pub(super) fn number(value: f64, text: impl Into<String>) -> Cell {
        Cell { text: text.into(), value: Some(value), mark: false }
    }

    /// A number where there is one.
    pub(super) fn maybe(value: Option<f64>, show: impl FnOnce(f64) -> String) -> Cell {
        value.map_or_else(|| Cell::word("-"), |v| Cell::number(v, show(v)))
    }

    /// The same, standing out.
    pub(super) fn marked(self, mark: bool) -> Cell {
        Cell { mark, ..self }
    }
}

/// A table that the script sorts, and filters and exports where it is long; readable without.
pub(super) fn table(caption: &str, heads: &[&str], rows: impl IntoIterator<Item = Vec<Cell>>) -> String {
    let mut body = String::new();
    let mut count = 0;
    for row in rows {
        count += 1;
        body.push_str("<tr>");
        for cell in row {
            let mark = match (cell.mark, cell.text.len() > PROSE) {
                (true, _) => " class=\"mark\"",
                (false, true) => " class=\"prose\"",
                (false, false) => "",
            };
            let _ = match cell.value {
                Some(v) => write!(body, "<td data-v=\"{v}\"{mark}>{}</td>", escape(&cell.text)),
                None => write!(body, "<td{mark}>{}</td>", escape(&cell.text)),
            };
        }
        body.push_str("</tr>\n");
    }
    let heads: String = heads.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(h))).collect();
    let long = if count > 12 { " class=\"long\"" } else { "" };
    format!(
        "<div class=\"scroll\" tabindex=\"0\"><table{long}><caption>{}</caption><thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{body}</tbody></table></div>\n",
        escape(caption)
    )
}

/// Names with values, side by side.
pub(super) fn facts(facts: &[(&str, String)]) -> String {
    let one =
        |(name, value): &(&str, String)| format!("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    format!("<dl class=\"facts\">{}</dl>\n", facts.iter().map(one).collect::<String>())
}

pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escape(text))
}

/// A picture with what is said of it.
pub(super) fn figure(picture: &str, caption: &str) -> String {
    if picture.is_empty() {
        return String::new();
    }
    format!("<figure>{picture}<figcaption>{}</figcaption></figure>\n", escape(caption))
}

/// What is looked at only by those who ask.
pub(super) fn details(summary: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>\n{inside}</details>\n", escape(summary))
}
