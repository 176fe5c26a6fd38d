//! Rings and trees in the output of NCCL.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let Ok(all) = hopline::format::nccl_log::read([("fuzz", &*text)].into_iter()) else { return };
    for own in &all {
        let _ = (own.rings("fuzz"), own.trees("fuzz"), own.ranks_in(&all[0], "fuzz"));
    }
});
