//! Policies that switch cables while a job runs.

use super::columns::Columns;
use super::shades::shades;
use super::text::{notes, percent};
use hopline::run::PolicyTried;
use hopline::unit::{seconds, short};
use std::fmt::Write as _;

/// All policies of one mapping: what each saves and costs, then by class and over time.
pub(super) fn policies(all: &[PolicyTried]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let mut text = format!(
        "\nreplayed with everything on: done after {}, links take {} J\n",
        seconds(first.all_on_s),
        short(first.all_on_joules)
    );
    let head = ["policy", "done after", "later", "of links' energy saved", "of the machine's", "woken", "waited", ""];
    let mut table = Columns::new(&head, &[1, 2, 3, 4, 5, 6]);
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
    text += &table.render();
    all.iter().for_each(|p| text += &one(p));
    text
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 1.0 }
}

fn one(p: &PolicyTried) -> String {
    let mut text = format!("\npolicy {}", p.policy);
    if p.dark_switches > 0 {
        let _ = write!(text, ": {} switches have all their cables off", p.dark_switches);
    }
    text.push('\n');
    notes(&mut text, &p.notes);
    let head = ["class", "links", "slower", "off", "switching", "woken", "waited", "J"];
    let mut table = Columns::new(&head, &[1, 2, 3, 4, 5, 6, 7]);
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
    text += &table.render();
    let _ = writeln!(text, "watts in bins of {}, from . (0 %) to # (all on):", seconds(p.bin_s));
    text + &shades(p.energy.timeline.iter().map(|row| (row.name.as_str(), &row.watts[..], row.all_on)))
}
