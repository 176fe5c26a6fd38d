//! The list of launcher files that a mapping can be written as.

use super::{hostfile, rankfile};
use crate::entry::{Entry, Listed};

/// One launcher format.
pub struct Export {
    entry: &'static Entry,
    /// Per rank: host and slot on it. Answers the file's text.
    pub write: fn(&[(&str, u32)]) -> String,
}

impl Listed for Export {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

const RANKFILE: Entry = Entry {
    name: "rankfile",
    summary: "Open MPI rankfile: every rank's host and slot",
    doc: "One line per rank, `rank 0=node001 slot=0`. Open MPI 4: mpirun --hostfile H --rankfile R; Open MPI 5: mpirun \
          --hostfile H --map-by rankfile:file=R. Needs the hostfile beside it.",
    example: "rankfile=ranks.txt",
    params: &[],
};

const HOSTFILE: Entry = Entry {
    name: "hostfile",
    summary: "Open MPI hostfile: every host with its number of ranks",
    doc: "One line per host in the order of its first rank, `node001 slots=4`. It says which hosts take part and how many \
          ranks each takes; which rank goes where is for the rankfile (Open MPI does not promise to keep a hostfile's \
          order).",
    example: "hostfile=hosts.txt",
    params: &[],
};

/// All launcher formats.
pub const EXPORTS: &[Export] =
    &[Export { entry: &RANKFILE, write: rankfile::write }, Export { entry: &HOSTFILE, write: hostfile::write }];
