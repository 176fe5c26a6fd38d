//! Policies that switch cables while a job runs.

use super::columns::{Column, Columns};
use super::shades::{ShadedRow, shades};
use super::text::Text;
use super::words::percent;
use hopline::run::PolicyTried;
use hopline::unit::{seconds, short};

/// All policies of one mapping: what each saves and costs, then by class and over time.
pub(super) fn policies(text: &mut Text, all: &[PolicyTried]) {
    let Some(first) = all.first() else { return };
    let (done, joules) = (seconds(first.all_on_s), short(first.all_on_joules));
    text.blank();
    text.line(format!("replayed with everything on: done after {done}, links take {joules} J"));
    let mut table = Columns::new([
        Column::name("policy"),
        Column::number("done after"),
        Column::number("later").dropped(1),
        Column::number("of links' energy saved"),
        Column::number("of the machine's"),
        Column::number("woken").dropped(3),
        Column::number("waited").dropped(2),
        Column::word(""),
    ]);
    for p in all {
        let classes = &p.energy.classes;
        table.row(vec![
            p.policy.clone(),
            seconds(p.makespan_s),
            percent(ratio(p.makespan_s, p.all_on_s) - 1.0),
            percent(1.0 - ratio(p.energy.joules, p.all_on_joules)),
            percent(p.machine_saving),
            classes.iter().map(|c| c.woken).sum::<u64>().to_string(),
            seconds(classes.iter().map(|c| c.waited_s).sum()),
            if p.machine_saving > 0.0 { "" } else { "not worth it" }.to_string(),
        ]);
    }
    text.table(table);
    all.iter().for_each(|p| one(text, p));
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

fn one(text: &mut Text, p: &PolicyTried) {
    let dark = if p.dark_switches > 0 {
        format!(": {} switches have all their cables off", p.dark_switches)
    } else {
        String::new()
    };
    text.blank();
    text.line(format!("policy {}{dark}", p.policy));
    text.notes(&p.notes);
    let numbers = ["links", "slower", "off", "switching", "woken", "waited", "J"].map(Column::number);
    let mut table = Columns::new([Column::word("class")].into_iter().chain(numbers));
    for c in &p.energy.classes {
        table.row(vec![
            c.name.clone(),
            c.links.to_string(),
            c.slow.to_string(),
            percent(c.off),
            percent(c.changing),
            c.woken.to_string(),
            seconds(c.waited_s),
            short(c.joules),
        ]);
    }
    text.table(table);
    text.line(format!("watts in bins of {}, from . (0 %) to # (all on):", seconds(p.bin_s)));
    let rows = p.energy.timeline.iter();
    shades(text, rows.map(|row| ShadedRow { name: &row.name, values: &row.watts, most: row.all_on }));
}
