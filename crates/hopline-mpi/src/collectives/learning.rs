//! What a communicator learns while the job runs. Some calls, ever fewer of them, begin with a word of rank 0, which
//! has the file and the clock that count: how much may be spent, and how many pairs of nodes are measured
//! now. So all ranks do the same, and know the same.

use super::delays::kept::{self, Found};
use super::delays::{Cost, Learner, Team};
use super::model::Network;
use super::operation::{Key, Operation};
use super::settings::Settings;
use super::{report, with};
use crate::abi::abi;
use crate::real::pmpi;
use crate::{now, ran};
use std::collections::HashMap;

/// The call that begins with rank 0's first word where delays are not known: what few calls take tells nothing.
const FIRST: u64 = 8;
/// Verdicts of earlier jobs that rank 0 hands to the others.
const VERDICTS: usize = 64;

/// Seconds for which our way is not tried again where it was slower: a day.
const RETRY: u64 = 86_400;
/// Seconds that a plan may take by pair of nodes, until one was made.
const PLANNING: f64 = 2e-5;

pub(super) struct Learned {
    learner: Learner,
    /// `None` while pairs are unknown.
    pub(super) network: Option<Network>,
    /// Seconds that trials may cost until the next word.
    pub(super) credit: f64,
    /// What earlier jobs found: seconds a byte of the library's way and of ours.
    pub(super) verdicts: HashMap<Key, [f64; 2]>,
    calls: u64,
    /// The call that begins with the next word.
    due: u64,
    /// Seconds a byte of the library's calls: this rank's least, and the largest of that on all ranks.
    least: f64,
    rate: f64,
    /// Seconds of the longest plan: on this rank, and on any.
    plan: f64,
    planning: f64,
}

impl Learned {
    /// Collective: what earlier jobs knew. `None` where there are too many nodes, or MPI fails.
    pub(super) fn new(team: &Team<'_>, settings: &Settings, cost: &mut Cost) -> Option<Learned> {
        let kept =
            if team.channel.rank == 0 { with(|state| state.memory.kept().clone())? } else { kept::Kept::default() };
        let learner = team.learner(&settings.source, &kept, cost)?;
        let mut cells = vec![-1.0f64; 5 * VERDICTS];
        // That ours was slower is tried again the day after.
        let today = kept::today();
        let counts = |found: &Found<[f64; 2]>| {
            settings.is_free() && (found.value[0] < found.value[1] || today < found.when + RETRY)
        };
        let ways = kept.ways(team.nodes.layout()).filter(|(_, found)| counts(found));
        for (cell, ((_, operation, root, log2), found)) in cells.chunks_exact_mut(5).zip(ways) {
            if let Some(at) = Operation::ALL.iter().position(|known| known.name() == operation) {
                cell.copy_from_slice(&[at as f64, *root as f64, f64::from(*log2), found.value[0], found.value[1]]);
            }
        }
        let code = pmpi!(PMPI_Bcast(cells.as_mut_ptr(), cells.len(), abi().double, 0, team.handle));
        let verdicts = cells.chunks_exact(5).filter(|cell| cell[0] >= 0.0).map(|cell| {
            let operation = Operation::ALL[cell[0] as usize % Operation::ALL.len()];
            ((operation, cell[1] as usize, cell[2] as u32), [cell[4], cell[3]])
        });
        let verdicts = verdicts.collect();
        let [least, rate] = [f64::INFINITY; 2];
        let planning = PLANNING * (team.nodes.leader.len() as f64).powi(2);
        let mut mind = Learned {
            learner,
            network: None,
            credit: 0.0,
            verdicts,
            calls: 0,
            due: 1,
            least,
            rate,
            plan: planning,
            planning,
        };
        mind.finish();
        if mind.network.is_none() && settings.percent < 100 {
            mind.due = FIRST;
        }
        (code == 0).then_some(mind)
    }

    /// A call of the library's took so long.
    pub(super) fn called(&mut self, seconds: f64, volume: u64) {
        self.least = self.least.min(seconds / volume.max(1) as f64);
    }

    /// True where calls of another kind can be planned, which is charged.
    pub(super) fn plans(&mut self) -> bool {
        let affordable = self.network.is_some() && self.planning <= self.credit;
        if affordable {
            self.credit -= self.planning;
        }
        affordable
    }

    /// A plan took so long on this rank.
    pub(super) fn planned(&mut self, seconds: f64) {
        self.plan = self.plan.max(seconds);
        with(|state| state.budget.spend(seconds));
    }

    /// Collective, before a call: rank 0's word where it is due, and of use: not where all is known and the way of the
    /// call `decided`. True where what was known is no longer true.
    pub(super) fn consult(&mut self, team: &Team<'_>, decided: bool) -> bool {
        self.calls += 1;
        if self.calls < self.due || (decided && self.network.is_some() && self.learner.open() == 0) {
            return false;
        }
        self.due = self.calls + 1 + self.calls / 4;
        let begin = now();
        // All as the largest of any rank: two are rank 0's.
        let mut word = [f64::MIN, 0.0, self.least, self.plan];
        if team.channel.rank == 0 {
            let (each, guess) = self.learner.each(self.rate);
            with(|state| {
                word[0] = state.budget.left(ran());
                word[1] = state.budget.pairs(ran(), self.learner.open(), each, guess) as f64;
            });
        }
        let mut all = word;
        if pmpi!(PMPI_Allreduce(word.as_ptr(), all.as_mut_ptr(), 4, abi().double, abi().max, team.handle)) != 0 {
            return false;
        }
        (self.credit, self.rate, self.planning) = (all[0], all[2], all[3]);
        let stale = all[1] >= 1.0 && self.learn(team, all[1] as usize);
        with(|state| state.budget.learn((now() - begin) as f64 / 1e9));
        stale
    }

    /// Collective: measures some pairs more.
    fn learn(&mut self, team: &Team<'_>, count: usize) -> bool {
        let mut cost = Cost::default();
        let Some((facts, stale)) = team.learn(&mut self.learner, count, &mut cost) else { return false };
        if stale {
            self.network = None;
            self.verdicts.clear();
        }
        report(|report| report.spent(cost));
        if team.channel.rank == 0 {
            let when = kept::today();
            with(|state| {
                let memory = &mut state.memory;
                if stale {
                    let hosts = team.nodes.name.clone();
                    memory.kept().forget(&hosts, team.nodes.layout());
                    memory.forgotten.push((hosts, team.nodes.layout()));
                }
                facts.iter().for_each(|(a, b, delay)| memory.kept().learn(a, b, *delay, when));
                memory.changed = true;
                if self.learner.open() == 0 {
                    memory.save();
                }
            });
        }
        if stale {
            report(|report| report.line("what earlier jobs found is no longer true: delays are measured anew".into()));
        }
        self.finish();
        stale
    }

    /// Once every pair is known.
    fn finish(&mut self) {
        if self.network.is_none() {
            self.network = self.learner.network();
            if let Some(network) = &self.network {
                let line =
                    format!("{} nodes in {} islands, delays {}", network.nodes, network.islands(), self.learner.how());
                report(|report| report.line(line));
            }
        }
    }

    /// What is not known at the end, in words.
    pub(super) fn lack(&self) -> Option<String> {
        self.network.is_none().then(|| self.learner.lack())
    }
}
