//! Cables with names for their ends, whatever they come from.

use crate::fabric::{Fabric, Guid};
use crate::format::ndt::{PlannedCable, PlannedEnd};
use crate::id::{LinkId, VertexId};
use crate::unit::{Bandwidth, Nanos};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// One end: a node by its name, and the number of its port where that is known.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct End {
    pub(super) node: String,
    pub(super) port: Option<u16>,
}

impl End {
    pub(super) fn show(&self) -> String {
        self.port.map_or_else(|| self.node.clone(), |port| format!("{}[{port}]", self.node))
    }
}

/// How fast a cable is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Speed {
    /// `None` is unlimited.
    pub(super) bandwidth: Option<Bandwidth>,
    pub(super) latency: Nanos,
}

/// A cable, its ends in order of their names.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cable {
    pub(super) ends: [End; 2],
    /// A plan says nothing of it.
    pub(super) speed: Option<Speed>,
    /// The direction that leaves the first end.
    pub(super) link: Option<LinkId>,
}

impl Cable {
    pub(super) fn new(ends: [End; 2], speed: Option<Speed>, links: Option<[LinkId; 2]>) -> Cable {
        let [a, b] = ends;
        let swap = b < a;
        let link = links.map(|links| links[usize::from(swap)]);
        Cable { ends: if swap { [b, a] } else { [a, b] }, speed, link }
    }

    pub(super) fn show(&self) -> String {
        format!("{} -- {}", self.ends[0].show(), self.ends[1].show())
    }

    pub(super) fn nodes(&self) -> [&str; 2] {
        [&self.ends[0].node, &self.ends[1].node]
    }
}

/// What a cable joins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joins {
    Host,
    Switches,
    /// Two chips of one modular switch.
    Chips,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Switch,
    /// An endpoint, and the host that owns it.
    Adapter(Option<String>),
}

/// Nodes and cables.
#[derive(Debug, Clone, Default)]
pub(super) struct Cabling {
    pub(super) nodes: FxHashMap<String, Node>,
    pub(super) cables: Vec<Cable>,
    /// Names that the other machine has for the same GUID: (there, here).
    pub(super) renamed: Vec<(String, String)>,
}

impl Cabling {
    pub(super) fn of_fabric(fabric: &Fabric) -> Cabling {
        Cabling::named(fabric, |v| fabric.vertex_name(v).to_string())
    }

    /// Without the numbers of ports.
    pub(super) fn without_ports(self) -> Cabling {
        self.without_ports_of(|_| true)
    }

    /// Without the numbers of the ports of some nodes.
    fn without_ports_of(mut self, is_one: impl Fn(&str) -> bool) -> Cabling {
        for end in self.cables.iter_mut().flat_map(|cable| &mut cable.ends).filter(|end| is_one(&end.node)) {
            end.port = None;
        }
        self
    }

    /// A plan and a machine without the numbers that only one of them has, and a note of those that are left out.
    pub(super) fn numbered_alike(
        plan: Cabling,
        now: Cabling,
        states_ports: bool,
    ) -> (Cabling, Cabling, Option<String>) {
        if !states_ports {
            let note = "the machine's file numbers no ports: cables are compared by the nodes that they join";
            return (plan.without_ports(), now.without_ports(), Some(note.to_string()));
        }
        let ends = plan.cables.iter().flat_map(|cable| &cable.ends).filter(|end| end.port.is_none());
        let nodes: BTreeSet<String> = ends.map(|end| end.node.clone()).collect();
        let mut switches = nodes.iter().filter(|node| plan.nodes.get(*node) == Some(&Node::Switch));
        let note = switches.next().map(|first| {
            let more = match switches.count() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("the plan's words for ports of {first}{more} are no numbers: their cables are compared by the nodes that they join")
        });
        let is_one = |node: &str| nodes.contains(node);
        (plan.without_ports_of(is_one), now.without_ports_of(is_one), note)
    }

    /// With the names that an older look at the machine has for the same GUIDs.
    pub(super) fn as_known(fabric: &Fabric, old: &Fabric) -> Cabling {
        let all = (0..old.vertices()).map(VertexId);
        let known: FxHashMap<Guid, VertexId> = all.filter_map(|v| Some((old.guid(v)?, v))).collect();
        let name = |v: VertexId| {
            let same = fabric.guid(v).and_then(|guid| known.get(&guid));
            same.map_or(fabric.vertex_name(v), |&v| old.vertex_name(v)).to_string()
        };
        let mut cabling = Cabling::named(fabric, name);
        let own = (0..fabric.vertices()).map(|v| (name(VertexId(v)), fabric.vertex_name(VertexId(v)).to_string()));
        cabling.renamed = own.filter(|(there, here)| there != here).collect();
        cabling.renamed.sort();
        cabling
    }

    fn named(fabric: &Fabric, name: impl Fn(VertexId) -> String) -> Cabling {
        let mut nodes = FxHashMap::default();
        for v in (0..fabric.vertices()).map(VertexId) {
            let node = match fabric.is_endpoint(v) {
                true => Node::Adapter(fabric.hosts().owner(v).map(|host| fabric.hosts().name(host).to_string())),
                false => Node::Switch,
            };
            nodes.insert(name(v), node);
        }
        let end = |v: VertexId, l: LinkId| End { node: name(v), port: Some(fabric.port(l)) };
        let cables = fabric.link_ids().filter(|&l| l <= fabric.reverse(l)).map(|l| {
            let back = fabric.reverse(l);
            let ends = [end(fabric.source(l), l), end(fabric.target(l), back)];
            let class = fabric.class_of(l);
            Cable::new(ends, Some(Speed { bandwidth: class.bandwidth, latency: class.latency }), Some([l, back]))
        });
        Cabling { nodes, cables: cables.collect(), renamed: Vec::new() }
    }

    /// A plan, with the machine's names where it has them, whatever their case.
    pub(super) fn of_plan(plan: &[PlannedCable], fabric: &Fabric) -> Cabling {
        let known = names(fabric);
        let mut nodes = FxHashMap::default();
        let plain = plain_numbers(plan);
        let find = |word: &str| known.get(&word.to_lowercase()).copied().flatten();
        // A number alone is a switch's port; a host's is that of an adapter.
        let is_switch = |device: &str| match find(device) {
            Some(v) => !fabric.is_endpoint(v),
            None => fabric.hosts().find(device).is_none() && plain.get(device).is_some_and(|ports| ports.len() > 1),
        };
        let mut end = |end: &PlannedEnd| {
            let number = || end.label.parse().ok().filter(|&n: &u16| n > 0 && is_switch(&end.device));
            let number = end.port.or_else(number);
            // A chip of a modular switch is a switch of its own.
            let device = match end.chip {
                Some((blade, chip)) => format!("{}/l{blade:02}/u{chip}", end.device),
                None => end.device.clone(),
            };
            let by_label = || find(&end.label).filter(|_| !is_number(&end.label));
            let adapter = || by_label().or_else(|| only_adapter(fabric, &end.device)).or_else(|| find(&end.device));
            let vertex =
                if number.is_some() { find(&device).or_else(|| only_adapter(fabric, &end.device)) } else { adapter() };
            let (node, what) = match vertex {
                Some(v) if fabric.is_endpoint(v) => {
                    let host = fabric.hosts().owner(v).map(|host| fabric.hosts().name(host).to_string());
                    (fabric.vertex_name(v).to_string(), Node::Adapter(host))
                }
                Some(v) => (fabric.vertex_name(v).to_string(), Node::Switch),
                // Only the plan knows of it.
                None if number.is_some() && fabric.hosts().find(&end.device).is_none() => (device, Node::Switch),
                None => {
                    let of_port = number.is_some() || is_number(&end.label);
                    let name = if of_port { format!("{} {}", end.device, end.label) } else { end.label.clone() };
                    (name, Node::Adapter(Some(end.device.clone())))
                }
            };
            nodes.insert(node.clone(), what);
            // The plan has no number for an adapter's port, which has one cable.
            let only = vertex.filter(|&v| number.is_none() && fabric.degree(v) == 1);
            let port = number.or_else(|| only.map(|v| fabric.port(fabric.out_link(v, 0))));
            End { node, port }
        };
        let cables =
            plan.iter().map(|cable| Cable::new([end(&cable.ends[0]), end(&cable.ends[1])], None, None)).collect();
        Cabling { nodes, cables, renamed: Vec::new() }
    }
}

impl Cabling {
    /// Of a machine what a plan tells of: one without hosts, without cables between switches or without those inside of modular switches
    /// says nothing against them. With it a note on each kind that is left out.
    pub(super) fn told_by(mut self, plan: &Cabling) -> (Cabling, Vec<String>) {
        let kinds = [
            (Joins::Host, "hosts to switches"),
            (Joins::Switches, "switches to switches"),
            (Joins::Chips, "chips of a modular switch to each other"),
        ];
        let mut notes = Vec::new();
        for (kind, words) in kinds {
            let own = self.cables.iter().filter(|cable| self.joins(cable) == kind).count();
            if own == 0 || plan.cables.iter().any(|cable| plan.joins(cable) == kind) {
                continue;
            }
            notes.push(format!("the plan has no cable that joins {words}: {own} of the machine are not compared"));
            let (out, kept): (Vec<Cable>, Vec<Cable>) =
                std::mem::take(&mut self.cables).into_iter().partition(|cable| self.joins(cable) == kind);
            self.cables = kept;
            let still: FxHashSet<&str> = self.cables.iter().flat_map(Cable::nodes).collect();
            let alone = |node: &&str| !still.contains(node) && !plan.nodes.contains_key(*node);
            let alone: Vec<String> = out.iter().flat_map(Cable::nodes).filter(alone).map(str::to_string).collect();
            alone.iter().for_each(|node| drop(self.nodes.remove(node)));
        }
        (self, notes)
    }

    fn joins(&self, cable: &Cable) -> Joins {
        let [a, b] = cable.nodes();
        match [a, b].iter().all(|node| self.nodes.get(*node) == Some(&Node::Switch)) {
            false => Joins::Host,
            true if a != b && device(a).0.eq_ignore_ascii_case(device(b).0) => Joins::Chips,
            true => Joins::Switches,
        }
    }
}

/// The device of `MF0;leaf01:MQM8700/U1`, and which chip of it: `leaf01` and `U1`.
fn device(name: &str) -> (&str, &str) {
    let own = name.split_once(';').map_or(name, |(_, own)| own);
    let (device, chip) = own.split_once('/').unwrap_or((own, ""));
    (device.split(':').next().unwrap_or(device), chip)
}

/// Vertices by their names in small letters, and by what is left of `MF0;leaf01:MQM8700/U1` without the maker's words:
/// `leaf01/u1` and `leaf01`. What could be several is `None`.
fn names(fabric: &Fabric) -> FxHashMap<String, Option<VertexId>> {
    let mut known: FxHashMap<String, Option<VertexId>> = FxHashMap::default();
    let mut short: FxHashMap<String, Option<VertexId>> = FxHashMap::default();
    for v in (0..fabric.vertices()).map(VertexId) {
        let name = fabric.vertex_name(v).to_lowercase();
        let own = name.split_once(';').map_or(&name[..], |(_, own)| own);
        let (device, chip) = device(&name);
        for word in [format!("{device}/{chip}"), if chip == "u1" { device.to_string() } else { own.to_string() }] {
            if word != name {
                short.entry(word).and_modify(|other| *other = None).or_insert(Some(v));
            }
        }
        known.insert(name, Some(v));
    }
    for (word, v) in short {
        known.entry(word).or_insert(v);
    }
    known
}

/// Whether a label is a number alone.
fn is_number(label: &str) -> bool {
    label.parse::<u16>().is_ok()
}

/// The labels of each device's ports that are numbers alone.
fn plain_numbers(plan: &[PlannedCable]) -> FxHashMap<&str, FxHashSet<&str>> {
    let mut plain: FxHashMap<&str, FxHashSet<&str>> = FxHashMap::default();
    for end in plan.iter().flat_map(|cable| &cable.ends).filter(|end| is_number(&end.label)) {
        plain.entry(&end.device).or_default().insert(&end.label);
    }
    plain
}

/// The adapter of a host that has one.
fn only_adapter(fabric: &Fabric, host: &str) -> Option<VertexId> {
    let hosts = fabric.hosts();
    let found = hosts.find(host).or_else(|| hosts.find(&host.to_lowercase()))?;
    match *hosts.endpoints(found) {
        [only] => Some(only),
        _ => None,
    }
}
