//! What would undo a change of the cables.

use super::{Change, ChangeKind};

/// Says what would undo each; two cables that have changed places are one swap.
pub(super) fn mend(changes: &mut [Change]) {
    let moves: Vec<Option<[String; 3]>> = changes.iter().map(kept).collect();
    for (i, change) in changes.iter_mut().enumerate() {
        change.mend = match (change.kind, &moves[i], &change.before, &change.after) {
            (ChangeKind::CableMoved, Some([_, was, is]), ..) => {
                let swapped = moves.iter().flatten().any(|[_, other_was, other_is]| other_was == is && other_is == was);
                Some(match swapped {
                    true => format!("swap the cables in {was} and {is}"),
                    false => format!("move the end in {is} to {was}"),
                })
            }
            (ChangeKind::CableGone, _, Some(cable), _) => Some(format!("connect {cable}")),
            (ChangeKind::CableNew, .., Some(cable)) => Some(format!("take out {cable}")),
            (ChangeKind::Slower, ..) => Some(format!("reset or replace {}", change.name)),
            _ => None,
        };
    }
}

/// The end that a moved cable kept, where the other was, and where it is.
fn kept(change: &Change) -> Option<[String; 3]> {
    if change.kind != ChangeKind::CableMoved {
        return None;
    }
    let [a, b] = ends(change.before.as_ref()?)?;
    let [c, d] = ends(change.after.as_ref()?)?;
    let found = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)]
        .into_iter()
        .find(|(keeps, _, stays, _)| keeps == stays);
    found.map(|(keeps, was, _, is)| [keeps, was, is].map(str::to_string))
}

fn ends(cable: &str) -> Option<[&str; 2]> {
    cable.split_once(" -- ").map(|(a, b)| [a, b])
}
