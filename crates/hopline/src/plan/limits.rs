//! `--forbid` and `--capacity`: which slots of the allocation are left.

use super::allocation::Share;
use crate::error::{Error, Result, suggest_near};
use crate::fabric::Fabric;
use crate::format::hostlist;
use crate::id::{HostId, SlotId, VertexId};
use crate::scenario::Limits;
use rustc_hash::{FxHashMap, FxHashSet};

/// What limits take away from the machine.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Barred {
    /// Slots that may not be used.
    pub slots: FxHashSet<SlotId>,
    /// The most tasks of a host, in whichever of its slots.
    pub capacity: FxHashMap<HostId, u32>,
}

/// Reads what limits take away.
///
/// # Errors
/// A host or slot that is not there, or a capacity that no host has.
pub(super) fn barred(fabric: &Fabric, limits: &Limits) -> Result<Barred> {
    let names = Names::new(fabric);
    let hosts = fabric.hosts();
    let mut barred = Barred::default();
    if let Some((text, place)) = &limits.forbid {
        for word in words(text) {
            barred.slots.extend(names.slots(word).map_err(|e| e.at(place))?);
        }
    }
    if let Some((text, place)) = &limits.capacity {
        for word in words(text) {
            let wrong = || Error::input(format!("found `{word}`, expected `host=N`")).at(place);
            let (list, count) = word.rsplit_once('=').ok_or_else(wrong)?;
            for host in names.hosts(list).map_err(|e| e.at(place))? {
                let (name, has) = (hosts.name(host), hosts.slot_count(host));
                let most: u32 = count.parse().ok().filter(|&n| n <= has).ok_or_else(|| {
                    Error::input(format!("capacity `{count}` of host `{name}`, expected 0 to {has}"))
                        .at(place)
                        .hint("slots= of the topology sets how many slots each host has")
                })?;
                if barred.capacity.insert(host, most).is_some() {
                    return Err(Error::input(format!("host `{name}` has two capacities")).at(place));
                }
            }
        }
    }
    Ok(barred)
}

/// The slots that are left of every host of an allocation; hosts with none are
/// left out. Where a host takes fewer tasks than it has slots, those that are
/// `pinned` stay, and of the others as many on each of its adapters.
pub(super) fn left(fabric: &Fabric, shares: &[Share], barred: &Barred, pinned: &FxHashSet<SlotId>) -> Vec<Vec<SlotId>> {
    let own = |share: &Share| {
        let own: Vec<SlotId> = share.slots(fabric).filter(|slot| !barred.slots.contains(slot)).collect();
        match barred.capacity.get(&share.host) {
            Some(&most) => evenly(fabric, own, most as usize, pinned),
            None => own,
        }
    };
    shares.iter().map(own).filter(|own| !own.is_empty()).collect()
}

/// At most `most` of the slots of a host: O(slots log slots).
fn evenly(fabric: &Fabric, own: Vec<SlotId>, most: usize, pinned: &FxHashSet<SlotId>) -> Vec<SlotId> {
    let mut on_adapter: FxHashMap<VertexId, u32> = FxHashMap::default();
    let mut next = |slot: SlotId| {
        let count = on_adapter.entry(fabric.hosts().endpoint_of(slot)).or_default();
        *count += 1;
        *count
    };
    let (kept, others): (Vec<SlotId>, Vec<SlotId>) = own.into_iter().partition(|slot| pinned.contains(slot));
    let mut kept: Vec<SlotId> = kept.into_iter().take(most).collect();
    kept.iter().for_each(|&slot| {
        next(slot);
    });
    let mut others: Vec<(u32, SlotId)> = others.into_iter().map(|slot| (next(slot), slot)).collect();
    others.sort_unstable();
    kept.extend(others.into_iter().map(|(_, slot)| slot).take(most - kept.len()));
    kept.sort_unstable();
    kept
}

/// Words between commas and blanks; commas in brackets part nothing.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let apart = move |c: char| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth <= 0 && (c == ',' || c.is_whitespace())
    };
    text.split(apart).filter(|word| !word.is_empty())
}

/// Hosts by name.
pub(super) struct Names<'a> {
    fabric: &'a Fabric,
    ids: FxHashMap<&'a str, HostId>,
}

impl<'a> Names<'a> {
    pub(super) fn new(fabric: &'a Fabric) -> Self {
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
            None => hostlist::names(list)?.map(|name| self.host(&name)).collect(),
        }
    }

    /// The slots of `17` (a number), `n001` (all of a host), `n[001-004]`, or
    /// `n001:3` (one of a host).
    pub(super) fn slots(&self, word: &str) -> Result<Vec<SlotId>> {
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
    use crate::error::Place;
    use crate::fabric::{Builder, LinkClass, Rails};
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
        let left = left(&fabric, &whole(&fabric), &barred, &FxHashSet::default()).concat();
        Ok(left.iter().map(|s| s.to_string()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn hosts_and_slots_are_taken_away() {
        let name = |h: u32| machine().hosts().name(HostId(h)).to_string();
        assert_eq!(kept("0 4,11", ""), Ok("1 2 3 5 6 7 8 9 10".into()));
        assert_eq!(kept(&format!("{},{}:1", name(1), name(3)), ""), Ok("0 1 2 6 7 8 9 11".into()));
        assert_eq!(kept("6", &format!("{}=1,{}=0", name(2), name(0))), Ok("3 4 5 7 9 10 11".into()));
        let raise = "slots= of the topology sets how many slots each host has";
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

    /// One host of eight slots with two adapters, and another.
    fn two_adapters(rails: Rails) -> Fabric {
        let mut b = Builder::new("adapters", 4, 1);
        let class = b.class(LinkClass::host(None));
        (0..4).for_each(|e| b.cable(VertexId(e), b.switch(0), class));
        b.host("n1", vec![VertexId(0), VertexId(1)], 8);
        b.host("n2", vec![VertexId(2), VertexId(3)], 8);
        b.finish().and_then(|fabric| fabric.with_rails(rails)).expect("fabric")
    }

    #[test]
    fn a_capacity_leaves_as_many_slots_on_each_adapter() {
        for (rails, capacity, forbid, pin, expected) in [
            (Rails::RoundRobin, 2, "", "", [0, 1].as_slice()),
            (Rails::Affine, 2, "", "", &[0, 4]),
            (Rails::Affine, 5, "", "", &[0, 1, 2, 4, 5]),
            (Rails::Affine, 3, "n1:0", "", &[1, 2, 4]),
            (Rails::Affine, 4, "4,5,6", "", &[0, 1, 2, 7]),
            (Rails::Affine, 1, "", "3=n1:6", &[6]),
            (Rails::Affine, 3, "", "3=7,1=6", &[0, 6, 7]),
            (Rails::Affine, 1, "", "3=n1", &[0]),
            (Rails::Stripe, 2, "", "", &[0, 1]),
            (Rails::Affine, 8, "", "", &[0, 1, 2, 3, 4, 5, 6, 7]),
            (Rails::Affine, 0, "", "", &[]),
        ] {
            let fabric = two_adapters(rails);
            let limits = limits(pin, forbid, &format!("n1={capacity}"));
            let barred = barred(&fabric, &limits).expect("limits");
            let pinned = crate::plan::pins::pinned(&fabric, &limits, &Memory::default()).expect("pins");
            let left = left(&fabric, &whole(&fabric), &barred, &pinned).concat();
            let own: Vec<u32> = left.iter().map(|s| s.0).filter(|&s| s < 8).collect();
            assert_eq!((own.as_slice(), left.len() - own.len()), (expected, 8), "{rails:?} {limits:?}");
        }
    }
}
