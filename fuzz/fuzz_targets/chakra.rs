//! Chakra execution traces.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = hopline::format::chakra::parse("fuzz", data);
});
