//! A perfect colouring with eight blocks per part, 4x4 tasks on PERCS: what the
//! paper leaves as an open problem (section IV-C, remark after Lemma 4.1).

/// Rows of a band.
const BAND: u32 = 16;

/// Colour of every block of a `p` x `q` grid, row-major; `None` unless `p` is a
/// multiple of 16 and `q` a power of two from 32.
///
/// A band of 16 rows uses 2q colours in two groups, each row one group whole.
/// Row 2t of a band holds x = (2t+1)*j + (t mod 2), row 2t+1 holds x + 2t, both
/// modulo q. Every row's multiplier 2t+1 is another odd number below q/2, so east
/// and west neighbours x +- (2t+1) differ from row to row; 2t and t mod 2 keep
/// north and south neighbours apart. The groups take the even and the odd colours
/// of the band: then a colour's neighbours to the east and west leave a PERCS
/// supernode from nodes of one parity, those to the north and south from the other.
pub(crate) fn colors(p: u32, q: u32) -> Option<Vec<u32>> {
    if p == 0 || !p.is_multiple_of(BAND) || !q.is_power_of_two() || q < 32 {
        return None;
    }
    let color = |i: u32, j: u32| {
        let (band, t, group) = (i / BAND, i % BAND / 2, i % 2);
        // q is a power of two, so wrapping products keep their residue.
        let x = (2 * t + 1).wrapping_mul(j).wrapping_add(t % 2 + group * 2 * t) % q;
        band * 2 * q + 2 * x + group
    };
    Some((0..p).flat_map(|i| (0..q).map(move |j| color(i, j))).collect())
}

#[cfg(test)]
mod tests {
    use super::super::modular::is_perfect;
    use super::*;

    #[test]
    fn eight_blocks_of_each_part_have_32_neighbours() {
        for p in [16, 32, 48, 64, 128] {
            for q in [32, 64, 128, 256] {
                let colors = colors(p, q).expect("a multiple of 16 by a power of two");
                assert!(is_perfect(&colors, p, q), "{p}x{q}");
            }
        }
        assert_eq!(colors(16, 16), None);
        assert_eq!(colors(8, 32), None);
    }
}
