//! A tree over the hosts of any network. It grows upwards: each layer says which
//! leaves belong together there, and what belongs together gets one switch.

use super::layers::{Layer, layers};
use super::leaves::{is_plain, leaves};
use hopline::error::{Error, Result};
use hopline::fabric::Fabric;
use hopline::id::VertexId;
use rustc_hash::{FxHashMap, FxHashSet};

/// Switches with their children, children first, and comments for people.
pub(super) struct Tree {
    pub(super) switches: Vec<Switch>,
    pub(super) notes: Vec<String>,
}

pub(super) struct Switch {
    pub(super) name: String,
    pub(super) below: Children,
}

pub(super) enum Children {
    Nodes(Vec<String>),
    Switches(Vec<String>),
}

impl Tree {
    pub(super) fn of(fabric: &Fabric) -> Result<Tree> {
        let mut notes = vec![fabric.name().to_string()];
        let leaves = leaves(fabric, &mut notes);
        if leaves.is_empty() {
            return Err(Error::input(format!("{} has no host that Slurm takes as a node", fabric.name()))
                .hint("names of nodes are letters, digits, `.`, `_` and `-`"));
        }
        let mut growth = Growth { names: Names::default(), switches: Vec::new(), notes, tops: Vec::new() };
        for (leaf, n) in leaves.iter().zip(1..) {
            let name = match (fabric.is_endpoint(leaf.vertex), fabric.levels().first()) {
                (false, _) => fabric.vertex_name(leaf.vertex).to_string(),
                (true, Some(level)) => format!("{}-{n}", level.name),
                (true, None) => "root".to_string(),
            };
            let nodes = leaf.hosts.iter().map(|&h| fabric.hosts().name(h).to_string()).collect();
            growth.tops.push(growth.switches.len());
            let name = growth.names.give(&name);
            growth.switches.push(Switch { name, below: Children::Nodes(nodes) });
        }
        layers(fabric, &leaves).iter().for_each(|layer| growth.add(fabric, layer));
        let roots = growth.tops.iter().collect::<FxHashSet<_>>().len();
        if roots > 1 {
            growth.notes.push(format!("no cable joins the {roots} parts of this network: no job can span them"));
        }
        Ok(Tree { switches: growth.switches, notes: growth.notes })
    }
}

/// Names that Slurm reads back as they are, no two the same.
#[derive(Default)]
struct Names(FxHashSet<String>);

impl Names {
    fn give(&mut self, wanted: &str) -> String {
        let plain: String = wanted.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut name = plain.clone();
        let mut n = 2;
        while name.is_empty() || !self.0.insert(name.clone()) {
            name = format!("{plain}_{n}");
            n += 1;
        }
        name
    }
}

struct Growth {
    names: Names,
    switches: Vec<Switch>,
    notes: Vec<String>,
    /// Per leaf: the topmost switch over it so far.
    tops: Vec<usize>,
}

impl Growth {
    /// Puts a switch over all tops that belong together in a layer.
    fn add(&mut self, fabric: &Fabric, layer: &Layer) {
        let (mut order, mut groups): (Vec<u32>, FxHashMap<u32, Vec<usize>>) = Default::default();
        let mut part_of_top: FxHashMap<usize, u32> = FxHashMap::default();
        for (&part, &top) in layer.part.iter().zip(&self.tops) {
            match part_of_top.insert(top, part) {
                None => groups
                    .entry(part)
                    .or_insert_with(|| {
                        order.push(part);
                        Vec::new()
                    })
                    .push(top),
                // It cuts through what is joined below: no tree has both.
                Some(other) if other != part => return,
                Some(_) => {}
            }
        }
        let mut made: FxHashMap<usize, usize> = FxHashMap::default();
        for (part, n) in order.iter().zip(1..) {
            let Some(below) = groups.get(part).filter(|below| below.len() > 1) else { continue };
            let members = layer.members.get(part).map_or(&[][..], Vec::as_slice);
            let name = match members {
                [one] => self.names.give(fabric.vertex_name(*one)),
                _ if order.len() == 1 => self.names.give("root"),
                _ => self.names.give(&format!("{}-{n}", layer.label)),
            };
            if members.len() > 1 {
                self.notes.push(stands_for(fabric, &name, members));
            }
            made.extend(below.iter().map(|&top| (top, self.switches.len())));
            let below = below.iter().filter_map(|&top| self.switches.get(top).map(|s| s.name.clone())).collect();
            self.switches.push(Switch { name, below: Children::Switches(below) });
        }
        self.tops.iter_mut().for_each(|top| *top = made.get(top).copied().unwrap_or(*top));
    }
}

fn stands_for(fabric: &Fabric, name: &str, members: &[VertexId]) -> String {
    let mut names: Vec<&str> = members.iter().take(8).map(|&v| fabric.vertex_name(v)).collect();
    let more = members.len().saturating_sub(names.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    names.sort_unstable();
    format!("{name} stands for {}{more}: Slurm wants one parent for each switch", names.join(", "))
}
