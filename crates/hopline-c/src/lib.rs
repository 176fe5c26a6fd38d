//! Hopline's mapper for C: `libhopline` and `include/hopline.h`, which says what
//! every function does, takes and gives.
//!
//! One file for each thing that C sees: [`machine`], [`links`] (a machine from
//! arrays), [`tasks`] (a job from arrays), [`map`](mod@map), [`error`]. Unsafe code turns pointers
//! into slices, handles and calls; all else is the library's.

pub mod error;
pub mod links;
pub mod machine;
pub mod map;
pub mod tasks;

use hopline::error::{Error, Result};
use std::ffi::{CStr, c_char};

/// `hopline_version`.
#[unsafe(no_mangle)]
pub extern "C" fn hopline_version() -> *const c_char {
    VERSION.as_ptr()
}

const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => c"",
};

/// `count` items from `first` on.
///
/// # Safety
/// Where `first` is not null and `count` is not 0, so many items stand there
/// and nobody changes them while the slice is in use.
unsafe fn items<'a, T>(first: *const T, count: usize, what: &str) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if first.is_null() || !first.is_aligned() || count > isize::MAX as usize / size_of::<T>().max(1) {
        return Err(Error::input(format!("`{what}` points to no array of {count}")));
    }
    // SAFETY: not null, aligned, not larger than memory can be; the rest is the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(first, count) })
}

/// The text at `text`.
///
/// # Safety
/// Where it is not null it ends with a zero byte and nobody changes it while in use.
unsafe fn text<'a>(text: *const c_char, what: &str) -> Result<&'a str> {
    if text.is_null() {
        return Err(Error::input(format!("`{what}` is NULL")));
    }
    // SAFETY: not null; the rest is the caller's promise.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map_err(|_| Error::input(format!("`{what}` is not UTF-8")))
}

/// The thing at `thing`.
///
/// # Safety
/// Where it is not null it is valid and nobody changes it while in use.
unsafe fn given<'a, T>(thing: *const T, what: &str) -> Result<&'a T> {
    let wrong = || Error::input(format!("`{what}` is NULL"));
    if !thing.is_aligned() {
        return Err(wrong());
    }
    // SAFETY: aligned, null becomes `None`; the rest is the caller's promise.
    unsafe { thing.as_ref() }.ok_or_else(wrong)
}
