//! The processes that `mpirun` started. The first one speaks for all; the others take part in what is shared out, and
//! leave everything else to it.

use crate::args::Command;
use crate::output;
use hopline::error::{Error, Result};
use hopline::flits::{Alone, Peers};
use hopline_ranks::{World, launched};
use std::sync::Arc;

/// True for the first process, and for one that is alone.
pub(crate) fn is_first() -> bool {
    launched().is_none_or(|own| own.rank == 0)
}

/// Whether this process has something to do for a command. Parts of a sweep are programs of their own, whoever starts
/// them.
pub(crate) fn takes_part(command: &Command) -> bool {
    is_first() || matches!(command, Command::Flits { .. } | Command::Sweep(_))
}

/// Whether this process may say what is wrong.
pub(crate) fn may_complain(command: &Command) -> bool {
    is_first() || matches!(command, Command::Sweep(_))
}

/// MPI's processes.
struct Mpi(World);

impl Peers for Mpi {
    fn rank(&self) -> u32 {
        self.0.rank()
    }

    fn size(&self) -> u32 {
        self.0.size()
    }

    fn exchange(&self, others: &[u32], bytes: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.0.exchange(others, &bytes).map_err(Error::failed)
    }
}

/// Those with which this process shares its work. The MPI library is loaded only where there are several.
pub(crate) fn peers() -> Result<Arc<dyn Peers>> {
    if launched().is_none() {
        return Ok(Arc::new(Alone));
    }
    match World::connect() {
        Ok(world) => Ok(Arc::new(Mpi(world))),
        Err(text) => {
            let error = Error::failed(text);
            // The others may have found theirs, on another node.
            if !is_first() {
                output::complain(&error);
            }
            Err(error)
        }
    }
}
