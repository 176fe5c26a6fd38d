//! Errors that ports have counted: since an earlier count where there are two, else since nobody knows when.

use crate::measured::{Batch, PortErrors};
use std::collections::BTreeMap;

/// A port, as its counters name it.
type Port = (Option<u64>, Option<u16>, u16);

/// Errors of ports, and how old they are in a sentence where any counters were given. Of several files the first is
/// subtracted from the last, in the order in which they are given; a count that fell was cleared in between.
pub(crate) fn errors(batches: &[Batch]) -> (Vec<PortErrors>, Option<String>) {
    let counted: Vec<&Batch> = batches.iter().filter(|b| b.format == COUNTERS).collect();
    let (Some(first), Some(last)) = (counted.first(), counted.last()) else { return (Vec::new(), None) };
    if counted.len() == 1 {
        let text = format!(
            "{}: {} ports with errors of their own; how old the counts are is not known, so they only weigh candidates",
            last.path,
            last.errors.len()
        );
        return (last.errors.clone(), Some(text));
    }
    let mut before: BTreeMap<(Port, String), u64> = BTreeMap::new();
    for port in &first.errors {
        before.extend(port.own.iter().map(|(name, n)| ((id(port), plain(name)), *n)));
    }
    let since = |port: &PortErrors| {
        let own = port.own.iter().filter_map(|(name, n)| {
            let earlier = before.get(&(id(port), plain(name))).copied().filter(|earlier| earlier <= n).unwrap_or(0);
            // A counter that is full has stopped: what came since is not known.
            match *n == earlier && *n == full(name) {
                true => Some((format!("{name} (full)"), *n)),
                false => (*n > earlier).then(|| (name.clone(), n - earlier)),
            }
        });
        PortErrors { own: own.collect(), ..port.clone() }
    };
    let fresh: Vec<PortErrors> = last.errors.iter().map(since).filter(|port| !port.own.is_empty()).collect();
    let text = format!(
        "{} ports with errors of their own between {} and {}; older ones are left out",
        fresh.len(),
        first.path,
        last.path
    );
    (fresh, Some(text))
}

/// Where a counter stops: InfiniBand's PortCounters have 4, 8 and 16 bits, its extended ones 64.
fn full(name: &str) -> u64 {
    let (name, small) = (name.to_ascii_lowercase(), plain(name));
    match &small[..] {
        _ if name.ends_with("ext") || name.ends_with("extended") => u64::MAX,
        _ if small.starts_with("linkerrorrecovery") || small.starts_with("linkdown") => 0xff,
        _ if small.starts_with("locallinkintegrity") || small.starts_with("excessivebuffer") => 0xf,
        _ => 0xffff,
    }
}

/// The format of files of counters.
pub(crate) const COUNTERS: &str = "port counters";

fn id(port: &PortErrors) -> Port {
    (port.guid, port.lid, port.port)
}

/// Versions of a tool write a counter's name with `Ext` behind it, or with underscores.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase().replace('_', "");
    name.strip_suffix("ext").or(name.strip_suffix("extended")).map_or(name.clone(), String::from)
}
