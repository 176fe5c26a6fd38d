//! Whom each endpoint sends to: a demand as a sampler.

use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::id::VertexId;
use crate::rng::Rng;

/// What an endpoint sends, for all endpoints.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Destinations {
    /// Parts of endpoint e are `parts[first[e]..first[e + 1]]`.
    first: Vec<u32>,
    parts: Vec<Part>,
    /// Endpoints of the receivers of each uniform block.
    blocks: Vec<Vec<u32>>,
    /// What each endpoint sends, relative to the one that sends most.
    pub(super) share: Vec<f64>,
}

/// One receiver, or all of a block as likely.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Part {
    /// Amount of this and all parts before it.
    until: f64,
    to: To,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum To {
    One(u32),
    /// All of a block but the one at a place (which may be beyond the end).
    Block {
        block: u32,
        except: u32,
    },
}

impl Destinations {
    /// Task t injects at `place[t]`. What stays within an endpoint goes through
    /// its router and back. O(entries + tasks * blocks).
    ///
    /// # Errors
    /// Nobody sends anything.
    pub(super) fn new(demand: &Demand, place: &[VertexId], endpoints: u32) -> Result<Destinations> {
        let mut parts: Vec<Vec<(f64, To)>> = vec![Vec::new(); endpoints as usize];
        for &(from, to, amount) in demand.entries() {
            parts[place[from as usize].index()].push((amount, To::One(place[to as usize].0)));
        }
        let mut blocks = Vec::new();
        let mut at = vec![u32::MAX; demand.tasks() as usize];
        for (b, block) in demand.blocks().iter().enumerate() {
            blocks.push(block.destinations.iter().map(|t| place[t as usize].0).collect());
            if !block.to_self {
                block.destinations.iter().enumerate().for_each(|(i, t)| at[t as usize] = i as u32);
            }
            for task in block.sources.iter() {
                let except = at[task as usize];
                let receivers = block.destinations.len() - u32::from(except != u32::MAX);
                if receivers > 0 {
                    let part = (f64::from(receivers) * block.amount, To::Block { block: b as u32, except });
                    parts[place[task as usize].index()].push(part);
                }
            }
            block.destinations.iter().for_each(|t| at[t as usize] = u32::MAX);
        }
        let mut all = Destinations { first: vec![0], parts: Vec::new(), blocks, share: Vec::new() };
        for own in parts {
            let mut until = 0.0;
            for (amount, to) in own {
                until += amount;
                all.parts.push(Part { until, to });
            }
            all.first.push(all.parts.len() as u32);
            all.share.push(until);
        }
        let most = all.share.iter().copied().fold(0.0, f64::max);
        if most == 0.0 {
            return Err(Error::input("nobody sends anything").hint("choose another traffic"));
        }
        all.share.iter_mut().for_each(|s| *s /= most);
        Ok(all)
    }

    #[inline]
    fn of(&self, endpoint: u32) -> &[Part] {
        &self.parts[self.first[endpoint as usize] as usize..self.first[endpoint as usize + 1] as usize]
    }

    /// The receiver of an endpoint that sends to one only.
    pub(super) fn only(&self, endpoint: u32) -> Option<u32> {
        match self.of(endpoint) {
            [Part { to: To::One(receiver), .. }] => Some(*receiver),
            _ => None,
        }
    }

    /// The next receiver of an endpoint that sends. O(log partners).
    #[inline]
    pub(super) fn draw(&self, endpoint: u32, rng: &mut Rng) -> u32 {
        let parts = self.of(endpoint);
        let part = match parts {
            [one] => one,
            _ => {
                let at = rng.unit() * parts[parts.len() - 1].until;
                &parts[parts.partition_point(|p| p.until <= at).min(parts.len() - 1)]
            }
        };
        match part.to {
            To::One(endpoint) => endpoint,
            To::Block { block, except } => {
                let all = &self.blocks[block as usize];
                let pick = rng.below(all.len() as u64 - u64::from(except != u32::MAX)) as u32;
                all[(pick + u32::from(pick >= except)) as usize]
            }
        }
    }

    /// The receivers of an endpoint one by one: number k of them, without
    /// itself; `None` beyond the last.
    pub(super) fn partner(&self, endpoint: u32, k: u64) -> Option<u32> {
        let mut left = k;
        for part in self.of(endpoint) {
            match part.to {
                To::One(to) if left == 0 => return Some(to),
                To::One(_) => left -= 1,
                To::Block { block, except } => {
                    let all = &self.blocks[block as usize];
                    let own = u64::from(except != u32::MAX);
                    if left < all.len() as u64 - own {
                        return Some(all[left as usize + usize::from(left >= u64::from(except))]);
                    }
                    left -= all.len() as u64 - own;
                }
            }
        }
        None
    }

    /// Number of receivers of an endpoint.
    pub(super) fn partners(&self, endpoint: u32) -> u64 {
        let size = |part: &Part| match part.to {
            To::One(_) => 1,
            To::Block { block, except } => self.blocks[block as usize].len() as u64 - u64::from(except != u32::MAX),
        };
        self.of(endpoint).iter().map(size).sum()
    }
}
