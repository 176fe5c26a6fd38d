//! Areas with smooth edges: every pixel is covered by the part of it that lies inside. Edges add what they leave to their
//! right, with a sign; a sum along each row is the coverage, so what is drawn twice in the same sense is covered once and
//! what is drawn in the other sense is a hole.

use super::path::Lines;

/// A white picture.
#[derive(Debug, Default)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    /// Red, green, blue, row after row.
    pub(super) pixels: Vec<u8>,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Canvas {
        Canvas { width, height, pixels: vec![255; 3 * width * height] }
    }

    #[cfg(test)]
    pub(super) fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let at = 3 * (y * self.width + x);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Fills what closed lines are around. O(pixels of the smallest rectangle around it + lengths of its edges).
    pub(super) fn fill(&mut self, lines: &Lines, colour: [u8; 3], opacity: f64) {
        let Some(mut mask) = Mask::around(lines, self.width, self.height) else { return };
        for line in lines {
            for ends in line.windows(2) {
                mask.edge(ends[0], ends[1]);
            }
            if let (Some(&last), Some(&first)) = (line.last(), line.first()) {
                mask.edge(last, first);
            }
        }
        for (row, sums) in mask.sums.chunks(mask.wide + 1).enumerate() {
            let mut sum = 0.0;
            for (column, more) in sums[..mask.wide].iter().enumerate() {
                sum += more;
                let share = f64::from(sum.abs().min(1.0)) * opacity;
                if share > 1e-3 {
                    let at = 3 * ((mask.top + row) * self.width + mask.left + column);
                    for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
                        *old = (f64::from(*old) * (1.0 - share) + f64::from(new) * share).round() as u8;
                    }
                }
            }
        }
    }
}

/// What edges leave to their right, in a rectangle of the canvas.
struct Mask {
    left: usize,
    top: usize,
    wide: usize,
    high: usize,
    /// One more in each row, for what lies beyond it.
    sums: Vec<f32>,
}

impl Mask {
    /// The part of the canvas that these lines touch; none where they touch nothing.
    fn around(lines: &Lines, width: usize, height: usize) -> Option<Mask> {
        let points = || lines.iter().flatten().filter(|p| p.0.is_finite() && p.1.is_finite());
        let least = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(f64::INFINITY, f64::min).floor().max(0.0);
        let most = |of: fn(&(f64, f64)) -> f64, all: usize| {
            points().map(of).fold(f64::NEG_INFINITY, f64::max).ceil().min(all as f64)
        };
        let (left, top) = (least(|p| p.0), least(|p| p.1));
        let (wide, high) = (most(|p| p.0, width) - left, most(|p| p.1, height) - top);
        if !(wide > 0.0 && high > 0.0) {
            return None;
        }
        let (wide, high) = (wide as usize, high as usize);
        Some(Mask { left: left as usize, top: top as usize, wide, high, sums: vec![0.0; (wide + 1) * high] })
    }

    fn edge(&mut self, from: (f64, f64), to: (f64, f64)) {
        let own = |(x, y): (f64, f64)| (x - self.left as f64, y - self.top as f64);
        let (from, to) = (own(from), own(to));
        if from.1 == to.1 || !(from.0 + from.1 + to.0 + to.1).is_finite() {
            return;
        }
        let (sign, (x, y), (_, end)) = if from.1 < to.1 { (1.0, from, to) } else { (-1.0, to, from) };
        let slope = (to.0 - from.0) / (to.1 - from.1);
        let (first, last) = (y.max(0.0), end.min(self.high as f64));
        let mut y_from = first;
        while y_from < last {
            let row = y_from.floor();
            let y_to = last.min(row + 1.0);
            let within = |y_at: f64| (x + (y_at - y) * slope).clamp(0.0, self.wide as f64);
            let (a, b) = (within(y_from), within(y_to));
            self.row(row as usize, a.min(b), a.max(b), sign * (y_to - y_from));
            y_from = y_to;
        }
    }

    /// An edge from `x` to `to_x` inside of a row, over the signed part `high` of its height.
    fn row(&mut self, row: usize, x: f64, to_x: f64, high: f64) {
        let sums = &mut self.sums[row * (self.wide + 1)..(row + 1) * (self.wide + 1)];
        let mut add = |column: usize, part: f64| sums[column] += part as f32;
        let mut before = 0.0;
        let mut column = x.floor();
        // What is covered of each pixel, as differences along the row.
        loop {
            let next = column + 1.0;
            let covered = if next >= to_x && column <= x {
                next - (x + to_x) / 2.0
            } else {
                let long = to_x - x;
                let (a, b) = (x.max(column), to_x.min(next));
                // The part of the edge in this pixel, and all that it left before.
                ((b - a) * (next - (a + b) / 2.0) + (a - x)) / long
            };
            let at = (column as usize).min(self.wide);
            add(at, high * (covered - before));
            before = covered;
            column = next;
            if column >= to_x || at == self.wide {
                break;
            }
        }
        if (column as usize) <= self.wide {
            add(column as usize, high * (1.0 - before));
        }
    }
}
