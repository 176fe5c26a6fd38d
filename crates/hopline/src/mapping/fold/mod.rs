//! Task grids onto tori and hierarchies: every dimension is folded along some
//! axes, or cut into blocks along the levels, in the way that costs least.

mod detect;
mod factor;
mod machine;
mod plan;
mod stencil;
mod walk;

use super::graph::Graph;
use super::seats::Seats;
use super::{Context, Mapping, Problem, Strategy};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::files::Files;
use crate::params::{Params, Reader};
use detect::DetectedGrid;
use machine::Machine;
use plan::{Job, foldings};

pub(super) const ENTRY: Entry = Entry {
    name: "fold",
    summary: "task grid onto a torus or nested levels: folded or in blocks, least hop-bytes",
    doc: "Shares each dimension of the grid among the axes of the torus, or the levels of the machine from the host up: \
          64x64 on 16x16x16 becomes (16*4)x(4*16), on hosts, leaves and groups of 4, 16 and 64 it becomes \
          (2*4*8)x(2*4*8). Along several axes a dimension goes back and forth (a reflected Gray code) or round in a ring \
          of unit steps. All shares, orders and walks are ranked by the hops of neighbours; the best are evaluated with \
          the traffic itself, and the one with the least hop-bytes is kept, of equal ones that with the less busy \
          hottest link.\n\
          A grid or torus of two or three dimensions (a torus with five or more tasks along each) is also recognised in a matrix, however its tasks are numbered, and so \
          are 9-, 18- and 26-point stencils on one.\n\
          The slots of the allocation must fill a box of the torus or equal parts of every level, one task each.",
    example: "fold",
    params: &[],
};

/// Foldings that are evaluated with the traffic itself, and edges looked at for that.
const EVALUATED: usize = 64;
const EDGES: usize = 1 << 25;
/// Of equally good ones, so many are compared by their loads.
const TIES: usize = 4;

/// A grid folded onto a torus or a tree: see the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fold;

pub(super) fn read(_: &'static Entry, _: &Reader, _: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Fold))
}

impl Strategy for Fold {
    fn params(&self) -> Params {
        Params::named(ENTRY.name)
    }

    fn choose(&self, problem: &Problem<'_>, _: &mut Context<'_>) -> Result<Mapping> {
        let graph = Graph::of_demand(problem, 1, ENTRY.name)?;
        let seats = Seats::new(problem, 1)?;
        let best = fold(problem, &graph, &seats)?.ok_or_else(|| {
            Error::input("mapping `fold`: the traffic is no grid whose sizes can be shared among the axes or levels of the allocation")
                .hint("use multilevel, which needs neither")
        })?;
        seats.mapping(problem, &best, 1)
    }
}

/// The best folding of the job's grid: the seat of every task. `None` where the
/// job is no grid, or does not fit the machine.
///
/// # Errors
/// Two hosts have no way between them.
pub(super) fn fold(problem: &Problem<'_>, graph: &Graph, seats: &Seats) -> Result<Option<Vec<u32>>> {
    if graph.len() != seats.len() {
        return Ok(None);
    }
    let Some(machine) = Machine::new(seats) else { return Ok(None) };
    let known = problem.demand().grid().filter(|g| g.tasks() == Some(graph.len() as u32));
    let DetectedGrid { sizes, wrap, rank } = match known {
        Some(grid) => {
            let rank = (0..graph.len() as u32).collect();
            DetectedGrid { sizes: grid.sizes.clone(), wrap: grid.wrap, rank }
        }
        None => match detect::detect(graph).or_else(|| stencil::detect(graph)) {
            Some(grid) => grid,
            None => return Ok(None),
        },
    };
    let weight = weights(graph, &sizes, &rank);
    let job = Job { sizes, wrap, weight };
    let count = EVALUATED.min(EDGES / graph.edges().max(1)).max(4);
    let mut found: Vec<(i64, Vec<u32>)> = Vec::new();
    for folding in foldings(&job, &machine, count) {
        let by_rank = folding.seats(&job, &machine);
        let seat: Vec<u32> = rank.iter().map(|&r| by_rank[r as usize]).collect();
        found.push((seats.cost(graph, &seat), seat));
    }
    found.sort_by_key(|f| f.0);
    let least = found.first().map(|f| f.0);
    let mut best: Option<(Vec<u32>, super::Score)> = None;
    for (_, seat) in found.into_iter().take(TIES).take_while(|f| Some(f.0) == least) {
        let score = problem.score(&seats.mapping(problem, &seat, 1)?)?;
        if best.as_ref().is_none_or(|b| score.is_better(&b.1)) {
            best = Some((seat, score));
        }
    }
    Ok(best.map(|b| b.0))
}

/// Weight of the edges between neighbours along each dimension; 1 each where there are none.
fn weights(graph: &Graph, sizes: &[u32], rank: &[u32]) -> Vec<f64> {
    let mut weight = vec![0.0; sizes.len()];
    for v in 0..graph.len() as u32 {
        for e in graph.of(v) {
            let (mut a, mut b) = (rank[v as usize], rank[e.to as usize]);
            let mut apart = Vec::with_capacity(sizes.len());
            for (i, &size) in sizes.iter().enumerate().rev() {
                let far = (a % size).abs_diff(b % size);
                if far > 0 {
                    apart.push((i, far.min(size - far)));
                }
                a /= size;
                b /= size;
            }
            if let [(i, 1)] = apart[..] {
                weight[i] += f64::from(e.weight);
            }
        }
    }
    if weight.iter().all(|&w| w == 0.0) { vec![1.0; sizes.len()] } else { weight }
}
