//! `hopline fabric show | route | check`.

use crate::args::{Common, FabricCommand};
use crate::output;
use hopline::error::Result;
use hopline::files::Disk;
use hopline::plan::Network;
use hopline::{report, run};
use std::process::ExitCode;

pub(super) fn run(command: &FabricCommand, common: &Common) -> Result<ExitCode> {
    match command {
        FabricCommand::Show { machine } => {
            let network = Network::new(&machine.scenario(common)?, &Disk)?;
            output::outcome(common.format, &run::show(&network), report::show)?;
        }
        FabricCommand::Route { machine, from, to, paths } => {
            let network = Network::new(&machine.scenario(common)?, &Disk)?;
            output::outcome(common.format, &run::route(&network, from, to, *paths)?, report::route)?;
        }
        FabricCommand::Check { machine } => {
            let network = Network::new(&machine.scenario(common)?, &Disk)?;
            let outcome = run::check(&network);
            output::outcome(common.format, &outcome, report::check)?;
            if !outcome.problems.is_empty() {
                return Ok(ExitCode::from(3));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
