//! Simulated measurements with a known fault, over the tables of real and simulated fabrics.

#[path = "../../hopline/tests/common/skip.rs"]
mod skip;

use hopline::plan::Network;
use hopline::scenario::Scenario;
use hopline_blame::{BlameOutcome, LinkEnds, blame};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// Whether an answer's link is one of the truth's.
fn is_link(link: &LinkEnds, truth: &Value) -> bool {
    let port = |p: &Value, own: u16| p.as_u64() == Some(own.into());
    link.from == truth["from"]
        && link.to == truth["to"]
        && port(&truth["from_port"], link.from_port)
        && port(&truth["to_port"], link.to_port)
        || truth["from_guid"].as_str().is_some_and(|g| Some(g) == link.from_guid.as_deref())
            && port(&truth["from_port"], link.from_port)
        || truth["to_guid"].as_str().is_some_and(|g| Some(g) == link.to_guid.as_deref())
            && port(&truth["to_port"], link.to_port)
}

/// What is wrong with an answer, by the rules of the data's README.
fn wrong(answer: &BlameOutcome, truth: &Value) -> Option<String> {
    let told = || {
        let names: Vec<String> = answer
            .suspects
            .iter()
            .map(|s| format!("{}:{}:{} {:?} {:.3}", s.fault, s.kind, s.name, s.rate, s.confidence))
            .collect();
        Some(format!("{}: {} {names:?}", answer.verdict.kind, answer.verdict.sentence))
    };
    let named = |link: &Value| answer.suspects.iter().any(|s| s.links.iter().any(|l| is_link(l, link)));
    let expected = truth["verdict"].as_str().expect("a verdict");
    if answer.verdict.kind != expected {
        return told();
    }
    let faults = truth["faults"].as_array().expect("faults");
    let right = match expected {
        "blame" => {
            answer.suspects.len() == faults.len()
                && faults.iter().all(|f| {
                    let kind = f["kind"].as_str().expect("a kind");
                    let part = answer.suspects.iter().find(|s| {
                        s.links.iter().any(|l| f["links"].as_array().expect("links").iter().any(|t| is_link(l, t)))
                    });
                    part.is_some_and(|s| match kind {
                        "switch" => s.kind == "switch",
                        "host" | "host-receive" => s.kind == "host",
                        _ => s.kind == "link",
                    })
                })
        }
        "ambiguous" => {
            let fault = &faults[0];
            let links = fault["links"].as_array().expect("links").iter();
            let same = fault["same_measurements"][0].as_array().expect("a set").iter();
            answer.suspects.len() > 1 && links.chain(same).all(named)
        }
        "suspect" => answer.suspects.len() > 1 && !answer.next.is_empty() && named(&faults[0]["links"][0]),
        _ => answer.suspects.is_empty(),
    };
    if right { None } else { told() }
}

#[test]
fn all_cases_are_told_as_they_are() {
    let Some(data) = skip::data("blame").map(PathBuf::from) else { return };
    let mut cases: Vec<PathBuf> =
        fs::read_dir(data.join("cases")).expect("cases").map(|e| e.expect("a case").path()).collect();
    cases.sort();
    let mut all_wrong = Vec::new();
    for case in cases {
        let name = case.file_name().expect("a name").to_string_lossy().into_owned();
        let about = json(&case.join("case.json"));
        let fabric = about["fabric"].as_str().expect("a fabric");
        let path = match fabric.strip_prefix("project:") {
            Some(own) => root().join(own),
            None => data.join("..").join(fabric.strip_prefix("shared/data/").expect("data of ours")),
        };
        let scenario = Scenario::default().topology(&format!("file:{}", path.display())).expect("a scenario");
        let network = Network::new(&scenario, &hopline::files::Disk).expect("a network");
        let mut files: Vec<(String, String)> = fs::read_dir(&case)
            .expect("a case")
            .map(|e| e.expect("a file").path())
            .filter(|p| !p.ends_with("case.json"))
            .map(|p| (p.display().to_string(), fs::read_to_string(&p).expect("text")))
            .collect();
        files.sort();
        let answer = blame(&network, &files).unwrap_or_else(|e| panic!("{name}: {e}"));
        let truth = json(&data.join("truth").join(format!("{name}.json")));
        if let Some(text) = wrong(&answer, &truth) {
            all_wrong.push(format!("{name} expected {}, told {text}", truth["verdict"]));
        }
    }
    assert!(all_wrong.is_empty(), "\n{}", all_wrong.join("\n"));
}
