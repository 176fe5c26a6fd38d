//! A broadcast along a tree of our own, in segments, with point-to-point messages.
//!
//! What travels is bytes: data that is not contiguous is packed first, as each
//! rank's datatype may be another as long as the signature is the same.

use crate::abi::{Abi, Handle, abi, type_size};
use crate::real::pmpi;

/// Where a rank stands in a tree, in ranks of the communicator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) parent: Option<usize>,
    pub(crate) children: Vec<usize>,
}

/// What is broadcast, on this rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data {
    pub(crate) buffer: usize,
    pub(crate) count: i32,
    pub(crate) datatype: Handle,
    pub(crate) bytes: usize,
}

const TAG: i32 = 4712;

/// Broadcasts; answers MPI's error code.
pub(crate) fn bcast(comm: Handle, place: &Place, data: &Data, segment: usize) -> i32 {
    if is_contiguous(data.datatype) {
        return stream(comm, place, data.buffer, data.bytes, segment);
    }
    let mut packed = vec![0u8; data.bytes];
    let Data { buffer, count, datatype, bytes } = *data;
    let mut at = 0i32;
    if place.parent.is_none() {
        let code = pmpi!(PMPI_Pack(buffer, count, datatype, packed.as_mut_ptr(), bytes, &raw mut at, comm));
        if code != 0 {
            return code;
        }
    }
    let code = stream(comm, place, packed.as_mut_ptr() as usize, bytes, segment);
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
    let (byte, size) = (abi().byte, bytes.div_ceil(segments));
    let part = |i: usize| (buffer + i * size, size.min(bytes - (i * size).min(bytes)));
    let mut incoming = [Abi::room(), Abi::room()];
    let mut outgoing: [Vec<[usize; 1]>; 2] = Default::default();
    let mut code = 0;
    let receive = |i: usize, request: &mut [usize; 1]| match place.parent {
        Some(parent) if i < segments => {
            let (at, length) = part(i);
            pmpi!(PMPI_Irecv(at, length, byte, parent, TAG, comm, request.as_mut_ptr()))
        }
        _ => 0,
    };
    code = first(code, receive(0, &mut incoming[0]));
    for i in 0..segments {
        code = first(code, receive(i + 1, &mut incoming[(i + 1) % 2]));
        if place.parent.is_some() {
            code = first(code, wait(&mut incoming[i % 2]));
        }
        let (at, length) = part(i);
        for mut request in outgoing[i % 2].drain(..) {
            code = first(code, wait(&mut request));
        }
        for &child in &place.children {
            let mut request = Abi::room();
            code = first(code, pmpi!(PMPI_Isend(at, length, byte, child, TAG, comm, request.as_mut_ptr())));
            outgoing[i % 2].push(request);
        }
    }
    for mut request in outgoing.into_iter().flatten() {
        code = first(code, wait(&mut request));
    }
    code
}

fn wait(request: &mut [usize; 1]) -> i32 {
    // Larger than the status of any library.
    let mut status = [0u64; 16];
    pmpi!(PMPI_Wait(request.as_mut_ptr(), status.as_mut_ptr()))
}

/// The first error of two.
fn first(code: i32, next: i32) -> i32 {
    if code != 0 { code } else { next }
}
