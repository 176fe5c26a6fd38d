//! What a fabric is, a route through it, and whether it is whole.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::{count, three};
use hopline::run::{CheckOutcome, RouteOutcome, RoutePath, ShowOutcome};
use hopline::unit::short;

/// `hopline fabric show`.
pub fn show(o: &ShowOutcome) -> Text {
    let mut text = Text::new();
    text.line(o.fabric.clone());
    let mut fact = |label: &str, words: String| text.fact(&format!("{label:<11}"), words);
    let names = if o.first_hosts.is_empty() { String::new() } else { format!(" ({}, ...)", o.first_hosts.join(", ")) };
    fact("hosts", format!("{} with {}{names}", o.hosts, count(o.slots.into(), "slot")));
    fact("network", format!("{} endpoints, {} switches, {} directed links", o.endpoints, o.switches, o.links));
    if let (Some(diameter), Some(mean)) = (o.diameter, o.mean_hops) {
        fact("distances", format!("at most {diameter} hops between routers, {} on average", three(mean)));
    }
    if let Some(n @ 1..) = o.unreachable {
        fact("", format!("{n} pairs of endpoints are not joined by cables"));
    }
    fact("routing", o.routing.clone());
    text.blank();
    let mut classes = Columns::new([Column::word("class"), Column::number("links"), Column::number("bandwidth")]);
    for c in &o.classes {
        classes.row(vec![
            c.name.clone(),
            c.links.to_string(),
            c.bandwidth.map_or("unlimited".into(), |b| b.to_string()),
        ]);
    }
    text.table(classes);
    if !o.levels.is_empty() {
        let mut levels = Columns::new([Column::name("level"), Column::number("parts"), Column::number("endpoints")]);
        for l in &o.levels {
            let (least, most) = l.endpoints;
            let size = if least == most { least.to_string() } else { format!("{least}-{most}") };
            levels.row(vec![l.name.clone(), l.parts.to_string(), size]);
        }
        text.blank();
        text.table(levels);
    }
    text.notes(&o.notes);
    text
}

/// `hopline fabric route`.
pub fn route(o: &RouteOutcome) -> Text {
    let mut text = Text::new();
    text.line(format!("{} -> {} on {} ({} routing)", o.from, o.to, o.fabric, o.routing));
    for (i, path) in o.paths.iter().enumerate() {
        if o.choices > 1 {
            text.blank();
            text.line(format!("path {} of {}, share {}", i + 1, o.choices, short(path.share)));
        }
        text.table(hops(path));
    }
    text.notes(&o.notes);
    text
}

fn hops(path: &RoutePath) -> Columns {
    let mut hops = Columns::new([
        Column::number("hop"),
        Column::word("GUID").dropped(1),
        Column::number("in"),
        Column::number("out"),
        Column::name("router"),
    ]);
    let port = |p: Option<u16>| p.map_or("-".to_string(), |p| p.to_string());
    for (k, hop) in path.hops.iter().enumerate() {
        hops.row(vec![
            (k + 1).to_string(),
            hop.guid.clone().unwrap_or_else(|| "-".into()),
            port(hop.in_port),
            port(hop.out_port),
            hop.name.clone(),
        ]);
    }
    hops
}

/// `hopline fabric check`.
pub fn check(o: &CheckOutcome) -> Text {
    const LINKS: usize = 12;
    let mut text = Text::new();
    text.line(format!("{} ({} routing)", o.fabric, o.routing));
    text.line(format!("{} of {} ordered pairs of endpoints reach each other", o.pairs - o.broken, o.pairs));
    o.problems.iter().for_each(|problem| text.line(format!("problem: {problem}")));
    o.cycle.iter().take(LINKS).for_each(|link| text.line(format!("  {link}")));
    if o.cycle.len() > LINKS {
        text.line(format!("  ... and {} links more", o.cycle.len() - LINKS));
    }
    text.notes(&o.notes);
    text.line(format!("verdict: {}", o.verdict));
    text
}
