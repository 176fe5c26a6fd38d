//! What hosts and messages cost, from Table II and from what is known of the
//! adapters; the broadcast between leaders; copies within a node.

use hopline::error::{Place, Result};
use hopline::params::Params;
use hopline::replay::Model;
use hopline::schedule::collective::{Tree, named, sized};
use hopline::schedule::{Builder, Schedule};

/// Table II: 1.57 us through one switch are two overheads and L.
const REPLAY: &str = "replay:o=400,L=770,S=12288,packet=16384,forward=cut";

/// From this size on leaders scatter and gather instead of forwarding whole messages; the paper names no size.
pub(super) const LARGE: u64 = 64 << 10;

/// Radix of the tree of leaders (Figure 3).
pub(super) const RADIX: u32 = 4;

/// Rate of a copy through shared memory, bytes per microsecond.
const COPY_RATE: f64 = 2000.0;

/// Start of a copy, microseconds.
const COPY_START: f64 = 0.5;

/// The parameters of all replays.
pub(super) fn model() -> Result<Model> {
    Model::read(&Params::from_spec(REPLAY, &Place::new("study", 0))?)
}

/// Microseconds from a leader to its node: it writes to shared memory while the others read.
pub(super) fn within_node(bytes: u64) -> f64 {
    2.0 * COPY_START + bytes as f64 / COPY_RATE
}

/// What leaders do for a message of that size: a k-nomial tree, or scatter and ring.
///
/// # Errors
/// More operations than fit.
pub(super) fn broadcast(bytes: u64, leaders: u32) -> Result<Schedule> {
    if bytes < LARGE {
        tree(bytes, RADIX, leaders, |_| 0, |_| 0)
    } else {
        named("scatter-ring")?.schedule(&sized(bytes, 1), leaders)
    }
}

/// The k-nomial tree of Figure 3: a rank serves the k-1 children of one
/// distance at a time, farthest first, and waits for them. Before each send it
/// works for `before(rank)` nanoseconds, after its receive for `after(rank)`.
///
/// # Errors
/// More operations than fit.
pub(super) fn tree(
    bytes: u64,
    radix: u32,
    leaders: u32,
    before: impl Fn(u32) -> u64,
    after: impl Fn(u32) -> u64,
) -> Result<Schedule> {
    let (tree, mut b) = (Tree::knomial(leaders, radix), Builder::new(leaders));
    let work = |b: &mut Builder, v: u32, nanos: u64| {
        if nanos > 0 {
            b.compute(v, nanos);
            b.wait(v);
        }
    };
    for v in 0..leaders {
        if v > 0 {
            b.recv(v, tree.parent[v as usize], bytes, 0);
            b.wait(v);
            work(&mut b, v, after(v));
        }
        let level = |child: u32| (child - v).ilog(radix);
        for together in tree.children[v as usize].chunk_by(|&x, &y| level(x) == level(y)) {
            for &child in together {
                work(&mut b, v, before(v));
                b.send(v, child, bytes, 0);
            }
            b.wait(v);
        }
    }
    b.finish()
}
