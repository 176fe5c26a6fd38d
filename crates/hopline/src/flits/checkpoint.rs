//! The whole state of a simulation as bytes, and back. Router by router, each with its length, so
//! that the bytes do not depend on how the network was cut into parts and given to processes.

use super::bytes::{Bytes, Writer, damaged};
use super::mail;
use super::measure::{Batch, Progress};
use super::part::Part;
use super::port_set::PortSet;
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
const MAGIC: &[u8] = b"hopline flits 8\n";

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
        Some(digits.map(|&b| char::from(b)).collect::<String>())
    };
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
        if totals.injected.checked_sub(totals.delivered) != Some(simulation.in_flight()) {
            return Err(damaged());
        }
        Ok(progress)
    }

    /// The same of this process.
    fn load_share<F: Forwarding>(simulation: &mut Simulation<F>, bytes: &[u8]) -> Result<Progress> {
        let mut bytes = Bytes(bytes);
        let Beginning { progress, now, totals, latencies } = Progress::read(&mut bytes)?;
        (simulation.now, simulation.earlier, simulation.earlier_latencies) = (now, totals, latencies);
        simulation.parts.iter_mut().try_for_each(|part| part.load(&mut bytes))?;
        if bytes.0.is_empty() { Ok(progress) } else { Err(damaged()) }
    }

    /// True where this may be what was measured of a simulation until `now`: counts only rise, batches have what came between, a
    /// batch is under way, and every packet had a latency.
    fn is_of(&self, now: u32, totals: &Totals, latencies: &[u64]) -> bool {
        let begun = self.batches.iter().try_fold(self.start, |sum, batch| sum.checked_add(batch.cycles));
        let under_way = self.length == 0 || begun.is_some_and(|begun| begun <= now && now <= self.goal);
        let rise = under_way && rises(&self.first, &self.before) && rises(&self.before, totals);
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
        let (now, totals) = (bytes.get()?, get_totals(bytes)?);
        let counts = (0..Histogram::new().counts().len()).map(|_| bytes.get()).collect::<Result<Vec<u64>>>()?;
        let progress = Progress { length, batches, first, before, start, goal, pilot, risen, interval: None };
        if !progress.is_of(now, &totals, &counts) {
            return Err(damaged());
        }
        Ok(Beginning { progress, now, totals, latencies: Histogram::from_counts(counts) })
    }
}

/// What stands before the routers of a checkpoint.
struct Beginning {
    progress: Progress,
    /// The cycle.
    now: u32,
    /// What was counted until then.
    totals: Totals,
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

/// True where no count of `later` is less than that of `earlier`, nor so large that sums of several may not be counted.
fn rises(earlier: &Totals, later: &Totals) -> bool {
    let counts = |t: &Totals| [t.injected, t.delivered, t.packets, t.latency, t.hops, t.delivered_hops, t.lost];
    counts(earlier).iter().zip(counts(later)).all(|(&earlier, later)| earlier <= later && later <= u64::MAX >> 8)
}

pub(super) fn put_totals(writer: &mut Writer, t: &Totals) {
    [t.injected, t.delivered, t.packets, t.latency, t.hops, t.delivered_hops, t.last.into(), t.lost]
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
    })
}

impl<const V: usize, const LONG: bool, P: PortSet> Part<V, LONG, P> {
    /// Writes its routers one by one.
    pub(super) fn save(&self, all: &mut Writer) {
        let mut returning: Vec<(u32, usize)> = self
            .shared
            .returning
            .iter()
            .enumerate()
            .flat_map(|(slot, words)| words.iter().map(move |&w| (w, slot)))
            .collect();
        returning.sort_unstable();
        let mut returning = &returning[..];
        let mail = &self.shared.mail;
        let mut coming: Vec<_> = mail.under_way(&self.shared.pool).collect();
        coming.sort_unstable_by_key(|&(slot, flit)| (mail.router(flit.next), slot, flit.next));
        let mut coming = coming.chunk_by(|a, b| mail.router(a.1.next) == mail.router(b.1.next)).peekable();
        let mut own_bytes = Writer::default();
        for r in 0..self.states.len() {
            let (state, out) = (&self.states[r], &mut own_bytes);
            state.asked.save(out);
            state.sending.save(out);
            out.put(state.turn);
            out.rng(&self.shared.rngs[r]);
            let ports = self.states[r].range();
            ports.clone().for_each(|p| self.save_port(p, out));
            let (own, rest) = returning.split_at(returning.partition_point(|w| (w.0 >> 3) < ports.end as u32));
            returning = rest;
            out.put(own.len() as u64);
            for &(word, slot) in own {
                out.put(word - ((ports.start as u32) << 3));
                out.put(slot as u64);
            }
            let own = coming.next_if(|own| mail.router(own[0].1.next) == r).unwrap_or_default();
            out.put(own.len() as u64);
            for &(slot, flit) in own {
                out.put(slot as u64);
                out.put(flit.next - mail::place(mail.bits, r as u32, 0));
                out.flit(flit);
            }
            self.states[r].sources().for_each(|s| self.save_source(s, out));
            all.put(out.0.len() as u64);
            all.0.append(&mut out.0);
        }
    }

    fn save_port(&self, port: usize, out: &mut Writer) {
        let own = &self.ports[port];
        let words = [own.held, own.asked, own.room, own.filled, own.credit, own.link_turn, own.input_turn, own.vc_turn];
        words.into_iter().for_each(|n| out.put(n));
        out.put(own.sent);
        for vc in 0..V {
            out.queue(&own.inputs[vc], &self.shared.pool);
            out.queue(&own.outputs[vc], &self.shared.pool);
            own.asks[vc].save(out);
            out.put(self.credits[port][vc]);
            out.put(self.shared.since.get(port).map_or(0, |since| since[vc]));
        }
    }

    fn save_source(&self, s: usize, out: &mut Writer) {
        let source = &self.shared.sources[s];
        source.clock.words().into_iter().for_each(|n| out.put(n));
        out.rng(&source.whom);
        out.rng(&source.how);
        [source.target, u32::from(source.left), u32::from(source.vc), source.next, self.shared.births[s]]
            .into_iter()
            .for_each(|n| out.put(n));
        out.put(source.count);
        out.put(source.waiting.len() as u64);
        source.waiting.iter().for_each(|&n| out.put(n));
    }

    /// Reads what [`Part::save`] wrote into a new part.
    pub(super) fn load(&mut self, from: &mut Bytes<'_>) -> Result<()> {
        self.shared.waiting.clear();
        for r in 0..self.states.len() {
            let length: usize = from.get()?;
            let end = from.0.len().checked_sub(length).ok_or_else(damaged)?;
            self.states[r].asked = P::load(from)?;
            self.states[r].sending = P::load(from)?;
            self.states[r].turn = from.get()?;
            self.shared.rngs[r] = from.rng()?;
            let ports = self.states[r].range();
            ports.clone().try_for_each(|p| self.load_port(p, from))?;
            for p in ports.clone().filter(|&p| self.ports[p].held != 0) {
                self.states[r].undecided.insert(self.ports[p].offset);
            }
            for _ in 0..from.get::<usize>()? {
                let word: u32 = from.get()?;
                let slot: usize = from.get()?;
                let cell = self.shared.returning.get_mut(slot).filter(|_| (word as usize >> 3) < ports.len());
                cell.ok_or_else(damaged)?.push(word + ((ports.start as u32) << 3));
            }
            for _ in 0..from.get::<usize>()? {
                let (slot, place): (u32, u32) = (from.get()?, from.get()?);
                if place >= mail::place(self.shared.mail.bits, 0, ports.len() as u32) || place as usize % 8 >= V {
                    return Err(damaged());
                }
                let flit = from.flit(place + mail::place(self.shared.mail.bits, r as u32, 0))?;
                self.shared.mail.put_remote(self.shared.slot(slot), flit);
                self.shared.foreign += 1;
            }
            self.states[r].sources().try_for_each(|s| self.load_source(s, from))?;
            self.states[r].note_due(&self.shared.births);
            if from.0.len() != end {
                return Err(damaged());
            }
        }
        Ok(())
    }

    fn load_port(&mut self, port: usize, from: &mut Bytes<'_>) -> Result<()> {
        let own = &mut self.ports[port];
        let words = [
            &mut own.held,
            &mut own.asked,
            &mut own.room,
            &mut own.filled,
            &mut own.credit,
            &mut own.link_turn,
            &mut own.input_turn,
            &mut own.vc_turn,
        ];
        for word in words {
            *word = from.get()?;
        }
        own.sent = from.get()?;
        for vc in 0..V {
            own.inputs[vc] = from.queue(&mut self.shared.pool)?;
            own.outputs[vc] = from.queue(&mut self.shared.pool)?;
            self.shared.foreign += i64::from(own.inputs[vc].len) + i64::from(own.outputs[vc].len);
            own.asks[vc] = P::load(from)?;
            self.credits[port][vc] = from.get()?;
            let since = from.get()?;
            if let Some(cell) = self.shared.since.get_mut(port) {
                cell[vc] = since;
            }
        }
        Ok(())
    }

    fn load_source(&mut self, s: usize, from: &mut Bytes<'_>) -> Result<()> {
        let source = &mut self.shared.sources[s];
        source.clock.resume([from.get()?, from.get()?, from.get()?, from.get()?]);
        source.whom = from.rng()?;
        source.how = from.rng()?;
        source.target = from.get()?;
        source.left = from.get()?;
        source.vc = from.get()?;
        source.next = from.get()?;
        self.shared.births[s] = from.get()?;
        source.count = from.get()?;
        source.waiting.clear();
        for _ in 0..from.get::<usize>()? {
            source.waiting.push_back(from.get()?);
        }
        Ok(())
    }
}
