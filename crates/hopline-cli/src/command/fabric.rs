//! `hopline fabric show | route | whatif | check`.

use crate::args::{Common, FabricCommand};
use crate::output;
use crate::progress::Bar;
use hopline::error::{Error, Result};
use hopline::files::Disk;
use hopline::plan::{Network, Plan};
use hopline::scenario::Scenario;
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
        FabricCommand::Whatif { job, hottest } => {
            let broken = job.scenario(common)?;
            if broken.without.is_empty() {
                return Err(Error::input("nothing is taken out").hint("add --without SWITCH[PORT] or --without SWITCH"));
            }
            let broken = match &broken.traffic {
                Some(_) => broken,
                None => broken.traffic("alltoall")?,
            };
            // A named routing is for after the fault; before it the machine routes as it does.
            let whole = Scenario { without: Vec::new(), routing: None, ..broken.clone() };
            let (whole, broken) = (Plan::new(&whole, &Disk)?, Plan::new(&broken, &Disk)?);
            let outcome = run::whatif(&whole, &broken, *hottest, &mut Bar::new())?;
            output::outcome(common.format, &outcome, report::whatif)?;
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
