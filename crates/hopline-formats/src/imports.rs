//! The list of forms of a fabric that are read, told apart by content.

use crate::{dot, graph, graphml, iblinkinfo, infragraph, slurm_topology, topograph, ufm_links};
use hopline::format::{FabricImport, ReadFabric};

/// The forms that the library alone does not read.
pub const FABRIC_IMPORTS: &[FabricImport] = &[
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
];
