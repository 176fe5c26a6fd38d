//! One page of the guide per list.

use hopline::entry::Entry;
use std::fmt::Write as _;

/// Markdown of all entries of a list, under a title.
pub fn reference(title: &str, entries: &[Entry]) -> String {
    let mut page =
        format!("# {title}\n\n<!-- Written from the list by the tests: do not edit. -->\n\n| name | |\n|---|---|\n");
    for e in entries {
        let _ = writeln!(page, "| [`{0}`](#{0}) | {1} |", e.name, cell(e.summary));
    }
    for e in entries {
        let _ = write!(page, "\n## {}\n\n{}\n\nExample: `{}`\n", e.name, plain(e.doc).replace('\n', "\n\n"), e.example);
        if !e.params.is_empty() {
            page.push_str("\n| key | value | default | |\n|---|---|---|---|\n");
        }
        for p in e.params {
            let default = if p.default.is_empty() { "must be given" } else { p.default };
            let _ = writeln!(page, "| `{}` | {} | {} | {} |", p.name, cell(p.value), cell(default), cell(p.summary));
        }
    }
    page
}

/// Text that may stand in a table.
fn cell(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

/// Text in which `<i>` is no HTML.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;")
}
