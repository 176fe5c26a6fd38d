//! Completion times, the critical path and busy links of a replay.

use super::columns::{Column, Columns};
use super::shades::{ShadedRow, shades};
use super::terms::see;
use super::text::Text;
use super::words::{head, percent};
use hopline::run::{CriticalStep, ReplayOutcome};
use hopline::unit::{bytes, seconds};

/// `hopline replay`.
pub fn replay(o: &ReplayOutcome) -> Text {
    let mut text = Text::new();
    text.line(head(&o.setting));
    let model = if o.model.is_empty() { "default" } else { &o.model };
    text.line(format!("mapping {}, model {model}", o.mapping));
    text.blank();
    text.line(format!("done after {}, ranks on average after {}", seconds(o.makespan_s), seconds(o.mean_finish_s)));
    text.line(format!(
        "{} messages of {} in all, {} of them within hosts; {} packet-hops",
        o.messages,
        bytes(o.bytes as f64),
        o.copies,
        o.packet_hops
    ));
    text.blank();
    let mut table = Columns::new([
        Column::word("class"),
        Column::number("links").dropped(2),
        Column::number("used").dropped(1),
        Column::number("mean busy"),
        Column::number("busiest"),
        Column::name("busiest link"),
    ]);
    for c in &o.classes {
        table.row(vec![
            c.name.clone(),
            c.links.to_string(),
            c.used.to_string(),
            percent(c.mean_utilization),
            percent(c.max_utilization),
            c.busiest.clone().unwrap_or_default(),
        ]);
        table.heat("busiest", c.max_utilization);
    }
    text.table(table);
    if !o.critical.is_empty() {
        text.blank();
        text.line("critical path, the end first:");
        text.table(critical(&o.critical));
    }
    if !o.critical_links.is_empty() {
        text.blank();
        text.line("links under its messages:");
        let mut table = Columns::new([Column::name("link"), Column::word("class").dropped(1), Column::number("bytes")]);
        o.critical_links.iter().for_each(|l| table.row(vec![l.link.clone(), l.class.clone(), bytes(l.bytes)]));
        text.table(table);
    }
    if let Some(bin) = o.bin_s {
        text.blank();
        text.line(format!("busy in bins of {}, from . (0 %) to # (100 %):", seconds(bin)));
        let rows = o.timeline.iter();
        shades(&mut text, rows.map(|row| ShadedRow { name: &row.name, values: &row.utilization, most: 1.0 }));
    }
    see(&mut text, &["busy"]);
    text.notes(&o.setting.notes);
    text
}

fn critical(steps: &[CriticalStep]) -> Columns {
    let mut table = Columns::new([
        Column::number("done"),
        Column::number("took"),
        Column::number("rank"),
        Column::word("what"),
        Column::number("with"),
        Column::number("bytes"),
        Column::word(""),
    ]);
    for s in steps {
        table.row(vec![
            seconds(s.done_s),
            seconds(s.took_s),
            s.rank.to_string(),
            s.what.clone(),
            s.peer.map_or(String::new(), |p| p.to_string()),
            s.bytes.map_or(String::new(), |b| bytes(b as f64)),
            if s.waited { "waited for the message" } else { "" }.to_string(),
        ]);
    }
    table
}
