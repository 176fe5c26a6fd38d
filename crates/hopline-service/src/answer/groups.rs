//! `groups`: hosts under each leaf switch.

use crate::generation::Generation;
use std::collections::BTreeMap;

/// Leaf switches by number with their hosts; a host with adapters on several leaves stands under each.
pub(super) fn groups(g: &Generation) -> BTreeMap<u32, Vec<&str>> {
    let mut groups: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for host in g.atlas.hosts() {
        for leaf in (host.first..host.first + host.endpoints).filter_map(|v| g.atlas.leaf(v)) {
            let hosts = groups.entry(leaf).or_default();
            if hosts.last() != Some(&host.name.as_str()) {
                hosts.push(&host.name);
            }
        }
    }
    groups
}

pub(super) fn text(g: &Generation, out: &mut Vec<u8>) {
    let groups = groups(g);
    out.extend_from_slice(format!("lines {}\n", groups.len()).as_bytes());
    for (leaf, hosts) in groups {
        out.extend_from_slice(g.label(leaf));
        for host in hosts {
            out.push(b' ');
            out.extend_from_slice(crate::protocol::quoted(host).as_bytes());
        }
        out.push(b'\n');
    }
}
