//! `hopline fabric serve`.

use super::signals;
use crate::args::Common;
use crate::args::service::{Serve, source};
use crate::output;
use hopline::error::{Error, Result};
use hopline_service::server::{Listener, Server};
use std::sync::Arc;

pub(super) fn run(args: &Serve, common: &Common) -> Result<()> {
    let all = args.merge(common.threads)?;
    let dir = all.dir.as_ref().ok_or_else(|| Error::input("nothing to serve").hint("name a store or dumps"))?;
    let tell: Listener = Arc::new(|line: &str| output::say(line));
    // Who ends the server has the file of its socket removed.
    let stop = signals::stop()?;
    Server::start(source(dir)?, all.options()?, tell)?.wait(&stop)
}
