//! Who owns which LID.

use super::super::ibnetdiscover::Port;
use crate::id::VertexId;
use std::ops::Range;

/// LIDs by vertex and vertices by LID.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lids {
    /// Per vertex.
    of: Vec<Range<u16>>,
    /// Per LID; `NOBODY` where free.
    owner: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

impl Lids {
    /// The LIDs of a vertex: `2^lmc` from its base LID; empty where it has none.
    pub fn of(&self, v: VertexId) -> Range<u16> {
        self.of.get(v.index()).cloned().unwrap_or(0..0)
    }

    /// The vertex that owns a LID.
    pub fn owner(&self, lid: u16) -> Option<VertexId> {
        self.owner.get(usize::from(lid)).filter(|v| **v != NOBODY).map(|v| VertexId(*v))
    }

    /// True where no vertex has any.
    pub fn is_empty(&self) -> bool {
        self.owner.is_empty()
    }

    /// Gives the next vertex its LIDs, or says which vertex has one of them already.
    pub(in crate::format) fn add(&mut self, port: Option<&Port>) -> Result<(), (u16, VertexId)> {
        let v = self.of.len() as u32;
        let lids = port.filter(|p| p.lid > 0).map_or(0..0, |p| p.lid..p.lid.saturating_add(1 << p.lmc.min(7)));
        self.of.push(lids.clone());
        self.owner.resize(self.owner.len().max(usize::from(lids.end)), NOBODY);
        for lid in lids {
            if let Some(first) = self.owner(lid) {
                return Err((lid, first));
            }
            if let Some(owner) = self.owner.get_mut(usize::from(lid)) {
                *owner = v;
            }
        }
        Ok(())
    }
}
