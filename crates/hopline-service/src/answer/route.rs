//! `query` and `route`: one walk through the tables.

use super::{Failure, end, stopped};
use crate::atlas::Step;
use crate::generation::Generation;

/// Appends `a 0x... 0x... b`: the ends and all switches between them.
pub(super) fn query(g: &Generation, from: &str, to: &str, out: &mut Vec<u8>) -> Result<(), Failure> {
    line(g, from, to, out, |Step { link, .. }, out| {
        out.push(b' ');
        out.extend_from_slice(g.label(link.to));
    })
}

/// Appends `a[1] 4xQDR [7]0x...[3] 4xQDR [1]b`: every link between the port it
/// leaves and the port it reaches.
pub(super) fn route(g: &Generation, from: &str, to: &str, out: &mut Vec<u8>) -> Result<(), Failure> {
    line(g, from, to, out, |Step { link, .. }, out| {
        port(link.out, out);
        out.push(b' ');
        out.extend_from_slice(g.atlas.speeds()[usize::from(link.speed)].name.as_bytes());
        out.push(b' ');
        port(link.arrives, out);
        out.extend_from_slice(g.label(link.to));
    })
}

/// A line that begins with the source, goes on with every step, and ends with the target.
#[inline]
fn line(
    g: &Generation,
    from: &str,
    to: &str,
    out: &mut Vec<u8>,
    mut step: impl FnMut(Step, &mut Vec<u8>),
) -> Result<(), Failure> {
    let source = end(g, from)?.vertex;
    let target = end(g, to)?;
    out.extend_from_slice(g.label(source));
    let walked = g.atlas.walk(source, target.vertex, target.lid, |next| step(next, out));
    walked.map_err(|stop| stopped(g, from, to, stop))?;
    if source == target.vertex {
        out.push(b' ');
        out.extend_from_slice(g.label(source));
    }
    out.push(b'\n');
    Ok(())
}

fn port(number: u8, out: &mut Vec<u8>) {
    let digits = [number / 100, number / 10 % 10, number % 10].map(|d| b'0' + d);
    let skip = usize::from(number < 100) + usize::from(number < 10);
    out.push(b'[');
    out.extend_from_slice(&digits[skip..]);
    out.push(b']');
}

/// A route, for JSON.
pub(super) struct Walked {
    /// The vertices at its ends.
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) steps: Vec<Step>,
}

pub(super) fn walked(g: &Generation, from: &str, to: &str) -> Result<Walked, Failure> {
    let source = end(g, from)?.vertex;
    let target = end(g, to)?;
    let mut steps = Vec::new();
    let walked = g.atlas.walk(source, target.vertex, target.lid, |step| steps.push(step));
    walked.map_err(|stop| stopped(g, from, to, stop))?;
    Ok(Walked { from: source, to: target.vertex, steps })
}
