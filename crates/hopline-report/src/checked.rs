//! Whether a schedule is right, and what it takes on a fabric.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::count;
use hopline::unit::{bytes, seconds, times};
use hopline_bounds::{CheckedOutcome, OnFabric};

/// `hopline collective check FILE`.
pub fn checked(o: &CheckedOutcome) -> Text {
    let mut text = Text::new();
    let s = &o.schedule;
    let name = if s.name.is_empty() { &s.file } else { &s.name };
    // A file that could not be read has nothing to tell of itself.
    if s.collective.is_empty() {
        text.line(format!("{name}: cannot be read"));
    } else {
        text.line(format!("{name}: {} of {}, {}", s.collective, count(u64::from(s.gpus), "GPU"), s.protocol));
    }
    if s.blocks > 0 {
        text.fact(
            "size  ",
            format!(
                "{}, up to {} a GPU and {} a block, {}",
                count(s.chunks.into(), "chunk"),
                count(s.blocks.into(), "block"),
                count(s.steps.into(), "step"),
                count(s.messages, "message")
            ),
        );
    }
    text.blank();
    text.prose(format!("{}.", s.verdict.sentence));
    if s.findings.len() > 1 {
        text.blank();
        let mut table = Columns::new([
            Column::word("fault"),
            Column::number("line").dropped(1),
            Column::name("where"),
            Column::name("what"),
        ]);
        for found in &s.findings {
            let line = if found.line > 0 { found.line.to_string() } else { String::new() };
            let fault = format!("{:?}", found.fault).to_lowercase();
            table.row(vec![fault, line, found.place.clone(), found.text.clone()]);
        }
        text.table(table);
    }
    if let Some(on) = &o.on_fabric {
        text.blank();
        text.table(sizes(on));
        text.notes(&on.notes);
    }
    text.notes(&s.notes);
    text
}

fn sizes(on: &OnFabric) -> Columns {
    let mut table = Columns::new([
        Column::number("size"),
        Column::number("at least"),
        Column::number("this takes"),
        Column::number("of the bound"),
        Column::word("best usual").dropped(1),
        Column::number("takes").dropped(2),
    ]);
    for size in &on.sizes {
        table.row(vec![
            bytes(size.bytes as f64),
            seconds(size.bound_s),
            seconds(size.time_s),
            times(size.of_bound),
            size.usual.clone().unwrap_or_default(),
            size.usual_s.map_or(String::new(), seconds),
        ]);
    }
    table
}
