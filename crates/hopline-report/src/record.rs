//! A recording in a few lines.

use super::text::notes;
use hopline::run::RecordOutcome;
use hopline::unit::{bytes, seconds};
use std::fmt::Write as _;

/// `hopline record`.
pub fn record(o: &RecordOutcome) -> String {
    let mut text = format!("{}: {} ranks on {} hosts, {}\n", o.program, o.ranks, o.hosts, o.library);
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "calls        {}, {}{} in MPI per rank",
        o.calls,
        seconds(o.seconds),
        if o.is_cpu_time { " of the processor" } else { "" }
    );
    let all = u64::from(o.ranks) * u64::from(o.ranks.saturating_sub(1));
    let _ =
        writeln!(text, "messages     {} ({}) between {} of {all} pairs", o.messages, bytes(o.bytes as f64), o.pairs);
    if o.all_to_all_bytes > 0 {
        let _ = writeln!(text, "all-to-all   {}", bytes(o.all_to_all_bytes as f64));
    }
    if o.one_sided_bytes > 0 {
        let _ = writeln!(text, "one-sided    {}", bytes(o.one_sided_bytes as f64));
    }
    if !o.collectives.is_empty() {
        let calls: Vec<String> = o.collectives.iter().map(|(op, calls)| format!("{op} {calls}")).collect();
        let _ = writeln!(text, "collectives  {}", calls.join(", "));
    }
    notes(&mut text, &o.notes);
    for (number, world) in o.spawned.iter().enumerate() {
        let _ = write!(text, "\nworld {} ({})\n{}", number + 1, world.path, record(world));
    }
    text
}
