//! Distances of many sources to one target at once.

use super::{Atlas, Link};

/// What a source has to cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Links between switches.
    pub hops: u16,
    /// Index of the slowest link's speed, host links included.
    pub slowest: u8,
}

/// The tree along which all switches forward one LID, filled in as it is asked
/// for. One value serves many targets in turn; its memory is O(switches).
#[derive(Debug, Clone)]
pub struct Column {
    reach: Vec<State>,
    touched: Vec<u32>,
    way: Vec<(u32, Link)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Unknown,
    /// Under way, or known not to arrive.
    Lost,
    Reaches(Reach),
}

impl Column {
    /// For an atlas of that many switches.
    pub fn new(atlas: &Atlas) -> Column {
        Column { reach: vec![State::Unknown; atlas.switches() as usize], touched: Vec::new(), way: Vec::new() }
    }

    /// Forgets the last target. O(switches that were asked for).
    pub fn clear(&mut self) {
        for s in self.touched.drain(..) {
            self.reach[s as usize] = State::Unknown;
        }
    }

    /// From `source` to the `target` that owns `lid`, the same ones since the
    /// last [`Column::clear`]; `None` where no way leads there. Amortised O(1)
    /// for sources on few switches.
    pub fn reach(&mut self, atlas: &Atlas, source: u32, target: u32, lid: u16) -> Option<Reach> {
        if source == target {
            let speed = atlas.uplink(source).map_or(u8::MAX, |l| l.speed);
            return Some(Reach { hops: 0, slowest: speed });
        }
        if lid == 0 {
            return None;
        }
        if !atlas.is_endpoint(source) {
            return self.through(atlas, source, target, lid);
        }
        let link = atlas.uplink(source)?;
        if link.to == target {
            return Some(Reach { hops: 0, slowest: link.speed });
        }
        if atlas.is_endpoint(link.to) {
            return None;
        }
        let rest = self.through(atlas, link.to, target, lid)?;
        Some(Reach { hops: rest.hops, slowest: rest.slowest.min(link.speed) })
    }

    fn through(&mut self, atlas: &Atlas, start: u32, target: u32, lid: u16) -> Option<Reach> {
        let index = |v: u32| (v - atlas.endpoints()) as usize;
        let mut at = start;
        let mut end = loop {
            if at == target {
                break Some(Reach { hops: 0, slowest: u8::MAX });
            }
            if atlas.is_endpoint(at) {
                break None;
            }
            match self.reach[index(at)] {
                State::Reaches(known) => break Some(known),
                State::Lost => break None,
                State::Unknown => {}
            }
            // A switch on its own way is a circle: lost until the walk ends.
            self.reach[index(at)] = State::Lost;
            self.touched.push(index(at) as u32);
            let Ok(link) = atlas.forward(at, lid) else { break None };
            self.way.push((at, link));
            at = link.to;
        };
        while let Some((v, link)) = self.way.pop() {
            end = end.map(|rest| {
                let hop = u16::from(!atlas.is_endpoint(link.to));
                Reach { hops: rest.hops + hop, slowest: rest.slowest.min(link.speed) }
            });
            self.reach[index(v)] = end.map_or(State::Lost, State::Reaches);
        }
        end
    }
}
