//! Lines of OpenSM, and what the tools say on stderr.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for line in text.lines() {
        let _ = hopline_service::watch::happening(line);
    }
    let _ = hopline_service::collect::complaint("", &text);
});
