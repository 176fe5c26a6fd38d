//! The only way to make a [`Fabric`]: add cables and hosts, then `finish`,
//! which validates.

use super::{Fabric, Guid, Host, Hosts, Level, LinkClass, StatesPorts};
use crate::error::{Error, Result};
use crate::id::{ClassId, VertexId};
use rustc_hash::FxHashMap;

/// Collects the parts of a fabric. Endpoints are the vertices `0..endpoints`,
/// switches follow.
///
/// ```
/// use hopline::fabric::{Builder, LinkClass};
/// use hopline::id::VertexId;
/// use hopline::unit::Bandwidth;
///
/// // Two hosts on each of two switches.
/// let mut b = Builder::new("pair", 4, 2);
/// let host = b.class(LinkClass::host(Some(Bandwidth::gb_s(25.0))));
/// let trunk = b.class(LinkClass::network("trunk", Bandwidth::gb_s(12.5)));
/// for e in 0..4 {
///     b.cable(VertexId(e), b.switch(e / 2), host);
/// }
/// b.cable(b.switch(0), b.switch(1), trunk);
/// b.level("switch", None, |e| e / 2);
/// b.host_per_endpoint(8);
/// let fabric = b.finish()?;
/// assert_eq!((fabric.links(), fabric.hosts().slots()), (10, 32));
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    name: String,
    endpoints: u32,
    names: Vec<String>,
    guids: Vec<Option<Guid>>,
    classes: Vec<LinkClass>,
    /// One entry per direction; entries 2i and 2i+1 are one cable, but a
    /// self-loop has one entry and marks itself as its own reverse.
    directed: Vec<Directed>,
    self_loops: bool,
    hosts: Vec<Host>,
    levels: Vec<Level>,
    coordinates: Option<Vec<u32>>,
    notes: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
struct Directed {
    source: u32,
    target: u32,
    class: u8,
    port: Option<u16>,
    /// Index of the other direction in the builder's list.
    reverse: u32,
}

/// One end of a cable.
pub(super) struct CableEnd {
    pub(super) vertex: VertexId,
    pub(super) port: u16,
    /// Of the link that leaves it.
    pub(super) class: ClassId,
}

impl Builder {
    /// A fabric of `endpoints` endpoints and `switches` switches without links.
    /// Vertices are called `e0, e1, ...` and `s0, s1, ...` until named.
    pub fn new(name: impl Into<String>, endpoints: u32, switches: u32) -> Self {
        let names = (0..endpoints).map(|e| format!("e{e}")).chain((0..switches).map(|s| format!("s{s}"))).collect();
        Builder {
            name: name.into(),
            endpoints,
            names,
            guids: vec![None; (endpoints + switches) as usize],
            classes: Vec::new(),
            directed: Vec::new(),
            self_loops: false,
            hosts: Vec::new(),
            levels: Vec::new(),
            coordinates: None,
            notes: Vec::new(),
        }
    }

    /// The i-th switch as a vertex.
    pub fn switch(&self, i: u32) -> VertexId {
        VertexId(self.endpoints + i)
    }

    /// Adds a class of links.
    pub fn class(&mut self, class: LinkClass) -> ClassId {
        self.classes.push(class);
        ClassId(self.classes.len() as u32 - 1)
    }

    /// Names a vertex.
    pub fn name(&mut self, v: VertexId, name: impl Into<String>) {
        self.names[v.index()] = name.into();
    }

    /// Gives a vertex its GUID.
    pub fn guid(&mut self, v: VertexId, guid: Guid) {
        self.guids[v.index()] = Some(guid);
    }

    /// A cable: one link each way.
    pub fn cable(&mut self, a: VertexId, b: VertexId, class: ClassId) {
        self.cable_at(a, None, b, None, class);
    }

    /// A cable between ports as the machine counts them; they decide the order
    /// of a vertex's links.
    pub fn cable_at(&mut self, a: VertexId, port_a: Option<u16>, b: VertexId, port_b: Option<u16>, class: ClassId) {
        let at = self.directed.len() as u32;
        let class = class.0 as u8;
        self.directed.push(Directed { source: a.0, target: b.0, class, port: port_a, reverse: at + 1 });
        self.directed.push(Directed { source: b.0, target: a.0, class, port: port_b, reverse: at });
    }

    /// A cable whose directions differ: a link of one class from `a` to `b`, and one of another back.
    pub fn cable_of(&mut self, a: VertexId, there: ClassId, b: VertexId, back: ClassId) {
        self.cable(a, b, there);
        if let Some(last) = self.directed.last_mut() {
            last.class = back.0 as u8;
        }
    }

    /// A cable between ports whose directions may differ.
    pub(super) fn cable_between(&mut self, a: CableEnd, b: CableEnd) {
        self.cable_at(a.vertex, Some(a.port), b.vertex, Some(b.port), a.class);
        if let Some(last) = self.directed.last_mut() {
            last.class = b.class.0 as u8;
        }
    }

    /// A link from a vertex to itself, for families that count them (the D
    /// links of a PERCS supernode to itself).
    pub fn self_loop(&mut self, v: VertexId, port: u16, class: ClassId) {
        self.self_loops = true;
        let at = self.directed.len() as u32;
        self.directed.push(Directed { source: v.0, target: v.0, class: class.0 as u8, port: Some(port), reverse: at });
    }

    /// Adds a host.
    pub fn host(&mut self, name: impl Into<String>, endpoints: Vec<VertexId>, slots: u32) {
        self.hosts.push(Host { name: name.into(), endpoints, slots });
    }

    /// Makes every endpoint a host of its own name with `slots` slots.
    pub fn host_per_endpoint(&mut self, slots: u32) {
        self.hosts = (0..self.endpoints)
            .map(|e| Host { name: self.names[e as usize].clone(), endpoints: vec![VertexId(e)], slots })
            .collect();
    }

    /// Adds a level outside those already there; `part` gives the part of an endpoint.
    pub fn level(&mut self, name: impl Into<String>, distance: Option<u64>, part: impl Fn(u32) -> u32) {
        let part: Vec<u32> = (0..self.endpoints).map(part).collect();
        let parts = part.iter().max().map_or(0, |m| m + 1);
        self.levels.push(Level { name: name.into(), part, parts, distance });
    }

    /// Says that the endpoints form a grid, dimension 0 fastest.
    pub fn coordinates(&mut self, extents: Vec<u32>) {
        self.coordinates = Some(extents);
    }

    /// Something a person should know of this fabric.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Validates and freezes: O(vertices + links log links).
    ///
    /// # Errors
    /// A link ends at a vertex that is not there; a self-loop where none was
    /// announced; two vertices or hosts of one name; a host without an endpoint
    /// or with one that is no endpoint; parts of a level with gaps; more than
    /// 255 classes; distances on some levels only.
    pub fn finish(self) -> Result<Fabric> {
        self.validate()?;
        let vertices = self.names.len();
        let mut first = vec![0u32; vertices + 1];
        for d in &self.directed {
            first[d.source as usize + 1] += 1;
        }
        for v in 0..vertices {
            first[v + 1] += first[v];
        }
        let links = self.directed.len();
        // Ports of a machine decide the order; where none are given, the order of adding does.
        let mut order: Vec<u32> = (0..links as u32).collect();
        order.sort_by_key(|&i| {
            let d = &self.directed[i as usize];
            (d.source, d.port.unwrap_or(0))
        });
        let mut place = vec![0u32; links];
        order.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at as u32);
        let mut fabric = Fabric {
            name: self.name,
            endpoints: self.endpoints,
            source: vec![0; links],
            target: vec![0; links],
            class: vec![0; links],
            reverse: vec![0; links],
            port: vec![0; links],
            states_ports: StatesPorts(self.directed.iter().any(|d| d.port.is_some())),
            first,
            classes: self.classes,
            names: self.names,
            guids: self.guids,
            hosts: Hosts::new(self.hosts, self.endpoints),
            levels: self.levels,
            coordinates: self.coordinates,
            notes: self.notes,
            outside: None,
        };
        for (i, d) in self.directed.iter().enumerate() {
            let at = place[i] as usize;
            fabric.source[at] = d.source;
            fabric.target[at] = d.target;
            fabric.class[at] = d.class;
            fabric.reverse[at] = place[d.reverse as usize];
            fabric.port[at] = d.port.unwrap_or((at as u32 - fabric.first[d.source as usize]) as u16);
        }
        Ok(fabric)
    }

    fn validate(&self) -> Result<()> {
        let vertices = self.names.len() as u32;
        let fail = |message: String| Err(Error::input(message).at(&crate::error::Place::new(self.name.clone(), 0)));
        if self.classes.len() > 255 {
            return fail(format!("{} classes of links, at most 255 are kept apart", self.classes.len()));
        }
        for d in &self.directed {
            if d.source >= vertices || d.target >= vertices {
                return fail(format!("a link {} -> {} ends outside the {vertices} vertices", d.source, d.target));
            }
            if d.source == d.target && !self.self_loops {
                return fail(format!("`{}` is cabled to itself", self.names[d.source as usize]));
            }
        }
        unique(self.names.iter(), "vertices").or_else(&fail)?;
        unique(self.hosts.iter().map(|h| &h.name), "hosts").or_else(&fail)?;
        let mut owner = vec![false; self.endpoints as usize];
        for host in &self.hosts {
            if host.endpoints.is_empty() && host.slots > 0 {
                return fail(format!("host `{}` has slots but no endpoint", host.name));
            }
            for e in &host.endpoints {
                match owner.get_mut(e.index()) {
                    Some(taken) if !*taken => *taken = true,
                    Some(_) => return fail(format!("endpoint `{}` belongs to two hosts", self.names[e.index()])),
                    None => return fail(format!("host `{}` owns vertex {e}, which is no endpoint", host.name)),
                }
            }
        }
        for level in &self.levels {
            let mut seen = vec![false; level.parts as usize];
            level.part.iter().for_each(|&p| seen[p as usize] = true);
            if seen.contains(&false) {
                return fail(format!("level `{}` has an empty part", level.name));
            }
        }
        if self.levels.iter().any(|l| l.distance.is_some() != self.levels[0].distance.is_some()) {
            return fail("some levels have a distance and others none".to_string());
        }
        Ok(())
    }
}

fn unique<'a>(names: impl Iterator<Item = &'a String>, what: &str) -> Result<(), String> {
    let mut seen = FxHashMap::default();
    for name in names {
        if seen.insert(name, ()).is_some() {
            return Err(format!("two {what} are called `{name}`"));
        }
    }
    Ok(())
}
