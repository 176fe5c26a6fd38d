//! Links used, links off, watts.

use super::columns::Columns;
use super::policy::policies;
use super::text::{head, notes, percent, rate};
use hopline::power::{ClassPower, Keep};
use hopline::run::{PowerOutcome, PowerTried};
use hopline::unit::seconds;
use std::fmt::Write as _;

/// `hopline power`.
pub fn power(o: &PowerOutcome) -> String {
    let mut text = head(&o.setting);
    let model = if o.model.is_empty() { "default" } else { &o.model };
    let _ = writeln!(text, "power {model}; on stay {}", kept(o.keep));
    if o.candidates.len() > 1 {
        let _ = write!(text, "\n{}", curve(&o.candidates));
    }
    for tried in &o.candidates {
        let _ = write!(text, "\n{}", one(tried));
    }
    notes(&mut text, &o.setting.notes);
    text
}

fn kept(keep: Keep) -> String {
    let mut words = vec!["the cables that are used".to_string()];
    if keep.bisection > 0.0 {
        words.push(format!("{:.0} % of the bisection", 100.0 * keep.bisection));
    }
    if keep.spare {
        words.push("enough to connect everything after one more failure".to_string());
    } else if keep.connected {
        words.push("enough to connect everything".to_string());
    }
    words.join(", ")
}

fn share(part: usize, whole: usize) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// Throughput against links on; a star for mappings that no other beats in both.
fn curve(candidates: &[PowerTried]) -> String {
    let head = ["mapping", "routing", "throughput", "links on", "", "of the machine saved", ""];
    let mut table = Columns::new(&head, &[2, 3, 4, 5]);
    for t in candidates {
        let on = t.power.links - t.power.off;
        table.row(vec![
            t.mapping.clone(),
            t.routing.clone(),
            rate(t.throughput_gb_s),
            on.to_string(),
            percent(share(on, t.power.links)),
            percent(t.power.machine_saving),
            if t.on_the_curve { "*" } else { "" }.to_string(),
        ]);
    }
    table.render() + "* no other mapping has as much throughput with fewer links on\n"
}

fn one(t: &PowerTried) -> String {
    let p = &t.power;
    let mut text = format!("mapping {}, {} routing\n", t.mapping, t.routing);
    let _ = writeln!(
        text,
        "saved       {} of the links' watts, {} of the network's, {} of the machine's",
        percent(if p.watts > 0.0 { p.saved_watts / p.watts } else { 0.0 }),
        percent(p.network_saving),
        percent(p.machine_saving)
    );
    if p.switches > 0 {
        let _ = writeln!(text, "switches    {} of {} have all their cables off", p.dark_switches, p.switches);
    }
    if !t.verified {
        text.push_str("routes      too many pairs of tasks to walk them one by one\n");
    }
    let mut table = Columns::new(
        &["class", "links", "used", "", "off", "", "watts", "saved", "pays after"],
        &[1, 2, 3, 4, 5, 6, 7, 8],
    );
    let mut row = |name: &str, links: usize, used: usize, off: usize, watts: f64, saved: f64, pays: Option<f64>| {
        table.row(vec![
            name.to_string(),
            links.to_string(),
            used.to_string(),
            percent(share(used, links)),
            off.to_string(),
            percent(share(off, links)),
            format!("{watts:.1}"),
            format!("{saved:.1}"),
            pays.map_or(String::new(), seconds),
        ]);
    };
    p.classes
        .iter()
        .for_each(|c: &ClassPower| row(&c.name, c.links, c.used, c.off, c.watts, c.saved_watts, c.break_even_s));
    if p.classes.len() > 1 {
        row("all", p.links, p.used, p.off, p.watts, p.saved_watts, None);
    }
    text.push_str(&table.render());
    if !t.dark.is_empty() {
        let _ = writeln!(text, "\n{} of {} cables that are off:", t.dark.len(), t.dark_cables);
        t.dark.iter().for_each(|name| {
            let _ = writeln!(text, "  {name}");
        });
    }
    text += &policies(&t.policies);
    notes(&mut text, &t.notes);
    text
}
