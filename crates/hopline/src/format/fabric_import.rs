//! The list of forms of a fabric that the library reads, told apart by content; the crate `hopline-formats` knows more.

use super::infiniband::{Lids, Machine};
use super::lft::Tables;
use super::{cray_xc, fabric_json, host_forms, rank_links};
use crate::error::Result;
use crate::fabric::Inside;

/// What a file says.
pub struct ReadFabric {
    /// The network, with its LIDs where it has some.
    pub machine: Machine,
    /// Its forwarding tables, where they stand in the same file.
    pub tables: Option<Tables>,
}

impl ReadFabric {
    /// A host alone as a machine.
    ///
    /// # Errors
    /// The host has nothing that runs tasks, or more than a fabric holds.
    pub fn host(inside: &Inside) -> Result<ReadFabric> {
        Ok(Machine { fabric: inside.fabric()?, lids: Lids::default() }.into())
    }
}

impl From<Machine> for ReadFabric {
    fn from(machine: Machine) -> Self {
        ReadFabric { machine, tables: None }
    }
}

/// One form of a fabric.
pub struct FabricImport {
    /// Its name, as in the list of what is written where it is written too.
    pub name: &'static str,
    /// True where a text is in this form, whatever it then holds.
    pub begins: fn(&str) -> bool,
    /// Reads a text with its path, which errors name.
    pub read: fn(&str, &str) -> Result<ReadFabric>,
}

/// The forms of the library but the dumps of `ibnetdiscover`, which have no beginning of their own.
pub const FABRIC_IMPORTS: &[FabricImport] = &[
    FabricImport {
        name: "rank-links",
        begins: rank_links::begins,
        read: |path, text| {
            let fabric = rank_links::read(path, text)?.fabric()?;
            Ok(Machine { fabric, lids: Lids::default() }.into())
        },
    },
    FabricImport {
        name: "json",
        begins: fabric_json::is_fabric,
        read: |path, text| fabric_json::read(path, text).map(|(machine, tables)| ReadFabric { machine, tables }),
    },
    FabricImport { name: "host", begins: host_forms::is_host, read: host_forms::read_alone },
    FabricImport {
        name: "cray-xc",
        begins: cray_xc::is_interconnect,
        read: |path, text| {
            let fabric = cray_xc::build(path, &cray_xc::parse(path, text)?, &cray_xc::Rates::default())?;
            Ok(Machine { fabric, lids: Lids::default() }.into())
        },
    },
];
