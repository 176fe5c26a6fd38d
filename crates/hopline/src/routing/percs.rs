//! The two routings of PERCS. Chakaravarthy et al., sections IV-A (direct) and
//! V-A (indirect), with the conventions that reproduce the paper's tables.
//!
//! Within a supernode both stripe over the 8 nodes of the source's drawer
//! (LL-LL or LL-LR); the stripes through the source or the target itself have
//! one hop. An L hop from a node to itself is skipped, never charged.

mod bundles;
mod loads;
mod words;

pub(super) use words::{DIRECT, INDIRECT};

use self::bundles::{DirectBundles, IndirectBundles};
use super::{Bundles, Path, Route, Routing, check_whole, load_host_links, mismatch};
use crate::demand::Flows;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Reader;
use crate::topology::{Percs, Topology};
use std::sync::Arc;

const DRAWER: u32 = 8;
const SUPERNODE: u32 = 32;

/// How messages go within a supernode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// Over all 8 nodes of the source's drawer.
    Striped,
    /// Over the one link between the two nodes.
    SingleHop,
}

/// What both routings share: the machine and the way within a supernode.
struct Machine {
    percs: Percs,
    fabric: Arc<Fabric>,
    inside: Inside,
}

impl Machine {
    fn read(reader: &Reader, name: &str, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Machine> {
        let Topology::Percs(percs) = topology else {
            return Err(mismatch(reader, name, "percs", topology, fabric));
        };
        let inside = [Inside::Striped, Inside::SingleHop][reader.choice("inside", &["striped", "single-hop"])?];
        Machine::new(name, percs, inside, fabric)
    }

    fn new(name: &str, percs: &Percs, inside: Inside, fabric: &Arc<Fabric>) -> Result<Machine> {
        check_whole(name, percs.clone(), fabric)?;
        Ok(Machine { percs: percs.clone(), fabric: fabric.clone(), inside })
    }

    fn inside_choices(&self) -> u64 {
        match self.inside {
            Inside::Striped => u64::from(DRAWER),
            Inside::SingleHop => 1,
        }
    }

    /// Number of paths, where there are `between` for two supernodes.
    fn choices(&self, source: VertexId, target: VertexId, between: u64) -> u64 {
        match (split(source).0 == split(target).0, source == target) {
            (_, true) => 1,
            (true, _) => self.inside_choices(),
            (false, _) => between,
        }
    }

    /// Path number `choice`; `between` writes it where it leaves the supernode.
    fn path(
        &self,
        (source, target): (VertexId, VertexId),
        (choice, choices): (u64, u64),
        path: &mut Path,
        between: impl FnOnce(&mut Path, (u32, u32), (u32, u32)),
    ) {
        let ((a, u), (b, v)) = (split(source), split(target));
        path.restart(1.0 / choices as f64);
        if source == target {
            return;
        }
        if self.percs.host_ports() > 0 {
            path.links.push(self.fabric.out_link(source, 0));
        }
        if a == b {
            self.inside_path(a, u, v, choice, path);
        } else {
            between(path, (a, u), (b, v));
        }
        if self.percs.host_ports() > 0 {
            path.links.push(self.fabric.reverse(self.fabric.out_link(target, 0)));
        }
    }

    /// An L hop, skipped where it would stay at its node.
    fn hop(&self, path: &mut Path, supernode: u32, from: u32, to: u32) {
        if from != to {
            path.links.push(self.percs.l_link(&self.fabric, supernode, from, to));
        }
    }

    /// Path number `choice` between two nodes of one supernode.
    fn inside_path(&self, supernode: u32, u: u32, v: u32, choice: u64, path: &mut Path) {
        match self.inside {
            Inside::Striped => {
                let bounce = u / DRAWER * DRAWER + choice as u32;
                self.hop(path, supernode, u, bounce);
                self.hop(path, supernode, bounce, v);
            }
            Inside::SingleHop => self.hop(path, supernode, u, v),
        }
    }

    /// Mean number of hops between routers; `between` gives it where the way leaves the supernode.
    fn hops(&self, source: VertexId, target: VertexId, between: impl FnOnce((u32, u32), (u32, u32)) -> f64) -> f64 {
        let ((a, u), (b, v)) = (split(source), split(target));
        match self.inside {
            _ if source == target => 0.0,
            _ if a != b => between((a, u), (b, v)),
            Inside::SingleHop => 1.0,
            // One bounce in 8 is the source, and one the target where that is in the same drawer.
            Inside::Striped => 2.0 - f64::from(1 + u32::from(u / DRAWER == v / DRAWER)) / f64::from(DRAWER),
        }
    }
}

/// (supernode, node within it).
fn split(v: VertexId) -> (u32, u32) {
    (v.0 / SUPERNODE, v.0 % SUPERNODE)
}

/// Direct routing: see [the list](super::LIST).
pub struct Direct {
    machine: Machine,
    bundles: DirectBundles,
}

impl Direct {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        Ok(Box::new(Direct::on(Machine::read(reader, DIRECT.name, topology, fabric)?)))
    }

    /// The direct paths of a PERCS machine's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this machine.
    pub fn new(percs: &Percs, inside: Inside, fabric: &Arc<Fabric>) -> Result<Direct> {
        Ok(Direct::on(Machine::new(DIRECT.name, percs, inside, fabric)?))
    }

    fn on(machine: Machine) -> Direct {
        Direct { bundles: DirectBundles::new(&machine), machine }
    }
}

impl Routing for Direct {
    fn fabric(&self) -> &Fabric {
        &self.machine.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        Ok(self.machine.choices(source, target, u64::from(self.machine.percs.nd)))
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        let m = &self.machine;
        let choices = self.choices(source, target)?;
        m.path((source, target), (choice, choices), path, |path, (a, u), (b, v)| {
            let (j, w) = (choice as u32, m.percs.bucket());
            m.hop(path, a, u, j * w + b % w);
            path.links.push(m.percs.d_link(&m.fabric, a, b, j));
            m.hop(path, b, j * w + a % w, v);
        });
        Ok(())
    }

    /// Of the n_d paths one leaves by a D link of the source's own, where it has one to there, and one
    /// arrives at the target's. O(1).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let m = &self.machine;
        let w = m.percs.bucket();
        Ok(m.hops(source, target, |(a, u), (b, v)| {
            let own = |node: u32, other: u32| u32::from(node % w == other % w);
            3.0 - f64::from(own(u, b) + own(v, a)) / f64::from(m.percs.nd)
        }))
    }

    /// O(entries + sum over blocks of (supernodes^2 + nodes * W) + links).
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let m = &self.machine;
        let t = m.tally(flows);
        let (w, share) = (m.percs.bucket(), 1.0 / f64::from(m.percs.nd));
        m.load_inside(&t, loads);
        m.load_l(loads, |a, u, v| {
            let at = |node: u32, exit: u32| ((a * SUPERNODE + node) * w + exit % w) as usize;
            (t.first[at(u, v)] + t.last[at(v, u)]) * share
        });
        m.load_d(loads, |a, b| t.pair[a as usize * t.groups + b as usize] * share);
        load_host_links(&m.fabric, flows, loads);
        Ok(())
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        Some(self)
    }
}

/// Indirect routing: see [the list](super::LIST).
pub struct Indirect {
    machine: Machine,
    /// Whether the supernodes of source and target are intermediates too.
    ends: bool,
    middle: bool,
    bundles: IndirectBundles,
}

impl Indirect {
    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        let mut routing = Indirect::on(Machine::read(reader, INDIRECT.name, topology, fabric)?);
        if reader.choice("intermediates", &["all", "other"])? == 1 {
            routing = routing.by_others()?;
        }
        if reader.choice("middle", &["charged", "free"])? == 1 {
            routing = routing.free_middle();
        }
        Ok(Box::new(routing))
    }

    /// The indirect paths of a PERCS machine's fabric, over all supernodes.
    ///
    /// # Errors
    /// The fabric is not the whole network of this machine.
    pub fn new(percs: &Percs, inside: Inside, fabric: &Arc<Fabric>) -> Result<Indirect> {
        Ok(Indirect::on(Machine::new(INDIRECT.name, percs, inside, fabric)?))
    }

    /// The same over supernodes other than the two ends.
    ///
    /// # Errors
    /// There are only two.
    pub fn by_others(mut self) -> Result<Indirect> {
        if self.machine.percs.ns == 2 {
            let text = "two supernodes have no third one between them";
            return Err(Error::argument("intermediates", text).hint("use intermediates=all"));
        }
        self.ends = false;
        Ok(self)
    }

    /// The same where the middle L hop loads no link.
    #[must_use]
    pub fn free_middle(mut self) -> Indirect {
        self.middle = false;
        self
    }

    fn on(machine: Machine) -> Indirect {
        Indirect { bundles: IndirectBundles::new(&machine), machine, ends: true, middle: true }
    }

    /// Intermediate supernodes of a pair.
    fn intermediates(&self) -> u32 {
        self.machine.percs.ns - if self.ends { 0 } else { 2 }
    }
}

impl Routing for Indirect {
    fn fabric(&self) -> &Fabric {
        &self.machine.fabric
    }

    fn choices(&self, source: VertexId, target: VertexId) -> Result<u64> {
        let between = u64::from(self.intermediates()) * u64::from(self.machine.percs.nd);
        Ok(self.machine.choices(source, target, between))
    }

    fn path(&self, source: VertexId, target: VertexId, choice: u64, path: &mut Path) -> Result<()> {
        let m = &self.machine;
        let choices = self.choices(source, target)?;
        m.path((source, target), (choice, choices), path, |path, (a, u), (b, v)| {
            let (w, nd) = (m.percs.bucket(), u64::from(m.percs.nd));
            let (mut c, j) = ((choice / nd) as u32, (choice % nd) as u32);
            if !self.ends {
                // The choice counts supernodes other than a and b.
                c += u32::from(c >= a.min(b));
                c += u32::from(c >= a.max(b));
            }
            m.hop(path, a, u, j * w + c % w);
            path.links.push(m.percs.d_link(&m.fabric, a, c, j));
            if self.middle {
                m.hop(path, c, j * w + a % w, j * w + b % w);
            }
            path.links.push(m.percs.d_link(&m.fabric, c, b, j));
            m.hop(path, b, j * w + c % w, v);
        });
        Ok(())
    }

    /// L hops that would stay at their node are left out: the first and the last for as many intermediates as have
    /// their D link there, the middle one where both D links stand at one node. O(1).
    fn hops(&self, source: VertexId, target: VertexId, _: &mut Route) -> Result<f64> {
        let m = &self.machine;
        let (ns, nd, w) = (m.percs.ns, m.percs.nd, m.percs.bucket());
        Ok(m.hops(source, target, |(a, u), (b, v)| {
            let own = |node: u32| {
                let r = node % w;
                let ends = if self.ends { 0 } else { u32::from(a % w == r) + u32::from(b % w == r) };
                (ns + w - 1 - r) / w - ends
            };
            let skipped = f64::from(own(u) + own(v)) / (f64::from(self.intermediates()) * f64::from(nd));
            let middle = f64::from(u8::from(self.middle && a % w != b % w));
            4.0 + middle - skipped
        }))
    }

    /// As [`Direct`]'s: first and last L hops depend on what each node sends
    /// and gets, D links on what supernodes send and get, the middle hop on
    /// sums over residues modulo W. With intermediates=other the terms of
    /// c = a and c = b are taken out again.
    fn load(&self, flows: &Flows, loads: &mut [f64]) -> Result<()> {
        let m = &self.machine;
        let t = m.tally(flows);
        let (ns, w) = (m.percs.ns, m.percs.bucket());
        let share = 1.0 / (f64::from(self.intermediates()) * f64::from(m.percs.nd));
        let other = if self.ends { 0.0 } else { 1.0 };
        let pair = |a: u32, b: u32| t.pair[(a * ns + b) as usize];
        let (mut sent, mut got) = (vec![0.0; ns as usize], vec![0.0; ns as usize]);
        // What supernodes of residue r send to those of residue s.
        let mut residues = vec![0.0; (w * w) as usize];
        for a in 0..ns {
            for b in 0..ns {
                sent[a as usize] += pair(a, b);
                got[b as usize] += pair(a, b);
                residues[(a % w * w + b % w) as usize] += pair(a, b);
            }
        }
        // By supernode c and residue: what c sends to, and gets from, supernodes of that residue.
        let (mut sent_to, mut got_from) = (vec![0.0; (ns * w) as usize], vec![0.0; (ns * w) as usize]);
        if !self.ends {
            for a in 0..ns {
                for b in 0..ns {
                    sent_to[(a * w + b % w) as usize] += pair(a, b);
                    got_from[(b * w + a % w) as usize] += pair(a, b);
                }
            }
        }
        m.load_inside(&t, loads);
        let row = |rows: &[f64], node: u32| rows[(node * w) as usize..((node + 1) * w) as usize].iter().sum::<f64>();
        let outs: Vec<f64> = (0..m.percs.nodes()).map(|node| row(&t.first, node)).collect();
        let ins: Vec<f64> = (0..m.percs.nodes()).map(|node| row(&t.last, node)).collect();
        m.load_l(loads, |a, u, v| {
            // Supernodes whose D links stand at the node of bucket residue r: of all, and without the ends.
            let ends = |node: u32, r: u32, all: &[f64], rows: &[f64]| {
                let count = f64::from((ns + w - 1 - r) / w);
                let own = if a % w == r { 1.0 } else { 0.0 };
                let node = a * SUPERNODE + node;
                all[node as usize] * (count - other * own) - other * rows[(node * w + r) as usize]
            };
            let mut amount = ends(u, v % w, &outs, &t.first) + ends(v, u % w, &ins, &t.last);
            // The middle hop stays in its bucket, from where a residue arrives to where another leaves.
            if self.middle && u / w == v / w {
                let (r, s) = (u % w, v % w);
                amount += residues[(r * w + s) as usize];
                if a % w == r {
                    amount -= other * sent_to[(a * w + s) as usize];
                }
                if a % w == s {
                    amount -= other * got_from[(a * w + r) as usize];
                }
            }
            amount * share
        });
        m.load_d(loads, |a, b| {
            if a == b && !self.ends {
                return 0.0;
            }
            (sent[a as usize] + got[b as usize] - 2.0 * other * pair(a, b)) * share
        });
        load_host_links(&m.fabric, flows, loads);
        Ok(())
    }

    fn bundles(&self) -> Option<&dyn Bundles> {
        // Without the ends every pair of supernodes has a set of paths of its own.
        if self.ends { Some(self) } else { None }
    }
}
