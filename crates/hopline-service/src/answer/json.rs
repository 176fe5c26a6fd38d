//! The same answers in JSON. Every object names the generation it was made from.

use super::route::Walked;
use super::{Desk, Failure, HELP, groups, host_name, matrix, order, route, select};
use crate::generation::Generation;
use crate::protocol::{Measure, Request};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

#[derive(Serialize)]
struct Link<'a> {
    from: String,
    out: u8,
    to: String,
    #[serde(rename = "in")]
    arrives: u8,
    speed: &'a str,
    gb_s: Option<f64>,
}

pub(super) fn body(desk: &mut Desk<'_>, request: &Request<'_>) -> Result<String, (u16, String)> {
    let generation = desk.generation.number;
    answer(desk, request).map(|text| format!("{{\"generation\":{generation},{}", &text[1..])).map_err(|failure| {
        let status = if failure.wrong { 400 } else { 404 };
        (status, error(Some(generation), &failure))
    })
}

#[derive(Serialize)]
struct Wrong<'a> {
    error: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<u64>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    candidates: &'a [String],
}

/// `{"error":"..."}`: always the first key, so that a client need not read on.
pub(super) fn error(generation: Option<u64>, failure: &Failure) -> String {
    let wrong = Wrong { error: &failure.message, generation, candidates: &failure.candidates };
    serde_json::to_string(&wrong).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"))
}

/// An object without its generation.
fn answer(desk: &mut Desk<'_>, request: &Request<'_>) -> Result<String, Failure> {
    let g = desk.generation;
    let value = match request {
        Request::Query(a, b) => {
            let Walked { from, to, steps } = route::walked(g, a, b)?;
            let between = steps.iter().map(|s| s.link.to).filter(|&v| v != to);
            let switches: Vec<String> = between.map(|v| g.guid(v)).collect();
            json!({ "from": g.name(from), "to": g.name(to), "switches": switches })
        }
        Request::Route(a, b) => {
            let Walked { from, to, steps } = route::walked(g, a, b)?;
            let links: Vec<Link<'_>> = steps.iter().map(|s| link(g, s)).collect();
            json!({ "from": g.name(from), "to": g.name(to), "links": links })
        }
        Request::Select(count, hosts) => {
            let chosen = select::select(desk, *count, hosts)?;
            let leaves: Vec<Value> =
                chosen.leaves.iter().map(|&(v, n)| json!({ "switch": g.name(v), "hosts": n })).collect();
            json!({
                "hosts": names(g, &chosen.hosts), "leaves": leaves, "mean_hops": chosen.mean_hops,
                "most_hops": chosen.most_hops, "reason": chosen.reason(),
            })
        }
        Request::Order(hosts) => json!({ "hosts": names(g, &order::order(desk, hosts)?) }),
        Request::Matrix(measure, hosts) => {
            let matrix = matrix::matrix(desk, *measure, hosts)?;
            let of = if *measure == Measure::Hops { "hops" } else { "speed" };
            let rows = RawValue::from_string(rows(g, &matrix)).map_err(|e| Failure::none(e.to_string()))?;
            return text(&Square { of, ends: names(g, &matrix.ends), matrix: rows });
        }
        Request::Groups => {
            let group = |(leaf, hosts)| json!({ "switch": g.name(leaf), "hosts": hosts });
            json!({ "groups": groups::groups(g).into_iter().map(group).collect::<Vec<Value>>() })
        }
        Request::Generation => {
            let a = &g.atlas;
            json!({
                "collected": g.collected, "hosts": a.hosts().len(), "endpoints": a.endpoints(),
                "switches": a.switches(), "cables": a.cables(), "warning": desk.warning, "notes": a.notes(), "lost": g.lost,
            })
        }
        Request::Help => {
            let pages = [
                "/query?from=A&to=B",
                "/route?from=A&to=B",
                "/select?count=N&hosts=A,B,...",
                "/order?hosts=A,B,...",
                "/matrix?of=hops&hosts=A,B,...",
                "/matrix?of=speed&hosts=A,B,...",
                "/groups",
                "/generation",
                "/help",
            ];
            let pages: Vec<Value> = pages.iter().zip(HELP).map(|(p, h)| json!({ "path": p, "answers": h.1 })).collect();
            json!({ "pages": pages })
        }
    };
    text(&value)
}

fn text<T: Serialize>(value: &T) -> Result<String, Failure> {
    serde_json::to_string(value).map_err(|e| Failure::none(e.to_string()))
}

#[derive(Serialize)]
struct Square {
    of: &'static str,
    ends: Vec<String>,
    matrix: Box<RawValue>,
}

/// `[[0,1],[1,0]]`.
fn rows(g: &Generation, matrix: &matrix::Matrix) -> String {
    let n = matrix.ends.len();
    let words = matrix.words(g, "null");
    let mut text = String::with_capacity(n * n * 2 + 2);
    text.push('[');
    for (i, row) in matrix.cells.chunks(n).enumerate() {
        text.push_str(if i == 0 { "[" } else { ",[" });
        for (j, cell) in row.iter().enumerate() {
            if j > 0 {
                text.push(',');
            }
            text.push_str(words.get(usize::from(*cell)).map_or("null", String::as_str));
        }
        text.push(']');
    }
    text.push(']');
    text
}

fn names(g: &Generation, vertices: &[u32]) -> Vec<String> {
    vertices.iter().map(|&v| host_name(g, v)).collect()
}

fn link<'a>(g: &'a Generation, step: &crate::atlas::Step) -> Link<'a> {
    let speed = &g.atlas.speeds()[usize::from(step.link.speed)];
    let (from, to) = (g.name(step.from), g.name(step.link.to));
    let gb_s = Some(speed.gb_s).filter(|s| s.is_finite());
    Link { from, out: step.link.out, to, arrives: step.link.arrives, speed: &speed.name, gb_s }
}
