//! The list of forms of a fabric that are read, told apart by content.

use super::infiniband::{Lids, Machine};
use super::lft::Tables;
use super::{
    cray_xc, dot, fabric_json, graph, graphml, host_forms, iblinkinfo, infragraph, rank_links, slurm_topology,
    topograph, ufm_links,
};
use crate::error::Result;

/// What a file says.
pub struct ReadFabric {
    /// The network, with its LIDs where it has some.
    pub machine: Machine,
    /// Its forwarding tables, where they stand in the same file.
    pub tables: Option<Tables>,
}

impl From<Machine> for ReadFabric {
    fn from(machine: Machine) -> Self {
        ReadFabric { machine, tables: None }
    }
}

/// One form of a fabric.
pub struct FabricImport {
    /// Its name, as in [`super::FABRIC_EXPORTS`] where it is written too.
    pub name: &'static str,
    /// True where a text is in this form, whatever it then holds.
    pub begins: fn(&str) -> bool,
    /// Reads a text with its path, which errors name.
    pub read: fn(&str, &str) -> Result<ReadFabric>,
}

/// All forms but the dumps of `ibnetdiscover`, which have no beginning of their own.
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
    FabricImport {
        name: "graphml",
        begins: graphml::begins,
        read: |path, text| graph::machine(path, &graphml::read(path, text)?).map(ReadFabric::from),
    },
    FabricImport {
        name: "dot",
        begins: dot::begins,
        read: |path, text| graph::machine(path, &dot::read(path, text)?).map(ReadFabric::from),
    },
    FabricImport {
        name: "slurm-topology",
        begins: slurm_topology::is_conf,
        read: |path, text| slurm_topology::read_conf(path, text).map(ReadFabric::from),
    },
    FabricImport {
        name: "topology-yaml",
        begins: slurm_topology::is_yaml,
        read: |path, text| slurm_topology::read_yaml(path, text).map(ReadFabric::from),
    },
    FabricImport {
        name: "iblinkinfo",
        begins: iblinkinfo::begins,
        read: |path, text| graph::machine(path, &iblinkinfo::read(path, text)?).map(ReadFabric::from),
    },
    FabricImport {
        name: "topograph",
        begins: topograph::begins,
        read: |path, text| topograph::read(path, text).map(ReadFabric::from),
    },
    FabricImport { name: "infragraph", begins: infragraph::begins, read: infragraph::read },
    FabricImport {
        name: "ufm-links",
        begins: ufm_links::begins,
        read: |path, text| graph::machine(path, &ufm_links::read(path, text)?).map(ReadFabric::from),
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
