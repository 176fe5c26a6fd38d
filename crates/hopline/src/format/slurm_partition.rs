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

/// More hosts than any partition has: a mistyped range must not ask for all memory.
const MOST_HOSTS: usize = 1 << 17;

/// The most names of all lists, in which hosts may come again.
const MOST_TOLD: usize = 8 * MOST_HOSTS;

/// Partitions among which one is looked for that was mistyped.
const MOST_KNOWN: usize = 100;

/// The hosts of a partition. O(text + hosts).
///
/// # Errors
/// The text is of none of these commands, knows no such partition, has a hostlist that cannot be read, or more than 131,072
/// hosts.
pub fn partition(path: &str, text: &str, name: &str) -> Result<Partition> {
    let mut partition = Partition::default();
    let (mut seen, mut away, mut told) = (FxHashSet::default(), FxHashSet::default(), 0);
    for row in rows(path, text)? {
        if row.partition != name || ["(null)", "", "N/A", "n/a"].contains(&row.hosts) {
            continue;
        }
        let at = |e: Error| e.at(&Place::new(path, row.line));
        let hosts = hostlist::names(row.hosts).map_err(at)?;
        told += hosts.len();
        if told > MOST_TOLD {
            return Err(at(Error::input(format!("lists of more than {MOST_TOLD} names"))));
        }
        for host in hosts {
            if seen.len() == MOST_HOSTS && !seen.contains(&host) {
                return Err(at(Error::input(format!("more than {MOST_HOSTS} hosts of a partition"))));
            }
            if row.state.is_some_and(is_away) && away.insert(host.clone()) {
                partition.away.push(host.clone());
            }
            if seen.insert(host.clone()) {
                partition.hosts.push(host);
            }
        }
    }
    if partition.hosts.is_empty() {
        let mut known: Vec<&str> = Vec::new();
        for row in rows(path, text)? {
            if known.len() < MOST_KNOWN && !known.contains(&row.partition) {
                known.push(row.partition);
            }
        }
        return Err(Error::input(format!("no hosts of a partition {}", quote(name))).at(&Place::new(path, 0)).hint(
            suggest_near(name, known.into_iter(), "its names stand behind PartitionName= or in the column PARTITION"),
        ));
    }
    Ok(partition)
}

/// What a text lists, told apart by its words.
fn rows<'a>(path: &str, text: &'a str) -> Result<Box<dyn Iterator<Item = Row<'a>> + 'a>> {
    if text.contains("PartitionName=") {
        Ok(Box::new(shown_partitions(text)))
    } else if text.contains("NodeName=") {
        Ok(Box::new(shown_nodes(text)))
    } else if let Some(rows) = listed(text) {
        Ok(Box::new(rows))
    } else {
        Err(Error::input("no hosts of partitions in it")
            .at(&Place::new(path, 1))
            .hint("expected what sinfo (with its heading), `scontrol show partition` or `scontrol show node` prints"))
    }
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

fn shown_partitions(text: &str) -> impl Iterator<Item = Row<'_>> {
    let mut partition = "";
    text.lines().zip(1..).filter_map(move |(text, line)| {
        partition = value(text, "PartitionName").unwrap_or(partition);
        Some(Row { partition, hosts: value(text, "Nodes")?, state: None, line })
    })
}

fn shown_nodes(text: &str) -> impl Iterator<Item = Row<'_>> {
    // State comes before Partitions, on lines of their own unless --oneliner is given.
    let (mut hosts, mut state) = ("", None);
    text.lines().zip(1..).flat_map(move |(text, line)| {
        if let Some(name) = value(text, "NodeName") {
            (hosts, state) = (name, None);
        }
        state = value(text, "State").or(state);
        let (hosts, state) = (hosts, state);
        let partitions = value(text, "Partitions").unwrap_or_default().split(',').filter(|name| !name.is_empty());
        partitions.map(move |partition| Row { partition, hosts, state, line })
    })
}

/// The table of `sinfo`, whose heading tells the columns, also with `|` between them; none where there is no heading.
fn listed(text: &str) -> Option<impl Iterator<Item = Row<'_>>> {
    let mut lines = text.lines().zip(1..).skip_while(|(line, _)| !line.contains("PARTITION"));
    let heading = lines.next()?.0;
    let column = |name: &str| cells(heading).position(|word| word == name);
    let (partition, hosts) = (column("PARTITION")?, column("NODELIST")?);
    let state = column("STATE");
    Some(lines.filter_map(move |(text, line)| {
        let cell = |at: usize| cells(text).nth(at);
        // The default partition has a star behind its name.
        let (partition, hosts) = (cell(partition)?.trim_end_matches('*'), cell(hosts)?);
        Some(Row { partition, hosts, state: state.and_then(cell), line })
    }))
}

fn cells(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == '|').filter(|word| !word.is_empty())
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
    fn more_hosts_than_a_partition_has_are_refused() {
        let list = |hosts: &str| format!("PartitionName=gpu\n   Nodes={hosts}\nPartitionName=gpu\n   Nodes=a[0-9]\n");
        assert!(told(&list("n[1-131062]"), "gpu").ends_with("a9 / "));
        assert_eq!(told(&list("n[1-131063]"), "gpu"), "p:4: more than 131072 hosts of a partition");
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
