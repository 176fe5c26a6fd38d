//! How a fabric is written: the form of its own that the library knows; the crate `hopline-formats` has the list of all.

use super::fabric_json;
use super::infiniband::Lids;
use super::lft::Tables;
use crate::entry::{Entry, Listed};
use crate::error::Result;
use crate::fabric::Fabric;

/// What is written.
#[derive(Debug, Clone, Copy)]
pub struct FabricSource<'a> {
    /// The network.
    pub fabric: &'a Fabric,
    /// Its LIDs, where it has some.
    pub lids: Option<&'a Lids>,
    /// Its forwarding tables, where they were read.
    pub tables: Option<&'a Tables>,
}

/// One form of a fabric.
pub struct FabricExport {
    /// Its words.
    pub entry: &'static Entry,
    /// Answers the file's text, or an error where the form cannot hold the fabric.
    pub write: fn(&FabricSource<'_>) -> Result<String>,
}

impl Listed for FabricExport {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

const ENTRY: Entry = Entry {
    name: "json",
    summary: "Hopline's own form: everything it knows of the fabric, tables included; file:PATH reads it",
    doc: "One object with classes, endpoints, switches, cables with their ports, hosts, levels, coordinates, notes and, \
          where they are known, LIDs and forwarding tables; every item in a line of its own. `hopline schema fabric` \
          prints its schema. Read back it is the same fabric. Tables are left out of a fabric that misses parts.",
    example: "json",
    params: &[],
};

/// Hopline's own JSON.
pub const JSON: FabricExport =
    FabricExport { entry: &ENTRY, write: |s| fabric_json::write(s.fabric, s.lids, s.tables) };
