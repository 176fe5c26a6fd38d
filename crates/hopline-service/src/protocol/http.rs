//! The same requests over HTTP/1.1: `GET /query?from=A&to=B`.

use super::{Hosts, Request, measure_of};
use std::borrow::Cow;

/// The head of an HTTP request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Bytes of the head with its empty line.
    pub length: usize,
    /// What is wanted, or the status and the reason why nothing is.
    pub page: Result<Page, (u16, String)>,
    /// Only the head of the answer is wanted.
    pub bodiless: bool,
    /// The token that it shows.
    pub token: Option<String>,
    /// The connection stays open afterwards.
    pub keep: bool,
}

/// What a path stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Page {
    /// A request, answered in JSON.
    Answer(Request<'static>),
    /// Counters in the OpenMetrics text format.
    Metrics,
    /// What `hopline blame` last said.
    Blame,
    /// Whether there is something to warn of.
    Health,
    /// Whether routes are served at all.
    Alive,
}

/// Lines of a head after its first.
const MOST_LINES: usize = 64;

/// Reads a head; `None` while it is not complete. O(bytes).
///
/// # Errors
/// The bytes are no head of HTTP/1, or one of too many lines: a status and the
/// reason; the connection cannot go on.
pub fn head(bytes: &[u8]) -> Result<Option<Head>, (u16, String)> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_LINES];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return Err((431, format!("a head of more than {MOST_LINES} lines"))),
        Err(e) => return Err((400, format!("no HTTP request: {e}"))),
    };
    let (mut keep, mut body, mut token) = (request.version == Some(1), false, None);
    for header in request.headers.iter() {
        let has = |word: &str| {
            let value = std::str::from_utf8(header.value).unwrap_or("");
            value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word))
        };
        match header.name.to_ascii_lowercase().as_str() {
            "connection" if has("close") => keep = false,
            "connection" if has("keep-alive") => keep = true,
            "content-length" => body |= !has("0"),
            "transfer-encoding" => body = true,
            "authorization" => token = bearer(header.value),
            _ => {}
        }
    }
    let method = request.method.unwrap_or("");
    let page = match method {
        _ if body => Err((413, "a request has no body here".to_string())),
        "GET" | "HEAD" => page(request.path.unwrap_or("")),
        _ => Err((405, "only GET and HEAD".to_string())),
    };
    Ok(Some(Head { length, page, bodiless: method == "HEAD", token, keep: keep && !body }))
}

/// The token in `Bearer TOKEN`.
fn bearer(value: &[u8]) -> Option<String> {
    let (scheme, token) = std::str::from_utf8(value).ok()?.trim().split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_string())
}

fn page(target: &str) -> Result<Page, (u16, String)> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let fields = query.split('&').filter(|f| !f.is_empty()).map(|f| f.split_once('=').unwrap_or((f, "")));
    let fields: Vec<(&str, String)> = fields.map(|(key, value)| (key, decode(value))).collect();
    if let Some(known) = keys_of(path) {
        for (i, (key, _)) in fields.iter().enumerate() {
            if !known.contains(key) {
                return Err((400, format!("{path} has no {key}=, but {}=", known.join("= and "))));
            }
            if fields[..i].iter().any(|(before, _)| before == key) {
                return Err((400, format!("{key}= is given twice")));
            }
        }
    }
    let get = |key: &str| fields.iter().find(|(k, _)| *k == key).map(|(_, v)| v.clone()).filter(|v| !v.is_empty());
    let need = |key: &str| get(key).ok_or_else(|| (400, format!("{path} needs {key}=")));
    let ends = || Ok((Cow::Owned(need("from")?), Cow::Owned(need("to")?)));
    let hosts = || -> Result<Hosts<'static>, (u16, String)> {
        let all: Vec<_> =
            need("hosts")?.split(',').filter(|n| !n.is_empty()).map(|n| Cow::Owned(n.to_string())).collect();
        Ok(if all == ["*"] { Hosts::All } else { Hosts::Named(all) })
    };
    let request = match path {
        "/query" => ends().map(|(a, b)| Request::Query(a, b)),
        "/route" => ends().map(|(a, b)| Request::Route(a, b)),
        "/select" => {
            let count = need("count")?.parse().map_err(|_| (400, "count is no number".to_string()))?;
            hosts().map(|h| Request::Select(count, h))
        }
        "/order" => hosts().map(Request::Order),
        "/matrix" => {
            let measure = need("of")?;
            let measure = measure_of(&measure).ok_or((400, "of=hops or of=speed".to_string()))?;
            hosts().map(|h| Request::Matrix(measure, h))
        }
        "/groups" => Ok(Request::Groups),
        "/generation" => Ok(Request::Generation),
        "/" | "/help" => Ok(Request::Help),
        "/metrics" => return Ok(Page::Metrics),
        "/blame" => return Ok(Page::Blame),
        "/healthz" => return Ok(Page::Health),
        "/livez" => return Ok(Page::Alive),
        _ => Err((404, "no such page; /help lists them".to_string())),
    };
    request.map(Page::Answer)
}

/// What a path takes behind its `?`; others take anything, since monitoring has words of its own there.
fn keys_of(path: &str) -> Option<&'static [&'static str]> {
    Some(match path {
        "/query" | "/route" => &["from", "to"],
        "/select" => &["count", "hosts"],
        "/order" => &["hosts"],
        "/matrix" => &["of", "hosts"],
        _ => return None,
    })
}

/// `a%20b+c` is `a b c`; what is no escape stays as it is.
fn decode(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&b, tail)) = rest.split_first() {
        let escaped =
            tail.get(..2).filter(|_| b == b'%').and_then(|h| u8::from_str_radix(std::str::from_utf8(h).ok()?, 16).ok());
        rest = if escaped.is_some() { &tail[2..] } else { tail };
        bytes.push(escaped.unwrap_or(if b == b'+' { b' ' } else { b }));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Head {
        head(text.as_bytes()).expect(text).expect("complete")
    }

    #[test]
    fn paths_are_requests() {
        let text = "GET /query?from=a%20b&to=c+d HTTP/1.1\r\nHost: x\r\n\r\nGET";
        let head = one(text);
        assert_eq!((head.length, head.keep, head.bodiless), (text.len() - 3, true, false));
        assert_eq!(head.page, Ok(Page::Answer(Request::Query("a b".into(), "c d".into()))));
        let page = |path: &str| one(&format!("HEAD {path} HTTP/1.0\r\n\r\n")).page;
        assert_eq!(page("/metrics"), Ok(Page::Metrics));
        assert_eq!(page("/order?hosts=*"), Ok(Page::Answer(Request::Order(Hosts::All))));
        let named = Hosts::Named(vec!["a".into(), "b".into()]);
        assert_eq!(page("/select?count=2&hosts=a,b"), Ok(Page::Answer(Request::Select(2, named))));
        assert_eq!(page("/metrics?name=a&x"), Ok(Page::Metrics));
        for (path, status) in [
            ("/query?from=a", 400),
            ("/etc/passwd", 404),
            ("/select?count=x&hosts=a", 400),
            ("/query?from=a&to=b&form=c", 400),
            ("/query?from=a&to=b&to=c", 400),
            ("/order?hosts=*&all", 400),
        ] {
            assert_eq!(page(path).expect_err(path).0, status);
        }
        assert_eq!(decode("%zz%4%41%"), "%zz%4A%");
    }

    #[test]
    fn heads_say_whether_the_connection_goes_on() {
        assert!(!one("GET / HTTP/1.1\r\nConnection: close\r\n\r\n").keep);
        assert!(one("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep);
        assert!(!one("GET / HTTP/1.0\r\n\r\n").keep);
        assert_eq!(one("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\n").page.expect_err("a body").0, 413);
        assert_eq!(one("DELETE / HTTP/1.1\r\n\r\n").page.expect_err("a method").0, 405);
        assert_eq!(one("GET / HTTP/1.1\r\nAuthorization: bearer  abc \r\n\r\n").token.as_deref(), Some("abc"));
        assert_eq!(one("GET / HTTP/1.1\r\nAuthorization: Basic abc\r\n\r\n").token, None);
        assert_eq!(head(b"GET / HTTP/1.1\r\nHo"), Ok(None));
        assert_eq!(head(b"GET / HTTP/1.1\r\n\0\r\n\r\n").expect_err("no header").0, 400);
        let long = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(65));
        assert_eq!(head(long.as_bytes()).expect_err("too many lines").0, 431);
    }
}
