//! `--forbid`, `--capacity` and `--pin`: which slots of the allocation are left,
//! and which tasks must sit in which.

use super::allocation::Share;
use crate::error::{Error, Place, Result, suggest_near};
use crate::fabric::Fabric;
use crate::files::{Files, read_text};
use crate::format::hostlist;
use crate::id::{HostId, SlotId};
use crate::mapping::Kinds;
use crate::scenario::Limits;
use rustc_hash::{FxHashMap, FxHashSet};

/// The slots of the machine that limits take away.
///
/// # Errors
/// A host or slot that is not there, or a capacity that no host has.
pub(super) fn barred(fabric: &Fabric, limits: &Limits) -> Result<FxHashSet<SlotId>> {
    let names = Names::new(fabric);
    let hosts = fabric.hosts();
    let mut barred = FxHashSet::default();
    if let Some((text, place)) = &limits.forbid {
        for word in words(text) {
            barred.extend(names.slots(word).map_err(|e| e.at(place))?);
        }
    }
    if let Some((text, place)) = &limits.capacity {
        let mut seen = FxHashSet::default();
        for word in words(text) {
            let wrong = || Error::input(format!("found `{word}`, expected `host=N`")).at(place);
            let (list, count) = word.rsplit_once('=').ok_or_else(wrong)?;
            for host in names.hosts(list).map_err(|e| e.at(place))? {
                let (name, has) = (hosts.name(host), hosts.slot_count(host));
                let most: u32 = count.parse().ok().filter(|&n| n <= has).ok_or_else(|| {
                    Error::input(format!("capacity `{count}` of host `{name}`, expected 0 to {has}"))
                        .at(place)
                        .hint("slots= of the topology, --slots on the command line, sets how many slots each host has")
                })?;
                if !seen.insert(host) {
                    return Err(Error::input(format!("host `{name}` has two capacities")).at(place));
                }
                let left = hosts.slots_of(host).filter(|slot| !barred.contains(slot));
                let over: Vec<SlotId> = left.skip(most as usize).collect();
                barred.extend(over);
            }
        }
    }
    Ok(barred)
}

/// The slots that are left of every host of an allocation; hosts with none are left out.
pub(super) fn left(fabric: &Fabric, shares: &[Share], barred: &FxHashSet<SlotId>) -> Vec<Vec<SlotId>> {
    let own = |share: &Share| share.slots(fabric).filter(|slot| !barred.contains(slot)).collect::<Vec<_>>();
    shares.iter().map(own).filter(|own| !own.is_empty()).collect()
}

/// Which task must sit in which slot, where any must.
///
/// # Errors
/// A word that is no pin, or a task, host or slot that is not there or pinned
/// twice; the error names the line.
pub(super) fn pins(
    fabric: &Fabric,
    slots: &[SlotId],
    tasks: u32,
    limits: &Limits,
    files: &dyn Files,
) -> Result<Option<Kinds>> {
    let Some((text, place)) = &limits.pin else { return Ok(None) };
    if limits.reorder_hosts {
        return Err(Error::input("whole hosts are reordered, so no single task can be pinned").at(place));
    }
    let list = if text.contains('=') { text.clone() } else { read_text(files, text).map_err(|e| e.hint(HINT))? };
    let names = Names::new(fabric);
    let mut pins: Vec<(u32, SlotId)> = Vec::new();
    let mut taken = FxHashSet::default();
    for (i, line) in list.lines().enumerate() {
        let place = if text.contains('=') { place.clone() } else { Place::new(text.as_str(), i as u32 + 1) };
        for word in words(line.split('#').next().unwrap_or_default()) {
            let wrong = || Error::input(format!("found `{word}`, expected `task=slot`")).at(&place).hint(HINT);
            let (task, slot) = word.split_once('=').ok_or_else(wrong)?;
            let task = task.parse().map_err(|_| wrong())?;
            let several = names.slots(slot).map_err(|e| e.at(&place))?;
            // A host alone: its first slot that may be used.
            let free = several.iter().filter(|s| several.len() == 1 || slots.contains(s) && !taken.contains(*s));
            let Some(&slot) = free.into_iter().next() else {
                return Err(
                    Error::input(format!("task {task} is pinned to `{slot}`, where no slot is left")).at(&place)
                );
            };
            taken.insert(slot);
            pins.push((task, slot));
        }
    }
    Kinds::pinned(tasks, slots, &pins, fabric).map(Some).map_err(|e| e.at(place))
}

const HINT: &str = "pins look like 0=17,1=n001,2=n002:3: a task and its slot, host, or slot on a host";

/// Words between commas and blanks; commas in brackets part nothing.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let apart = move |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth <= 0 && (c == ',' || c.is_whitespace())
    };
    text.split(apart).filter(|word| !word.is_empty())
}

/// Hosts by name.
struct Names<'a> {
    fabric: &'a Fabric,
    ids: FxHashMap<&'a str, HostId>,
}

impl<'a> Names<'a> {
    fn new(fabric: &'a Fabric) -> Self {
        let hosts = fabric.hosts();
        // Backwards, so that of two hosts with one name the first stays.
        Names { fabric, ids: (0..hosts.len()).rev().map(HostId).map(|host| (hosts.name(host), host)).collect() }
    }

    fn host(&self, name: &str) -> Result<HostId> {
        self.ids.get(name).copied().ok_or_else(|| {
            let hosts = self.fabric.hosts();
            let known = (0..hosts.len()).map(|h| hosts.name(HostId(h)));
            let near = suggest_near(name, known, "`hopline fabric show` names some");
            Error::input(format!("{} has no host `{name}`", self.fabric.name())).hint(near)
        })
    }

    /// The hosts of a name or hostlist.
    fn hosts(&self, list: &str) -> Result<Vec<HostId>> {
        match self.ids.get(list) {
            Some(&host) => Ok(vec![host]),
            None => hostlist::expand(list)?.iter().map(|name| self.host(name)).collect(),
        }
    }

    /// The slots of `17` (a number), `n001` (all of a host), `n[001-004]`, or
    /// `n001:3` (one of a host).
    fn slots(&self, word: &str) -> Result<Vec<SlotId>> {
        let hosts = self.fabric.hosts();
        if !self.ids.contains_key(word) {
            if let Ok(slot) = word.parse::<u32>() {
                let all = hosts.slots();
                return match slot < all {
                    true => Ok(vec![SlotId(slot)]),
                    false => Err(Error::input(format!("slot {slot}, but {} has {all} slots", self.fabric.name()))),
                };
            }
            if let Some((list, k)) = word.rsplit_once(':')
                && let Ok(k) = k.parse::<u32>()
            {
                let own = |host: HostId| {
                    hosts.slots_of(host).nth(k as usize).ok_or_else(|| {
                        let (name, has) = (hosts.name(host), hosts.slot_count(host));
                        Error::input(format!("host `{name}` has {has} slots, slot {k} is asked for"))
                    })
                };
                return self.hosts(list)?.into_iter().map(own).collect();
            }
        }
        Ok(self.hosts(word)?.into_iter().flat_map(|host| hosts.slots_of(host)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::params::Params;
    use crate::plan::allocation::whole;
    use crate::topology;

    fn machine() -> Fabric {
        let params = Params::from_spec("torus:dims=4,slots=3", &Place::new("--topology", 0)).expect("spec");
        topology::build(&params, &Memory::default()).expect("fabric").1
    }

    fn limits(pin: &str, forbid: &str, capacity: &str) -> Limits {
        let given = |text: &str, key| (!text.is_empty()).then(|| (text.to_string(), Place::new(key, 0)));
        Limits {
            pin: given(pin, "--pin"),
            forbid: given(forbid, "--forbid"),
            capacity: given(capacity, "--capacity"),
            reorder_hosts: false,
        }
    }

    /// What is left of all hosts, or the error.
    fn kept(forbid: &str, capacity: &str) -> std::result::Result<String, String> {
        let fabric = machine();
        let barred = barred(&fabric, &limits("", forbid, capacity)).map_err(|e| e.to_string())?;
        let left = left(&fabric, &whole(&fabric), &barred).concat();
        Ok(left.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn hosts_and_slots_are_taken_away() {
        let name = |h: u32| machine().hosts().name(HostId(h)).to_string();
        assert_eq!(kept("0 4,11", ""), Ok("1 2 3 5 6 7 8 9 10".into()));
        assert_eq!(kept(&format!("{},{}:1", name(1), name(3)), ""), Ok("0 1 2 6 7 8 9 11".into()));
        assert_eq!(kept("6", &format!("{}=1,{}=0", name(2), name(0))), Ok("3 4 5 7 9 10 11".into()));
        let raise = "slots= of the topology, --slots on the command line, sets how many slots each host has";
        for (forbid, capacity, error) in [
            ("12", "", "--forbid: slot 12, but torus:dims=4 has 12 slots".to_string()),
            ("x9y:1", "", "--forbid: torus:dims=4 has no host `x9y`; `hopline fabric show` names some".into()),
            ("", "0", "--capacity: found `0`, expected `host=N`".into()),
            ("", "N=4", format!("--capacity: capacity `4` of host `{}`, expected 0 to 3; {raise}", name(1))),
            ("", "N=1 N=2", format!("--capacity: host `{}` has two capacities", name(1))),
        ] {
            assert_eq!(kept(forbid, &capacity.replace('N', &name(1))), Err(error));
        }
    }

    #[test]
    fn pins_are_read_from_words_and_files() {
        let fabric = machine();
        let slots: Vec<SlotId> = (0..12).filter(|s| *s != 3).map(SlotId).collect();
        let host = fabric.hosts().name(HostId(1)).to_string();
        let files =
            Memory([("my.pins".to_string(), format!("# mine\n0=7\n5={host}, 2={host} # two\n").into_bytes())].into());
        let read = |pin: &str| pins(&fabric, &slots, 6, &limits(pin, "", ""), &files).map_err(|e| e.to_string());
        let expected = Kinds::pinned(6, &slots, &[(0, SlotId(7)), (5, SlotId(4)), (2, SlotId(5))], &fabric).map(Some);
        assert_eq!(read("my.pins"), Ok(expected.expect("pins")));
        assert_eq!(read(&format!("0={host}:2")), read("0=5"));
        for (pin, error) in [
            (
                "0=3",
                format!(
                    "--pin: task 0 is pinned to slot 3 (host {host}, its slot 0), which is not in the allocation; name its host with --hosts"
                ),
            ),
            ("6=1", "--pin: task 6 is pinned, but the job has 6 tasks".into()),
            ("1=1,1=2", "--pin: task 1 is pinned twice".into()),
            ("1=H,2=H,3=H", format!("--pin: task 3 is pinned to `{host}`, where no slot is left")),
            ("a=1", format!("--pin: found `a=1`, expected `task=slot`; {HINT}")),
            ("no.pins", format!("no.pins: no such file; {HINT}")),
        ] {
            assert_eq!(read(&pin.replace('H', &host)), Err(error));
        }
    }
}
