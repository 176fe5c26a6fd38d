//! `--hosts`: the hosts of a job and how many of their slots it may use.

mod group;

use crate::error::{Error, Place, Result, suggest_near};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::hostlist;
use crate::id::{HostId, SlotId};
use crate::rng::Rng;
use rustc_hash::FxHashMap;

/// A host of the allocation with the number of its slots that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) host: HostId,
    pub(super) slots: u32,
}

impl Share {
    /// The slots that may be used: the first ones of the host.
    pub(super) fn slots(self, fabric: &Fabric) -> impl Iterator<Item = SlotId> + use<> {
        fabric.hosts().slots_of(self.host).take(self.slots as usize)
    }
}

/// All hosts that run tasks, whole: those that have slots and do not manage the fabric.
pub(crate) fn usable(fabric: &Fabric) -> Vec<HostId> {
    let (hosts, managers) = (fabric.hosts(), fabric.managers());
    let runs = |h: &HostId| hosts.slot_count(*h) > 0 && !managers.contains(h);
    (0..hosts.len()).map(HostId).filter(runs).collect()
}

/// The same as shares.
pub(super) fn whole(fabric: &Fabric) -> Vec<Share> {
    usable(fabric).into_iter().map(|host| Share { host, slots: fabric.hosts().slot_count(host) }).collect()
}

/// Hosts of an allocation, and what people should know of how they were found.
pub(super) struct Allocated {
    pub(super) shares: Vec<Share>,
    pub(super) note: Option<String>,
}

/// The hosts that `--hosts` means: `@compute`, `@partition:NAME:FILE`, or as [`shares`] has it.
///
/// # Errors
/// As those of [`shares`]; a partition is unknown, or none of its hosts is in the fabric.
pub(super) fn allocate(fabric: &Fabric, text: &str, seed: u64, files: &dyn Files) -> Result<Allocated> {
    match text.strip_prefix('@') {
        Some(group) if !Named::new(fabric).ids.contains_key(text) => group::hosts(fabric, group, files),
        _ => Ok(Allocated { shares: shares(fabric, text, seed, files)?, note: None }),
    }
}

/// The hosts that these words mean: `random:N`, `first:N`, names as a hostlist
/// (`n[001-004,7],login1`), or a file with a name or hostlist a line. A name may
/// say how many slots are used: `n001:4`, or `n001 slots=4` in a file, as
/// launchers write it.
///
/// # Errors
/// A host that is not there, runs no tasks, is named twice or has fewer slots;
/// the error names the line.
fn shares(fabric: &Fabric, text: &str, seed: u64, files: &dyn Files) -> Result<Vec<Share>> {
    let all = whole(fabric);
    let number = |n: &str| -> Result<usize> {
        let n: usize = n.parse().map_err(|_| Error::input(format!("`{n}` is no number of hosts")))?;
        if n == 0 || n > all.len() {
            return Err(Error::input(format!("{n} hosts are asked for, {} has {}", fabric.name(), all.len())));
        }
        Ok(n)
    };
    if let Some(n) = text.strip_prefix("random:") {
        let picked = Rng::new(seed, "hosts").sample(number(n)?, all.len());
        return Ok(picked.into_iter().filter_map(|i| all.get(i).copied()).collect());
    }
    if let Some(n) = text.strip_prefix("first:") {
        return Ok(all.iter().copied().take(number(n)?).collect());
    }
    let mut named = Named::new(fabric);
    // A word that is a host is meant so, even where a file has its name.
    if text.contains([',', '[']) || named.ids.contains_key(text) || named.ids.contains_key(split_count(text).0) {
        named.add(text, None)?;
    } else {
        let list = read_text(files, text).map_err(|e| {
            e.hint(suggest_near(text, named.names(), "hosts are a file, names, random:N, first:N or @compute"))
        })?;
        match slot_by_slot(&list) {
            Some(hosts) => {
                for (name, slots, line) in hosts {
                    let added = named.add_host(name, Some(&slots.to_string()));
                    added.map_err(|e| e.at(&Place::new(text, line)))?;
                }
            }
            None => {
                for (line, number) in list.lines().zip(1..) {
                    named.add_line(line).map_err(|e| e.at(&Place::new(text, number)))?;
                }
            }
        }
        if named.shares.is_empty() {
            return Err(
                Error::input("no host in it, expected the hosts of a job, a line for each").at(&Place::new(text, 0))
            );
        }
    }
    Ok(named.shares)
}

/// Hosts with their slots and first line where each line is a host alone and some come again, once for each slot, as in PBS's
/// `$PBS_NODEFILE`.
fn slot_by_slot(list: &str) -> Option<Vec<(&str, u32, u32)>> {
    let (mut hosts, mut place): (Vec<(&str, u32, u32)>, _) = (Vec::new(), FxHashMap::default());
    for (line, number) in list.lines().zip(1..) {
        let name = line.split('#').next().unwrap_or_default().trim();
        if name.contains(char::is_whitespace) {
            return None;
        }
        if !name.is_empty() {
            let at = *place.entry(name).or_insert(hosts.len());
            match hosts.get_mut(at) {
                Some(host) => host.1 += 1,
                None => hosts.push((name, 1, number)),
            }
        }
    }
    hosts.iter().any(|host| host.1 > 1).then_some(hosts)
}

/// `host:N` as host and N.
fn split_count(word: &str) -> (&str, Option<&str>) {
    match word.rsplit_once(':') {
        Some((name, count)) if count.bytes().all(|b| b.is_ascii_digit()) => (name, Some(count)),
        _ => (word, None),
    }
}

/// Hosts by name, and those that were named.
struct Named<'a> {
    fabric: &'a Fabric,
    ids: FxHashMap<&'a str, HostId>,
    taken: Vec<bool>,
    shares: Vec<Share>,
}

impl<'a> Named<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        let hosts = fabric.hosts();
        // Backwards, so that of two hosts with one name the first stays.
        let ids = (0..hosts.len()).rev().map(HostId).map(|host| (hosts.name(host), host)).collect();
        Named { fabric, ids, taken: vec![false; hosts.len() as usize], shares: Vec::new() }
    }

    fn names(&self) -> impl Iterator<Item = &'a str> + Clone + use<'a> {
        let hosts = self.fabric.hosts();
        (0..hosts.len()).map(|h| hosts.name(HostId(h)))
    }

    /// A line of a file: names, and for each of them `slots=N` if it is there.
    fn add_line(&mut self, line: &str) -> Result<()> {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(names) = words.next() else { return Ok(()) };
        let mut slots = None;
        for word in words {
            match word.split_once('=') {
                Some(("slots", count)) => slots = Some(count),
                // How far a launcher may oversubscribe: no matter here.
                Some(("max_slots" | "max-slots", _)) => {}
                _ => return Err(Error::input(format!("found `{word}`, expected `slots=N` after a host")).hint(HINT)),
            }
        }
        self.add(names, slots)
    }

    fn add(&mut self, list: &str, slots: Option<&str>) -> Result<()> {
        if self.ids.contains_key(list) {
            return self.add_host(list, slots);
        }
        for word in hostlist::names(list)? {
            match split_count(&word) {
                // Names of adapters may hold a colon.
                (name, Some(count)) if !self.ids.contains_key(word.as_str()) => self.add_host(name, Some(count))?,
                _ => self.add_host(&word, slots)?,
            }
        }
        Ok(())
    }

    fn add_host(&mut self, name: &str, slots: Option<&str>) -> Result<()> {
        let host = *self.ids.get(name).ok_or_else(|| self.unknown(name))?;
        let has = self.fabric.hosts().slot_count(host);
        if has == 0 {
            let error = Error::input(format!("`{name}` runs no tasks"));
            return Err(match self.fabric.between_hosts().hosts().slot_count(host) {
                0 => error,
                _ => error.hint(
                    "by its name it manages the fabric, and has not the inside of those that compute: without an inside \
                     it may run some",
                ),
            });
        }
        let slots = match slots {
            Some(count) => count.parse().ok().filter(|n| (1..=has).contains(n)).ok_or_else(|| {
                Error::input(format!("`{count}` slots of host `{name}`, expected 1 to {has}"))
                    .hint("slots= of the topology sets how many slots each host has")
            })?,
            None => has,
        };
        match self.taken.get_mut(host.index()) {
            Some(taken) if !*taken => *taken = true,
            _ => return Err(Error::input(format!("host `{name}` is named twice")).hint(HINT)),
        }
        self.shares.push(Share { host, slots });
        Ok(())
    }

    fn unknown(&self, name: &str) -> Error {
        let hint = suggest_near(name, self.names(), "`hopline fabric show` names some");
        Error::input(format!("{} has no host `{name}`", self.fabric.name())).hint(hint)
    }
}

const HINT: &str =
    "a host stands once, as `n001`, `n001:4` or `n001 slots=4`, or alone on a line for each of its slots";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::params::Params;
    use crate::topology;

    fn told(text: &str, file: &str) -> std::result::Result<String, String> {
        let place = Place::new("--topology", 0);
        let params = Params::from_spec("percs:ns=2,nd=1,slots=4", &place).expect("spec");
        let files = Memory([("my.hosts".to_string(), file.as_bytes().to_vec())].into());
        let fabric = topology::build(&params, &files).expect("fabric").1;
        let shares = allocate(&fabric, text, 1, &files).map_err(|e| e.to_string())?.shares;
        let show = |s: &Share| format!("{}:{}", fabric.hosts().name(s.host), s.slots(&fabric).count());
        Ok(shares.iter().map(show).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn hosts_are_named_one_by_one_as_hostlists_and_in_files() {
        for text in ["s0n3,s1n0,s0n4", "s0n3, s1n0 ,s0n[4]", "s[0]n3,s1n0,s0n4:4"] {
            assert_eq!(told(text, ""), Ok("s0n3:4 s1n0:4 s0n4:4".into()), "{text}");
        }
        assert_eq!(told("s[0-1]n[09-10]", ""), Err("percs:ns=2,nd=1 has no host `s0n09`; did you mean `s0n0`?".into()));
        assert_eq!(told("s[0-1]n[9-10]:2", ""), Ok("s0n9:2 s0n10:2 s1n9:2 s1n10:2".into()));
        assert_eq!(told("s0n7:1", ""), Ok("s0n7:1".into()));
        let file = "# mine\ns1n[2-3] slots=3 # two\n\ns0n1:2\ns0n0 max_slots=9\n";
        assert_eq!(told("my.hosts", file), Ok("s1n2:3 s1n3:3 s0n1:2 s0n0:4".into()));
        assert_eq!(
            told("my.hosts", "s0n3\ns0n1 # two\ns0n3\n\ns0n3\n"),
            Ok("s0n3:3 s0n1:1".into()),
            "as PBS writes them"
        );
        assert_eq!(told("first:2", ""), Ok("s0n0:4 s0n1:4".into()));
        assert_eq!(told("random:3", "").map(|s| s.split(' ').count()), Ok(3));
    }

    #[test]
    fn errors_name_the_line() {
        let raise = "slots= of the topology sets how many slots each host has";
        for (file, error) in [
            ("s0n0\ns0n0 slots=2\n", format!("my.hosts:2: host `s0n0` is named twice; {HINT}")),
            (
                "s0n1\ns0n0\ns0n0\ns0n0\ns0n0\ns0n0\n",
                format!("my.hosts:2: `5` slots of host `s0n0`, expected 1 to 4; {raise}"),
            ),
            (
                "s0n0\nnobody\ns0n0\n",
                "my.hosts:2: percs:ns=2,nd=1 has no host `nobody`; `hopline fabric show` names some".into(),
            ),
            ("# none\n", "my.hosts: no host in it, expected the hosts of a job, a line for each".into()),
            ("s0n0 slots=5\n", format!("my.hosts:1: `5` slots of host `s0n0`, expected 1 to 4; {raise}")),
            ("\ns0n0:0\n", format!("my.hosts:2: `0` slots of host `s0n0`, expected 1 to 4; {raise}")),
            ("s0n0 slots=\n", format!("my.hosts:1: `` slots of host `s0n0`, expected 1 to 4; {raise}")),
            ("s0n0 4\n", format!("my.hosts:1: found `4`, expected `slots=N` after a host; {HINT}")),
            (
                "s0n[1-\n",
                "my.hosts:1: found `s0n[1-`, expected brackets that open and close; \
                 a hostlist looks like n[001-004,7],login1"
                    .into(),
            ),
        ] {
            assert_eq!(told("my.hosts", file), Err(error));
        }
        let error = told("no.hosts", "").expect_err("no file");
        assert_eq!(error, "no.hosts: no such file; hosts are a file, names, random:N, first:N or @compute");
    }
}
