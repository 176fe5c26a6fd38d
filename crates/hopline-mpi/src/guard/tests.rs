//! A panic of the layer, provoked wherever it does something of its own: the program's call is done by its library all the same.

use super::ON;
use crate::abi::Lang;
use crate::function::{Function, FunctionKind};
use crate::real::Real;
use crate::wrap::{COLLECTIVES, RECORD, dispatch};
use std::cell::{Cell, RefCell};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

thread_local! {
    /// Things that this thread does safely before the one that panics; none where nothing does.
    static UNTIL: Cell<Option<u32>> = const { Cell::new(None) };
    /// What the library was called with.
    static CALLED: RefCell<Vec<[usize; 5]>> = const { RefCell::new(Vec::new()) };
}

/// What is on is known to the whole process.
static ONE_BY_ONE: Mutex<()> = Mutex::new(());

/// Panics where it is time to.
pub(super) fn breaks() {
    match UNTIL.get() {
        Some(0) => {
            UNTIL.set(None);
            panic!("provoked by a test");
        }
        Some(left) => UNTIL.set(Some(left - 1)),
        None => {}
    }
}

/// The library's function.
extern "C-unwind" fn library(a: usize, b: usize, c: usize, d: usize, e: usize) -> i32 {
    CALLED.with_borrow_mut(|called| called.push([a, b, c, d, e]));
    7
}

/// One that does what no library does: stands for a panic of the layer between the program and its library.
extern "C-unwind" fn panics(_: usize, _: usize, _: usize, _: usize, _: usize) -> i32 {
    panic!("provoked by a test")
}

const ARGUMENTS: &[&str] = &["buffer", "count", "datatype", "root", "comm"];

fn call(kind: FunctionKind, real: extern "C-unwind" fn(usize, usize, usize, usize, usize) -> i32) -> i32 {
    let function: &'static Function = Box::leak(Box::new(Function::new("Bcast", kind, ARGUMENTS)));
    dispatch(function, &Real::at(real as *mut _), Lang::C, &[0, 1, 0, 0, 5])
}

#[test]
fn after_a_panic_the_library_does_the_call_and_the_layer_is_off() {
    let _one = ONE_BY_ONE.lock().expect("no other test failed");
    let kinds = [
        FunctionKind::Init,
        FunctionKind::Finalize,
        FunctionKind::Abort,
        FunctionKind::Coll("bcast"),
        FunctionKind::NotCounted,
    ];
    let mut panics = 0;
    for kind in kinds {
        for before in 0.. {
            ON.store(RECORD | COLLECTIVES, Ordering::Relaxed);
            CALLED.take();
            UNTIL.set(Some(before));
            let code = call(kind, library);
            let left = UNTIL.take();
            assert_eq!((code, CALLED.take()), (7, vec![[0, 1, 0, 0, 5]]), "{kind:?}, panic {before}");
            if left.is_some() {
                break;
            }
            panics += 1;
            assert_eq!(ON.load(Ordering::Relaxed), 0, "{kind:?}, panic {before}: it is still on");
            // The next call goes straight on.
            assert_eq!((call(kind, library), CALLED.take().len()), (7, 1));
        }
    }
    ON.store(0, Ordering::Relaxed);
    assert!(panics >= 5, "{panics}");
}

/// Run by the test below, in a process of its own.
#[test]
#[ignore = "ends the process"]
fn a_panic_on_the_way() {
    ON.store(RECORD, Ordering::Relaxed);
    call(FunctionKind::NotCounted, panics);
}

/// In the middle of a collective the others wait: nothing can go on, and nothing unwinds into the program.
#[test]
fn a_panic_on_the_way_ends_the_process_with_a_line() {
    let this = std::env::current_exe().expect("this test");
    let run =
        Command::new(this).args(["--ignored", "--exact", "guard::tests::a_panic_on_the_way", "--nocapture"]).output();
    let run = run.expect("it ran");
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success() && run.status.code().is_none(), "{}: {said}", run.status);
    assert!(said.contains("hopline: an error inside the layer, in the middle of a call: the program ends"), "{said}");
}
