//! Collectives as programs of thread blocks: what is right is right, and what is spoiled is found.

mod common;
#[path = "msccl/mutated.rs"]
mod mutated;

use hopline::files::{Disk, Files};
use hopline::rng::Rng;
use hopline::schedule::collective::{named, sized};
use hopline::schedule::msccl::{Fault, MscclOutcome, check, read, write};

fn ring(ranks: u32) -> String {
    named("allgather-ring").and_then(|a| write(&a, &sized(64, 1), ranks)).expect("a ring")
}

fn first(outcome: &MscclOutcome) -> Option<Fault> {
    outcome.findings.first().map(|found| found.fault)
}

/// The files of the data set say in their first line what is wrong, and the real ones are right.
#[test]
fn files_are_what_they_say() {
    let Some(data) = common::data("collectives") else { return };
    let mut seen = 0;
    for path in Disk.list(&format!("{data}/msccl")).expect("a directory") {
        let path = format!("{data}/msccl/{path}");
        if !path.contains(".xml") {
            continue;
        }
        let text = hopline::files::read_text(&Disk, &path).expect("a file");
        let checked = check(&path, &text);
        let says = text.lines().next().unwrap_or("");
        let expected = match says.split_once("expect ").map(|(_, word)| word.trim_end_matches("-->").trim()) {
            Some("wrong") => "wrong",
            Some("reject") => "malformed",
            Some("hang") => "deadlock",
            Some("race") => "race",
            _ => "right",
        };
        assert_eq!(checked.verdict.kind, expected, "{path}: {says}\n{checked:#?}");
        assert_eq!(checked.is_right(), !path.contains("bad-"), "{path}");
        seen += 1;
    }
    assert!(seen > 10, "{seen} files");
}

/// Removes or changes one attribute of one step: what was right is so no more, or nothing that is looked at changed.
#[test]
fn spoiled_programs_are_found() {
    let text = ring(5);
    assert!(check("ring.xml", &text).is_right());
    let steps: Vec<&str> = text.lines().filter(|line| line.contains("<step")).collect();
    let spoil = |line: &str, from: &str, to: &str| check("ring.xml", &text.replacen(line, &line.replace(from, to), 1));
    // A step that receives another chunk than the one that comes.
    let receive = steps.iter().find(|line| line.contains("type=\"r\"")).expect("a receive");
    let other = receive.replace("dstoff=\"", "dstoff=\"1");
    assert_eq!(first(&check("a", &text.replacen(receive, &other, 1))), Some(Fault::Malformed), "beyond the buffer");
    let waits = steps.iter().find(|line| !line.contains("depid=\"-1\"")).expect("a step that waits");
    let alone = check("a", &text.replacen(waits, &without_wait(waits), 1));
    assert_eq!(first(&alone), Some(Fault::Race), "{alone:#?}");
    let tells = steps.iter().find(|line| line.contains("hasdep=\"1\"")).expect("a step that tells");
    assert!(!spoil(tells, "hasdep=\"1\"", "hasdep=\"2\"").is_right());
    assert_eq!(first(&spoil(receive, "cnt=\"1\"", "cnt=\"0\"")), Some(Fault::Malformed));
    assert_eq!(first(&spoil(receive, "cnt=\"1\"", "cnt=\"72\"")), Some(Fault::Malformed), "and beyond the buffer");
}

fn without_wait(line: &str) -> String {
    let begin = line.find("depid=").expect("depid");
    let end = line.find(" hasdep").expect("hasdep");
    format!("{}depid=\"-1\" deps=\"-1\"{}", &line[..begin], &line[end..])
}

/// Two chunks swapped between a pair: everything ends and nothing races, and the result is another.
#[test]
fn chunks_at_the_wrong_place_are_told_by_name() {
    let text =
        "<algo name=\"swap\" ngpus=\"2\" coll=\"allreduce\" nchunksperloop=\"2\" nchannels=\"1\" inplace=\"1\">\n"
            .to_string()
            + &(0..2)
                .map(|gpu| {
                    let peer = 1 - gpu;
                    format!(
                        "<gpu id=\"{gpu}\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"2\">\n\
                     <tb id=\"0\" send=\"{peer}\" recv=\"{peer}\" chan=\"0\">\n\
                     <step s=\"0\" type=\"s\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"2\" WAITS/>\n\
                     <step s=\"1\" type=\"r\" srcbuf=\"i\" srcoff=\"0\" dstbuf=\"s\" dstoff=\"0\" cnt=\"2\" WAITS/>\n\
                     <step s=\"2\" type=\"re\" srcbuf=\"s\" srcoff=\"0\" dstbuf=\"o\" dstoff=\"0\" cnt=\"1\" WAITS/>\n\
                     <step s=\"3\" type=\"re\" srcbuf=\"s\" srcoff=\"LAST\" dstbuf=\"o\" dstoff=\"1\" cnt=\"1\" WAITS/>\n\
                     </tb></gpu>\n"
                    )
                })
                .collect::<String>()
            + "</algo>";
    let text = text.replace("WAITS", "depid=\"-1\" deps=\"-1\" hasdep=\"0\"");
    assert!(check("a", &text.replace("LAST", "1")).is_right());
    let wrong = check("a", &text.replace("LAST", "0"));
    assert_eq!(first(&wrong), Some(Fault::Wrong));
    assert_eq!(wrong.findings[0].text, "lacks chunk 1 of gpu 1; holds wrongly chunk 0 of gpu 1");
    let twice = check("a", &text.replace("srcbuf=\"s\" srcoff=\"LAST\"", "srcbuf=\"o\" srcoff=\"1\""));
    assert_eq!(twice.findings[0].text, "lacks chunk 1 of gpu 1; counts twice chunk 1 of gpu 0");
}

/// What RCCL refuses is malformed: no attribute may be missing, and the wait of a `nop` is that of the step after it.
#[test]
fn what_is_not_run_is_malformed() {
    let text = ring(4);
    for attribute in ["cnt", "depid", "deps", "hasdep", "chan", "s_chunks"] {
        let at = text.find(&format!(" {attribute}=\"")).expect("an attribute");
        let end = at + text[at..].match_indices('"').nth(1).expect("its end").0 + 1;
        let without = check("a", &format!("{}{}", &text[..at], &text[end..]));
        assert_eq!(first(&without), Some(Fault::Malformed), "{attribute}: {without:#?}");
        assert!(without.findings[0].text.contains(&format!("has no `{attribute}`")), "{without:#?}");
    }
    assert_eq!(first(&check("a", &text.replace("proto=\"Simple\"", "proto=\"Fast\""))), Some(Fault::Malformed));
    let none = "<algo name=\"\" ngpus=\"0\" coll=\"allgather\" nchunksperloop=\"1\" nchannels=\"1\"/>";
    assert_eq!(first(&check("a", none)), Some(Fault::Malformed));
    let waits = text.lines().find(|line| line.contains("<step") && !line.contains("depid=\"-1\"")).expect("a wait");
    let block = text[..text.find(waits).expect("its place")].rfind("<tb").expect("its block");
    let steps = &text[block..block + text[block..].find("</tb>").expect("its end")];
    let mut moved = String::new();
    for line in steps.lines() {
        let is_step = line.contains("<step");
        if line == waits {
            let wait = &waits[waits.find("depid").expect("a wait")..waits.find("hasdep").expect("a flag")];
            moved += &format!(
                "<step s=\"N\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\" {wait}hasdep=\"0\"/>\n"
            );
        }
        moved += &if is_step && line == waits { without_wait(line) } else { line.to_string() };
        moved += "\n";
    }
    let mut number = 0;
    let numbered: String = moved
        .lines()
        .map(|line| match line.find(" s=\"") {
            Some(at) if line.contains("<step") => {
                let end = at + 4 + line[at + 4..].find('"').expect("an end");
                number += 1;
                format!("{} s=\"{}{}\n", &line[..at], number - 1, &line[end..])
            }
            _ => format!("{line}\n"),
        })
        .collect();
    let alone = check("a", &text.replacen(steps, &numbered, 1));
    assert!(alone.findings.iter().any(|found| found.text.contains("waits for nothing itself")), "{alone:#?}");
}

/// More than RCCL takes is told as that.
#[test]
fn limits_are_told() {
    let text = ring(4);
    let step = "<step s=\"{}\" type=\"nop\" srcbuf=\"i\" srcoff=\"-1\" dstbuf=\"o\" dstoff=\"-1\" cnt=\"0\" \
                depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n";
    let nops: String = (0..65).map(|s| step.replace("{}", &s.to_string())).collect();
    let block = |id: usize| format!("<tb id=\"{id}\" send=\"-1\" recv=\"-1\" chan=\"0\">\n{nops}</tb>\n");
    let blocks = text.split("</gpu>").next().map_or(0, |gpu| gpu.matches("<tb ").count());
    let long = check("a", &text.replacen("  </gpu>", &format!("{}  </gpu>", block(blocks)), 1));
    assert_eq!((first(&long), &*long.verdict.kind), (Some(Fault::Limits), "limits"), "{long:#?}");
    assert!(long.findings[0].text.contains("has 65 steps, expected at most 64"), "{long:#?}");
}

/// No text panics: bytes of a right program are damaged at random.
#[test]
fn damaged_files_are_refused_in_words() {
    let text = ring(3);
    let mut rng = Rng::new(1, "damage");
    for _ in 0..2000 {
        let mut bytes = text.clone().into_bytes();
        for _ in 0..=rng.below(3) {
            let at = rng.below(bytes.len() as u64) as usize;
            match rng.below(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = b"0123456789-\"<> "[rng.below(15) as usize],
                _ => bytes.truncate(at.max(1)),
            }
        }
        let checked = check("a", &String::from_utf8_lossy(&bytes));
        assert!(checked.is_right() || !checked.findings[0].text.is_empty());
    }
    let huge = text.replace("o_chunks=\"3\"", "o_chunks=\"4000000000\"").replace("cnt=\"1\"", "cnt=\"3000000000\"");
    assert!(!check("a", &huge).is_right());
    let many = text.replace("nchunksperloop=\"3\"", "nchunksperloop=\"3000000000\"");
    assert_eq!(first(&check("a", &many)), Some(Fault::Malformed));
    assert!(read("a", "").is_err());
}

/// XML that RCCL's own reader does not take is right all the same, and told.
#[test]
fn what_rccl_does_not_read_is_told() {
    let text = ring(4);
    let told = |text: &str| {
        let checked = check("ring.xml", text);
        assert!(checked.is_right(), "{checked:#?}");
        checked
            .notes
            .into_iter()
            .find_map(|note| note.strip_prefix("RCCL's own reader does not take ").map(String::from))
    };
    assert_eq!(told(&text), None);
    for (from, to, said) in [
        ("<algo ", "<?xml version=\"1.0\"?>\n<algo ", "`<?xml ... ?>` in line 1"),
        ("  <gpu", "\t<gpu", "a tab in line 2"),
        ("proto=\"Simple\"", "proto='Simple'", "single quotes in line 1"),
        (" proto=", "\nproto=", "an element over several lines in line 1"),
        ("coll=\"allgather\"", "coll=\"all_gather\"", "the collective `all_gather`"),
        (" minBytes=\"0\"", "", "no `minBytes`"),
    ] {
        assert!(text.contains(from), "{from}");
        assert_eq!(told(&text.replacen(from, to, 1)).as_deref(), Some(said));
        assert_eq!(told(&format!("<!-- {} -->\n{text}", to.replace(['<', '>'], ""))), None, "a comment");
    }
    assert!(told(&format!("\u{feff}{text}")).is_some_and(|said| said.contains("byte order mark")));
    let never = check("ring.xml", &text.replacen("minBytes=\"0\" maxBytes=\"0\"", "minBytes=\"9\" maxBytes=\"8\"", 1));
    assert!(never.notes.iter().any(|note| note.starts_with("it is never chosen: minBytes 9")), "{never:#?}");
}
