//! What the processes of one run tell each other: what they were asked for, and the mappings that they found.

use super::setting;
use crate::error::{Error, Result};
use crate::id::SlotId;
use crate::mapping::Mapping;
use crate::peers::{Peers, agree, broadcast, damaged, gather, gather_at_first};
use crate::plan::Plan;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A mapping, and what its strategy has to say about it.
pub(super) type Placed = (Mapping, Vec<String>);

/// The same as it is sent: slots and notes.
pub(super) type Words = (Vec<u32>, Vec<String>);

/// All processes must be about the same.
pub(super) fn same(peers: &dyn Peers, name: &str) -> Result<()> {
    match gather(peers, name.as_bytes().to_vec())?.iter().all(|other| other == name.as_bytes()) {
        true => Ok(()),
        false => Err(Error::input("the processes of this run were not asked for the same")
            .hint("give all of them the same scenario, options and version")),
    }
}

/// What a plan is about.
pub(super) fn name(plan: &Plan) -> String {
    let candidates: Vec<String> = plan.candidates.iter().map(|c| format!("{} {}", c.spec, c.runs)).collect();
    format!("{:?} {} {}", setting(plan), plan.objective.spec(), candidates.join(" "))
}

/// What the first process finds, known to all.
///
/// # Errors
/// It finds none.
pub(super) fn of_first(peers: &dyn Peers, plan: &Plan, find: impl FnOnce() -> Result<Placed>) -> Result<Placed> {
    let own = if peers.rank() == 0 { find().map(|found| Some(words(&found))) } else { Ok(None) };
    placed(told(peers, own)?, plan)
}

/// What all processes have: at the first one that of each in their order, at the others nothing.
///
/// # Errors
/// One of them has none.
pub(super) fn at_first<T: Serialize + DeserializeOwned>(peers: &dyn Peers, own: Result<T>) -> Result<Vec<T>> {
    let own = pack(&agree(peers, own)?);
    gather_at_first(peers, own)?.iter().map(|bytes| unpack(bytes)).collect()
}

/// What the first process has, known to all.
///
/// # Errors
/// It has none.
pub(super) fn told<T: Serialize + DeserializeOwned>(peers: &dyn Peers, own: Result<Option<T>>) -> Result<T> {
    unpack(&broadcast(peers, pack(&agree(peers, own)?))?)
}

pub(super) fn words((mapping, notes): &Placed) -> Words {
    ((0..mapping.tasks()).map(|task| mapping.slot(task).0).collect(), notes.clone())
}

pub(super) fn placed((slots, notes): Words, plan: &Plan) -> Result<Placed> {
    Ok((Mapping::new(slots.into_iter().map(SlotId).collect(), &plan.network.fabric)?, notes))
}

fn pack(words: &impl Serialize) -> Vec<u8> {
    // Numbers and text can always be written.
    serde_json::to_vec(words).unwrap_or_default()
}

fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|e| damaged().caused_by(e))
}
