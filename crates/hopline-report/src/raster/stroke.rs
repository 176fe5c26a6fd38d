//! Lines with a width, as areas.

use super::path::{Lines, Point, circle};

/// Narrower lines have no room for corners.
const CORNERS: f64 = 2.0;

/// Rectangles along lines, with round corners; dashes and gaps by turns. All turn the same way, so that what overlaps is
/// filled once.
pub(super) fn outline(lines: &Lines, width: f64, dashes: &[f64]) -> Lines {
    let half = width / 2.0;
    let whole = !dashes.iter().any(|d| *d > 0.0);
    let mut areas = Vec::new();
    for line in lines {
        let pieces = if whole { vec![line.clone()] } else { dashed(line, dashes) };
        for piece in &pieces {
            areas.extend(piece.windows(2).filter_map(|ends| side(ends[0], ends[1], half)));
            if width > CORNERS && piece.len() > 2 {
                areas.extend(piece[1..piece.len() - 1].iter().flat_map(|&corner| circle(corner, half)));
            }
        }
    }
    areas
}

/// The rectangle around a line; none where it has no length. It turns as a circle does.
fn side((x, y): Point, (to_x, to_y): Point, half: f64) -> Option<Vec<Point>> {
    let long = (to_x - x).hypot(to_y - y);
    let (u, v) = ((to_y - y) / long * half, (x - to_x) / long * half);
    let corners = vec![(x + u, y + v), (to_x + u, to_y + v), (to_x - u, to_y - v), (x - u, y - v), (x + u, y + v)];
    (long > 0.0).then_some(corners)
}

/// A line cut into dashes.
fn dashed(line: &[Point], dashes: &[f64]) -> Lines {
    let mut pieces = vec![line[..1].to_vec()];
    let (mut k, mut left) = (0, dashes[0]);
    for ends in line.windows(2) {
        let ((x, y), (to_x, to_y)) = (ends[0], ends[1]);
        let long = (to_x - x).hypot(to_y - y);
        let mut done = 0.0;
        while long - done > left {
            done += left;
            let at = (x + (to_x - x) * done / long, y + (to_y - y) * done / long);
            if let Some(piece) = pieces.last_mut().filter(|_| k % 2 == 0) {
                piece.push(at);
            }
            k += 1;
            if k % 2 == 0 {
                pieces.push(vec![at]);
            }
            left = dashes[k % dashes.len()].max(0.01);
        }
        left -= long - done;
        if let Some(piece) = pieces.last_mut().filter(|_| k % 2 == 0) {
            piece.push((to_x, to_y));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let line = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)];
        let pieces = dashed(&line, &[4.0, 4.0]);
        assert_eq!(pieces[0], [(0.0, 0.0), (4.0, 0.0)]);
        assert_eq!(pieces[1], [(8.0, 0.0), (10.0, 0.0), (10.0, 2.0)]);
        assert_eq!(pieces[2], [(10.0, 6.0), (10.0, 10.0)]);
    }

    #[test]
    fn all_areas_turn_the_same_way() {
        let area = |p: &Vec<Point>| p.windows(2).map(|e| e[0].0 * e[1].1 - e[1].0 * e[0].1).sum::<f64>();
        let lines = vec![vec![(0.0, 0.0), (9.0, 1.0), (3.0, 8.0), (-5.0, -5.0), (0.0, 0.0)]];
        let areas = outline(&lines, 3.0, &[]);
        assert!(areas.len() > 4 && areas.iter().all(|a| area(a) > 0.0), "{areas:?}");
    }
}
