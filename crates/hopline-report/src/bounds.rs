//! What no schedule of a collective can beat, and how near the usual algorithms come.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::count;
use hopline::unit::{bytes, seconds, short, times, without_zeros};
use hopline_bounds::{BoundOutcome, Limiting, Programmed};

/// Links of a certificate that are shown one by one.
const SHOWN: usize = 8;
/// Links that limit most, of those with a price.
const LIMITING: usize = 4;
/// Names of ranks that are shown.
const NAMED: usize = 6;

/// `hopline collective NAME --bound`.
pub fn bounds(o: &BoundOutcome) -> Text {
    let mut text = Text::new();
    let routing = o.routing.as_ref().map_or(String::new(), |routing| format!(", {routing} routing"));
    let root = o.root.map_or(String::new(), |root| format!(", root {root}"));
    text.line(format!("{}{routing}, {} of {} ranks{root}, size: {}", o.fabric, o.operation, o.ranks, o.size_of));
    text.blank();
    let b = &o.bound;
    // Which of two proofs is the better one is seen at a glance.
    let sharper = o.program.as_ref().filter(|program| program.seconds_per_gb > b.seconds_per_gb);
    let algbw = |seconds: f64| format!(", algbw at most {} GB/s", short(b.algbw_gb_s * b.seconds_per_gb / seconds));
    // What trees take is no bound of other schedules.
    let of_all = sharper.filter(|program| program.kind == "flow");
    if let Some(program) = sharper {
        let algbw = of_all.map_or(String::new(), |program| algbw(program.seconds_per_gb));
        text.told("at least   ", programmed(program, &o.switches) + &algbw);
    }
    let label = if sharper.is_some() { "by a cut" } else { "at least" };
    let algbw = if of_all.is_some() { String::new() } else { algbw(b.seconds_per_gb) };
    text.fact(label, format!("{:.6} s per GB = {}{algbw}", b.seconds_per_gb, b.fraction));
    text.told("proof      ", proof(o));
    if let Some(program) = o.program.as_ref().filter(|_| sharper.is_none()) {
        text.told(&format!("by {:<8}", program.kind), programmed(program, &o.switches));
    }
    if o.latency_s > 0.0 {
        text.fact("latency    ", format!("{} by the quickest way to a rank that is far away", seconds(o.latency_s)));
    }
    if let Some(tables) = &o.tables {
        let (seconds, of_bound) = (tables.seconds_per_gb, times(tables.of_bound));
        let how = if tables.kind == "direct" { " for direct messages" } else { "" };
        let links = by(&tables.limiting);
        let direct = tables.direct_seconds_per_gb.filter(|_| tables.kind != "direct");
        let direct = direct.map_or(String::new(), |direct| format!("; direct messages {direct:.6}"));
        text.told("on routes  ", format!("{seconds:.6} s per GB{how}, {of_bound} the bound{links}{direct}"));
    }
    if !o.algorithms.is_empty() {
        text.blank();
        text.table(algorithms(o));
    }
    if !o.sizes.is_empty() {
        text.blank();
        text.table(sizes(o));
    }
    text.blank();
    text.prose(format!("{}.", o.verdict.sentence));
    text.notes(&o.notes);
    text
}

/// The links that limit something.
fn by(limiting: &[Limiting]) -> String {
    let links: Vec<&str> = limiting.iter().take(LIMITING).map(|l| l.link.as_str()).collect();
    if links.is_empty() { String::new() } else { format!(", by {}", links.join(", ")) }
}

/// What a linear program proves.
fn programmed(p: &Programmed, switches: &[String]) -> String {
    let seconds = format!("{:.6} s per GB", p.seconds_per_gb);
    let by = by(&p.limiting);
    match (p.kind.as_str(), p.switches_reduce_and_copy_seconds_per_gb) {
        ("flow", _) => format!("{seconds} for all pairs at once on any routes{by}"),
        _ if !switches.is_empty() => format!("{seconds} along trees, if switches {}", switches.join(" and ")),
        (_, Some(aided)) => format!("{seconds} along trees of ranks; {aided:.6} if switches copied and added up"),
        _ => format!("{seconds} along trees of ranks"),
    }
}

/// All digits of whole bytes per second, so that a reader's sum is the one that is told.
fn exact(gb_s: f64) -> String {
    without_zeros(&format!("{gb_s:.9}")).to_string()
}

/// The certificate in words that can be added up.
fn proof(o: &BoundOutcome) -> String {
    let b = &o.bound;
    let names = |all: &[String]| match all.len() {
        n if n <= NAMED => all.join(", "),
        n => format!("{}, and {} more", all[..NAMED].join(", "), n - NAMED),
    };
    let sum = format!("{} GB/s", exact(b.sum_gb_s));
    let inside = count(u64::from(o.ranks) - b.left_out.len() as u64, "rank");
    let out = format!("{} ({})", count(b.left_out.len() as u64, "other"), names(&b.left_out));
    let links = match b.links.len() {
        n if n <= SHOWN => {
            let each = b.links.iter().map(|l| format!("{} -> {} {}", l.from, l.to, exact(l.gb_s)));
            format!("{sum} ({})", each.collect::<Vec<_>>().join(", "))
        }
        n => format!("{sum} over {n} links"),
    };
    match b.kind.as_str() {
        "volume" | "volume-in" => format!(
            "a vector must leave all ranks but one and come back: {} through {sum}, all that ranks {} (if only they add up)",
            count(b.pieces, "vector"),
            if b.kind == "volume" { "send" } else { "receive" }
        ),
        "separation" => format!("{inside} and {out} have {links} between them"),
        "pairs" => format!("{} pass between {inside} and {out} through {links}", count(b.pieces, "block")),
        _ => format!("pieces of {inside} pass between them and {out} through {links}"),
    }
}

fn algorithms(o: &BoundOutcome) -> Columns {
    let mut table = Columns::new([
        Column::word("algorithm"),
        Column::word("order").dropped(4),
        Column::number("of the bound"),
        Column::number("s per GB"),
        Column::number("if no step waited").dropped(2),
        Column::number("steps").dropped(3),
        Column::name("busiest link").dropped(1),
    ]);
    for a in &o.algorithms {
        table.row(vec![
            a.algorithm.clone(),
            a.order.clone(),
            times(a.of_bound),
            format!("{:.6}", a.seconds_per_gb),
            format!("{:.6}", a.busiest_seconds_per_gb),
            a.steps.to_string(),
            a.hottest.clone().unwrap_or_default(),
        ]);
    }
    table
}

fn sizes(o: &BoundOutcome) -> Columns {
    let mut table = Columns::new([
        Column::number("size"),
        Column::number("at least"),
        Column::word("best algorithm"),
        Column::number("takes"),
        Column::number("of the bound"),
    ]);
    for size in &o.sizes {
        let (name, takes, of) = size.tried.first().map_or((String::new(), String::new(), String::new()), |best| {
            (best.algorithm.clone(), seconds(best.time_s), times(best.of_bound))
        });
        table.row(vec![bytes(size.bytes as f64), seconds(size.bound_s), name, takes, of]);
    }
    table
}
