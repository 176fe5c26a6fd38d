//! A broadcast along a tree of our own, in segments, with point-to-point messages.
//!
//! What travels is bytes: data that is not contiguous is packed first, as each
//! rank's datatype may be another as long as the signature is the same.

use super::message::{Block, Request, first, receive, send, wait};
use crate::abi::{Handle, abi, type_size};
use crate::real::pmpi;

/// Where a rank stands in a tree, in ranks of the communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) parent: Option<usize>,
    pub(super) children: Vec<usize>,
}

/// Broadcasts `bytes` that `data` holds; answers MPI's error code.
pub(super) fn bcast(comm: Handle, place: &Place, data: Block, bytes: usize, segment: usize) -> i32 {
    let Block { buffer, count, datatype } = data;
    if is_contiguous(datatype) {
        return stream(comm, place, buffer, bytes, segment);
    }
    let mut packed = vec![0u8; bytes];
    let mut at = 0i32;
    let mut code = 0;
    if place.parent.is_none() {
        code = pmpi!(PMPI_Pack(buffer, count, datatype, packed.as_mut_ptr(), bytes, &raw mut at, comm));
    }
    code = first(code, stream(comm, place, packed.as_mut_ptr() as usize, bytes, segment));
    if code != 0 || place.parent.is_none() {
        return code;
    }
    at = 0;
    pmpi!(PMPI_Unpack(packed.as_ptr(), bytes, &raw mut at, buffer, count, datatype, comm))
}

/// Elements lie side by side from the buffer's first byte.
fn is_contiguous(datatype: Handle) -> bool {
    let (mut low, mut extent, mut true_low, mut true_extent) = (0isize, 0isize, 0isize, 0isize);
    pmpi!(PMPI_Type_get_extent(datatype, &raw mut low, &raw mut extent));
    pmpi!(PMPI_Type_get_true_extent(datatype, &raw mut true_low, &raw mut true_extent));
    let size = type_size(datatype) as isize;
    let mut kind = [0i32; 4];
    pmpi!(PMPI_Type_get_envelope(datatype, &raw mut kind[0], &raw mut kind[1], &raw mut kind[2], &raw mut kind[3]));
    // A derived type of the same size may still have its parts in another order.
    let named = kind[..3].iter().all(|&count| count == 0);
    named && low == 0 && true_low == 0 && extent == size && true_extent == size
}

/// Segment after segment from the parent to the children; two are under way.
fn stream(comm: Handle, place: &Place, buffer: usize, bytes: usize, segment: usize) -> i32 {
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
                let (begun, request) = receive(comm, part(next), parent);
                code = first(code, begun);
                incoming[next % 2] = Some(request);
            }
        }
        code = incoming[i % 2].take().map_or(code, |request| first(code, wait(request)));
        code = outgoing[i % 2].drain(..).fold(code, |code, request| first(code, wait(request)));
        for &child in &place.children {
            let (begun, request) = send(comm, part(i), child);
            code = first(code, begun);
            outgoing[i % 2].push(request);
        }
    }
    outgoing.into_iter().flatten().fold(code, |code, request| first(code, wait(request)))
}
