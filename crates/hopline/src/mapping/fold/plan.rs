//! Candidate foldings of a grid onto a machine, the cheapest first.

use super::factor::{Share, each_share};
use super::machine::{Axis, Machine};
use super::walk::Walk;

/// Shares that are looked at, and of those how many are worked out.
const SHARES: usize = 20_000;
const WORKED_OUT: usize = 48;

/// A grid of tasks, as it is folded.
pub(super) struct Job {
    pub(super) sizes: Vec<u32>,
    pub(super) wrap: bool,
    /// Weight of the edges along each dimension.
    pub(super) weight: Vec<f64>,
}

/// One dimension of a grid: the axes that it walks through, with side and stride
/// on each, the axis of the seats of a place first.
#[derive(Debug, Clone)]
struct Line {
    axes: Vec<(usize, u32, u32)>,
    /// Tasks of the line at one place.
    inside: u32,
    inside_stride: u32,
    walk: Walk,
}

/// A folding: one line per dimension.
#[derive(Debug, Clone)]
pub(super) struct Folding {
    lines: Vec<Line>,
    /// Weight x distance, if the job were only its neighbours along dimensions.
    pub(super) cost: f64,
}

impl Folding {
    /// The seat of every task, by row-major rank.
    pub(super) fn seats(&self, job: &Job, machine: &Machine) -> Vec<u32> {
        let strides: Vec<u32> = machine.sizes.iter().scan(1, |s, &k| Some(std::mem::replace(s, *s * k))).collect();
        let mut ranks = vec![0u32];
        let mut cell = Vec::new();
        for (line, &size) in self.lines.iter().zip(&job.sizes) {
            let parts: Vec<u32> = (0..size).map(|x| line.seat(x, &strides, &mut cell)).collect();
            ranks = ranks.iter().flat_map(|&before| parts.iter().map(move |&p| before + p)).collect();
        }
        ranks
    }
}

impl Line {
    /// What coordinate x adds to the number of a seat.
    fn seat(&self, x: u32, strides: &[u32], cell: &mut Vec<u32>) -> u32 {
        let sides: Vec<u32> = self.axes.iter().map(|a| a.1).collect();
        self.walk.cell(&sides, x / self.inside, cell);
        let outside: u32 =
            self.axes.iter().zip(cell.iter()).map(|(&(axis, _, stride), &c)| strides[axis] * stride * c).sum();
        outside + x % self.inside * self.inside_stride
    }

    /// Mean distance of neighbours on the line, over all of them in the grid.
    fn cost(&self, job_wraps: bool, machine: &Machine) -> f64 {
        let sides: Vec<u32> = self.axes.iter().map(|a| a.1).collect();
        let places: u32 = sides.iter().product();
        let (mut before, mut now, mut sum) = (Vec::new(), Vec::new(), 0u64);
        self.walk.cell(&sides, if job_wraps { places - 1 } else { 0 }, &mut before);
        for at in 0..places {
            self.walk.cell(&sides, at, &mut now);
            let step = |(&(axis, _, stride), (&a, &b)): (&(usize, u32, u32), (&u32, &u32))| {
                (machine.axes[axis], machine.axes[axis].distance(a.abs_diff(b) * stride))
            };
            let steps = self.axes.iter().zip(before.iter().zip(&now)).map(step);
            // On a torus hops add up; in a hierarchy the outermost level counts.
            sum += u64::from(steps.fold(0, |total, (axis, d)| match axis {
                Axis::Ring(_) => total + d,
                Axis::Level(_) => total.max(d),
            }));
            std::mem::swap(&mut before, &mut now);
        }
        let neighbours = places * self.inside - u32::from(!job_wraps);
        sum as f64 / f64::from(neighbours.max(1))
    }
}

/// The cheapest foldings, at most `count`.
pub(super) fn foldings(job: &Job, machine: &Machine, count: usize) -> Vec<Folding> {
    let mut shares: Vec<(f64, Share)> = Vec::new();
    each_share(&job.sizes, &machine.sizes, &mut |share| {
        shares.push((promise(job, share, machine), share.clone()));
        shares.len() < SHARES
    });
    shares.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut found = Vec::new();
    for (_, share) in shares.iter().take(WORKED_OUT) {
        each_order(share, machine, &mut |strides| {
            let lines: Vec<(f64, Line)> =
                (0..job.sizes.len()).map(|i| best_line(job, machine, &share[i], &strides[i])).collect();
            let cost = lines.iter().zip(&job.weight).map(|(l, w)| l.0 * w).sum();
            found.push(Folding { lines: lines.into_iter().map(|l| l.1).collect(), cost });
        });
    }
    found.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    found.truncate(count);
    found
}

/// What a dimension costs more for every axis but one that it is folded over, so that of equal shares those that leave dimensions
/// whole are worked out first.
const CROOKED: f64 = 0.01;

/// A guess at the cost of a share: steps between places, each as long as the levels say, or as the parts of heavier dimensions
/// that take the same axis of a torus in smaller steps.
fn promise(job: &Job, share: &Share, machine: &Machine) -> f64 {
    let mut heaviest: Vec<usize> = (0..share.len()).collect();
    heaviest.sort_by(|&a, &b| job.weight[b].total_cmp(&job.weight[a]));
    let mut strides = vec![1; machine.axes.len()];
    let mut sum = 0.0;
    for i in heaviest {
        let mut axes: Vec<(f64, u32)> = Vec::new();
        let mut folds_back = false;
        for (j, &part) in share[i].iter().enumerate().filter(|(_, part)| **part > 1) {
            axes.push(match machine.axes[j] {
                Axis::Ring(length) => {
                    folds_back = part * strides[j] < length;
                    let stride = strides[j];
                    strides[j] *= part;
                    (f64::from(stride), part)
                }
                Axis::Level(far) => (f64::from(far), part),
            });
        }
        // Most steps are along the axis where they are shortest.
        axes.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (mut steps, mut cost) = (1.0, 0.0);
        for &(far, part) in &axes {
            cost += steps * far * f64::from(part - 1);
            steps *= f64::from(part);
        }
        // Where ends are neighbours, part of a ring is walked by every other place and back.
        let folded = if job.wrap && folds_back && axes.len() == 1 { 2.0 } else { 1.0 };
        sum += job.weight[i] * (folded * cost / steps + CROOKED * axes.len().saturating_sub(1) as f64);
    }
    sum
}

/// Visits the strides of every dimension on every axis, for all orders in which
/// dimensions can share the axes of a torus. On levels the order does not matter.
fn each_order(share: &Share, machine: &Machine, visit: &mut impl FnMut(&[Vec<u32>])) {
    let mut strides = vec![vec![1; machine.sizes.len()]; share.len()];
    order_axis(0, share, machine, &mut strides, visit);
}

fn order_axis(
    axis: usize,
    share: &Share,
    machine: &Machine,
    strides: &mut Vec<Vec<u32>>,
    visit: &mut impl FnMut(&[Vec<u32>]),
) {
    if axis == machine.sizes.len() {
        return visit(strides);
    }
    let users: Vec<usize> = (0..share.len()).filter(|&i| share[i][axis] > 1).collect();
    let matters = matches!(machine.axes[axis], Axis::Ring(_));
    each_permutation(&users, &mut |order| {
        let mut stride = 1;
        for &i in order {
            strides[i][axis] = stride;
            stride *= share[i][axis];
        }
        order_axis(axis + 1, share, machine, strides, visit);
        matters
    });
}

/// Visits all orders of up to four items, else only the given one, until `visit` says enough.
fn each_permutation<T: Copy>(items: &[T], visit: &mut impl FnMut(&[T]) -> bool) {
    fn go<T: Copy>(items: &mut Vec<T>, fixed: usize, visit: &mut impl FnMut(&[T]) -> bool) -> bool {
        if fixed + 1 >= items.len() {
            return visit(items);
        }
        for i in fixed..items.len() {
            items.swap(fixed, i);
            let go_on = go(items, fixed + 1, visit);
            items.swap(fixed, i);
            if !go_on {
                return false;
            }
        }
        true
    }
    let mut items = items.to_vec();
    if items.len() > 4 {
        visit(&items);
    } else {
        go(&mut items, 0, visit);
    }
}

/// The cheapest way to walk a dimension through its axes.
fn best_line(job: &Job, machine: &Machine, share: &[u32], strides: &[u32]) -> (f64, Line) {
    let used: Vec<(usize, u32, u32)> =
        (1..share.len()).filter(|&j| share[j] > 1).map(|j| (j, share[j], strides[j])).collect();
    let torus = used.iter().any(|a| matches!(machine.axes[a.0], Axis::Ring(_)));
    let mut best: Option<(f64, Line)> = None;
    each_permutation(&used, &mut |axes| {
        let sides: Vec<u32> = axes.iter().map(|a| a.1).collect();
        for &walk in if torus { Walk::of(&sides) } else { &[Walk::Plain] } {
            let line = Line { axes: axes.to_vec(), inside: share[0], inside_stride: strides[0], walk };
            let cost = line.cost(job.wrap, machine);
            if best.as_ref().is_none_or(|b| cost < b.0) {
                best = Some((cost, line));
            }
        }
        torus
    });
    best.unwrap_or_else(|| {
        let line = Line { axes: used, inside: share[0], inside_stride: strides[0], walk: Walk::Plain };
        (0.0, line)
    })
}
