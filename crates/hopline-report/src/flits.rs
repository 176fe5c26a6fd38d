//! Latency and throughput against offered load.

use super::columns::Columns;
use super::text::{head, notes};
use hopline::run::{FlitsOutcome, FlitsPoint};
use hopline::unit::short;
use std::fmt::Write as _;

/// `hopline flits`.
pub fn flits(o: &FlitsOutcome) -> String {
    let mut text = head(&o.setting);
    let _ = writeln!(
        text,
        "mapping {}, {} virtual channels, {} injection, router {}\n",
        o.mapping,
        o.virtual_channels,
        o.inject,
        if o.router.is_empty() { "default" } else { &o.router }
    );
    let sure = format!("+- ({} %)", short(100.0 * o.confidence));
    let mut table = Columns::new(
        &["load", "accepted", &sure, "latency", &sure, "median", "99 %", "cycles", "link hops", "busiest links", ""],
        &[0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
    o.points.iter().for_each(|p| table.row(row(p)));
    text.push_str(&table.render());
    for p in o.points.iter().filter(|p| p.lost > 0) {
        let _ = writeln!(text, "lost at load {}: {} packets that found their queue full", number(p.load, 4), p.lost);
    }
    for (p, cycle) in o.points.iter().filter_map(|p| Some((p, p.deadlock.as_ref()?))) {
        let _ = writeln!(text, "deadlock at load {}: these wait for each other:", number(p.load, 4));
        cycle.iter().for_each(|channel| text.push_str(&format!("  {channel}\n")));
    }
    text.push_str("loads in flits per cycle and endpoint, latencies in cycles\n");
    notes(&mut text, &o.setting.notes);
    text
}

fn number(value: Option<f64>, places: usize) -> String {
    value.map_or("-".into(), |v| format!("{v:.places$}"))
}

fn row(p: &FlitsPoint) -> Vec<String> {
    let whole = |n: Option<u32>| n.map_or("-".into(), |n| n.to_string());
    let busy: Vec<String> = p.classes.iter().map(|c| format!("{} {:.3}", c.name, c.max_load)).collect();
    let state = match (&p.deadlock, p.saturated) {
        (Some(_), _) => "deadlock",
        (None, true) => "saturated",
        (None, false) => "",
    };
    vec![
        p.load.map_or("-".into(), short),
        number(Some(p.accepted), 4),
        number(p.accepted_ci, 4),
        number(p.latency_cycles, 2),
        number(p.latency_ci, 2),
        whole(p.latency_p50),
        whole(p.latency_p99),
        p.cycles.to_string(),
        number(p.link_hops, 3),
        busy.join(", "),
        state.to_string(),
    ]
}
