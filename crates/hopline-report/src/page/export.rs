//! The fabric with its loads for graph tools, every vertex where the page has it: DOT and GraphML.

use super::job::{Job, step};
use super::layout::{Point, layout};
use hopline::format::escape;
use hopline::id::{LinkId, VertexId};
use std::fmt::Write as _;

/// The steps of load on paper.
const COLOURS: [&str; 8] = ["#e9ecf1", "#f6dfa4", "#f7c46c", "#f29b3f", "#e2702e", "#c4432c", "#8f1d3f", "#4d0c3d"];
/// Graphviz' inches of a picture.
const INCHES: f64 = 20.0;

/// A cable with its loads.
struct Cable {
    link: LinkId,
    /// In both directions, in the demand's unit.
    load: [f64; 2],
    /// Of the busiest link.
    share: f64,
}

fn cables(job: &Job<'_>) -> Vec<Cable> {
    let Some(view) = job.views.last() else { return Vec::new() };
    let (fabric, most) = (job.fabric, job.most());
    let cable = |link: LinkId| {
        let load = [link, fabric.reverse(link)].map(|l| view.loads.load[l.index()]);
        Cable { link, load, share: job.busier(view, link) / most }
    };
    fabric.link_ids().filter(|&l| l <= fabric.reverse(l)).map(cable).collect()
}

fn places(job: &Job<'_>) -> Vec<Point> {
    let made = layout(job.fabric);
    let mut at = vec![(0.0, 0.0); job.fabric.vertices() as usize];
    made.marks.iter().for_each(|m| at[m.vertex.index()] = (m.at.0, made.height - m.at.1));
    at
}

/// Graphviz' DOT: `dot -Tsvg` draws it as it is, since it names its layout and pins every vertex.
pub fn dot(job: &Job<'_>) -> String {
    let quoted = |text: &str| {
        format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, "\u{fffd}"))
    };
    let fabric = job.fabric;
    let mut s = format!(
        "graph {} {{\n  layout=neato; splines=line; outputorder=edgesfirst; node [shape=box, style=filled, \
         fillcolor=white, fontsize=6, width=0.12, height=0.08, margin=0.02];\n",
        quoted(fabric.name())
    );
    for (v, (x, y)) in (0..).map(VertexId).zip(places(job)) {
        let scale = INCHES / super::layout::WIDTH;
        let name = quoted(fabric.vertex_name(v));
        // Hosts stand too close for their names, which tools show when one points at them.
        let label = if fabric.is_adapter(v) { "\"\"" } else { &name };
        let (x, y) = (x * scale, y * scale);
        let _ = writeln!(s, "  v{v} [label={label}, tooltip={name}, pos=\"{x:.3},{y:.3}!\"];");
    }
    for c in cables(job) {
        let (from, to, step) = (fabric.source(c.link), fabric.target(c.link), step(c.share));
        let _ = writeln!(
            s,
            "  v{from} -- v{to} [color=\"{}\", penwidth={:.1}, load=\"{:e}\", load_back=\"{:e}\", share={:.4}, tooltip={}];",
            COLOURS[step],
            0.5 + 0.5 * step as f64,
            c.load[0],
            c.load[1],
            c.share,
            quoted(&fabric.link_name(c.link))
        );
    }
    s.push_str("}\n");
    s
}

/// GraphML with x, y and colours for tools such as Gephi, yEd and Cytoscape.
pub fn graphml(job: &Job<'_>) -> String {
    let fabric = job.fabric;
    let mut s =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
            .to_string();
    let keys = [
        ("name", "node", "string"),
        ("x", "node", "double"),
        ("y", "node", "double"),
        ("class", "edge", "string"),
        ("load", "edge", "double"),
        ("load_back", "edge", "double"),
        ("share", "edge", "double"),
        ("color", "edge", "string"),
    ];
    for (name, side, kind) in keys {
        let _ = writeln!(s, "  <key id=\"{name}\" for=\"{side}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>");
    }
    let text = |name: &str| escape(&name.replace(char::is_control, "\u{fffd}"));
    let _ = writeln!(s, "  <graph id=\"{}\" edgedefault=\"undirected\">", text(fabric.name()));
    for (v, (x, y)) in (0..).map(VertexId).zip(places(job)) {
        let name = text(fabric.vertex_name(v));
        let _ = writeln!(
            s,
            "    <node id=\"v{v}\"><data key=\"name\">{name}</data><data key=\"x\">{x:.0}</data><data \
             key=\"y\">{y:.0}</data></node>"
        );
    }
    for c in cables(job) {
        let (from, to, class) = (fabric.source(c.link), fabric.target(c.link), text(&fabric.class_of(c.link).name));
        let _ = writeln!(
            s,
            "    <edge source=\"v{from}\" target=\"v{to}\"><data key=\"class\">{class}</data><data \
             key=\"load\">{:e}</data><data key=\"load_back\">{:e}</data><data key=\"share\">{:.4}</data><data \
             key=\"color\">{}</data></edge>",
            c.load[0],
            c.load[1],
            c.share,
            COLOURS[step(c.share)]
        );
    }
    s.push_str("  </graph>\n</graphml>\n");
    s
}

#[cfg(test)]
mod tests {
    use super::COLOURS;

    /// Relative luminance, as the Web Content Accessibility Guidelines have it.
    fn luminance(colour: &str) -> f64 {
        let part = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect(colour)) / 255.0;
        let linear = |c: f64| if c <= 0.03928 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        [(1, 0.2126), (3, 0.7152), (5, 0.0722)].iter().map(|(at, weight)| weight * linear(part(*at))).sum()
    }

    fn contrast(a: &str, b: &str) -> f64 {
        let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
        (a / b).max(b / a)
    }

    /// The value of a property from there on.
    fn value<'a>(sheet: &'a str, name: &str) -> &'a str {
        sheet.split_once(&format!("{name}:")).expect(name).1.split([';', '}']).next().expect(name)
    }

    #[test]
    fn every_step_stands_out_more_than_the_one_below() {
        let sheets: Vec<&str> = super::super::STYLE.split("--paper:").skip(1).collect();
        assert_eq!(sheets.len(), 3, "light, dark, print");
        let of = |sheet: &'static str| {
            let paper = match sheet.split(';').next().expect("a colour") {
                "#fff" => "#ffffff",
                other => other,
            };
            (paper, (0..8).map(|k| value(sheet, &format!("--s{k}"))).collect::<Vec<_>>())
        };
        for (paper, steps) in sheets.into_iter().map(of).chain([("#ffffff", COLOURS.to_vec())]) {
            let all: Vec<f64> = steps.iter().map(|s| contrast(paper, s)).collect();
            assert!(all[0] > 1.1 && all.windows(2).all(|w| w[1] > 1.05 * w[0]), "{paper}: {all:?}");
        }
    }
}
