//! Calls of equal blocks that end with a request, on a communicator with the same ranks in another order. The library
//! would lay their blocks in that order: so they go as their vector forms (`MPI_Iallgather` as `MPI_Iallgatherv`),
//! which say where each block lies.

use crate::abi::{Abi, Handle, abi};
use crate::call::Call;
use crate::collectives::Places;
use crate::function::{Completion, FunctionKind};
use crate::real::{Real, forward, pmpi, symbol};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The vector forms of an operation.
struct Forms {
    request: Real,
    persistent: Real,
    /// As Open MPI 4 names it.
    early: Real,
    /// Whether what is sent and what is received have a place for every rank.
    with_places: [bool; 2],
}

impl Forms {
    /// The library's function, null where it has none.
    fn of(&self, completion: Completion) -> *mut c_void {
        match completion {
            Completion::Persistent if self.persistent.get().is_null() => self.early.get(),
            Completion::Persistent => self.persistent.get(),
            Completion::Request | Completion::Blocking => self.request.get(),
        }
    }
}

macro_rules! forms {
    ($name:literal $small:literal $with_places:expr) => {
        Forms {
            request: Real::new(concat!("PMPI_I", $small, "v\0")),
            persistent: Real::new(concat!("PMPI_", $name, "v_init\0")),
            early: Real::new(concat!("PMPIX_", $name, "v_init\0")),
            with_places: $with_places,
        }
    };
}

static ALLGATHER: Forms = forms!("Allgather" "allgather" [false, true]);
static ALLTOALL: Forms = forms!("Alltoall" "alltoall" [true, true]);
static SCATTER: Forms = forms!("Scatter" "scatter" [true, false]);
static GATHER: Forms = forms!("Gather" "gather" [false, true]);

/// What is sent, or what is received.
struct Side {
    buffer: usize,
    count: u64,
    datatype: Handle,
    is_used: bool,
}

impl Side {
    fn sent(call: &Call<'_>) -> Side {
        let (buffer, count, datatype) = (call.send_buffer(), call.send_count(), call.send_type());
        if call.is_send_in_place() { Side::unused(abi().in_place()) } else { Side::used(buffer, count, datatype) }
    }

    fn received(call: &Call<'_>) -> Side {
        let (buffer, count, datatype) = (call.recv_buffer(), call.recv_count(), call.recv_type());
        if call.is_recv_in_place() { Side::unused(abi().in_place()) } else { Side::used(buffer, count, datatype) }
    }

    fn used(buffer: usize, count: u64, datatype: Handle) -> Side {
        Side { buffer, count, datatype, is_used: true }
    }

    /// At what stands there nobody looks, so it may be anything: a call in place, or what only the root has.
    fn unused(buffer: usize) -> Side {
        Side { buffer, count: 0, datatype: abi().byte, is_used: false }
    }
}

/// A call's block as a datatype, so that places are counted in blocks and serve all calls of a communicator.
struct Block(Handle);

impl Block {
    fn new(side: &Side) -> Option<Block> {
        let count = i32::try_from(side.count).ok().filter(|&count| count > 0)?;
        if side.datatype == abi().datatype_null {
            return None;
        }
        let mut room = Abi::room();
        let made = room.as_mut_ptr();
        let code = pmpi!(PMPI_Type_contiguous(count, side.datatype, made));
        (code == 0 && pmpi!(PMPI_Type_commit(made)) == 0).then(|| Block(abi().at(made as usize, 0)))
    }
}

/// Blocks of persistent requests: Open MPI 4.1 does not keep a datatype for them, which it does while a call is under way.
static KEPT: Mutex<BTreeMap<Handle, Vec<Block>>> = Mutex::new(BTreeMap::new());

fn kept() -> MutexGuard<'static, BTreeMap<Handle, Vec<Block>>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has freed a request.
pub(crate) fn freed(request: Handle) {
    kept().remove(&request);
}

/// Open MPI before 4.1 keeps datatypes for no call at all.
fn keeps_datatypes() -> bool {
    static KEEPS: OnceLock<bool> = OnceLock::new();
    *KEEPS.get_or_init(|| !abi().open || !symbol(c"ompi_coll_base_retain_datatypes").is_null())
}

impl Drop for Block {
    /// The library keeps it as long as a call is under way.
    fn drop(&mut self) {
        pmpi!(PMPI_Type_free(&raw mut self.0));
    }
}

/// Does a call on a communicator whose ranks' blocks lie at these places, the root's rank there being 0: MPI's error
/// code, or `None` where it cannot be done so.
pub(crate) fn by_places(call: &Call<'_>, comm: Handle, places: &Places) -> Option<i32> {
    let FunctionKind::Coll(name) = call.kind() else { return None };
    // What arguments say of the blocks of all counts at the root alone.
    let at_root = |side: fn(&Call<'_>) -> Side| if places.own == 0 { side(call) } else { Side::unused(0) };
    let (forms, sides) = match name {
        "allgather" => (&ALLGATHER, [Side::sent(call), Side::received(call)]),
        "alltoall" => (&ALLTOALL, [Side::sent(call), Side::received(call)]),
        "scatter" => (&SCATTER, [at_root(Side::sent), Side::received(call)]),
        "gather" => (&GATHER, [Side::sent(call), at_root(Side::received)]),
        _ => return None,
    };
    let address = forms.of(call.completion());
    if address.is_null() || (call.completion() == Completion::Request && !keeps_datatypes()) {
        return None;
    }
    let (counts, at) = (places.counts.as_ptr() as usize, places.at.as_ptr() as usize);
    let (mut words, mut blocks) = (Vec::new(), Vec::new());
    for (side, has_places) in sides.iter().zip(forms.with_places) {
        match (has_places, side.is_used) {
            (true, true) => {
                let block = Block::new(side)?;
                words.extend([side.buffer, counts, at, block.0]);
                blocks.push(block);
            }
            (true, false) => words.extend([side.buffer, counts, at, side.datatype]),
            (false, _) => words.extend([side.buffer, side.count as usize, side.datatype]),
        }
    }
    if call.has_root() {
        words.push(0);
    }
    words.push(comm);
    if call.completion() == Completion::Persistent {
        words.push(call.info());
    }
    let mut room = Abi::room();
    words.push(room.as_mut_ptr() as usize);
    let code = forward(address, &words);
    if code == 0 {
        let request = abi().at(room.as_ptr() as usize, 0);
        call.set_request(request);
        if call.completion() == Completion::Persistent {
            kept().insert(request, blocks);
        }
    }
    Some(code)
}
