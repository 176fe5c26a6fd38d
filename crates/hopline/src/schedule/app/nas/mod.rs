//! The NAS Parallel Benchmarks, MPI version 3.3: who sends what, from the sizes of
//! the classes. Bailey et al., "The NAS parallel benchmarks" (1991), and the
//! sources of NPB3.3-MPI. Counts and bytes are tested against recorded runs.

pub(in crate::schedule) mod cg;
pub(in crate::schedule) mod ft;
pub(in crate::schedule) mod is;
pub(in crate::schedule) mod lu;
pub(in crate::schedule) mod mg;
pub(in crate::schedule) mod multipartition;

use super::checked;
use crate::entry::{Param, param};
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::schedule::{Limit, Made, Schedule};
use crate::traffic::Context;

const CLASS: Param = param("class", "S|W|A|B|C|D", "A", "size of the problem");
const ITERATIONS: Param = param("iterations", "count", "those of the class", "iterations");

/// Size of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// For tests.
    S,
    /// For workstations.
    W,
    /// The smallest of those for large machines.
    A,
    /// Larger.
    B,
    /// Larger still.
    C,
    /// The largest here.
    D,
}

/// As they are written; the first is the default.
const CLASSES: [(&str, Class); 6] =
    [("A", Class::A), ("S", Class::S), ("W", Class::W), ("B", Class::B), ("C", Class::C), ("D", Class::D)];

/// A kernel of the NAS Parallel Benchmarks: see [the list](crate::schedule::LIST).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Nas {
    draw: fn(&Nas, Limit) -> Result<Schedule>,
    /// Size of the problem.
    pub class: Class,
    /// How many there are.
    pub ranks: u32,
    /// Iterations; those of the class where none are given.
    pub iterations: Option<u32>,
    /// Nanoseconds of computation in an iteration.
    pub compute: u64,
}

impl Nas {
    /// The iterations of the class, without computation; fields say otherwise.
    fn new(draw: fn(&Nas, Limit) -> Result<Schedule>, class: Class, ranks: u32) -> Nas {
        Nas { draw, class, ranks, iterations: None, compute: 0 }
    }

    /// Draws it.
    ///
    /// # Errors
    /// The kernel does not run on so many ranks, or it is larger than the limit.
    pub fn schedule(&self, limit: Limit) -> Result<Schedule> {
        checked(self.ranks, limit)?;
        (self.draw)(self, limit)
    }

    /// The value of its class out of those of S, W, A, B, C, D.
    fn of_class<T: Copy>(&self, values: [T; 6]) -> T {
        values[self.class as usize]
    }

    /// The iterations that are given, or those of the class, and one more: the benchmarks warm up once.
    fn times(&self, values: [u32; 6]) -> u32 {
        self.iterations.unwrap_or(self.of_class(values)).saturating_add(1)
    }

    /// The base-2 logarithm of its ranks, which must be a power of two.
    fn power(&self, kernel: &str) -> Result<u32> {
        if self.ranks.is_power_of_two() {
            return Ok(self.ranks.trailing_zeros());
        }
        let text = format!("{kernel} runs on a power of two of ranks, not on {}", self.ranks);
        Err(Error::argument("ranks", text).hint("give ranks="))
    }
}

/// The kernel that a spec describes.
fn made(kernel: fn(Class, u32) -> Nas, reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let class = CLASSES[reader.choice("class", &CLASSES.map(|class| class.0))?].1;
    let mut nas = kernel(class, reader.or("ranks", context.slots)?);
    nas.iterations = reader.get("iterations")?;
    nas.compute = reader.or("compute", nas.compute)?;
    Ok(reader.made(nas.schedule(limit))?.into())
}

#[cfg(test)]
mod tests {
    use crate::error::Place;
    use crate::fabric::Builder;
    use crate::files::Memory;
    use crate::params::Params;
    use crate::schedule::{Schedule, Volume, build};
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
