//! How fast this machine simulates: a little of it, for whoever has a clock.

use super::{Forget, ReplayOptions, flits, replay};
use crate::error::Result;
use crate::event::{Silent, Work};
use crate::files::Disk;
use crate::flits::Options;
use crate::params::Params;
use crate::plan::Plan;
use crate::replay::Model;
use crate::scenario::Scenario;

/// Simulates a little on a small Dragonfly, about a tenth of a second of one processor, and answers how much it was:
///
/// ```
/// use hopline::{event::Work, run::rehearse};
/// use std::time::Instant;
///
/// let start = Instant::now();
/// let per_second = rehearse(Work::FlitHops)? / start.elapsed().as_secs_f64();
/// assert!(per_second > 0.0);
/// # Ok::<(), hopline::error::Error>(())
/// ```
///
/// Large networks are slower, as far as they do not fit caches, and so is what is saturated.
///
/// # Errors
/// None that a caller can cause.
pub fn rehearse(work: Work) -> Result<f64> {
    let machine = Scenario::default().topology("dragonfly:p=3,a=6,h=3")?;
    match work {
        Work::Seconds => Ok(rehearse(Work::FlitHops)? / Work::USUAL),
        Work::FlitHops => {
            let options = Options::read(&"flits:load=0.3,warmup=0,cycles=2000".parse()?)?;
            let plan = Plan::new(&machine.traffic("uniform")?, &Disk)?;
            let outcome = flits(&plan, &options, &mut Forget, &mut Silent)?;
            Ok(outcome.points.iter().map(|p| p.flit_hops as f64).sum())
        }
        Work::PacketHops => {
            let machine = machine.schedule("collective:pairwise:bytes=8KiB,ranks=128")?;
            let (plan, schedule) = Plan::for_schedule(&machine, &Disk)?;
            let model = Model::read(&Params::named("replay"))?;
            let outcome = replay(&plan, &schedule, (&model, ""), &ReplayOptions::default(), &mut Silent)?;
            Ok(outcome.packet_hops as f64)
        }
    }
}
