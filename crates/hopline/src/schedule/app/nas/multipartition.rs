//! BT and SP: solvers along three directions on diagonally placed cells.

use super::super::super::{Builder, Limit, Made, Schedule};
use super::super::{COMPUTE, RANKS, compute, swap};
use super::{CLASS, Class, ITERATIONS, Nas, made};
use crate::entry::Entry;
use crate::error::{Error, Result};
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const BT: Entry = Entry {
    name: "bt",
    summary: "NAS BT: block tridiagonal solves on a square of ranks",
    doc: "q^2 ranks, each with q cells of a q^3 partition, cell after cell one further along the diagonal: every rank has the same six \
          neighbours for all its cells. An iteration copies the faces of all cells (80*(n/q)^2*(q-1) bytes to each of 6) and \
          solves along x, y and z: q-1 steps forward with 240*(n/q+1)^2 bytes and q-1 back with 40*(n/q+1)^2. n is 12, 24, 64, 102, \
          162, 408 for S to D.\n\
          Source: NPB3.3-MPI, BT/copy_faces.f, x_solve.f.",
    example: "bt:class=S,ranks=16,iterations=2",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

pub(in crate::schedule) const SP: Entry = Entry {
    name: "sp",
    summary: "NAS SP: scalar pentadiagonal solves on a square of ranks",
    doc: "As bt, with 176*((n-2)/q)^2 bytes forward and 80*((n-2)/q)^2 back. n is 12, 36, 64, 102, 162, 408 for S to D.\n\
          Source: NPB3.3-MPI, SP/copy_faces.f, x_solve.f.",
    example: "sp:class=S,ranks=16,iterations=2",
    params: &[CLASS, RANKS, ITERATIONS, COMPUTE],
};

impl Nas {
    /// BT: block tridiagonal solves, on a square of ranks.
    pub fn bt(class: Class, ranks: u32) -> Nas {
        Nas::new(draw_bt, class, ranks)
    }

    /// SP: scalar pentadiagonal solves, on a square of ranks.
    pub fn sp(class: Class, ranks: u32) -> Nas {
        Nas::new(draw_sp, class, ranks)
    }
}

/// What the two differ in.
struct Solver {
    q: u32,
    faces: u64,
    forward: u64,
    back: u64,
    limit: Limit,
}

pub(in crate::schedule) fn bt(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::bt, reader, context, limit)
}

fn draw_bt(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let q = side(nas.ranks)?;
    let n = nas.of_class([12u64, 24, 64, 102, 162, 408]);
    let side = n / u64::from(q) + 1;
    let (forward, back) = (240 * side * side, 40 * side * side);
    let solver = Solver { q, faces: faces(n, q), forward, back, limit };
    solver.run(nas, nas.times([60, 200, 200, 200, 200, 250]))
}

pub(in crate::schedule) fn sp(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    made(Nas::sp, reader, context, limit)
}

fn draw_sp(nas: &Nas, limit: Limit) -> Result<Schedule> {
    let (ranks, q) = (nas.ranks, side(nas.ranks)?);
    let n = nas.of_class([12u64, 36, 64, 102, 162, 408]);
    let area = (n - 2) * (n - 2);
    let part = |bytes: u64| bytes * area / u64::from(ranks);
    let solver = Solver { q, faces: faces(n, q), forward: part(176), back: part(80), limit };
    solver.run(nas, nas.times([100, 400, 400, 400, 400, 500]))
}

/// Two layers of five numbers on the faces of all cells but one.
fn faces(n: u64, q: u32) -> u64 {
    80 * n * n * u64::from(q - 1) / u64::from(q).pow(2)
}

/// The side of a square of ranks.
fn side(ranks: u32) -> Result<u32> {
    let q = ranks.isqrt();
    if q * q == ranks {
        return Ok(q);
    }
    Err(Error::argument("ranks", format!("{ranks} ranks are no square")).hint("give ranks="))
}

impl Solver {
    fn run(&self, nas: &Nas, times: u32) -> Result<Schedule> {
        let iteration = self.body(nas.ranks, |b| {
            compute(b, nas.compute);
            self.copy_faces(b);
            for direction in 0..3 {
                self.solve(b, direction);
            }
        })?;
        // The last right-hand side needs the faces once more.
        iteration.repeat(times)?.then(self.body(nas.ranks, |b| self.copy_faces(b))?)
    }

    fn body(&self, ranks: u32, draw: impl FnOnce(&mut Builder)) -> Result<Schedule> {
        let mut b = Builder::within(ranks, self.limit);
        draw(&mut b);
        b.finish()
    }

    /// Who follows a rank along a direction: along z both indices move, as cells lie on diagonals.
    fn next(&self, rank: u32, direction: u32, by: u32) -> u32 {
        let (q, i, j) = (self.q, rank / self.q, rank % self.q);
        match direction {
            0 => (i + by) % q * q + j,
            1 => i * q + (j + by) % q,
            _ => (i + q - by % q) % q * q + (j + q - by % q) % q,
        }
    }

    fn copy_faces(&self, b: &mut Builder) {
        for rank in (0..b.ranks()).filter(|_| self.q > 1) {
            for direction in 0..3 {
                for by in [1, self.q - 1] {
                    let other = self.next(rank, direction, by);
                    b.recv(rank, other, self.faces, 0);
                    b.send(rank, other, self.faces, 0);
                }
            }
            b.wait(rank);
        }
    }

    fn solve(&self, b: &mut Builder, direction: u32) {
        for (bytes, by) in [(self.forward, 1), (self.back, self.q - 1)] {
            for _ in 1..self.q {
                for rank in 0..b.ranks() {
                    let (to, from) = (self.next(rank, direction, by), self.next(rank, direction, self.q - by));
                    swap(b, rank, to, from, bytes);
                }
            }
        }
    }
}
