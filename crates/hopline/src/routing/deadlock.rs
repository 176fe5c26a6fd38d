//! Deadlock freedom by the channel-dependency graph. Dally and Seitz,
//! "Deadlock-free message routing in multiprocessor interconnection networks", 1987.

/// A cycle of channels in a dependency graph (`next[c]` are the channels on
/// which packets that hold c may wait), or `None` where packets cannot
/// deadlock. O(channels + dependencies).
pub fn find_cycle(next: &[Vec<u32>]) -> Option<Vec<u32>> {
    const NEW: u8 = 0;
    const OPEN: u8 = 1;
    const DONE: u8 = 2;
    let mut state = vec![NEW; next.len()];
    // Depth first with its own stack: (channel, how many followers are visited).
    let mut stack: Vec<(u32, usize)> = Vec::new();
    for root in 0..next.len() as u32 {
        if state[root as usize] != NEW {
            continue;
        }
        state[root as usize] = OPEN;
        stack.push((root, 0));
        while let Some((channel, visited)) = stack.last_mut() {
            let Some(&follower) = next[*channel as usize].get(*visited) else {
                state[*channel as usize] = DONE;
                stack.pop();
                continue;
            };
            *visited += 1;
            match state[follower as usize] {
                NEW => {
                    state[follower as usize] = OPEN;
                    stack.push((follower, 0));
                }
                OPEN => {
                    let start = stack.iter().position(|s| s.0 == follower).unwrap_or(0);
                    return Some(stack[start..].iter().map(|s| s.0).collect());
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_a_cycle_and_a_chain_is_none() {
        assert_eq!(find_cycle(&[vec![1], vec![2], vec![0]]), Some(vec![0, 1, 2]));
        assert_eq!(find_cycle(&[vec![1, 2], vec![2], vec![]]), None);
        assert_eq!(find_cycle(&[vec![3], vec![2], vec![1], vec![]]), Some(vec![1, 2]));
    }
}
