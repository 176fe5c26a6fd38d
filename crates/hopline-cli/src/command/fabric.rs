//! `hopline fabric show | route | whatif | check | export | import | collect | serve | query`.

mod collect;
mod query;
mod serve;

use super::one_routing;
use crate::args::{Common, FabricCommand, Machine};
use crate::output;
use crate::progress::Bar;
use hopline::entry::Listed;
use hopline::error::{Error, Place, Result};
use hopline::files::Disk;
use hopline::format::FABRIC_EXPORTS;
use hopline::params::{Params, find};
use hopline::plan::{Network, Plan};
use hopline::run;
use hopline::scenario::Scenario;
use hopline_report as report;
use std::process::ExitCode;

pub(super) fn run(command: &FabricCommand, common: &Common) -> Result<ExitCode> {
    match command {
        FabricCommand::Show { machine } => {
            let network = network(machine, common)?;
            output::outcome(common.format, &run::show(&network), report::show)?;
        }
        FabricCommand::Route { machine, from, to, paths } => {
            let network = network(machine, common)?;
            output::outcome(common.format, &run::route(&network, from, to, *paths)?, report::route)?;
        }
        FabricCommand::Whatif { job, hottest } => {
            let broken = job.scenario(common)?;
            one_routing(&broken, "fabric whatif")?;
            if broken.without.is_empty() {
                return Err(Error::input("nothing is taken out").hint("add --without SWITCH[PORT] or --without SWITCH"));
            }
            let broken = match &broken.traffic {
                Some(_) => broken,
                None => broken.traffic("alltoall")?,
            };
            // A named routing is for after the fault; before it the machine routes as it does.
            let whole = Scenario { without: Vec::new(), routings: Vec::new(), ..broken.clone() };
            let (machine, broken) = (Plan::new(&whole, &Disk)?, Plan::new(&broken, &Disk)?);
            // Two routings are no measure of a fault: the whole machine is looked at under the second, too.
            let routing = &broken.network.routing_spec;
            let alike = match *routing == machine.network.routing_spec {
                true => None,
                false => Some(Plan::new(&whole.routing(routing)?, &Disk)?),
            };
            let outcome = run::whatif(&machine, alike.as_ref(), &broken, *hottest, &mut Bar::new())?;
            output::outcome(common.format, &outcome, report::whatif)?;
        }
        FabricCommand::Export { form, machine, output } => export(form, machine, output.as_deref(), common)?,
        FabricCommand::Import { path, output } => export("json", &Machine::at(path), Some(output), common)?,
        FabricCommand::Collect(options) => collect::run(options)?,
        FabricCommand::Serve(options) => serve::run(options, common)?,
        FabricCommand::Query(options) => query::run(options, common)?,
        FabricCommand::Check { machine } => {
            let network = network(machine, common)?;
            let outcome = run::check(&network);
            output::outcome(common.format, &outcome, report::check)?;
            if !outcome.problems.is_empty() {
                return Ok(ExitCode::from(3));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The machine with its one routing.
fn network(machine: &Machine, common: &Common) -> Result<Network> {
    let scenario = machine.scenario(common)?;
    one_routing(&scenario, "fabric")?;
    Network::new(&scenario, &Disk)
}

/// Printed, or written whole or not at all.
fn export(form: &str, machine: &Machine, output: Option<&str>, common: &Common) -> Result<()> {
    let form = find("form of a fabric", FABRIC_EXPORTS, &Params::new(form, Place::new("fabric export", 0)))?;
    let network = network(machine, common)?;
    let text = run::export(&network, form)?;
    let Some(path) = output else { return output::write(&text) };
    output::save(&[(path, text)])?;
    output::say(&format!("wrote {path}: {} of {}", form.entry().name, network.fabric.name()));
    Ok(())
}
