//! Disjoint sets of what is numbered: what is joined to what. Tarjan, "Efficiency of a good but not linear set union
//! algorithm", 1975.

/// Disjoint sets of the numbers below some number, each set named by one of its own.
///
/// ```
/// use hopline::sets::DisjointSets;
///
/// let mut sets = DisjointSets::new(4);
/// assert!(sets.join(2, 3) && sets.join(1, 3) && !sets.join(1, 2));
/// assert_eq!([0, 1, 2, 3].map(|v| sets.find(v)), [0, 1, 1, 1]);
/// ```
#[derive(Debug, Clone)]
pub struct DisjointSets(Vec<u32>);

impl DisjointSets {
    /// Each alone.
    pub fn new(n: u32) -> DisjointSets {
        DisjointSets((0..n).collect())
    }

    /// What names the set of `v`. Each way that is gone is half as long the next time.
    pub fn find(&mut self, mut v: u32) -> u32 {
        while self.0[v as usize] != v {
            self.0[v as usize] = self.0[self.0[v as usize] as usize];
            v = self.0[v as usize];
        }
        v
    }

    /// Puts the set of `v` into that of `into`, whose name it gets; false where they are one already.
    pub fn unite(&mut self, v: u32, into: u32) -> bool {
        let (v, into) = (self.find(v), self.find(into));
        self.0[v as usize] = into;
        v != into
    }

    /// Makes two sets one, with the smaller of their names; false where they are one already.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.unite(a.max(b), a.min(b))
    }
}
