//! Paths as SVG writes them, as lines.

use std::f64::consts::PI;

/// A point.
pub(super) type Point = (f64, f64);
/// Lines of points, one for each part of a path; closed ones end where they begin.
pub(super) type Lines = Vec<Vec<Point>>;

/// Pieces of a curve of a character, and of a circle.
const CURVE: u32 = 6;
const CIRCLE: u32 = 48;

/// x' = a x + c y + e, y' = b x + d y + f.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transform([f64; 6]);

impl Default for Transform {
    fn default() -> Transform {
        Transform([1.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    }
}

impl Transform {
    pub(super) fn moved(x: f64, y: f64) -> Transform {
        Transform([1.0, 0.0, 0.0, 1.0, x, y])
    }

    pub(super) fn scaled(by: f64) -> Transform {
        Transform([by, 0.0, 0.0, by, 0.0, 0.0])
    }

    /// `rotate(DEGREES X Y)`.
    pub(super) fn turned(words: &str) -> Option<Transform> {
        let inside = words.strip_prefix("rotate(")?.strip_suffix(')')?;
        let numbers: Vec<f64> = inside.split([' ', ',']).filter_map(|n| n.parse().ok()).collect();
        let &[degrees, x, y] = &numbers[..] else { return None };
        let (sine, cosine) = (degrees * PI / 180.0).sin_cos();
        let turn = Transform([cosine, sine, -sine, cosine, 0.0, 0.0]);
        Some(Transform::moved(x, y).then(turn).then(Transform::moved(-x, -y)))
    }

    /// This around what is inside.
    pub(super) fn then(self, inside: Transform) -> Transform {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, inside.0);
        Transform([a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f])
    }

    pub(super) fn of(&self, (x, y): Point) -> Point {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// How many times longer lines become.
    pub(super) fn size(&self) -> f64 {
        self.0[0].hypot(self.0[1])
    }
}

pub(super) fn rectangle((x, y): Point, (width, height): (f64, f64)) -> Lines {
    vec![vec![(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]]
}

pub(super) fn circle((x, y): Point, r: f64) -> Lines {
    let point = |k: u32| 2.0 * PI * f64::from(k % CIRCLE) / f64::from(CIRCLE);
    vec![(0..=CIRCLE).map(point).map(|turn| (x + r * turn.cos(), y + r * turn.sin())).collect()]
}

/// The lines of a path: commands m l h v q z in both cases, and half circles (a). What it does not know ends it.
pub(super) fn lines(d: &str) -> Lines {
    let mut pen = Pen { rest: d, ..Pen::default() };
    while pen.command().is_some() {}
    pen.lines.retain(|line| line.len() > 1);
    pen.lines
}

#[derive(Default)]
struct Pen<'a> {
    rest: &'a str,
    command: char,
    at: Point,
    lines: Lines,
}

impl Pen<'_> {
    /// Does the next command, or the last again; none at the end.
    fn command(&mut self) -> Option<()> {
        self.rest = self.rest.trim_start_matches([' ', ',', '\n']);
        let next = self.rest.chars().next()?;
        if next.is_ascii_alphabetic() {
            self.command = next;
            self.rest = &self.rest[1..];
        }
        let relative = self.command.is_ascii_lowercase();
        let from = if relative { self.at } else { (0.0, 0.0) };
        match self.command.to_ascii_lowercase() {
            'm' => {
                let to = self.point(from)?;
                self.lines.push(Vec::new());
                self.go(to);
                self.command = if relative { 'l' } else { 'L' };
            }
            'l' => {
                let to = self.point(from)?;
                self.go(to);
            }
            'h' => {
                let to = (from.0 + self.number()?, self.at.1);
                self.go(to);
            }
            'v' => {
                let to = (self.at.0, from.1 + self.number()?);
                self.go(to);
            }
            'q' => {
                let (start, middle, end) = (self.at, self.point(from)?, self.point(from)?);
                for k in 1..=CURVE {
                    let t = f64::from(k) / f64::from(CURVE);
                    let mix = |a: f64, b: f64, c: f64| (1.0 - t) * ((1.0 - t) * a + 2.0 * t * b) + t * t * c;
                    self.go((mix(start.0, middle.0, end.0), mix(start.1, middle.1, end.1)));
                }
            }
            'a' => {
                let (r, _, _, _, _) = (self.number()?, self.number()?, self.number()?, self.number()?, self.number()?);
                let (start, end) = (self.at, self.point(from)?);
                // Half a circle around the middle, of which there is one only.
                let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
                let first = (start.1 - middle.1).atan2(start.0 - middle.0);
                for k in 1..=CIRCLE / 4 {
                    let turn = first - PI * f64::from(k) / f64::from(CIRCLE / 4);
                    self.go((middle.0 + r * turn.cos(), middle.1 + r * turn.sin()));
                }
            }
            'z' if next.is_ascii_alphabetic() => {
                let start = *self.lines.last()?.first()?;
                self.go(start);
            }
            _ => return None,
        }
        Some(())
    }

    fn go(&mut self, to: Point) {
        self.at = to;
        match self.lines.last_mut() {
            Some(line) => line.push(to),
            None => self.lines.push(vec![to]),
        }
    }

    fn point(&mut self, from: Point) -> Option<Point> {
        Some((from.0 + self.number()?, from.1 + self.number()?))
    }

    fn number(&mut self) -> Option<f64> {
        self.rest = self.rest.trim_start_matches([' ', ',', '\n']);
        let part = |(at, c): &(usize, char)| c.is_ascii_digit() || *c == '.' || (*c == '-' && *at == 0);
        let long = self.rest.char_indices().take_while(part).count();
        let (number, rest) = self.rest.split_at(long);
        self.rest = rest;
        number.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_go_on_from_where_the_pen_is() {
        assert_eq!(lines("M1 2l3-1h2V9z"), [[(1.0, 2.0), (4.0, 1.0), (6.0, 1.0), (6.0, 9.0), (1.0, 2.0)]]);
        // After a path is closed the next begins from its start.
        assert_eq!(lines("m0 0l1 0 0 1zm5 5l1 1")[1], [(5.0, 5.0), (6.0, 6.0)]);
        assert_eq!(lines("M0 0q1 0 1 1")[0].last(), Some(&(1.0, 1.0)));
        let round = lines("M-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z");
        assert!(round[0].iter().all(|p| (p.0.hypot(p.1) - 2.0).abs() < 1e-9), "{round:?}");
        assert_eq!(lines("Mx").len() + lines("").len() + lines("M1").len() + lines("z").len(), 0);
    }
}
