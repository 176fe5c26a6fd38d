//! `matrix`: the delay matrices of the paper, section IV-B, for a whole job at once.

use super::{Desk, Failure, ends};
use crate::generation::Generation;
use crate::protocol::{Hosts, Measure};
use hopline::unit::short;

/// A square matrix, row by row from the sources.
pub(super) struct Matrix {
    /// The ends, in the order of the request.
    pub(super) ends: Vec<u32>,
    /// Hops, or indices into the speeds; `NONE` where no way leads.
    pub(super) cells: Vec<u16>,
    measure: Measure,
}

/// No way.
pub(super) const NONE: u16 = u16::MAX;

/// Column by column along the tree of each target. O(ends * (ends + switches)).
pub(super) fn matrix(desk: &mut Desk<'_>, measure: Measure, hosts: &Hosts<'_>) -> Result<Matrix, Failure> {
    let ends = ends(desk, hosts)?;
    let (n, atlas) = (ends.len(), &desk.generation.atlas);
    if n > desk.limits.matrix {
        return Err(Failure::wrong(format!("a matrix of {n} hosts, at most {} are allowed", desk.limits.matrix)));
    }
    let mut cells = vec![NONE; n * n];
    for (column, target) in ends.iter().enumerate() {
        desk.column.clear();
        for (row, source) in ends.iter().enumerate() {
            if let Some(reach) = desk.column.reach(atlas, source.vertex, target.vertex, target.lid) {
                cells[row * n + column] = match measure {
                    Measure::Hops => reach.hops,
                    Measure::Speed => u16::from(reach.slowest),
                };
            }
        }
    }
    Ok(Matrix { ends: ends.iter().map(|e| e.vertex).collect(), cells, measure })
}

impl Matrix {
    /// What each value of a cell is written as.
    pub(super) fn words(&self, g: &Generation, none: &str) -> Vec<String> {
        let speeds = g.atlas.speeds();
        let most = self.cells.iter().filter(|c| **c != NONE).max().map_or(0, |c| *c + 1);
        let word = |c: u16| match self.measure {
            Measure::Hops => c.to_string(),
            Measure::Speed => match speeds.get(usize::from(c)) {
                Some(speed) if speed.gb_s.is_finite() => short(speed.gb_s),
                _ => none.to_string(),
            },
        };
        (0..most).map(word).collect()
    }

    pub(super) fn text(&self, g: &Generation, out: &mut Vec<u8>) {
        let n = self.ends.len();
        let words = self.words(g, "-");
        out.extend_from_slice(format!("lines {n}\n").as_bytes());
        for row in self.cells.chunks(n) {
            for (i, cell) in row.iter().enumerate() {
                if i > 0 {
                    out.push(b' ');
                }
                out.extend_from_slice(words.get(usize::from(*cell)).map_or(b"-", |w| w.as_bytes()));
            }
            out.push(b'\n');
        }
    }
}
