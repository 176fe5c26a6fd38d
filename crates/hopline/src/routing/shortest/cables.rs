//! The links between routers, router by router: what searches and loads walk over.

use super::LEAF;
use crate::fabric::Fabric;
use crate::id::{LinkId, VertexId};

/// A link from one router to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cable {
    pub(super) link: LinkId,
    /// The place of the router to which it leads.
    pub(super) to: u32,
    pub(super) is_up: bool,
}

/// See the [module](self).
pub(super) struct Cables {
    all: Vec<Cable>,
    /// Those of the router at place r are `all[first[r]..first[r + 1]]`, in port order.
    first: Vec<u32>,
    /// Whether a router is an adapter with several links, at which paths only begin and end.
    is_end: Vec<bool>,
}

impl Cables {
    /// None goes up. O(links).
    pub(super) fn new(fabric: &Fabric, routers: &[VertexId], place: &[u32]) -> Cables {
        let (mut all, mut first) = (Vec::new(), vec![0]);
        for &v in routers {
            let cable = |link: LinkId| Cable { link, to: place[fabric.target(link).index()], is_up: false };
            all.extend(fabric.out_links(v).map(cable).filter(|c| c.to != LEAF));
            first.push(all.len() as u32);
        }
        Cables { all, first, is_end: routers.iter().map(|&v| fabric.is_adapter(v)).collect() }
    }

    /// Says of every link whether it goes up, by the places of its ends.
    pub(super) fn mark_up(&mut self, is_up: impl Fn(u32, u32) -> bool) {
        for (ends, from) in self.first.windows(2).zip(0..) {
            self.all[ends[0] as usize..ends[1] as usize].iter_mut().for_each(|c| c.is_up = is_up(from, c.to));
        }
    }

    pub(super) fn all(&self) -> &[Cable] {
        &self.all
    }

    #[inline]
    pub(super) fn of(&self, router: u32) -> &[Cable] {
        &self.all[self.first[router as usize] as usize..self.first[router as usize + 1] as usize]
    }

    /// Whether paths only begin and end at a router.
    #[inline]
    pub(super) fn is_end(&self, router: u32) -> bool {
        self.is_end[router as usize]
    }
}
