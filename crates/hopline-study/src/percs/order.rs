//! The order of the schemes that section VI reads off Tables I to IV, read off ours. Where a random scheme is
//! compared, by the mean over its mappings and with four standard errors as tolerance.

use super::claims::FAR;
use crate::{Finding, Published, Verdict};

/// The rows of a table, in its order.
struct Rows<'a>(Vec<Vec<&'a Finding>>);

impl<'a> Rows<'a> {
    fn of(findings: &'a [Finding], table: &str) -> Rows<'a> {
        let mut rows: Vec<Vec<&Finding>> = Vec::new();
        for cell in findings.iter().filter(|f| f.item == table) {
            match rows.last_mut().filter(|row| row[0].row == cell.row) {
                Some(row) => row.push(cell),
                None => rows.push(vec![cell]),
            }
        }
        Rows(rows)
    }

    /// In how many rows the least of some columns is at least the greatest of others.
    fn lead(&self, first: &[&str], then: &[&str]) -> usize {
        let holds = |row: &&Vec<&Finding>| {
            pick(row, first).all(|a| {
                pick(row, then).all(|b| {
                    let noise = FAR * error(a).hypot(error(b)) + 1e-9;
                    value(a) >= value(b) - noise
                })
            })
        };
        self.0.iter().filter(holds).count()
    }

    /// One column over another, row by row.
    fn ratios(&self, above: &'a str, below: &'a str) -> impl Iterator<Item = f64> {
        self.0
            .iter()
            .filter_map(move |row| Some(value(pick(row, &[above]).next()?) / value(pick(row, &[below]).next()?)))
    }

    /// Cells of some rows that a class of links limits, and all of them.
    fn limited(&self, class: &str, rows: std::ops::Range<usize>) -> (usize, usize) {
        let cells = self.0.get(rows).unwrap_or_default().concat();
        (cells.iter().filter(|f| f.bottleneck.as_deref() == Some(class)).count(), cells.len())
    }
}

fn pick<'a>(row: &[&'a Finding], columns: &[&str]) -> impl Iterator<Item = &'a Finding> {
    row.iter().copied().filter(|f| columns.contains(&f.column.as_str()))
}

fn value(f: &Finding) -> f64 {
    f.computed.unwrap_or(0.0)
}

/// Standard error of the mean of a random cell.
fn error(f: &Finding) -> f64 {
    f.spread.zip(f.samples).map_or(0.0, |(spread, n)| spread / f64::from(n).sqrt())
}

/// A number that the paper says and the table gives, to a tenth.
fn number(item: &str, says: &str, published: f64, computed: f64) -> Finding {
    Finding {
        published: Some(Published::Number(published)),
        computed: Some(computed),
        verdict: if (computed - published).abs() <= 0.05 { Verdict::Match } else { Verdict::Differs },
        ..Finding::new(item, &[], says)
    }
}

/// What section VI concludes; `findings` holds Tables I to IV as computed.
pub(super) fn findings(findings: &[Finding]) -> Vec<Finding> {
    let [one, two, three, four] = ["Table I", "Table II", "Table III", "Table IV"].map(|t| Rows::of(findings, t));
    let drawers = ["DRW SEQ", "DRW RND"];
    let supernodes = ["SN SEQ", "SN RND"];
    let all_but = |left: &str| -> Vec<&str> {
        ["DEF", "DRW SEQ", "DRW RND", "SN SEQ", "SN RND", "MOD CLR"].into_iter().filter(|c| *c != left).collect()
    };
    let rows = |item: &str, says: &str, holds: usize, of: usize| {
        Finding::claim(item, says, &format!("all {of}"), holds as f64, holds == of)
    };
    let most = |item: &str, says: &str, (holds, of): (usize, usize)| {
        Finding::claim(item, says, &format!("most of {of}"), holds as f64, 2 * holds > of)
    };
    let (a, b) = ("Section VI-A, order of schemes", "Section VI-B, order of schemes");
    let greatest = one.ratios("MOD CLR", "SN SEQ").fold(0.0, f64::max);
    let few: f64 = one.ratios("MOD CLR", "SN SEQ").take(2).sum::<f64>() / 2.0;
    vec![
        rows(a, "Table I: rows where DEF is the least", one.lead(&all_but("DEF"), &["DEF"]), one.0.len()),
        rows(
            a,
            "Table I: rows where both supernode schemes reach both drawer schemes",
            one.lead(&supernodes, &drawers),
            one.0.len(),
        ),
        rows(
            a,
            "Table I: rows where MOD CLR reaches all others",
            one.lead(&["MOD CLR"], &all_but("MOD CLR")),
            one.0.len(),
        ),
        rows(
            a,
            "Table II: rows where MOD CLR reaches all others",
            two.lead(&["MOD CLR"], &all_but("MOD CLR")),
            two.0.len(),
        ),
        number(a, "Table I, n_d = 1 and 2: MOD CLR over SN SEQ", 2.0, few),
        number(a, "Table I: MOD CLR over SN SEQ, greatest", 2.0, greatest),
        rows(
            a,
            "Table II: rows whose MOD CLR is limited by LR links",
            two.0.iter().filter(|row| pick(row, &["MOD CLR"]).any(|f| f.bottleneck.as_deref() == Some("LR"))).count(),
            two.0.len(),
        ),
        rows(
            a,
            "Table III, n_d = 1: supernode schemes reach both drawer schemes",
            Rows(three.0.iter().take(1).cloned().collect()).lead(&supernodes, &drawers),
            1,
        ),
        most(a, "Table III, n_d = 2: cells limited by LR links", three.limited("LR", 1..2)),
        most(a, "Table III, n_d >= 4: cells limited by LL links", three.limited("LL", 2..5)),
        rows(b, "Table IV: rows where Hybrid reaches SN SEQ", four.lead(&["Hybrid"], &["SN SEQ"]), four.0.len()),
    ]
}
