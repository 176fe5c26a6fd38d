//! Scenarios, and the configuration of the service.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let _ = hopline::scenario::Scenario::from_toml("fuzz", &text);
    let _ = hopline_service::config::Config::parse("fuzz", &text);
});
