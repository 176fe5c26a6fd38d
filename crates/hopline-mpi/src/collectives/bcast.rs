//! A broadcast along a tree of our own, in segments, with point-to-point messages.
//!
//! What travels is bytes: data that is not contiguous is packed first, as each
//! rank's datatype may be another as long as the signature is the same.

use super::channel::Channel;
use super::message::{Block, Blocks, Packed, Request, first, receive, send, wait};
use crate::abi::abi;

/// Where a rank stands in a tree, in ranks of the communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
}

/// Broadcasts what `data` holds; answers MPI's error code.
pub(super) fn bcast(channel: &Channel, place: &Place, data: Block, segment: usize) -> i32 {
    let packed = Packed::new(Blocks::new(data), 1, false);
    let Block { buffer, count: bytes, .. } = packed.at(0);
    let code = if place.parent.is_none() { packed.pack(channel, 0) } else { 0 };
    let code = first(code, stream(channel, place, buffer, bytes, segment));
    if code != 0 || place.parent.is_none() { code } else { packed.unpack(channel, 0) }
}

/// Segment after segment from the parent to the children; two are under way.
pub(super) fn stream(channel: &Channel, place: &Place, buffer: usize, bytes: usize, segment: usize) -> i32 {
    let segments = bytes.div_ceil(segment.max(1)).max(1);
    let (datatype, size) = (abi().byte, bytes.div_ceil(segments));
    let part = |i: usize| Block { buffer: buffer + i * size, count: size.min(bytes - (i * size).min(bytes)), datatype };
    let mut code = 0;
    let mut incoming: [Option<Request>; 2] = [None, None];
    let mut outgoing: [Vec<Request>; 2] = Default::default();
    for i in 0..segments {
        if let Some(parent) = place.parent {
            let ahead = if i == 0 { 0 } else { i + 1 };
            for next in (ahead..=i + 1).filter(|&next| next < segments) {
                let (begun, request) = receive(channel, part(next), parent);
                code = first(code, begun);
                incoming[next % 2] = Some(request);
            }
        }
        code = incoming[i % 2].take().map_or(code, |request| first(code, wait(request)));
        code = outgoing[i % 2].drain(..).fold(code, |code, request| first(code, wait(request)));
        for &child in &place.children {
            let (begun, request) = send(channel, part(i), child);
            code = first(code, begun);
            outgoing[i % 2].push(request);
        }
    }
    outgoing.into_iter().flatten().fold(code, |code, request| first(code, wait(request)))
}
