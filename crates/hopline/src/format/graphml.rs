//! GraphML, which graph tools read.

use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};
use std::fmt::Write as _;

/// The fabric as an undirected graph with one edge per cable. O(vertices * levels + links).
pub(super) fn write(fabric: &Fabric) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    let keys = [
        ("name", "node", "string"),
        ("kind", "node", "string"),
        ("guid", "node", "string"),
        ("host", "node", "string"),
        ("class", "edge", "string"),
        ("bandwidth_gb_s", "edge", "double"),
        ("port_source", "edge", "int"),
        ("port_target", "edge", "int"),
    ];
    for (name, side, kind) in keys {
        key(&mut text, name, side, name, kind);
    }
    for (i, level) in fabric.levels().iter().enumerate() {
        key(&mut text, &format!("level{i}"), "node", &level.name, "int");
    }
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(text, "  <graph id=\"{}\" edgedefault=\"undirected\">", escape(fabric.name()));
    (0..fabric.vertices()).map(VertexId).for_each(|v| node(&mut text, fabric, v));
    (0..fabric.links() as u32).map(LinkId).filter(|&l| l <= fabric.reverse(l)).for_each(|l| edge(&mut text, fabric, l));
    text.push_str("  </graph>\n</graphml>\n");
    text
}

fn key(text: &mut String, id: &str, side: &str, name: &str, kind: &str) {
    let name = escape(name);
    let _ = writeln!(text, "  <key id=\"{id}\" for=\"{side}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>");
}

fn data(text: &mut String, key: &str, value: &str) {
    let _ = write!(text, "<data key=\"{key}\">{}</data>", escape(value));
}

fn node(text: &mut String, fabric: &Fabric, v: VertexId) {
    let _ = write!(text, "    <node id=\"v{v}\">");
    data(text, "name", fabric.vertex_name(v));
    data(text, "kind", if fabric.is_endpoint(v) { "endpoint" } else { "switch" });
    if let Some(guid) = fabric.guid(v) {
        data(text, "guid", &guid.to_string());
    }
    if let Some(host) = fabric.hosts().owner(v) {
        data(text, "host", fabric.hosts().name(host));
    }
    for (i, level) in fabric.levels().iter().enumerate() {
        if let Some(part) = level.part.get(v.index()) {
            data(text, &format!("level{i}"), &part.to_string());
        }
    }
    text.push_str("</node>\n");
}

fn edge(text: &mut String, fabric: &Fabric, l: LinkId) {
    let (from, to, class) = (fabric.source(l), fabric.target(l), fabric.class(fabric.class_of(l)));
    let _ = write!(text, "    <edge source=\"v{from}\" target=\"v{to}\">");
    data(text, "class", &class.name);
    if let Some(bandwidth) = class.bandwidth {
        data(text, "bandwidth_gb_s", &bandwidth.as_gb_s().to_string());
    }
    data(text, "port_source", &fabric.port(l).to_string());
    data(text, "port_target", &fabric.port(fabric.reverse(l)).to_string());
    text.push_str("</edge>\n");
}

/// XML has no way to write control characters, so they become U+FFFD.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
