//! A mapping in the words of launchers.

use super::Mapping;
use crate::fabric::{Core, Fabric, Hosts, Inside, Medium};
use crate::format::{Placement, mpich_coordinates};
use crate::id::SlotId;

impl Mapping {
    /// Host and place on it, per task: what launchers are told.
    pub fn on_hosts<'a>(&self, hosts: &'a Hosts) -> Vec<(&'a str, u32)> {
        self.slot.iter().map(|&s| (hosts.name(hosts.host_of(s)), hosts.rank_in_host(s))).collect()
    }

    /// The mapping in the words of launchers; `allocation` are the slots that the
    /// job may use, host by host. O(tasks + slots).
    pub fn placement<'a>(&self, fabric: &'a Fabric, allocation: &[SlotId]) -> Placement<'a> {
        let all = fabric.hosts();
        let hosts = allocation.chunk_by(|&a, &b| all.host_of(a) == all.host_of(b));
        Placement {
            ranks: self.on_hosts(all),
            hosts: hosts.map(|own| (all.name(all.host_of(own[0])), own.len() as u32)).collect(),
            coordinates: mpich_coordinates::coordinates(fabric, &self.places(all)),
            cores: self.cores(fabric),
            gpus: self.gpus(fabric),
            numa: self.of_processors(fabric, |inside| Some(inside.numa.clone()).filter(|numa| !numa.is_empty())),
            amd: fabric.outside().is_some_and(|outside| outside.inside().has(Medium::Xgmi)),
            machines: fabric.outside().and_then(|outside| outside.inside().machines),
        }
    }

    /// The core of each task, where the insides of hosts tell one for each slot.
    fn cores(&self, fabric: &Fabric) -> Vec<Core> {
        let Some(outside) = fabric.outside() else { return Vec::new() };
        let (cores, hosts) = (&outside.inside().cores, fabric.hosts());
        let whole = |s: &SlotId| hosts.slot_count(hosts.host_of(*s)) as usize == cores.len();
        if !self.slot.iter().all(whole) {
            return Vec::new();
        }
        self.slot.iter().filter_map(|&s| cores.get(hosts.rank_in_host(s) as usize).cloned()).collect()
    }

    /// The number of each task's GPU, where hosts have a slot for each.
    fn gpus(&self, fabric: &Fabric) -> Vec<u32> {
        self.of_processors(fabric, |inside| {
            let name = |at: u32| inside.parts.get(at as usize).map_or("", |part| part.name.as_str());
            // InfraGraph calls them xpu.
            let plain = |name: &str| name.strip_prefix("gpu").or(name.strip_prefix("xpu"))?.parse::<u32>().ok();
            let number = |at: u32| plain(name(at));
            inside.processors().into_iter().map(number).collect()
        })
    }

    /// What an inside tells of each processor, by tasks; empty where it does not tell it of all.
    fn of_processors<T: Copy>(&self, fabric: &Fabric, all: impl Fn(&Inside) -> Option<Vec<T>>) -> Vec<T> {
        let told = fabric.outside().and_then(|outside| all(outside.inside()));
        let (Some(told), hosts) = (told, fabric.hosts()) else { return Vec::new() };
        let place = |s: &SlotId| {
            let own = hosts.endpoints(hosts.host_of(*s));
            told.get(own.iter().position(|&e| e == hosts.endpoint_of(*s))?).copied()
        };
        self.slot.iter().map(place).collect::<Option<Vec<T>>>().unwrap_or_default()
    }
}
