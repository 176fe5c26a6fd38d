//! Flits over time: intervals add up to what the whole run has, in JSON and in the file.

mod common;

use common::{Scratch, hopline};
use serde_json::Value;

const RUN: &str =
    "flits --topology dragonfly:p=2,a=4,h=2 --routing minimal --traffic uniform --load 0.4 --warmup 400 --cycles 1600";

fn point(line: &str) -> Value {
    let text = hopline(&format!("{line} --format json")).done();
    let mut document: Value = serde_json::from_str(&text).expect("JSON");
    document["points"][0].take()
}

fn number(of: &Value, key: &str) -> f64 {
    of[key].as_f64().unwrap_or_else(|| panic!("no {key} in {of:#}"))
}

/// The mean of intervals, weighted by their cycles.
fn mean(intervals: &[Value], of: impl Fn(&Value) -> f64) -> f64 {
    let cycles: f64 = intervals.iter().map(|i| number(i, "cycles")).sum();
    intervals.iter().map(|i| of(i) * number(i, "cycles")).sum::<f64>() / cycles
}

#[test]
fn what_is_not_known_as_well_as_asked_for_is_told() {
    let run = RUN.replace("--cycles 1600", "--cycles 300");
    let said = |until: &str| hopline(&format!("{run} --until {until}")).done();
    assert!(said("0.5%@99%").contains("not known to 0.5 % within 300 cycles at loads of 0.4"), "{}", said("0.5%@99%"));
    assert!(!said("50%@90%").contains("not known"), "{}", said("50%@90%"));
}

#[test]
fn files_that_could_not_be_written_are_known_before_the_run() {
    // It would simulate for hours.
    let long = RUN.replace("--cycles 1600", "--cycles 1000000000");
    for file in ["--series /none/over-time.csv", "--report /none/page.html"] {
        let ran = hopline(&format!("{long} {file}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("/none/"), "{}", ran.stderr);
    }
}

#[test]
fn intervals_add_up_to_the_run() {
    let plain = point(RUN);
    assert!(plain.get("series").is_none(), "nothing is recorded unless it is asked for");
    // 400 is a border of intervals of 80 cycles; the last of 300 is shorter.
    for (interval, count, measured) in [(80, 25, Some(5)), (300, 7, None)] {
        let mut recorded = point(&format!("{RUN} --interval {interval}"));
        let series = recorded["series"].take();
        recorded.as_object_mut().expect("a point").remove("series");
        assert_eq!(recorded, plain, "looking changes nothing");
        let series = series.as_array().expect("intervals");
        assert_eq!(series.len(), count);
        let mut at = 0.0;
        for i in series {
            assert_eq!(number(i, "from_cycle"), at);
            at += number(i, "cycles");
        }
        assert_eq!(at, 2000.0);
        let Some(first) = measured else { continue };
        let measured = &series[first..];
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        close(mean(measured, |i| number(i, "accepted")), number(&plain, "accepted"));
        for (k, class) in plain["classes"].as_array().expect("classes").iter().enumerate() {
            close(mean(measured, |i| number(&i["classes"][k], "mean_load")), number(class, "mean_load"));
            assert!(
                measured
                    .iter()
                    .all(|i| number(&i["classes"][k], "max_queue") >= number(&i["classes"][k], "mean_queue"))
            );
        }
    }
}

/// The file has the same by class, and its links' mean is the class's; threads change no byte.
#[test]
fn the_file_has_every_link() {
    let desk = Scratch::new("over-time");
    let text = |threads: u32| {
        let path = desk.path("series.csv");
        hopline(&format!("{RUN} --interval 500 --threads {threads} --series {}", path.display())).done();
        desk.read("series.csv")
    };
    let file = text(1);
    assert_eq!(file, text(4));
    let rows: Vec<Vec<&str>> = file.lines().skip(1).map(|line| line.split(',').collect()).collect();
    // An interval has a line for all packets, one for each of two classes, and one for each of 108 + 72 links.
    assert_eq!(rows.len(), 4 * (1 + 2 + 108 + 72));
    let value = |row: &Vec<&str>, at: usize| row[at].parse::<f64>().expect("a number");
    for from in ["0", "500", "1000", "1500"] {
        for (class, links) in [("local", 108.0), ("global", 72.0)] {
            let own = |row: &&Vec<&str>| row[1] == from && row[3] == class;
            let whole = rows.iter().filter(own).find(|row| row[4].is_empty()).expect("the class");
            for column in [7, 8] {
                let all: f64 = rows.iter().filter(own).filter(|r| !r[4].is_empty()).map(|r| value(r, column)).sum();
                assert!((all / links - value(whole, column)).abs() < 1e-6, "{from} {class} {column}");
            }
            assert!((value(whole, 9) - value(whole, 8) / value(whole, 7)).abs() < 1e-9);
        }
    }
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let desk = Scratch::new("over-time-refused");
    for (more, word) in [
        ("--interval 0".to_string(), "expected 1 or more"),
        ("--interval 100 --inject exchange:bytes=100".to_string(), "not known"),
        (format!("--series a.csv --checkpoint {}", desk.path("state").display()), "cannot be used with"),
        ("--interval 1 --warmup 0 --cycles 1000000".to_string(), "too many intervals"),
    ] {
        let line = if more.contains("--warmup") { RUN.split(" --warmup").next().unwrap_or(RUN) } else { RUN };
        let ran = hopline(&format!("{line} {more}"));
        assert_eq!(ran.code, Some(2), "{more}: {}", ran.stderr);
        assert!(ran.stderr.contains(word), "{more}: {}", ran.stderr);
    }
}
