//! GOAL, text and binary; what is read can be written and read again.
#![no_main]

use hopline::schedule::trace::goal;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let made = if goal::binary::is(data) {
        goal::binary::parse("fuzz", data)
    } else {
        goal::parse("fuzz", &String::from_utf8_lossy(data))
    };
    if let Ok(made) = made {
        let again = goal::binary::write(&made.schedule).and_then(|bytes| goal::binary::parse("fuzz", &bytes));
        assert_eq!(again.map(|m| m.schedule.volume()).ok(), Some(made.schedule.volume()));
    }
});
