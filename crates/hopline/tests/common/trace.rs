//! Routes by forwarding tables beside those that ibtracert prints.

use hopline::error::Result;
use hopline::fabric::Guid;
use hopline::files::{Disk, read_text};
use hopline::format::ibnetdiscover;
use hopline::format::infiniband::{Lids, build};
use hopline::id::VertexId;
use hopline::plan::Network;
use hopline::routing::Path;
use hopline::scenario::Scenario;

/// One line of ibtracert: the port by which a packet leaves a node, then the
/// GUID of the next one (an adapter's is its port's) and the port by which it
/// arrives there.
pub type Step = (u16, Guid, u16);

/// What ibtracert says of one pair: the first LIDs of both ends, and the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Trace {
    pub ends: (u16, u16),
    pub steps: Vec<Step>,
}

/// Reads the output of ibtracert; a line that is no part of a route is a fault of the test data.
pub fn traces(text: &str) -> Vec<Trace> {
    let mut all = Vec::new();
    let mut open = Trace::default();
    for line in text.lines() {
        if line.starts_with("From ") {
            open.ends.0 = first_lid(line);
        } else if line.starts_with("To ") {
            open.ends.1 = first_lid(line);
            all.push(std::mem::take(&mut open));
        } else if !line.contains(" lid/guid pairs processed from ") {
            open.steps.push(step(line).unwrap_or_else(|| panic!("`{line}` is no line of ibtracert")));
        }
    }
    all
}

/// `... portnum 1 lid 80-83 "n0072 mlx5_0"` has 80.
fn first_lid(line: &str) -> u16 {
    let lid = line.split_once(" lid ").and_then(|(_, rest)| rest.split('-').next()?.parse().ok());
    lid.unwrap_or_else(|| panic!("`{line}` has no LID"))
}

/// `[7] -> switch port {0x0002c90200400e08}[5] lid 13-13 "..."`.
fn step(line: &str) -> Option<Step> {
    let (out, rest) = line.strip_prefix('[')?.split_once("] -> ")?;
    let (guid, rest) = rest.split_once("{0x")?.1.split_once("}[")?;
    let guid = Guid(u64::from_str_radix(guid, 16).ok()?);
    Some((out.parse().ok()?, guid, rest.split_once(']')?.0.parse().ok()?))
}

/// Lines `slid dlid`.
pub fn lid_pairs(text: &str) -> Vec<(u16, u16)> {
    let pair = |line: &str| {
        let (from, to) = line.split_once(' ')?;
        Some((from.parse().ok()?, to.trim().parse().ok()?))
    };
    text.lines().map(|line| pair(line).unwrap_or_else(|| panic!("`{line}` is no pair of LIDs"))).collect()
}

/// The machine of a directory of dumps, routed by its tables.
pub fn by_tables(dir: &str, lid: &str) -> Network {
    let scenario = Scenario::default()
        .topology(&format!("file:{dir}"))
        .and_then(|s| s.routing(&format!("table:lid={lid}")))
        .unwrap_or_else(|e| panic!("{e}"));
    Network::new(&scenario, &Disk).unwrap_or_else(|e| panic!("{dir}: {e}"))
}

/// Who owns which LID on the machine whose cables `file` holds.
pub fn lids(file: &str) -> Lids {
    let cabling = read_text(&Disk, file).and_then(|text| ibnetdiscover::parse(file, &text));
    cabling.and_then(|c| build(file, &c)).unwrap_or_else(|e| panic!("{file}: {e}")).lids
}

/// The path number `choice` in the form of ibtracert.
pub fn walk(network: &Network, from: VertexId, to: VertexId, choice: u64) -> Result<Vec<Step>> {
    let f = &*network.fabric;
    let mut path = Path::default();
    network.routing.path(from, to, choice, &mut path)?;
    let mut at = from;
    let mut steps = Vec::new();
    for &link in &path.links {
        assert_eq!(f.source(link), at, "the way from {} to {} is broken", f.vertex_name(from), f.vertex_name(to));
        at = f.target(link);
        let guid = f.guid(at).unwrap_or_else(|| panic!("{} has no GUID", f.vertex_name(at)));
        steps.push((f.port(link), guid, f.port(f.reverse(link))));
    }
    assert_eq!(at, to, "the way to {} ends at {}", f.vertex_name(to), f.vertex_name(at));
    Ok(steps)
}

/// Walks every pair of LIDs through the tables in `dir` and compares each step
/// with what ibtracert printed for the pairs, in their order.
pub fn compare_with_ibtracert(dir: &str, pairs: &[(u16, u16)], printed: &str) {
    let lids = lids(&format!("{dir}/ibnetdiscover.txt"));
    let traces = traces(printed);
    assert_eq!(traces.len(), pairs.len(), "{dir}: ibtracert traced another number of pairs");
    // The n-th LID of an adapter has routes of its own: table:lid=n.
    let mut routed: Vec<Network> = Vec::new();
    for (&(slid, dlid), trace) in pairs.iter().zip(&traces) {
        let owner = |lid| lids.owner(lid).unwrap_or_else(|| panic!("{dir}: nobody has LID {lid}"));
        let (from, to) = (owner(slid), owner(dlid));
        assert_eq!((lids.of(from).start, lids.of(to).start), trace.ends, "{dir}: LIDs {slid} -> {dlid}");
        let offset = usize::from(dlid - lids.of(to).start);
        while routed.len() <= offset {
            routed.push(by_tables(dir, &routed.len().to_string()));
        }
        let steps = walk(&routed[offset], from, to, 0).unwrap_or_else(|e| panic!("{dir}: {e}"));
        assert_eq!(steps, trace.steps, "{dir}: LIDs {slid} -> {dlid}");
    }
}
