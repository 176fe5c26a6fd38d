//! Path records and SL2VL tables in all their forms.
#![no_main]

use hopline::format::service_levels::ServiceLevels;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = ServiceLevels::default().read_paths("fuzz", &text);
    let _ = ServiceLevels::default().read_lanes("fuzz", &text);
});
