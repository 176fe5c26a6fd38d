//! What one call takes below Python: 65,536 tasks that transpose a matrix on the largest PERCS machine, from words to an
//! answer. `cargo bench -p hopline-cli --bench call`; `crates/hopline-py/benches/overhead.py` puts Python's call beside it.
#![allow(clippy::print_stdout, reason = "a bench prints its times")]

use hopline::event::Silent;
use hopline::files::Disk;
use hopline_cli::embed::answer;
use std::time::Instant;

const WORDS: [&str; 7] =
    ["load", "--topology", "percs:ns=512,nd=1", "--routing", "direct", "--traffic", "transpose:grid=256x256"];
const TIMES: usize = 15;

fn main() {
    let words = WORDS.map(String::from);
    let mut took: Vec<f64> = (0..TIMES)
        .map(|_| {
            let start = Instant::now();
            let found = answer(&words, &Disk, &mut Silent).expect("an answer");
            assert!(found.line().expect("JSON").contains("throughput_gb_s"));
            start.elapsed().as_secs_f64()
        })
        .collect();
    took.sort_by(f64::total_cmp);
    println!("{:.6} s for a call, the median of {TIMES}; {:.6} to {:.6}", took[TIMES / 2], took[0], took[TIMES - 1]);
}
