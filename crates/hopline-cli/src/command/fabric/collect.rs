//! `hopline fabric collect`.

use crate::args::service::Collect;
use crate::output;
use hopline::error::{Error, Result};
use hopline_service::collect::{Collected, collect};
use hopline_service::server::Listener;
use hopline_service::store;
use hopline_service::watch::watch;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn run(args: &Collect) -> Result<()> {
    let (options, watched) = args.merge()?.options()?;
    let tell: Listener = Arc::new(|line: &str| output::say(line));
    // Who ends the collector ends the tool that it runs, too.
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, stop.clone())
            .map_err(|e| Error::failed(format!("cannot hear signal {signal}: {e}")))?;
    }
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
