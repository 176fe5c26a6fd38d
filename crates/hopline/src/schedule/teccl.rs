//! TE-CCL's solved schedules (JSON): chunks that travel over links in epochs; checked and replayed.
//!
//! ```text
//! {"4-Collective_Finish_Time": 0.01, "7-Flows": ["Chunk 0 from 1 traveled over 1->2 in epoch 0",
//!                                                "Chunk 0 from 1 traveled over 2->3 in epoch 1 via switches 0"]}
//! ```
//!
//! GPUs are what flows begin or end at; switches on the way are none. A chunk that travels with a volume is a part of a block
//! for one GPU, on the chunk paths that are told: an all-to-all; else every GPU must get every chunk, an allgather. Source:
//! github.com/microsoft/TE-CCL.

use super::msccl::{Fault, Finding, MscclOutcome, Verdict};
use super::{Builder, Limit, Made, OpId, Schedule};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::files::{check_values, read_text};
use crate::params::{Bytes, Reader};
use crate::traffic::Context;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const ENTRY: Entry = Entry {
    name: "teccl",
    summary: "a schedule that TE-CCL has solved, JSON",
    doc: "Every flow is a message, sent once what it passes on has come; messages of one pair leave in order of their epochs, which \
          say nothing else. Ranks are GPUs in the order of their numbers.\n\
          `bytes` counts as `hopline collective` counts: a rank's shard for allgather, the block of a pair for all-to-all. \
          `hopline collective check FILE` says whether it is right.\n\
          Source: github.com/microsoft/TE-CCL.",
    example: "teccl:file=testdata/schedules/teccl-line.json,bytes=1M",
    params: &[param("file", "path", "", "the schedule"), param("bytes", "bytes", "1M", "size of the collective")],
};

/// Parts of a chunk that are less are rounding.
const ROUNDING: f64 = 1e-6;
/// Faults told, most.
const SHOWN: usize = 20;
/// Flows, most.
const MOST_FLOWS: usize = 1 << 22;

/// A part of a chunk on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Flow {
    epoch: u32,
    /// The GPU that had the chunk first, and its number there.
    chunk: (u32, u32),
    from: u32,
    to: u32,
    /// Part of the chunk; `None` is all of it, copied.
    volume: Option<f64>,
    /// Whether switches are on its way.
    is_switched: bool,
}

/// A flow by which two are told apart: epoch, chunk, ends, and the bits of its part.
type Key = (u32, (u32, u32), u32, u32, Option<u64>);

impl Flow {
    fn key(&self) -> Key {
        (self.epoch, self.chunk, self.from, self.to, self.volume.map(f64::to_bits))
    }
}

/// A schedule; GPUs by their place among all.
struct Solved {
    /// Their numbers in the file.
    gpus: Vec<u32>,
    /// In order of their epochs.
    flows: Vec<Flow>,
    /// Which GPU must get which chunk.
    demands: BTreeSet<(u32, (u32, u32))>,
    is_alltoall: bool,
    /// Where the flows of an all-to-all and the paths of its blocks differ.
    differs: Vec<Finding>,
}

/// Whether a text is such a schedule.
pub fn begins(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("-Flows\"")
}

/// `Chunk 0 from 6 traveled over 6->1 with volume 0.5 in epoch 0 via switches 0`.
fn flow(text: &str) -> Option<Flow> {
    let (chunk, rest) = text.strip_prefix("Chunk ")?.split_once(" from ")?;
    let (source, rest) = rest.split_once(" traveled over ")?;
    let (ends, rest) = rest.split_once(' ')?;
    let (from, to) = ends.split_once("->")?;
    let (volume, rest) = match rest.strip_prefix("with volume ") {
        Some(rest) => rest.split_once(' ').map(|(volume, rest)| (Some(volume), rest))?,
        None => (None, rest),
    };
    let rest = rest.strip_prefix("in epoch ")?;
    let (epoch, via) = rest.split_once(' ').unwrap_or((rest, ""));
    let volume = match volume {
        Some(volume) => Some(volume.parse().ok().filter(|volume: &f64| volume.is_finite() && *volume > 0.0)?),
        None => None,
    };
    let number = |word: &str| word.parse::<u32>().ok();
    let (from, to) = (number(from)?, number(to)?);
    let chunk = (number(source)?, number(chunk)?);
    let flow = Flow { epoch: number(epoch)?, chunk, from, to, volume, is_switched: via.starts_with("via switches") };
    (from != to).then_some(flow)
}

/// `Demand at 1 for chunk 0 from 10 met by epoch 14`: who, and the chunk.
fn demand(text: &str) -> Option<(u32, (u32, u32))> {
    let (gpu, rest) = text.strip_prefix("Demand at ")?.split_once(" for chunk ")?;
    let (chunk, rest) = rest.split_once(" from ")?;
    let source = rest.split(' ').next()?;
    Some((gpu.parse().ok()?, (source.parse().ok()?, chunk.parse().ok()?)))
}

/// The hops of a block's paths, `[epoch, "10->8 with volume 0.25 in epoch 5"]` each, as flows are written.
fn hops(key: &str, paths: &Value) -> Vec<Value> {
    let Some((_, (source, chunk))) = demand(key) else { return Vec::new() };
    let hops = paths.as_array().into_iter().flatten().flat_map(|path| path.as_array().into_iter().flatten());
    let texts = hops.filter_map(|hop| hop.get(1).and_then(Value::as_str));
    texts.map(|hop| Value::from(format!("Chunk {chunk} from {source} traveled over {hop}"))).collect()
}

fn read(path: &str, text: &str) -> Result<Solved> {
    let wrong = |line: usize, text: String| Error::input(text).at(&Place::new(path, line as u32));
    check_values(path, text)?;
    let document: Value = serde_json::from_str(text).map_err(|e| {
        let error = wrong(e.line(), format!("{e}, expected TE-CCL's JSON"));
        if e.is_eof() { error.hint("the file is cut short") } else { error }
    })?;
    // Keys begin with a number that differs between collectives.
    let part = |name: &str| {
        let named = |key: &str| key.split_once('-').is_some_and(|(_, own)| own.eq_ignore_ascii_case(name));
        document.as_object().and_then(|all| all.iter().find(|(key, _)| named(key)).map(|(_, value)| value))
    };
    let flows = part("Flows").and_then(Value::as_array).ok_or_else(|| wrong(1, "no list of `Flows`".into()))?;
    if flows.len() > MOST_FLOWS {
        return Err(wrong(1, format!("{} flows, expected at most {MOST_FLOWS}", flows.len())));
    }
    let line = |word: &str| 1 + text.find(word).map_or(0, |at| text[..at].matches('\n').count());
    let read_flow = |value: &Value| {
        let text = value.as_str().unwrap_or_default();
        let expected = "expected `Chunk C from S traveled over A->B in epoch E`, A and B two GPUs";
        flow(text).ok_or_else(|| wrong(line(text), format!("the flow `{text}`, {expected}")))
    };
    let mut flows = flows.iter().map(read_flow).collect::<Result<Vec<Flow>>>()?;
    let is_alltoall = flows.iter().any(|flow| flow.volume.is_some());
    let paths = part("Chunk paths").and_then(Value::as_object);
    let mut differs = Vec::new();
    if is_alltoall {
        let stated: BTreeSet<_> = flows.iter().map(Flow::key).collect();
        // Equal parts that travel together stand once among the flows: the paths of each block have them all.
        flows = paths
            .into_iter()
            .flatten()
            .flat_map(|(key, paths)| hops(key, paths))
            .map(|hop| read_flow(&hop))
            .collect::<Result<_>>()?;
        let walked: BTreeSet<_> = flows.iter().map(Flow::key).collect();
        let alone = |from: &BTreeSet<Key>, other: &BTreeSet<Key>, names: [&str; 2]| -> Vec<Finding> {
            let text = |(epoch, (source, chunk), from, to, _): &Key| {
                let text = format!("chunk {chunk} from {source} is among `{}` and not so in `{}`", names[0], names[1]);
                Finding::new(Fault::Wrong, 0, &format!("epoch {epoch}: {from}->{to}"), text)
            };
            from.difference(other).take(SHOWN).map(text).collect()
        };
        differs = alone(&walked, &stated, ["Chunk paths", "Flows"]);
        differs.extend(alone(&stated, &walked, ["Flows", "Chunk paths"]));
    }
    flows.sort_by_key(|flow| flow.epoch);
    let mut demands = BTreeSet::new();
    for key in paths.into_iter().flat_map(|paths| paths.keys()) {
        let expected = "expected `Demand at A for chunk C from S met by epoch E`";
        demands.insert(demand(key).ok_or_else(|| wrong(line(key), format!("the demand `{key}`, {expected}")))?);
    }
    let ends = flows.iter().flat_map(|flow| [flow.from, flow.to, flow.chunk.0]);
    let gpus: BTreeSet<u32> = ends.chain(demands.iter().flat_map(|&(gpu, chunk)| [gpu, chunk.0])).collect();
    if is_alltoall && demands.is_empty() {
        return Err(wrong(1, "no `Chunk paths`, which say for which GPU a chunk is".into()));
    }
    if gpus.is_empty() {
        return Err(wrong(1, "no GPU: the list of `Flows` is empty".into()));
    }
    if !is_alltoall {
        // An allgather: every GPU has the same chunks, and all get all.
        let numbers: BTreeSet<u32> = flows.iter().map(|flow| flow.chunk.1).collect();
        let owed = gpus.len().saturating_mul(gpus.len()).saturating_mul(numbers.len());
        if owed > MOST_FLOWS {
            return Err(wrong(1, format!("GPUs owe each other {owed} chunks, expected at most {MOST_FLOWS}")));
        }
        let chunks = gpus.iter().flat_map(|&gpu| numbers.iter().map(move |&number| (gpu, number)));
        demands.extend(gpus.iter().flat_map(|&gpu| chunks.clone().map(move |chunk| (gpu, chunk))));
    }
    demands.retain(|(gpu, chunk)| *gpu != chunk.0);
    let gpus: Vec<u32> = gpus.into_iter().collect();
    let at = |gpu: u32| gpus.partition_point(|&other| other < gpu) as u32;
    for flow in &mut flows {
        (flow.from, flow.to, flow.chunk.0) = (at(flow.from), at(flow.to), at(flow.chunk.0));
    }
    let demands = demands.into_iter().map(|(gpu, chunk)| (at(gpu), (at(chunk.0), chunk.1))).collect();
    Ok(Solved { gpus, flows, demands, is_alltoall, differs })
}

/// Reads and checks a schedule: whether every GPU has what it passes on, and in the end all that it must have. O(flows log flows).
///
/// # Errors
/// It is no such schedule.
pub fn check(path: &str, text: &str) -> Result<MscclOutcome> {
    let solved = read(path, text)?;
    let findings = faults(&solved);
    let collective = if solved.is_alltoall { "alltoall" } else { "allgather" };
    let gpus = solved.gpus.len() as u32;
    let (kind, sentence) = match findings.first() {
        None => ("right", format!("{collective} of {gpus} GPUs: every GPU gets what it must")),
        Some(first) => ("wrong", format!("Some GPU does not get what it must: {} {}", first.place, first.text)),
    };
    let chunks: BTreeSet<(u32, u32)> = solved.flows.iter().map(|flow| flow.chunk).collect();
    let mut notes = vec!["epochs are taken for an order: how long links take is not in the file".to_string()];
    if solved.gpus.first() == Some(&1) {
        notes.push(format!("GPU 0 is a switch in this file: the collective has {gpus} ranks"));
    }
    if has_copies(&solved) {
        notes.push("switches give out copies in this file; where they only pass on it takes longer".into());
    }
    let pairs = solved.demands.iter().map(|&(gpu, chunk)| (chunk.0, gpu)).collect::<BTreeSet<_>>().len() as u64;
    let all = u64::from(gpus) * u64::from(gpus - 1);
    if pairs < all {
        notes.push(format!("only {pairs} of {all} pairs of GPUs have a chunk for each other"));
    }
    Ok(MscclOutcome {
        file: path.to_string(),
        name: String::new(),
        collective: collective.into(),
        protocol: "TE-CCL".into(),
        verdict: Verdict { kind: kind.into(), sentence },
        findings,
        root: 0,
        gpus,
        chunks: chunks.len() as u32,
        blocks: 0,
        steps: solved.flows.last().map_or(0, |flow| flow.epoch.saturating_add(1)),
        messages: solved.flows.len() as u64,
        notes,
    })
}

/// Whether a GPU sends a chunk to several others at once through switches.
fn has_copies(solved: &Solved) -> bool {
    let switched = solved.flows.iter().filter(|flow| flow.is_switched && flow.volume.is_none());
    let mut seen = BTreeSet::new();
    let mut sends = switched.map(|flow| (flow.epoch, flow.chunk, flow.from));
    !sends.all(|send| seen.insert(send))
}

/// What GPUs lack, in the words of the file.
fn faults(solved: &Solved) -> Vec<Finding> {
    let name = |at: u32| solved.gpus[at as usize];
    // What a GPU has of a chunk; copies stay, parts move on.
    let mut has: BTreeMap<(u32, (u32, u32)), f64> = BTreeMap::new();
    let mut found = Vec::new();
    for flows in solved.flows.chunk_by(|a, b| a.epoch == b.epoch) {
        for flow in flows {
            let own = if flow.from == flow.chunk.0 { 1.0 } else { 0.0 };
            let there = has.entry((flow.from, flow.chunk)).or_insert(own);
            if *there + ROUNDING < flow.volume.unwrap_or(1.0) {
                let (text, chunk) = (name(flow.chunk.0), flow.chunk.1);
                let place = format!("epoch {}: {}->{}", flow.epoch, name(flow.from), name(flow.to));
                let text = format!("sends chunk {chunk} from {text}, of which gpu {} has {there}", name(flow.from));
                found.push(Finding::new(Fault::Wrong, 0, &place, text));
            }
            *there -= flow.volume.unwrap_or(0.0);
        }
        for flow in flows {
            let own = if flow.to == flow.chunk.0 { 1.0 } else { 0.0 };
            *has.entry((flow.to, flow.chunk)).or_insert(own) += flow.volume.unwrap_or(1.0);
        }
    }
    for &(gpu, chunk) in &solved.demands {
        let there = has.get(&(gpu, chunk)).copied().unwrap_or(0.0);
        if there < 1.0 - ROUNDING {
            let text = format!("has {there} of chunk {} from {}", chunk.1, name(chunk.0));
            found.push(Finding::new(Fault::Wrong, 0, &format!("gpu {}", name(gpu)), text));
        }
    }
    found.extend(solved.differs.iter().cloned());
    found.truncate(SHOWN);
    found
}

pub(super) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let path: String = reader.need("file")?;
    let bytes = reader.or("bytes", Bytes(1 << 20))?.0;
    let solved = read(&path, &read_text(context.files, &path)?)?;
    let mut notes = Vec::new();
    if let Some(first) = faults(&solved).first() {
        notes.push(format!("{path} is not right: {} {}", first.place, first.text));
    }
    Ok(Made { schedule: schedule(&solved, bytes, limit)?, notes })
}

/// A message for each flow of a schedule, chunk sizes from the size of the collective. O(flows log flows + waits).
///
/// # Errors
/// It cannot be read, or has more operations than the limit.
pub fn messages(path: &str, text: &str, bytes: u64, limit: Limit) -> Result<Schedule> {
    schedule(&read(path, text)?, bytes, limit)
}

/// A message for each flow. O(flows log flows + waits).
fn schedule(solved: &Solved, bytes: u64, limit: Limit) -> Result<Schedule> {
    // The chunks of a GPU share its shard; of an all-to-all each is a block of its own.
    let own = solved.flows.iter().map(|flow| flow.chunk.1).collect::<BTreeSet<_>>().len().max(1);
    let chunk = if solved.is_alltoall { bytes } else { bytes.div_ceil(own as u64) };
    let mut builder = Builder::within(solved.gpus.len() as u32, limit);
    builder.has_room(solved.flows.len() as u64)?;
    let mut came: BTreeMap<(u32, (u32, u32)), Vec<OpId>> = BTreeMap::new();
    for flows in solved.flows.chunk_by(|a, b| a.epoch == b.epoch) {
        let mut arrived = Vec::with_capacity(flows.len());
        for flow in flows {
            let amount = (chunk as f64 * flow.volume.unwrap_or(1.0)).ceil() as u64;
            let sent = builder.send(flow.from, flow.to, amount, 0);
            came.get(&(flow.from, flow.chunk)).into_iter().flatten().for_each(|&op| builder.requires(sent, op));
            arrived.push(((flow.to, flow.chunk), builder.recv(flow.to, flow.from, amount, 0)));
        }
        arrived.into_iter().for_each(|(key, op)| came.entry(key).or_default().push(op));
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Volume;

    const LINE: &str = r#"{"4-Collective_Finish_Time": 0.1, "7-Flows": [
        "Chunk 0 from 1 traveled over 1->2 in epoch 0", "Chunk 0 from 2 traveled over 2->1 in epoch 0 via switches 0",
        "Chunk 0 from 2 traveled over 2->5 in epoch 0", "Chunk 0 from 5 traveled over 5->2 in epoch 0",
        "Chunk 0 from 1 traveled over 2->5 in epoch 1", "Chunk 0 from 5 traveled over 2->1 in epoch 1"]}"#;

    #[test]
    fn what_is_passed_on_must_have_come() {
        assert!(begins(LINE));
        let right = check("a", LINE).expect("a schedule");
        assert_eq!(
            (right.verdict.kind.as_str(), right.gpus, right.messages, right.steps),
            ("right", 3, 6, 2),
            "{right:#?}"
        );
        let early = check("a", &LINE.replace("1->2 in epoch 0", "1->2 in epoch 1")).expect("a schedule");
        assert_eq!(early.findings[0].place, "epoch 1: 2->5");
        assert!(early.findings[0].text.contains("of which gpu 2 has 0"), "{early:#?}");
        let never = check("a", &LINE.replace("2->1 in epoch 1", "2->5 in epoch 1")).expect("a schedule");
        assert_eq!(
            (never.findings[0].place.as_str(), never.findings[0].text.as_str()),
            ("gpu 1", "has 0 of chunk 0 from 5")
        );
    }

    #[test]
    fn parts_of_blocks_move_on_and_add_up() {
        let text = r#"{"6-Flows": ["Chunk 1 from 0 traveled over 0->1 with volume 0.5 in epoch 0",
            "Chunk 1 from 0 traveled over 0->2 with volume 0.5 in epoch 0",
            "Chunk 1 from 0 traveled over 2->1 with volume 0.5 in epoch 1"],
            "7-chunk paths": {"Demand at 1 for chunk 1 from 0 met by epoch 1": [[[0, "0->1 with volume 0.5 in epoch 0"]],
            [[0, "0->2 with volume 0.5 in epoch 0"], [1, "2->1 with volume 0.5 in epoch 1"]]]}}"#;
        assert!(check("a", text).expect("a schedule").is_right());
        let less = check("a", &text.replace("2->1 with volume 0.5", "2->1 with volume 0.25")).expect("a schedule");
        assert_eq!(less.findings[0].text, "has 0.75 of chunk 1 from 0");
        let more = check("a", &text.replace("2->1 with volume 0.5", "2->1 with volume 0.75")).expect("a schedule");
        assert_eq!(more.findings[0].place, "epoch 1: 2->1");
        // The flows say less, and the paths what they must.
        let flow = "\"Chunk 1 from 0 traveled over 0->2 with volume 0.5 in epoch 0\"";
        let apart = check("a", &text.replace(flow, &flow.replace("0.5", "0.25"))).expect("a schedule");
        assert_eq!((apart.findings.len(), apart.findings[0].place.as_str()), (2, "epoch 0: 0->2"));
        assert!(apart.findings[0].text.ends_with("among `Chunk paths` and not so in `Flows`"), "{apart:#?}");
        let played = schedule(&read("a", text).expect("a schedule"), 1000, Limit::default()).expect("messages");
        assert_eq!((played.ranks(), played.volume()), (3, Volume { messages: 3, bytes: 1500 }));
    }

    #[test]
    fn other_texts_are_refused_with_their_line() {
        let error = |text: &str| check("a", text).expect_err("wrong").to_string();
        assert!(error("{\"7-Flows\": [\n\"Chunk x\"]}").starts_with("a:2: the flow `Chunk x`, expected"));
        assert!(error("{}").contains("no list of `Flows`"));
        assert!(error("{\"7-Flows\": []}").contains("the list of `Flows` is empty"));
        assert!(error("{\"7-Flows\": [").contains("expected TE-CCL's JSON"));
        let flow = "\"Chunk 0 from 0 traveled over 0->1 with volume 1 in epoch 0\"";
        let demand = |key: &str| format!("{{\"6-Flows\": [{flow}], \"7-chunk paths\": {{\"{key}\": []}}}}");
        assert!(error(&demand("Demand at 1")).contains("the demand `Demand at 1`, expected"));
        // A source that sends nothing is one of the GPUs, and its block does not come.
        let never = check("a", &demand("Demand at 1 for chunk 0 from 99 met by epoch 1")).expect("a schedule");
        assert_eq!((never.gpus, never.is_right()), (2, false));
        let last = check("a", "{\"7-Flows\": [\"Chunk 4294967295 from 1 traveled over 1->2 in epoch 4294967295\"]}");
        assert_eq!(last.expect("a schedule").findings[0].text, "has 0 of chunk 4294967295 from 2");
        assert!(error(&format!("{{\"6-Flows\": [{flow}]}}")).contains("for which GPU a chunk is"));
    }
}
