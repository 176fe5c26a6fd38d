//! A network in a form that other tools read.

use crate::error::Result;
use crate::format::{FabricExport, FabricSource};
use crate::plan::Network;
use crate::topology::Topology;

/// The text of a network in a form of the list. A network that misses parts is
/// written without forwarding tables, which know the whole one only.
///
/// # Errors
/// The form cannot hold this network.
pub fn export(network: &Network, form: &FabricExport) -> Result<String> {
    // LIDs and tables are of the network between hosts.
    let alone = network.fabric.outside().is_none();
    let file = if let Topology::File(file) = &network.topology { Some(file).filter(|_| alone) } else { None };
    let tables = file.and_then(|f| f.tables()).filter(|_| network.removed.is_empty());
    (form.write)(&FabricSource {
        fabric: &network.fabric,
        lids: file.map(|f| f.lids()),
        tables: tables.as_ref().map(|(_, tables)| &**tables),
    })
}
