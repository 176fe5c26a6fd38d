//! A better order by local search on predicted time.

use crate::error::Result;
use crate::rng::Rng;

/// Tries `evaluations` exchanges of two places and keeps those that are not slower;
/// the root stays. The result is never slower than `order`. Answers the order and its time.
///
/// # Errors
/// What `time` answers for an order.
pub fn improve(
    order: Vec<u32>,
    root: u32,
    evaluations: u64,
    rng: &mut Rng,
    mut time: impl FnMut(&[u32]) -> Result<u64>,
) -> Result<(Vec<u32>, u64)> {
    let mut order = order;
    let mut best = time(&order)?;
    let n = order.len() as u64;
    if n < 3 {
        return Ok((order, best));
    }
    for _ in 0..evaluations {
        let (a, b) = (rng.below(n) as usize, rng.below(n) as usize);
        if a == b || a == root as usize || b == root as usize {
            continue;
        }
        order.swap(a, b);
        let now = time(&order)?;
        if now <= best {
            best = now;
        } else {
            order.swap(a, b);
        }
    }
    Ok((order, best))
}
