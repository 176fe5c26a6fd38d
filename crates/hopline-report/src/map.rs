//! Mappings compared, and what to do.

use super::columns::{Column, Columns};
use super::load::{drawn, imbalance};
use super::terms::see;
use super::text::Text;
use super::words::{amount, amounts, head, rate, three};
use hopline::demand::Unit;
use hopline::mapping::{Objective, without_budget};
use hopline::run::{MapOutcome, Tried, VerdictKind};
use hopline::unit::seconds;

/// `hopline map`, with a picture of its loads ([`spread`](super::spread())), which may be empty.
pub fn map(o: &MapOutcome, spread: Text) -> Text {
    let mut text = Text::new();
    text.line(head(&o.setting));
    text.blank();
    let shown = shown(o);
    text.table(comparison(o, &shown));
    let left_out = o.candidates.len() - shown.len();
    if left_out > 0 {
        text.line(format!("{left_out} more were no better, or equal: --format json has all"));
    }
    text.blank();
    decision(&mut text, o);
    for axis in &o.axes {
        text.told("axis", axis.sentence.clone());
    }
    imbalance(&mut text, o.spreading.as_ref());
    if o.objective != Objective::default().spec() {
        text.line(format!("objective: {}", o.objective));
    }
    if let Some(tried) = o.evaluations {
        text.line(format!("search: {tried} moves tried"));
    }
    drawn(&mut text, spread);
    see(&mut text, &["throughput", "bound", "hop-bytes"]);
    // What had to be said of mappings that nobody named is of interest where they are used.
    let told = |t: &&Tried| o.candidates.len() == shown.len() || t.mapping == o.best.mapping;
    o.candidates.iter().filter(told).for_each(|t| text.notes(&t.notes));
    text.notes(&o.setting.notes);
    text
}

fn is_best(o: &MapOutcome, t: &Tried) -> bool {
    (&t.mapping, &t.routing) == (&o.best.mapping, &o.best.routing)
}

/// A row for each mapping; columns that say nothing new are not there.
fn comparison(o: &MapOutcome, shown: &[&Tried]) -> Columns {
    let unit = o.setting.unit;
    let times = unit == Unit::Bytes;
    let hosts = o.candidates.iter().any(|t| t.summary.network_gb_s != t.summary.throughput_gb_s);
    let bound = o.best.bound.is_some();
    let far = o.candidates.iter().all(|t| t.hop_bound.is_some_and(|bound| bound > 0.0));
    let all = [
        (true, Column::name("mapping")),
        (true, Column::word("")),
        (true, Column::number("throughput")),
        (true, Column::word("limited by").dropped(6)),
        (times, Column::number("time at least")),
        (hosts, Column::number("between switches").dropped(4)),
        (bound, Column::number("x bound")),
        (true, Column::number(amounts(unit, "hottest load")).dropped(3)),
        (true, Column::number(if times { "hop-bytes" } else { "units x hops" }).dropped(5)),
        (far, Column::number("x hop bound").dropped(2)),
        (true, Column::number("mean hops").dropped(1)),
        (true, Column::name("hottest link").dropped(7)),
    ];
    let there = all.each_ref().map(|c| c.0);
    let mut table = Columns::new(all.into_iter().filter(|c| c.0).map(|c| c.1));
    let worst = shown.iter().map(|t| t.summary.busy.0).fold(0.0, f64::max);
    for t in shown {
        let s = &t.summary;
        let link = t.hottest.as_ref();
        let times =
            |value: f64, bound: Option<f64>| bound.map_or("-".into(), |bound| hopline::unit::times(value / bound));
        let cells = [
            called(o, t),
            if is_best(o, t) { "*" } else { "" }.into(),
            rate(s.throughput_gb_s),
            s.bottleneck.clone().unwrap_or_else(|| "-".into()),
            s.seconds.map_or("-".into(), seconds),
            rate(s.network_gb_s),
            times(s.busy.0, t.bound),
            link.map_or("-".into(), |h| amount(unit, h.load)),
            amount(unit, s.hop_bytes),
            times(s.hop_bytes, t.hop_bound),
            three(s.dilation),
            link.map_or("-".into(), |h| h.name.clone()),
        ];
        table.row(cells.into_iter().zip(there).filter(|c| c.1).map(|c| c.0).collect());
        table.heat("throughput", if worst > 0.0 { s.busy.0 / worst } else { 0.0 });
    }
    table
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
    let mut others: Vec<&Tried> = o.candidates[1..].iter().collect();
    others.sort_by(|a, b| is_best(o, b).cmp(&is_best(o, a)).then(least(a).total_cmp(&least(b))));
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
fn decision(text: &mut Text, o: &MapOutcome) {
    let Some(verdict) = &o.verdict else {
        let only = &o.candidates[0].mapping;
        return text.line(format!("* {only}: name more mappings to compare, such as --mapping default,greedy"));
    };
    text.told("verdict", verdict.sentence.clone());
    text.told("limit", verdict.reason.clone());
    if verdict.kind == VerdictKind::Use {
        text.told("trust", MEASURED);
    }
}
