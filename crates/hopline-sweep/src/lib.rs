//! Many runs as one: a grid of parameters, a pool that works through its points, and results that survive a kill.
//!
//! Data flows one way:
//!
//! - [`grid`]: what `[sweep]` says, unfolded into points; conditions leave points out. Pure.
//! - [`name`]: what tells one point from all others, in this sweep and the next.
//! - [`inputs`]: the files that a point was computed from, so that it is computed again when they change.
//! - [`store`]: a directory of logs, one per process; a point is in them whole or not at all.
//! - [`pool`]: points over threads, within the memory that there is.
//! - [`shard`]: fair parts of a sweep, for processes side by side.
//! - [`rows`] and [`table`]: documents of single runs as rows of one table; JSON lines and CSV.
//! - [`outcome`]: what `sweep show` prints.
//! - [`launch`]: scripts for Slurm, and jobs for HyperQueue.
//!
//! It knows no command: whoever calls says how a point is evaluated.

mod condition;
mod decimal;
pub mod grid;
pub mod inputs;
pub mod launch;
pub mod name;
pub mod ordered;
pub mod outcome;
pub mod pool;
pub mod rows;
pub mod shard;
pub mod store;
pub mod table;
mod units;
pub mod values;
