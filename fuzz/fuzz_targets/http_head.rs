//! Heads of HTTP requests: whatever is read lies inside the bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok(Some(head)) = hopline_service::protocol::head(data) {
        assert!(head.length > 0 && head.length <= data.len());
    }
});
