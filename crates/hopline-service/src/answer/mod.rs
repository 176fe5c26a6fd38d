//! From a request and a generation to bytes: a pure function that the server,
//! `hopline fabric query --fabric` and the tests share.
//!
//! An answer is one line, or `lines N` and N lines. What went wrong is one line
//! that begins with `error `.

mod groups;
mod json;
mod leaves;
mod matrix;
mod order;
mod route;
mod select;

use crate::atlas::{Column, Stop};
use crate::generation::Generation;
use crate::limits::Limits;
use crate::names::{End, Unnamed};
use crate::protocol::{Hosts, Line, Request, quoted};
use std::fmt::Write as _;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// True where the request is wrong, false where the fabric has no answer to it.
    pub wrong: bool,
    /// In words.
    pub message: String,
    /// What an ambiguous name may mean.
    pub candidates: Vec<String>,
}

impl Failure {
    fn wrong(message: impl Into<String>) -> Failure {
        Failure { wrong: true, message: message.into(), candidates: Vec::new() }
    }

    fn none(message: impl Into<String>) -> Failure {
        Failure { wrong: false, message: message.into(), candidates: Vec::new() }
    }

    /// In one line, without `error `.
    fn line(&self) -> String {
        let mut line: String = self.message.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        for (i, name) in self.candidates.iter().enumerate() {
            line += if i == 0 { ": " } else { " " };
            line += &quoted(name);
        }
        line
    }
}

/// What to answer from, and memory that is used again from request to request.
pub struct Desk<'a> {
    /// The state of the fabric.
    pub generation: &'a Generation,
    /// What a client may ask for.
    pub limits: &'a Limits,
    /// Said with `generation`: why a newer one is not served.
    pub warning: &'a str,
    /// Made anew for another generation.
    pub column: &'a mut Column,
}

/// Commands with their words, for `help`.
pub const HELP: &[(&str, &str)] = &[
    ("query A:B", "the switches from A to B"),
    ("route A:B", "the same with ports and link speeds"),
    ("select N HOST...", "the N hosts of the list that lie closest"),
    ("order HOST...", "the hosts in an order in which neighbours are near"),
    ("matrix hops HOST...", "links between switches, from every host (row) to every other"),
    ("matrix speed HOST...", "GB/s of the slowest link, from every host (row) to every other"),
    ("groups", "the hosts under each leaf switch"),
    ("generation", "which state of the fabric is served"),
    ("help", "this list"),
    (
        "",
        "`*` stands for all hosts. An end is a host, host:port, host/device, a node description, a LID or a GUID (0x...).",
    ),
    ("", "Names with blanks stand in quotes. `A B` is as good as `A:B`, and needed where names have colons."),
    ("", "`@` before a request: the answer begins with the generation, as @7. `json` before it: the answer is JSON."),
];

/// Answers a line, newline included. Returns whether it was an answer and no error.
/// Allocates nothing for `query` and `route` of bare names.
pub fn line(desk: &mut Desk<'_>, line: &Result<Line<'_>, String>, out: &mut Vec<u8>) -> bool {
    let line = match line {
        Ok(line) => line,
        Err(message) => {
            fail(&Failure::wrong(message.as_str()), out);
            return false;
        }
    };
    if line.json {
        let body = json::body(desk, &line.request);
        let (Ok(text) | Err((_, text))) = &body;
        out.extend_from_slice(text.as_bytes());
        out.push(b'\n');
        return body.is_ok();
    }
    if line.tagged {
        out.push(b'@');
        out.extend_from_slice(desk.generation.number.to_string().as_bytes());
        out.push(b' ');
    }
    let start = out.len();
    match text(desk, &line.request, out) {
        Ok(()) => true,
        Err(failure) => {
            out.truncate(start);
            fail(&failure, out);
            false
        }
    }
}

/// Answers with a JSON text, or with an HTTP status and a JSON text.
///
/// # Errors
/// 400 for a wrong request, 404 where the fabric has no answer to it.
pub fn json(desk: &mut Desk<'_>, request: &Request<'_>) -> Result<String, (u16, String)> {
    json::body(desk, request)
}

/// A JSON text for a failure that was found before there was a request.
pub fn json_error(message: &str) -> String {
    json::error(None, &Failure::wrong(message))
}

fn fail(failure: &Failure, out: &mut Vec<u8>) {
    out.extend_from_slice(b"error ");
    out.extend_from_slice(failure.line().as_bytes());
    out.push(b'\n');
}

fn text(desk: &mut Desk<'_>, request: &Request<'_>, out: &mut Vec<u8>) -> Result<(), Failure> {
    match request {
        Request::Query(a, b) => return route::query(desk.generation, a, b, out),
        Request::Route(a, b) => return route::route(desk.generation, a, b, out),
        Request::Select(count, hosts) => select::text(desk, *count, hosts, out)?,
        Request::Order(hosts) => order::text(desk, hosts, out)?,
        Request::Matrix(measure, hosts) => matrix::matrix(desk, *measure, hosts)?.text(desk.generation, out),
        Request::Groups => groups::text(desk.generation, out),
        Request::Generation => out.extend_from_slice(generation(desk).as_bytes()),
        Request::Help => {
            let mut text = format!("lines {}\n", HELP.len());
            for (request, words) in HELP {
                let width = if request.is_empty() { 0 } else { 22 };
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{request:width$}{words}");
            }
            out.extend_from_slice(text.as_bytes());
        }
    }
    Ok(())
}

fn generation(desk: &Desk<'_>) -> String {
    let (g, a) = (desk.generation, &desk.generation.atlas);
    let collected = if g.collected.is_empty() { "-" } else { &g.collected };
    let mut text = format!(
        "generation {} collected {collected} hosts {} endpoints {} switches {} cables {}",
        g.number,
        a.hosts().len(),
        a.endpoints(),
        a.switches(),
        a.cables()
    );
    if !desk.warning.is_empty() {
        text += &format!(" warning {}", quoted(desk.warning));
    }
    text + "\n"
}

/// One end of a route.
fn end(g: &Generation, name: &str) -> Result<End, Failure> {
    g.names.find(&g.atlas, name).map_err(|e| unnamed(g, name, &e))
}

#[cold]
fn unnamed(g: &Generation, name: &str, why: &Unnamed<'_>) -> Failure {
    let short: String = name.chars().take(80).collect();
    match why {
        Unnamed::Unknown => Failure::none(format!("nothing is called {}", quoted(&short))),
        Unnamed::Ambiguous(several) => {
            let names: Vec<String> = several.iter().take(16).map(|&v| g.name(v)).collect();
            let of = if several.len() > names.len() { format!(", the first {}", names.len()) } else { String::new() };
            let message = format!("{} is ambiguous, it may be one of {}{of}", quoted(&short), several.len());
            Failure { wrong: false, message, candidates: names }
        }
    }
}

/// The ends of a list: of hosts with several endpoints the first.
fn ends(desk: &Desk<'_>, hosts: &Hosts<'_>) -> Result<Vec<End>, Failure> {
    let (g, most) = (desk.generation, desk.limits.hosts);
    let end = |v: u32| End { vertex: v, lid: g.atlas.vertices()[v as usize].lid };
    match hosts {
        Hosts::All => Ok(g.atlas.hosts().iter().map(|h| end(h.first)).collect()),
        Hosts::Named(names) if names.len() > most => {
            Err(Failure::wrong(format!("{} hosts, at most {most} are allowed", names.len())))
        }
        Hosts::Named(names) => {
            names.iter().map(|n| g.names.find_host(&g.atlas, n).map_err(|e| unnamed(g, n, &e))).collect()
        }
    }
}

/// Why a packet does not arrive, in words.
#[cold]
fn stopped(g: &Generation, from: &str, to: &str, stop: Stop) -> Failure {
    let why = match stop {
        Stop::NoLid => "the target has no LID".to_string(),
        Stop::NoUplink(v) => format!("{} has no cable", g.name(v)),
        Stop::NoTable(v) => format!("no forwarding table of switch {} was read", g.name(v)),
        Stop::NoEntry(v, lid) => format!("switch {} has no entry for LID {lid}", g.name(v)),
        Stop::NoCable(v, port) => format!("switch {} forwards to port {port}, where no cable is", g.name(v)),
        Stop::Strayed(v) => format!("the tables lead to {}", g.name(v)),
        Stop::Circle(v) => format!("the tables lead in a circle through switch {}", g.name(v)),
    };
    Failure::none(format!("no way from {} to {}: {why}", quoted(from), quoted(to)))
}

/// An end in a list of hosts: its host where it is that host's first endpoint, so
/// that the name can be asked for again.
fn host_name(g: &Generation, v: u32) -> String {
    match g.atlas.host_of(v).filter(|h| h.first == v && g.atlas.is_endpoint(v)) {
        Some(host) => host.name.clone(),
        None => g.name(v),
    }
}

fn host_label(g: &Generation, v: u32) -> String {
    quoted(&host_name(g, v)).into_owned()
}
