//! Calls of equal blocks that end with a request, on a communicator with the same ranks in another order. The library
//! would lay their blocks in that order: so they go as their vector forms (`MPI_Iallgather` as `MPI_Iallgatherv`),
//! which say where each block lies.

use super::message::Block;
use super::operation::{self, Operation};
use super::reordered::Places;
use crate::abi::{Abi, Handle, abi};
use crate::call::Call;
use crate::function::Completion;
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

/// A call's block as a datatype, so that places are counted in blocks and serve all calls of a communicator.
struct BlockType(Handle);

impl BlockType {
    fn new(block: Block) -> Option<BlockType> {
        if block.count == 0 || block.datatype == abi().datatype_null {
            return None;
        }
        let mut room = Abi::room();
        let made = room.as_mut_ptr();
        let code = pmpi!(PMPI_Type_contiguous(block.count, block.datatype, made));
        (code == 0 && pmpi!(PMPI_Type_commit(made)) == 0).then(|| BlockType(abi().at(made as usize, 0)))
    }
}

impl Drop for BlockType {
    /// The library keeps it as long as a call is under way.
    fn drop(&mut self) {
        pmpi!(PMPI_Type_free(&raw mut self.0));
    }
}

/// Blocks of persistent requests: Open MPI 4.1 does not keep a datatype for them, which it does while a call is under way.
static KEPT: Mutex<BTreeMap<Handle, Vec<BlockType>>> = Mutex::new(BTreeMap::new());

fn kept() -> MutexGuard<'static, BTreeMap<Handle, Vec<BlockType>>> {
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

/// Does a call on a communicator whose ranks' blocks lie at these places, the root's rank there being 0: MPI's error
/// code, or `None` where it cannot be done so.
pub(crate) fn by_places(call: &Call<'_>, comm: Handle, places: &Places) -> Option<i32> {
    let in_place = abi().in_place();
    let (sent, received) = (operation::sent(call).ok_or(in_place), operation::taken(call).ok_or(in_place));
    // What arguments say of the blocks of all counts at the root alone.
    let at_root = |side: Result<Block, usize>| if places.own == 0 { side } else { Err(0) };
    // A side, or the address that stands there where nobody looks.
    let (forms, sides) = match Operation::of(call)? {
        Operation::Allgather => (&ALLGATHER, [sent, received]),
        Operation::Alltoall => (&ALLTOALL, [sent, received]),
        Operation::Scatter => (&SCATTER, [at_root(sent), received]),
        Operation::Gather => (&GATHER, [sent, at_root(received)]),
        Operation::Bcast | Operation::Reduce | Operation::Allreduce => return None,
    };
    let address = forms.of(call.completion());
    if address.is_null() || (call.completion() == Completion::Request && !keeps_datatypes()) {
        return None;
    }
    let (counts, at) = (places.counts.as_ptr() as usize, places.at.as_ptr() as usize);
    let (mut words, mut blocks) = (Vec::new(), Vec::new());
    for (side, has_places) in sides.into_iter().zip(forms.with_places) {
        match (side, has_places) {
            (Ok(block), true) => {
                let whole = BlockType::new(block)?;
                words.extend([block.buffer, counts, at, whole.0]);
                blocks.push(whole);
            }
            (Ok(Block { buffer, count, datatype }), false) => words.extend([buffer, count, datatype]),
            (Err(address), true) => words.extend([address, counts, at, abi().byte]),
            (Err(address), false) => words.extend([address, 0, abi().byte]),
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
