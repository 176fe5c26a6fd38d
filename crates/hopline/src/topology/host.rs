//! Insides of hosts: those of the list, and files that tell one. `host=` puts one into the hosts of any network.

mod amd;
mod cores;
mod dgx;

use crate::entry::{Entry, Listed};
use crate::error::{Error, Place, Result, suggest};
use crate::fabric::{Fabric, Inside, LinkRates, Medium, PartKind};
use crate::files::{Files, read_text};
use crate::format::HOST_FORMS;
use crate::id::HostId;
use crate::params::{FromValue, Params, Value};
use crate::unit::Bandwidth;

/// One inside of the list.
pub struct Host {
    entry: Entry,
    build: fn(LinkRates) -> Inside,
}

impl Listed for Host {
    fn entry(&self) -> &Entry {
        &self.entry
    }
}

impl Host {
    /// The inside, with links of these rates.
    pub fn inside(&self, rates: LinkRates) -> Inside {
        (self.build)(rates)
    }
}

/// All of them.
pub const HOSTS: &[Host] = &[
    dgx::DGX_H100,
    dgx::DGX_H200,
    dgx::DGX_A100,
    dgx::GB200_NVL72,
    amd::MI300X,
    amd::FRONTIER,
    cores::EPYC_2S,
    cores::XEON_2S,
];

impl FromValue for LinkRates {
    const EXPECTED: &'static str = "nccl or raw";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(word) if word == "nccl" => Some(LinkRates::Nccl),
            Value::Text(word) if word == "raw" => Some(LinkRates::Raw),
            _ => None,
        }
    }
}

/// The key that puts an inside into hosts: `inside`, or `host` where that is no bandwidth of a family's host links.
fn key(params: &Params) -> &'static str {
    if params.place_of("inside").is_some() { "inside" } else { "host" }
}

/// The inside that the keys `inside` (or `host`) and `rates` name, which are taken out; none where `host` is the bandwidth of a
/// family's host links, or neither is there. Where it was named is told, too.
///
/// # Errors
/// The name is unknown, a file cannot be read or tells no inside, or `rates` stands alone.
pub(super) fn take(params: &mut Params, files: &dyn Files) -> Result<Option<(Inside, Place)>> {
    let key = key(params);
    let given = params.iter().find(|(name, ..)| *name == key).map(|(_, value, place)| (value.clone(), place.clone()));
    let named = given.filter(|(value, _)| key == "inside" || Bandwidth::from_value(value).is_none());
    let Some((value, place)) = named else {
        // A machine's file may be a host itself, whose reader takes this key.
        let at = params.place_of("rates").cloned().filter(|_| params.kind() != "file");
        return match at {
            Some(place) => Err(Error::input("`rates` says nothing without `inside`, whose links have them").at(&place)),
            None => Ok(None),
        };
    };
    params.take::<Value>(key)?;
    let rates = params.take::<LinkRates>("rates")?.unwrap_or_default();
    let inside = inside(&value.show(), rates, files).map_err(|e| e.at(&place))?;
    Ok(Some((inside, place)))
}

/// The inside of that name, or of a file.
///
/// # Errors
/// Neither is there, or the file tells no inside.
pub fn inside(name: &str, rates: LinkRates, files: &dyn Files) -> Result<Inside> {
    if let Some(host) = HOSTS.iter().find(|host| host.entry.name == name) {
        return Ok(host.inside(rates));
    }
    let names = HOSTS.iter().map(|host| host.entry.name);
    if !name.contains(['/', '.']) {
        let text = format!("`{name}` is no inside of a host, and no bandwidth such as 25 or 200Gb/s");
        return Err(Error::input(text).hint(suggest(&name.to_lowercase(), names)));
    }
    let text = read_text(files, name)?;
    match HOST_FORMS.iter().find(|form| (form.begins)(&text)) {
        Some(form) => (form.read)(name, &text, rates),
        None => {
            let forms: Vec<&str> = HOST_FORMS.iter().map(|form| form.summary).collect();
            Err(Error::input(format!("{name} tells no inside of a host"))
                .hint(format!("it may be {}", forms.join(", "))))
        }
    }
}

/// The fabric whose compute hosts have this inside.
pub(super) fn put(fabric: Fabric, inside: &Inside) -> Result<Fabric> {
    let hosts = fabric.hosts();
    let managers = fabric.managers();
    let computes = |h: &HostId| hosts.slot_count(*h) > 0 && !managers.contains(h);
    let hosts: Vec<HostId> = (0..hosts.len()).map(HostId).filter(computes).collect();
    fabric.with_insides(inside, &hosts)
}

/// What a wire carries by NCCL, and raw.
#[derive(Clone, Copy)]
struct Rate {
    nccl: f64,
    raw: f64,
}

impl Rate {
    fn of(self, rates: LinkRates) -> Bandwidth {
        Bandwidth::gb_s(if rates == LinkRates::Raw { self.raw } else { self.nccl })
    }
}

/// 16 lanes of PCIe of the fourth and the fifth generation.
const PCIE_4: Rate = Rate { nccl: 24.0, raw: 31.5 };
const PCIE_5: Rate = Rate { nccl: 48.0, raw: 63.0 };

const GPU: PartKind = PartKind::Processor { slots: 1 };

/// GPUs and adapters below PCIe switches of two sockets: `groups` switches with `each` GPUs and adapters, the first half of
/// them at socket 0. The GPUs, which other links join.
fn below_switches(inside: &mut Inside, groups: u32, each: u32, adapter: Bandwidth, pcie: Bandwidth) -> Vec<u32> {
    let gpus: Vec<u32> = (0..groups * each).map(|n| inside.part(format!("gpu{n}"), GPU)).collect();
    let port = PartKind::Adapter { bandwidth: Some(adapter) };
    let adapters: Vec<u32> = (0..groups * each).map(|n| inside.part(format!("nic{n}"), port)).collect();
    let sockets = [0, 1].map(|n| inside.part(format!("cpu{n}"), PartKind::Switch));
    for group in 0..groups {
        let switch = inside.part(format!("pcie{group}"), PartKind::Switch);
        for n in group * each..(group + 1) * each {
            inside.wire(gpus[n as usize], switch, Medium::Pcie, pcie);
            inside.wire(adapters[n as usize], switch, Medium::Pcie, pcie);
        }
        inside.wire(switch, sockets[usize::from(2 * group >= groups)], Medium::Pcie, pcie);
    }
    gpus
}
