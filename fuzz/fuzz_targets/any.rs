//! The target that `HOPLINE_TARGET` names, given to libFuzzer. Bodies and seeds are in `crates/hopline-fuzz`.
#![no_main]

use hopline_fuzz::{Target, target, targets};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

fn chosen() -> &'static Target {
    static ONE: OnceLock<&Target> = OnceLock::new();
    ONE.get_or_init(|| {
        let name = std::env::var("HOPLINE_TARGET").unwrap_or_default();
        let known: Vec<&str> = targets().map(|target| target.name).collect();
        target(&name).unwrap_or_else(|| panic!("HOPLINE_TARGET=`{name}` is none of {known:?}"))
    })
}

fuzz_target!(|data: &[u8]| {
    (chosen().run)(data);
});
