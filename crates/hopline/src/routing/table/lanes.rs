//! Which channels packets hold while they wait for others, by virtual lane.

use super::Table;
use crate::fabric::Fabric;
use crate::format::service_levels::ServiceLevels;
use crate::id::VertexId;
use rustc_hash::FxHashSet;

/// Lanes of a link; the last one is that of management, on which no data goes.
pub const LANES: usize = 16;
const DROPPED: u8 = 15;

/// What a walk of all paths on their lanes found. The channel of lane v of link l is 16 l + v.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct LaneAudit {
    /// For every channel the channels on which its packets may go on.
    pub next: Vec<Vec<u32>>,
    /// Ordered pairs of endpoints whose service level is not known.
    pub unknown: u64,
    /// Turns of switches without an SL2VL table, and those that drop packets; the first few, in words.
    pub faults: Vec<String>,
    /// How many such turns there are.
    pub faulty: u64,
    /// Virtual lanes that carry packets between switches.
    pub lanes: usize,
}

impl Table {
    /// Follows every LID in use of every endpoint with a host from every other, on
    /// the lanes that its service level gives it. O(pairs + LIDs * links * levels).
    pub fn audit_lanes(&self, levels: &ServiceLevels) -> LaneAudit {
        let f = &*self.fabric;
        let ends: Vec<VertexId> = (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect();
        let mut audit = LaneAudit { next: vec![Vec::new(); f.links() * LANES], ..LaneAudit::default() };
        let mut seen = FxHashSet::default();
        for &target in &ends {
            for lid in (0..self.lids_in_use(target)).filter_map(|choice| self.lid_of(target, choice)) {
                seen.clear();
                for &source in ends.iter().filter(|&&source| source != target) {
                    match self.lids.of(source).find_map(|own| levels.level(own, lid)) {
                        Some(level) => self.follow(source, lid, level, levels, &mut seen, &mut audit),
                        None => audit.unknown += 1,
                    }
                }
            }
        }
        let used = |lane: &usize| audit.next.iter().skip(*lane).step_by(LANES).any(|next| !next.is_empty());
        audit.lanes = (0..LANES).filter(used).count();
        audit
    }

    /// One path, until another has gone on from here on the same lane.
    fn follow(
        &self,
        source: VertexId,
        lid: u16,
        level: u8,
        levels: &ServiceLevels,
        seen: &mut FxHashSet<u64>,
        audit: &mut LaneAudit,
    ) {
        let f = &*self.fabric;
        let Some(mut link) = f.out_links(source).next() else { return };
        let mut held: Option<u32> = None;
        loop {
            let at = f.target(link);
            if f.is_endpoint(at) {
                return;
            }
            // Where the tables lead nowhere the other walk says so.
            let Ok(Some(out)) = self.forward(at, lid) else { return };
            let turn = (f.port(f.reverse(link)) as u8, f.port(out) as u8);
            let lane = levels.lane(self.lids.of(at).start, turn, level);
            let Some(lane) = lane.filter(|vl| *vl != DROPPED) else {
                audit.fault(f, at, turn, level, lane.is_some());
                return;
            };
            let channel = out.0 * LANES as u32 + u32::from(lane);
            if let Some(held) = held
                && let Some(next) = audit.next.get_mut(held as usize)
                && !next.contains(&channel)
            {
                next.push(channel);
            }
            if !seen.insert(u64::from(channel) << 4 | u64::from(level)) {
                return;
            }
            (held, link) = (Some(channel), out);
        }
    }
}

impl LaneAudit {
    fn fault(&mut self, fabric: &Fabric, at: VertexId, (from, to): (u8, u8), level: u8, dropped: bool) {
        const NAMED: usize = 5;
        self.faulty += 1;
        if self.faults.len() < NAMED {
            let what = if dropped { "drops" } else { "has no lane for" };
            let name = fabric.vertex_name(at);
            self.faults
                .push(format!("switch {name} {what} packets of service level {level} from port {from} to port {to}"));
        }
    }
}
