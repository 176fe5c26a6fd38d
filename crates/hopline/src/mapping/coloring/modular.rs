//! The construction of Lemma 4.1: two blocks per part by modular arithmetic.

/// Colour of every block of a `p` x `q` grid, row-major: block (i, j) gets
/// floor(i/2)*q + j where i is even, floor(i/2)*q + (5j+2 mod q) where i is odd.
pub fn colors(p: u32, q: u32) -> Vec<u32> {
    let color = |i: u32, j: u32| {
        let j = u64::from(j);
        i / 2 * q + if i.is_multiple_of(2) { j as u32 } else { ((5 * j + 2) % u64::from(q.max(1))) as u32 }
    };
    (0..p).flat_map(|i| (0..q).map(move |j| color(i, j))).collect()
}

/// True where all neighbours of each colour, over its appearances in the
/// wrapped `p` x `q` grid, have different colours, none its own. O(p * q).
pub fn is_perfect(colors: &[u32], p: u32, q: u32) -> bool {
    let mut pairs = rustc_hash::FxHashSet::default();
    (0..p).all(|i| {
        (0..q).all(|j| {
            let at = |i: u32, j: u32| colors[(i % p * q + j % q) as usize];
            let own = at(i, j);
            [at(i + 1, j), at(i + p - 1, j), at(i, j + 1), at(i, j + q - 1)]
                .iter()
                .all(|&c| c != own && pairs.insert((own, c)))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lemma_4_1_holds_where_it_is_claimed() {
        for p in (4..=32).step_by(2) {
            for q in [8, 16, 24, 32, 64, 128] {
                assert!(is_perfect(&colors(p, q), p, q), "{p}x{q}");
            }
            assert!(!is_perfect(&colors(p, 4), p, 4), "{p}x4");
        }
        assert!(!is_perfect(&colors(2, 8), 2, 8));
    }

    #[test]
    fn figure_2_is_drawn_but_for_its_misprint() {
        let c = colors(8, 8);
        assert_eq!(c[8..16], [2, 7, 4, 1, 6, 3, 0, 5]);
        assert_eq!(
            c[56..64],
            [26, 31, 28, 25, 30, 27, 24, 29],
            "the paper prints 19 for the last, which would be a third 19"
        );
    }
}
