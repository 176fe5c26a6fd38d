//! The contention that section 4 states for its four cases, and lower ones.

use super::{equal, ours};
use crate::machine::Machine;
use crate::{Figure, Finding, Key, Options, Point, Published, Series};
use hopline::error::Result;
use hopline::mapping::linear::lower_bound;

const ITEM: &str = "Section 4: T";

/// A communication on a k-ary n-cube, with T as stated.
struct Case {
    name: &'static str,
    k: u32,
    n: u32,
    /// Without mapping.
    before: f64,
    /// Under the mapping of Theorem 3.
    map_s: f64,
    /// Under the common mapping of Theorem 4, on the 4-ary 4-cube alone.
    map_g: Option<f64>,
}

const CASES: [Case; 4] = [
    Case { name: "transpose", k: 4, n: 4, before: 8.0, map_s: 2.0, map_g: Some(2.0) },
    Case { name: "digit-reverse", k: 4, n: 4, before: 8.0, map_s: 2.0, map_g: Some(2.0) },
    Case { name: "transpose", k: 16, n: 2, before: 8.0, map_s: 8.0, map_g: None },
    Case { name: "digit-reverse", k: 8, n: 3, before: 4.0, map_s: 4.0, map_g: None },
];

pub(super) const MAP_G: &str = "linear:for=[linear:transpose;linear:digit-reverse]";

pub(super) fn findings(options: &Options) -> Result<Vec<Finding>> {
    let mut found = Vec::new();
    for Case { name, k, n, before, map_s, map_g } in CASES {
        let machine = Machine::new(&format!("kncube:k={k},n={n}"))?;
        let (routing, job) = (machine.routing("dor:tie=plus")?, machine.job(&format!("linear:{name}"))?);
        let t = |mapping: &str| Ok(machine.evaluate(&*routing, &job, mapping, options.seed)?.max_load);
        let row = [("communication", Key::from(name)), ("cube", Key::Text(format!("{k}-ary {n}-cube")))];
        found.push(equal(ITEM, &row, "no mapping", before, t("default")?));
        found.push(equal(ITEM, &row, "Map-S", map_s, t("linear:method=theorem3")?));
        if let Some(map_g) = map_g {
            found.push(equal(ITEM, &row, "Map-G", map_g, t(MAP_G)?));
        }
        found.push(ours(ITEM, &row, "chosen pivots", t("linear:method=pivots")?));
        found.push(ours(ITEM, &row, "cycles", t("linear:method=cycles")?));
        found.push(ours(ITEM, &row, "bound", lower_bound(&job, &*routing)?.unwrap_or(0.0)));
    }
    Ok(found)
}

/// T of the four cases by mapping.
pub(super) fn figure(findings: &[Finding]) -> Figure {
    let ticks: Vec<String> = CASES.iter().map(|c| format!("{} {}-ary {}-cube", c.name, c.k, c.n)).collect();
    let columns = ["no mapping", "Map-S", "Map-G", "chosen pivots", "cycles"];
    let tick = |f: &Finding| {
        let words: Vec<String> = f.row.iter().map(|(_, key)| key.to_string()).collect();
        ticks.iter().position(|t| *t == words.join(" "))
    };
    let point = |f: &Finding| {
        let published = if let Some(Published::Number(p)) = f.published { Some(p) } else { None };
        Some(Point { tick: tick(f)? as f64, y: f.computed?, range: None, published })
    };
    let series = columns.map(|column| Series {
        name: column.to_string(),
        points: findings.iter().filter(|f| f.column == column).filter_map(point).collect(),
    });
    Figure {
        name: "section-4".into(),
        title: "Section 4: messages on the busiest link".into(),
        x: "communication".into(),
        y: "T, messages".into(),
        ticks,
        log: true,
        series: series.into(),
    }
}
