//! `hopline_links`: a machine from arrays.
//!
//! A host whose cables all lead to switches has an adapter for each of them:
//! traffic begins and ends there, and none passes through. Any other host is a
//! router as well, as on a torus.

use crate::items;
use crate::tasks::rows;
use hopline::error::{Error, Result};
use hopline::fabric::{Builder, Fabric, LinkClass};
use hopline::id::{ClassId, VertexId};
use hopline::unit::Bandwidth;
use std::collections::BTreeMap;

/// `hopline_links`.
#[repr(C)]
pub struct Links {
    /// Number of hosts and switches.
    pub vertices: u32,
    /// `vertices + 1` offsets into `adjncy`.
    pub xadj: *const u64,
    /// The other ends of the cables, vertex by vertex.
    pub adjncy: *const u32,
    /// Bandwidths, or null.
    pub gb_s: *const f64,
    /// Number of hosts.
    pub hosts: u32,
    /// The vertex of every host, or null.
    pub host: *const u32,
    /// Tasks that each host takes, or null.
    pub slots: *const u32,
}

/// A cable: its two ends, the smaller first, and its bandwidth's bits.
type Cable = (u32, u32, u64);

const MOST_VERTICES: u32 = 1 << 24;
/// A fabric numbers its classes by bytes.
const MOST_CLASSES: usize = 255;

impl Links {
    /// The fabric of the links. O(links log links).
    ///
    /// # Safety
    /// The arrays are as the header says.
    pub(crate) unsafe fn fabric(&self) -> Result<Fabric> {
        if self.vertices > MOST_VERTICES {
            return Err(Error::input(format!("{} vertices, expected at most {MOST_VERTICES}", self.vertices)));
        }
        // SAFETY: the caller's promise.
        let cables = unsafe { self.cables() }?;
        let count = self.hosts as usize;
        let host = match self.host.is_null() {
            true => (0..self.hosts).collect(),
            // SAFETY: the caller's promise.
            false => unsafe { items(self.host, count, "host") }?.to_vec(),
        };
        let slots = match self.slots.is_null() {
            true => vec![1; count],
            // SAFETY: the caller's promise.
            false => unsafe { items(self.slots, count, "slots") }?.to_vec(),
        };
        if slots.iter().map(|&s| u64::from(s)).sum::<u64>() > u64::from(MOST_VERTICES) {
            return Err(Error::input(format!("more than {MOST_VERTICES} slots")));
        }
        let mut host_at = vec![None; self.vertices as usize];
        for (h, &v) in host.iter().enumerate() {
            match host_at.get_mut(v as usize) {
                Some(free @ None) => *free = Some(h as u32),
                Some(_) => return Err(Error::input(format!("vertex {v} stands twice in `host`"))),
                None => return Err(Error::input(format!("`host` has {v}, expected numbers below {}", self.vertices))),
            }
        }
        build(&cables, &host, &host_at, &slots)
    }

    /// Every cable once; each must stand at both its ends.
    ///
    /// # Safety
    /// The arrays are as the header says.
    unsafe fn cables(&self) -> Result<Vec<Cable>> {
        // SAFETY: the caller's promise.
        let (links, rows) = unsafe { rows(self.vertices, self.xadj, self.adjncy) }?;
        let gb_s = match self.gb_s.is_null() {
            true => None,
            // SAFETY: the caller's promise.
            false => Some(unsafe { items(self.gb_s, links, "gb_s") }?),
        };
        let (mut there, mut back) = (Vec::new(), Vec::new());
        for (from, to, i) in rows {
            let width = gb_s.map_or(1.0, |all| all[i]);
            if !(1e-9..=1e9).contains(&width) {
                return Err(Error::input(format!("the link {from} -> {to} has {width} GB/s, expected 1e-9 to 1e9")));
            }
            match from.cmp(&to) {
                std::cmp::Ordering::Less => there.push((from, to, width.to_bits())),
                std::cmp::Ordering::Greater => back.push((to, from, width.to_bits())),
                std::cmp::Ordering::Equal => {
                    return Err(Error::input(format!("vertex {from} has a link to itself")));
                }
            }
        }
        there.sort_unstable();
        back.sort_unstable();
        if there != back {
            let odd = there.iter().zip(&back).find(|(a, b)| a != b).map(|(a, b)| a.min(b));
            let (a, b, _) = *odd.or(there.get(back.len())).or(back.get(there.len())).unwrap_or(&(0, 0, 0));
            return Err(Error::input(format!("a cable between {a} and {b} does not stand at both its ends"))
                .hint("list it with the same bandwidth in the rows of both"));
        }
        Ok(there)
    }
}

fn build(cables: &[Cable], host: &[u32], host_at: &[Option<u32>], slots: &[u32]) -> Result<Fabric> {
    let is_host = |v: u32| host_at[v as usize].is_some();
    let mut adapters = vec![0u32; host.len()];
    let mut routes = vec![false; host.len()];
    for &(a, b, _) in cables {
        for (v, other) in [(a, b), (b, a)] {
            if let Some(h) = host_at[v as usize] {
                adapters[h as usize] += 1;
                routes[h as usize] |= is_host(other);
            }
        }
    }
    // Endpoints come first: one for each adapter, or the router itself.
    let own = |h: usize| if routes[h] { 1 } else { adapters[h].max(1) };
    let mut first = vec![0u32];
    (0..host.len()).for_each(|h| first.push(first[h] + own(h)));
    let endpoints = first[host.len()];
    let mut vertex: Vec<u32> = Vec::with_capacity(host_at.len());
    let mut switches = 0;
    for at in host_at {
        vertex.push(at.map_or(endpoints + switches, |h| first[h as usize]));
        switches += u32::from(at.is_none());
    }
    let mut builder = Builder::new("links", endpoints, switches);
    for (h, &slots) in slots.iter().enumerate() {
        let ends: Vec<VertexId> = (first[h]..first[h + 1]).map(VertexId).collect();
        builder.name(ends[0], format!("h{h}"));
        (1..ends.len()).for_each(|k| builder.name(ends[k], format!("h{h}/{k}")));
        builder.host(format!("h{h}"), ends, slots);
    }
    let mut classes: BTreeMap<(bool, u64), ClassId> = BTreeMap::new();
    for &(a, b, width) in cables {
        let leaf = |v: u32| host_at[v as usize].is_some_and(|h| !routes[h as usize]);
        let key = (leaf(a) || leaf(b), width);
        let gb_s = f64::from_bits(width);
        let class = *classes.entry(key).or_insert_with(|| {
            let bandwidth = Bandwidth::gb_s(gb_s);
            let (name, host) = if key.0 { ("host", true) } else { ("network", false) };
            builder.class(LinkClass { name: format!("{name} {gb_s} GB/s"), host, ..LinkClass::host(Some(bandwidth)) })
        });
        if classes.len() > MOST_CLASSES {
            return Err(Error::input(format!("more than {MOST_CLASSES} different bandwidths")));
        }
        // The adapters of a host take its cables in order.
        let mut end = |v: u32| {
            let own = vertex[v as usize];
            vertex[v as usize] += u32::from(leaf(v));
            VertexId(own)
        };
        let (a, b) = (end(a), end(b));
        builder.cable(a, b, class);
    }
    builder.finish()
}
