//! Who is slow, what to measure, what to expect.

use super::columns::{Column, Columns};
use super::text::Text;
use super::words::count;
use hopline_blame::{BlameOutcome, ExpectOutcome, HistoryOutcome, PlanOutcome};

/// Pairs of a plan or round that are shown.
const SHOWN: usize = 40;
/// Links that were not seen to carry their rate, of which so many are shown.
const FEW: usize = 3;

/// `hopline blame`.
pub fn blame(o: &BlameOutcome) -> Text {
    let mut text = Text::new();
    text.line(o.fabric.clone());
    text.told(&format!("{:<11} ", o.verdict.kind), o.verdict.sentence.clone());
    let c = &o.checked;
    text.fact(
        "measured",
        format!("{} numbers of {} flows on {} directed links", c.measurements, c.flows, c.links_crossed),
    );
    text.fact("usual", format!("{:.3}, varying by {:.1} %", c.usual, c.noise * 100.0));
    if !c.carried.is_empty() {
        let some: Vec<String> =
            c.carried.iter().take(FEW).map(|l| format!("{} {:.0} %", l.link, l.part * 100.0)).collect();
        let more = if c.carried.len() > FEW { ", ..." } else { "" };
        text.told(&format!("{:<12}", "carried"), format!("{} of its rate at most{more}", some.join(", ")));
    }
    if !o.suspects.is_empty() {
        let mut table = Columns::new([
            Column::number("fault"),
            Column::word("kind"),
            Column::name("suspect"),
            Column::number("left"),
            Column::number("confidence"),
            Column::word("certain"),
            Column::number("slow pairs"),
            Column::number("others cleared by"),
        ]);
        for s in &o.suspects {
            let left = match (s.rate, s.extra_us) {
                (Some(rate), _) => format!("{:.0} %", rate * 100.0),
                (_, Some(extra)) => format!("+{extra:.2} us"),
                _ => String::new(),
            };
            let (slow, good) = (s.slow.len().to_string(), s.cleared_others_by.to_string());
            table.row(vec![
                s.fault.to_string(),
                s.kind.clone(),
                s.name.clone(),
                left,
                format!("{:.3}", s.confidence),
                if s.certain { "yes" } else { "perhaps" }.to_string(),
                slow,
                good,
            ]);
        }
        text.blank();
        text.table(table);
        for s in o.suspects.iter().filter(|s| !s.errors.is_empty()) {
            text.line(format!("errors on {}: {}", s.name, s.errors.join("; ")));
        }
    }
    if let Some(first) = o.suspects.first().filter(|s| !s.slow.is_empty()) {
        let mut table = Columns::new([
            Column::name("from"),
            Column::name("to"),
            Column::number("measured"),
            Column::number("usual"),
        ]);
        for p in &first.slow {
            table.row(vec![p.from.clone(), p.to.clone(), p.measured.to_string(), p.usual.to_string()]);
        }
        text.blank();
        text.table(table);
    }
    if let Some(first) = o.suspects.first() {
        for p in &first.cleared_by {
            let (rate, usual) = (p.measured, p.usual);
            text.told(&format!("{:<12}", "good"), format!("{}: {} -> {} got {rate} of {usual}", p.link, p.from, p.to));
        }
    }
    for (n, round) in (1..).zip(&o.next) {
        let pairs: Vec<String> = round.iter().map(|(a, b)| format!("{a} -> {b}")).collect();
        text.told(&format!("{:<12}", format!("measure {n}")), pairs.join(", "));
    }
    text.notes(&o.notes);
    text
}

/// `hopline blame history`.
pub fn blame_history(o: &HistoryOutcome) -> Text {
    let mut text = Text::new();
    let mut table = Columns::new([Column::word("when"), Column::word("verdict"), Column::name("what was said")]);
    for a in &o.answers[o.answers.len().saturating_sub(SHOWN)..] {
        table.row(vec![a.time.clone(), a.kind.clone(), a.sentence.clone()]);
    }
    if o.answers.len() > SHOWN {
        text.line(format!("the last {SHOWN} of {} answers", o.answers.len()));
    }
    text.table(table);
    if !o.parts.is_empty() {
        let mut table = Columns::new([
            Column::name("suspect"),
            Column::number("times"),
            Column::word("first"),
            Column::word("last"),
            Column::word("still"),
        ]);
        for p in o.parts.iter().take(SHOWN) {
            let still = if p.still { "yes" } else { "no" };
            table.row(vec![p.name.clone(), p.times.to_string(), p.first.clone(), p.last.clone(), still.to_string()]);
        }
        text.blank();
        text.table(table);
    }
    text.notes(&o.notes);
    text
}

/// `hopline blame plan`.
pub fn blame_plan(o: &PlanOutcome) -> Text {
    let mut text = Text::new();
    text.line(o.fabric.clone());
    text.line(format!(
        "{} of disjoint pairs of {}: {} of {} directed links filled {} or more",
        count(o.rounds.len() as u64, "round"),
        count(o.hosts.len() as u64, "host"),
        o.covered,
        o.links,
        count(o.crossings.into(), "time")
    ));
    for (n, round) in (1..).zip(&o.rounds) {
        let mut pairs: Vec<String> = round.iter().take(SHOWN).map(|(a, b)| format!("{a}:{b}")).collect();
        if round.len() > SHOWN {
            pairs.push(format!("and {} more (--export or --format json has all)", round.len() - SHOWN));
        }
        text.told(&format!("{:<12}", format!("round {n}")), pairs.join(" "));
    }
    if !o.left.is_empty() {
        let some: Vec<&str> = o.left.iter().take(10).map(String::as_str).collect();
        text.told(&format!("{:<12}", "left"), format!("{} links, such as {}", o.links - o.covered, some.join(", ")));
    }
    text.notes(&o.notes);
    text
}

/// `hopline blame expect`.
pub fn expect(o: &ExpectOutcome) -> Text {
    let mut text = Text::new();
    text.line(o.fabric.clone());
    text.line(format!(
        "{}: the slowest {:.3} GB/s, all together {:.3} GB/s",
        count(o.pairs.len() as u64, "pair"),
        o.slowest_gb_s,
        o.sum_gb_s
    ));
    if let Some(verdict) = &o.verdict {
        text.told(&format!("{:<8}", verdict.kind), verdict.sentence.clone());
    }
    text.blank();
    let mut table = Columns::new([
        Column::name("from"),
        Column::name("to"),
        Column::number("round").dropped(1),
        Column::number("alone GB/s"),
        Column::number("expected GB/s"),
        Column::number("flows"),
        Column::name("limited by"),
    ]);
    for p in &o.pairs {
        table.row(vec![
            p.from.to_string(),
            p.to.to_string(),
            p.round.to_string(),
            format!("{:.3}", p.alone_gb_s),
            format!("{:.3}", p.expected_gb_s),
            p.flows_on_it.to_string(),
            p.limited_by.to_string(),
        ]);
    }
    text.table(table);
    text.notes(&o.notes);
    text
}
