//! A fabric with something else beside the same vertices and links.

use super::{Fabric, LinkClass, Rails};
use crate::error::{Error, Result};
use crate::id::HostId;
use crate::unit::Nanos;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The most slots of a machine whose hosts have several: 16 million.
const MOST_SLOTS: u64 = 1 << 24;

impl Fabric {
    /// The same network with the latencies that `latency` gives each class of links.
    #[must_use]
    pub fn with_latencies(mut self, latency: impl Fn(&LinkClass) -> Nanos) -> Self {
        self.classes.iter_mut().for_each(|class| class.latency = latency(class));
        self
    }

    /// The same network with `slots` places for tasks on every host that has any.
    ///
    /// # Errors
    /// `slots` is 0, or makes more than 16 million of them.
    pub fn with_slots(mut self, slots: u32) -> Result<Self> {
        let hosts = u64::from(self.hosts.len());
        if slots == 0 || slots > 1 && u64::from(slots) * hosts > MOST_SLOTS {
            let most = (MOST_SLOTS / hosts.max(1)).max(1);
            return Err(Error::argument("slots", format!("`slots` is {slots}, expected 1 to {most}")));
        }
        self.hosts = self.hosts.with_slots(slots);
        Ok(self)
    }

    /// The same network with one more thing that a person should know of it.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same network with another use of the endpoints of hosts that have several.
    ///
    /// # Errors
    /// An adapter is named that no host has.
    pub fn with_rails(mut self, rails: Rails) -> Result<Self> {
        let most = match &self.outside {
            Some(outside) => outside.most_adapters(),
            None => self.hosts.most_rails(),
        };
        if let Rails::One(n) = rails
            && n as usize >= most
        {
            let text = format!("`rails` is {n}, but no host has more than {most} adapters (counted from 0)");
            return Err(Error::argument("rails", text));
        }
        match &self.outside {
            Some(outside) => self.outside = Some(Arc::new(outside.with_rails(rails))),
            None => self.hosts = self.hosts.with_rails(rails),
        }
        Ok(self)
    }

    /// The same network whose first hosts have these names; the others lose their
    /// slots. Where a vertex is its host (one endpoint, called like it), it takes
    /// the name too. O(hosts + vertices).
    ///
    /// # Errors
    /// There are more names than hosts, or a host or vertex that keeps its own has one of them.
    pub fn with_host_names<S: AsRef<str>>(mut self, names: &[S]) -> Result<Self> {
        if names.len() > self.hosts.len() as usize {
            let message = format!("{} names for {} hosts", names.len(), self.hosts.len());
            return Err(Error::input(message));
        }
        for (host, name) in (0..).map(HostId).zip(names) {
            if let [one] = *self.hosts.endpoints(host)
                && self.vertex_name(one) == self.hosts.name(host)
            {
                self.names[one.index()] = name.as_ref().to_string();
            }
        }
        self.hosts = self.hosts.with_names(names);
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        if let Some(twice) = self.names.iter().find(|name| !seen.insert(name)) {
            return Err(Error::input(format!("`{twice}` is the name of another vertex of {} already", self.name)));
        }
        seen.clear();
        match (0..self.hosts.len()).map(|h| self.hosts.name(HostId(h))).find(|name| !seen.insert(name)) {
            Some(twice) => Err(Error::input(format!("`{twice}` is the name of another host of {} already", self.name))),
            None => Ok(self),
        }
    }
}
