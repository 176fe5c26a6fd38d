//! Every form of a fabric that is read: JSON, GraphML, DOT, Slurm's files, topograph, InfraGraph, UFM, iblinkinfo, Cray XC.
#![no_main]

use hopline::format;
use hopline_formats::FABRIC_IMPORTS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for form in format::FABRIC_IMPORTS.iter().chain(FABRIC_IMPORTS) {
        let _ = (form.begins)(&text);
        let _ = (form.read)("fuzz", &text);
    }
});
