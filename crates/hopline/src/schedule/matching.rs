//! Sends meet their receives, and nobody waits for ever.

use super::{Schedule, What};
use crate::error::{Error, Result};

/// A message as one end of it names it: sender, tag, operation.
type Key = (u32, u32, u32);

/// Matches sends with receives, in order of each pair and tag. Until then the partner of an operation is its rank.
/// O(operations log operations of a rank).
pub(super) fn meet(s: &mut Schedule) -> Result<()> {
    let (first, sends) = by_target(s);
    let (mut sent, mut received): (Vec<Key>, Vec<Key>) = (Vec::new(), Vec::new());
    for rank in 0..s.ranks {
        let to = &sends[first[rank as usize] as usize..first[rank as usize + 1] as usize];
        sent.clear();
        sent.extend(to.iter().map(|&i| (s.ops[i as usize].partner, s.tag(i), i)));
        received.clear();
        let own = s.of(0, rank).filter(|&i| s.ops[i as usize].what == What::Recv);
        received.extend(own.map(|i| (s.ops[i as usize].peer, s.tag(i), i)));
        sent.sort_unstable();
        received.sort_unstable();
        same(&sent, &received, rank)?;
        for (send, recv) in sent.iter().zip(&received) {
            s.ops[send.2 as usize].partner = recv.2;
            s.ops[recv.2 as usize].partner = send.2;
            // A receive may offer more room than the message needs.
            s.ops[recv.2 as usize].amount = s.ops[send.2 as usize].amount;
        }
    }
    for (i, op) in (0u32..).zip(&mut s.ops).filter(|(_, op)| op.what == What::Compute) {
        op.partner = i;
    }
    Ok(())
}

/// All sends by the rank that they go to, and where those of each begin.
fn by_target(s: &Schedule) -> (Vec<u32>, Vec<u32>) {
    let sends = || (0u32..).zip(&s.ops).filter(|(_, op)| op.what == What::Send);
    let mut first = vec![0u32; s.ranks as usize + 2];
    sends().for_each(|(_, op)| first[op.peer as usize + 2] += 1);
    (2..first.len()).for_each(|r| first[r] += first[r - 1]);
    let mut all = vec![0; first[s.ranks as usize + 1] as usize];
    for (i, op) in sends() {
        let at = &mut first[op.peer as usize + 1];
        all[*at as usize] = i;
        *at += 1;
    }
    (first, all)
}

/// Whether what is sent to a rank is what it receives.
fn same(sent: &[Key], received: &[Key], rank: u32) -> Result<()> {
    let differs = sent.iter().zip(received).position(|(s, r)| (s.0, s.1) != (r.0, r.1));
    let at = differs.unwrap_or(sent.len().min(received.len()));
    match (sent.get(at), received.get(at)) {
        (None, None) => Ok(()),
        (Some(s), Some(r)) => Err(alone(*s.min(r), rank, s < r)),
        (Some(s), None) => Err(alone(*s, rank, true)),
        (None, Some(r)) => Err(alone(*r, rank, false)),
    }
}

fn alone((from, tag, _): Key, to: u32, sent: bool) -> Error {
    let (what, lacks) = if sent { ("sends", "receives") } else { ("receives", "sends") };
    let (rank, other) = if sent { (from, to) } else { (to, from) };
    let joint = if sent { "to" } else { "from" };
    Error::input(format!("rank {rank} {what} a message with tag {tag} {joint} rank {other}, which never {lacks} it"))
}

/// Every operation gets its turn where sends wait for no receive (Kahn).
pub(super) fn ends(s: &Schedule) -> Result<()> {
    let count = s.ops.len() as u32;
    let mut left: Vec<u32> = (0..count).map(|i| s.needs(i) + u32::from(s.ops[i as usize].what == What::Recv)).collect();
    let mut ready: Vec<u32> = Vec::new();
    let mut done = 0;
    for i in 0..count {
        // What may begin at once, each with all that follows from it, so that few are ready at a time.
        let is_first = s.needs(i) == 0 && s.ops[i as usize].what != What::Recv;
        ready.extend(is_first.then_some(i));
        while let Some(i) = ready.pop() {
            done += 1;
            let op = &s.ops[i as usize];
            let met = (op.what == What::Send).then_some(op.partner);
            for next in s.after(i).map(|a| a.0).chain(met) {
                left[next as usize] -= 1;
                if left[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
    }
    if done == s.ops.len() {
        return Ok(());
    }
    let stuck = left.iter().position(|&n| n > 0).unwrap_or(0) as u32;
    let rank = (0..s.ranks).find(|&r| s.of(0, r).contains(&stuck)).unwrap_or(0);
    Err(Error::input(format!("rank {rank} and others wait for each other for ever"))
        .hint("a receive must not stand before the send that its message waits for"))
}
