//! Which hosts a partition of Slurm has, from what its commands print: `scontrol show partition`, `scontrol show node` or `sinfo`.
//! Source: slurm.schedmd.com, scontrol(1) and sinfo(1).

use super::hostlist;
use super::words::quote;
use crate::error::{Error, Place, Result, suggest_near};
use rustc_hash::FxHashSet;

/// The hosts of a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Partition {
    /// Their names, each once, in the order of the text.
    pub hosts: Vec<String>,
    /// Those among them that take no jobs now, as far as the text tells states: down, drained, failed.
    pub away: Vec<String>,
}

/// What a line says of some hosts.
struct Row<'a> {
    partition: &'a str,
    hosts: &'a str,
    state: Option<&'a str>,
    line: u32,
}

/// The hosts of a partition. O(text + hosts).
///
/// # Errors
/// The text is of none of these commands, knows no such partition, or has a hostlist that cannot be read.
pub fn partition(path: &str, text: &str, name: &str) -> Result<Partition> {
    let rows = if text.contains("PartitionName=") {
        shown_partitions(text)
    } else if text.contains("NodeName=") {
        shown_nodes(text)
    } else {
        listed(text).ok_or_else(|| {
            Error::input("no hosts of partitions in it").at(&Place::new(path, 1)).hint(
                "expected what sinfo (with its heading), `scontrol show partition` or `scontrol show node` prints",
            )
        })?
    };
    let mut partition = Partition::default();
    let (mut seen, mut away) = (FxHashSet::default(), FxHashSet::default());
    for row in rows.iter().filter(|row| row.partition == name && !["(null)", "", "N/A", "n/a"].contains(&row.hosts)) {
        for host in hostlist::expand(row.hosts).map_err(|e| e.at(&Place::new(path, row.line)))? {
            if row.state.is_some_and(is_away) && away.insert(host.clone()) {
                partition.away.push(host.clone());
            }
            if seen.insert(host.clone()) {
                partition.hosts.push(host);
            }
        }
    }
    if partition.hosts.is_empty() {
        let known = rows.iter().map(|row| row.partition);
        return Err(Error::input(format!("no hosts of a partition {}", quote(name)))
            .at(&Place::new(path, 0))
            .hint(suggest_near(name, known, "its names stand behind PartitionName= or in the column PARTITION")));
    }
    Ok(partition)
}

/// Flags of a state in which hosts take no jobs, as sinfo and scontrol have them, long and short.
const AWAY: [&str; 20] = [
    "down",
    "drain",
    "draining",
    "drained",
    "drng",
    "fail",
    "failing",
    "failg",
    "unknown",
    "unk",
    "inval",
    "maint",
    "maintenance",
    "not_responding",
    "no_respond",
    "error",
    "err",
    "future",
    "futr",
    "invalid_reg",
];

/// Whether hosts in a state take no jobs: `down*`, `drained`, `IDLE+DRAIN`. What is powered off is started for a job. Behind sinfo's
/// word `*` says that a host does not answer, `$` that it is kept for maintenance.
fn is_away(state: &str) -> bool {
    let state = state.to_ascii_lowercase();
    state.ends_with(['*', '$'])
        || state.split('+').any(|flag| AWAY.contains(&flag.trim_end_matches(|c: char| !c.is_ascii_alphanumeric())))
}

/// The value of `key=` among the words of a line.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

fn shown_partitions(text: &str) -> Vec<Row<'_>> {
    let (mut rows, mut partition) = (Vec::new(), "");
    for (line, at) in text.lines().zip(1..) {
        partition = value(line, "PartitionName").unwrap_or(partition);
        if let Some(hosts) = value(line, "Nodes") {
            rows.push(Row { partition, hosts, state: None, line: at });
        }
    }
    rows
}

fn shown_nodes(text: &str) -> Vec<Row<'_>> {
    // State comes before Partitions, on lines of their own unless --oneliner is given.
    let (mut rows, mut hosts, mut state) = (Vec::new(), "", None);
    for (line, at) in text.lines().zip(1..) {
        if let Some(name) = value(line, "NodeName") {
            (hosts, state) = (name, None);
        }
        state = value(line, "State").or(state);
        let partitions = value(line, "Partitions").unwrap_or_default();
        let row = |partition| Row { partition, hosts, state, line: at };
        rows.extend(partitions.split(',').filter(|name| !name.is_empty()).map(row));
    }
    rows
}

/// The table of `sinfo`, whose heading tells the columns, also with `|` between them; none where there is no heading.
fn listed(text: &str) -> Option<Vec<Row<'_>>> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| !line.contains("PARTITION"));
    let heading = cells(lines.next()?.0);
    let column = |name: &str| heading.iter().position(|word| *word == name);
    let (partition, hosts) = (column("PARTITION")?, column("NODELIST")?);
    let state = column("STATE");
    let mut rows = Vec::new();
    for (line, at) in lines {
        let words = cells(line);
        let (Some(partition), Some(hosts)) = (words.get(partition), words.get(hosts)) else { continue };
        // The default partition has a star behind its name.
        let state = state.and_then(|at| words.get(at)).copied();
        rows.push(Row { partition: partition.trim_end_matches('*'), hosts, state, line: at });
    }
    Some(rows)
}

fn cells(line: &str) -> Vec<&str> {
    line.split(|c: char| c.is_whitespace() || c == '|').filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, name: &str) -> String {
        match partition("p", text, name) {
            Ok(Partition { hosts, away }) => format!("{} / {}", hosts.join(" "), away.join(" ")),
            Err(e) => e.to_string(),
        }
    }

    #[test]
    fn hosts_are_those_of_the_partition() {
        let sinfo = "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n\
                     gpu*         up 1-00:00:00      3   idle n[001-003]\n\
                     gpu*         up 1-00:00:00      1  drain n004\n\
                     debug        up      30:00      1  alloc n001\n";
        assert_eq!(told(sinfo, "gpu"), "n001 n002 n003 n004 / n004");
        assert_eq!(told(sinfo, "debug"), "n001 / ");
        assert_eq!(told(sinfo, "gpus"), "p: no hosts of a partition `gpus`; did you mean `gpu`?");
        let barred = "PARTITION|NODELIST|STATE\ngpu*|n[001-002]|idle\ngpu*|n003|down*\n";
        assert_eq!(told(barred, "gpu"), "n001 n002 n003 / n003");
        let partitions =
            "PartitionName=gpu\n   AllowGroups=ALL\n   Nodes=n[001-002],m1\n\nPartitionName=cpu\n   Nodes=c1\n";
        assert_eq!(told(partitions, "gpu"), "n001 n002 m1 / ");
        let nodes = "NodeName=n1 Arch=x86_64\n   State=IDLE ThreadsPerCore=1\n   Partitions=gpu,all \n\n\
                     NodeName=n2 Arch=x86_64\n   State=IDLE+DRAIN ThreadsPerCore=1\n   Partitions=all \n";
        assert_eq!((told(nodes, "gpu"), told(nodes, "all")), ("n1 / ".into(), "n1 n2 / n2".into()));
        let states = |state: &str| told(&format!("NodeName=n1\n State={state}\n Partitions=p\n"), "p");
        for away in
            ["IDLE+DRAIN", "down*", "idle*", "drng", "INVAL", "IDLE+MAINTENANCE", "mix$", "UNKNOWN", "FUTURE", "failg"]
        {
            assert_eq!(states(away), "n1 / n1", "{away}");
        }
        for here in
            ["IDLE+POWERED_DOWN", "idle~", "ALLOCATED+COMPLETING", "mix-", "IDLE+CLOUD+POWERING_DOWN", "resv", "plnd"]
        {
            assert_eq!(states(here), "n1 / ", "{here}");
        }
        assert!(told("hello\n", "gpu").starts_with("p:1: no hosts of partitions in it; expected what sinfo"));
        assert!(told(&sinfo.replace("[001-003]", "[001-"), "gpu").starts_with("p:2: "));
    }
}
