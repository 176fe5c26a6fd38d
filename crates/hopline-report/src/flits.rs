//! Latency and throughput against offered load.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::{head, three};
use hopline::run::{FlitsOutcome, FlitsPoint, FlitsSpan};
use hopline::unit::short;

/// `hopline flits`.
pub fn flits(o: &FlitsOutcome) -> Text {
    let mut text = Text::new();
    text.line(head(&o.setting));
    text.line(format!(
        "mapping {}, {} virtual channel{}, {} injection, router {}",
        o.mapping,
        o.virtual_channels,
        if o.virtual_channels == 1 { "" } else { "s" },
        o.inject,
        if o.router.is_empty() { "default" } else { &o.router }
    ));
    text.blank();
    let sure = format!("+- ({} %)", short(100.0 * o.confidence));
    // Where not all endpoints send alike, what arrives is no part of the load.
    let differs = |p: &FlitsPoint| p.load.zip(p.offered).is_some_and(|(load, offered)| (load - offered).abs() > 5e-5);
    let unequal = o.points.iter().any(differs);
    let mut columns = vec![
        Column::number("load"),
        Column::number("accepted"),
        Column::number(&sure).dropped(5),
        Column::number("latency"),
        Column::number(&sure).dropped(4),
        Column::number("median").dropped(3),
        Column::number("99 %"),
        Column::number("cycles").dropped(2),
        Column::number("link hops").dropped(1),
        Column::list("busiest links"),
        Column::word(""),
    ];
    if unequal {
        columns.insert(1, Column::number("offered"));
    }
    let mut table = Columns::new(columns);
    for p in &o.points {
        let mut cells = row(p);
        if unequal {
            cells.insert(1, number(p.offered, 4));
        }
        table.row(cells);
    }
    text.table(table);
    failure(o, &mut text);
    energy(o, &mut text);
    for p in o.points.iter().filter(|p| p.lost > 0) {
        text.line(format!("lost at load {}: {} packets that found their queue full", number(p.load, 4), p.lost));
    }
    for (p, cycle) in o.points.iter().filter_map(|p| Some((p, p.deadlock.as_ref()?))) {
        text.line(format!("deadlock at load {}: these wait for each other:", number(p.load, 4)));
        cycle.iter().for_each(|channel| text.line(format!("  {channel}")));
    }
    text.line("loads in flits per cycle and endpoint, latencies in cycles, busiest links in flits per cycle");
    if unequal {
        text.line(
            "the load is that of the endpoint that sends most, offered and accepted are means over all that send",
        );
    }
    text.notes(&o.setting.notes);
    text
}

/// What failed, and what came of it at each load.
fn failure(o: &FlitsOutcome, text: &mut Text) {
    let Some(failure) = &o.failure else { return };
    text.blank();
    let (cycle, cables, routing) = (failure.cycle, failure.cables.join(", "), &failure.routing);
    text.line(format!("failure in cycle {cycle}: {cables}; {routing} routing after that"));
    let mut table = Columns::new(vec![
        Column::number("load"),
        Column::number("dropped"),
        Column::number("new routes at"),
        Column::number("before"),
        Column::number("latency"),
        Column::number("meanwhile"),
        Column::number("latency"),
        Column::number("after"),
        Column::number("latency"),
    ]);
    for (p, losses) in o.points.iter().filter_map(|p| Some((p, p.failure.as_ref()?))) {
        let spans = [&losses.before, &losses.during, &losses.after].into_iter().flat_map(|span| {
            let of = |value: fn(&FlitsSpan) -> Option<f64>, places| number(span.as_ref().and_then(value), places);
            [of(|s| Some(s.accepted), 4), of(|s| s.latency_cycles, 2)]
        });
        let resumed = losses.resumed_cycle.map_or("-".into(), |cycle| cycle.to_string());
        let first = [load(p), losses.dropped.to_string(), resumed];
        table.row(first.into_iter().chain(spans).collect());
    }
    text.table(table);
    text.line("dropped packets; the cycle with new routes; flits that arrive per cycle and endpoint before, until then, after");
}

/// What a flit takes across a link of each class, where watts were given.
fn energy(o: &FlitsOutcome, text: &mut Text) {
    if o.power.is_empty() {
        return;
    }
    for p in &o.points {
        let classes = p.classes.iter().filter_map(|c| Some(format!("{} {}", c.name, three(c.flit_hop_nj?))));
        let all = classes.collect::<Vec<_>>().join(", ");
        if all.is_empty() {
            continue;
        }
        text.line(format!("nJ of a flit across a link at load {}: {all}", load(p)));
    }
}

/// The load, which an exchange has not.
fn load(p: &FlitsPoint) -> String {
    p.load.map_or("-".into(), short)
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
        load(p),
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
