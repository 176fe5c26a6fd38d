//! Whether a network is whole: all hosts reach each other, and no packets wait for each other for ever.

use crate::fabric::metrics::parts;
use crate::fabric::{Fabric, Outside};
use crate::id::{LinkId, VertexId};
use crate::plan::Network;
use crate::routing::{Audit, LANES, LidChoice, Table, deadlock};
use crate::topology::{File, Topology};
use rustc_hash::FxHashMap;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What `hopline fabric check` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct CheckOutcome {
    /// The machine.
    pub fabric: String,
    /// The routing that was checked.
    pub routing: String,
    /// Ordered pairs of endpoints with hosts.
    pub pairs: u64,
    /// How many of them do not arrive.
    pub broken: u64,
    /// Links of a cycle in which packets could wait for each other for ever, with
    /// their virtual lanes where service levels were read; empty where there is
    /// none, or where only cables were checked.
    pub cycle: Vec<String>,
    /// Virtual lanes that carry packets between switches; null where no service
    /// levels were read, or where nothing depends on them.
    pub lanes: Option<usize>,
    /// Everything that is wrong or could not be told, in words; empty where all is well.
    pub problems: Vec<String>,
    /// All of it in one sentence.
    pub verdict: String,
    /// What people should know.
    pub notes: Vec<String>,
}

/// What is found, before it is a verdict.
#[derive(Default)]
struct Findings {
    pairs: u64,
    broken: u64,
    cycle: Vec<String>,
    lanes: Option<usize>,
    problems: Vec<String>,
    /// One phrase for each kind of problem.
    wrong: Vec<String>,
}

/// Checks that all hosts reach each other, by the tables where there are any, and
/// that packets on the way by them cannot wait for each other in a cycle: link by
/// link, or lane by lane where the service levels were read.
pub fn check(network: &Network) -> CheckOutcome {
    // Insides of hosts are theirs; what is checked is the network between them.
    let f = network.fabric.outside().map_or(&network.fabric, Outside::fabric);
    let mut found = Findings::default();
    let file = if let Topology::File(file) = &network.topology { Some(file) } else { None };
    let table = file.and_then(File::tables).map(|(lids, t)| Table::new(f.clone(), lids, &t, LidChoice::Spread));
    match &table {
        Some(table) => found.by_tables(f, table, file),
        None => found.by_cables(f),
    }
    if found.pairs == 0 {
        found.nobody(f);
    }
    if let Some(doubts) = file.map(File::doubts).filter(|d| !d.is_empty()) {
        found.problems.extend_from_slice(doubts);
        found.wrong.push("the dumps are not whole".into());
    }
    let sound = match (&table, found.lanes) {
        (None, _) => "by their cables; without tables no routes were checked",
        (Some(_), None) => "by the tables, and no packets can wait for each other in a cycle",
        (Some(_), Some(_)) => "by the tables, and on the lanes of their service levels no packets can wait in a cycle",
    };
    let verdict = match found.wrong.is_empty() {
        true => format!("all {} pairs of endpoints reach each other {sound}", found.pairs),
        false => format!("not in order: {}", found.wrong.join("; ")),
    };
    let notes = network.notes.iter().filter(|note| !found.problems.contains(note)).cloned().collect();
    CheckOutcome {
        fabric: f.name().to_string(),
        routing: network.routing_spec(),
        pairs: found.pairs,
        broken: found.broken,
        cycle: found.cycle,
        lanes: found.lanes,
        problems: found.problems,
        verdict,
        notes,
    }
}

impl Findings {
    fn by_tables(&mut self, f: &Fabric, table: &Table, file: Option<&File>) {
        let Audit { pairs, broken, examples, next } = table.audit();
        (self.pairs, self.broken) = (pairs, broken);
        if broken > 0 {
            self.problems.push(format!("{broken} of {pairs} pairs of endpoints do not reach each other"));
            self.problems.extend(examples);
            self.wrong.push(format!("{broken} of {pairs} pairs of endpoints do not reach each other"));
        }
        // What cannot wait on links cannot wait on their lanes either.
        let Some(cycle) = deadlock::find_cycle(&next) else { return };
        match file.and_then(File::levels) {
            Some(levels) => {
                let audit = table.audit_lanes(levels);
                self.lanes = Some(audit.lanes);
                if audit.unknown > 0 {
                    self.problems.push(format!("paths without a service level in the file of sl=: {}", audit.unknown));
                    self.wrong.push(format!("{} paths have no known service level", audit.unknown));
                }
                if audit.faulty > 0 {
                    self.problems.extend(audit.faults);
                    self.wrong.push(format!("{} turns have no virtual lane", audit.faulty));
                }
                let name = |c: u32| format!("{} on VL {}", f.link_name(LinkId(c / LANES as u32)), c % LANES as u32);
                if let Some(cycle) = deadlock::find_cycle(&audit.next) {
                    self.waits(cycle.into_iter().map(name).collect(), "", "packets can deadlock");
                }
            }
            None => {
                let unless = ", unless their service levels put them on different virtual lanes (LASH, DFSSSP, \
                              Torus-2QoS): sl= and sl2vl= of the topology tell which (`hopline explain file`)";
                let names = cycle.into_iter().map(|l| f.link_name(LinkId(l))).collect();
                self.waits(names, unless, "packets can deadlock, unless service levels part them");
            }
        }
    }

    fn waits(&mut self, cycle: Vec<String>, unless: &str, wrong: &str) {
        let links = cycle.len();
        self.problems
            .push(format!("packets could wait for each other for ever around a cycle of {links} links{unless}"));
        self.wrong.push(wrong.into());
        self.cycle = cycle;
    }

    fn by_cables(&mut self, f: &Fabric) {
        let part = parts(f, |_| true);
        let mut sizes: FxHashMap<u32, u64> = FxHashMap::default();
        let ends = (0..f.endpoints()).filter(|&v| f.hosts().owner(VertexId(v)).is_some());
        ends.for_each(|v| *sizes.entry(part[v as usize]).or_default() += 1);
        let pairs = |n: u64| n * n.saturating_sub(1);
        self.pairs = pairs(sizes.values().sum());
        self.broken = self.pairs - sizes.values().map(|&n| pairs(n)).sum::<u64>();
        if self.broken > 0 {
            let what = format!("no cables join {} of {} pairs of endpoints", self.broken, self.pairs);
            self.problems.push(what.clone());
            self.wrong.push(what);
        }
    }

    /// Nothing was checked, and why.
    fn nobody(&mut self, f: &Fabric) {
        let hosts = f.hosts().len();
        let why = match (f.endpoints(), hosts) {
            (0, _) => "no adapter has a cable".to_string(),
            (ends, 0) => format!(
                "none of the {ends} endpoints names a host: adapters are called after their host once its node \
                 description is set"
            ),
            _ => "there is one endpoint with a host".to_string(),
        };
        self.problems.push(format!("no pair of hosts was checked: {why}"));
        self.wrong.push("no pair of hosts was checked".into());
    }
}
