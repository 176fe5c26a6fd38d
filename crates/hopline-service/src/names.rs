//! Every way to name an end of a route.
//!
//! A name is, tried in this order: a host, `host:port`, `host/device`,
//! `host/device:port` or a whole node description; a GUID of a node or a port
//! (`0x...`); a LID; any of the host's with its domain. A host with several
//! endpoints, or a description that several nodes have, is ambiguous where one end
//! is meant.

use crate::atlas::Atlas;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// One end of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The vertex.
    pub vertex: u32,
    /// The LID that packets to it carry: the first of its LIDs, or the one that
    /// was named; 0 where it has none.
    pub lid: u16,
}

/// Why a name means no end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unnamed<'a> {
    /// Nothing has this name.
    Unknown,
    /// These vertices have it.
    Ambiguous(&'a [u32]),
}

/// An index of all names. Memory is O(vertices).
#[derive(Debug, Clone, Default)]
pub struct Names {
    words: FxHashMap<Box<str>, Range<u32>>,
    guids: FxHashMap<u64, Range<u32>>,
    /// Per host name: its number.
    hosts: FxHashMap<Box<str>, u32>,
    /// What the ranges are of.
    meant: Vec<u32>,
}

impl Names {
    /// Indexes an atlas. O(vertices log vertices).
    pub fn new(atlas: &Atlas) -> Names {
        let mut words: Vec<(String, u32)> = Vec::new();
        let mut guids: Vec<(u64, u32)> = Vec::new();
        for (v, vertex) in (0..).zip(atlas.vertices()) {
            guids.extend([(vertex.node_guid, v), (vertex.port_guid, v)]);
            words.extend(spellings(atlas, v).into_iter().map(|word| (word, v)));
            if !vertex.description.is_empty() {
                words.push((vertex.description.clone(), v));
            }
        }
        let mut names = Names::default();
        for (host, h) in atlas.hosts().iter().zip(0..) {
            let endpoints = host.first..host.first + host.endpoints;
            words.extend(endpoints.clone().map(|v| (host.name.clone(), v)));
            // The name that several machines have means any of them.
            words.extend(shared(&host.name).into_iter().flat_map(|name| endpoints.clone().map(|v| (name.into(), v))));
            names.hosts.insert(host.name.as_str().into(), h);
        }
        names.words = group(words, &mut names.meant).into_iter().map(|(w, r)| (w.into_boxed_str(), r)).collect();
        names.guids = group(guids, &mut names.meant);
        names
    }

    /// The end that a name means. O(1).
    ///
    /// # Errors
    /// Nothing has this name, or several ends have it.
    #[inline]
    pub fn find(&self, atlas: &Atlas, name: &str) -> Result<End, Unnamed<'_>> {
        let end = |vertex: u32| End { vertex, lid: atlas.vertices()[vertex as usize].lid };
        let one = |range: &Range<u32>| match &self.meant[range.start as usize..range.end as usize] {
            [vertex] => Ok(end(*vertex)),
            several => Err(Unnamed::Ambiguous(several)),
        };
        if let Some(range) = self.words.get(name) {
            return one(range);
        }
        if let Some(hex) = name.strip_prefix("0x").or_else(|| name.strip_prefix("0X")) {
            let guid = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'));
            return guid.and_then(|g| self.guids.get(&g)).map_or(Err(Unnamed::Unknown), one);
        }
        let digits = !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit());
        if digits {
            let owner = name.parse().ok().and_then(|lid: u16| Some(End { vertex: atlas.owner(lid)?, lid }));
            return owner.ok_or(Unnamed::Unknown);
        }
        let short = without_domain(name).and_then(|short| self.words.get(short.as_str()));
        short.map_or(Err(Unnamed::Unknown), one)
    }

    /// The same, but a host's name means its first endpoint.
    ///
    /// # Errors
    /// As [`Names::find`].
    pub fn find_host(&self, atlas: &Atlas, name: &str) -> Result<End, Unnamed<'_>> {
        let host = self.hosts.get(name).or_else(|| self.hosts.get(without_domain(name)?.as_str()));
        match host.and_then(|&h| atlas.hosts().get(h as usize)) {
            Some(host) => Ok(End { vertex: host.first, lid: atlas.vertices()[host.first as usize].lid }),
            None => self.find(atlas, name),
        }
    }

    /// The shortest name that means this vertex alone: the host, the host with
    /// device or port, the description, the GUID; a switch's is its GUID.
    pub fn shortest(&self, atlas: &Atlas, v: u32) -> String {
        let vertex = &atlas.vertices()[v as usize];
        if !atlas.is_endpoint(v) {
            return guid(vertex.node_guid);
        }
        let means = |name: &String| self.find(atlas, name).is_ok_and(|end| end.vertex == v);
        let host = atlas.host_of(v).map(|h| h.name.clone());
        let tried = host.into_iter().chain(spellings(atlas, v)).chain([vertex.description.clone()]);
        tried.into_iter().find(means).unwrap_or_else(|| guid(vertex.port_guid))
    }
}

/// `node001` of `node001@0x0002c90300100400`, as one of several machines of a name is called.
fn shared(host: &str) -> Option<&str> {
    host.rsplit_once("@0x").map(|(name, _)| name)
}

/// `0x` and 16 digits.
pub fn guid(guid: u64) -> String {
    format!("0x{guid:016x}")
}

/// What MPI and the resolver call `node001.cluster`, or a device or port of it, is
/// `node001` in the fabric.
fn without_domain(name: &str) -> Option<String> {
    let host = name.split(['/', ':']).next().unwrap_or_default();
    let (short, _) = host.split_once('.')?;
    Some(format!("{short}{}", &name[host.len()..]))
}

/// `host/device`, `host:port`, `host/device:port`.
fn spellings(atlas: &Atlas, v: u32) -> Vec<String> {
    let Some(host) = atlas.host_of(v).filter(|_| atlas.is_endpoint(v)) else { return Vec::new() };
    let vertex = &atlas.vertices()[v as usize];
    let (name, port) = (&host.name, vertex.port);
    let device = vertex.description.strip_prefix(shared(name).unwrap_or(name)).unwrap_or("").trim();
    match device {
        "" => vec![format!("{name}:{port}")],
        _ => vec![format!("{name}/{device}"), format!("{name}:{port}"), format!("{name}/{device}:{port}")],
    }
}

/// Who has each name, as ranges of `meant`.
fn group<K: Ord + std::hash::Hash>(mut pairs: Vec<(K, u32)>, meant: &mut Vec<u32>) -> FxHashMap<K, Range<u32>> {
    pairs.sort();
    pairs.dedup();
    let mut ranges: FxHashMap<K, Range<u32>> = FxHashMap::default();
    for (key, v) in pairs {
        let at = meant.len() as u32;
        meant.push(v);
        ranges.entry(key).or_insert(at..at).end = at + 1;
    }
    ranges
}
