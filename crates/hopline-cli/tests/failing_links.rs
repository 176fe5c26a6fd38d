//! `flits --fail-at` and the energy of flits, as people see them.

mod common;

use common::{Scratch, hopline};
use serde_json::Value;

const RUN: &str = "flits --topology torus:dims=4x4 --traffic uniform --load 0.1,0.3 --warmup 500 --cycles 3000";

#[test]
fn a_failure_is_told_in_text_json_and_on_the_page() {
    let desk = Scratch::new("failing-links");
    let line = format!("{RUN} --without t0-0[0] --fail-at 1500 --repair-after 300");
    let text = desk.hopline(&format!("{line} --report DIR/page.html")).done();
    assert!(text.contains("failure in cycle 1500: t0-0[0] -> t1-0[1]; shortest:vcs=hops routing after that"), "{text}");
    let document: Value = serde_json::from_str(&hopline(&format!("{line} --format json")).done()).expect("JSON");
    assert_eq!(document["failure"]["cycle"], 1500);
    for point in document["points"].as_array().expect("points") {
        let losses = &point["failure"];
        let cycles: u64 = ["before", "during", "after"].iter().filter_map(|span| losses[span]["cycles"].as_u64()).sum();
        assert_eq!((point["cycles"].as_u64(), cycles), (Some(3000), 3000), "{losses}");
        let (dropped, resumed) = (&losses["dropped"], &losses["resumed_cycle"]);
        assert!(dropped.as_u64() > Some(0) && resumed.as_u64() >= Some(1800), "{losses}");
        let row = text.lines().filter(|row| row.trim_start().starts_with(&point["load"].to_string())).nth(1);
        let cells: Vec<&str> = row.expect("a row").split_whitespace().collect();
        assert_eq!(cells[1..3], [dropped.to_string(), resumed.to_string()], "{text}");
    }
    let page = desk.read("page.html");
    assert!(page.contains("A failure during the run") && !page.contains("Energy of a flit"), "the page has its table");
    // A kept state is that of this failure alone.
    let kept = |more: &str| desk.hopline(&format!("{line} {more} --checkpoint DIR/state --checkpoint-every 0s"));
    assert_eq!(kept("").done(), text);
    let other = kept("--without t1-1[0]");
    assert!(other.code == Some(2) && other.stderr.contains("another run"), "{}", other.stderr);
}

#[test]
fn energy_follows_the_load_and_the_watts_that_are_given() {
    let desk = Scratch::new("flit-energy");
    let plain: Value = serde_json::from_str(&hopline(&format!("{RUN} --format json")).done()).expect("JSON");
    assert!(plain.get("power").is_none() && !hopline(RUN).done().contains("nJ"));
    let half = format!("{RUN} --power on=0.1,idle=0.5");
    let text = desk.hopline(&format!("{half} --report DIR/page.html")).done();
    assert!(
        text.contains("nJ of a flit across a link at load 0.1: dim0 ") && text.contains("at load 0.3: dim0 "),
        "{text}"
    );
    assert!(desk.read("page.html").contains("Energy of a flit across a link"));
    let half: Value = serde_json::from_str(&hopline(&format!("{half} --format json")).done()).expect("JSON");
    for (document, (on, idle)) in [(&plain, (0.08, 1.0)), (&half, (0.1, 0.5))] {
        for class in document["points"]
            .as_array()
            .expect("points")
            .iter()
            .flat_map(|p| p["classes"].as_array().expect("classes"))
        {
            let number = |key: &str| class[key].as_f64().expect("a number");
            // A link of any bandwidth: on * 64 bytes in the cycles that it sends, idle * as much in the others.
            let load = number("mean_load");
            let expected = on * 64.0 * (load + idle * (1.0 - load)) / load;
            assert!((number("flit_hop_nj") - expected).abs() < 1e-9 * expected, "{class}");
        }
    }
    let wrong = hopline(&format!("{RUN} --power classes=[dim7:on=1]"));
    assert!(wrong.code == Some(2) && wrong.stderr.contains("no class `dim7`"), "{}", wrong.stderr);
    let file = hopline(&format!("{RUN} --interval 1000 --series {}", desk.path("series.csv").display()));
    assert_eq!(file.code, Some(0), "{}", file.stderr);
    let series = desk.read("series.csv");
    let mut rows = series.lines().map(|line| line.split(',').map(String::from).collect::<Vec<_>>());
    assert_eq!(rows.next().and_then(|head| head.last().cloned()).as_deref(), Some("flit_hop_nj"));
    let told = rows
        .filter(|row| row[10].parse::<f64>().is_ok_and(|nj| nj > 0.0))
        .all(|row| !row[3].is_empty() && row[4].is_empty());
    assert!(told, "classes have it, links and packets have not");
}
