//! Hosts: machines that own endpoints (adapters, rails) and slots (places for
//! one task each).

use crate::id::{HostId, SlotId, VertexId};
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One host, as the builder takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The name that launchers know.
    pub name: String,
    /// Its endpoints; slot k injects through endpoint `k mod endpoints`.
    pub endpoints: Vec<VertexId>,
    /// Places for tasks; 0 for a vertex that runs none.
    pub slots: u32,
}

/// How the slots of a host with several endpoints (rails) use them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Rails {
    /// Slot k injects through endpoint k mod their number.
    #[default]
    RoundRobin,
    /// Consecutive slots share an endpoint: slot k of n uses endpoint k*rails/n,
    /// as GPUs use the adapter next to them.
    Affine,
    /// Every slot spreads its traffic evenly over all endpoints, rail to rail.
    Stripe,
    /// All slots use the endpoint of that number, counted modulo their number.
    One(u32),
}

/// All hosts of a fabric. Slots are numbered host by host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hosts {
    names: Vec<String>,
    first_endpoint: Vec<u32>,
    endpoints: Vec<VertexId>,
    rails: Rails,
    first_slot: Vec<u32>,
    /// Per slot.
    host: Vec<u32>,
    endpoint: Vec<VertexId>,
    /// Per endpoint vertex of the fabric: its host.
    host_of_endpoint: Vec<u32>,
    /// The links between the endpoints of a host are part of the fabric.
    have_insides: bool,
}

const NOBODY: u32 = u32::MAX;

impl Hosts {
    pub(super) fn new(hosts: Vec<Host>, endpoints: u32) -> Self {
        let mut all =
            Hosts { first_endpoint: vec![0], host_of_endpoint: vec![NOBODY; endpoints as usize], ..Hosts::default() };
        let mut slots = Vec::with_capacity(hosts.len());
        for (id, host) in hosts.into_iter().enumerate() {
            for e in &host.endpoints {
                all.host_of_endpoint[e.index()] = id as u32;
            }
            slots.push(host.slots);
            all.names.push(host.name);
            all.endpoints.extend(host.endpoints);
            all.first_endpoint.push(all.endpoints.len() as u32);
        }
        all.lay_slots(&slots);
        all
    }

    fn lay_slots(&mut self, slots: &[u32]) {
        self.first_slot = vec![0];
        self.host.clear();
        self.endpoint.clear();
        for (id, &count) in slots.iter().enumerate() {
            for k in 0..count {
                let endpoint = {
                    let own = self.endpoints(HostId(id as u32));
                    let at = match self.rails {
                        Rails::RoundRobin => k as usize % own.len(),
                        Rails::Affine => k as usize * own.len() / count as usize,
                        Rails::One(n) => n as usize % own.len(),
                        // The flows are spread later; the first stands for all.
                        Rails::Stripe => 0,
                    };
                    own[at]
                };
                self.host.push(id as u32);
                self.endpoint.push(endpoint);
            }
            self.first_slot.push(self.host.len() as u32);
        }
    }

    pub(super) fn with_slots(mut self, slots: u32) -> Self {
        let counts: Vec<u32> =
            (0..self.len()).map(|h| if self.slot_count(HostId(h)) > 0 { slots } else { 0 }).collect();
        self.lay_slots(&counts);
        self
    }

    /// The same hosts, the first of them with these names; the others lose their slots.
    pub(super) fn with_names<S: AsRef<str>>(mut self, names: &[S]) -> Self {
        let counts: Vec<u32> =
            (0..self.len()).map(|h| if (h as usize) < names.len() { self.slot_count(HostId(h)) } else { 0 }).collect();
        self.names.iter_mut().zip(names).for_each(|(own, name)| *own = name.as_ref().to_string());
        self.lay_slots(&counts);
        self
    }

    pub(super) fn with_rails(mut self, rails: Rails) -> Self {
        self.rails = rails;
        let counts: Vec<u32> = (0..self.len()).map(|h| self.slot_count(HostId(h))).collect();
        self.lay_slots(&counts);
        self
    }

    /// The same hosts, whose endpoints are processors that links inside the host join. Consecutive slots share one.
    pub(super) fn with_insides(self) -> Self {
        Hosts { have_insides: true, ..self.with_rails(Rails::Affine) }
    }

    /// True where endpoints are processors, joined by links inside their hosts.
    pub fn have_insides(&self) -> bool {
        self.have_insides
    }

    /// Whether what one endpoint sends to another crosses no link: both are one, or of one host whose inside is not known.
    #[inline]
    pub fn is_free(&self, a: VertexId, b: VertexId) -> bool {
        a == b || (!self.have_insides && self.owner(a).is_some() && self.owner(a) == self.owner(b))
    }

    /// How slots use the endpoints of their host.
    pub fn rails(&self) -> Rails {
        self.rails
    }

    /// Most endpoints of a host that runs tasks.
    pub fn most_rails(&self) -> usize {
        (0..self.len())
            .map(HostId)
            .filter(|&h| self.slot_count(h) > 0)
            .map(|h| self.endpoints(h).len())
            .max()
            .unwrap_or(0)
    }

    /// Number of hosts.
    pub fn len(&self) -> u32 {
        self.names.len() as u32
    }

    /// True where there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Number of slots of all hosts.
    pub fn slots(&self) -> u32 {
        self.host.len() as u32
    }

    /// The name of a host.
    pub fn name(&self, host: HostId) -> &str {
        &self.names[host.index()]
    }

    /// The host of that name.
    pub fn find(&self, name: &str) -> Option<HostId> {
        self.names.iter().position(|n| n == name).map(|h| HostId(h as u32))
    }

    /// The endpoints of a host.
    pub fn endpoints(&self, host: HostId) -> &[VertexId] {
        &self.endpoints[self.first_endpoint[host.index()] as usize..self.first_endpoint[host.index() + 1] as usize]
    }

    /// Number of slots of a host.
    pub fn slot_count(&self, host: HostId) -> u32 {
        self.first_slot[host.index() + 1] - self.first_slot[host.index()]
    }

    /// The slots of a host, in order.
    pub fn slots_of(&self, host: HostId) -> impl Iterator<Item = SlotId> + use<> {
        (self.first_slot[host.index()]..self.first_slot[host.index() + 1]).map(SlotId)
    }

    /// The host of a slot.
    #[inline]
    pub fn host_of(&self, slot: SlotId) -> HostId {
        HostId(self.host[slot.index()])
    }

    /// The place of a slot among those of its host, from 0.
    pub fn rank_in_host(&self, slot: SlotId) -> u32 {
        slot.0 - self.first_slot[self.host_of(slot).index()]
    }

    /// The endpoint through which a slot injects.
    #[inline]
    pub fn endpoint_of(&self, slot: SlotId) -> VertexId {
        self.endpoint[slot.index()]
    }

    /// The host that owns an endpoint, if one does.
    #[inline]
    pub fn owner(&self, endpoint: VertexId) -> Option<HostId> {
        match self.host_of_endpoint.get(endpoint.index()) {
            Some(&h) if h != NOBODY => Some(HostId(h)),
            _ => None,
        }
    }

    /// Mean slots of the hosts that have any.
    pub fn mean_slots(&self) -> f64 {
        let used = (0..self.len()).filter(|&h| self.slot_count(HostId(h)) > 0).count();
        if used == 0 { 0.0 } else { f64::from(self.slots()) / used as f64 }
    }
}
