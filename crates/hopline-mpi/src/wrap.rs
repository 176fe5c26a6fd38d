//! What stands between a program and its MPI library: every function of the
//! [table](crate::table) arrives in [`dispatch`] with its arguments as machine
//! words, goes on to the library unchanged, and is told to the recorder.

use crate::abi::{Handle, Lang, abi};
use crate::call::Call;
use crate::collectives::{self, Detour};
use crate::function::{Function, FunctionKind};
use crate::guard::{ON, safely};
use crate::real::{MISSING, Real, forward};
use crate::{record, say, world};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::Ordering;

/// Bits of [`ON`].
pub(crate) const RECORD: u8 = 1;
pub(crate) const COLLECTIVES: u8 = 2;

thread_local! {
    /// True inside a call: what the library calls itself is not the program's.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// One call on its way through. `words` has the error argument last where the language is Fortran.
#[inline(never)]
pub(crate) fn dispatch(function: &'static Function, real: &Real, lang: Lang, words: &[usize]) -> i32 {
    let address = real.get();
    if address.is_null() {
        return missing(lang, words);
    }
    let lifecycle = matches!(function.kind, FunctionKind::Init | FunctionKind::Finalize | FunctionKind::Abort);
    let on = ON.load(Ordering::Relaxed);
    // MPICH's Fortran functions, but for those of mpi_f08, call its C functions by names that this layer has.
    let passes = (on == 0 && !lifecycle) || INSIDE.get() || (lang == Lang::Fortran && !abi().open);
    if passes {
        return forward(address, words);
    }
    let _inside = Inside::enter();
    inside(&Call { function, lang, words }, address, on)
}

/// Inside a call, until it returns or an exception of the program's own error handler passes through.
struct Inside {
    /// The call comes from where a panic is already on its way.
    panicking: bool,
}

impl Inside {
    fn enter() -> Inside {
        INSIDE.set(true);
        Inside { panicking: std::thread::panicking() }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(false);
        // A panic of this layer does not pass: other ranks wait in the call that it was in, so nothing can be given back either.
        if std::thread::panicking() && !self.panicking {
            say("an error inside the layer, in the middle of a call: the program ends");
            std::process::abort();
        }
    }
}

/// The library is called outside [`safely`]: what the program throws there must pass.
fn inside(call: &Call<'_>, address: *mut c_void, on: u8) -> i32 {
    match call.kind() {
        FunctionKind::Init => {
            let code = forward(address, call.words);
            if call.code(code) == 0 {
                safely(|| opened(call.session()));
            }
            return code;
        }
        FunctionKind::Finalize => {
            safely(|| closing(call.session()));
            return forward(address, call.words);
        }
        FunctionKind::Abort => {
            safely(record::save);
            return forward(address, call.words);
        }
        _ => {}
    }
    let requests = if on & RECORD != 0 { safely(|| record::before(call)).unwrap_or_default() } else { Vec::new() };
    // The library takes the handle away.
    let freed = (on & COLLECTIVES != 0 && call.kind() == FunctionKind::RequestFree).then(|| call.request(0));
    let begin = record::clock::now();
    let own = || call.code(forward(address, call.words));
    let other = if on & COLLECTIVES != 0 { collectives::instead(call, &own) } else { None };
    let detour = if on & COLLECTIVES != 0 && other.is_none() { collectives::elsewhere(call) } else { None };
    let code = match (other, detour) {
        (Some(code), _) => call.answer(code),
        (None, Some(Detour { comm, places: Some(places) })) => match collectives::by_places(call, comm, &places) {
            Some(code) => call.answer(code),
            None => forward(address, call.words),
        },
        (None, Some(Detour { comm, places: None })) => call.with_comm(comm, |words| forward(address, words)),
        (None, None) => forward(address, call.words),
    };
    if let (Some(request), 0) = (freed, call.code(code)) {
        safely(|| collectives::request_freed(request));
    }
    if on & RECORD != 0 && call.code(code) == 0 {
        let end = record::clock::now();
        safely(|| record::after(call, &requests, begin, end));
    }
    code
}

/// After `MPI_Init` or `MPI_Session_init`.
fn opened(session: Option<Handle>) {
    if world::open(session) && record::start() {
        ON.fetch_or(RECORD, Ordering::Relaxed);
    }
    // Sessions have no communicator that all processes of the world are in.
    if session.is_none() && collectives::start() {
        ON.fetch_or(COLLECTIVES, Ordering::Relaxed);
    }
}

/// Before `MPI_Finalize` or `MPI_Session_finalize`.
fn closing(session: Option<Handle>) {
    if session.is_none() {
        collectives::finish();
        ON.fetch_and(!COLLECTIVES, Ordering::Relaxed);
    }
    if world::is_last(session) {
        record::finish();
        ON.fetch_and(!RECORD, Ordering::Relaxed);
    }
    world::close(session);
}

fn missing(lang: Lang, words: &[usize]) -> i32 {
    say("the MPI library lacks a function that the program calls");
    if let (true, Some(&error)) = (lang.is_fortran(), words.last())
        && error != 0
    {
        // SAFETY: Fortran's last argument is where the error goes; it may be left out in mpi_f08.
        unsafe { *(error as *mut i32) = MISSING };
    }
    MISSING
}
