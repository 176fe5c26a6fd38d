//! `map --search TIME`: a search that reads the clock, for who asks for it.

use super::Answer;
use crate::args::{Args, Command};
use crate::command::{Answered, map};
use crate::page;
use hopline::error::{Error, Result};
use hopline::event::{Control, Event, Observer};
use hopline::files::Files;
use hopline::run;
use hopline_report as report;
use std::time::{Duration, Instant};

/// Says stop after a time.
struct Until<'a> {
    inner: &'a mut dyn Observer,
    start: Instant,
    limit: Duration,
}

impl Observer for Until<'_> {
    fn event(&mut self, event: Event) -> Control {
        let over = self.start.elapsed() >= self.limit;
        if over { Control::Stop } else { self.inner.event(event) }
    }

    fn passed(&mut self) -> Option<f64> {
        Some(self.start.elapsed().as_secs_f64() / self.limit.as_secs_f64().max(1e-9))
    }
}

/// Compares mappings, then improves the best for as long as is asked for, unless somebody says stop before.
pub(super) fn searched(args: &Args, files: &dyn Files, observer: &mut dyn Observer) -> Result<Answer> {
    let Command::Map { job, reorder_hosts, search, .. } = &args.command else {
        return Err(Error::input("only `map` searches"));
    };
    let Answered { scenario, plan, outcome } =
        map::evaluate(job, *reorder_hosts, search, &args.common, files, observer)?;
    let limit = search.search.unwrap_or_default();
    let outcome = match observer.event(Event::Stage { what: "searching".to_string(), steps: 0 }) {
        Control::Stop => outcome,
        Control::Continue => {
            run::search(&plan, outcome, None, &mut Until { inner: observer, start: Instant::now(), limit })?
        }
    };
    let job = page::compared(plan, &outcome);
    Ok(Answer::of_job(scenario, outcome, report::map, job))
}
