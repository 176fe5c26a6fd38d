//! The values of a paper as the guide shows them: how many are as printed (docs/src/papers.md), and every single one
//! (docs/src/values/PAPER.csv).

use hopline::unit::short;
use hopline_study::{Finding, Published, Reproduction, Verdict};
use std::fmt::Write as _;

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/src");

/// The page counts the values of this run as they are; its columns are those of the whole study, then those of --quick.
pub fn are_counted(study: &Reproduction) {
    let page = std::fs::read_to_string(format!("{GUIDE}/papers.md")).expect("docs/src/papers.md");
    let row = page.lines().find_map(|line| line.strip_prefix(&format!("| {} |", study.study)));
    let row = row.unwrap_or_else(|| panic!("docs/src/papers.md does not count the values of {}", study.study));
    let numbers: Vec<Option<usize>> = row.split('|').map(|cell| cell.trim().parse().ok()).collect();
    // What was counted before are two numbers.
    let columns = if study.quick { 7..11 } else { 2..7 };
    let published = study.matching + study.noted + study.differing;
    let counts = [published, study.matching, study.noted, study.differing, study.beyond];
    let counts = if study.quick { [&counts[..3], &counts[4..]].concat() } else { counts.to_vec() };
    let counts: Vec<Option<usize>> = counts.into_iter().map(Some).collect();
    assert_eq!(numbers.get(columns), Some(&counts[..]), "docs/src/papers.md, values of {}", study.study);
}

/// Every published value of the whole study stands in the guide beside what is computed; HOPLINE_BLESS writes it anew.
pub fn are_listed(study: &Reproduction) {
    let path = format!("{GUIDE}/values/{}.csv", study.study);
    let mut text = String::from("item,row,column,published,computed,verdict,why\n");
    for f in study.entries.iter().filter(|f| f.published.is_some()) {
        let _ = writeln!(text, "{}", line(f));
    }
    if std::env::var_os("HOPLINE_BLESS").is_some() {
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{path}: {e}"));
        return;
    }
    let known = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let changed: Vec<_> = text.lines().zip(known.lines()).filter(|(now, then)| now != then).collect();
    assert!(
        text == known,
        "{path} is out of date: HOPLINE_BLESS=1 HOPLINE_SLOW=1 writes it. Now and then: {changed:#?}"
    );
}

fn line(f: &Finding) -> String {
    let row: Vec<String> = f.row.iter().map(|(name, key)| format!("{name}={key}")).collect();
    let class = |class: &Option<String>| class.as_ref().map_or(String::new(), |class| format!(" {class}"));
    let verdict = match f.verdict {
        Verdict::Match => "as printed",
        Verdict::Noted => "not as printed",
        _ => "differs",
    };
    let cells = [
        f.item.clone(),
        row.join(" "),
        f.column.clone(),
        f.published.as_ref().map_or(String::new(), Published::show) + &class(&f.published_bottleneck),
        f.computed.map_or(String::new(), |x| short(rounded(x))) + &class(&f.bottleneck),
        verdict.into(),
        f.note.clone().unwrap_or_default(),
    ];
    cells.map(|cell| quoted(&cell)).join(",")
}

/// Four digits: what other processors' arithmetic changes is further behind.
fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    format!("{x:.3e}").parse().unwrap_or(x)
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}
