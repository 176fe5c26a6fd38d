//! What a fabric had once and has no more, until it comes back or an
//! administrator says that it is gone for good.

use crate::atlas::Atlas;
use crate::names::guid;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Names of what is lost.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Lost {
    /// Hosts by name.
    pub hosts: BTreeSet<String>,
    /// Switches by GUID.
    pub switches: BTreeSet<String>,
    /// Cables by their ends, such as `0x0002c90200410010[35] -- 0x0002c90200420020[1]`.
    pub cables: BTreeSet<String>,
}

/// One in so many lost hosts or switches is more than the daily repair.
const GRAVE: usize = 20;

/// Names in a warning.
const NAMED: usize = 3;

impl Lost {
    /// What a fabric has, as if it were lost. O(cables log cables).
    fn all(atlas: &Atlas) -> Lost {
        let vertices = 0..atlas.vertices().len() as u32;
        let name = |v: u32| {
            let vertex = &atlas.vertices()[v as usize];
            guid(if atlas.is_endpoint(v) { vertex.port_guid } else { vertex.node_guid })
        };
        let ends = |v: u32| atlas.links(v).map(move |link| ((name(v), link.out), (name(link.to), link.arrives)));
        let cable = |(a, b): ((String, u8), (String, u8))| format!("{}[{}] -- {}[{}]", a.0, a.1, b.0, b.1);
        Lost {
            hosts: atlas.hosts().iter().map(|h| h.name.clone()).collect(),
            switches: vertices.clone().filter(|&v| !atlas.is_endpoint(v)).map(name).collect(),
            cables: vertices.flat_map(ends).filter(|(a, b)| a < b).map(cable).collect(),
        }
    }

    /// What `before` had, or had lost already, and `now` has not. O(cables log cables).
    pub fn between(before: &Atlas, lost: &Lost, now: &Atlas) -> Lost {
        let (had, has) = (Lost::all(before), Lost::all(now));
        let gone = |had: &BTreeSet<String>, lost: &BTreeSet<String>, has: &BTreeSet<String>| {
            had.union(lost).filter(|name| !has.contains(*name)).cloned().collect()
        };
        Lost {
            hosts: gone(&had.hosts, &lost.hosts, &has.hosts),
            switches: gone(&had.switches, &lost.switches, &has.switches),
            cables: gone(&had.cables, &lost.cables, &has.cables),
        }
    }

    /// What was not lost before.
    pub fn since(&self, before: Option<&Lost>) -> Lost {
        let Some(before) = before else { return self.clone() };
        let new = |now: &BTreeSet<String>, before: &BTreeSet<String>| now.difference(before).cloned().collect();
        Lost {
            hosts: new(&self.hosts, &before.hosts),
            switches: new(&self.switches, &before.switches),
            cables: new(&self.cables, &before.cables),
        }
    }

    /// Hosts and switches in a few words; nothing where only cables are lost.
    pub fn words(&self) -> Option<String> {
        let some = |kind: &str, names: &BTreeSet<String>| {
            let first: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
            let more = if names.len() > NAMED { ", ..." } else { "" };
            (!names.is_empty()).then(|| format!("{} {kind} ({}{more})", names.len(), first.join(", ")))
        };
        let words: Vec<String> =
            [some("hosts", &self.hosts), some("switches", &self.switches)].into_iter().flatten().collect();
        (!words.is_empty()).then(|| words.join(" and "))
    }

    /// What an administrator should know: that a twentieth of the hosts or of the switches is lost, or more.
    pub fn warning(&self, atlas: &Atlas) -> Option<String> {
        let grave = |lost: usize, left: usize| lost > 0 && lost * GRAVE >= lost + left;
        let is_grave =
            grave(self.hosts.len(), atlas.hosts().len()) || grave(self.switches.len(), atlas.switches() as usize);
        let words = self.words().filter(|_| is_grave)?;
        let (hosts, switches) = (atlas.hosts().len(), atlas.switches());
        Some(format!("the fabric has lost {words}; {hosts} hosts and {switches} switches are left"))
    }
}
