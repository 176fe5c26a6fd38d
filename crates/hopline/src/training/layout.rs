//! Which ranks of a training job form groups, as Megatron-LM numbers them.
//!
//! A rank is the sum of its indices along the axes, each times the sizes of the axes to the left of it in the order;
//! `tp-cp-ep-dp-pp` is the default. There are two grids, not one: dense layers have tensor, context, data and pipeline
//! parallel ranks, experts have their own tensor, expert and data parallel ones in the same pipeline stages, so that
//! expert groups lie across context and data parallel ones and do not multiply the world.
//! Source: Megatron-LM `core/parallel_state.py` (`RankGenerator`, `initialize_model_parallel`).

use crate::error::{Error, Result};
use crate::format::matrix::MAX_TASKS;

/// A way to split the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Tensors of a layer.
    Tensor,
    /// The sequence.
    Context,
    /// Experts of a layer.
    Expert,
    /// The batch.
    Data,
    /// The layers.
    Pipeline,
}

const AXES: [(Axis, &str); 5] =
    [(Axis::Tensor, "tp"), (Axis::Context, "cp"), (Axis::Expert, "ep"), (Axis::Data, "dp"), (Axis::Pipeline, "pp")];

/// Which ranks a collective joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Group {
    /// Those that share the tensors of a layer.
    Tensor,
    /// Those that share sequences.
    Context,
    /// Those that hold the same weights of dense layers: data and context parallel ones.
    Replicas,
    /// So many neighbours of them, which share the weights.
    Shards(u32),
    /// Those that hold the same of these shards.
    ShardReplicas(u32),
    /// Those that share the experts of a layer.
    Expert,
    /// Those that share the tensors of an expert.
    ExpertTensor,
    /// Those that hold the same experts.
    ExpertReplicas,
    /// The same place in every stage.
    Pipeline,
    /// The first and the last of these.
    Ends,
}

/// Sizes and order of the axes of a job.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    dense: Vec<(Axis, u32)>,
    expert: Vec<(Axis, u32)>,
    order: String,
}

/// How many ranks each axis has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Tensor parallel.
    pub tensor: u32,
    /// Context parallel.
    pub context: u32,
    /// Expert parallel.
    pub expert: u32,
    /// Tensor parallel within experts.
    pub expert_tensor: u32,
    /// Data parallel.
    pub data: u32,
    /// Pipeline stages.
    pub stages: u32,
}

/// Megatron-LM's order.
pub const ORDER: &str = "tp-cp-ep-dp-pp";

impl Layout {
    /// Groups of these sizes in an order such as `tp-cp-ep-dp-pp`, in which the left one varies fastest. An axis of size 1
    /// may be left out.
    ///
    /// # Errors
    /// A size is 0, the world does not divide, or Megatron-LM refuses it: expert groups that fit no whole number of times,
    /// stages that are not the same for dense layers and experts.
    pub fn new(sizes: Sizes, order: &str) -> Result<Layout> {
        let Sizes { tensor, context, expert, expert_tensor, data, stages } = sizes;
        let named =
            [("tp", tensor), ("cp", context), ("ep", expert), ("etp", expert_tensor), ("dp", data), ("pp", stages)];
        if let Some((key, size)) = named.into_iter().find(|(_, n)| !(1..=MAX_TASKS).contains(n)) {
            return Err(Error::argument(key, format!("`{key}` is {size}, expected 1 to {MAX_TASKS}")));
        }
        let world = [tensor, context, data, stages].iter().try_fold(1u32, |n, &size| n.checked_mul(size));
        let world = world.filter(|&n| n <= MAX_TASKS).ok_or_else(|| {
            Error::argument("dp", format!("tp*cp*dp*pp is more than {MAX_TASKS} ranks")).hint("choose smaller sizes")
        })?;
        let experts = u64::from(expert_tensor) * u64::from(expert) * u64::from(stages);
        if !u64::from(world).is_multiple_of(experts) {
            let text = format!("{world} ranks are no multiple of etp*ep*pp = {expert_tensor}*{expert}*{stages}");
            return Err(Error::argument("ep", text)
                .hint("experts lie across the tp*cp*dp ranks of a stage: etp*ep must divide that"));
        }
        let replicas = (u64::from(world) / experts) as u32;
        let axes = read_order(order, &sizes)?;
        let dense_size = |axis| match axis {
            Axis::Tensor => tensor,
            Axis::Context => context,
            Axis::Expert => 1,
            Axis::Data => data,
            Axis::Pipeline => stages,
        };
        let expert_size = |axis| match axis {
            Axis::Tensor => expert_tensor,
            Axis::Context => 1,
            Axis::Expert => expert,
            Axis::Data => replicas,
            Axis::Pipeline => stages,
        };
        let dense: Vec<(Axis, u32)> = axes.iter().map(|&axis| (axis, dense_size(axis))).collect();
        let expert_grid: Vec<(Axis, u32)> = axes.iter().map(|&axis| (axis, expert_size(axis))).collect();
        let layout = Layout { dense, expert: expert_grid, order: order.to_string() };
        if stages > 1 && stride(&layout.dense, Axis::Pipeline) != stride(&layout.expert, Axis::Pipeline) {
            let text = format!(
                "with order {order} the pipeline stages of dense layers are {} ranks apart, those of experts {}",
                stride(&layout.dense, Axis::Pipeline),
                stride(&layout.expert, Axis::Pipeline)
            );
            return Err(Error::argument("order", text).hint("let the order end in pp, as tp-cp-ep-dp-pp"));
        }
        // Megatron-LM asks how the order that was given ends, before axes of size 1 are added.
        if stages > 1 && !order.to_ascii_lowercase().ends_with("pp") && replicas != data {
            let text = format!("with order {order} experts have {replicas} replicas and dense layers {data}");
            return Err(Error::argument("order", text).hint("an order that does not end in pp needs as many of both"));
        }
        Ok(layout)
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.dense.iter().map(|(_, size)| size).product()
    }

    /// The order that was given.
    pub fn order(&self) -> &str {
        &self.order
    }

    /// Ranks along an axis of dense layers.
    pub fn size(&self, axis: Axis) -> u32 {
        self.dense.iter().find(|(own, _)| *own == axis).map_or(1, |(_, size)| *size)
    }

    /// Sizes of dense layers that are more than 1, the slowest first: as a row-major grid has them.
    pub fn grid(&self) -> Vec<u32> {
        let sizes: Vec<u32> = self.dense.iter().rev().map(|(_, size)| *size).filter(|&size| size > 1).collect();
        if sizes.is_empty() { vec![1] } else { sizes }
    }

    /// The pipeline stage of a rank.
    pub fn stage(&self, rank: u32) -> u32 {
        rank / stride(&self.dense, Axis::Pipeline) % self.size(Axis::Pipeline)
    }

    /// Ranks of a group of this kind.
    pub fn members(&self, group: Group) -> u32 {
        let product = |grid: &[(Axis, u32)], axes: &[Axis]| -> u32 {
            grid.iter().filter(|(axis, _)| axes.contains(axis)).map(|(_, size)| size).product()
        };
        match group {
            Group::Tensor => product(&self.dense, &[Axis::Tensor]),
            Group::Context => product(&self.dense, &[Axis::Context]),
            Group::Replicas => product(&self.dense, &[Axis::Data, Axis::Context]),
            Group::Shards(size) => size,
            Group::ShardReplicas(size) => self.members(Group::Replicas) / size.max(1),
            Group::Expert => product(&self.expert, &[Axis::Expert]),
            Group::ExpertTensor => product(&self.expert, &[Axis::Tensor]),
            Group::ExpertReplicas => product(&self.expert, &[Axis::Data]),
            Group::Pipeline => self.size(Axis::Pipeline),
            Group::Ends => self.size(Axis::Pipeline).min(2),
        }
    }

    /// All groups of a kind, in Megatron-LM's order, each with its ranks ascending: O(ranks).
    pub fn groups(&self, group: Group) -> Vec<Vec<u32>> {
        let (grid, axes): (_, &[Axis]) = match group {
            Group::Tensor => (&self.dense, &[Axis::Tensor]),
            Group::Context => (&self.dense, &[Axis::Context]),
            Group::Replicas | Group::Shards(_) | Group::ShardReplicas(_) => (&self.dense, &[Axis::Data, Axis::Context]),
            Group::Expert => (&self.expert, &[Axis::Expert]),
            Group::ExpertTensor => (&self.expert, &[Axis::Tensor]),
            Group::ExpertReplicas => (&self.expert, &[Axis::Data]),
            Group::Pipeline | Group::Ends => (&self.dense, &[Axis::Pipeline]),
        };
        let inside = offsets(grid, |axis| axes.contains(&axis));
        let outside = offsets(grid, |axis| !axes.contains(&axis));
        let whole = outside.iter().map(|first| inside.iter().map(|member| first + member).collect::<Vec<u32>>());
        match group {
            Group::Shards(size) => whole.flat_map(|all| parts(&all, size)).collect(),
            Group::ShardReplicas(size) => whole.flat_map(|all| columns(&all, size)).collect(),
            Group::Ends => whole.map(|all| ends(&all)).collect(),
            _ => whole.collect(),
        }
    }
}

fn parts(all: &[u32], size: u32) -> Vec<Vec<u32>> {
    all.chunks(size.max(1) as usize).map(<[u32]>::to_vec).collect()
}

fn columns(all: &[u32], size: u32) -> Vec<Vec<u32>> {
    let size = size.max(1) as usize;
    (0..size).map(|at| all.iter().skip(at).step_by(size).copied().collect()).collect()
}

fn ends(all: &[u32]) -> Vec<u32> {
    match *all {
        [first, .., last] => vec![first, last],
        _ => all.to_vec(),
    }
}

/// Ranks from one index of an axis to the next.
fn stride(grid: &[(Axis, u32)], axis: Axis) -> u32 {
    grid.iter().take_while(|(own, _)| *own != axis).map(|(_, size)| size).product()
}

/// Where every combination of indices along some axes lies, the left axis fastest.
fn offsets(grid: &[(Axis, u32)], chosen: impl Fn(Axis) -> bool) -> Vec<u32> {
    let mut all = vec![0];
    for &(axis, size) in grid.iter().filter(|(axis, _)| chosen(*axis)) {
        let stride = stride(grid, axis);
        all = (0..size).flat_map(|i| all.iter().map(move |at| at + i * stride)).collect();
    }
    all
}

fn read_order(order: &str, sizes: &Sizes) -> Result<Vec<Axis>> {
    let mut axes = Vec::new();
    for word in order.split('-') {
        let axis = AXES.iter().find(|(_, name)| *name == word).map(|(axis, _)| *axis);
        let axis = axis.filter(|axis| !axes.contains(axis)).ok_or_else(|| {
            Error::argument("order", format!("`order` is `{order}`, expected tp, cp, ep, dp and pp once each"))
                .hint("with - between, the axis whose ranks are next to each other first: tp-cp-ep-dp-pp")
        })?;
        axes.push(axis);
    }
    for (axis, name) in AXES {
        let size = match axis {
            Axis::Tensor => sizes.tensor.max(sizes.expert_tensor),
            Axis::Context => sizes.context,
            Axis::Expert => sizes.expert,
            Axis::Data => sizes.data,
            Axis::Pipeline => sizes.stages,
        };
        if !axes.contains(&axis) {
            if size > 1 {
                let text = format!("`order` is `{order}` without {name}, of which there are {size}");
                return Err(Error::argument("order", text).hint("only an axis of size 1 may be left out"));
            }
            axes.push(axis);
        }
    }
    Ok(axes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(tensor: u32, context: u32, stages: u32, data: u32, expert: u32, expert_tensor: u32) -> Sizes {
        Sizes { tensor, context, expert, expert_tensor, data, stages }
    }

    fn first(layout: &Layout, group: Group, groups: usize) -> Vec<Vec<u32>> {
        layout.groups(group).into_iter().take(groups).collect()
    }

    #[test]
    fn groups_are_those_of_megatron() {
        let l = Layout::new(sizes(2, 1, 2, 4, 2, 2), ORDER).expect("16 ranks");
        assert_eq!(l.ranks(), 16);
        assert_eq!(first(&l, Group::Tensor, 2), [[0, 1], [2, 3]]);
        assert_eq!(first(&l, Group::Replicas, 3), [[0, 2, 4, 6], [1, 3, 5, 7], [8, 10, 12, 14]]);
        assert_eq!(first(&l, Group::Expert, 4), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(first(&l, Group::ExpertReplicas, 2), [[0, 4], [1, 5]]);
        assert_eq!(first(&l, Group::Pipeline, 2), [[0, 8], [1, 9]]);
        assert_eq!((l.stage(7), l.stage(8), l.grid()), (0, 1, vec![2, 4, 2]));
        let other = Layout::new(sizes(2, 1, 2, 4, 1, 2), "tp-cp-ep-pp-dp").expect("pp inside dp");
        assert_eq!(first(&other, Group::Pipeline, 2), [[0, 2], [1, 3]]);
        assert_eq!(first(&other, Group::Replicas, 1), [[0, 4, 8, 12]]);
        let refused = Layout::new(sizes(2, 1, 2, 4, 2, 2), "tp-cp-ep-pp-dp").expect_err("stages differ");
        assert!(refused.to_string().starts_with("with order tp-cp-ep-pp-dp the pipeline stages"), "{refused}");
        // Axes of size 1 that are left out do not count.
        let l = Layout::new(sizes(2, 2, 2, 8, 1, 2), "tp-cp-dp-pp").expect("context and stages without experts");
        assert_eq!(first(&l, Group::Pipeline, 1), [[0, 32]]);
        let l = Layout::new(sizes(8, 1, 1, 2, 8, 1), ORDER).expect("experts across tensor ranks");
        assert_eq!(first(&l, Group::Expert, 1), first(&l, Group::Tensor, 1));
        let l = Layout::new(sizes(1, 2, 1, 4, 1, 1), "tp-dp-cp").expect("context outside");
        assert_eq!(first(&l, Group::Context, 2), [[0, 4], [1, 5]]);
        assert_eq!(first(&l, Group::Shards(4), 2), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(first(&l, Group::ShardReplicas(4), 2), [[0, 4], [1, 5]]);
    }

    #[test]
    fn every_rank_is_in_one_group_of_a_kind() {
        let kinds = [
            Group::Tensor,
            Group::Context,
            Group::Replicas,
            Group::Shards(2),
            Group::ShardReplicas(2),
            Group::Expert,
            Group::ExpertTensor,
            Group::ExpertReplicas,
            Group::Pipeline,
        ];
        for (sizes, order) in [
            (sizes(2, 3, 2, 4, 4, 3), ORDER),
            (sizes(2, 1, 3, 4, 1, 2), "tp-ep-pp-cp-dp"),
            (sizes(4, 1, 3, 2, 2, 2), "tp-ep-dp-pp-cp"),
        ] {
            let Ok(layout) = Layout::new(sizes, order) else { panic!("{sizes:?} {order}") };
            for kind in kinds {
                let groups = layout.groups(kind);
                assert!(groups.iter().all(|g| g.len() == layout.members(kind) as usize && g.is_sorted()), "{kind:?}");
                let same = |g: &Vec<u32>| g.iter().all(|&r| layout.stage(r) == layout.stage(g[0]));
                assert!(kind == Group::Pipeline || groups.iter().all(same), "{kind:?} in one stage");
                let mut all: Vec<u32> = groups.into_iter().flatten().collect();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..layout.ranks()), "{kind:?} of {sizes:?}");
            }
        }
    }

    #[test]
    fn refusals_name_what_is_wrong() {
        for (sizes, order, said) in [
            (sizes(2, 1, 2, 4, 3, 2), ORDER, "16 ranks are no multiple of etp*ep*pp = 2*3*2"),
            (sizes(2, 1, 2, 4, 1, 2), "tp-xp-dp", "`order` is `tp-xp-dp`, expected tp, cp, ep, dp and pp once each"),
            (sizes(2, 1, 2, 4, 1, 2), "tp-tp-dp", "`order` is `tp-tp-dp`, expected"),
            (sizes(2, 1, 2, 4, 1, 2), "tp-dp", "`order` is `tp-dp` without pp, of which there are 2"),
            (sizes(0, 1, 2, 4, 1, 2), ORDER, "`tp` is 0, expected 1 to"),
            (sizes(1 << 20, 1, 1 << 20, 1, 1, 1), ORDER, "tp*cp*dp*pp is more than"),
            (
                sizes(2, 1, 2, 4, 1, 1),
                "tp-cp-ep-pp-dp",
                "with order tp-cp-ep-pp-dp the pipeline stages of dense layers are 2",
            ),
        ] {
            let e = Layout::new(sizes, order).expect_err(said).to_string();
            assert!(e.starts_with(said), "{e}");
        }
    }
}
