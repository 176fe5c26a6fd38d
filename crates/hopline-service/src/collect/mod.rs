//! The administrator's tools, run and checked until their dumps can be trusted.
//!
//! One attempt dumps the tables, the cabling, and the tables once more. It counts
//! only if
//!
//! - no tool failed, was late or complained (`dump_fts` prints the block before
//!   once more where it lost one, and only stderr tells);
//! - nothing is cut short, and every cable is told by both of its ends;
//! - the top LID is there: `dump_fts` loses it when it is a multiple of 64, and
//!   then `smpdump` fetches it from every switch;
//! - the tables are the same before and after, so no reroute was under way;
//! - every host reaches every other, so no reroute was about to come.
//!
//! Otherwise it is made again, after a pause that doubles. A fabric that has lost a
//! host or a switch is collected twice, and published if both times agree.
//!
//! With [`Options::from`] the subnet manager's own memory is read instead, which needs no tool and no second look.

mod complaint;
pub(crate) mod handed;
mod lost_lid;
mod tool;

pub use crate::clock::utc;
pub use complaint::complaint;
pub use lost_lid::{losers, with_ports};

use crate::atlas::{Atlas, Verdict};
use crate::generation::Generation;
use crate::heartbeat::HeartbeatWriter;
use crate::lost::Lost;
use crate::server::Listener;
use crate::store::{self, CABLES, Draft, Source, TABLES};
use hopline::error::{Error, Result};
use hopline::format::ibnetdiscover::{self, Cabling};
use hopline::format::lft::{self, Tables};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tool::Tool;

/// How a fabric is collected.
#[derive(Debug, Clone)]
pub struct Options {
    /// The store.
    pub out: PathBuf,
    /// The file in which the subnet manager hands over cabling and tables; no tool is run then.
    pub from: Option<PathBuf>,
    /// Words before every tool, such as `sudo -n` or `ssh node001`.
    pub via: Vec<String>,
    /// The tool for the cabling, with its options.
    pub cables: Vec<String>,
    /// The tool for the tables, with its options.
    pub tables: Vec<String>,
    /// How long one run of a tool may take.
    pub timeout: Duration,
    /// How many attempts are made.
    pub attempts: u32,
    /// The pause after the first attempt; it doubles.
    pub pause: Duration,
    /// The pause before a loss of hosts or switches is looked at again.
    pub confirm: Duration,
    /// Generations that are kept.
    pub keep: usize,
    /// Publish what was dumped twice alike though pairs of hosts do not reach each other.
    pub allow_broken: bool,
    /// What is lost is gone for good, and no longer told of.
    pub accept_losses: bool,
}

impl Options {
    /// The usual tools, for a store.
    pub fn new(out: PathBuf) -> Options {
        let words = |text: &str| text.split(' ').map(String::from).collect();
        Options {
            out,
            from: None,
            via: Vec::new(),
            cables: words("ibnetdiscover"),
            tables: words("dump_fts -n -t 3000"),
            timeout: Duration::from_secs(300),
            attempts: 6,
            pause: Duration::from_millis(100),
            confirm: Duration::from_secs(2),
            keep: 8,
            allow_broken: false,
            accept_losses: false,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collected {
    /// A new generation.
    Published(u64),
    /// The fabric is as it was in this generation.
    Unchanged(u64),
}

/// Dumps that agree with each other.
struct Dumps {
    cables: String,
    tables: String,
    atlas: Atlas,
    verdict: Verdict,
    notes: Vec<String>,
}

/// Collects until the dumps can be trusted, and publishes them if the fabric is
/// not that of the newest generation. `stop` ends it, and the tool that is running.
///
/// # Errors
/// No attempt could be trusted, or it was stopped; nothing is published then.
pub fn collect(options: &Options, tell: &Listener, stop: &AtomicBool) -> Result<Collected> {
    collect_with(&HeartbeatWriter::once(&options.out), options, tell, stop)
}

/// The same for a collector that goes on, with its heart.
pub(crate) fn collect_with(
    heart: &HeartbeatWriter,
    options: &Options,
    tell: &Listener,
    stop: &AtomicBool,
) -> Result<Collected> {
    store::sweep(&options.out);
    let outcome = attempts(options, tell, stop);
    if !stop.load(Ordering::Relaxed) {
        heart.note(outcome.as_ref().map(drop));
    }
    outcome
}

fn attempts(options: &Options, tell: &Listener, stop: &AtomicBool) -> Result<Collected> {
    let old = newest(&options.out);
    let attempts = options.attempts.max(1);
    let (mut pause, mut left) = (options.pause, attempts);
    // A fabric with a loss that was seen once.
    let mut doubtful: Option<Atlas> = None;
    loop {
        match attempt(options, stop) {
            Ok(dumps) => {
                let lost = lost(options, old.as_ref(), &dumps.atlas);
                let known = old.as_ref().map(|old| &old.lost);
                let sure = options.from.is_some() || doubtful.as_ref() == Some(&dumps.atlas);
                let Some(gone) = lost.since(known).words().filter(|_| !sure) else {
                    return publish(options, old.as_ref(), dumps, lost);
                };
                tell(&format!("{gone} are gone: collecting again before that is published"));
                left -= u32::from(doubtful.is_some());
                if left == 0 {
                    return Err(Error::failed(format!("the fabric is another one each time ({attempts} attempts)")));
                }
                doubtful = Some(dumps.atlas);
                nap(options.confirm, stop);
            }
            Err(e) if stop.load(Ordering::Relaxed) => return Err(e),
            Err(e) if left == 1 => return Err(Error::failed(format!("{e} ({attempts} attempts)"))),
            Err(e) => {
                tell(&format!("not published, collecting again: {e}"));
                left -= 1;
                nap(pause, stop);
                pause *= 2;
            }
        }
    }
}

/// Sleeps, unless it is stopped.
fn nap(time: Duration, stop: &AtomicBool) {
    let end = Instant::now() + time;
    while !stop.load(Ordering::Relaxed) && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20).min(end.saturating_duration_since(Instant::now())));
    }
}

/// The newest generation of a store, if it is there and sound.
fn newest(out: &Path) -> Option<Generation> {
    let source = Source::Store(out.into());
    out.is_dir().then(|| source.newest().ok()?.and_then(|number| source.load(number).ok()))?
}

fn lost(options: &Options, old: Option<&Generation>, atlas: &Atlas) -> Lost {
    let old = old.filter(|_| !options.accept_losses);
    old.map_or(Lost::default(), |old| Lost::between(&old.atlas, &old.lost, atlas))
}

/// Cabling and tables as the tools print them, of one moment.
fn dumped(options: &Options, stop: &AtomicBool) -> Result<(String, String)> {
    let tables = Tool::new(&options.via, &options.tables, options.timeout, stop);
    let cables = Tool::new(&options.via, &options.cables, options.timeout, stop);
    let before = tables.run()?;
    let cabling = cables.run()?;
    let after = tables.run()?;
    if before != after {
        return Err(Error::failed("the tables changed while they were dumped"));
    }
    Ok((cabling, after))
}

fn attempt(options: &Options, stop: &AtomicBool) -> Result<Dumps> {
    let (cables, mut text) = match &options.from {
        Some(path) => handed::read(path)?,
        None => dumped(options, stop)?,
    };
    let cabling = ibnetdiscover::parse(CABLES, &cables)?;
    let mut read = Tables::default();
    lft::parse(TABLES, &text, &mut read)?;
    let mut notes = Vec::new();
    let losers = if options.from.is_some() { BTreeMap::new() } else { losers(&text) };
    if !losers.is_empty() {
        let ports = fetch(options, &cabling, &losers, stop)?;
        text = with_ports(&text, &ports);
        read = Tables::default();
        lft::parse(TABLES, &text, &mut read)?;
        let top = losers.values().max().copied().unwrap_or(0);
        notes.push(format!("LID {top}, which the tool had lost, was read from {} switches one by one", ports.len()));
    }
    let atlas = crate::atlas::build(&cabling, &read)?;
    let verdict = check(&atlas, options.allow_broken)?;
    if verdict.broken > 0 {
        notes.push(format!("{} of {} pairs of hosts do not reach each other", verdict.broken, verdict.pairs));
    }
    notes.extend(atlas.notes().iter().cloned());
    Ok(Dumps { cables, tables: text, atlas, verdict, notes })
}

/// The port of the lost LID of every switch, read from the switches themselves.
fn fetch(
    options: &Options,
    cabling: &Cabling,
    losers: &BTreeMap<u64, u16>,
    stop: &AtomicBool,
) -> Result<BTreeMap<u64, u8>> {
    let mut ports = BTreeMap::new();
    for (&guid, &top) in losers {
        let lid = cabling.nodes.iter().find(|n| n.guid.0 == guid).and_then(|n| n.port(0)).map(|p| p.lid);
        let lid = lid.ok_or_else(|| Error::failed(format!("switch 0x{guid:016x} has a table but no cable")))?;
        let words = ["smpdump".to_string(), lid.to_string(), "0x19".to_string(), (top / 64).to_string()];
        let said = Tool::new(&options.via, &words, options.timeout, stop).run()?;
        let port = lost_lid::first_port(&said)
            .ok_or_else(|| Error::failed(format!("smpdump {lid} 0x19: no block of a forwarding table")))?;
        ports.insert(guid, port);
    }
    Ok(ports)
}

/// Every switch has a table and every host reaches every other.
fn check(atlas: &Atlas, allow_broken: bool) -> Result<Verdict> {
    let verdict = atlas.verify();
    if allow_broken || verdict.broken == 0 {
        return Ok(verdict);
    }
    let name = |v: u32| crate::names::guid(atlas.vertices()[v as usize].port_guid);
    let example = verdict.examples.first();
    let example =
        example.map_or(String::new(), |&(a, b, lid)| format!(", such as {} and {} (LID {lid})", name(a), name(b)));
    let message = format!("{} of {} pairs of hosts do not reach each other{example}", verdict.broken, verdict.pairs);
    Err(Error::failed(message).hint("the subnet manager has not finished, or the fabric is broken: see --allow-broken"))
}

fn publish(options: &Options, old: Option<&Generation>, dumps: Dumps, lost: Lost) -> Result<Collected> {
    if let Some(old) = old.filter(|old| old.atlas == dumps.atlas && old.lost == lost) {
        return Ok(Collected::Unchanged(old.number));
    }
    let counts = [
        ("hosts", dumps.atlas.hosts().len() as u64),
        ("endpoints", u64::from(dumps.atlas.endpoints())),
        ("switches", u64::from(dumps.atlas.switches())),
        ("tables", dumps.atlas.tabled() as u64),
        ("cables", dumps.atlas.cables() as u64),
        ("pairs", dumps.verdict.pairs),
        ("broken_pairs", dumps.verdict.broken),
        ("lost_hosts", lost.hosts.len() as u64),
        ("lost_switches", lost.switches.len() as u64),
        ("lost_cables", lost.cables.len() as u64),
    ];
    let tools = versions(options, &dumps.cables);
    let draft = Draft {
        collected: utc(SystemTime::now()),
        cables: dumps.cables,
        tables: dumps.tables,
        atlas: dumps.atlas,
        counts: counts.map(|(name, n)| (name.to_string(), n)).into(),
        tools,
        notes: dumps.notes,
        lost,
    };
    store::publish(&options.out, &draft, options.keep).map(Collected::Published)
}

/// Versions of the tools or of the subnet manager, and ours.
fn versions(options: &Options, cables: &str) -> BTreeMap<String, String> {
    let never = AtomicBool::new(false);
    let mut versions = BTreeMap::from([("hopline".to_string(), env!("CARGO_PKG_VERSION").to_string())]);
    if options.from.is_some() {
        versions.extend(handed::manager(cables).map(|version| ("opensm".to_string(), version.to_string())));
        return versions;
    }
    for words in [&options.cables, &options.tables] {
        if let Some(name) = words.first() {
            versions.insert(name.clone(), Tool::new(&options.via, words, options.timeout, &never).version());
        }
    }
    versions
}
