//! Links used, links off, watts.

use super::columns::{Column, Columns};
use super::policy::policies;
use super::text::Text;
use super::words::{head, percent, rate};
use hopline::power::{ClassPower, Keep};
use hopline::run::{PowerOutcome, PowerTried};
use hopline::unit::seconds;

/// `hopline power`.
pub fn power(o: &PowerOutcome) -> Text {
    let mut text = Text::new();
    text.line(head(&o.setting));
    let model = if o.model.is_empty() { "default" } else { &o.model };
    text.line(format!("power {model}; on stay {}", kept(o.keep)));
    if o.candidates.len() > 1 {
        text.blank();
        curve(&mut text, &o.candidates);
    }
    for tried in &o.candidates {
        text.blank();
        one(&mut text, tried);
    }
    text.notes(&o.setting.notes);
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
fn curve(text: &mut Text, candidates: &[PowerTried]) {
    let mut table = Columns::new([
        Column::name("mapping"),
        Column::name("routing").dropped(2),
        Column::number("throughput"),
        Column::number("links on"),
        Column::number("").dropped(1),
        Column::number("of the machine saved"),
        Column::word(""),
    ]);
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
    text.table(table);
    text.line("* no other mapping has as much throughput with fewer links on");
}

fn one(text: &mut Text, t: &PowerTried) {
    let p = &t.power;
    text.line(format!("mapping {}, {} routing", t.mapping, t.routing));
    let links = percent(if p.watts > 0.0 { p.saved_watts / p.watts } else { 0.0 });
    let (network, machine) = (percent(p.network_saving), percent(p.machine_saving));
    text.fact("saved", format!("{links} of the links' watts, {network} of the network's, {machine} of the machine's"));
    if p.switches > 0 {
        text.fact("switches", format!("{} of {} have all their cables off", p.dark_switches, p.switches));
    }
    if !t.verified {
        text.fact("routes", "too many pairs of tasks to walk them one by one");
    }
    let numbers = ["links", "used", "", "off", "", "watts", "watts saved", "pays after"].map(Column::number);
    let mut table = Columns::new([Column::word("class")].into_iter().chain(numbers));
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
    text.table(table);
    if !t.dark.is_empty() {
        text.blank();
        text.line(format!("{} of {} cables that are off:", t.dark.len(), t.dark_cables));
        t.dark.iter().for_each(|name| text.line(format!("  {name}")));
    }
    policies(text, &t.policies);
    text.notes(&t.notes);
}
