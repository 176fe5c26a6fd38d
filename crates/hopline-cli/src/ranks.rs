//! The processes that `mpirun` started. The first one speaks for all; the others take part in what is shared out, and
//! leave everything else to it, their exit status included: a launcher that sees one of them fail ends the first one,
//! which may not have said why.

use crate::args::Command;
use crate::output;
use crate::progress::Interrupt;
use hopline::error::{Error, Result};
use hopline::peers::{Alone, Peers};
use hopline_ranks::{World, launched};
use std::sync::Arc;

/// True for the first process, and for one that is alone.
pub(crate) fn is_first() -> bool {
    launched().is_none_or(|own| own.rank == 0)
}

/// Whether this process has something to do for a command. Parts of a sweep are programs of their own, whoever starts
/// them.
pub(crate) fn takes_part(command: &Command) -> bool {
    let shared = matches!(command, Command::Flits { .. } | Command::Load { .. } | Command::Map { .. });
    is_first() || shared || matches!(command, Command::Sweep(_))
}

/// Whether this process says what is wrong, and fails.
pub(crate) fn speaks(command: &Command) -> bool {
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

/// What ends a run early: several processes are ended by their launcher.
pub(crate) fn interrupt(peers: &dyn Peers) -> Result<Interrupt> {
    if peers.size() == 1 { Interrupt::listen() } else { Ok(Interrupt::never()) }
}

/// Those with which this process shares its work. The MPI library is loaded only where there are several.
pub(crate) fn peers() -> Result<Arc<dyn Peers>> {
    if launched().is_none() {
        return Ok(Arc::new(Alone));
    }
    match World::connect().map_err(Error::failed) {
        Ok(world) => Ok(Arc::new(Mpi(world))),
        // The others may have found their library, on another node, and wait for this process: the launcher ends them.
        Err(error) if !is_first() => {
            output::complain(&error);
            std::process::exit(1)
        }
        Err(error) => Err(error),
    }
}
