//! Forwarding tables of all tools, and the repair of a lost top LID.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = hopline::format::lft::parse("fuzz", &text, &mut Default::default());
    let lost = hopline_service::collect::losers(&text);
    let ports = lost.keys().map(|guid| (*guid, 1)).collect();
    let _ = hopline_service::collect::with_ports(&text, &ports);
});
