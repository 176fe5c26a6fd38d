//! `hopline fabric collect`.

use super::signals;
use crate::args::service::Collect;
use crate::output;
use hopline::error::Result;
use hopline_service::collect::{Collected, collect};
use hopline_service::server::Listener;
use hopline_service::store;
use hopline_service::watch::watch;
use std::sync::Arc;

pub(super) fn run(args: &Collect) -> Result<()> {
    let (options, watched) = args.merge()?.options()?;
    let tell: Listener = Arc::new(|line: &str| output::say(line));
    // Who ends the collector ends the tool that it runs, too.
    let stop = signals::stop()?;
    if args.watch {
        return watch(&options, &watched, &tell, &stop);
    }
    let (number, how) = match collect(&options, &tell, &stop)? {
        Collected::Published(number) => (number, "published"),
        Collected::Unchanged(number) => (number, "unchanged since"),
    };
    let place = store::path(&options.out, number);
    output::write(&format!("{how} generation {number}: {}\n", place.display()))
}
