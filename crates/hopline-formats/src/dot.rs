//! Graphviz' DOT, with the attributes of [`crate::graph`] beside those that draw.

mod read;
mod tokens;

pub(crate) use read::{begins, read};

use crate::graph::{self, Data};
use hopline::fabric::Fabric;
use hopline::id::VertexId;
use std::fmt::Write as _;

/// Of the classes of links, in their order; more classes begin anew.
const COLOURS: [&str; 8] = ["gray50", "blue3", "red3", "green4", "darkorange2", "purple3", "cyan4", "black"];

/// The fabric as an undirected graph with one edge per cable. O(vertices + links).
pub(crate) fn write(fabric: &Fabric) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "graph {} {{", quoted(fabric.name()));
    for (name, value) in graph::of_fabric(fabric) {
        let _ = writeln!(text, "  {name}={};", quoted(&value));
    }
    for v in (0..fabric.vertices()).map(VertexId) {
        let shape = if fabric.is_endpoint(v) { "ellipse" } else { "box" };
        let own = more(&graph::of_vertex(fabric, v));
        let _ = writeln!(text, "  v{v} [label={}, shape={shape}{own}];", quoted(fabric.vertex_name(v)));
    }
    for l in graph::cables(fabric) {
        let class = fabric.class_id(l);
        let colour = COLOURS.get(class.index() % COLOURS.len()).copied().unwrap_or("black");
        let tip = quoted(&format!("{} {}", fabric.class(class).name, fabric.cable_name(l)));
        let (from, to, own) = (fabric.source(l), fabric.target(l), more(&graph::of_cable(fabric, l)));
        let _ = writeln!(text, "  v{from} -- v{to} [color={colour}, tooltip={tip}{own}];");
    }
    text.push_str("}\n");
    text
}

/// Attributes that do not draw; Graphviz passes over those that it does not know.
fn more(data: &Data) -> String {
    let mut text = String::new();
    for (name, value) in data.iter().filter(|(name, _)| name != "name") {
        // `class` is Graphviz' own: it would stand in an SVG's class of the edge.
        let name = if name == "class" { "link_class" } else { name };
        let _ = write!(text, ", {}={}", id(name), id(value));
    }
    text
}

/// A word as it is where DOT takes it so, else in quotes.
fn id(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let number = word.bytes().all(|b| b.is_ascii_digit());
    let name = word.chars().all(plain) && !word.starts_with(|c: char| c.is_ascii_digit());
    if !word.is_empty() && (number || name) && !RESERVED.contains(&word) { word.to_string() } else { quoted(word) }
}

const RESERVED: [&str; 6] = ["node", "edge", "graph", "digraph", "subgraph", "strict"];

/// A backslash begins an escape of Graphviz' own, and control characters are none of its business.
fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
