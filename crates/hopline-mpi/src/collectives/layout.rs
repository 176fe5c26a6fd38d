//! The nodes of a communicator and the network between them, found once for all
//! communicators of the same members.

use super::channel::{Channel, with_copy};
use super::delays::Team;
use super::model::Network;
use super::nodes::{self, Nodes};
use super::{Settings, with};
use crate::abi::Handle;
use crate::now;
use std::sync::Arc;

/// Lists of members that are kept; beyond them all are forgotten.
const MOST_LAYOUTS: usize = 1024;

/// What there is to know of the members of a communicator.
pub(super) struct Layout {
    pub(super) nodes: Nodes,
    /// `None` where there is nothing to gain: too few nodes, or too many.
    pub(super) network: Option<Network>,
}

impl Layout {
    /// Collective: what is there to know of a communicator.
    pub(super) fn find(handle: Handle, channel: &Channel, settings: &Settings) -> Option<Layout> {
        let size = channel.members.len();
        let begin = now();
        let nodes = nodes::nodes(handle, size)?;
        let find_nodes = now() - begin;
        let least = if settings.forced { 2 } else { 3 };
        let (mut known, mut cost) = (with(|state| state.known.clone())?, Default::default());
        // Where nodes tell each other apart messages are sent, which must meet no other's.
        let far = nodes.leader.len() >= least;
        let found = far.then(|| {
            with_copy(handle, channel.rank, |comm| {
                Team { comm, rank: channel.rank, nodes: &nodes }.network(&settings.source, &mut known, &mut cost)
            })
        });
        let found = found.flatten();
        let line = match &found {
            Some((network, how)) => {
                format!("{size} ranks on {} nodes in {} islands, delays {how}", network.nodes, network.islands())
            }
            None => format!("{size} ranks on {} nodes: collectives are the library's", nodes.leader.len()),
        };
        with(|state| {
            state.known.extend(known);
            state.report.met(line, find_nodes, cost);
        });
        Some(Layout { nodes, network: found.map(|(network, _)| network) })
    }

    /// What was found before.
    pub(super) fn kept(members: &[i32]) -> Option<Arc<Layout>> {
        with(|state| state.layouts.get(members).cloned()).flatten()
    }

    /// Keeps it for other communicators of these members.
    pub(super) fn keep(self, members: Vec<i32>) -> Arc<Layout> {
        let layout = Arc::new(self);
        with(|state| {
            if state.layouts.len() >= MOST_LAYOUTS {
                state.layouts.clear();
            }
            state.layouts.insert(members, layout.clone());
        });
        layout
    }
}
