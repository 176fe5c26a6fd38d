//! What went wrong: a code, and a line of text kept for the thread that called.

use hopline::error::{Error, Result};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// `HOPLINE_OK`.
pub const OK: c_int = 0;
/// `HOPLINE_FAILED`.
pub const FAILED: c_int = 1;
/// `HOPLINE_BAD_INPUT`.
pub const BAD_INPUT: c_int = 2;
/// `HOPLINE_BUG`.
pub const BUG: c_int = 3;

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// `hopline_error`.
///
/// # Safety
/// Nobody else uses the `size` bytes at `buffer`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_error(buffer: *mut c_char, size: usize) -> usize {
    LAST.with_borrow(|message| {
        if let Some(most) = size.checked_sub(1)
            && !buffer.is_null()
        {
            // A character is not cut in two.
            let cut = (0..=most.min(message.len())).rev().find(|&n| message.is_char_boundary(n)).unwrap_or(0);
            // SAFETY: cut + 1 <= size bytes of the caller's buffer, which is not in the message.
            unsafe {
                buffer.copy_from_nonoverlapping(message.as_ptr().cast(), cut);
                buffer.add(cut).write(0);
            }
        }
        message.len()
    })
}

/// Does the work of a call and keeps its error. No panic passes.
pub(crate) fn guard<T>(work: impl FnOnce() -> Result<T>) -> Result<T, c_int> {
    let (code, message) = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(done)) => return Ok(done),
        Ok(Err(error)) => (if error.is_input() { BAD_INPUT } else { FAILED }, error.to_string()),
        Err(panic) => (BUG, bug(&*panic)),
    };
    // C ends texts at a zero byte; errors show control characters as others already.
    LAST.set(message.replace('\0', "\u{fffd}"));
    Err(code)
}

fn bug(panic: &(dyn Any + Send)) -> String {
    let why = panic.downcast_ref::<&str>().copied();
    let why = why.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::failed(format!("a bug in libhopline: {}", why.unwrap_or("it panicked"))).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told() -> String {
        let mut buffer = [1 as c_char; 64];
        // SAFETY: the buffer has so many bytes, and nobody else has it.
        let length = unsafe { hopline_error(buffer.as_mut_ptr(), buffer.len()) };
        // SAFETY: `hopline_error` ends what it writes with a zero byte.
        let text = unsafe { std::ffi::CStr::from_ptr(buffer.as_ptr()) };
        assert_eq!(text.count_bytes(), length.min(buffer.len() - 1));
        text.to_str().expect("UTF-8").to_string()
    }

    /// What a function of C does with a panic: its code is the caller's, and the next call is as any other.
    #[test]
    fn a_panic_is_a_code_and_a_line() {
        assert_eq!(guard(|| -> Result<()> { panic!("a mistake") }), Err(BUG));
        assert_eq!(told(), "a bug in libhopline: a mistake");
        assert_eq!(guard(|| -> Result<()> { panic!("mistake {}", 2) }), Err(BUG));
        assert_eq!(told(), "a bug in libhopline: mistake 2");
        assert_eq!(guard(|| -> Result<()> { Err(Error::input("x\0y")) }), Err(BAD_INPUT));
        assert_eq!(told(), "x\u{fffd}y");
        assert_eq!(
            guard(|| -> Result<()> {
                Err(Error::failed("a text that is longer than the room that is given for it, by some"))
            }),
            Err(FAILED)
        );
        assert_eq!(told().len(), 63);
        assert_eq!(guard(|| Ok(7)), Ok(7));
    }
}
