//! Which links will a job overload, before it runs, and which rank order avoids it?
//!
//! ```text
//! fabric <- topology (a family of networks) or format (a dump of a real machine)
//!    |
//! demand         who sends how much to whom: sparse entries and uniform blocks
//!    |
//! routing        ordered paths and their shares; loads of whole flows
//!    |
//! forwarding     the same hop by hop, with virtual channels; flits simulates them
//!    |
//! training       the collectives of a training job by formula
//!    |
//! traffic        patterns, matrices and training jobs make demands
//!    |
//! schedule       who sends what after what: collectives, applications, traces
//!    |
//! loads          the expected load of every link, exact
//!    |
//! mapping        which task sits in which slot: strategies, problem, score
//!    |
//! replay         schedules packet by packet; ordering puts the ranks of a collective in order
//! power          links that a job never uses, and what switching them off saves
//!    |
//! scenario -> plan -> run
//! ```
//!
//! Data flows down, imports go up. A program builds what it needs by constructors whose arguments are checked, puts
//! them together as a [`Problem`](mapping::Problem) and asks it:
//!
//! ```
//! use hopline::mapping::{Multilevel, Order, Problem, bound};
//! use hopline::routing::{Detour, DragonflyPaths};
//! use hopline::topology::Dragonfly;
//! use hopline::traffic::Halo;
//! use std::sync::Arc;
//!
//! let dragonfly = Dragonfly::new(2, 4, 2)?;
//! let fabric = Arc::new(dragonfly.build()?);
//! let routing = DragonflyPaths::new(&dragonfly, Detour::None, &fabric)?;
//! let job = Halo::new(&[9, 8])?.bytes(1_000_000)?.demand()?;
//! let slots = fabric.slots();
//! let problem = Problem::new(&job, &routing, &slots)?;
//!
//! let in_order = problem.map(&Order::Default, 1)?;
//! let near = problem.map(&Multilevel::new().evaluations(50_000), 1)?;
//! assert!(problem.summary(&near)?.hop_bytes < problem.summary(&in_order)?.hop_bytes);
//!
//! let hottest = &problem.hottest(&near, 1)?[0];
//! assert!(bound(&problem).is_some_and(|bound| bound.busy <= hottest.load));
//! # Ok::<(), hopline::error::Error>(())
//! ```
//!
//! Or it does what the command line does: a [`scenario`] is what a user writes, a
//! [`plan`] is checked and built, a [`run`] answers an outcome:
//!
//! ```
//! use hopline::{event::Silent, files::Disk, plan::Plan, run, scenario::Scenario};
//!
//! let scenario = Scenario::default()
//!     .topology("percs:ns=32,nd=4")?
//!     .routing("direct")?
//!     .traffic("halo:grid=64x64")?
//!     .mappings("default,mod-coloring")?;
//! let outcome = run::map(&Plan::new(&scenario, &Disk)?, &mut Silent)?;
//! assert_eq!(outcome.best.mapping, "mod-coloring");
//! assert_eq!(outcome.best.summary.throughput_gb_s, Some(64.0));
//! assert_eq!(outcome.best.summary.bottleneck.as_deref(), Some("LR"));
//! # Ok::<(), hopline::error::Error>(())
//! ```
//!
//! Each list ([`topology::LIST`], [`routing::LIST`], [`traffic::LIST`],
//! [`mapping::LIST`], [`schedule::LIST`], [`schedule::collective::LIST`], [`format::EXPORTS`]) is where a newcomer adds one file and
//! one line; [`lists`](lists::lists()) has them all by name. The library prints nothing, opens no socket and reads no clock;
//! files come through [`files::Files`], progress goes to an [`event::Observer`].
//!
//! # Features
//!
//! - `parallel` (on by default): searches and simulations use all threads, by rayon. Results are the same without.
//! - `compression`: files packed by gzip and xz, and NumPy's `.npz`, are read; without it they are refused with a hint.
//! - `schemas`: outcomes have JSON schemas (`schemars::JsonSchema`).

pub mod cost;
pub mod demand;
pub mod entry;
pub mod error;
pub mod event;
pub mod fabric;
pub mod files;
pub mod flits;
pub mod format;
pub mod forwarding;
pub mod gf;
pub mod id;
pub mod lists;
pub mod loads;
pub mod mapping;
pub mod ordering;
mod parallel;
pub mod params;
pub mod peers;
pub mod plan;
pub mod power;
pub mod replay;
pub mod rng;
pub mod routing;
pub mod run;
pub mod scenario;
pub mod schedule;
pub mod sets;
pub mod stats;
mod sync;
pub mod topology;
pub mod traffic;
pub mod training;
pub mod unit;
mod varint;
