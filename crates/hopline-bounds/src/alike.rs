//! Links that look alike from every rank: prices of such links may be the same, so that a linear program needs one for all of them
//! (Grohe, Kersting, Mladenov and Selman, "Dimension reduction via colour refinement", 2014).

use crate::network::Network;
use rustc_hash::FxHashMap;

/// A link's neighbourhood as one of its ends sees it: whether it leaves, its bandwidth, the colour of the other end.
type Seen = (bool, Option<u64>, u32);

/// A class for each link, numbered from 0: those of one class have the same bandwidth and join vertices of the same colours, where
/// each rank has a colour of its own and vertices of one colour have the same links to all colours. Cheapest ways from a rank
/// at prices of classes, shared evenly, then load all links of a class alike. O(rounds x links), at most a round per vertex.
pub(crate) fn classes(network: &Network) -> Vec<u32> {
    let mut colour = vec![0u32; network.vertices()];
    (1..).zip(network.ranks()).for_each(|(own, &rank)| colour[rank as usize] = own);
    let mut colours = 0;
    loop {
        let mut seen: Vec<Vec<Seen>> = vec![Vec::new(); colour.len()];
        for link in network.links() {
            seen[link.from as usize].push((true, link.bytes_s, colour[link.to as usize]));
            seen[link.to as usize].push((false, link.bytes_s, colour[link.from as usize]));
        }
        seen.iter_mut().for_each(|seen| seen.sort_unstable());
        let finer = numbered(colour.iter().copied().zip(seen));
        let found = 1 + finer.iter().copied().max().unwrap_or(0);
        if found == colours {
            break;
        }
        (colour, colours) = (finer, found);
    }
    let ends = |v: u32| colour[v as usize];
    numbered(network.links().iter().map(|link| (ends(link.from), ends(link.to), link.bytes_s)))
}

/// A number for each, the same for those that are equal, in the order in which they first come.
fn numbered<T: Eq + std::hash::Hash>(all: impl Iterator<Item = T>) -> Vec<u32> {
    let mut known = FxHashMap::default();
    let number = |one| {
        let next = known.len() as u32;
        *known.entry(one).or_insert(next)
    };
    all.map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_without_ranks_are_alike_in_a_full_mesh() {
        // Ranks 0 and 1 on switches 2 and 3; switches 4 to 7 have none.
        let both = |a: u32, b: u32| [(a, b, 10), (b, a, 10)];
        let mesh = (2..8).flat_map(|a| (a + 1..8).flat_map(move |b| both(a, b)));
        let links = both(0, 2).into_iter().chain(both(1, 3)).chain(mesh);
        let names = (0..8).map(|v| format!("v{v}")).collect();
        let network = Network::new(names, vec![0, 1], links).expect("a network");
        let classes = classes(&network);
        // Both links of each rank, those between their switches, between these and the others, and among the others.
        assert_eq!(1 + classes.iter().max().expect("links"), 4 + 2 + 4 + 1);
        let class = |from: u32, to: u32| {
            let at = network.links().iter().position(|l| (l.from, l.to) == (from, to));
            classes[at.expect("a link")]
        };
        assert!(class(2, 4) == class(2, 7) && class(2, 4) != class(3, 4) && class(4, 5) == class(7, 6));
    }
}
