//! The requests of a connection, one after the other.

use super::respond::{JSON, METRICS, alive, error_page, health, respond};
use super::{Connection, Tools};
use crate::answer::{self, Desk};
use crate::metrics::{Denied, Dropped, add};
use crate::protocol::{self, Hosts, Page, Request};
use crate::server::door::Peer;
use std::time::Instant;

/// What `/blame` says where nothing is kept.
const UNASKED: &str = "no answer of `hopline blame` is kept here; `hopline blame --store DIR` keeps one";

impl Connection {
    /// The client sends nothing more: a line that lacks only its end is answered, half a head is refused.
    pub(super) fn last_request(&mut self, tools: &mut Tools<'_>) {
        let mut input = std::mem::take(&mut self.input);
        if self.http {
            return self.give_up(tools, &error_page(400, "the head does not end"));
        }
        input.push(b'\n');
        // Where its rate is used up it is pending, and answered in time.
        let _ = self.take_in(tools, &input);
    }

    /// Answers the first request of `bytes`; returns its length, 0 where it is not complete.
    pub(super) fn one(&mut self, tools: &mut Tools<'_>, bytes: &[u8]) -> usize {
        self.http = self.http || is_http(bytes);
        if self.http {
            return self.http(tools, bytes);
        }
        let limit = tools.shared.limits.line;
        let Some(length) = bytes.iter().position(|b| *b == b'\n') else {
            if bytes.len() > limit {
                self.give_up(tools, too_long(limit).as_bytes());
            }
            return 0;
        };
        let line = bytes[..length].strip_suffix(b"\r").unwrap_or(&bytes[..length]);
        if line.len() > limit {
            self.give_up(tools, too_long(limit).as_bytes());
            return length + 1;
        }
        let line = std::str::from_utf8(line).map_err(|_| "a line that is no UTF-8".to_string());
        let token = line.as_ref().ok().and_then(|line| line.strip_prefix("token "));
        let line = line.and_then(protocol::parse);
        let request = line.as_ref().ok().map(|line| &line.request);
        if let Err(denied) = self.admit(tools, token).and_then(|()| self.charge(tools, request)) {
            let why = self.account.words(denied, &tools.shared.limits);
            self.output.extend_from_slice(format!("error {why}\n").as_bytes());
            self.count(tools, denied);
            return length + 1;
        }
        if token.is_some() {
            self.output.extend_from_slice(b"token accepted\n");
            return length + 1;
        }
        let good = answer::line(&mut tools.desk(), &line, &mut self.output);
        add(&tools.tally.errors, u64::from(!good));
        length + 1
    }

    fn http(&mut self, tools: &mut Tools<'_>, bytes: &[u8]) -> usize {
        let limit = tools.shared.limits.line;
        let too_long = || (431, format!("a head of more than {limit} bytes"));
        let head = match protocol::head(bytes) {
            Ok(Some(head)) if head.length <= limit => Ok(head),
            Ok(None) if bytes.len() <= limit => return 0,
            Ok(_) => Err(too_long()),
            Err(wrong) => Err(wrong),
        };
        let head = match head {
            Ok(head) => head,
            Err((status, why)) => {
                self.give_up(tools, &error_page(status, &why));
                return 0;
            }
        };
        add(&tools.tally.http, 1);
        let asked = if let Ok(Page::Answer(request)) = &head.page { Some(request) } else { None };
        // Whether it lives is no secret.
        let public = head.page == Ok(Page::Alive);
        let admitted = if public { Ok(()) } else { self.admit(tools, head.token.as_deref()) };
        if let Err(denied) = admitted.and_then(|()| self.charge(tools, asked)) {
            let why = answer::json_error(&self.account.words(denied, &tools.shared.limits));
            self.count(tools, denied);
            self.closing |= !head.keep;
            let status = if denied == Denied::Token { 401 } else { 429 };
            respond(&mut self.output, status, JSON, &why, head.bodiless, !self.closing);
            return head.length;
        }
        let (status, kind, body) = match &head.page {
            Ok(Page::Answer(request)) => match answer::json(&mut tools.desk(), request) {
                Ok(body) => (200, JSON, body),
                Err((status, body)) => (status, JSON, body),
            },
            Ok(Page::Metrics) => (200, METRICS, tools.shared.metrics.text(tools.served)),
            Ok(Page::Health) => {
                let (status, body) = health(tools.served);
                (status, JSON, body)
            }
            Ok(Page::Blame) => match &tools.served.blamed {
                Some(blamed) => (200, JSON, blamed.text.clone()),
                None => (404, JSON, answer::json_error(UNASKED)),
            },
            Ok(Page::Alive) => (200, JSON, alive(tools.served)),
            Err((status, message)) => (*status, JSON, answer::json_error(message)),
        };
        add(&tools.tally.errors, u64::from(!matches!(status, 200 | 503)));
        respond(&mut self.output, status, kind, &body, head.bodiless, head.keep);
        self.closing |= !head.keep;
        head.length
    }

    /// Whether this client may ask: over a Unix socket the door has looked; a token holds for the whole connection.
    fn admit(&mut self, tools: &Tools<'_>, token: Option<&str>) -> Result<(), Denied> {
        let Some(tokens) = &tools.shared.access.tokens else { return Ok(()) };
        let user = matches!(self.account.peer, Peer::User(..));
        self.known = match token {
            Some(token) if !user => tokens.accept(token),
            _ => self.known || user,
        };
        if self.known { Ok(()) } else { Err(Denied::Token) }
    }

    /// Notes a refusal. Only one who asks too much may go on.
    fn count(&mut self, tools: &Tools<'_>, denied: Denied) {
        add(&tools.tally.denied[denied as usize], 1);
        self.closing |= denied != Denied::Rate;
    }

    /// Counts what is asked, on this connection and on all of its client's.
    fn charge(&mut self, tools: &Tools<'_>, request: Option<&Request<'_>>) -> Result<(), Denied> {
        let all = tools.served.generation.atlas.hosts().len();
        let (hosts, pairs) = match request {
            Some(Request::Select(_, hosts) | Request::Order(hosts)) => (count(hosts, all), 0),
            Some(Request::Matrix(_, hosts)) => (count(hosts, all), count(hosts, all).pow(2)),
            Some(Request::Groups) => (all, 0),
            _ => (0, 0),
        };
        let cost = 1.0 + hosts as f64 / 64.0 + pairs as f64 / 4096.0;
        let charge = |now| self.account.charge(cost, &tools.shared.limits, now);
        // The time of this turn may be long past on a busy machine, and the client's other connections be ahead of it.
        let late = |denied| if denied == Denied::Rate { charge(Instant::now()) } else { Err(denied) };
        let charged = charge(tools.now).or_else(late);
        if let (Ok(()), Some(request)) = (charged, request) {
            add(&tools.tally.requests[request.command()], 1);
        }
        // What is denied is work, too, but little.
        self.tokens -= if charged.is_ok() { cost } else { 1.0 };
        charged
    }

    /// Says a last word and closes.
    fn give_up(&mut self, tools: &mut Tools<'_>, word: &[u8]) {
        self.output.extend_from_slice(word);
        add(&tools.tally.dropped[Dropped::Malformed as usize], 1);
        self.closing = true;
    }
}

impl Tools<'_> {
    fn desk(&mut self) -> Desk<'_> {
        Desk {
            generation: &self.served.generation,
            limits: &self.shared.limits,
            warning: &self.served.warning,
            column: self.column,
        }
    }
}

fn too_long(limit: usize) -> String {
    format!("error a line of more than {limit} bytes\n")
}

fn count(hosts: &Hosts<'_>, all: usize) -> usize {
    match hosts {
        Hosts::All => all,
        Hosts::Named(names) => names.len(),
    }
}

/// True for the methods of HTTP, which are no commands of the line protocol.
pub(in crate::server) fn is_http(bytes: &[u8]) -> bool {
    const METHODS: [&[u8]; 7] = [b"GET /", b"HEAD /", b"POST /", b"PUT /", b"DELETE /", b"PATCH /", b"OPTIONS "];
    METHODS.iter().any(|method| bytes.starts_with(method))
}
