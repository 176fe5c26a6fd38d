//! An atlas as bytes: `HOPATLAS`, version, SHA-256 of the rest, then all arrays
//! with their lengths, numbers little-endian. What is read is checked, so a
//! damaged file is an error and never a wrong route.

use super::{Atlas, Host, Link, NOWHERE, Speed, Vertex};
use hopline::error::{Error, Result};
use sha2::{Digest, Sha256};

const MAGIC: &[u8; 8] = b"HOPATLAS";
const VERSION: u32 = 1;
const HEAD: usize = 8 + 4 + 32;

impl Atlas {
    /// The atlas as bytes; equal atlases give equal bytes. O(size).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer(Vec::with_capacity(self.tables.len() + 8 * self.links.len() + 128 * self.vertices.len()));
        w.u32(self.endpoints);
        w.all(&self.vertices, |w, v| {
            w.text(&v.description);
            w.u64(v.node_guid);
            w.u64(v.port_guid);
            w.u8(v.port);
            w.u16(v.lid);
            w.u16(v.lids);
        });
        w.all(&self.hosts, |w, h| {
            w.text(&h.name);
            w.u32(h.first);
            w.u32(h.endpoints);
        });
        w.all(&self.speeds, |w, s| {
            w.text(&s.name);
            w.u64(s.gb_s.to_bits());
        });
        w.all(&self.first, |w, f| w.u32(*f));
        w.all(&self.links, |w, l| {
            w.u32(l.to);
            [l.out, l.arrives, l.speed].into_iter().for_each(|b| w.u8(b));
        });
        w.all(&self.owner, |w, o| w.u32(*o));
        w.all(&self.tabled, |w, t| w.u8(u8::from(*t)));
        w.all(&self.notes, |w, n| w.text(n));
        w.u32(self.tables.len() as u32);
        w.0.extend_from_slice(&self.tables);
        let body = w.0;
        let mut bytes = Vec::with_capacity(HEAD + body.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&Sha256::digest(&body));
        bytes.extend_from_slice(&body);
        bytes
    }

    /// The checksum in the head of [`Atlas::to_bytes`].
    pub fn checksum(bytes: &[u8]) -> Option<&[u8]> {
        bytes.get(12..HEAD)
    }

    /// Reads what [`Atlas::to_bytes`] wrote. O(size); memory is in proportion to `bytes`.
    ///
    /// # Errors
    /// Another version, a wrong checksum, or contents that contradict each other.
    pub fn from_bytes(bytes: &[u8]) -> Result<Atlas> {
        let wrong = |what: &str| Error::input(format!("the cache of routes {what}")).hint("the dumps are read instead");
        let body = bytes.get(HEAD..).filter(|_| bytes.starts_with(MAGIC)).ok_or_else(|| wrong("is no such file"))?;
        if bytes[8..12] != VERSION.to_le_bytes() {
            return Err(wrong("has another version"));
        }
        if bytes[12..HEAD] != Sha256::digest(body)[..] {
            return Err(wrong("is damaged: its checksum is wrong"));
        }
        read(body).filter(Atlas::is_sound).ok_or_else(|| wrong("contradicts itself"))
    }

    /// True where all indices lead somewhere, so that no walk can leave the arrays.
    fn is_sound(&self) -> bool {
        let (vertices, ends) = (self.vertices.len(), u64::from(self.endpoints));
        let vertex = |v: u32| v == NOWHERE || (v as usize) < vertices;
        let switches = vertices.checked_sub(self.endpoints as usize);
        let past = |h: &Host| u64::from(h.first) + u64::from(h.endpoints);
        let hosts_follow = self.hosts.windows(2).all(|w| past(&w[0]) <= u64::from(w[1].first));
        switches == Some(self.tabled.len())
            // Each has a LID of its own.
            && self.tabled.len() < 0xc000
            && self.tables.len() == self.tabled.len() * self.owner.len()
            && (1..=0xc000).contains(&self.owner.len())
            && self.owner.iter().all(|&v| vertex(v))
            && self.vertices.iter().all(|v| u32::from(v.lid) + u32::from(v.lids) <= 0xc000)
            && self.first.len() == vertices + 1
            && self.first.first() == Some(&0)
            && self.first.windows(2).all(|w| w[0] < w[1])
            && self.first.last().is_some_and(|&end| end as usize == self.links.len())
            && self.links.iter().all(|l| vertex(l.to) && (l.to == NOWHERE || usize::from(l.speed) < self.speeds.len()))
            && self.hosts.iter().all(|h| h.endpoints > 0 && past(h) <= ends)
            && hosts_follow
            && self.speeds.len() < 256
            && self.speeds.iter().all(|s| s.gb_s >= 0.0)
    }
}

fn read(body: &[u8]) -> Option<Atlas> {
    let mut r = Reader(body);
    let atlas = Atlas {
        endpoints: r.u32()?,
        vertices: r.all(29, |r| {
            Some(Vertex {
                description: r.text()?,
                node_guid: r.u64()?,
                port_guid: r.u64()?,
                port: r.u8()?,
                lid: r.u16()?,
                lids: r.u16()?,
            })
        })?,
        hosts: r.all(12, |r| Some(Host { name: r.text()?, first: r.u32()?, endpoints: r.u32()? }))?,
        speeds: r.all(12, |r| Some(Speed { name: r.text()?, gb_s: f64::from_bits(r.u64()?) }))?,
        first: r.all(4, Reader::u32)?,
        links: r.all(7, |r| Some(Link { to: r.u32()?, out: r.u8()?, arrives: r.u8()?, speed: r.u8()? }))?,
        owner: r.all(4, Reader::u32)?,
        tabled: r.all(1, |r| Some(r.u8()? != 0))?,
        notes: r.all(4, Reader::text)?,
        tables: {
            let length = r.u32()?;
            r.take(length as usize)?.to_vec()
        },
    };
    r.0.is_empty().then_some(atlas)
}

struct Writer(Vec<u8>);

impl Writer {
    fn u8(&mut self, n: u8) {
        self.0.push(n);
    }
    fn u16(&mut self, n: u16) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }
    fn u32(&mut self, n: u32) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }
    fn u64(&mut self, n: u64) {
        self.0.extend_from_slice(&n.to_le_bytes());
    }
    fn text(&mut self, text: &str) {
        self.u32(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
    }
    fn all<T>(&mut self, items: &[T], write: impl Fn(&mut Writer, &T)) {
        self.u32(items.len() as u32);
        items.iter().for_each(|item| write(self, item));
    }
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }
    fn u8(&mut self) -> Option<u8> {
        self.array::<1>().map(|[b]| b)
    }
    fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }
    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }
    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }
    fn text(&mut self) -> Option<String> {
        let length = self.u32()?;
        String::from_utf8(self.take(length as usize)?.to_vec()).ok()
    }
    /// Items of at least `least` bytes each: a length that cannot be true is refused before memory is taken.
    fn all<T>(&mut self, least: usize, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = self.u32()? as usize;
        if length > self.0.len() / least {
            return None;
        }
        (0..length).map(|_| read(self)).collect()
    }
}
