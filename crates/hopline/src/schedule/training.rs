//! A training step, from a text workload or from a model's shape: what every GPU computes, and the
//! collectives of its groups, in the order in which they happen.

mod model;

use super::collective::chosen::{ALLGATHER, ALLREDUCE, ALLTOALL, Chosen, REDUCE_SCATTER};
use super::collective::{Operation as Sum, Plot, sized};
use super::{Builder, Limit, Made, Schedule, Size};
use crate::entry::{Entry, param};
use crate::error::{Error, Place, Result};
use crate::files::read_text;
use crate::format::workload::{self, Collective, Layer, Operation, Pass, Workload};
use crate::params::Reader;
use crate::traffic::Context;
use crate::training::Job;
use crate::training::keys::with_job;
use crate::unit::seconds;

pub(super) const ENTRY: Entry = Entry {
    name: "training",
    summary: "a training step of a model by formula, or from a SimAI / ASTRA-sim text workload: collectives, pipeline",
    doc: "A model (model=, or hidden=, layers=, ...): ranks, groups, collectives and their bytes are those of `hopline explain \
          workload`, in order: forward a rank gets an activation from the stage before, communicates layer by layer and hands \
          an activation on, without waiting until it has gone; all micro-batches forward, then all backward, then gradients and weights. With \
          interleave=v, pp micro-batches go through the first chunk of every stage, then through the second, and so on. Nothing is computed: the time is that of communication alone, none \
          of which overlaps within a rank.\n\
          A file: ranks, groups and bytes are those of `hopline explain workload` (chunks=1). The layers between the first \
          `embedding_layer` and the end are cut into the ga micro-batches where such layers begin, else into equal parts; what \
          stands before is done once, forward before the first micro-batch and backward after the last. Forward, a rank gets \
          pp_comm bytes from the stage before, computes and communicates layer by layer, and hands pp_comm bytes on; all \
          micro-batches forward, then all backward, the last one first and layers in reverse: weight gradients, update, \
          input gradients. A collective begins when a rank has computed for it and goes on when it is done; nothing overlaps \
          within a rank. Times of the file are nanoseconds; AICB writes 1 where it has not measured, so scale= is for files that \
          have times.\n\
          Source: github.com/aliyun/SimAI, Workload.cc (iterate_hybrid_parallel_Transformer_fwd_in_bckwd) for the order of \
          passes; Huang et al., GPipe (2019), for that of micro-batches.",
    example: "training:file=testdata/workloads/gpt-tiny-16.txt",
    params: with_job![
        param("file", "path", "none, with a model", "the workload"),
        param("scale", "number", "1", "what multiplies the computation times of the file"),
        ALLREDUCE,
        ALLGATHER,
        REDUCE_SCATTER,
        ALLTOALL,
    ],
};

/// How a step is drawn.
struct Step {
    workload: Workload,
    scale: f64,
    algorithms: Chosen,
    limit: Limit,
}

pub(super) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let file: Option<String> = reader.get("file")?;
    let scale = reader.or("scale", 1.0)?;
    if !(0.0..=1e12).contains(&scale) {
        return Err(reader.wrong("scale", format!("`scale` is {scale}, expected 0 to 1e12")));
    }
    let algorithms = Chosen::read(reader, &[ALLREDUCE, ALLGATHER, REDUCE_SCATTER, ALLTOALL])?;
    let path = match reader.made(Job::choose(reader, file))? {
        Ok(_) if reader.is_given("scale") => {
            return Err(reader.wrong("scale", "a model has no computation times to scale, only files have"));
        }
        Ok(job) => return model::make(&reader.made(job.step())?, &algorithms, limit),
        Err(path) => path,
    };
    let workload = workload::parse(&path, &read_text(context.files, &path)?)?;
    Size::new(workload.ranks, 0).check(limit).map_err(|e| e.at(&Place::new(&path, 0)))?;
    let mut notes = workload.notes.clone();
    let passes = |l: &Layer| l.forward.nanos + l.input.nanos + l.weight.nanos + l.update_nanos;
    let computed: f64 = workload.layers.iter().map(passes).sum::<f64>() * scale;
    notes.push(format!("each rank computes for {} in all", seconds(computed * 1e-9)));
    let schedule = Step { workload, scale, algorithms, limit }.schedule()?;
    Ok(Made { schedule, notes })
}

/// Where the micro-batches begin: at `embedding_layer` where there are as many of
/// them, else in equal parts.
fn micro_batches(layers: &[Layer], batches: u32) -> (&[Layer], Vec<&[Layer]>) {
    let first = |l: &Layer| l.name == "embedding_layer";
    let mut begins: Vec<usize> = (0..layers.len()).filter(|&i| first(&layers[i])).collect();
    if begins.len() != batches as usize {
        begins = (0..batches as usize).map(|i| i * layers.len() / batches as usize).collect();
    }
    let ends = begins.iter().skip(1).copied().chain([layers.len()]);
    let parts = begins.iter().zip(ends).map(|(&from, to)| &layers[from..to]).collect();
    (&layers[..begins[0]], parts)
}

impl Step {
    fn schedule(&self) -> Result<Schedule> {
        let (once, batches) = micro_batches(&self.workload.layers, self.workload.batches);
        let mut bodies = Vec::new();
        let mut draw = |times: usize, backward: bool, handed: bool, layers: &[Layer]| {
            let mut b = Builder::within(self.workload.ranks, self.limit);
            if backward {
                self.backward(&mut b, layers, handed)?;
            } else {
                self.forward(&mut b, layers, handed)?;
            }
            bodies.push(b.finish()?.repeat(times as u32)?);
            Ok::<(), Error>(())
        };
        // Equal micro-batches are one body, played so many times.
        let runs: Vec<&[&[Layer]]> = batches.chunk_by(|a, b| a == b).collect();
        draw(1, false, false, once)?;
        for run in &runs {
            draw(run.len(), false, true, run[0])?;
        }
        for run in runs.iter().rev() {
            draw(run.len(), true, true, run[0])?;
        }
        draw(1, true, false, once)?;
        let mut bodies = bodies.into_iter();
        let first = bodies.next().ok_or_else(|| Error::input("a step without layers"))?;
        bodies.try_fold(first, Schedule::then)
    }

    fn forward(&self, b: &mut Builder, layers: &[Layer], handed: bool) -> Result<()> {
        if handed {
            self.hand_on(b, false, true);
        }
        for layer in layers {
            self.pass(b, &layer.forward)?;
        }
        if handed {
            self.hand_on(b, false, false);
        }
        Ok(())
    }

    fn backward(&self, b: &mut Builder, layers: &[Layer], handed: bool) -> Result<()> {
        if handed {
            self.hand_on(b, true, true);
        }
        for layer in layers.iter().rev() {
            self.pass(b, &layer.weight)?;
            self.compute(b, layer.update_nanos);
            self.pass(b, &layer.input)?;
        }
        if handed {
            self.hand_on(b, true, false);
        }
        Ok(())
    }

    fn compute(&self, b: &mut Builder, nanos: f64) {
        let nanos = (nanos * self.scale).round() as u64;
        for rank in (0..b.ranks()).filter(|_| nanos > 0) {
            b.compute(rank, nanos);
            b.wait(rank);
        }
    }

    fn pass(&self, b: &mut Builder, pass: &Pass) -> Result<()> {
        self.compute(b, pass.nanos);
        pass.collective.as_ref().map_or(Ok(()), |collective| self.collective(b, collective))
    }

    /// A collective in every group of its kind.
    fn collective(&self, b: &mut Builder, c: &Collective) -> Result<()> {
        let groups: Vec<Vec<u32>> = self.workload.groups(c.group).collect();
        draw(b, &self.algorithms, &groups, c.operation, c.bytes.round() as u64)
    }

    /// Every stage receives from the one before, or sends to the one after; backward the other way round.
    fn hand_on(&self, b: &mut Builder, backward: bool, receives: bool) {
        let stage = self.workload.tensor * self.workload.data;
        let bytes = self.workload.pipeline_bytes.round() as u64;
        for rank in (0..b.ranks()).filter(|_| bytes > 0) {
            let (before, after) = (rank.checked_sub(stage), Some(rank + stage).filter(|&r| r < b.ranks()));
            let (from, to) = if backward { (after, before) } else { (before, after) };
            match (receives, from, to) {
                (true, Some(from), _) => drop(b.recv(rank, from, bytes, 1)),
                (false, _, Some(to)) => drop(b.send(rank, to, bytes, 1)),
                _ => {}
            }
            b.wait(rank);
        }
    }
}

/// A collective of a whole tensor of so many bytes in groups of one size.
fn draw(b: &mut Builder, chosen: &Chosen, groups: &[Vec<u32>], operation: Operation, whole: u64) -> Result<()> {
    let size = groups.first().map_or(0, Vec::len) as u64;
    let share = whole.checked_div(size).unwrap_or(0);
    let (operation, bytes) = match operation {
        Operation::AllGather => (Sum::AllGather, share),
        Operation::ReduceScatter => (Sum::ReduceScatter, share),
        Operation::AllReduce => (Sum::AllReduce, whole),
        Operation::AllToAll => (Sum::AllToAll, share),
    };
    let Some(algorithm) = chosen.of(operation).filter(|_| size > 1 && bytes > 0) else {
        return Ok(());
    };
    for members in groups {
        let keys = sized(bytes, 1);
        b.has_room(algorithm.messages(members.len() as u32, &keys))?;
        algorithm.draw(&mut Plot::new(b, members, 0), &keys);
        members.iter().for_each(|&rank| b.wait(rank));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micro_batches_begin_at_embeddings() {
        let layers = |names: &str| -> Vec<Layer> {
            names.split(' ').map(|n| Layer { name: n.to_string(), ..Layer::default() }).collect()
        };
        let all = layers("grad_norm embedding_layer a embedding_layer a loss");
        let (once, parts) = micro_batches(&all, 2);
        assert_eq!((once.len(), parts.iter().map(|p| p.len()).collect::<Vec<_>>()), (1, vec![2, 3]));
        let (once, parts) = micro_batches(&all, 3);
        assert_eq!((once.len(), parts.iter().map(|p| p.len()).collect::<Vec<_>>()), (0, vec![2, 2, 2]));
    }
}
