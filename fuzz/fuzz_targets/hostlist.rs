//! Slurm host lists.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    // A list that is read may have a million names, which takes a while.
    let _ = hopline::format::hostlist::expand_most(&text, 1000);
});
