//! Outputs of benchmarks and counters of ports: the first byte picks the reader, whatever the rest looks like.
#![no_main]

use hopline_blame::{Source, formats, read, read_as};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((pick, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let source =
        Source { path: "osu_bw.n1-n2.log", text: &text, known: &|word| word.starts_with('n'), keep: &|_| true };
    let _ = read(&source);
    let all = formats().count();
    if let Some(name) = formats().nth(usize::from(*pick) % all) {
        let _ = read_as(name, &source);
    }
});
