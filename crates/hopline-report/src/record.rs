//! A recording in a few lines.

use super::text::Text;
use hopline::run::RecordOutcome;
use hopline::unit::{bytes, seconds};

/// `hopline record`.
pub fn record(o: &RecordOutcome) -> Text {
    let mut text = Text::new();
    let hosts = if o.hosts == 1 { "1 host".to_string() } else { format!("{} hosts", o.hosts) };
    text.line(format!("{}: {} ranks on {hosts}, {}", o.program, o.ranks, o.library));
    let mut fact = |label: &str, words: String| text.fact(&format!("{label:<13}"), words);
    let clock = if o.is_cpu_time { " of the processor" } else { "" };
    fact("calls", format!("{}, {}{clock} in MPI per rank", o.calls, seconds(o.seconds)));
    let all = u64::from(o.ranks) * u64::from(o.ranks.saturating_sub(1));
    fact("messages", format!("{} ({}) between {} of {all} pairs", o.messages, bytes(o.bytes as f64), o.pairs));
    if o.all_to_all_bytes > 0 {
        fact("all-to-all", bytes(o.all_to_all_bytes as f64));
    }
    if o.one_sided_bytes > 0 {
        fact("one-sided", bytes(o.one_sided_bytes as f64));
    }
    if !o.collectives.is_empty() {
        let calls: Vec<String> = o.collectives.iter().map(|(op, calls)| format!("{op} {calls}")).collect();
        fact("collectives", calls.join(", "));
    }
    text.notes(&o.notes);
    for (number, world) in o.spawned.iter().enumerate() {
        text.blank();
        text.line(format!("world {} ({})", number + 1, world.path));
        text.append(record(world));
    }
    text
}
