//! One page that shows results: it loads nothing from elsewhere, its pictures stay without scripts, and it prints.
//!
//! A page is made of sections, one for each result; a section is a list of parts. What a part needs of a result it
//! takes from its JSON document; pictures of a fabric need a [`Job`] beside it.

mod blame;
mod bound;
mod collective;
mod compare;
mod csv;
mod curves;
mod diff;
mod document;
mod export;
mod fabric;
mod figures;
mod flits;
mod heat;
mod hottest;
mod html;
mod job;
mod labels;
mod layout;
mod loads;
mod map;
mod marked;
mod matrices;
mod notes;
mod other;
mod panels;
mod plot;
mod power;
mod replay;
mod route;

mod style;
mod sweep;
mod timeline;
mod verdict;
mod whatif;

pub(crate) use curves::data as curve_data;
pub use document::scenario_toml;
pub use export::{dot, graphml};
pub use figures::{Picture, figure};
pub use job::{Job, View};
pub(crate) use layout::part as part_of;
pub use notes::assumed;
pub use style::{FigureStyle, NoPicture};

use crate::chart::Chart;
use hopline::fabric::Fabric;
use hopline::format::escape;
use plot::Plot;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use timeline::TimeLine;

/// Colours and type.
const STYLE: &str = include_str!("page.css");
/// What moves.
const SCRIPT: &str = include_str!("page.js");
/// A page asks nobody for anything; browsers hold it to that.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A part of a page: a heading with what stands below it.
struct Part {
    title: String,
    html: String,
    /// What the script needs for it; its `kind` says which part of the script.
    data: Option<Value>,
    /// What a picture of its own draws in its own size.
    plot: Option<Plot>,
}

impl Part {
    fn new(title: impl Into<String>, html: impl Into<String>) -> Part {
        Part { title: title.into(), html: html.into(), data: None, plot: None }
    }

    fn with(self, data: Value) -> Part {
        Part { data: Some(data), ..self }
    }

    fn shows(self, chart: Chart) -> Part {
        Part { plot: Some(Plot::Curves(chart)), ..self }
    }

    /// Its curves for the script.
    fn curves(&self) -> String {
        match &self.plot {
            Some(Plot::Curves(chart)) if self.html.contains("class=\"chart\"") => curves::data(chart),
            _ => String::new(),
        }
    }

    fn over_time(self, line: TimeLine) -> Part {
        Part { plot: Some(Plot::Time(line)), ..self }
    }
}

/// A result, as it is printed with `--format json`, and the job behind it where pictures of its fabric are wanted.
pub struct Source<'a> {
    /// The document.
    pub document: &'a Value,
    /// Loads of every link.
    pub job: Option<Job<'a>>,
    /// The fabric that it is about, where it is drawn without a job.
    pub fabric: Option<&'a Fabric>,
    /// The fabric that it was before, where two are compared.
    pub before: Option<&'a Fabric>,
    /// The command that makes the document again.
    pub command: String,
    /// Why there is no job, where there should be one.
    pub missing: Option<String>,
}

/// The page of one result or several. O(links + size of the documents).
pub fn page(sources: &[Source<'_>]) -> String {
    let mut body = String::new();
    let mut data = Map::new();
    for (k, source) in sources.iter().enumerate() {
        article(source, k, &mut body, Some(&mut data));
    }
    if sources.len() > 1 {
        body.insert_str(0, &contents(sources));
    }
    body.push_str(&together(sources));
    let title = sources.first().map_or_else(|| "Hopline".to_string(), |s| document::title(s.document));
    sheet_with(&title, &body, &Value::Object(data))
}

/// One result as a part of somebody else's page, such as a notebook: its styles end at its box, and nothing in it
/// moves. O(links + size of the document).
pub fn fragment(source: &Source<'_>) -> String {
    let mut body = String::new();
    article(source, 0, &mut body, None);
    // Rules of the page become rules of the box.
    let style = STYLE.replace(":root", "&").replace("\nbody{", "\n&{");
    format!("<div class=\"hopline\">\n<style>\n.hopline{{\n{style}}}\n</style>\n{body}</div>\n")
}

/// A result under its title; its parts with what scripts need for them, where there are any.
fn article(source: &Source<'_>, k: usize, body: &mut String, mut data: Option<&mut Map<String, Value>>) {
    let _ = write!(body, "<article id=\"r{k}\">\n<h1>{}</h1>\n", escape(&document::title(source.document)));
    for (n, part) in parts(source).into_iter().enumerate() {
        let id = format!("r{k}-{n}");
        let _ = write!(
            body,
            "<section id=\"{id}\"><h2><a href=\"#{id}\">{}</a></h2>\n{}{}</section>\n",
            escape(&part.title),
            part.html,
            if data.is_some() { part.curves() } else { String::new() }
        );
        if let Some(data) = &mut data {
            data.extend(part.data.map(|value| (id, value)));
        }
    }
    body.push_str("</article>\n");
}

/// A page of one's own parts, in the style of the others: its tables sort, nothing is loaded from elsewhere. The title is
/// text, the body HTML.
pub fn sheet(title: &str, body: &str) -> String {
    sheet_with(title, body, &Value::Object(Map::new()))
}

fn sheet_with(title: &str, body: &str, data: &Value) -> String {
    let (style, scripts) = curves::parts(body);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"{POLICY}\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{} - Hopline</title>\n\
         <style>\n{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n<aside id=\"about\" aria-live=\"polite\" \
         hidden></aside>\n<div id=\"tip\" role=\"tooltip\" hidden></div>\n\
         <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}</script>\n{scripts}</body>\n</html>\n",
        escape(title),
        inert(data)
    )
}

/// JSON that no HTML parser takes for a tag.
fn inert(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}

/// The parts of one result, the answer first.
fn parts(source: &Source<'_>) -> Vec<Part> {
    let d = source.document;
    let mut parts = vec![verdict::part(d)];
    if bound::is_one(d) {
        parts.extend(bound::parts(d, source.fabric));
        parts.push(notes::part(source));
        return parts;
    }
    parts.extend(source.job.as_ref().and_then(fabric::part));
    match document::command(d) {
        "load" => parts.extend(map::of_load(d)),
        "map" => parts.extend(map::parts(d)),
        "flits" => {
            // Without loads: a routing that sees the queues has none before it is simulated.
            parts.extend(source.fabric.and_then(fabric::plain));
            parts.extend(flits::parts(&[d]));
        }
        "replay" => parts.extend(replay::parts(d)),
        "power" => parts.extend(power::parts(d)),
        "collective" => parts.extend(collective::parts(d)),
        "compare" => parts.extend(compare::parts(d)),
        "fabric whatif" => parts.extend(whatif::parts(d, source.job.as_ref())),
        "fabric diff" => parts.extend(diff::parts(source)),
        "fabric route" => parts.extend(route::of_pair(d, source.fabric)),
        "fabric check" => parts.extend(route::circle(d, source.fabric)),
        "sweep" => parts.extend(sweep::parts(d)),
        "blame" => parts.extend(blame::parts(d, source.fabric)),
        "fabric show" => {
            parts.extend(source.fabric.and_then(fabric::plain));
            parts.extend(other::parts(d));
        }
        _ => parts.extend(other::parts(d)),
    }
    if let Some(job) = &source.job {
        parts.extend(loads::parts(job));
        parts.extend(hottest::part(job));
        parts.extend(matrices::parts(job));
    }
    parts.push(notes::part(source));
    parts
}

/// What several results show only side by side.
fn together(sources: &[Source<'_>]) -> String {
    let of = |command: &str| -> Vec<&Value> {
        sources.iter().map(|s| s.document).filter(|d| document::command(d) == command).collect()
    };
    let runs = of("flits");
    if runs.len() < 2 {
        return String::new();
    }
    let mut s = "<article id=\"together\">\n<h1>All simulations of flits together</h1>\n".to_string();
    for part in flits::curves(&runs) {
        let _ = write!(s, "<section><h2>{}</h2>\n{}{}</section>\n", escape(&part.title), part.html, part.curves());
    }
    s.push_str("</article>\n");
    s
}

fn contents(sources: &[Source<'_>]) -> String {
    let line = |(k, s): (usize, &Source<'_>)| {
        let routing = document::text(s.document, "routing");
        let routing = if routing.is_empty() { String::new() } else { format!(" ({routing} routing)") };
        format!("<li><a href=\"#r{k}\">{}{}</a></li>\n", escape(&document::title(s.document)), escape(&routing))
    };
    let lines: String = sources.iter().enumerate().map(line).collect();
    format!("<nav aria-label=\"Results\"><ol>\n{lines}</ol></nav>\n")
}
