//! Matrices of traffic in all forms.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = hopline::format::matrix::parse_bytes("fuzz", data.to_vec());
});
