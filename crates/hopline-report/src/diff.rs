//! What changed between two looks at a machine.

use super::columns::{Column, Columns};
use super::text::Text;
use hopline::loads::Summary;
use hopline::run::{Change, ChangeKind, DiffOutcome};
use hopline::unit::{percent, short};

/// `hopline fabric diff`, with so many changes.
pub fn diff(o: &DiffOutcome, list: usize) -> Text {
    let mut text = Text::new();
    text.line(format!("{} -> {}", o.before, o.after));
    if let Some(traffic) = &o.traffic {
        let loads = [("before", &o.load_before), ("now", &o.load_after)];
        let told: Vec<String> =
            loads.iter().filter_map(|(when, load)| Some(format!("{when} {}", throughput(load.as_ref()?)?))).collect();
        if !told.is_empty() {
            text.line(format!("{traffic}: {}", told.join(", ")));
        }
    }
    if !o.changes.is_empty() {
        text.blank();
        text.table(changes(&o.changes[..o.changes.len().min(list)]));
        if o.changes.len() > list {
            text.line(format!("and {} more; --list {} shows them", o.changes.len() - list, o.changes.len()));
        }
    }
    if let Some(routes) = o.routes.as_ref().filter(|routes| routes.changed > 0) {
        text.blank();
        let some: Vec<String> = routes.examples.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
        let sampled = if routes.sampled { " that were looked at" } else { "" };
        text.line(format!("{} of {} routes{sampled} are others now, such as", routes.changed, routes.pairs));
        some.into_iter().for_each(|way| text.line(format!("  {way}")));
    }
    text.blank();
    text.prose(format!("{}.", o.verdict.sentence));
    if o.changes.iter().any(|change| change.left.is_some()) {
        text.prose(
            "left: of the job's throughput over all links, by that change alone; a cable that has moved counts as missing \
             where it was",
        );
    }
    text.notes(&o.notes);
    text
}

fn throughput(summary: &Summary) -> Option<String> {
    let gb_s = short(summary.throughput_gb_s?);
    Some(match &summary.bottleneck {
        Some(class) => format!("{gb_s} GB/s per host, limited by {class} links"),
        None => format!("{gb_s} GB/s per host"),
    })
}

fn changes(all: &[Change]) -> Columns {
    let mut table = Columns::new([
        Column::word("change"),
        Column::name("before"),
        Column::name("now"),
        Column::number("left"),
        Column::name("mend").dropped(1),
    ]);
    for change in all {
        let is_speed = matches!(
            change.kind,
            ChangeKind::Slower
                | ChangeKind::Faster
                | ChangeKind::LatencyHigher
                | ChangeKind::LatencyLower
                | ChangeKind::SlotsChanged
                | ChangeKind::AdapterMoved
        );
        let before =
            change.before.as_ref().map(|was| if is_speed { format!("{}: {was}", change.name) } else { was.clone() });
        let left = change.left.map_or("-".to_string(), percent);
        let or_none = |words: Option<String>| words.unwrap_or_else(|| "-".to_string());
        table.row(vec![
            word(change.kind).to_string(),
            or_none(before),
            or_none(change.after.clone()),
            left,
            or_none(change.mend.clone()),
        ]);
        if let Some(left) = change.left {
            table.heat("left", 1.0 - left);
        }
    }
    table
}

fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::HostGone => "host gone",
        ChangeKind::SwitchGone => "switch gone",
        ChangeKind::AdapterGone => "adapter gone",
        ChangeKind::CableMoved => "cable moved",
        ChangeKind::CableGone => "cable gone",
        ChangeKind::Slower => "slower",
        ChangeKind::Faster => "faster",
        ChangeKind::LatencyHigher => "higher latency",
        ChangeKind::LatencyLower => "lower latency",
        ChangeKind::SlotsChanged => "other slots",
        ChangeKind::CableNew => "new cable",
        ChangeKind::HostNew => "new host",
        ChangeKind::SwitchNew => "new switch",
        ChangeKind::AdapterNew => "new adapter",
        ChangeKind::AdapterMoved => "adapter moved",
        ChangeKind::Renamed => "renamed",
    }
}
