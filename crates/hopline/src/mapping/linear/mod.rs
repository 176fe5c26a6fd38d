//! Mappings for traffic in which every task has one partner, on tori: linear
//! ones by the theory of Wang, Hou and Ku, "Optimal processor mapping for
//! linear-constant communication on k-ary n-cubes", and better ones beyond it.
//!
//! [`contention`] is Theorem 1, [`one`] Theorem 3, [`several`] Theorem 4. The
//! strategy recovers y = Ax + b from the demand, so it serves recorded traffic
//! as well as the patterns.

mod bound;
mod construct;
mod contention;
mod digits;
mod gray;
mod idle;
mod link_loads;
mod partners;
mod pivots;
mod search;
mod together;
mod variants;
mod ways;

pub use construct::{TRIES, one, several};
pub use contention::{Case, Contention, contention, permutation_load, scatter_contention, worst};
pub use gray::gray_code;
pub use idle::{idle, idle_last, set_aside};
pub use pivots::small_pivots;
pub use variants::{mesh_contention, omega_contention, omega_mapping};

use super::{Context, Mapping, Obedience, Problem, Strategy};
use crate::demand::Demand;
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::files::{Files, read_text};
use crate::id::{SlotId, VertexId};
use crate::params::{Params, Reader, Specs};
use crate::routing::Routing;
use crate::unit::short;
use digits::Digits;
use partners::Partners;
use together::{GivenMatrix, Wanted, together};
use ways::{Found, Method, TASK_ORDER, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "linear",
    summary: "every task with one partner: fewest messages on the busiest link, by algebra, cycles or search",
    doc: "For traffic in which every task sends to one task, or receives from one, as many tasks as the network has nodes. T \
          is the number of messages that share the busiest link, whatever they carry and however fast it is; links of unlimited bandwidth do not count. method=best tries, and keeps what exact evaluation finds \
          best: theorem3, where y = Ax + b over the field of k elements, task x on node Qx so that all leading parts of \
          QAQ^-1 up to the rank of A are regular (dimensions in which no message moves are set aside first); pivots, the same with multipliers that give every ring a light load (A \
          regular; tori and meshes, all forms of the field); cycles, the cycles of a permutation along a Gray code through all nodes; search, \
          simulated annealing from the best of these where T is still above a proven bound. The note says which won.\n\
          for=[linear:transpose;linear:digit-reverse] makes one linear mapping for up to k-1 communications at once \
          (Theorem 4), for more where 1000 tries find one, whatever the traffic is. k= and n= in them give digits of their own, of as many tasks as there are nodes; over the field with \
          their polynomial=, or where none is given the first over which all are linear.\n\
          matrix=q.txt puts task x on node Qx, for a regular Q of your own; for=, method= and moves= do not go with it, nor the \
          latter two with for=.\n\
          Where extents differ or are no power of a prime there is no field, and cycles and search remain. On networks that are \
          no torus and no mesh, under routings with one path for every message, digits are those of the nodes' numbers to the \
          least prime base, and Theorem 3 is tried in both orders of the digits: in reverse order it leaves no two messages of a linear \
          permutation on one link of an Omega network or a k-ary n-tree with d-mod-k.\n\
          Source: the k-ary n-cube mapping paper, Theorems 1, 3 and 4, Omega networks and meshes after its section 1; pivots, cycles and search go beyond it.",
    example: "linear",
    params: &[
        param("method", "best|theorem3|pivots|cycles|search", "best", "one way alone"),
        param(
            "for",
            "spec",
            "the traffic",
            "linear-constant communications that one mapping must serve, with ; between",
        ),
        param("matrix", "path", "none", "a file of n rows of n numbers below k: Q, task x sits on node Qx"),
        param("polynomial", "count", "the least", "of the field of matrix=, as in traffic linear"),
        param("moves", "count", "200000", "of the search: exchanges of two tasks"),
    ],
};

/// Linear mappings of tori: see the list.
pub struct Linear {
    given: Params,
    what: What,
}

/// What is asked for.
enum What {
    /// The best for the traffic.
    Traffic { method: Method, moves: u64 },
    /// One mapping for all of these.
    Set(Vec<Wanted>),
    /// This mapping.
    GivenMatrix(GivenMatrix),
}

impl Linear {
    /// The best that any method finds for the traffic.
    pub fn new() -> Linear {
        Linear { given: Params::named(ENTRY.name), what: What::Traffic { method: Method::Best, moves: MOVES } }
    }

    /// One mapping for all of these communications, as specs such as `linear:digit-reverse`, by Theorem 4.
    ///
    /// # Errors
    /// There is none, or one is no linear-constant communication.
    pub fn serving(communications: &[&str], files: &dyn Files) -> Result<Linear> {
        let given = Params::named(ENTRY.name).with("for", &communications.join(";")[..]);
        Linear::of(&given.check(&ENTRY)?, files)
    }

    /// Task x on node Qx, Q in a file.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn matrix(path: &str, files: &dyn Files) -> Result<Linear> {
        Linear::of(&Params::named(ENTRY.name).with("matrix", path).check(&ENTRY)?, files)
    }
}

impl Default for Linear {
    fn default() -> Linear {
        Linear::new()
    }
}

/// Exchanges of two tasks that the search tries where nobody says.
const MOVES: u64 = 200_000;

pub(super) fn read(_: &'static Entry, reader: &Reader, files: &dyn Files) -> Result<Box<dyn Strategy>> {
    Ok(Box::new(Linear::of(reader, files)?))
}

impl Linear {
    fn of(reader: &Reader, files: &dyn Files) -> Result<Linear> {
        let method = reader.get::<String>("method")?.map(|_| reader.choice("method", &Method::ALL.map(Method::name)));
        let method = method.transpose()?.map(|at| Method::ALL[at]);
        let (moves, set) = (reader.get("moves")?, reader.get::<Specs>("for")?.map_or(Vec::new(), |s| s.0));
        let (matrix, polynomial) = (reader.get::<String>("matrix")?, reader.get("polynomial")?);
        let present = [
            ("matrix", matrix.is_some()),
            ("for", !set.is_empty()),
            ("method", method.is_some()),
            ("moves", moves.is_some()),
        ];
        let mut asked = present.into_iter().filter(|p| p.1).map(|p| p.0);
        if let (Some(one @ ("matrix" | "for")), Some(other)) = (asked.next(), asked.next()) {
            return Err(reader.wrong(other, format!("`{one}=` and `{other}=` do not go together")).hint(
                "matrix= is a mapping, for= constructs one by Theorem 4, method= and moves= find one for the traffic",
            ));
        }
        if polynomial.is_some() && matrix.is_none() {
            return Err(reader
                .wrong("polynomial", "`polynomial=` is that of `matrix=`, and there is none")
                .hint("in for= it belongs to a communication: for=[linear:matrix=a.txt,polynomial=13]"));
        }
        let place = reader.place_of("for");
        let what = match matrix {
            Some(path) => What::GivenMatrix(GivenMatrix { text: read_text(files, &path)?, path, polynomial }),
            None if set.is_empty() => {
                What::Traffic { method: method.unwrap_or(Method::Best), moves: moves.unwrap_or(MOVES) }
            }
            None => What::Set(set.iter().map(|spec| Wanted::read(spec, place, files)).collect::<Result<_>>()?),
        };
        Ok(Linear { given: reader.params(), what })
    }
}

impl Strategy for Linear {
    fn params(&self) -> Params {
        self.given.clone()
    }

    fn is_random(&self) -> bool {
        true
    }

    fn obedience(&self) -> Obedience {
        Obedience::Refused
    }

    fn choose(&self, problem: &Problem<'_>, context: &mut Context<'_>) -> Result<Mapping> {
        let slot_of = whole_machine(problem)?;
        let nodes: Vec<VertexId> = (0..problem.tasks()).map(VertexId).collect();
        let seats = |at: &[VertexId]| Mapping::new(at.iter().map(|v| slot_of[v.index()]).collect(), problem.fabric());
        let (at, what) = match &self.what {
            What::Traffic { method, moves } => {
                let (at, note) = for_traffic(problem, &nodes, (*method, *moves), &seats, context)?;
                context.observer.event(Event::Note(note));
                return seats(&at);
            }
            What::GivenMatrix(given) => {
                let digits = Digits::new(problem.routing())?;
                (given.nodes(&digits.extents)?, format!("task x on node Qx, Q in {}", given.path))
            }
            What::Set(set) => {
                let (at, t) = together(set, problem.routing(), &Digits::new(problem.routing())?)?;
                let t: Vec<String> = t.into_iter().map(short).collect();
                let t = t.join(", ");
                match set.len() {
                    1 => (at, format!("a mapping for 1 communication, T = {t} for it")),
                    m => (at, format!("one mapping for {m} communications, T = {t} for them")),
                }
            }
        };
        let (before, after) = (problem.loads(&seats(&nodes)?)?, problem.loads(&seats(&at)?)?);
        let load = |load: &[f64]| short(load.iter().copied().fold(0.0, f64::max));
        context.observer.event(Event::Note(format!(
            "linear: {what}; the busiest link carries {}, in task order {}",
            load(&after.load),
            load(&before.load)
        )));
        seats(&at)
    }
}

/// What `method` finds for the traffic, and what to say of it.
fn for_traffic(
    problem: &Problem<'_>,
    nodes: &[VertexId],
    (method, moves): (Method, u64),
    seats: &impl Fn(&[VertexId]) -> Result<Mapping>,
    context: &mut Context<'_>,
) -> Result<(Vec<VertexId>, String)> {
    let partners = Partners::new(problem.demand()).ok_or_else(|| {
        Error::input("mapping `linear` needs traffic in which every task sends to one task, or receives from one")
            .hint("name the communications with for=[linear:transpose;linear:digit-reverse], or use greedy")
    })?;
    // What looks at all pairs of nodes comes last: the portfolio asks with any traffic.
    let digits = Digits::new(problem.routing())?;
    let task = Task { partners: &partners, digits: &digits, nodes, routing: problem.routing(), moves };
    let before = task.worst(nodes)?;
    let bound = bound::bound(&partners, nodes, problem.routing())?;
    let (mut found, why_not) = task.find(method, bound, context)?;
    let best = choose(problem, &found, seats)?;
    let mut note = say(&found, best, before, bound, why_not);
    if problem.fabric().has_unequal_bandwidths() {
        note += "; a message counts as much on a slow link as on a fast one, congestion-search weighs them";
    }
    Ok((found.swap_remove(best).at, note))
}

/// A T that no mapping of this job has less of, or `None` where tasks have
/// several partners; in messages, whole ones where every message has one way.
/// O(nodes^2 * links of a route), up to 4096 nodes; above, only the links of a node
/// are counted.
///
/// # Errors
/// Two nodes have no way between them.
pub fn lower_bound(demand: &Demand, routing: &dyn Routing) -> Result<Option<f64>> {
    let nodes: Vec<VertexId> = (0..routing.fabric().endpoints()).map(VertexId).collect();
    Partners::new(demand).map(|partners| bound::bound(&partners, &nodes, routing)).transpose()
}

/// The first of the best by T, of equals by what mappings are compared by.
fn choose(problem: &Problem<'_>, found: &[Found], seats: &impl Fn(&[VertexId]) -> Result<Mapping>) -> Result<usize> {
    let scores = found.iter().map(|f| problem.score(&seats(&f.at)?)).collect::<Result<Vec<_>>>()?;
    Ok((1..found.len()).fold(0, |best, i| if scores[i].is_better(&scores[best]) { i } else { best }))
}

/// What was found, for people.
fn say(found: &[Found], best: usize, before: f64, bound: f64, why_not: Option<String>) -> String {
    let others = found.iter().enumerate().filter(|(i, f)| *i != best && f.name != TASK_ORDER);
    let others: Vec<String> = others.map(|(_, f)| format!("{}: {}", f.name, short(f.t))).collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    let Found { name, t, .. } = &found[best];
    let proven = if bound >= *t { "proven best".into() } else { format!("no mapping has less than {}", short(bound)) };
    let why_not = why_not.map_or(String::new(), |w| format!("; {w}"));
    format!(
        "linear: T, the messages that share the busiest link, is {} by {name}{others}, {proven}; {} in task order{why_not}",
        short(*t),
        short(before)
    )
}

/// The slot of every node, where the job has one task for each.
fn whole_machine(problem: &Problem<'_>) -> Result<Vec<SlotId>> {
    let (fabric, slots) = (problem.fabric(), problem.slots());
    let nodes = fabric.endpoints();
    let mut slot_of = vec![None; nodes as usize];
    slots.iter().for_each(|&s| slot_of[fabric.hosts().endpoint_of(s).index()] = Some(s));
    let slot_of: Option<Vec<SlotId>> = slot_of.into_iter().collect();
    match slot_of {
        Some(slot_of) if problem.tasks() == nodes && slots.len() == nodes as usize => Ok(slot_of),
        _ => Err(Error::input(format!(
            "mapping `linear` needs one task on each of the {nodes} nodes of {}; the job has {} tasks and {} slots",
            fabric.name(),
            problem.tasks(),
            slots.len()
        ))),
    }
}
