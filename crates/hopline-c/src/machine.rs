//! `hopline_machine`: a fabric with its routing, built once and never changed,
//! so that any number of threads may map onto it.

use crate::error::guard;
use crate::links::Links;
use crate::{given, text};
use hopline::error::{Error, Result};
use hopline::fabric::Fabric;
use hopline::files::Disk;
use hopline::id::{HostId, SlotId};
use hopline::plan::Network;
use hopline::routing::{Routing, Shortest, default_roots, up_down};
use hopline::scenario::Scenario;
use hopline_formats::AnyForm;
use std::ffi::{CString, c_char};
use std::sync::Arc;

/// `hopline_machine`.
pub struct Machine {
    pub(crate) fabric: Arc<Fabric>,
    pub(crate) routing: Box<dyn Routing>,
    /// The names of its hosts.
    names: Vec<CString>,
}

/// `HOPLINE_NONE`.
pub const NONE: u32 = u32::MAX;

impl Machine {
    fn new(fabric: Arc<Fabric>, routing: Box<dyn Routing>) -> *mut Machine {
        let hosts = fabric.hosts();
        // Names come from text, where a zero byte ends nothing.
        let name = |h| CString::new(hosts.name(HostId(h)).replace('\0', "\u{fffd}")).unwrap_or_default();
        let names = (0..hosts.len()).map(name).collect();
        Box::into_raw(Box::new(Machine { fabric, routing, names }))
    }
}

/// `hopline_machine_from_spec`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_machine_from_spec(topology: *const c_char, routing: *const c_char) -> *mut Machine {
    let build = || {
        // SAFETY: the caller's promise.
        let mut scenario = Scenario::default().topology(unsafe { text(topology, "topology") }?)?;
        if !routing.is_null() {
            // SAFETY: the caller's promise.
            scenario = scenario.routing(unsafe { text(routing, "routing") }?)?;
        }
        if let Some(second) = scenario.routings.get(1) {
            return Err(Error::input("a machine takes one routing").at(second.place()));
        }
        let network = Network::new(&scenario, &AnyForm(Disk))?;
        Ok(Machine::new(network.fabric, network.routing))
    };
    guard(build).unwrap_or(std::ptr::null_mut())
}

/// `hopline_machine_from_links`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_machine_from_links(links: *const Links, routing: *const c_char) -> *mut Machine {
    let build = || {
        // SAFETY: the caller's promise.
        let fabric = Arc::new(unsafe { given(links, "links")?.fabric() }?);
        let name = match routing.is_null() {
            true => "shortest",
            // SAFETY: the caller's promise.
            false => unsafe { text(routing, "routing") }?,
        };
        let routing: Shortest = match name {
            "shortest" => Shortest::new(fabric.clone()),
            "up-down" => up_down(fabric.clone(), &default_roots(&fabric)),
            other => {
                let text = format!("routing `{other}` needs more than links");
                return Err(Error::input(text).hint("use shortest or up-down"));
            }
        };
        Ok(Machine::new(fabric, Box::new(routing)))
    };
    guard(build).unwrap_or(std::ptr::null_mut())
}

/// `hopline_machine_free`.
///
/// # Safety
/// The machine comes from this library and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_machine_free(machine: *mut Machine) {
    let free = || {
        if !machine.is_null() {
            // SAFETY: `Machine::new` made it of a box; the rest is the caller's promise.
            drop(unsafe { Box::from_raw(machine) });
        }
        Ok(())
    };
    // Nobody hears of a panic here, and none passes.
    let _ = guard(free);
}

/// `hopline_hosts`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_hosts(machine: *const Machine) -> u32 {
    // SAFETY: the caller's promise.
    ask(0, || unsafe { given(machine, "machine") }, |m| m.fabric.hosts().len())
}

/// `hopline_slots`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_slots(machine: *const Machine) -> u32 {
    // SAFETY: the caller's promise.
    ask(0, || unsafe { given(machine, "machine") }, |m| m.fabric.hosts().slots())
}

/// `hopline_first_slot`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_first_slot(machine: *const Machine, host: u32) -> u32 {
    // SAFETY: the caller's promise.
    ask(
        0,
        || unsafe { given(machine, "machine") },
        |m| {
            let hosts = m.fabric.hosts();
            let from_here = |h: u32| hosts.slots_of(HostId(h)).next().map(|slot| slot.0);
            // A host without slots begins where the next one does.
            (host..hosts.len()).find_map(from_here).unwrap_or(hosts.slots())
        },
    )
}

/// `hopline_host_of`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_host_of(machine: *const Machine, slot: u32) -> u32 {
    // SAFETY: the caller's promise.
    ask(
        NONE,
        || unsafe { given(machine, "machine") },
        |m| {
            let hosts = m.fabric.hosts();
            if slot < hosts.slots() { hosts.host_of(SlotId(slot)).0 } else { NONE }
        },
    )
}

/// `hopline_host_name`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_host_name(machine: *const Machine, host: u32) -> *const c_char {
    // SAFETY: the caller's promise.
    ask(
        std::ptr::null(),
        || unsafe { given(machine, "machine") },
        |m| m.names.get(host as usize).map_or(std::ptr::null(), |name| name.as_ptr()),
    )
}

/// `hopline_find_host`.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hopline_find_host(machine: *const Machine, name: *const c_char) -> u32 {
    // SAFETY: the caller's promise.
    let both = || unsafe { Ok((given(machine, "machine")?, text(name, "name")?)) };
    ask(NONE, both, |(m, name)| m.fabric.hosts().find(name).map_or(NONE, |host| host.0))
}

/// An answer about what is given, or `otherwise` where it is not.
fn ask<G, T>(otherwise: T, given: impl FnOnce() -> Result<G>, answer: impl FnOnce(G) -> T) -> T {
    guard(|| given().map(answer)).unwrap_or(otherwise)
}
