//! GraphML, which graph tools read and write, with the attributes of [`crate::graph`].

mod read;

pub(crate) use read::{begins, read};

use crate::graph;
use hopline::fabric::Fabric;
use hopline::id::VertexId;
use std::fmt::Write as _;

/// The fabric as an undirected graph with one edge per cable. O(vertices * levels + links).
pub(crate) fn write(fabric: &Fabric) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (name, side, kind) in KEYS {
        key(&mut text, name, side, name, kind);
    }
    for (i, level) in fabric.levels().iter().enumerate() {
        key(&mut text, &format!("level{i}"), "node", &format!("level_{}", level.name), "int");
    }
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "  <graph id=\"{}\" edgedefault=\"undirected\">", escape(fabric.name()));
    for (name, value) in graph::of_fabric(fabric) {
        text.push_str("    ");
        data(&mut text, &name, &value);
        text.push('\n');
    }
    for v in (0..fabric.vertices()).map(VertexId) {
        let _ = write!(text, "    <node id=\"v{v}\">");
        let (mut level, own) = (0, graph::of_vertex(fabric, v));
        for (name, value) in &own {
            if name.starts_with("level_") {
                data(&mut text, &format!("level{level}"), value);
                level += 1;
            } else {
                data(&mut text, name, value);
            }
        }
        text.push_str("</node>\n");
    }
    for l in graph::cables(fabric) {
        let _ = write!(text, "    <edge source=\"v{}\" target=\"v{}\">", fabric.source(l), fabric.target(l));
        graph::of_cable(fabric, l).iter().for_each(|(name, value)| data(&mut text, name, value));
        text.push_str("</edge>\n");
    }
    text.push_str("  </graph>\n</graphml>\n");
    text
}

/// Attributes but levels: name, what has it, type.
const KEYS: [(&str, &str, &str); 14] = [
    ("coordinates", "graph", "string"),
    ("distances", "graph", "string"),
    ("rails", "graph", "string"),
    ("name", "node", "string"),
    ("kind", "node", "string"),
    ("guid", "node", "string"),
    ("host", "node", "string"),
    ("slots", "node", "int"),
    ("class", "edge", "string"),
    ("bandwidth_gb_s", "edge", "double"),
    ("latency_ns", "edge", "long"),
    ("host_link", "edge", "boolean"),
    ("port_source", "edge", "int"),
    ("port_target", "edge", "int"),
];

fn key(text: &mut String, id: &str, side: &str, name: &str, kind: &str) {
    let name = escape(name);
    let _ = writeln!(text, "  <key id=\"{id}\" for=\"{side}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>");
}

fn data(text: &mut String, key: &str, value: &str) {
    let _ = write!(text, "<data key=\"{key}\">{}</data>", escape(value));
}

/// XML has no way to write control characters, so they become U+FFFD.
fn escape(text: &str) -> String {
    let no_character = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    hopline::format::escape(&text.replace(no_character, "\u{fffd}"))
}
