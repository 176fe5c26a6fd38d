//! `hopline collective NAME --bound`.

use super::one_routing;
use crate::args::{CollectiveArgs, Common, Job};
use hopline::error::{Error, Place, Result};
use hopline::event::Observer;
use hopline::files::{Files, read_text};
use hopline::format::rank_links;
use hopline::plan::Plan;
use hopline::run;
use hopline::scenario::Scenario;
use hopline_bounds::{BoundOutcome, Network, Operation, bound_only, compare};

pub(super) fn evaluate(
    name: &str,
    job: &Job,
    args: &CollectiveArgs,
    common: &Common,
    files: &dyn Files,
    observer: &mut dyn Observer,
) -> Result<(Scenario, BoundOutcome)> {
    let operation = Operation::named(name).ok_or_else(|| {
        let known: Vec<&str> = Operation::ALL.iter().map(|operation| operation.name()).collect();
        Error::input(format!("no bound is known for `{name}`")).hint(format!("known are: {}", known.join(", ")))
    })?;
    let sizes = args.sizes()?;
    let asked = job.scenario(common)?;
    if let Some(network) = one_way(&asked, files)? {
        let refused = [("--ranks", args.ranks.is_some()), ("--hosts", asked.hosts.is_some())];
        if let Some((option, _)) = refused.iter().find(|(_, given)| *given) {
            let text = "a fabric with links of one direction has its own ranks, all of them";
            return Err(Error::input(text).at(&Place::new(*option, 0)));
        }
        let mut outcome = bound_only(&network.0, &network.1, operation, args.root, &sizes)?;
        outcome.notes.push("links of one direction: no routing takes them, so that no algorithm is looked at".into());
        return Ok((asked, outcome));
    }
    let ranks = args.ranks.map_or(String::new(), |n| format!(":tasks={n}"));
    let scenario = asked.clone().traffic(&format!("alltoall{ranks}"))?;
    one_routing(&scenario, "collective")?;
    let plan = Plan::new(&scenario, files)?;
    let mapping = run::chosen(&plan, observer)?;
    let slots: Vec<_> = (0..mapping.tasks()).map(|rank| mapping.slot(rank)).collect();
    let mut outcome = compare(&plan.network, &slots, operation, args.root, &sizes)?;
    outcome.notes.extend(plan.notes);
    Ok((asked, outcome))
}

/// The name and network of a file with links of one direction, which is no fabric for anything else.
fn one_way(asked: &Scenario, files: &dyn Files) -> Result<Option<(String, Network)>> {
    let path = asked.topology.as_ref().filter(|topology| topology.kind() == "file").cloned();
    let Some(path) = path.and_then(|mut topology| topology.take::<String>("path").ok().flatten()) else {
        return Ok(None);
    };
    if files.list(&path).is_some() {
        return Ok(None);
    }
    let text = read_text(files, &path)?;
    if !rank_links::begins(&text) {
        return Ok(None);
    }
    let form = rank_links::read(&path, &text)?;
    if !form.is_one_way() {
        return Ok(None);
    }
    let links = form.links.iter().map(|&(from, to, bandwidth)| (from, to, bandwidth.as_bytes_s()));
    let network = Network::new(form.names.clone(), (0..form.ranks).collect(), links)?;
    Ok(Some((form.name, network)))
}
