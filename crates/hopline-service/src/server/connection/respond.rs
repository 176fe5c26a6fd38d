//! HTTP responses.

use super::super::Served;
use crate::answer;

pub(super) const JSON: &str = "application/json";
pub(super) const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Appends a response; a `bodiless` one is that to HEAD.
pub(super) fn respond(out: &mut Vec<u8>, status: u16, kind: &str, body: &str, bodiless: bool, keep: bool) {
    let words = match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        413 => "Content Too Large",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    };
    let close = if keep { "" } else { "Connection: close\r\n" };
    let more = match status {
        401 => "WWW-Authenticate: Bearer\r\n",
        405 => "Allow: GET, HEAD\r\n",
        429 => "Retry-After: 1\r\n",
        503 => "Retry-After: 10\r\n",
        _ => "",
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} {words}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n{more}{close}\r\n"
    );
    out.extend_from_slice(head.as_bytes());
    if !bodiless {
        out.extend_from_slice(body.as_bytes());
    }
}

/// The whole response to a client that is told to go.
pub(in crate::server) fn error_page(status: u16, why: &str) -> Vec<u8> {
    let mut page = Vec::new();
    respond(&mut page, status, JSON, &answer::json_error(why), false, false);
    page
}

/// Status and body of `/healthz`.
pub(super) fn health(served: &Served) -> (u16, String) {
    let (code, status) = if served.warning.is_empty() { (200, "ok") } else { (503, "warning") };
    let number = served.generation.number;
    (code, serde_json::json!({ "status": status, "generation": number, "warning": served.warning }).to_string())
}

/// The body of `/livez`: routes are answered, whatever there is to warn of.
pub(super) fn alive(served: &Served) -> String {
    serde_json::json!({ "status": "serving", "generation": served.generation.number }).to_string()
}
