//! A job as its keys say, and what its rules make of it.

use super::job::{EXCHANGE, Job, RECOMPUTE, RULES, Rules};
use super::keys::{self, flag};
use super::layout::{Layout, ORDER, Sizes};
use super::model::Model;
use super::step::Step;
use super::{aicb, check, megatron};
use crate::error::{Error, Result};
use crate::params::Reader;

impl Job {
    /// Reads the keys of a job; `None` where no model is given. What does not fit is refused.
    pub(crate) fn read(reader: &Reader) -> Result<Option<Job>> {
        let counts = ["tp", "pp", "dp", "ep", "etp", "cp"].map(|key| reader.get::<u32>(key));
        let [tensor, stages, data, expert, expert_tensor, context] = counts;
        let (tensor, stages, data) = (tensor?.unwrap_or(1), stages?.unwrap_or(1), data?.unwrap_or(1));
        let sizes = Sizes {
            tensor,
            context: context?.unwrap_or(1),
            expert: expert?.unwrap_or(1),
            expert_tensor: expert_tensor?.unwrap_or(tensor),
            data,
            stages,
        };
        let (micro, global, seq) = (reader.or("micro", 1)?, reader.get("global")?, reader.get("seq")?);
        let (zero, shards) = (reader.get("zero")?, reader.get("fsdp")?);
        let mut job = Job {
            sizes,
            micro,
            order: reader.or("order", ORDER.to_string())?,
            global: global.unwrap_or(micro.saturating_mul(u64::from(data)).saturating_mul(u64::from(stages))),
            sequence_parallel: flag(reader, "sp", true)?,
            zero: zero.unwrap_or(if shards.is_some() { 3 } else { 1 }),
            shards,
            reduce_each: reader.choice("reduce", &["step", "micro"])? == 1,
            grads: reader.or("grads", 4)?,
            chunks: reader.or("interleave", 1)?,
            recompute: RECOMPUTE[reader.choice("recompute", &RECOMPUTE.map(|r| r.1))?].0,
            capacity: reader.get("capacity")?,
            exchange: EXCHANGE[reader.choice("cp_comm", &EXCHANGE.map(|e| e.1))?].0,
            rules: RULES[reader.choice("rules", &RULES.map(|r| r.1))?].0,
            ..Job::new(Model::new(1, 1))
        };
        let given = keys::KEYS.iter().find(|key| reader.is_given(key.name));
        match (reader.made(Model::read(reader))?, given) {
            (Some((name, model)), _) => {
                job.seq = seq.unwrap_or(model.seq);
                (job.name, job.model) = (name, model);
                reader.made(check::fits(&job))?;
                Ok(Some(job))
            }
            (None, Some(key)) => {
                let text = format!("`{}` belongs to a model, and none is given", key.name);
                Err(reader.wrong(key.name, text).hint("give model=gpt-13b, or hidden and layers"))
            }
            (None, None) => Ok(None),
        }
    }

    /// The job that a reader's keys describe, or the path of the file that stands in its place.
    pub(crate) fn choose(reader: &Reader, file: Option<String>) -> Result<std::result::Result<Job, String>> {
        match (file, Job::read(reader)?) {
            (Some(path), None) => Ok(Err(path)),
            (None, Some(job)) => Ok(Ok(job)),
            (Some(_), Some(_)) => Err(reader.wrong("model", "a file and a model, expected one of them")),
            (None, None) => Err(Error::input("a training job needs `file` or `model`")
                .at(reader.place())
                .hint("such as model=gpt-13b,tp=8,pp=2,dp=8, or hidden and layers in place of a name")),
        }
    }

    /// Every collective of one step, by the rules: O(layers + stages * chunks).
    ///
    /// # Errors
    /// Sizes that do not fit together, with the reason: those that Megatron-LM refuses.
    pub fn step(&self) -> Result<Step> {
        check::fits(self)?;
        let layout = Layout::new(self.sizes, &self.order)?;
        match self.rules {
            Rules::Megatron => Ok(megatron::step(self, layout)),
            Rules::Aicb => Ok(aicb::step(self, layout)),
        }
    }
}
