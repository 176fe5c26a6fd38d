//! Graphviz' DOT.

use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use std::fmt::Write as _;

/// Of the classes of links, in their order; more classes begin anew.
const COLOURS: [&str; 8] = ["gray50", "blue3", "red3", "green4", "darkorange2", "purple3", "cyan4", "black"];

/// The fabric as an undirected graph with one edge per cable. O(vertices + links).
pub(super) fn write(fabric: &Fabric) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "graph {} {{", quoted(fabric.name()));
    for v in (0..fabric.vertices()).map(VertexId) {
        let shape = if fabric.is_endpoint(v) { "ellipse" } else { "box" };
        let _ = writeln!(text, "  v{v} [label={}, shape={shape}];", quoted(fabric.vertex_name(v)));
    }
    for l in (0..fabric.links() as u32).map(LinkId).filter(|&l| l <= fabric.reverse(l)) {
        let class = fabric.class_of(l);
        let colour = COLOURS.get(class.index() % COLOURS.len()).copied().unwrap_or("black");
        let tip = quoted(&format!("{} {}", fabric.class(class).name, fabric.link_name(l).replace(" -> ", " -- ")));
        let (from, to) = (fabric.source(l), fabric.target(l));
        let _ = writeln!(text, "  v{from} -- v{to} [color={colour}, tooltip={tip}];");
    }
    text.push_str("}\n");
    text
}

/// A backslash begins an escape of Graphviz' own, and control characters are none of its business.
fn quoted(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
