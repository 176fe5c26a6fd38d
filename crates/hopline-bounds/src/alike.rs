//! Links that look alike to flows from every rank to every other: the best prices of such links are the same, so that a linear
//! program needs one for all of them (Grohe, Kersting, Mladenov and Selman, "Dimension reduction via colour refinement", 2014).

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

/// A way from a place to another that flows take as a whole, and the links with a bandwidth that it takes, with its share of each.
pub(crate) struct Hop<'a> {
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) links: &'a [(u32, f64)],
}

/// What is alike.
pub(crate) struct Alike {
    /// The class of each link, numbered from 0.
    pub(crate) class: Vec<usize>,
    /// Bytes per second of all links of a class together.
    pub(crate) bytes_s: Vec<u128>,
    /// Of sources that are alike one, by its place, and how many they are.
    pub(crate) sources: Vec<(u32, u64)>,
}

impl Alike {
    /// The coarsest colours that the linear program of these flows keeps to: a unit from each source to each other, so that no link
    /// of so many bytes per second is busy for long. It has a variable for what a source sends along a hop, a row for each source
    /// and place (what comes in goes on, but a unit) and one for each link; variables of a colour have the same rows by colour,
    /// rows of a colour the same variables. O(rounds x sources x hops), at most a round per place and link, on all threads.
    pub(crate) fn new(places: usize, sources: &[u32], hops: &[Hop<'_>], bytes_s: &[u64]) -> Alike {
        let mut link: Vec<u64> = bytes_s.iter().map(|&bytes| mixed(bytes)).collect();
        let mut rows: Vec<Vec<u64>> = sources.iter().map(|&source| first(places, sources, source)).collect();
        let mut colours = 0;
        loop {
            let priced =
                |hop: &Hop<'_>| summed(hop.links.iter().map(|&(k, share)| mixed(link[k as usize] ^ share.to_bits())));
            let shape: Vec<u64> = hops.iter().map(priced).collect();
            let sent = |row: &[u64], k: usize| {
                let Hop { from, to, .. } = hops[k];
                mixed(mixed(row[from as usize]).wrapping_add(row[to as usize]) ^ shape[k])
            };
            let next = |row: &Vec<u64>| {
                let mut next: Vec<u64> = row.iter().map(|&own| mixed(own)).collect();
                for (k, hop) in hops.iter().enumerate() {
                    let sent = sent(row, k);
                    add(&mut next[hop.from as usize], mixed(sent));
                    add(&mut next[hop.to as usize], mixed(!sent));
                }
                next
            };
            let finer: Vec<Vec<u64>> = rows.par_iter().map(next).collect();
            let all_sent = |k: usize| summed(rows.iter().map(|row| mixed(sent(row, k))));
            let all_sent: Vec<u64> = (0..hops.len()).into_par_iter().map(all_sent).collect();
            let mut links: Vec<u64> = link.iter().map(|&own| mixed(own)).collect();
            for (hop, &sent) in hops.iter().zip(&all_sent) {
                hop.links.iter().for_each(|&(k, share)| add(&mut links[k as usize], mixed(sent ^ share.to_bits())));
            }
            (rows, link) = (finer, links);
            let found = different(rows.iter().flatten()) + different(link.iter());
            if found == colours {
                break;
            }
            colours = found;
        }
        let class = numbered(link.iter().copied());
        let mut of_class = vec![0; class.iter().max().map_or(0, |last| last + 1)];
        class.iter().zip(bytes_s).for_each(|(&class, &bytes)| of_class[class] += u128::from(bytes));
        let kinds = numbered(rows.iter().map(|row| summed(row.iter().map(|&own| mixed(own)))));
        let mut alike: Vec<(u32, u64)> = Vec::new();
        for (&source, kind) in sources.iter().zip(kinds) {
            match alike.get_mut(kind) {
                Some((_, count)) => *count += 1,
                None => alike.push((source, 1)),
            }
        }
        Alike { class, bytes_s: of_class, sources: alike }
    }
}

/// Of a source's places itself, the others that it sends to, and those that only pass on.
fn first(places: usize, sources: &[u32], source: u32) -> Vec<u64> {
    let mut row = vec![0; places];
    sources.iter().for_each(|&other| row[other as usize] = 1);
    row[source as usize] = 2;
    row
}

/// A number for each, from 0, the same for those that are equal, in the order in which they first come.
fn numbered(all: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut known = FxHashMap::default();
    let number = |one| {
        let next = known.len();
        *known.entry(one).or_insert(next)
    };
    all.map(number).collect()
}

fn different<'a>(all: impl Iterator<Item = &'a u64>) -> usize {
    all.collect::<FxHashSet<_>>().len()
}

/// A multiset's colour: the order of its parts makes no difference.
fn summed(parts: impl Iterator<Item = u64>) -> u64 {
    parts.fold(0, u64::wrapping_add)
}

fn add(sum: &mut u64, part: u64) {
    *sum = sum.wrapping_add(part);
}

/// Spreads a number over all bits (the finalizer of splitmix64), so that sums of different colours are different.
fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(places: usize, sources: &[u32], links: &[(u32, u32, u64)]) -> Alike {
        let own: Vec<(u32, f64)> = (0..links.len() as u32).map(|k| (k, 1.0)).collect();
        let hops: Vec<Hop<'_>> =
            links.iter().zip(own.chunks(1)).map(|(&(from, to, _), links)| Hop { from, to, links }).collect();
        Alike::new(places, sources, &hops, &links.iter().map(|l| l.2).collect::<Vec<_>>())
    }

    #[test]
    fn switches_without_ranks_are_alike_in_a_full_mesh() {
        // Ranks 0 and 1 on switches 2 and 3; switches 4 to 7 have none.
        let both = |a: u32, b: u32| [(a, b, 10), (b, a, 10)];
        let mesh = (2..8).flat_map(|a| (a + 1..8).flat_map(move |b| both(a, b)));
        let links: Vec<_> = both(0, 2).into_iter().chain(both(1, 3)).chain(mesh).collect();
        let found = alike(8, &[0, 1], &links);
        // Out of a rank and into it, between their switches, from these to the others and back, and among the others.
        assert_eq!((found.bytes_s.len(), &found.sources), (6, &vec![(0, 2)]));
        let class = |from: u32, to: u32| {
            let at = links.iter().position(|l| (l.0, l.1) == (from, to));
            found.class[at.expect("a link")]
        };
        assert!(class(2, 4) == class(3, 7) && class(2, 4) != class(4, 2) && class(4, 5) == class(7, 6));
        assert_eq!(found.bytes_s[class(4, 5)], 12 * 10);
    }

    #[test]
    fn a_ring_has_one_class_until_a_link_differs() {
        let mut ring: Vec<(u32, u32, u64)> = (0..6).flat_map(|v| [(v, (v + 1) % 6, 5), ((v + 1) % 6, v, 5)]).collect();
        let ranks: Vec<u32> = (0..6).collect();
        let even = alike(6, &ranks, &ring);
        assert_eq!((even.bytes_s, even.sources), (vec![60], vec![(0, 6)]));
        ring[0].2 = 4;
        let uneven = alike(6, &ranks, &ring);
        assert_eq!((uneven.bytes_s.len(), uneven.sources.len()), (12, 6));
    }
}
