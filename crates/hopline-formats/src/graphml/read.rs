//! Reading GraphML, whoever wrote it: NetworkX, igraph, Gephi, yEd.

use crate::graph::{Data, Edge, Graph, Node};
use hopline::error::{Error, Place, Result};
use hopline::format::{no_xml, quote};
use roxmltree::{Document, ParsingOptions};
use rustc_hash::FxHashMap;

/// The most elements and attributes of a file: 10 for each of 16 million nodes.
const MOST: u32 = 160_000_000;

/// True where a text is GraphML, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    let end = (0..=text.len().min(4096)).rev().find(|&at| text.is_char_boundary(at));
    let start = end.and_then(|end| text.get(..end));
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
        && start.is_some_and(|start| start.contains("<graphml"))
}

/// Reads the first graph of a file. O(text).
///
/// # Errors
/// It is no XML or no GraphML, or has an edge to a node that is not there, nested
/// graphs or hyperedges; with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<Graph> {
    let options = ParsingOptions { allow_dtd: false, nodes_limit: MOST, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|e| no_xml(path, &e.to_string(), e.pos().row))?;
    let mut lines = LineCounter { text, at: 0, line: 1 };
    let fail = |line: u32, message: String| Error::input(message).at(&Place::new(path, line));
    let root = document.root_element();
    let children = root.children().filter(|node| node.is_element());
    let (mut keys, mut found) = (Keys::default(), None);
    for child in children {
        match child.tag_name().name() {
            "key" => keys.add(child),
            "graph" if found.is_none() => found = Some(child),
            _ => {}
        }
    }
    let Some(element) = found else {
        return Err(fail(0, "no <graph> in it".into()).hint("a GraphML file has <graphml> with <key> and <graph>"));
    };
    let mut graph = Graph {
        name: element.attribute("id").map(String::from),
        directed: element.attribute("edgedefault") == Some("directed"),
        data: keys.data("graph", element),
        ..Graph::default()
    };
    let mut index: FxHashMap<&str, u32> = FxHashMap::default();
    let mut edges = Vec::new();
    for child in element.children().filter(|child| child.is_element()) {
        let line = lines.of(child.range().start);
        match child.tag_name().name() {
            "node" => {
                let Some(id) = child.attribute("id") else { return Err(fail(line, "a node without an id".into())) };
                if child.children().any(|inner| inner.tag_name().name() == "graph") {
                    let error = fail(line, format!("node {} holds a graph of its own", quote(id)));
                    return Err(error.hint("write one flat graph"));
                }
                if index.insert(id, graph.nodes.len() as u32).is_some() {
                    return Err(fail(line, format!("two nodes have the id {}", quote(id))));
                }
                graph.nodes.push(Node { id: id.to_string(), data: keys.data("node", child), line });
            }
            "edge" => edges.push((child, line)),
            "hyperedge" => return Err(fail(line, "a hyperedge".into()).hint("a cable has two ends: write edges")),
            _ => {}
        }
    }
    // Edges may stand before their nodes.
    for (child, line) in edges {
        let end = |name: &str| {
            let id = child.attribute(name).ok_or_else(|| fail(line, format!("an edge without a {name}")))?;
            index.get(id).copied().ok_or_else(|| fail(line, format!("no node has the id {}", quote(id))))
        };
        let ends = [end("source")?, end("target")?];
        graph.edges.push(Edge { ends, data: keys.data("edge", child), line });
    }
    Ok(graph)
}

/// Names of attributes by the id of their key.
#[derive(Default)]
struct Keys<'a> {
    names: FxHashMap<&'a str, &'a str>,
    defaults: Vec<(&'a str, &'a str, &'a str)>,
}

impl<'a> Keys<'a> {
    fn add(&mut self, key: roxmltree::Node<'a, '_>) {
        let Some(id) = key.attribute("id") else { return };
        let name = key.attribute("attr.name").unwrap_or(id);
        self.names.insert(id, name);
        let default = key.children().find(|child| child.tag_name().name() == "default").and_then(|child| child.text());
        if let Some(default) = default {
            self.defaults.push((key.attribute("for").unwrap_or("all"), name, default));
        }
    }

    /// The attributes of an element, with the defaults that it does not replace.
    fn data(&self, side: &str, element: roxmltree::Node<'_, '_>) -> Data {
        let mut data = Data::new();
        for child in element.children().filter(|child| child.tag_name().name() == "data") {
            let Some(name) = child.attribute("key").map(|key| self.names.get(key).copied().unwrap_or(key)) else {
                continue;
            };
            data.push((name.to_string(), child.text().unwrap_or_default().to_string()));
        }
        for (of, name, value) in &self.defaults {
            if (*of == side || *of == "all") && !data.iter().any(|(own, _)| own == name) {
                data.push((name.to_string(), value.to_string()));
            }
        }
        data
    }
}

/// Lines of places that mostly go forward: asking the parser for each would take
/// the square of their number.
struct LineCounter<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl LineCounter<'_> {
    fn of(&mut self, place: usize) -> u32 {
        if place < self.at {
            (self.at, self.line) = (0, 1);
        }
        let between = self.text.as_bytes().get(self.at..place).unwrap_or_default();
        self.line += between.iter().filter(|b| **b == b'\n').count() as u32;
        self.at = place;
        self.line
    }
}
