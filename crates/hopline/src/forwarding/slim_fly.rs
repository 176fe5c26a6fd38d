//! By which ports the routers of a Slim Fly lead nearer to each other, by arithmetic: q^2 sets stand for those of its 4q^4 pairs.
//! Besta and Hoefler, "Slim Fly", SC 2014, section II.

use crate::fabric::Fabric;
use crate::gf::Field;
use crate::topology::{SlimFly, Topology};

/// Routers are (s, x, y); (0, x, y) and (1, m, c) are joined where y = mx + c. A step y + d in the same column is a local link where
/// d is in the set X of its side.
///
/// The maps (x, y), (m, c) -> (x, y + t), (m, c + t), -> (x + t, y), (m, c - mt) and -> (x, y + tx), (m + t, c) keep all links, and
/// lead from any router to all of its side: two routers stand for all.
pub(super) struct SlimFlySets {
    field: Field,
    /// s, x and y of every router.
    places: Vec<(u8, u8, u8)>,
    /// Sets of ports, a bit each in so many words: to a place of the same column by (s, difference), to another column of
    /// the same side by the column of the other side on the way there, to a column of the other side by (s, difference, column).
    sets: Vec<u64>,
    words: usize,
}

impl SlimFlySets {
    /// Those of a network that is a whole Slim Fly, in sets of so many words. O(q^2).
    pub(super) fn of(topology: &Topology, fabric: &Fabric, words: usize) -> Option<SlimFlySets> {
        let Topology::SlimFly(family) = topology else { return None };
        family.is(fabric).then(|| SlimFlySets::new(family, words))
    }

    fn new(family: &SlimFly, words: usize) -> SlimFlySets {
        let (field, steps, q) = (family.field(), family.generators(), family.q() as usize);
        let (local, global) = (family.p() as usize, family.p() as usize + steps[0].len());
        let mut all = SlimFlySets { field: field.clone(), places: Vec::new(), sets: Vec::new(), words };
        let column = |s: u8, x: u8| field.elements().map(move |y| (s, x, y));
        all.places = (0..2).flat_map(|s| field.elements().flat_map(move |x| column(s, x))).collect();
        // The ports by which a router of side s goes on by steps.
        let by_steps = |s: usize, goes: &dyn Fn(u8) -> bool| -> Vec<usize> {
            (0..steps[s].len()).filter(|&i| goes(steps[s][i])).map(|i| local + i).collect()
        };
        for (s, own) in steps.iter().enumerate() {
            for d in field.elements() {
                let direct = by_steps(s, &|step| step == d);
                let two = || by_steps(s, &|step| d != 0 && own.contains(&field.sub(d, step)));
                all.push(if direct.is_empty() { two() } else { direct });
            }
        }
        (0..q).for_each(|x| all.push(vec![global + x]));
        for (s, d, x) in (0..2).flat_map(|s| field.elements().flat_map(move |d| (0..q).map(move |x| (s, d, x)))) {
            let mut ports = by_steps(s, &|step| step == d);
            // A step on the other side, or none.
            if d == 0 || steps[1 - s].contains(&d) {
                ports.push(global + x);
            }
            all.push(ports);
        }
        all
    }

    fn push(&mut self, ports: Vec<usize>) {
        let first = self.sets.len();
        self.sets.resize(first + self.words, 0);
        ports.into_iter().for_each(|port| self.sets[first + port / 64] |= 1 << (port % 64));
    }

    /// The ports that lead from a router nearer to another one.
    #[inline]
    pub(super) fn ports(&self, router: u32, to: u32) -> &[u64] {
        let (field, q) = (&self.field, self.field.size() as usize);
        let [(s, x, y), (t, u, v)] = [router, to].map(|r| self.places[r as usize]);
        let side = usize::from(s) * q;
        let row = if s != t {
            let way = field.mul(x, u);
            let there = if s == 0 { field.add(v, way) } else { field.sub(v, way) };
            3 * q + (side + usize::from(field.sub(there, y))) * q + usize::from(u)
        } else if x != u {
            let slope = field.mul(field.sub(y, v), field.inv(field.sub(x, u)));
            2 * q + usize::from(if s == 0 { slope } else { field.neg(slope) })
        } else {
            side + usize::from(field.sub(v, y))
        };
        &self.sets[row * self.words..(row + 1) * self.words]
    }

    /// A router of each side.
    pub(super) fn representatives(&self) -> [u32; 2] {
        [0, self.field.size() * self.field.size()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Fabric;
    use crate::forwarding::Wiring;

    fn family(q: u32) -> Option<(SlimFly, Fabric, Wiring)> {
        let family = SlimFly::new(q).and_then(|s| s.endpoints_per_router(2)).ok()?;
        let fabric = family.build().expect("fabric");
        let wiring = Wiring::new(&fabric, 1).expect("wiring");
        Some((family, fabric, wiring))
    }

    /// Where a router's ports lead.
    fn neighbours(wiring: &Wiring, router: u32) -> Vec<Option<u32>> {
        let ports = wiring.first[router as usize]..wiring.first[router as usize + 1];
        ports.map(|p| wiring.ports.get(wiring.ports[p as usize].peer as usize).map(|peer| peer.router)).collect()
    }

    /// The ports of neighbours that are the router itself, or are joined to it.
    #[test]
    fn sets_are_those_of_all_shortest_paths() {
        for (family, fabric, wiring) in (3..=13).filter_map(family) {
            let sets =
                SlimFlySets::of(&Topology::SlimFly(family.clone()), &fabric, wiring.mask_words()).expect("whole");
            let all: Vec<_> = (0..wiring.len() as u32).map(|r| neighbours(&wiring, r)).collect();
            for from in 0..wiring.len() {
                for to in (0..wiring.len()).filter(|&to| to != from) {
                    let is = |port: usize| all[from][port] == Some(to as u32);
                    let near =
                        |port: usize| all[from][port].is_some_and(|n| all[n as usize].contains(&Some(to as u32)));
                    let joined = (0..all[from].len()).any(is);
                    let expected: Vec<usize> =
                        (0..all[from].len()).filter(|&port| if joined { is(port) } else { near(port) }).collect();
                    let found = sets.ports(from as u32, to as u32);
                    let found: Vec<usize> =
                        (0..all[from].len()).filter(|p| found[p / 64] >> (p % 64) & 1 == 1).collect();
                    assert_eq!(found, expected, "{family} {from} {to}");
                    assert!(!found.is_empty(), "{family} {from} {to}");
                }
            }
        }
    }

    /// The diameter is 2 for every q, and what leads on in one hop or two is one of few sets.
    #[test]
    fn no_set_is_empty_but_that_of_a_router_to_itself() {
        for family in (3..=256).filter_map(|q| SlimFly::new(q).ok()) {
            let sets = SlimFlySets::new(&family, 9);
            let empty = sets.sets.chunks(9).enumerate().filter(|(_, set)| set.iter().all(|&word| word == 0));
            let q = family.q() as usize;
            assert_eq!(empty.map(|(row, _)| row).collect::<Vec<_>>(), [0, q], "{family}");
        }
    }
}
