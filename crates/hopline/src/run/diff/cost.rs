//! What each change costs on its own.

use super::ChangeKind;
use super::compare::Found;
use crate::event::{Event, Observer};
use crate::files::Memory;
use crate::id::LinkId;
use crate::loads::Failing;
use crate::parallel;
use crate::plan::Plan;
use crate::routing;
use crate::run::{LoadOutcome, place};
use crate::unit::Bandwidth;

/// The most changes whose costs are looked at.
const MOST: usize = 256;

/// Fills in what is left after each change. A machine whose routing knows no faults has costs of speeds alone.
pub(super) fn costs(
    before: &Plan,
    faulty: Option<&Plan>,
    whole: &LoadOutcome,
    found: &mut Found,
    observer: &mut dyn Observer,
) {
    for (&i, &speed) in &found.speeds {
        if found.changes[i].kind == ChangeKind::Slower {
            found.changes[i].left = Some(slowed(before, whole, &found.gone[i], speed));
        }
    }
    let missing: Vec<usize> =
        (0..found.changes.len()).filter(|i| !found.gone[*i].is_empty() && !found.speeds.contains_key(i)).collect();
    if missing.is_empty() {
        return;
    }
    let Some(faulty) = faulty else {
        found
            .notes
            .push("what missing parts cost is not known: the routing does not say how it goes around them".into());
        return;
    };
    if missing.len() > MOST {
        found.notes.push(format!("only the first {MOST} of {} missing parts have their cost", missing.len()));
    }
    if let Err(e) = alone(faulty, &missing[..missing.len().min(MOST)], found, observer) {
        found.notes.push(format!("what missing parts cost is not known: {e}"));
    }
}

/// The busiest link of all then: the one that is slower, or another.
fn slowed(plan: &Plan, whole: &LoadOutcome, links: &[LinkId], speed: Option<Bandwidth>) -> f64 {
    let Some(speed) = speed else { return 1.0 };
    let fabric = &plan.network.fabric;
    let both = links.iter().flat_map(|&l| [l, fabric.reverse(l)]);
    let slower = both.map(|l| whole.loads.load[l.index()] / speed.as_gb_s().max(f64::MIN_POSITIVE)).fold(0.0, f64::max);
    let busiest = fabric.link_ids().map(|l| whole.loads.busy(fabric, l)).fold(0.0, f64::max);
    if slower > busiest { busiest / slower } else { 1.0 }
}

fn alone(plan: &Plan, missing: &[usize], found: &mut Found, observer: &mut dyn Observer) -> crate::error::Result<()> {
    let network = &plan.network;
    let (chosen, _) = place(plan, &plan.candidates[0], &*network.routing, 0, observer)?;
    let places = chosen.places(network.fabric.hosts());
    let rebuild = |broken: std::sync::Arc<_>| {
        routing::build(&network.routing_params, &network.topology, &broken, &Memory::default())
    };
    let failing = Failing::new(&plan.demand, &places, &*network.routing, &rebuild)?;
    observer.event(Event::Stage { what: "what each change costs".into(), steps: missing.len() as u64 });
    let one = |i: usize| failing.without(&found.gone[missing[i]]).map(|after| after.left.throughput);
    let left = parallel::try_map(missing.len(), one)?;
    for (&i, left) in missing.iter().zip(left) {
        // What rounding leaves must not tell equal changes apart.
        found.changes[i].left = Some((left * 1e9).round() / 1e9);
    }
    Ok(())
}
