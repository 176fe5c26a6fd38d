//! Which process has which parts, and what they tell each other: mail between parts as long as the shortest link
//! between processes allows them to go on alone, and sums at the end of each stretch.

use super::any_part::AnyPart;
use super::bytes::{Bytes, Writer};
use super::checkpoint::{get_totals, put_totals};
use super::{Totals, wire};
use crate::error::Result;
use crate::forwarding::{NOWHERE, Wiring};
use crate::peers::{Peers, gather};
use std::ops::Range;
use std::sync::Arc;

/// What other processes have counted, and whether they have anything left to do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) totals: Totals,
    pub(super) in_flight: u64,
    /// Packets are still to come.
    pub(super) goes_on: bool,
}

/// What a process has sent to others, or all of them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Exchanged {
    /// Times at which all told each other what crosses.
    pub windows: u64,
    /// Messages then.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Exchanged {
    /// Adds another run's.
    pub(crate) fn add(&mut self, other: &Exchanged) {
        self.windows += other.windows;
        self.messages += other.messages;
        self.bytes += other.bytes;
    }

    /// What all processes have sent; their windows are the same.
    pub(crate) fn of_all(&self, peers: &dyn Peers) -> Result<Exchanged> {
        let mut all = Exchanged { windows: self.windows, ..Exchanged::default() };
        let mut writer = Writer::default();
        writer.put(self.messages);
        writer.put(self.bytes);
        for words in gather(peers, writer.into_bytes())? {
            let mut bytes = Bytes::new(&words);
            all.messages += bytes.get::<u64>()?;
            all.bytes += bytes.get::<u64>()?;
        }
        Ok(all)
    }
}

/// See the [module](self).
pub(super) struct Shares {
    pub(super) peers: Arc<dyn Peers>,
    /// Process r has the parts `first[r]..first[r + 1]`, which have the routers `routers[r]..routers[r + 1]`.
    first: Vec<usize>,
    pub(super) routers: Vec<u32>,
    /// Processes to which links lead from here.
    pub(super) neighbours: Vec<u32>,
    /// Cycles that processes may run without hearing of each other.
    pub(super) window: u32,
    /// The sum over the others.
    pub(super) others: Counted,
    pub(super) exchanged: Exchanged,
}

impl Shares {
    /// Parts begin at `cuts`, which ends with the end of the last; the shortest link that crosses each is known.
    pub(super) fn new(peers: Arc<dyn Peers>, wiring: &Wiring, cuts: &[u32], crossing: &[u32]) -> Shares {
        let (size, parts) = (peers.size() as usize, cuts.len() - 1);
        // The first process has a part in any case.
        let first: Vec<usize> = (0..=size).map(|r| (r * parts).div_ceil(size)).collect();
        let routers: Vec<u32> = first.iter().map(|&part| cuts[part]).collect();
        let inner = routers[1..size].iter().filter(|&&r| r > 0 && r < wiring.len() as u32);
        let window = inner.map(|&r| crossing[r as usize]).min().unwrap_or(u32::MAX);
        let goes_on = size > 1;
        let mut shares = Shares {
            peers,
            first,
            routers,
            neighbours: Vec::new(),
            window,
            others: Counted { goes_on, ..Counted::default() },
            exchanged: Exchanged::default(),
        };
        let owners = shares.own_ports(wiring).map(|p| wiring.ports[p as usize].peer).filter(|&peer| peer != NOWHERE);
        let mut near: Vec<u32> = owners.map(|peer| shares.owner(wiring.ports[peer as usize].router)).collect();
        near.sort_unstable();
        near.dedup();
        near.retain(|&r| r != shares.peers.rank());
        shares.neighbours = near;
        shares
    }

    /// The process that has a router.
    pub(super) fn owner(&self, router: u32) -> u32 {
        self.routers.partition_point(|&first| first <= router) as u32 - 1
    }

    /// The parts of a process.
    pub(super) fn parts_of(&self, rank: u32) -> Range<usize> {
        self.first[rank as usize]..self.first[rank as usize + 1]
    }

    /// The parts of this process.
    pub(super) fn own(&self) -> Range<usize> {
        self.parts_of(self.peers.rank())
    }

    /// Its ports, counted over the whole network.
    pub(super) fn own_ports(&self, wiring: &Wiring) -> Range<u32> {
        let rank = self.peers.rank() as usize;
        wiring.first[self.routers[rank] as usize]..wiring.first[self.routers[rank + 1] as usize]
    }

    pub(super) fn is_alone(&self) -> bool {
        self.peers.size() == 1
    }

    /// Parts here and elsewhere tell each other what is on its way.
    pub(super) fn exchange<F>(&mut self, parts: &mut [&mut dyn AnyPart<F>]) -> Result<()> {
        let messages: Vec<Vec<u8>> = self
            .neighbours
            .iter()
            .map(|&rank| wire::write(parts.iter_mut().map(|p| p.outgoing()), self.parts_of(rank)))
            .collect();
        self.exchanged.windows += 1;
        self.exchanged.messages += messages.len() as u64;
        self.exchanged.bytes += messages.iter().map(|l| l.len() as u64).sum::<u64>();
        for message in self.peers.exchange(&self.neighbours, messages)? {
            wire::read(&message, parts.len(), |part, outgoing| parts[part].receive(outgoing))?;
        }
        Ok(())
    }

    /// All processes learn what the others have counted.
    pub(super) fn count(&mut self, own: &Counted) -> Result<()> {
        let mut writer = Writer::default();
        put_totals(&mut writer, &own.totals);
        writer.put(own.in_flight);
        writer.put(own.goes_on);
        let mut sum = Counted::default();
        for (rank, words) in (0..).zip(gather(&*self.peers, writer.into_bytes())?) {
            if rank != self.peers.rank() {
                let mut bytes = Bytes::new(&words);
                sum.totals.add(&get_totals(&mut bytes)?);
                sum.in_flight += bytes.get::<u64>()?;
                sum.goes_on |= bytes.get::<u8>()? > 0;
            }
        }
        self.others = sum;
        Ok(())
    }
}
