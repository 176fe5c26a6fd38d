//! Walking all tables, for `hopline fabric check`.

use super::Table;
use crate::id::{LinkId, VertexId};

/// What a walk of all tables found, for `hopline fabric check`.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Audit {
    /// Ordered pairs of endpoints with hosts.
    pub pairs: u64,
    /// How many of them do not arrive over some LID in use.
    pub broken: u64,
    /// The first few faults, in words.
    pub examples: Vec<String>,
    /// For every link the links on which its packets may go on.
    pub next: Vec<Vec<u32>>,
}

impl Table {
    /// Follows every LID in use of every endpoint with a host from every switch
    /// that has such endpoints. O(LIDs * switches).
    pub fn audit(&self) -> Audit {
        let f = &*self.fabric;
        let ends: Vec<VertexId> = (0..f.endpoints()).map(VertexId).filter(|&v| f.hosts().owner(v).is_some()).collect();
        let mut by_switch: Vec<(VertexId, VertexId)> =
            ends.iter().filter_map(|&v| Some((f.target(f.out_links(v).next()?), v))).collect();
        by_switch.sort_unstable();
        // An endpoint without a cable reaches nobody.
        let isolated = (ends.len() - by_switch.len()) as u64;
        let mut audit = Audit { next: vec![Vec::new(); f.links()], ..Audit::default() };
        for &target in &ends {
            let mut faulty = vec![false; by_switch.len()];
            for choice in 0..self.lids_in_use(target) {
                if let Some(lid) = self.lid_of(target, choice) {
                    self.audit_lid(target, lid, &by_switch, &mut faulty, &mut audit);
                } else {
                    faulty.fill(true);
                }
            }
            audit.pairs += ends.len() as u64 - 1;
            audit.broken += isolated - u64::from(self.fabric.degree(target) == 0);
            audit.broken += by_switch.iter().zip(&faulty).filter(|(s, bad)| **bad && s.1 != target).count() as u64;
        }
        audit
    }

    fn audit_lid(
        &self,
        target: VertexId,
        lid: u16,
        by_switch: &[(VertexId, VertexId)],
        faulty: &mut [bool],
        audit: &mut Audit,
    ) {
        let f = &*self.fabric;
        // Per switch: whether packets from there arrive, once known.
        let mut arrives: Vec<Option<bool>> = vec![None; f.switches() as usize];
        let index = |v: VertexId| (v.0 - f.endpoints()) as usize;
        for (i, &(start, source)) in by_switch.iter().enumerate() {
            if source == target || f.is_endpoint(start) {
                faulty[i] |= source != target && start != target;
                continue;
            }
            let (mut way, mut at, mut before) = (Vec::new(), start, None);
            let ok = loop {
                if at == target {
                    break true;
                }
                if f.is_endpoint(at) {
                    break false;
                }
                if let Some(known) = arrives[index(at)] {
                    break known;
                }
                // A switch on its own way is a circle: marked as lost until the walk ends.
                arrives[index(at)] = Some(false);
                way.push(at);
                let Ok(Some(link)) = self.forward(at, lid) else { break false };
                before = Some(link);
                at = f.target(link);
            };
            self.note_turns(&way, before, lid, &mut audit.next);
            way.iter().for_each(|&v| arrives[index(v)] = Some(ok));
            if !ok {
                faulty[i] = true;
                if audit.examples.len() < 5
                    && let Err(e) = self.walk(source, target, lid, |_| ())
                {
                    audit.examples.push(e.to_string());
                }
            }
        }
    }

    /// Which link follows which along a way, its first step past the end included.
    fn note_turns(&self, way: &[VertexId], last: Option<LinkId>, lid: u16, next: &mut [Vec<u32>]) {
        let out = |v: VertexId| self.forward(v, lid).ok().flatten();
        let beyond = last.map(|l| self.fabric.target(l)).filter(|&v| !self.fabric.is_endpoint(v));
        let links: Vec<LinkId> = way.iter().copied().chain(beyond).filter_map(out).collect();
        for pair in links.windows(2) {
            let list = &mut next[pair[0].index()];
            if !list.contains(&pair[1].0) {
                list.push(pair[1].0);
            }
        }
    }
}
