//! Which algorithm an MPI library takes for a collective of so many ranks and
//! bytes, where it is not the common one of `messages.rs`: its default tables, reduced to what decides who sends how much
//! to whom (`algorithms.rs`).
//!
//! Open MPI: `ompi/mca/coll/tuned/coll_tuned_decision_fixed.c`, the same from 4.1.0 to 5.0.9. Rows that differ from their
//! neighbours for a few sizes only are left out. Trees of other shapes count as binomial, segments as whole, neighbour
//! exchange as a ring, butterflies as halving, and rings for few bytes as doubling.
//!
//! MPICH: `maint/tuning/coll/mpir/generic.json`, the same from 3.4.3 to 5.0.1 but for the barrier's name; older ones halve
//! an allreduce from 2 KiB on (`MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE` in `src/mpi/coll/allreduce.c` of 3.2.1). Where several
//! ranks share a node MPICH reduces and broadcasts within the nodes first (`maint/tuning/coll/ch4/generic.json`): a
//! recording's ranks count as one a node.
//!
//! Element types are not recorded: elements are taken to be of 8 bytes, operators to be MPI's own.

/// A collective as a library sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) library: &'a str,
    pub(super) op: &'a str,
    /// Ranks of the communicator.
    pub(super) n: u32,
    /// 0 where there is none.
    pub(super) root: u32,
    pub(super) bytes: u64,
    pub(super) list: &'a [u64],
}

/// An algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    /// That of `messages.rs`.
    Common,
    /// Allreduce by recursive doubling, also of ranks that are no power of two.
    Folded,
    /// Allreduce by a reduction and a broadcast; reduce-scatter by a reduction and a scatter.
    Twice,
    /// Allreduce by recursive halving, then doubling (Rabenseifner); a reduction by halving, then a gather to the root;
    /// a reduce-scatter by halving.
    Halving,
    /// Reduce-scatter around a ring.
    Ring,
    /// Blocks travel by powers of two (Bruck and others).
    Bruck,
    /// Allgather by recursive doubling.
    Doubling,
    /// Gather and scatter along a binomial tree.
    Tree,
    /// Broadcast by a binomial scatter, then allgather around the ring or by doubling.
    Scatter,
    /// Broadcast by the root to every rank.
    Flat,
}

/// Bytes of an element.
const ELEMENT: u64 = 8;

impl Call<'_> {
    /// Of so many ranks as a power of two has.
    pub(super) fn most(&self) -> u32 {
        1 << self.n.max(1).ilog2()
    }

    /// The block of a rank.
    pub(super) fn block(&self, rank: u32) -> u64 {
        self.list.get(rank as usize).copied().unwrap_or(self.bytes)
    }

    /// The blocks of all ranks.
    fn all(&self) -> u64 {
        match self.list.len() >= self.n as usize {
            true => self.list[..self.n as usize].iter().fold(0, |sum, block| sum.saturating_add(*block)),
            false => self.bytes.saturating_mul(u64::from(self.n)),
        }
    }

    /// What the library takes.
    pub(super) fn algorithm(&self) -> Algorithm {
        match self.library {
            _ if self.n < 2 => Algorithm::Common,
            "Open MPI" => self.open_mpi(),
            "MPICH" => self.mpich(),
            _ => Algorithm::Common,
        }
    }

    fn open_mpi(&self) -> Algorithm {
        let (n, bytes) = (self.n, self.bytes);
        let when = |is: bool, algorithm: Algorithm| if is { algorithm } else { Algorithm::Common };
        let halved = |ring: u64| if self.all() < ring { Algorithm::Halving } else { Algorithm::Ring };
        match self.op {
            "allreduce" if bytes >= self.limit(HALVED) => Algorithm::Halving,
            "allreduce" if bytes < self.limit(TWICE) => Algorithm::Twice,
            "allreduce" => Algorithm::Folded,
            "alltoall" => when(bytes < self.limit(TRAVELLING), Algorithm::Bruck),
            "allgather" => when(bytes < self.limit(DOUBLED), self.doubling()),
            "allgatherv" => {
                let mean = self.all() / u64::from(n);
                when((self.limit(BRUCK_FROM)..self.limit(BRUCK_BELOW)).contains(&mean), Algorithm::Bruck)
            }
            "gather" => when(n >= 8 || bytes < 1024, Algorithm::Tree),
            "scatter" => when(bytes < self.limit(SCATTERED), Algorithm::Tree),
            "bcast" if bytes >= self.limit(SPREAD) => Algorithm::Scatter,
            "bcast" => when(n < 16 && bytes >= self.limit(FLAT) && (n >= 8 || bytes < 1 << 20), Algorithm::Flat),
            "reduce_scatter" => match n {
                ..4 => Algorithm::Ring,
                4..32 => halved(256 << 10),
                32..64 => halved(512 << 10),
                _ => {
                    if self.all() < self.limit(FEW) {
                        Algorithm::Twice
                    } else {
                        Algorithm::Halving
                    }
                }
            },
            // By the bytes of one block.
            "reduce_scatter_block" => {
                let (from, below) = (self.limit(TWICE_FROM), self.limit(TWICE_BELOW));
                if (from..below).contains(&bytes) { Algorithm::Twice } else { Algorithm::Halving }
            }
            _ => Algorithm::Common,
        }
    }

    fn mpich(&self) -> Algorithm {
        let (n, bytes, two) = (self.n, self.bytes, self.n.is_power_of_two());
        let when = |is: bool, algorithm: Algorithm| if is { algorithm } else { Algorithm::Common };
        // Fewer elements than ranks cannot be halved.
        let halves = bytes >= ELEMENT * u64::from(self.most());
        match self.op {
            "allreduce" if bytes > 8 && halves => Algorithm::Halving,
            "allreduce" => Algorithm::Folded,
            "reduce" => when(bytes > 2048 && halves, Algorithm::Halving),
            "reduce_scatter" | "reduce_scatter_block" => when(self.all() < 512 << 10, Algorithm::Halving),
            "alltoall" => when(bytes <= 256 && n >= 8, Algorithm::Bruck),
            "allgather" | "allgatherv" => when(self.all() < if two { 512 << 10 } else { 80 << 10 }, self.doubling()),
            "gather" | "scatter" => Algorithm::Tree,
            "bcast" => when(bytes > 12 << 10 && n >= 8, Algorithm::Scatter),
            _ => Algorithm::Common,
        }
    }

    /// Allgather by doubling, or Bruck's where ranks are no power of two.
    fn doubling(&self) -> Algorithm {
        if self.n.is_power_of_two() { Algorithm::Doubling } else { Algorithm::Bruck }
    }

    /// True where the blocks of a scattered broadcast are gathered by doubling, and not around the ring.
    pub(super) fn is_doubled(&self) -> bool {
        self.n.is_power_of_two() && (self.library == "Open MPI" || self.bytes <= 512 << 10)
    }

    /// The bytes of the first row for more ranks than there are.
    fn limit(&self, rows: &[(u32, u64)]) -> u64 {
        rows.iter().find(|row| self.n < row.0).map_or(0, |row| row.1)
    }
}

/// Open MPI's allreduce of at least so many bytes is halved, of fewer ranks than stand before it.
const HALVED: &[(u32, u64)] = &[
    (4, 256 << 10),
    (16, 8 << 10),
    (32, 4 << 10),
    (64, 128),
    (256, 256 << 10),
    (512, 4 << 10),
    (4096, 16 << 10),
    (u32::MAX, 32 << 10),
];
/// Its allreduce below this size is a reduction and a broadcast.
const TWICE: &[(u32, u64)] = &[(128, 0), (256, 128 << 10), (512, 4 << 10), (u32::MAX, 2 << 10)];
/// Blocks of its all-to-all below this size travel together.
const TRAVELLING: &[(u32, u64)] = &[(16, 0), (64, 512), (512, 1024), (2048, 512), (4096, 1024), (u32::MAX, 2048)];
/// Blocks of its allgather below this size are gathered by doubling.
const DOUBLED: &[(u32, u64)] = &[(32, u64::MAX), (64, 1024), (256, 512), (512, 1024), (1024, 2048), (u32::MAX, 4096)];
/// Blocks of its allgatherv of this size on average and more travel by powers of two.
const BRUCK_FROM: &[(u32, u64)] = &[(8, 16 << 10), (16, 1024), (32, 128), (128, 256), (u32::MAX, 0)];
/// Up to this size.
const BRUCK_BELOW: &[(u32, u64)] = &[
    (3, 0),
    (8, 256 << 10),
    (16, u64::MAX),
    (32, 256 << 10),
    (64, 8 << 10),
    (128, 4 << 10),
    (512, 1024),
    (u32::MAX, 4 << 10),
];
/// Blocks of its scatter below this size go along a tree.
const SCATTERED: &[(u32, u64)] = &[(4, 0), (8, 2 << 10), (32, 16 << 10), (u32::MAX, 512)];
/// Its broadcast of this size and more is scattered first.
const SPREAD: &[(u32, u64)] =
    &[(16, u64::MAX), (32, 1 << 20), (1024, u64::MAX), (2048, 512 << 10), (u32::MAX, 256 << 10)];
/// Its broadcast of this size and more is sent by the root to every rank.
const FLAT: &[(u32, u64)] = &[(4, u64::MAX), (8, 8 << 10), (16, 32 << 10), (u32::MAX, u64::MAX)];
/// Its reduce-scatter below this size is a reduction and a scatter.
const FEW: &[(u32, u64)] = &[(512, 256), (4096, 512), (u32::MAX, 1024)];
/// Its reduce-scatter of blocks of this size and more is a reduction and a scatter.
const TWICE_FROM: &[(u32, u64)] = &[(4, 128 << 10), (8, 1 << 20), (32, 512 << 10), (u32::MAX, 64 << 10)];
/// Up to this size.
const TWICE_BELOW: &[(u32, u64)] = &[(8, u64::MAX), (16, 4 << 20), (32, 2 << 20), (u32::MAX, 256 << 10)];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::recording::messages::{Step, steps};
    use std::collections::BTreeMap;

    /// Bytes that are sent in all, every send received as it was sent.
    fn sent(call: &Call<'_>) -> u64 {
        let mut open: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        let mut waiting: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
        for me in 0..call.n {
            for step in steps(call, me) {
                match step {
                    Step::Send(to, bytes) => open.entry((me, to)).or_default().push(bytes),
                    Step::Recv(from, bytes) => waiting.entry((from, me)).or_default().push(bytes),
                    Step::Join => {}
                }
            }
        }
        assert_eq!(open, waiting, "{call:?}");
        open.into_values().flatten().sum()
    }

    #[test]
    fn ranks_send_what_the_algorithms_add_up_to() {
        for n in 2..40u32 {
            let call = |library, op, bytes| Call { library, op, n, root: n / 3, bytes, list: &[] };
            let total = |library, op, bytes| {
                let call = call(library, op, bytes);
                (call.algorithm(), sent(&call))
            };
            let (ranks, most) = (u64::from(n), 1u64 << n.ilog2());
            let (rest, rounds) = (ranks - most, u64::from(n.ilog2()));
            // Halving and doubling of the power of two; what the others hand over and get, which Open MPI splits first.
            let halved = 2 * (most - 1) * 960_000;
            assert_eq!(total("MPICH", "allreduce", 960_000), (Algorithm::Halving, halved + rest * 2 * 960_000), "{n}");
            assert_eq!(total("Open MPI", "allreduce", 960_000), (Algorithm::Halving, halved + rest * 2_400_000), "{n}");
            for library in ["Open MPI", "MPICH"] {
                let doubled = most * rounds * 8 + 2 * rest * 8;
                assert_eq!(total(library, "allreduce", 8), (Algorithm::Folded, doubled), "{n}");
            }
            // Each part goes as many hops to the root as its place differs in bits; a root without a part gets one.
            let moved = u64::from(u64::from(n / 3) < 2 * rest && (n / 3) % 2 == 1) * 960_000 / most;
            let reduced = (most - 1 + rest) * 960_000 + rounds * 960_000 / 2 + moved;
            assert_eq!(total("MPICH", "reduce", 960_000), (Algorithm::Halving, reduced), "{n}");
            assert_eq!(total("MPICH", "reduce", 2048), (Algorithm::Common, (ranks - 1) * 2048));
            let (algorithm, gathered) = total("Open MPI", "allgather", 50);
            assert!(
                algorithm != Algorithm::Common && gathered == ranks * (ranks - 1) * 50,
                "{n}: {algorithm:?}, {gathered}"
            );
            for bytes in [20_000, 480_001, 1 << 20] {
                let (algorithm, broadcast) = total("MPICH", "bcast", bytes);
                if algorithm == Algorithm::Scatter {
                    assert!(n >= 8 && broadcast >= (ranks - 1) * bytes, "{n}: {broadcast}");
                } else {
                    assert_eq!(broadcast, (ranks - 1) * bytes);
                }
            }
            // A block goes as many hops as its relative rank has bits.
            let hops: u64 = (0..n).map(|rank| u64::from(rank.count_ones())).sum();
            for op in ["gather", "scatter"] {
                assert_eq!(total("MPICH", op, 100), (Algorithm::Tree, hops * 100), "{op} of {n}");
            }
            if n >= 16 {
                assert_eq!(total("Open MPI", "alltoall", 100), (Algorithm::Bruck, ranks * hops * 100));
            }
            assert_eq!(total("other", "alltoall", 100), (Algorithm::Common, ranks * (ranks - 1) * 100));
        }
    }

    #[test]
    fn blocks_of_different_sizes_go_whole() {
        for n in 2..40u32 {
            let list: Vec<u64> = (0..u64::from(n)).map(|rank| rank * 37 % 11 * 8).collect();
            let (all, ranks) = (list.iter().sum::<u64>(), u64::from(n));
            let call = |library, op| Call { library, op, n, root: 0, bytes: 8, list: &list };
            let gather = call("MPICH", "allgatherv");
            assert!(gather.algorithm() != Algorithm::Common);
            assert_eq!(sent(&gather), (ranks - 1) * all, "{n}: every rank gets every other's block");
            for library in ["MPICH", "Open MPI"] {
                let scatter = call(library, "reduce_scatter");
                let sent = sent(&scatter);
                assert!(sent >= (ranks - 1) * all / ranks, "{n}: {sent}");
                if scatter.algorithm() == Algorithm::Ring
                    || scatter.algorithm() == Algorithm::Halving && n.is_power_of_two()
                {
                    assert_eq!(sent, (ranks - 1) * all, "{library}, {n}: every sum is made once");
                }
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_libraries() {
        let algorithm = |library, op, n, bytes| Call { library, op, n, root: 0, bytes, list: &[] }.algorithm();
        // The last size on one side of a limit, and the first on the other.
        let limits = [
            ("MPICH", "bcast", 8, 12_288, Algorithm::Common, Algorithm::Scatter),
            ("MPICH", "bcast", 7, 1 << 20, Algorithm::Common, Algorithm::Common),
            ("MPICH", "allreduce", 1, 8, Algorithm::Common, Algorithm::Common),
            ("MPICH", "allreduce", 16, 127, Algorithm::Folded, Algorithm::Halving),
            ("MPICH", "reduce", 16, 2048, Algorithm::Common, Algorithm::Halving),
            ("MPICH", "alltoall", 8, 256, Algorithm::Bruck, Algorithm::Common),
            ("MPICH", "allgather", 16, 32_767, Algorithm::Doubling, Algorithm::Common),
            ("MPICH", "allgather", 10, 8191, Algorithm::Bruck, Algorithm::Common),
            ("MPICH", "reduce_scatter_block", 16, 32_767, Algorithm::Halving, Algorithm::Common),
            ("Open MPI", "bcast", 16, (1 << 20) - 1, Algorithm::Common, Algorithm::Scatter),
            ("Open MPI", "bcast", 8, 32_767, Algorithm::Common, Algorithm::Flat),
            ("Open MPI", "scatter", 16, 16_383, Algorithm::Tree, Algorithm::Common),
            ("Open MPI", "scatter", 64, 511, Algorithm::Tree, Algorithm::Common),
            ("Open MPI", "allreduce", 256, 4095, Algorithm::Twice, Algorithm::Halving),
            ("Open MPI", "allreduce", 100, 262_143, Algorithm::Folded, Algorithm::Halving),
            ("Open MPI", "allgather", 100, 511, Algorithm::Bruck, Algorithm::Common),
            ("Open MPI", "reduce_scatter_block", 100, 65_535, Algorithm::Halving, Algorithm::Twice),
            ("Open MPI", "reduce_scatter", 16, 16_383, Algorithm::Halving, Algorithm::Ring),
        ];
        for (library, op, n, last, below, above) in limits {
            assert_eq!(
                (algorithm(library, op, n, last), algorithm(library, op, n, last + 1)),
                (below, above),
                "{library}, {op}, {n}"
            );
        }
    }
}
