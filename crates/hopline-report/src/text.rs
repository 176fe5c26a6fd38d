//! The text that `hopline` prints: aligned tables with units.

use super::columns::Columns;
use hopline::demand::Unit;
use hopline::entry::{Entry, Listed};
use hopline::loads::{HotLink, Summary};
use hopline::mapping::{Objective, without_budget};
use hopline::run::{
    CheckOutcome, LoadOutcome, MapOutcome, RouteOutcome, Setting, ShowOutcome, Spreading, Tried, VerdictKind,
};
use hopline::unit::{bytes, seconds, short};
use std::fmt::Write as _;

/// An amount in the demand's unit.
pub(super) fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Units => short(value),
        Unit::Bytes => bytes(value),
    }
}

pub(super) fn rate(value: Option<f64>) -> String {
    value.map_or("unlimited".to_string(), |v| format!("{} GB/s", three(v)))
}

/// About three significant digits, for figures side by side.
fn three(value: f64) -> String {
    let places = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else if value >= 0.9995 {
        2
    } else {
        4
    };
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A share.
pub(super) fn percent(part: f64) -> String {
    // What rounds to zero has no sign.
    let shown = format!("{:.1} %", 100.0 * part);
    if shown == "-0.0 %" { "0.0 %".into() } else { shown }
}

/// "1 host", "2 hosts".
fn count(n: u64, word: &str) -> String {
    format!("{n} {word}{}", if n == 1 { "" } else { "s" })
}

/// Notes, a line each.
pub fn notes(text: &mut String, notes: &[String]) {
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
}

pub(super) fn head(s: &Setting) -> String {
    let (tasks, hosts) = (count(s.tasks.into(), "task"), count(s.hosts.into(), "host"));
    format!("{} on {} ({} routing): {tasks} on {hosts}\n", s.traffic, s.fabric, s.routing)
}

/// `hopline load`.
pub fn load(o: &LoadOutcome) -> String {
    let unit = o.setting.unit;
    let mut text = head(&o.setting);
    let _ = writeln!(text, "mapping {}\n", o.mapping);
    text.push_str(&verdict(&o.summary, unit));
    text.push_str(&imbalance(o.spreading.as_ref()));
    let mut classes = Columns::new(
        &["class", "bandwidth", "links", "used", "max load", "mean load", "throughput"],
        &[1, 2, 3, 4, 5, 6],
    );
    for c in &o.summary.classes {
        classes.row(vec![
            c.name.clone(),
            c.bandwidth.map_or("unlimited".into(), |b| b.to_string()),
            c.links.to_string(),
            percent(c.used as f64 / c.links as f64),
            amount(unit, c.max_load),
            amount(unit, c.mean_load),
            rate(c.throughput_gb_s),
        ]);
    }
    let _ = write!(text, "\n{}", classes.render());
    if !o.hottest.is_empty() {
        let mut links =
            Columns::new(&["hottest links", "class", "load", "busy", "pairs", "heaviest pairs of tasks"], &[2, 3, 4]);
        for link in &o.hottest {
            links.row(hot_row(link, unit));
        }
        let _ = write!(text, "\n{}", links.render());
    }
    notes(&mut text, &o.setting.notes);
    text
}

fn verdict(s: &Summary, unit: Unit) -> String {
    let mut text = match (&s.bottleneck, s.seconds) {
        (Some(class), Some(time)) => {
            format!(
                "throughput  {} per host, limited by {class} links: at least {}\n",
                rate(s.throughput_gb_s),
                seconds(time)
            )
        }
        (Some(class), None) => format!("throughput  {} per host, limited by {class} links\n", rate(s.throughput_gb_s)),
        (None, _) => "throughput  unlimited: no link with a bandwidth carries anything\n".to_string(),
    };
    let all = s.remote + s.local;
    let inside = if all > 0.0 { 100.0 * s.local / all } else { 0.0 };
    let _ = writeln!(
        text,
        "traffic     {} in all, {inside:.1} % within hosts; {} x hops, {} hops on average",
        amount(unit, all),
        amount(unit, s.hop_bytes),
        three(s.dilation)
    );
    text
}

/// What is uneven, and what helps, beside a head as that of `verdict`.
fn imbalance(spreading: Option<&Spreading>) -> String {
    let Some(spreading) = spreading else { return String::new() };
    let lines = wrap(&spreading.sentence, 96);
    format!("imbalance   {}\n", lines.replace('\n', "\n            "))
}

fn hot_row(link: &HotLink, unit: Unit) -> Vec<String> {
    let heaviest: Vec<String> =
        link.heaviest.iter().map(|c| format!("{}->{} {}", c.from, c.to, amount(unit, c.amount))).collect();
    let pairs = if link.pairs == 0 { "-".to_string() } else { link.pairs.to_string() };
    let heaviest = if link.pairs == 0 { "too many pairs to list".to_string() } else { heaviest.join(", ") };
    vec![
        link.name.clone(),
        link.class.clone(),
        amount(unit, link.load),
        format!("{:.0} %", 100.0 * link.relative),
        pairs,
        heaviest,
    ]
}

/// `hopline map`.
pub fn map(o: &MapOutcome) -> String {
    let unit = o.setting.unit;
    let mut text = head(&o.setting);
    text.push('\n');
    // Columns that say nothing new are left out.
    let times = unit == Unit::Bytes;
    let hosts = o.candidates.iter().any(|t| t.summary.network_gb_s != t.summary.throughput_gb_s);
    let mut head = keep(["mapping", "throughput", "limited by", "time at least", "without hosts"], times, hosts);
    let bound = o.best.bound.is_some();
    head.extend(bound.then_some("of the bound"));
    head.extend(["hottest load", "x hops"]);
    let far = o.candidates.iter().all(|t| t.hop_bound.is_some_and(|bound| bound > 0.0));
    head.extend(far.then_some("of its bound"));
    head.extend(["hops", "hottest link"]);
    let numbers: Vec<usize> = (1..head.len() - 1).filter(|&c| c != 2).collect();
    let mut table = Columns::new(&head, &numbers);
    let shown = shown(o);
    for t in &shown {
        let s = &t.summary;
        let best = (&t.mapping, &t.routing) == (&o.best.mapping, &o.best.routing);
        let name = format!("{}{}", called(o, t), if best { " *" } else { "" });
        let limit = s.bottleneck.clone().unwrap_or_else(|| "-".into());
        let cells = [name, rate(s.throughput_gb_s), limit, s.seconds.map_or("-".into(), seconds), rate(s.network_gb_s)];
        let mut row = keep(cells, times, hosts);
        row.extend(t.bound.map(|bound| format!("{:.2}x", s.busy.0 / bound)));
        let link = t.hottest.as_ref();
        row.push(link.map_or("-".into(), |h| amount(unit, h.load)));
        row.push(amount(unit, s.hop_bytes));
        row.extend(t.hop_bound.filter(|_| far).map(|bound| format!("{:.2}x", s.hop_bytes / bound)));
        row.push(three(s.dilation));
        row.push(link.map_or("-".into(), |h| h.name.clone()));
        table.row(row);
    }
    text.push_str(&table.render());
    let left_out = o.candidates.len() - shown.len();
    if left_out > 0 {
        let _ = writeln!(text, "{} more were no better, or equal: --format json has all", left_out);
    }
    let _ = write!(text, "\n{}", decision(o));
    text.push_str(&imbalance(o.spreading.as_ref()));
    if o.objective != Objective::default().spec() {
        let _ = writeln!(text, "objective: {}", o.objective);
    }
    if let Some(tried) = o.evaluations {
        let _ = writeln!(text, "search: {tried} moves tried");
    }
    // What had to be said of mappings that nobody named is of interest where they are used.
    let told = |t: &&Tried| o.candidates.len() == shown.len() || t.mapping == o.best.mapping;
    o.candidates.iter().filter(told).flat_map(|t| &t.notes).for_each(|note| _ = writeln!(text, "note: {note}"));
    notes(&mut text, &o.setting.notes);
    text
}

/// The first five cells of a row of mappings, without the times or the
/// throughput of the links between routers where they say nothing new.
fn keep<T>([name, rate, limit, time, network]: [T; 5], times: bool, hosts: bool) -> Vec<T> {
    let mut row = vec![name, rate, limit];
    row.extend(times.then_some(time));
    row.extend(hosts.then_some(network));
    row
}

/// The mapping, and the routing where several are compared.
fn called(o: &MapOutcome, t: &Tried) -> String {
    let several = o.candidates.iter().any(|c| c.routing != t.routing);
    let name = without_budget(&t.mapping);
    if several { format!("{name}, {}", t.routing) } else { name }
}

/// Rows of a comparison that people are shown, and the fewest that are left out.
const ROWS: usize = 8;
const LEFT_OUT: usize = 2;

/// What is shown of many mappings: the one that the others are compared with, then the best of different worth.
fn shown(o: &MapOutcome) -> Vec<&Tried> {
    if o.candidates.len() < ROWS + LEFT_OUT {
        return o.candidates.iter().collect();
    }
    let worth = |t: &Tried| (t.summary.busy.0, t.summary.busy.1, t.summary.hop_bytes);
    let least = |t: &Tried| t.runs.iter().copied().fold(f64::INFINITY, f64::min);
    let is_best = |t: &Tried| (&t.mapping, &t.routing) == (&o.best.mapping, &o.best.routing);
    let mut others: Vec<&Tried> = o.candidates[1..].iter().collect();
    others.sort_by(|a, b| is_best(b).cmp(&is_best(a)).then(least(a).total_cmp(&least(b))));
    let mut shown = vec![&o.candidates[0]];
    for t in others {
        if shown.len() < ROWS && !shown.iter().any(|s| worth(s) == worth(t)) {
            shown.push(t);
        }
    }
    shown
}

/// `docs/src/mpi.md`, "Predicted against measured".
const MEASURED: &str = "54 collectives predicted and measured rank alike with Kendall's tau 0.94, median error 6 % (guide: Predicted against measured)";

/// What to do, what limits it, and what such predictions have been worth.
fn decision(o: &MapOutcome) -> String {
    let Some(verdict) = &o.verdict else {
        return format!(
            "* {}: name more mappings to compare, such as --mapping default,greedy\n",
            o.candidates[0].mapping
        );
    };
    let lines = |text: &str| wrap(text, 96).replace('\n', "\n            ");
    let worth = match verdict.kind {
        VerdictKind::Use => format!("trust       {}\n", lines(MEASURED)),
        _ => String::new(),
    };
    format!("verdict     {}\nlimit       {}\n{worth}", lines(&verdict.sentence), lines(&verdict.reason))
}

/// `hopline fabric show`.
pub fn show(o: &ShowOutcome) -> String {
    let mut text = format!("{}\n", o.fabric);
    let names = if o.first_hosts.is_empty() { String::new() } else { format!(" ({}, ...)", o.first_hosts.join(", ")) };
    let _ = writeln!(text, "hosts      {} with {}{names}", o.hosts, count(o.slots.into(), "slot"));
    let _ = writeln!(text, "network    {} endpoints, {} switches, {} directed links", o.endpoints, o.switches, o.links);
    if let (Some(diameter), Some(mean)) = (o.diameter, o.mean_hops) {
        let _ = writeln!(text, "distances  at most {diameter} hops between routers, {} on average", three(mean));
    }
    if let Some(n @ 1..) = o.unreachable {
        let _ = writeln!(text, "           {n} pairs of endpoints are not joined by cables");
    }
    let _ = writeln!(text, "routing    {}\n", o.routing);
    let mut classes = Columns::new(&["class", "links", "bandwidth"], &[1, 2]);
    for c in &o.classes {
        classes.row(vec![
            c.name.clone(),
            c.links.to_string(),
            c.bandwidth.map_or("unlimited".into(), |b| b.to_string()),
        ]);
    }
    text.push_str(&classes.render());
    if !o.levels.is_empty() {
        let mut levels = Columns::new(&["level", "parts", "endpoints"], &[1, 2]);
        for l in &o.levels {
            let (least, most) = l.endpoints;
            let size = if least == most { least.to_string() } else { format!("{least}-{most}") };
            levels.row(vec![l.name.clone(), l.parts.to_string(), size]);
        }
        let _ = write!(text, "\n{}", levels.render());
    }
    notes(&mut text, &o.notes);
    text
}

/// `hopline fabric route`.
pub fn route(o: &RouteOutcome) -> String {
    let mut text = format!("{} -> {} on {} ({} routing)\n", o.from, o.to, o.fabric, o.routing);
    for (i, path) in o.paths.iter().enumerate() {
        if o.choices > 1 {
            let _ = writeln!(text, "\npath {} of {}, share {}", i + 1, o.choices, short(path.share));
        }
        let mut hops = Columns::new(&["hop", "GUID", "in", "out", "router"], &[0, 2, 3]);
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
        text.push_str(&hops.render());
    }
    if (o.paths.len() as u64) < o.choices {
        let _ = writeln!(text, "\n{}", count(o.choices - o.paths.len() as u64, "more path"));
    }
    notes(&mut text, &o.notes);
    text
}

/// `hopline fabric check`.
pub fn check(o: &CheckOutcome) -> String {
    const LINKS: usize = 12;
    let mut text = format!("{} ({} routing)\n", o.fabric, o.routing);
    let _ = writeln!(text, "{} of {} ordered pairs of endpoints reach each other", o.pairs - o.broken, o.pairs);
    for problem in &o.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    for link in o.cycle.iter().take(LINKS) {
        let _ = writeln!(text, "  {link}");
    }
    if o.cycle.len() > LINKS {
        let _ = writeln!(text, "  ... and {} links more", o.cycle.len() - LINKS);
    }
    notes(&mut text, &o.notes);
    let _ = writeln!(text, "verdict: {}", o.verdict);
    text
}

/// One list with a line per entry.
pub fn list<T: Listed>(what: &str, items: &[T]) -> String {
    let mut table = Columns::new(&[what, "example", ""], &[]);
    for item in items {
        let e = item.entry();
        table.row(vec![e.name.to_string(), e.example.to_string(), e.summary.to_string()]);
    }
    table.render()
}

/// Everything about one entry, wrapped at 88 columns.
pub fn explain(what: &str, e: &Entry) -> String {
    let mut text = format!("{what} `{}`: {}\n\n", e.name, e.summary);
    for paragraph in e.doc.lines() {
        let _ = writeln!(text, "{}", wrap(paragraph, 88));
    }
    let _ = writeln!(text, "\nexample: {}", e.example);
    if !e.params.is_empty() {
        let mut params = Columns::new(&["key", "value", "default", ""], &[]);
        for p in e.params {
            let default = if p.default.is_empty() { "must be given" } else { p.default };
            params.row(vec![p.name.to_string(), p.value.to_string(), default.to_string(), p.summary.to_string()]);
        }
        let _ = write!(text, "\n{}", params.render());
    }
    text
}

/// A paragraph broken into lines of at most `width` characters, where its words allow.
pub fn wrap(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn zero_percent_has_no_sign() {
        assert_eq!([-1e-9, 0.0, 1e-9, -0.0006].map(percent), ["0.0 %", "0.0 %", "0.0 %", "-0.1 %"]);
    }
}
