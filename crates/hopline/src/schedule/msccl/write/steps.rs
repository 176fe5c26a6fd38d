//! Steps that wait for each other, as a file has them: one other step each.

use super::{End, Key, Waiting};
use crate::schedule::msccl::{Block, Buffer, Span, Step, StepKind};
use std::collections::{BTreeMap, BTreeSet};

/// The last step of each other block.
pub(super) fn last_of_each<'a>(ends: impl Iterator<Item = &'a End>, own: Key) -> Vec<End> {
    let mut last = BTreeMap::new();
    for &(block, step) in ends.filter(|end| end.0 != own) {
        let kept = last.entry(block).or_insert(step);
        *kept = step.max(*kept);
    }
    last.into_iter().collect()
}

/// Steps with their waits as they stand in a file: a step waits for one other, those before it that do nothing for the rest.
pub(super) fn numbered(blocks: Vec<(Key, Waiting)>, rank: u32) -> Vec<Block> {
    let ids: BTreeMap<Key, i64> = (0..).zip(&blocks).map(|(id, (key, _))| (*key, id)).collect();
    // Where each step ends up, with those that do nothing before it.
    let places: BTreeMap<Key, Vec<i64>> = blocks.iter().map(|(key, steps)| (*key, places(steps))).collect();
    let mut told = BTreeSet::new();
    let mut made: Vec<Block> = Vec::new();
    for (id, (Key { peer, sends, channel }, steps)) in (0..).zip(blocks) {
        let mut own: Vec<Step> = Vec::new();
        for (step, waits) in steps {
            let waits: Vec<(i64, i64)> = waits.iter().map(|(key, at)| (ids[key], places[key][*at])).collect();
            told.extend(&waits);
            let (last, before) = waits.split_last().map_or(((-1, -1), &[][..]), |(last, before)| (*last, before));
            for &needs in before {
                let span = |buffer| Span { buffer, first: -1 };
                let (source, target) = (span(Buffer::Input), span(Buffer::Output));
                own.push(Step { id: own.len() as i64, kind: StepKind::Nop, source, target, count: 0, needs, ..step });
            }
            own.push(Step { id: own.len() as i64, needs: last, ..step });
        }
        let peer = if peer == rank { -1 } else { i64::from(peer) };
        let (send, recv) = if sends { (peer, -1) } else { (-1, peer) };
        made.push(Block { id, send, recv, channel: i64::from(channel), steps: own, line: 0 });
    }
    for (block, step) in told {
        made[block as usize].steps[step as usize].tells = true;
    }
    made
}

fn places(steps: &[(Step, Vec<End>)]) -> Vec<i64> {
    let mut at = -1;
    let mut next = |waits: usize| {
        at += waits.max(1) as i64;
        at
    };
    steps.iter().map(|(_, waits)| next(waits.len())).collect()
}
