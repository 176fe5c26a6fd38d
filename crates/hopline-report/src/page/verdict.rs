//! The answer: a sentence, and the few numbers behind it.

use super::document::{command, list, number, text, unit};
use super::{Part, html, sweep};
use crate::words::{amount, count, rate, three};
use hopline::mapping::without_budget;
use hopline::unit::{bytes, seconds};
use serde_json::Value;

pub(super) fn part(d: &Value) -> Part {
    let mut s = String::new();
    let sentence = sentence(d);
    if !sentence.is_empty() {
        s.push_str(&format!("<p class=\"verdict\">{}</p>\n", hopline::format::escape(&sentence)));
    }
    for more in [d.pointer("/verdict/reason"), d.pointer("/spreading/sentence")].into_iter().flatten() {
        s.push_str(&html::paragraph(more.as_str().unwrap_or("")));
    }
    s.push_str(&html::facts(&facts(d)));
    Part::new("The answer", s)
}

fn sentence(d: &Value) -> String {
    if let Some(said) = d.pointer("/verdict/sentence").and_then(Value::as_str) {
        let stop = if said.ends_with('.') { "" } else { "." };
        return format!("{said}{stop}");
    }
    match command(d) {
        "map" => format!("Only {} was looked at: name more mappings to compare.", text(&d["best"], "mapping")),
        "replay" => replay(d),
        "flits" => flits(d),
        "power" => power(d),
        "collective" => collective(d),
        "fabric show" => shown(d),
        "fabric check" => checked(d),
        "fabric route" => routed(d),
        "blame plan" => planned(d),
        "blame expect" => expected(d),
        "blame history" => told(d),
        "reproduce" => reproduced(d),
        "record" => recorded(d),
        "sweep" => sweep::sentence(d),
        _ => String::new(),
    }
}

/// A number that counts things.
fn whole(d: &Value, key: &str) -> u64 {
    d[key].as_u64().unwrap_or(0)
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

fn checked(d: &Value) -> String {
    let said = capital(text(d, "verdict"));
    let (broken, pairs) = (whole(d, "broken"), whole(d, "pairs"));
    let reached = match (said.contains(|c: char| c.is_ascii_digit()), broken) {
        (true, _) => String::new(),
        (false, 0) => format!("; all {pairs} pairs reach each other"),
        (false, _) => format!("; {broken} of {pairs} pairs do not reach each other"),
    };
    let circle = match list(d, "cycle").len() {
        0 => String::new(),
        links => format!("; around a circle of {links} links packets could wait for each other"),
    };
    format!("{said}{reached}{circle}.")
}

/// The way of a pair, the first where there are several.
fn routed(d: &Value) -> String {
    let paths = list(d, "paths");
    let Some(first) = paths.first() else {
        return format!("{} does not reach {}.", text(d, "from"), text(d, "to"));
    };
    let switches: Vec<&str> = list(first, "hops").iter().map(|hop| text(hop, "name")).collect();
    let over = switches.join(", ");
    let ways = match whole(d, "choices") {
        0 | 1 => "the only way".to_string(),
        ways => format!("the first of {ways} ways"),
    };
    let hops = many(switches.len().saturating_sub(1) as u64, "link");
    format!("From {} to {} over {over}: {hops} between switches, {ways}.", text(d, "from"), text(d, "to"))
}

fn planned(d: &Value) -> String {
    let rounds = list(d, "rounds");
    let pairs: usize = rounds.iter().filter_map(Value::as_array).map(Vec::len).sum();
    format!(
        "{} of {} in all: {} of {} directed links are crossed {} or more.",
        count(rounds.len() as u64, "round"),
        count(pairs as u64, "pair"),
        whole(d, "covered"),
        whole(d, "links"),
        count(whole(d, "crossings"), "time")
    )
}

fn expected(d: &Value) -> String {
    let pairs = list(d, "pairs");
    let slowest = pairs.iter().min_by(|a, b| {
        let rate = |p: &Value| number(p, "expected_gb_s").unwrap_or(f64::INFINITY);
        rate(a).total_cmp(&rate(b))
    });
    slowest.map_or(String::new(), |p| {
        format!(
            "{}: the slowest, {} to {}, should get {}, limited by {}; all together {}.",
            count(pairs.len() as u64, "pair"),
            text(p, "from"),
            text(p, "to"),
            rate(number(p, "expected_gb_s")),
            text(p, "limited_by"),
            rate(number(d, "sum_gb_s"))
        )
    })
}

fn told(d: &Value) -> String {
    let answers = list(d, "answers");
    answers.last().map_or_else(
        || "Nothing was said yet.".to_string(),
        |last| {
            format!(
                "{}; the last, {}: {}.",
                count(answers.len() as u64, "answer"),
                text(last, "time"),
                text(last, "sentence")
            )
        },
    )
}

fn reproduced(d: &Value) -> String {
    let [matching, noted, differing] = ["matching", "noted", "differing"].map(|key| whole(d, key));
    let published = matching + noted + differing;
    let differ = if differing == 0 { String::new() } else { format!("; {differing} differ for no known reason") };
    format!("{matching} of {published} published values as printed{differ}.")
}

fn shown(d: &Value) -> String {
    if let Some(hosts) = d["hosts"].as_array() {
        let adapters: usize = hosts.iter().map(|host| list(host, "adapters").len()).sum();
        let slots: u64 = hosts.iter().map(|host| whole(host, "slots")).sum();
        let [hosts, adapters, slots] = [(hosts.len() as u64, "host"), (adapters as u64, "adapter"), (slots, "slot")]
            .map(|(n, word)| count(n, word));
        return format!("{hosts} with {adapters} and {slots}.");
    }
    if let Some(switches) = d["switches"].as_array() {
        let hosts = switches.iter().filter(|switch| whole(switch, "hosts") > 0).count();
        return format!("{}, {hosts} of them with hosts.", many(switches.len() as u64, "switch"));
    }
    let counts = [("hosts", "host"), ("switches", "switch"), ("links", "directed link")];
    let [hosts, switches, links] = counts.map(|(key, word)| many(whole(d, key), word));
    let far = number(d, "diameter").zip(number(d, "mean_hops")).map_or(String::new(), |(most, mean)| {
        format!("; routers are at most {most} hops apart, {} on average", three(mean))
    });
    let parted = match whole(d, "unreachable") {
        0 => String::new(),
        pairs => format!("; {} of endpoints are not joined by cables", count(pairs, "pair")),
    };
    format!("{hosts}, {switches}, {links}{far}{parted}.")
}

/// "1 switch", "2 switches".
fn many(n: u64, word: &str) -> String {
    if word.ends_with("ch") && n != 1 { format!("{n} {word}es") } else { count(n, word) }
}

fn recorded(d: &Value) -> String {
    let ranks = whole(d, "ranks");
    format!(
        "{} of {} sent {}, {}, between {} of {} pairs.",
        count(ranks, "rank"),
        text(d, "program"),
        count(whole(d, "messages"), "message"),
        bytes(number(d, "bytes").unwrap_or(0.0)),
        whole(d, "pairs"),
        ranks * ranks.saturating_sub(1)
    )
}

fn replay(d: &Value) -> String {
    let done = number(d, "makespan_s").unwrap_or(0.0);
    let worst = list(d, "classes").iter().max_by(|a, b| {
        let most = |c: &Value| number(c, "max_utilization").unwrap_or(0.0);
        most(a).total_cmp(&most(b))
    });
    let busiest = worst.map_or(String::new(), |c| {
        let most = 100.0 * number(c, "max_utilization").unwrap_or(0.0);
        format!("; the busiest link is {}, {most:.0} % of the time", text(c, "busiest"))
    });
    format!("Everybody is done after {}{busiest}.", seconds(done))
}

fn flits(d: &Value) -> String {
    let points = list(d, "points");
    if let Some(stuck) = points.iter().find(|p| !p["deadlock"].is_null()) {
        return format!(
            "Packets wait for each other for ever at load {}.",
            number(stuck, "load").map_or("-".into(), three)
        );
    }
    let full = points.iter().find(|p| p["saturated"] == true);
    let most = points.iter().filter_map(|p| number(p, "accepted")).fold(0.0, f64::max);
    match full.and_then(|p| number(p, "load")) {
        Some(load) => format!(
            "Saturated at an offered load of {}; at most {} flits per cycle and endpoint arrive.",
            three(load),
            three(most)
        ),
        None => format!(
            "Not saturated at any load that was tried; up to {} flits per cycle and endpoint arrive.",
            three(most)
        ),
    }
}

fn power(d: &Value) -> String {
    let saved = |c: &Value| number(c, "machine_saving").unwrap_or(0.0);
    let fast = |c: &Value| number(c, "throughput_gb_s").unwrap_or(0.0);
    // Of those that save as much the fastest.
    let best =
        list(d, "candidates").iter().max_by(|a, b| saved(a).total_cmp(&saved(b)).then(fast(a).total_cmp(&fast(b))));
    let policies = list(d, "candidates").iter().flat_map(|c| list(c, "policies").iter().map(move |p| (c, p)));
    let policy = policies.reduce(|a, b| if saved(b.1) > saved(a.1) { b } else { a });
    if let Some((c, p)) = policy.filter(|(_, p)| best.is_none_or(|c| saved(p) > saved(c))) {
        let longer = number(p, "makespan_s").zip(number(p, "all_on_s")).map_or(0.0, |(now, all)| now / all - 1.0);
        return format!(
            "Under {} the policy {} saves {:.1} % of the machine's energy, and the job takes {:.1} % longer.",
            text(c, "mapping"),
            text(p, "policy"),
            100.0 * saved(p),
            100.0 * longer
        );
    }
    best.map_or(String::new(), |c| {
        let (dark, mapping) = (c["dark_cables"].as_u64().unwrap_or(0), text(c, "mapping"));
        if dark == 0 {
            return "The job needs every cable: none can be off.".to_string();
        }
        format!(
            "Under {mapping} {} can be off, which saves {:.1} % of the machine's power.",
            count(dark, "cable"),
            100.0 * saved(c)
        )
    })
}

fn collective(d: &Value) -> String {
    let one = |size: &Value| {
        let best = size.get("best")?;
        Some(format!(
            "{} bytes: {} in order {}, {}",
            number(size, "bytes")?,
            text(best, "algorithm"),
            text(best, "order"),
            seconds(number(best, "time_s")?)
        ))
    };
    let sizes: Vec<String> = list(d, "sizes").iter().filter_map(one).collect();
    if sizes.is_empty() { String::new() } else { format!("The fastest: {}.", sizes.join("; ")) }
}

fn facts(d: &Value) -> Vec<(&'static str, String)> {
    // The best of several mappings, or the only one.
    let of = if d["best"].is_object() { &d["best"] } else { d };
    let mut facts = Vec::new();
    let mut word = |name: &'static str, text: &str| {
        if !text.is_empty() {
            facts.push((name, text.to_string()))
        }
    };
    word("fabric", text(d, "fabric"));
    word("routing", if text(of, "routing").is_empty() { text(d, "routing") } else { text(of, "routing") });
    word("traffic", text(d, "traffic"));
    word("mapping", &without_budget(text(of, "mapping")));
    let count = |key: &str| number(d, key).map_or(String::new(), |n| n.to_string());
    word("tasks", &count("tasks"));
    word("hosts", &count("hosts"));
    if of.get("throughput_gb_s").is_some() && command(d) != "sweep" {
        word("throughput per host", &rate(number(of, "throughput_gb_s")));
        word("limited by", text(of, "bottleneck"));
    }
    let verdict = &d["verdict"];
    let times = |key: &str| number(verdict, key).map_or(String::new(), hopline::unit::times);
    if number(verdict, "runs").is_some_and(|runs| runs > 1.0) {
        word("runs", &format!("{}, worth {} to {}", verdict["runs"], times("low"), times("high")));
    }
    word("no mapping is worth more than", &times("at_most"));
    word("time of an exchange, at least", &number(of, "seconds").map_or(String::new(), seconds));
    word("busiest link between routers", &number(of, "max_load").map_or(String::new(), |v| amount(unit(d), v)));
    word("amount x hops", &number(of, "hop_bytes").map_or(String::new(), |v| amount(unit(d), v)));
    facts
}
