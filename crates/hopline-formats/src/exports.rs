//! The list of forms that a fabric can be written in.

use crate::{dot, graphml, slurm_topology};
use hopline::entry::{Entry, Listed};
use hopline::format::{FabricExport, JSON};
use hopline::lists::List;

const GRAPHML: Entry = Entry {
    name: "graphml",
    summary: "GraphML for graph tools (NetworkX, igraph, Gephi, yEd): one edge per cable",
    doc: "Nodes have kind (endpoint or switch), name, guid, host, slots of the host (at its first endpoint) and level_NAME, \
          the part of each level; edges have class, bandwidth_gb_s (left out where unlimited), latency_ns, host_link, \
          port_source and port_target; the graph has coordinates, distances of the levels and rails where there are some. \
          Undirected; parallel cables are parallel edges. `--fabric FILE` reads it back: notes, LIDs, forwarding tables and \
          hosts without an endpoint are lost.\n\
          Files of other tools are read too, directed ones if every edge goes both ways or none does. A node's name is its \
          name, label or id; kind (or type, role) may be host, server, leaf, spine, router, ...; without any kind, nodes with one \
          neighbour are endpoints, or all are where there is none. bandwidth, capacity and speed take 100Gb/s or 12.5 (GB/s). \
          Source: graphml.graphdrawing.org.",
    example: "graphml",
    params: &[],
};

const DOT: Entry = Entry {
    name: "dot",
    summary: "Graphviz: one edge per cable, a colour for every class of links",
    doc: "Switches are boxes, endpoints ellipses; the tooltip of a cable tells its ports. Draw a small fabric with \
          `dot -Tsvg`, a large one with `sfdp -Tsvg`. The attributes of `graphml` stand beside those that draw (class as \
          link_class), and `--fabric FILE` reads them back, as well as files of other tools, subgraphs and defaults included. \
          Source: graphviz.org, the DOT language.",
    example: "dot",
    params: &[],
};

const SLURM: Entry = Entry {
    name: "slurm-topology",
    summary: "Slurm's topology.conf for the plugin topology/tree",
    doc: "Leaf switches are those on which hosts hang (SwitchName=leaf01 Nodes=n[001-008]). Above them come the \
          switches by their distance from the hosts. Slurm wants one parent for each switch, so switches of one height \
          that reach the same ones below become one, and a comment tells whom it stands for. In networks without \
          switches above the leaves (Dragonfly, PERCS) the levels of the fabric take their place: chassis, group. One \
          switch over all that are cabled together is the root. Names keep letters, digits, `.`, `_` and `-`. A host \
          with adapters on several switches stands at that of its first. `--fabric FILE` reads it: hosts, switches and one link \
          from each to its parent, of 1 GB/s, as Slurm knows neither speeds nor parallel cables; blocks (BlockName) too.\n\
          Source: slurm.schedmd.com/topology.conf.html.",
    example: "slurm-topology",
    params: &[],
};

const YAML: Entry = Entry {
    name: "topology-yaml",
    summary: "Slurm's topology.yaml (25.05 and newer) with the same tree",
    doc: "The tree of `slurm-topology` as the only topology and the cluster's default. Slurm reads topology.yaml instead \
          of topology.conf where both are there. `--fabric FILE` reads the cluster's default, a tree or blocks. Source: slurm.schedmd.com/topology.yaml.html.",
    example: "topology-yaml",
    params: &[],
};

/// The list, as `hopline list` and the reference pages show it.
pub fn exports() -> List {
    let entries = FABRIC_EXPORTS.iter().map(|form| *form.entry()).collect();
    List { name: "fabric-export", title: "Forms of a fabric", entries }
}

/// All forms of a fabric, the library's own first.
pub const FABRIC_EXPORTS: &[FabricExport] = &[
    JSON,
    FabricExport { entry: &GRAPHML, write: |s| Ok(graphml::write(s.fabric)) },
    FabricExport { entry: &DOT, write: |s| Ok(dot::write(s.fabric)) },
    // Slurm knows nothing of the insides of hosts.
    FabricExport { entry: &SLURM, write: |s| slurm_topology::conf(s.fabric.between_hosts()) },
    FabricExport { entry: &YAML, write: |s| slurm_topology::yaml(s.fabric.between_hosts()) },
];
