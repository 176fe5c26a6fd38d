//! Cabling as ibnetdiscover prints it, in both forms, whole or not, and the fabric that it makes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    if let Ok(cabling) = hopline::format::ibnetdiscover::parse_partial("fuzz", &text) {
        let _ = hopline_service::atlas::build(&cabling, &Default::default());
    }
});
