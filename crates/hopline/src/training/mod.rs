//! Training jobs by formula: the collectives of one step of a transformer model that is split along tensors, sequence,
//! experts, batch and layers.
//!
//! A [`Job`] has a [`Model`] and a [`Layout`]; [`Job::step`] lists every collective once, with its group, bytes and
//! how often it happens ([`Step`]). The traffic and the schedule of the job both follow from that list.
//!
//! ```
//! use hopline::training::{Job, Model, Part};
//!
//! let mut job = Job::new(Model::named("gpt-13b").expect("a name of the list"));
//! (job.sizes.tensor, job.sizes.expert_tensor, job.sizes.stages, job.sizes.data) = (8, 8, 2, 8);
//! job.global = 128;
//! let step = job.step()?;
//! assert_eq!(step.layout.ranks(), 128);
//! assert_eq!(step.bytes(Part::Tensor), 7_610_189_217_792);
//! # Ok::<(), hopline::error::Error>(())
//! ```

mod aicb;
mod check;
mod job;
pub(crate) mod keys;
mod layout;
mod megatron;
mod model;
mod rules;
mod step;

pub use job::{Exchange, Job, Recompute, Rules};
pub use layout::{Axis, Group, Layout, ORDER, Sizes};
pub use model::{Latent, MODELS, Model};
pub use step::{Block, Call, Part, Step, What, When};
