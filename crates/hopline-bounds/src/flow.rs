//! Maximum flow: Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", 1970.

/// Arcs with capacities; each has its reverse beside it, at index `i ^ 1` of the list of pairs.
#[derive(Debug, Clone)]
pub(crate) struct Arcs {
    /// `first[v]..first[v + 1]` of `order` are the arcs that leave v.
    first: Vec<u32>,
    order: Vec<u32>,
    to: Vec<u32>,
    capacity: Vec<u64>,
}

/// What a search needs, kept between flows.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    left: Vec<u64>,
    level: Vec<u32>,
    at: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Arcs {
    /// Of directed arcs (from, to, capacity).
    pub(crate) fn new(vertices: usize, arcs: &[(u32, u32, u64)]) -> Arcs {
        let ends = || arcs.iter().flat_map(|&(from, to, _)| [from, to]);
        let mut first = vec![0u32; vertices + 1];
        ends().for_each(|v| first[v as usize + 1] += 1);
        (0..vertices).for_each(|v| first[v + 1] += first[v]);
        let (mut next, mut order) = (first.clone(), vec![0; 2 * arcs.len()]);
        for (arc, from) in ends().enumerate() {
            order[next[from as usize] as usize] = arc as u32;
            next[from as usize] += 1;
        }
        let to = arcs.iter().flat_map(|&(from, to, _)| [to, from]).collect();
        let capacity = arcs.iter().flat_map(|&(_, _, capacity)| [capacity, 0]).collect();
        Arcs { first, order, to, capacity }
    }

    pub(crate) fn work(&self) -> Work {
        let n = self.first.len() - 1;
        let (level, at) = (vec![NONE; n], vec![0; n]);
        Work { left: Vec::new(), level, at, queue: Vec::with_capacity(n), path: Vec::new() }
    }

    /// The largest flow from source to sink, or `enough` where that is reached before.
    pub(crate) fn flow(&self, source: u32, sink: u32, enough: u64, work: &mut Work) -> u64 {
        work.left.clone_from(&self.capacity);
        let mut sum = 0;
        while sum < enough && self.levels(source, sink, work) {
            let vertices = work.at.len();
            work.at.copy_from_slice(&self.first[..vertices]);
            loop {
                let pushed = self.push(source, sink, enough - sum, work);
                sum += pushed;
                if pushed == 0 || sum >= enough {
                    break;
                }
            }
        }
        sum
    }

    /// After a flow that is the largest: the vertices from which the sink cannot be reached, which is the largest set on the
    /// source's side.
    pub(crate) fn apart(&self, sink: u32, work: &Work) -> Vec<bool> {
        let mut reaches = vec![false; self.first.len() - 1];
        reaches[sink as usize] = true;
        let mut queue = vec![sink];
        while let Some(v) = queue.pop() {
            for &arc in self.leaving(v) {
                // The reverse arc leads to v.
                let u = self.to[arc as usize];
                if work.left[arc as usize ^ 1] > 0 && !reaches[u as usize] {
                    reaches[u as usize] = true;
                    queue.push(u);
                }
            }
        }
        reaches.iter().map(|reaches| !reaches).collect()
    }

    fn leaving(&self, v: u32) -> &[u32] {
        &self.order[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }

    /// Hops from the source over what is left; false where the sink is out of reach.
    fn levels(&self, source: u32, sink: u32, work: &mut Work) -> bool {
        work.level.fill(NONE);
        work.level[source as usize] = 0;
        work.queue.clear();
        work.queue.push(source);
        let mut next = 0;
        while next < work.queue.len() && work.level[sink as usize] == NONE {
            let v = work.queue[next];
            next += 1;
            for &arc in self.leaving(v) {
                let u = self.to[arc as usize] as usize;
                if work.left[arc as usize] > 0 && work.level[u] == NONE {
                    work.level[u] = work.level[v as usize] + 1;
                    work.queue.push(u as u32);
                }
            }
        }
        work.level[sink as usize] != NONE
    }

    /// Pushes along one path whose levels rise; 0 where there is none left.
    fn push(&self, source: u32, sink: u32, most: u64, work: &mut Work) -> u64 {
        work.path.clear();
        let mut v = source;
        while v != sink {
            let end = self.first[v as usize + 1];
            let step = loop {
                let at = work.at[v as usize];
                if at == end {
                    break None;
                }
                let arc = self.order[at as usize] as usize;
                let u = self.to[arc];
                let level = work.level[u as usize];
                if work.left[arc] > 0 && level != NONE && level == work.level[v as usize] + 1 {
                    break Some((arc, u));
                }
                work.at[v as usize] += 1;
            };
            if let Some((arc, u)) = step {
                work.path.push(arc as u32);
                v = u;
                continue;
            }
            // A dead end: the way here is taken no more.
            let Some(back) = work.path.pop() else { return 0 };
            v = self.to[back as usize ^ 1];
            work.at[v as usize] += 1;
        }
        let least = work.path.iter().map(|&arc| work.left[arc as usize]).fold(most, u64::min);
        for &arc in &work.path {
            work.left[arc as usize] -= least;
            work.left[arc as usize ^ 1] += least;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flows_are_the_smallest_cuts() {
        // The example of Cormen et al., "Introduction to Algorithms", section 26.2: 23.
        let arcs =
            [(0, 1, 16), (0, 2, 13), (1, 3, 12), (2, 1, 4), (2, 4, 14), (3, 2, 9), (3, 5, 20), (4, 3, 7), (4, 5, 4)];
        let network = Arcs::new(6, &arcs);
        let mut work = network.work();
        assert_eq!(network.flow(0, 5, u64::MAX, &mut work), 23);
        let apart = network.apart(5, &work);
        let cut: u64 = arcs.iter().filter(|a| apart[a.0 as usize] && !apart[a.1 as usize]).map(|a| a.2).sum();
        assert_eq!((cut, apart[0]), (23, true));
        assert_eq!(network.flow(0, 5, 10, &mut work), 10);
        assert_eq!(network.flow(5, 0, 10, &mut work), 0);
    }
}
