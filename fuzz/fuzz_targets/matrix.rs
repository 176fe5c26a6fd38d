//! Matrices of traffic in all text forms.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = hopline::format::matrix::parse("fuzz", &text);
});
