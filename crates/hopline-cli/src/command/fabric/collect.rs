//! `hopline fabric collect`.

use crate::args::service::Collect;
use crate::output;
use hopline::error::Result;
use hopline_service::collect::{Collected, collect};
use hopline_service::server::Listener;
use hopline_service::store;
use hopline_service::watch::watch;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(super) fn run(args: &Collect) -> Result<()> {
    let (options, watched) = args.merge()?.options()?;
    let tell: Listener = Arc::new(|line: &str| output::say(line));
    if args.watch {
        return watch(&options, &watched, &tell, &AtomicBool::new(false));
    }
    let (number, how) = match collect(&options, &tell)? {
        Collected::Published(number) => (number, "published"),
        Collected::Unchanged(number) => (number, "unchanged since"),
    };
    let place = store::path(&options.out, number);
    output::write(&format!("{how} generation {number}: {}\n", place.display()))
}
