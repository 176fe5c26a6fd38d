//! The NAS Parallel Benchmarks, MPI version 3.3: who sends what, from the sizes of
//! the classes. Bailey et al., "The NAS parallel benchmarks" (1991), and the
//! sources of NPB3.3-MPI. Counts and bytes are tested against recorded runs.

pub(in crate::schedule) mod cg;
pub(in crate::schedule) mod ft;
pub(in crate::schedule) mod is;
pub(in crate::schedule) mod lu;
pub(in crate::schedule) mod mg;
pub(in crate::schedule) mod multipartition;

use crate::entry::{Param, param};
use crate::error::Result;
use crate::params::Reader;

const CLASS: Param = param("class", "S|W|A|B|C|D", "A", "size of the problem");
const ITERATIONS: Param = param("iterations", "count", "those of the class", "iterations");

const CLASSES: [&str; 6] = ["A", "S", "W", "B", "C", "D"];

/// The value of a class out of those of S, W, A, B, C, D.
fn of_class<T: Copy>(reader: &Reader, values: [T; 6]) -> Result<T> {
    Ok(values[[2, 0, 1, 3, 4, 5][reader.choice("class", &CLASSES)?]])
}

/// The iterations that are given, or those of the class, and one more: the benchmarks warm up once.
fn iterations(reader: &Reader, values: [u32; 6]) -> Result<u32> {
    Ok(reader.or("iterations", of_class(reader, values)?)?.saturating_add(1))
}

/// The base-2 logarithm of a number of ranks that must be a power of two.
fn power(reader: &Reader, ranks: u32, kernel: &str) -> Result<u32> {
    if ranks.is_power_of_two() {
        return Ok(ranks.trailing_zeros());
    }
    let text = format!("{kernel} runs on a power of two of ranks, not on {ranks}");
    Err(reader.wrong("ranks", text).hint("give ranks="))
}

#[cfg(test)]
mod tests {
    use crate::error::Place;
    use crate::fabric::Builder;
    use crate::files::Memory;
    use crate::params::Params;
    use crate::schedule::Volume;
    use crate::schedule::{Schedule, build};
    use crate::traffic::Context;

    fn run(spec: &str) -> Schedule {
        let fabric = Builder::new("none", 0, 0).finish().expect("fabric");
        let files = Memory::default();
        let context = Context { fabric: &fabric, slots: 0, files: &files };
        let params = Params::from_spec(spec, &Place::new("test", 0)).expect("spec");
        build(&params, &context).unwrap_or_else(|e| panic!("{spec}: {e}")).schedule
    }

    #[test]
    fn messages_and_bytes_are_those_of_recorded_runs() {
        // NPB3.3-MPI under an interposed recorder: messages between pairs, megabytes.
        for (spec, messages, megabytes) in [
            ("cg:class=A,ranks=16", 47_104, 559.0),
            ("bt:class=W,ranks=16", 77_280, 565.0),
            ("sp:class=W,ranks=16", 154_080, 1818.0),
        ] {
            let Volume { messages: n, bytes } = run(spec).volume();
            assert_eq!(n, messages, "{spec}");
            assert!((bytes as f64 / 1e6 / megabytes - 1.0).abs() < 0.01, "{spec}: {bytes} bytes");
        }
        // What the pattern leaves out (set-up, uneven parts) is a few percent.
        for (spec, messages, megabytes) in
            [("lu:class=W,ranks=16", 462_516, 457.0), ("mg:class=A,ranks=16", 11_024, 207.0)]
        {
            let Volume { messages: n, bytes } = run(spec).volume();
            assert!((n as f64 / f64::from(messages) - 1.0).abs() < 0.02, "{spec}: {n} messages");
            assert!((bytes as f64 / 1e6 / megabytes - 1.0).abs() < 0.05, "{spec}: {bytes} bytes");
        }
    }

    #[test]
    fn alltoalls_move_what_recorded_runs_moved() {
        // Recorded bytes count what a rank keeps for itself, a sixteenth.
        for (spec, megabytes) in [("ft:class=A,ranks=16", 1074.0), ("is:class=A,ranks=16", 369.0)] {
            let bytes = run(spec).volume().bytes as f64 / 1e6;
            let moved = megabytes * 15.0 / 16.0;
            assert!((bytes / moved - 1.0).abs() < 0.01, "{spec}: {bytes} of {moved}");
        }
    }
}
