//! Load of links: by class, and the hottest.

use super::columns::{Column, Columns};
use super::terms::see;
use super::text::Text;
use super::words::{amount, amounts, head, percent, rate, three};
use hopline::demand::Unit;
use hopline::loads::{HotLink, Summary};
use hopline::run::{Chance, LoadOutcome, Spreading};
use hopline::unit::seconds;

/// `hopline load`, with a picture of its loads ([`spread`](super::spread())), which may be empty.
pub fn load(o: &LoadOutcome, spread: Text) -> Text {
    let unit = o.setting.unit;
    let mut text = Text::new();
    text.line(head(&o.setting));
    text.line(format!("mapping {}", o.mapping));
    text.blank();
    limits(&mut text, &o.summary, unit);
    text.told("verdict", o.verdict.sentence.clone());
    imbalance(&mut text, o.spreading.as_ref());
    chance(&mut text, o.chance.as_ref());
    text.blank();
    text.table(classes(&o.summary, unit));
    if !o.hottest.is_empty() {
        text.blank();
        text.table(hottest(&o.hottest, unit));
    }
    drawn(&mut text, spread);
    see(&mut text, &["throughput", "load"]);
    text.notes(&o.setting.notes);
    text
}

/// The throughput and what limits it; how much is sent how far.
fn limits(text: &mut Text, s: &Summary, unit: Unit) {
    let throughput = match (&s.bottleneck, s.seconds) {
        (Some(class), Some(time)) => {
            let rate = rate(s.throughput_gb_s);
            format!("{rate} per host, limited by {class} links: at least {} for each exchange", seconds(time))
        }
        (Some(class), None) => format!("{} per host, limited by {class} links", rate(s.throughput_gb_s)),
        (None, _) => "unlimited: no link with a bandwidth carries anything".to_string(),
    };
    text.fact("throughput", throughput);
    for level in &s.levels {
        let share = percent(level.share);
        let limit = match (&level.bottleneck, level.throughput_gb_s) {
            (Some(class), throughput) => format!("{} per host of it, limited by {class} links", rate(throughput)),
            (None, _) => "not limited".to_string(),
        };
        text.fact(&format!("{} ", level.name), format!("{share} of the traffic: {limit}"));
    }
    let all = s.remote + s.local;
    let inside = percent(if all > 0.0 { s.local / all } else { 0.0 });
    let units = if unit == Unit::Units { " units" } else { "" };
    text.fact(
        "traffic",
        format!(
            "{}{units} in all, {inside} within hosts; {}{units} x hops, {} hops on average",
            amount(unit, all),
            amount(unit, s.hop_bytes),
            three(s.dilation)
        ),
    );
}

/// A picture between blank lines, where there is one.
pub(super) fn drawn(text: &mut Text, picture: Text) {
    if !picture.is_empty() {
        text.blank();
        text.append(picture);
        text.blank();
    }
}

/// How throughput spreads over seeds of a hash.
fn chance(text: &mut Text, chance: Option<&Chance>) {
    if let Some(c) = chance {
        let [least, tenth, median, most] =
            [c.least_gb_s, c.tenth_gb_s, c.median_gb_s, c.most_gb_s].map(|t| rate(Some(t)));
        let words =
            format!("over {} seeds {least} to {most} per host, median {median}; nine of ten have {tenth}", c.seeds);
        text.fact("chance", words);
    }
}

/// What is uneven, and what helps.
pub(super) fn imbalance(text: &mut Text, spreading: Option<&Spreading>) {
    if let Some(spreading) = spreading {
        text.told("imbalance", spreading.sentence.clone());
    }
}

fn classes(s: &Summary, unit: Unit) -> Columns {
    let mut table = Columns::new([
        Column::word("class"),
        Column::number("bandwidth").dropped(4),
        Column::number("links").dropped(2),
        Column::number("used").dropped(1),
        Column::number(amounts(unit, "max load")),
        Column::number(amounts(unit, "mean load")).dropped(3),
        Column::number("throughput"),
    ]);
    let least = s.classes.iter().filter_map(|c| c.throughput_gb_s).fold(f64::INFINITY, f64::min);
    for c in &s.classes {
        table.row(vec![
            c.name.clone(),
            c.bandwidth.map_or("unlimited".into(), |b| b.to_string()),
            c.links.to_string(),
            percent(c.used as f64 / c.links as f64),
            amount(unit, c.max_load),
            amount(unit, c.mean_load),
            rate(c.throughput_gb_s),
        ]);
        table.heat("throughput", c.throughput_gb_s.map_or(0.0, |own| least / own));
    }
    table
}

fn hottest(links: &[HotLink], unit: Unit) -> Columns {
    let mut table = Columns::new([
        Column::name("hottest links"),
        Column::word("class").dropped(1),
        Column::number(amounts(unit, "load")).dropped(3),
        Column::number("of hottest"),
        Column::number("pairs").dropped(2),
        // Names are worth more than the pairs behind them.
        Column::list("heaviest pairs of tasks").dropped(4),
    ]);
    for link in links {
        table.row(hot_row(link, unit));
        table.heat("of hottest", link.relative);
    }
    table
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
