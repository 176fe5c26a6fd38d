//! Hopline's own form of a fabric: one JSON object with everything that a
//! [`Fabric`] holds, and the forwarding tables where there are any.
//!
//! ```text
//! {
//!   "hopline_fabric": 1,
//!   "name": "two hosts",
//!   "classes": [
//!     {"name": "host", "bandwidth_bytes_s": 4000000000, "latency_ns": 0, "host": true}
//!   ],
//!   "endpoints": [
//!     {"name": "n1"},
//!     {"name": "n2"}
//!   ],
//!   "switches": [
//!     {"name": "leaf", "guid": "0x00000000000000a1"}
//!   ],
//!   "cables": [
//!     {"a": "n1", "port_a": 1, "b": "leaf", "port_b": 1, "class": "host"},
//!     {"a": "n2", "port_a": 1, "b": "leaf", "port_b": 2, "class": "host"}
//!   ],
//!   "hosts": [
//!     {"name": "n1", "endpoints": ["n1"], "slots": 1},
//!     {"name": "n2", "endpoints": ["n2"], "slots": 1}
//!   ]
//! }
//! ```
//!
//! Every item stands in a line of its own, so that files can be compared. The
//! remaining keys ([`Document`]) may be left out.

mod check;
mod document;
mod insides;
mod read;
mod style;

pub use document::{Cable, Class, Document, HostItem, LevelItem, TableItem, Vertex};
pub use insides::{CoreItem, InsideItem, PartItem, PartWord, WireItem};
pub use read::{is_fabric, read};

use super::infiniband::Lids;
use super::lft::Tables;
use crate::error::{Error, Result};
use crate::fabric::{Fabric, Rails};
use crate::id::{HostId, LinkId, VertexId};
use serde::Serialize as _;

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// Writes a fabric, with LIDs and forwarding tables where they are known.
/// O(vertices + links + table entries).
///
/// # Errors
/// A vertex has more than 65,536 links, which port numbers cannot tell apart; or hosts have insides that were changed
/// after they were put into it, such as by faults.
pub fn write(fabric: &Fabric, lids: Option<&Lids>, tables: Option<&Tables>) -> Result<String> {
    let crowded = (0..fabric.vertices()).map(VertexId).find(|&v| fabric.degree(v) > 1 << 16);
    if let Some(v) = crowded {
        let message = format!("{} has {} links, ports count to 65535", fabric.vertex_name(v), fabric.degree(v));
        return Err(Error::input(message).hint("this form holds at most 65,536 links of one vertex"));
    }
    let failed = |e: serde_json::Error| Error::failed(format!("cannot write JSON: {e}")).caused_by(e);
    let mut text = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, style::ByLine::default());
    let inside = insides::item(fabric);
    // The network between hosts has the LIDs and tables of a machine that was read.
    let network = fabric.between_hosts();
    if let Some(inside) = &inside
        && insides::put(network.clone(), inside).ok().as_ref() != Some(fabric)
    {
        let message =
            format!("{} has hosts whose insides are not all alike, which this form cannot hold", fabric.name());
        return Err(
            Error::input(message).hint("write the network before faults and names, and repeat those where it is read")
        );
    }
    Document { inside, ..document(network, lids, tables) }.serialize(&mut serializer).map_err(failed)?;
    text.push(b'\n');
    String::from_utf8(text).map_err(|e| Error::failed(format!("cannot write JSON: {e}")).caused_by(e))
}

fn document<'a>(fabric: &'a Fabric, lids: Option<&Lids>, tables: Option<&Tables>) -> Document<'a> {
    let vertex = |v: u32| {
        let own = lids.map_or(0..0, |lids| lids.of(VertexId(v)));
        Vertex {
            name: fabric.vertex_name(VertexId(v)).into(),
            guid: fabric.guid(VertexId(v)).map(|g| g.to_string()),
            lid: own.start,
            lmc: own.len().max(1).ilog2() as u8,
        }
    };
    let cable = |l: LinkId| {
        let (back, class) = (fabric.reverse(l), fabric.class_of(l));
        Cable {
            a: fabric.vertex_name(fabric.source(l)).into(),
            port_a: Some(fabric.port(l)),
            b: fabric.vertex_name(fabric.target(l)).into(),
            port_b: (back != l).then(|| fabric.port(back)),
            class: class.name.as_str().into(),
        }
    };
    let hosts = fabric.hosts();
    let host = |h: HostId| HostItem {
        name: hosts.name(h).into(),
        endpoints: hosts.endpoints(h).iter().map(|&v| fabric.vertex_name(v).into()).collect(),
        slots: hosts.slot_count(h),
    };
    Document {
        hopline_fabric: VERSION,
        name: fabric.name().into(),
        classes: fabric.classes().iter().map(Class::from).collect(),
        endpoints: (0..fabric.endpoints()).map(vertex).collect(),
        switches: (fabric.endpoints()..fabric.vertices()).map(vertex).collect(),
        cables: fabric.link_ids().filter(|&l| l <= fabric.reverse(l)).map(cable).collect(),
        hosts: (0..hosts.len()).map(HostId).map(host).collect(),
        rails: Some(hosts.rails()).filter(|&rails| rails != Rails::default()),
        levels: fabric.levels().iter().map(LevelItem::from).collect(),
        coordinates: fabric.coordinates().unwrap_or_default().to_vec(),
        notes: fabric.notes().to_vec(),
        tables: tables.map_or(Vec::new(), |t| t.tables.iter().map(TableItem::from).collect()),
        table_notes: tables.map_or(Vec::new(), |t| t.notes.clone()),
        inside: None,
    }
}
