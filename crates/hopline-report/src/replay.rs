//! Completion times, the critical path and busy links of a replay.

use super::columns::Columns;
use super::shades::shades;
use super::text::{head, notes, percent};
use hopline::run::{CriticalStep, ReplayOutcome};
use hopline::unit::{bytes, seconds};
use std::fmt::Write as _;

/// `hopline replay`.
pub fn replay(o: &ReplayOutcome) -> String {
    let mut text = head(&o.setting);
    let model = if o.model.is_empty() { "default" } else { &o.model };
    let _ = writeln!(text, "mapping {}, model {model}\n", o.mapping);
    let _ = writeln!(text, "done after {}, ranks on average after {}", seconds(o.makespan_s), seconds(o.mean_finish_s));
    let _ = writeln!(
        text,
        "{} messages of {} in all, {} of them within hosts; {} packet-hops\n",
        o.messages,
        bytes(o.bytes as f64),
        o.copies,
        o.packet_hops
    );
    let mut table = Columns::new(&["class", "links", "used", "mean busy", "busiest", ""], &[1, 2, 3, 4]);
    for c in &o.classes {
        table.row(vec![
            c.name.clone(),
            c.links.to_string(),
            c.used.to_string(),
            percent(c.mean_utilization),
            percent(c.max_utilization),
            c.busiest.clone().unwrap_or_default(),
        ]);
    }
    text.push_str(&table.render());
    if !o.critical.is_empty() {
        text.push_str("\ncritical path, the end first:\n");
        text.push_str(&critical(&o.critical));
    }
    if !o.critical_links.is_empty() {
        text.push_str("\nlinks under its messages:\n");
        let mut table = Columns::new(&["link", "class", "bytes"], &[2]);
        o.critical_links.iter().for_each(|l| table.row(vec![l.link.clone(), l.class.clone(), bytes(l.bytes)]));
        text.push_str(&table.render());
    }
    if let Some(bin) = o.bin_s {
        let _ = writeln!(text, "\nutilisation in bins of {}, from . (0 %) to # (100 %):", seconds(bin));
        text.push_str(&shades(o.timeline.iter().map(|row| (row.name.as_str(), &row.utilization[..], 1.0))));
    }
    notes(&mut text, &o.setting.notes);
    text
}

fn critical(steps: &[CriticalStep]) -> String {
    let mut table = Columns::new(&["done", "took", "rank", "what", "with", "bytes", ""], &[0, 1, 2, 4, 5]);
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
    table.render()
}
