//! How insides, hosts and the network between them become one fabric.

use super::{Outside, adapter_of};
use crate::error::{Error, Result};
use crate::fabric::CableEnd;
use crate::fabric::{Builder, Fabric, Inside, Level, LinkClass, Medium, Part, PartKind, Rails};
use crate::id::{ClassId, HostId, LinkId, VertexId};
use crate::unit::{Bandwidth, short};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is put together.
pub(super) struct Whole<'a> {
    pub(super) outer: Fabric,
    pub(super) inside: &'a Inside,
    pub(super) hosts: &'a [HostId],
    pub(super) alone: bool,
}

impl Whole<'_> {
    pub(super) fn fabric(self) -> Result<Fabric> {
        let (inside, outer) = (self.inside, &self.outer);
        let processors = inside.processors();
        if processors.is_empty() {
            return Err(Error::input(format!("{} has no GPU and no core: nothing in it runs tasks", inside.name)));
        }
        let crowded = |v: &VertexId| outer.degree(*v) >= usize::from(u16::MAX);
        if let Some(v) = (0..outer.vertices()).map(VertexId).find(crowded) {
            let text = format!("{} has {} links, too many for a host's inside", outer.vertex_name(v), outer.degree(v));
            return Err(Error::input(text));
        }
        let count = (processors.len() as u64) * self.hosts.len() as u64;
        let switches = inside.parts.iter().filter(|part| part.kind == PartKind::Switch).count() as u64;
        let all = count + switches * self.hosts.len() as u64 + u64::from(outer.vertices());
        if all > 1 << 28 {
            return Err(Error::input(format!("{all} processors, switches and adapters are too many")));
        }
        let within = switches as u32 * self.hosts.len() as u32;
        let mut b = Builder::new(self.name(), count as u32, within + outer.vertices());
        let first = count as u32 + within;
        let classes = self.classes(&mut b);
        self.parts(&mut b, first);
        self.wires(&mut b, first, &classes.inside);
        self.cables(&mut b, first, &classes);
        self.own_hosts(&mut b, &processors);
        outer.notes().iter().chain(&inside.notes).for_each(|note| b.note(note.clone()));
        self.note_adapters(&mut b);
        let mut fabric = b.finish()?;
        let link = (0..outer.vertices()).map(VertexId).flat_map(|v| {
            let start = fabric.out_link(VertexId(first + v.0), 0);
            (0..outer.degree(v) as u32).map(move |port| LinkId(start.0 + port))
        });
        let link = link.collect();
        fabric.hosts = fabric.hosts.with_insides();
        let (hosts, alone) = (self.hosts.to_vec(), self.alone);
        let outside = Outside {
            fabric: Arc::new(self.outer),
            first,
            link,
            rails: Rails::Affine,
            inside: Arc::new(inside.clone()),
        };
        fabric.levels = levels(&fabric, &outside, &hosts, processors.len(), alone);
        fabric.outside = Some(Arc::new(outside));
        Ok(fabric)
    }

    fn name(&self) -> String {
        match self.alone {
            true => self.inside.name.clone(),
            false => format!("{} of {} hosts", self.outer.name(), self.inside.name),
        }
    }

    /// The adapters that may lead into the network.
    fn ports(&self) -> Vec<u32> {
        if self.alone { self.inside.adapters() } else { self.inside.rails() }
    }

    /// Of each endpoint of a host the adapter that it is, as a place among the inside's adapters.
    fn adapters(&self, host: HostId) -> Vec<(VertexId, Option<u32>)> {
        let (own, model) = (self.outer.hosts().endpoints(host), self.ports());
        let at = |k: usize| if own.len() <= model.len() { k * model.len() / own.len().max(1) } else { k };
        own.iter().enumerate().map(|(k, &v)| (v, model.get(at(k)).copied())).collect()
    }

    /// The vertex of every part in the n-th host; none where no endpoint is that adapter.
    fn vertices(&self, n: u32, first: u32) -> Vec<Option<VertexId>> {
        let inside = self.inside;
        let (processors, switches) = (inside.processors().len() as u32, self.switches());
        let adapters = self.adapters(self.hosts[n as usize]);
        let (mut processor, mut switch) = (n * processors, self.hosts.len() as u32 * processors + n * switches);
        let mut next = |which: bool| {
            let count = if which { &mut processor } else { &mut switch };
            *count += 1;
            VertexId(*count - 1)
        };
        let vertex = |(part, at): (&Part, u32)| match part.kind {
            PartKind::Processor { .. } => Some(next(true)),
            PartKind::Switch => Some(next(false)),
            PartKind::Adapter { .. } => {
                adapters.iter().find(|(_, own)| *own == Some(at)).map(|(v, _)| VertexId(first + v.0))
            }
        };
        inside.parts.iter().zip(0..).map(vertex).collect()
    }

    fn switches(&self) -> u32 {
        self.inside.parts.iter().filter(|part| part.kind == PartKind::Switch).count() as u32
    }

    fn parts(&self, b: &mut Builder, first: u32) {
        for (n, &host) in (0..).zip(self.hosts) {
            for (part, v) in self.inside.parts.iter().zip(self.vertices(n, first)) {
                let Some(v) = v.filter(|_| !matches!(part.kind, PartKind::Adapter { .. })) else { continue };
                let name = if self.alone {
                    part.name.clone()
                } else {
                    format!("{}.{}", self.outer.hosts().name(host), part.name)
                };
                b.name(v, name);
            }
        }
        for v in (0..self.outer.vertices()).map(VertexId) {
            let own = VertexId(first + v.0);
            b.name(own, self.outer.vertex_name(v));
            self.outer.guid(v).into_iter().for_each(|guid| b.guid(own, guid));
        }
    }

    /// Inside classes first: of equally busy ones the outer is named.
    fn classes(&self, b: &mut Builder) -> Classes {
        let mut rates: BTreeMap<_, Vec<Bandwidth>> = BTreeMap::new();
        self.inside.wires.iter().for_each(|wire| {
            let all = rates.entry(wire.medium).or_default();
            if !all.contains(&wire.bandwidth) {
                all.push(wire.bandwidth);
            }
        });
        let mut inside = FxHashMap::default();
        for (medium, mut all) in rates {
            all.sort_unstable_by(|a, b| b.cmp(a));
            for bandwidth in &all {
                let plain = all.len() == 1;
                let name = if plain { medium.to_string() } else { format!("{medium}-{}", short(bandwidth.as_gb_s())) };
                inside.insert((medium, *bandwidth), b.class(LinkClass::network(&name, *bandwidth)));
            }
        }
        // The ports of adapters have no limit in models; the inside knows better.
        let port = self.inside.parts.iter().find_map(|part| match part.kind {
            PartKind::Adapter { bandwidth } => bandwidth,
            _ => None,
        });
        let outer = self.outer.classes().iter().map(|class| {
            let bandwidth = if class.host { class.bandwidth.or(port) } else { class.bandwidth };
            let name = if class.host && class.name == "host" { "adapter".to_string() } else { class.name.clone() };
            b.class(LinkClass { name, bandwidth, host: false, ..class.clone() })
        });
        Classes { outer: outer.collect(), inside }
    }

    fn wires(&self, b: &mut Builder, first: u32, classes: &FxHashMap<(Medium, Bandwidth), ClassId>) {
        let mut next: FxHashMap<VertexId, u16> = FxHashMap::default();
        for n in 0..self.hosts.len() as u32 {
            let vertices = self.vertices(n, first);
            for wire in &self.inside.wires {
                let ends = wire.ends.map(|end| vertices.get(end as usize).copied().flatten());
                let ([Some(a), Some(to)], Some(&class)) = (ends, classes.get(&(wire.medium, wire.bandwidth))) else {
                    continue;
                };
                // The ports of an adapter's network come first, so that its links keep their places.
                let mut port = |v: VertexId| {
                    let outer = VertexId(v.0.checked_sub(first)?);
                    let ports = self.outer.out_links(outer).map(|l| self.outer.port(l).saturating_add(1));
                    let port = next.entry(v).or_insert_with(|| ports.max().unwrap_or(0));
                    *port = port.saturating_add(1);
                    Some(*port - 1)
                };
                let ports = (port(a), port(to));
                b.cable_at(a, ports.0, to, ports.1, class);
            }
        }
    }

    fn cables(&self, b: &mut Builder, first: u32, classes: &Classes) {
        let outer = &self.outer;
        for l in outer.link_ids().filter(|&l| l <= outer.reverse(l)) {
            let back = outer.reverse(l);
            let [from, to] = [outer.source(l), outer.target(l)].map(|v| VertexId(first + v.0));
            let [there, here] = [l, back].map(|l| classes.outer[outer.class_id(l).index()]);
            match l == back {
                true => b.self_loop(from, outer.port(l), there),
                false => b.cable_between(
                    CableEnd { vertex: from, port: outer.port(l), class: there },
                    CableEnd { vertex: to, port: outer.port(back), class: here },
                ),
            }
        }
    }

    fn own_hosts(&self, b: &mut Builder, processors: &[u32]) {
        let (hosts, each) = (self.outer.hosts(), processors.len() as u32);
        let slots = processors.iter().map(|&at| match self.inside.parts[at as usize].kind {
            PartKind::Processor { slots } => slots,
            _ => 0,
        });
        let slots = slots.sum();
        let places: FxHashMap<HostId, u32> = self.hosts.iter().copied().zip(0..).collect();
        for host in (0..hosts.len()).map(HostId) {
            match places.get(&host) {
                Some(n) => b.host(hosts.name(host), (n * each..(n + 1) * each).map(VertexId).collect(), slots),
                None => b.host(hosts.name(host), Vec::new(), 0),
            }
        }
    }

    fn note_adapters(&self, b: &mut Builder) {
        if self.alone {
            let port = |at: u32| {
                let part = &self.inside.parts[at as usize];
                match part.kind {
                    PartKind::Adapter { bandwidth: Some(bandwidth) } => format!("{} ({bandwidth})", part.name),
                    _ => part.name.clone(),
                }
            };
            let ports: Vec<String> = self.ports().into_iter().map(port).collect();
            if !ports.is_empty() {
                b.note(format!("adapters, which are counted among the switches: {}", ports.join(", ")));
            }
            return;
        }
        let model = self.ports().len();
        let own = self.hosts.iter().map(|&h| self.outer.hosts().endpoints(h).len());
        let (least, most) = (own.clone().min().unwrap_or(model), own.max().unwrap_or(model));
        if (least, most) != (model, model) {
            let range = if least == most { least.to_string() } else { format!("{least} to {most}") };
            b.note(format!(
                "adapters of a host in the network: {range}, inside {}: {model}; processors share those that are there",
                self.inside.name
            ));
        }
    }
}

struct Classes {
    inside: FxHashMap<(Medium, Bandwidth), ClassId>,
    outer: Vec<ClassId>,
}

/// Which endpoints share a host, and a part of each level of the network outside by the adapter that they use. Levels lie within
/// each other, so those that put adapters of one host into different parts (rails) are left out.
fn levels(fabric: &Fabric, outside: &Outside, hosts: &[HostId], each: usize, alone: bool) -> Vec<Level> {
    let level = |name: &str, part: Vec<u32>| {
        // Parts that no processor is in are left out.
        let mut used = part.clone();
        used.sort_unstable();
        used.dedup();
        let part: Vec<u32> = part.iter().map(|p| used.binary_search(p).unwrap_or(0) as u32).collect();
        Level { name: name.to_string(), parts: used.len() as u32, part, distance: None }
    };
    if alone {
        return Vec::new();
    }
    let place = |e: u32| e / each.max(1) as u32;
    let mut all = vec![level("host", (0..fabric.endpoints()).map(place).collect())];
    let adapter = |e: u32| {
        let host = hosts.get(place(e) as usize)?;
        let own = outside.fabric().hosts().endpoints(*host);
        own.get(adapter_of(fabric, outside, own, VertexId(e), e % each as u32)?).copied()
    };
    let adapters: Vec<Option<VertexId>> = (0..fabric.endpoints()).map(adapter).collect();
    for outer in outside.fabric().levels().iter().filter(|outer| outer.name != "host") {
        let part = |v: &Option<VertexId>| v.and_then(|v| outer.part.get(v.index()).copied()).unwrap_or(0);
        let parts: Vec<u32> = adapters.iter().map(part).collect();
        if parts.chunks(each.max(1)).all(|own| own.windows(2).all(|two| two[0] == two[1])) {
            all.push(level(&outer.name, parts));
        }
    }
    all
}
