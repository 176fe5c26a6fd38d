//! The whole state of a simulation as bytes, and back. Router by router, each with its length, so
//! that the bytes do not depend on how the network was cut into parts and given to processes.

mod part;

use super::bytes::{Bytes, Writer, damaged};
use super::failing::Stage;
use super::measure::{Batch, Progress};
use super::{Simulation, Totals};
use crate::error::{Error, Result};
use crate::forwarding::Forwarding;
use crate::peers::{agree, gather_at_first, scatter};
use crate::stats::Histogram;

/// FNV-1a, to notice a file that was cut short or changed.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x0100_0000_01b3))
}

const FAMILY: &[u8] = b"hopline flits ";
const MAGIC: &[u8] = b"hopline flits 9\n";

/// How the bytes of a run begin: what they are, and of which run.
pub fn head(run: &str) -> Vec<u8> {
    let mut writer = Writer(MAGIC.to_vec());
    writer.put(run.len() as u64);
    writer.0.extend_from_slice(run.as_bytes());
    writer.0
}

/// Bytes that say what they are and whether they are whole.
pub fn seal(run: &str, parts: &[&[u8]]) -> Vec<u8> {
    let mut writer = Writer(head(run));
    for part in parts {
        writer.put(part.len() as u64);
        writer.0.extend_from_slice(part);
    }
    let sum = checksum(&writer.0);
    writer.0.extend_from_slice(&sum.to_le_bytes());
    writer.0
}

/// The parts that [`seal`] was given.
///
/// # Errors
/// The bytes are damaged, or belong to another run or version.
pub fn open<'a>(run: &str, bytes: &'a [u8]) -> Result<Vec<&'a [u8]>> {
    if !bytes.starts_with(MAGIC) {
        return Err(other(bytes));
    }
    // Before anything else, since of a file that begins otherwise only so much is read.
    if !bytes.starts_with(&head(run)) {
        return Err(
            Error::input("the checkpoint is of another run").hint("give the same options as then, or another file")
        );
    }
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
    let body =
        body.strip_prefix(&head(run)[..]).filter(|_| checksum(body) == u64::from_le_bytes(*sum)).ok_or_else(damaged)?;
    let (mut left, mut parts) = (Bytes(body), Vec::new());
    while !left.0.is_empty() {
        let length: usize = left.get()?;
        let (part, rest) = left.0.split_at_checked(length).ok_or_else(damaged)?;
        parts.push(part);
        left = Bytes(rest);
    }
    Ok(parts)
}

/// Why bytes do not begin as a state in this form.
fn other(bytes: &[u8]) -> Error {
    let form = |bytes: &[u8]| {
        let digits = bytes.strip_prefix(FAMILY)?.iter().take_while(|b| b.is_ascii_digit());
        Some(digits.map(|&b| char::from(b)).collect::<String>()).filter(|form| !form.is_empty())
    };
    if !bytes.starts_with(FAMILY) {
        // It may be somebody's only copy of something else.
        return Error::input("this is no state that a run has kept")
            .hint("name a file that does not exist yet, or one that a run has written its state to");
    }
    let Some(theirs) = form(bytes) else { return damaged() };
    let ours = form(MAGIC).unwrap_or_default();
    Error::input(format!("the checkpoint is of another version of Hopline: in form {theirs}, expected {ours}"))
        .hint("go on with the version that wrote it, or begin anew with another file")
}

impl Progress {
    /// This measurement and its simulation as bytes, at the first process; nothing at the others.
    ///
    /// # Errors
    /// Another process is gone.
    pub fn save<F: Forwarding>(&self, simulation: &Simulation<F>) -> Result<Vec<u8>> {
        let mut writer = Writer::default();
        writer.put(self.length);
        writer.put(self.batches.len() as u64);
        for b in &self.batches {
            [u64::from(b.cycles), b.delivered, b.packets, b.latency].into_iter().for_each(|n| writer.put(n));
        }
        put_totals(&mut writer, &self.first);
        put_totals(&mut writer, &self.before);
        writer.put(self.start);
        writer.put(self.goal);
        writer.put(self.pilot);
        writer.put(self.risen.len() as u64);
        self.risen.iter().for_each(|mean| writer.put(mean.to_bits()));
        writer.put(simulation.now);
        put_totals(&mut writer, &simulation.totals());
        simulation.stage.save(&mut writer);
        simulation.latencies()?.counts().iter().for_each(|&n| writer.put(n));
        let mut routers = Writer::default();
        simulation.parts.iter().for_each(|part| part.save(&mut routers));
        for all in gather_at_first(&*simulation.shares.peers, routers.0)? {
            writer.0.extend_from_slice(&all);
        }
        Ok(if simulation.shares.peers.rank() == 0 { writer.0 } else { Vec::new() })
    }

    /// Goes on where a measurement was saved; the simulation is a new one of the
    /// same setting, on any number of threads and processes. The first process has the bytes.
    ///
    /// # Errors
    /// The bytes are not those of such a simulation, or another process is gone.
    pub fn load<F: Forwarding>(simulation: &mut Simulation<F>, bytes: &[u8]) -> Result<Progress> {
        let peers = simulation.shares.peers.clone();
        let shares = match peers.rank() {
            0 => split(&simulation.shares.routers, bytes),
            _ => Ok(Vec::new()),
        };
        let own = scatter(&*peers, agree(&*peers, shares)?)?;
        let progress = Progress::load_share(simulation, &own);
        let progress = agree(&*peers, progress)?;
        simulation.check()?;
        // The ports know again what their links took.
        simulation.count()?;
        let known = simulation.totals().hops - simulation.earlier.hops;
        simulation.earlier.hops = simulation.earlier.hops.checked_sub(known).ok_or_else(damaged)?;
        let totals = simulation.totals();
        if totals.injected.checked_sub(totals.delivered + totals.dropped_flits) != Some(simulation.in_flight()) {
            return Err(damaged());
        }
        Ok(progress)
    }

    /// The same of this process.
    fn load_share<F: Forwarding>(simulation: &mut Simulation<F>, bytes: &[u8]) -> Result<Progress> {
        let mut bytes = Bytes(bytes);
        let Beginning { progress, now, totals, stage, latencies } = Progress::read(&mut bytes)?;
        if !simulation.may_be_at(&stage, now, &totals) {
            return Err(damaged());
        }
        // Ports tell more where their cables are dead, and endpoints may have to wait.
        simulation.set_stage(stage);
        (simulation.now, simulation.earlier, simulation.earlier_latencies) = (now, totals, latencies);
        simulation.parts.iter_mut().try_for_each(|part| part.load(&mut bytes))?;
        if bytes.0.is_empty() { Ok(progress) } else { Err(damaged()) }
    }

    /// True where this may be what was measured of a simulation until `now`: counts only rise, batches have what came between, a
    /// batch is under way, and every packet had a latency.
    fn is_of(&self, now: u32, totals: &Totals, latencies: &[u64]) -> bool {
        let begun = self.batches.iter().try_fold(self.start, |sum, batch| sum.checked_add(batch.cycles));
        let under_way = self.length == 0 || begun.is_some_and(|begun| begun <= now && now <= self.goal);
        let rise = under_way && self.first.comes_before(&self.before) && self.before.comes_before(totals);
        let between = |count: fn(&Totals) -> u64, of: fn(&Batch) -> u64| {
            let sum = self.batches.iter().try_fold(count(&self.first), |sum, batch| sum.checked_add(of(batch)));
            sum == Some(count(&self.before))
        };
        let packets = latencies.iter().try_fold(self.first.packets, |sum, &n| sum.checked_add(n));
        rise && packets == Some(totals.packets)
            && between(|t| t.delivered, |b| b.delivered)
            && between(|t| t.packets, |b| b.packets)
            && between(|t| t.latency, |b| b.latency)
            && self.batches.iter().all(|batch| batch.cycles > 0)
    }

    /// Reads what stands before the routers.
    fn read(bytes: &mut Bytes<'_>) -> Result<Beginning> {
        let length = bytes.get()?;
        let mut batches = Vec::new();
        for _ in 0..bytes.get::<usize>()? {
            batches.push(Batch {
                cycles: bytes.get()?,
                delivered: bytes.get()?,
                packets: bytes.get()?,
                latency: bytes.get()?,
            });
        }
        let (first, before) = (get_totals(bytes)?, get_totals(bytes)?);
        let (start, goal, pilot) = (bytes.get()?, bytes.get()?, bytes.get::<u8>()? > 0);
        let risen = (0..bytes.get::<u8>()?).map(|_| Ok(f64::from_bits(bytes.get()?))).collect::<Result<_>>()?;
        let (now, totals, stage) = (bytes.get()?, get_totals(bytes)?, Stage::load(bytes)?);
        let counts = (0..Histogram::new().counts().len()).map(|_| bytes.get()).collect::<Result<Vec<u64>>>()?;
        let progress = Progress { length, batches, first, before, start, goal, pilot, risen, interval: None };
        if !progress.is_of(now, &totals, &counts) {
            return Err(damaged());
        }
        Ok(Beginning { progress, now, totals, stage, latencies: Histogram::from_counts(counts) })
    }
}

/// What stands before the routers of a checkpoint.
struct Beginning {
    progress: Progress,
    /// The cycle.
    now: u32,
    /// What was counted until then.
    totals: Totals,
    stage: Stage,
    latencies: Histogram,
}

/// A checkpoint for each process: all have the beginning, and each its routers, from `routers[r]` to `routers[r + 1]`.
fn split(routers: &[u32], bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut left = Bytes(bytes);
    Progress::read(&mut left)?;
    let head = &bytes[..bytes.len() - left.0.len()];
    let shares = routers.windows(2).map(|own| {
        let start = left.0;
        for _ in own[0]..own[1] {
            let length: usize = left.get()?;
            left = Bytes(left.0.get(length..).ok_or_else(damaged)?);
        }
        Ok([head, &start[..start.len() - left.0.len()]].concat())
    });
    let shares = shares.collect::<Result<_>>()?;
    if left.0.is_empty() { Ok(shares) } else { Err(damaged()) }
}

pub(super) fn put_totals(writer: &mut Writer, t: &Totals) {
    [
        t.injected,
        t.delivered,
        t.packets,
        t.latency,
        t.hops,
        t.delivered_hops,
        t.last.into(),
        t.lost,
        t.dropped,
        t.dropped_flits,
    ]
    .into_iter()
    .for_each(|n| writer.put(n));
}

pub(super) fn get_totals(bytes: &mut Bytes<'_>) -> Result<Totals> {
    Ok(Totals {
        injected: bytes.get()?,
        delivered: bytes.get()?,
        packets: bytes.get()?,
        latency: bytes.get()?,
        hops: bytes.get()?,
        delivered_hops: bytes.get()?,
        last: bytes.get()?,
        lost: bytes.get()?,
        dropped: bytes.get()?,
        dropped_flits: bytes.get()?,
    })
}
