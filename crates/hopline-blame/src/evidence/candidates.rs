//! What may be slow: a link in one direction, a cable, a host, a switch.

use super::counted::counted;
use crate::measured::PortErrors;
use crate::names::Names;
use hopline::fabric::Fabric;
use hopline::id::{HostId, LinkId, VertexId};

/// ln of how likely a link, cable or host is slow before anything is measured.
const PRIOR: f64 = -9.2;
/// The same of a host in one direction alone: an adapter, its slot and its cable are mostly slow in both.
const HALF_HOST_PRIOR: f64 = -11.5;
/// The same of a whole switch.
const SWITCH_PRIOR: f64 = -10.4;
/// What delays messages through a cable mostly does so both ways: so much likelier (ln 1.35) that round trips, which cannot tell the
/// directions apart, are told of both.
const BOTH_WAYS: f64 = 0.3;
/// Errors that a port counts, more than its siblings, make it so much likelier (ln 20); not more, since they may be years old.
const ERRORS: f64 = 3.0;

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// One direction of a cable.
    Link(LinkId),
    /// Both directions of a cable between switches, or of one adapter of a host that has several.
    Cable(LinkId),
    /// All that a host sends and receives.
    Host(HostId),
    /// All that comes into a switch, or all that comes in and goes out: where links are not equally fast that differs.
    Switch(VertexId),
}

/// A part that may be slow.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) part: Part,
    pub(crate) links: Vec<u32>,
    /// ln of its probability before anything is measured.
    pub(crate) prior: f64,
    /// Errors that its ports count.
    pub(crate) errors: Vec<String>,
}

/// All parts of a fabric with a link that was crossed.
pub(crate) fn all(
    fabric: &Fabric,
    (crossed, latency): (&[bool], bool),
    names: &Names,
    errors: &[PortErrors],
) -> Vec<Candidate> {
    let ports = counted(fabric, names, errors);
    let mut found = Vec::new();
    let mut add = |part: Part, links: Vec<LinkId>, prior: f64, counts: bool| {
        if links.iter().any(|l| crossed[l.index()]) {
            let own = || links.iter().filter(|_| counts).filter_map(|l| ports.get(l));
            let errors = own().map(|counted| counted.text.clone()).collect();
            let prior = if own().any(|counted| counted.odd) { prior + ERRORS } else { prior };
            found.push(Candidate { part, links: links.into_iter().map(|l| l.0).collect(), prior, errors });
        }
    };
    let of_link = |l: LinkId| if fabric.is_host_link(l) { HALF_HOST_PRIOR } else { PRIOR };
    fabric.link_ids().for_each(|l| add(Part::Link(l), vec![l], of_link(l), true));
    let rails = |l: LinkId| {
        let owner = [fabric.source(l), fabric.target(l)].iter().find_map(|v| fabric.hosts().owner(*v));
        owner.map_or(0, |host| fabric.hosts().endpoints(host).len())
    };
    for l in fabric.link_ids().filter(|&l| l <= fabric.reverse(l)) {
        if !fabric.is_host_link(l) || rails(l) != 1 {
            let prior = if latency { PRIOR + BOTH_WAYS } else { PRIOR };
            add(Part::Cable(l), vec![l, fabric.reverse(l)], prior, true);
        }
    }
    for host in (0..fabric.hosts().len()).map(HostId) {
        let own = fabric.hosts().endpoints(host).iter().flat_map(|&v| fabric.out_links(v));
        let own = own.filter(|&l| fabric.is_host_link(l));
        add(Part::Host(host), own.flat_map(|l| [l, fabric.reverse(l)]).collect(), PRIOR, true);
    }
    for v in (fabric.endpoints()..fabric.vertices()).map(VertexId) {
        let (out, into): (Vec<_>, Vec<_>) = fabric.out_links(v).map(|l| (l, fabric.reverse(l))).unzip();
        let both = [&into[..], &out].concat();
        add(Part::Switch(v), into, SWITCH_PRIOR, false);
        add(Part::Switch(v), both, SWITCH_PRIOR, false);
    }
    found
}

/// A candidate as an answer tells it.
pub(crate) struct Named {
    pub(crate) kind: &'static str,
    pub(crate) name: String,
    /// Which one is meant.
    pub(crate) direction: &'static str,
}

impl Candidate {
    pub(crate) fn named(&self, fabric: &Fabric) -> Named {
        let host_of = |v: VertexId| fabric.hosts().owner(v).map(|h| fabric.hosts().name(h).to_string());
        let (kind, name, direction) = match self.part {
            Part::Link(l) if fabric.is_host_link(l) => match (host_of(fabric.source(l)), host_of(fabric.target(l))) {
                (Some(host), _) => ("host", host, "send"),
                (_, Some(host)) => ("host", host, "receive"),
                _ => ("link", fabric.link_name(l), "one"),
            },
            Part::Link(l) => ("link", fabric.link_name(l), "one"),
            Part::Cable(l) => ("link", fabric.cable_name(l), "both"),
            Part::Host(h) => ("host", fabric.hosts().name(h).to_string(), "both"),
            Part::Switch(v) => ("switch", fabric.vertex_name(v).to_string(), "both"),
        };
        Named { kind, name, direction }
    }

    pub(crate) fn is_switch(&self) -> bool {
        matches!(self.part, Part::Switch(_))
    }

    /// Whether both are the same piece of hardware: a switch, or a cable with its two directions, its host and its ports.
    pub(crate) fn is_one_with(&self, other: &Candidate, fabric: &Fabric) -> bool {
        if self.is_switch() || other.is_switch() {
            return self.part == other.part;
        }
        let cable = |l: u32| l.min(fabric.reverse(LinkId(l)).0);
        self.links.iter().any(|a| other.links.iter().any(|b| cable(*a) == cable(*b)))
    }

    /// Whether all links of another are among its own.
    pub(crate) fn contains(&self, other: &Candidate) -> bool {
        other.links.iter().all(|l| self.links.contains(l))
    }
}
