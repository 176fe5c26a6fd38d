//! `hopline record`.

use clap::{Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// Run a program and record it: hopline record run --out DIR -- mpirun -n 16 ./app
    Run {
        /// Where to put the recording; an older one there is replaced
        #[arg(long, value_name = "DIR", default_value = "recording")]
        out: String,
        /// Mebibytes per rank after which calls are only counted [default: 256]
        #[arg(long, value_name = "MIB")]
        limit: Option<u64>,
        /// What times are measured with; ranks that share a core record what they compute with cpu
        #[arg(long, value_enum)]
        clock: Option<Clock>,
        /// The launcher and its words
        #[arg(last = true, required = true)]
        words: Vec<String>,
    },
    /// Read a recording, and write it as a matrix or a schedule
    Merge {
        /// The directory
        dir: String,
        /// What to write
        #[arg(long = "as", value_enum, default_value_t = Form::Matrix)]
        form: Form,
        /// Where to write it
        #[arg(short, long, value_name = "FILE")]
        output: Option<String>,
    },
}

/// What times of a recording are measured with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Clock {
    /// Time that goes by
    Wall,
    /// Time for which the calling thread runs
    Cpu,
}

impl Clock {
    /// As the layer reads it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Clock::Wall => "wall",
            Clock::Cpu => "cpu",
        }
    }
}

/// What a recording is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Bytes between pairs as CSV, which `--traffic matrix:file=` reads
    Matrix,
    /// A schedule in GOAL, for LogGOPSim
    Goal,
    /// A time-independent trace, for SimGrid
    SimgridTi,
}
