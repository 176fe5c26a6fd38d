//! What a server did, as OpenMetrics text (openmetrics.io, version 1.0.0).

use crate::blamed::Blamed;
use crate::clock::seconds;
use crate::generation::Generation;
use crate::heartbeat::{Pulse, unix};
use crate::protocol::COMMANDS;
use crate::served::Served;
use std::fmt::{Display, Write};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::SystemTime;

/// Why a connection was closed by the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Nothing was asked for a long time.
    Idle,
    /// A request was not finished, or answers were not read, in time.
    Stalled,
    /// A line was too long, or the bytes were no HTTP.
    Malformed,
}

/// Why a connection was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// All connections are taken.
    Full,
    /// Its address is of no network that is allowed.
    Elsewhere,
    /// Its user is none that is allowed.
    User,
    /// Its client has as many as it may.
    Client,
}

const REFUSED: [&str; 4] = ["full", "elsewhere", "user", "client"];

/// Why a request was not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// Its client asks for too much.
    Rate,
    /// Its client does not read.
    Bytes,
    /// Its client has shown no token.
    Token,
}

const DENIED: [&str; 3] = ["rate", "bytes", "token"];

const REASONS: [&str; 3] = ["idle", "stalled", "malformed"];

/// Counters of one thread: nobody else writes them.
#[derive(Debug, Default)]
pub struct Tally {
    /// Requests by [`COMMANDS`].
    pub requests: [AtomicU64; COMMANDS.len()],
    /// Requests that were answered by an error.
    pub errors: AtomicU64,
    /// HTTP requests, of any kind.
    pub http: AtomicU64,
    /// Bytes of requests.
    pub read: AtomicU64,
    /// Bytes of answers.
    pub written: AtomicU64,
    /// Connections opened.
    pub opened: AtomicU64,
    /// Connections closed, by whomever.
    pub closed: AtomicU64,
    /// Those closed by the server, by [`Dropped`].
    pub dropped: [AtomicU64; REASONS.len()],
    /// Requests that were not answered, by [`Denied`].
    pub denied: [AtomicU64; DENIED.len()],
    /// Times that a connection had to wait for its rate.
    pub slowed: AtomicU64,
}

/// Adds to a counter of one's own.
pub fn add(counter: &AtomicU64, n: u64) {
    counter.store(counter.load(Relaxed).wrapping_add(n), Relaxed);
}

/// All counters.
#[derive(Debug)]
pub struct Metrics {
    /// One for each thread.
    pub tallies: Vec<Tally>,
    /// Connections that were not taken, by [`Refused`].
    pub refused: [AtomicU64; REFUSED.len()],
    /// Generations that were loaded.
    pub reloads: AtomicU64,
    /// Generations that were refused.
    pub bad_generations: AtomicU64,
}

impl Metrics {
    /// Counters for so many threads.
    pub fn new(threads: usize) -> Metrics {
        Metrics {
            tallies: (0..threads).map(|_| Tally::default()).collect(),
            refused: Default::default(),
            reloads: AtomicU64::new(0),
            bad_generations: AtomicU64::new(0),
        }
    }

    fn sum(&self, counter: impl Fn(&Tally) -> &AtomicU64) -> u64 {
        self.tallies.iter().map(|t| counter(t).load(Relaxed)).sum()
    }

    /// Connections that are open.
    pub fn open(&self) -> u64 {
        self.sum(|t| &t.opened).saturating_sub(self.sum(|t| &t.closed))
    }

    /// Connections of one thread that are open.
    pub fn open_of(&self, thread: usize) -> u64 {
        self.tallies.get(thread).map_or(0, |t| t.opened.load(Relaxed).saturating_sub(t.closed.load(Relaxed)))
    }

    /// Connections closed by the server for that reason.
    pub fn dropped(&self, why: Dropped) -> u64 {
        self.sum(|t| &t.dropped[why as usize])
    }

    /// Connections not taken for that reason.
    pub fn refused(&self, why: Refused) -> u64 {
        self.refused[why as usize].load(Relaxed)
    }

    /// Requests not answered for that reason.
    pub fn denied(&self, why: Denied) -> u64 {
        self.sum(|t| &t.denied[why as usize])
    }

    /// The page `/metrics`.
    pub(crate) fn text(&self, served: &Served) -> String {
        let mut page = Page(String::new());
        page.head("hopline_requests", "counter", "Requests by command.");
        for (i, command) in COMMANDS.iter().enumerate() {
            page.value("hopline_requests_total", &format!("{{command=\"{command}\"}}"), self.sum(|t| &t.requests[i]));
        }
        page.counter("hopline_errors", "Requests answered by an error.", self.sum(|t| &t.errors));
        page.counter("hopline_http_requests", "Requests over HTTP.", self.sum(|t| &t.http));
        page.counter("hopline_read_bytes", "Bytes of requests.", self.sum(|t| &t.read));
        page.counter("hopline_written_bytes", "Bytes of answers.", self.sum(|t| &t.written));
        page.gauge("hopline_connections", "Open connections.", self.open());
        page.counter("hopline_connections_opened", "Connections taken.", self.sum(|t| &t.opened));
        let refused = |i: usize| self.refused[i].load(Relaxed);
        page.reasons("hopline_connections_refused", "Connections not taken.", &REFUSED, refused);
        let dropped = |i: usize| self.sum(|t| &t.dropped[i]);
        page.reasons("hopline_connections_dropped", "Connections closed by the server.", &REASONS, dropped);
        let denied = |i: usize| self.sum(|t| &t.denied[i]);
        page.reasons("hopline_requests_refused", "Requests not answered.", &DENIED, denied);
        page.counter("hopline_slowed", "Times a connection waited for its rate.", self.sum(|t| &t.slowed));
        page.counter("hopline_reloads", "Generations loaded.", self.reloads.load(Relaxed));
        page.counter("hopline_bad_generations", "Generations refused.", self.bad_generations.load(Relaxed));
        page.gauge("hopline_warning", "1 where /healthz warns.", u8::from(!served.warning.is_empty()));
        fabric(&mut page, &served.generation);
        served.collector.iter().for_each(|pulse| collector(&mut page, pulse));
        served.blamed.iter().for_each(|blamed| verdict(&mut page, blamed));
        page.0 + "# EOF\n"
    }
}

/// What is served, how old it is, and what it had once.
fn fabric(page: &mut Page, generation: &Generation) {
    page.gauge("hopline_generation", "The generation that is served.", generation.number);
    if let Some(collected) = seconds(&generation.collected) {
        let age = (unix(SystemTime::now()) - collected as f64).max(0.0);
        page.gauge("hopline_generation_age_seconds", "Time since the generation was collected.", age);
    }
    page.gauge("hopline_hosts", "Hosts of the fabric.", generation.atlas.hosts().len());
    page.gauge("hopline_switches", "Switches of the fabric.", generation.atlas.switches());
    page.gauge("hopline_cables", "Cables of the fabric.", generation.atlas.cables());
    let lost = &generation.lost;
    page.gauge("hopline_lost_hosts", "Hosts that the fabric had and has no more.", lost.hosts.len());
    page.gauge("hopline_lost_switches", "Switches that the fabric had and has no more.", lost.switches.len());
    page.gauge("hopline_lost_cables", "Cables that the fabric had and has no more.", lost.cables.len());
}

/// Whether somebody looks after it.
fn collector(page: &mut Page, pulse: &Pulse) {
    page.gauge("hopline_collector_up", "0 where the collector gives no sign of life.", u8::from(pulse.alive()));
    page.gauge("hopline_collector_heartbeat_age_seconds", "Time since its last sign of life.", pulse.age());
    page.gauge("hopline_collector_failing_seconds", "How long collecting has failed.", pulse.failing());
    for (which, time) in [("success", pulse.heartbeat.last_success), ("failure", pulse.heartbeat.last_failure)] {
        if let Some(time) = time {
            let name = format!("hopline_collector_last_{which}_timestamp_seconds");
            page.gauge(&name, &format!("When collecting last was a {which}."), time);
        }
    }
}

/// What `hopline blame` last said, and when.
fn verdict(page: &mut Page, blamed: &Blamed) {
    page.head("hopline_blame_verdict", "gauge", "1 for the last verdict of hopline blame.");
    for kind in ["blame", "ambiguous", "suspect", "nothing", "undetectable"] {
        page.value("hopline_blame_verdict", &format!("{{kind=\"{kind}\"}}"), u8::from(blamed.kind == kind));
    }
    page.gauge("hopline_blame_suspects", "Parts that may be slow, by the last verdict.", blamed.suspects.len());
    if let Some(time) = blamed.seconds() {
        page.gauge("hopline_blame_timestamp_seconds", "When the last verdict was given.", time);
    }
}

struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# TYPE {name} {kind}\n# HELP {name} {help}");
    }

    fn value(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }

    fn reasons(&mut self, name: &str, help: &str, reasons: &[&str], count: impl Fn(usize) -> u64) {
        self.head(name, "counter", help);
        for (i, reason) in reasons.iter().enumerate() {
            self.value(&format!("{name}_total"), &format!("{{reason=\"{reason}\"}}"), count(i));
        }
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, "counter", help);
        self.value(&format!("{name}_total"), "", value);
    }

    fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.head(name, "gauge", help);
        self.value(name, "", value);
    }
}
