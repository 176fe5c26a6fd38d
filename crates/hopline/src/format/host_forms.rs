//! The list of forms in which the inside of a host is read, told apart by content.

use super::{ReadFabric, gpu_matrix, hwloc, nccl_topology};
use crate::error::Result;
use crate::fabric::{Inside, LinkRates};

/// One form of a host's inside.
pub struct HostForm {
    /// Its name.
    pub name: &'static str,
    /// What it is, for people.
    pub summary: &'static str,
    /// True where a text is in this form, whatever it then holds.
    pub begins: fn(&str) -> bool,
    /// Reads a text with its path, which errors name, and the rates that links have.
    pub read: fn(&str, &str, LinkRates) -> Result<Inside>,
}

/// All forms.
pub const HOST_FORMS: &[HostForm] = &[
    HostForm {
        name: "nccl-topology",
        summary: "a topology of NCCL or RCCL in XML",
        begins: nccl_topology::begins,
        read: nccl_topology::read,
    },
    HostForm { name: "hwloc", summary: "what `lstopo --of xml` writes", begins: hwloc::begins, read: hwloc::read },
    HostForm {
        name: "gpu-matrix",
        summary: "what `nvidia-smi topo -m` prints",
        begins: gpu_matrix::begins,
        read: gpu_matrix::read,
    },
];

/// Whether a text tells a host's inside, in whichever form.
pub(super) fn is_host(text: &str) -> bool {
    HOST_FORMS.iter().any(|form| (form.begins)(text))
}

/// The host of a text with NCCL's rates, alone as a machine.
///
/// # Errors
/// As those of its form.
pub(super) fn read_alone(path: &str, text: &str) -> Result<ReadFabric> {
    let form = HOST_FORMS.iter().find(|form| (form.begins)(text));
    let form = form.ok_or_else(|| crate::error::Error::input(format!("{path} tells no inside of a host")))?;
    ReadFabric::host(&(form.read)(path, text, LinkRates::default())?)
}
