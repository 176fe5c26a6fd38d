//! Options of the topology service.

use super::file_params;
use crate::inputs::Disk;
use clap::Args;
use hopline::error::Result;
use hopline::files::read_text;
use hopline::topology::locate_dumps;
use hopline_service::config::Config;
use hopline_service::store::Source;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Options of `hopline fabric collect`; each replaces the key of that name in the file's `[collect]`.
#[derive(Debug, Args)]
pub(crate) struct Collect {
    /// The store: a directory of generations
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on: collect again whenever the fabric changes
    #[arg(long)]
    pub(crate) watch: bool,
    /// The log of OpenSM to watch (OpenSM needs -d2 or force_log_flush TRUE)
    #[arg(long, value_name = "FILE", requires = "watch")]
    log: Option<PathBuf>,
    /// The file in which OpenSM hands over cabling and tables by its plugin (examples/service/hopline_opensm.c); no tool runs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["log", "via"])]
    from: Option<PathBuf>,
    /// Collect after so many seconds in any case [default: 60]
    #[arg(long, value_name = "SECONDS", requires = "watch")]
    every: Option<f64>,
    /// Words before every tool, such as "sudo -n" or "ssh node001"
    #[arg(long, value_name = "WORDS")]
    via: Option<String>,
    /// Seconds that one run of a tool may take [default: 300]
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Attempts until the dumps can be trusted [default: 6]
    #[arg(long, value_name = "N")]
    attempts: Option<u32>,
    /// Generations that are kept [default: 8]
    #[arg(long, value_name = "N")]
    keep: Option<usize>,
    /// Publish though pairs of hosts do not reach each other
    #[arg(long)]
    allow_broken: bool,
    /// Take the fabric as it is: what it has lost is gone for good and no longer warned of
    #[arg(long, conflicts_with = "watch")]
    accept_losses: bool,
    /// A file with all options (see examples/service/hopline.toml)
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
}

/// Options of `hopline fabric serve`; each replaces the key of that name in the file's `[serve]`.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// A store of generations, or dumps: a directory or cables=FILE,tables=FILE
    dir: Option<PathBuf>,
    /// Where to listen: ADDRESS:PORT or unix:PATH [default: 127.0.0.1:7476]; may be repeated
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// Mode of the file of a Unix socket: who may write to it may ask [default: 0666]
    #[arg(long, value_name = "MODE")]
    socket_mode: Option<String>,
    /// Only this user over a Unix socket, by number; may be repeated
    #[arg(long, value_name = "UID", value_parser = number_of)]
    allow_user: Vec<u32>,
    /// Only users whose first group this is, by number, or that --allow-user names; may be repeated
    #[arg(long, value_name = "GID", value_parser = number_of)]
    allow_group: Vec<u32>,
    /// Only clients of this network, such as 10.0.0.0/8; may be repeated
    #[arg(long, value_name = "NETWORK")]
    allow: Vec<String>,
    /// Clients may be anywhere
    #[arg(long, conflicts_with = "allow")]
    allow_all: bool,
    /// The file with sums of tokens, of which everybody needs one who asks over the network
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// A file with all options (see examples/service/hopline.toml)
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
}

/// Options of `hopline fabric query`.
#[derive(Debug, Args)]
pub(crate) struct Query {
    /// The server: HOST:PORT or unix:PATH
    #[arg(long, value_name = "SERVER", default_value = hopline_service::config::ADDRESS)]
    pub(crate) server: String,
    /// Answer from a store or from dumps (a directory, or cables=FILE,tables=FILE), without a server
    #[arg(long, value_name = "PATH", conflicts_with = "server")]
    pub(crate) fabric: Option<String>,
    /// The file whose first line is the token for the server [default: the one that HOPLINE_TOKEN_FILE names]
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Ask over TLS, and trust certificates of this authority (PEM); this program needs the feature `tls`
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// A certificate of one's own, where the server asks for one (PEM)
    #[arg(long, value_name = "FILE", requires_all = ["ca", "key"])]
    pub(crate) certificate: Option<PathBuf>,
    /// Its key (PEM), which others must not read
    #[arg(long, value_name = "FILE", requires = "certificate")]
    pub(crate) key: Option<PathBuf>,
    /// Seconds that the server may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = patience)]
    pub(crate) timeout: Duration,
    /// The question: A:B, or a request that `help` lists
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
}

/// A time that a socket takes.
fn patience(text: &str) -> std::result::Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().filter(|s| (0.001..=1e6).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "expected seconds, 0.001 to 1000000".to_string())
}

/// What a path means to the service: a store, a directory of dumps, or dumps that are named.
pub(crate) fn source(path: &Path) -> Result<Source> {
    let text = path.to_string_lossy();
    if path.is_dir() || !(path.exists() || text.contains(['=', '[', ':'])) {
        return Source::open(path);
    }
    let dumps = locate_dumps(&file_params(&text)?, &Disk)?;
    let tables = dumps.tables.filter(|tables| tables != "none");
    Ok(Source::Files(dumps.cables, tables))
}

fn config(path: Option<&str>) -> Result<Config> {
    path.map_or(Ok(Config::default()), |path| Config::parse(path, &read_text(&Disk, path)?))
}

impl Collect {
    /// The file's options with what is given here in their place.
    pub(crate) fn merge(&self) -> Result<hopline_service::config::Collect> {
        let mut all = config(self.config.as_deref())?.collect;
        all.out = self.out.clone().or(all.out);
        all.log = self.log.clone().or(all.log);
        all.every = self.every.or(all.every);
        all.from = self.from.clone().or(all.from);
        all.via = self.via.clone().or(all.via);
        all.timeout = self.timeout.or(all.timeout);
        all.attempts = self.attempts.or(all.attempts);
        all.keep = self.keep.or(all.keep);
        all.allow_broken |= self.allow_broken;
        all.accept_losses = self.accept_losses;
        Ok(all)
    }
}

impl Serve {
    /// The file's options with what is given here in their place.
    pub(crate) fn merge(&self, threads: Option<usize>) -> Result<hopline_service::config::Serve> {
        let mut all = config(self.config.as_deref())?.serve;
        all.dir = self.dir.clone().or(all.dir);
        all.threads = threads.or(all.threads);
        all.allow_all |= self.allow_all;
        if !self.listen.is_empty() {
            all.listen = self.listen.clone();
        }
        if !self.allow.is_empty() {
            all.allow = self.allow.clone();
        }
        all.tokens = self.tokens.clone().or(all.tokens);
        all.socket_mode = self.socket_mode.clone().or(all.socket_mode);
        if !(self.allow_user.is_empty() && self.allow_group.is_empty()) {
            (all.allow_users, all.allow_groups) = (self.allow_user.clone(), self.allow_group.clone());
        }
        Ok(all)
    }
}

/// A user's or a group's number: the kernel tells nothing else of who asks.
fn number_of(text: &str) -> std::result::Result<u32, String> {
    text.parse().map_err(|_| "expected a number, such as `id -u NAME` or `id -g NAME` prints".to_string())
}
