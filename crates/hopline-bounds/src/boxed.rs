//! Algorithms that know boxes of ranks: hierarchical ones, and NCCL's rings and trees by channels, of which each begins at
//! another rank of a box, so that all adapters are used (github.com/NVIDIA/nccl, src/graph/rings.cc and trees.cc).

use crate::operation::Operation;
use crate::rooted::{binomial, both_ways, double_tree};
use crate::step::{Step, turned};

/// Steps under a name.
type Named = (&'static str, Vec<Step>);

/// Those of an operation among `n` ranks in boxes of one size; none where all are in one box, or boxes differ.
pub(crate) fn algorithms(operation: Operation, n: u32, root: u32, boxes: &[Vec<u32>]) -> Vec<Named> {
    let size = boxes.first().map_or(0, Vec::len);
    if boxes.len() < 2 || size < 2 || boxes.iter().any(|own| own.len() != size) {
        return Vec::new();
    }
    let boxes = Boxes { boxes, n };
    match operation {
        Operation::Allgather => {
            let steps = vec![boxes.across(1.0), boxes.inside(boxes.count())];
            vec![("hierarchical", steps), ("nccl-ring", vec![boxes.channels(1.0)])]
        }
        Operation::ReduceScatter => {
            let steps = turned(vec![boxes.across(1.0), boxes.inside(boxes.count())]);
            vec![("hierarchical", steps), ("nccl-ring", vec![boxes.channels(1.0)])]
        }
        Operation::Allreduce => {
            let ring = boxes.channels(1.0 / f64::from(n));
            let (across, inside) = (boxes.across(1.0 / f64::from(n)), boxes.inside(1.0 / boxes.size()));
            let steps = [turned(vec![across.clone(), inside.clone()]), vec![across, inside]].concat();
            let ring = ("nccl-ring", vec![ring.clone().repeated(2 * ring.times)]);
            vec![("hierarchical", steps), ring, ("nccl-tree", vec![boxes.trees()])]
        }
        Operation::Broadcast => vec![("hierarchical", boxes.spread(root))],
        Operation::Reduce => vec![("hierarchical", turned(boxes.spread(root)))],
        Operation::Alltoall => vec![("hierarchical", boxes.exchange())],
        Operation::Gather | Operation::Scatter => Vec::new(),
    }
}

struct Boxes<'a> {
    boxes: &'a [Vec<u32>],
    n: u32,
}

impl Boxes<'_> {
    fn count(&self) -> f64 {
        self.boxes.len() as f64
    }

    fn size(&self) -> f64 {
        self.boxes[0].len() as f64
    }

    /// Rings of the ranks that stand at the same place of their boxes.
    fn across(&self, amount: f64) -> Step {
        let next = self.boxes.iter().cycle().skip(1);
        let rows = self.boxes.iter().zip(next).flat_map(|(own, next)| own.iter().zip(next));
        Step::of(rows.map(|(&from, &to)| (from, to, amount)).collect()).repeated(self.boxes.len() as u32 - 1)
    }

    /// A ring in every box.
    fn inside(&self, amount: f64) -> Step {
        let pairs = self.boxes.iter().flat_map(|own| own.iter().zip(own.iter().cycle().skip(1)));
        Step::of(pairs.map(|(&from, &to)| (from, to, amount)).collect()).repeated(self.boxes[0].len() as u32 - 1)
    }

    /// A ring for each rank of a box, at which it enters the even boxes and leaves the odd ones, so that rings stay on their
    /// rails where adapters have some.
    fn channels(&self, amount: f64) -> Step {
        let size = self.boxes[0].len();
        let ring = |channel: usize| {
            let along = move |(at, own): (usize, &Vec<u32>)| {
                let mut own = own.clone();
                own.rotate_left(channel);
                if at % 2 == 1 {
                    own.reverse();
                }
                own
            };
            let order: Vec<u32> = self.boxes.iter().enumerate().flat_map(along).collect();
            let next = order.clone().into_iter().cycle().skip(1);
            order.into_iter().zip(next).collect::<Vec<_>>()
        };
        let sends = (0..size).flat_map(ring).map(|(from, to)| (from, to, amount / size as f64));
        Step::of(sends.collect()).repeated(self.n - 1)
    }

    /// Two binary trees of boxes for each rank of a box, with a chain through the box behind it.
    fn trees(&self) -> Step {
        let size = self.boxes[0].len();
        let (between, deep) = double_tree(self.boxes.len() as u32);
        let amount = 0.5 / size as f64;
        let edges = (0..size).flat_map(|channel| {
            let heads = between.iter().map(move |&(up, down)| (up as usize, down as usize));
            let heads = heads.map(move |(up, down)| (self.boxes[up][channel], self.boxes[down][channel]));
            let links = (0..size - 1).map(move |k| ((channel + k) % size, (channel + k + 1) % size));
            let chains = self.boxes.iter().flat_map(move |own| links.clone().map(|(a, b)| (own[a], own[b])));
            // The chain carries what both trees do.
            heads.chain(chains.clone()).chain(chains)
        });
        both_ways((edges.collect(), deep + size as u32 - 1), amount)
    }

    /// A tree of boxes from that of the root, then one in each.
    fn spread(&self, root: u32) -> Vec<Step> {
        let at = |own: &Vec<u32>| own.iter().position(|&rank| rank == root);
        let home = self.boxes.iter().position(|own| at(own).is_some()).unwrap_or(0);
        let place = at(&self.boxes[home]).unwrap_or(0);
        let (count, size) = (self.boxes.len() as u32, self.boxes[0].len() as u32);
        let between = binomial(count, home as u32, |_| 1.0).into_iter().map(|step| {
            let named =
                step.sends.iter().map(|&(a, b, x)| (self.boxes[a as usize][place], self.boxes[b as usize][place], x));
            Step::of(named.collect())
        });
        let inside = binomial(size, place as u32, |_| 1.0).into_iter().map(|step| {
            let named = |own: &Vec<u32>| {
                step.sends.iter().map(|&(a, b, x)| (own[a as usize], own[b as usize], x)).collect::<Vec<_>>()
            };
            Step::of(self.boxes.iter().flat_map(named).collect())
        });
        between.chain(inside).collect()
    }

    /// Blocks for all ranks at one place of their boxes go to the own box's rank there, then between boxes.
    fn exchange(&self) -> Vec<Step> {
        let (count, size) = (self.boxes.len(), self.boxes[0].len());
        let inside = (1..size).map(|by| {
            let pairs = self.boxes.iter().flat_map(move |own| (0..size).map(move |k| (own[k], own[(k + by) % size])));
            Step::of(pairs.map(|(from, to)| (from, to, self.count())).collect())
        });
        let between = (1..count).map(|by| {
            let rows = (0..count).flat_map(move |b| (0..size).map(move |k| (b, (b + by) % count, k)));
            Step::of(rows.map(|(a, b, k)| (self.boxes[a][k], self.boxes[b][k], self.size())).collect())
        });
        inside.chain(between).collect()
    }
}
