//! Files in and out: one file per format. Readers get text with its path and
//! answer plain data; every error names `path:line`, what was expected, and
//! what to do. Writers answer a `String`: the caller writes it, whole or not at all.

mod binding;
pub mod chakra;
pub mod cray_rank_order;
pub mod cray_xc;
pub(crate) mod digit_matrix;
mod fabric_export;
mod fabric_import;
pub mod fabric_json;
mod gpu_matrix;
mod gpu_order;
mod host_forms;
pub mod hostfile;
pub mod hostlist;
mod hwloc;
pub mod ibnetdiscover;
mod ibportstate;
pub mod infiniband;
pub mod lft;
pub(crate) mod lines;
pub mod machinefile;
pub mod matrix;
pub mod messages;
pub mod mpich_coordinates;
pub mod nccl_log;
mod nccl_topology;
pub mod ndt;
pub mod placement;
pub mod rank_links;
pub mod rankfile;
pub mod recording;
pub mod sequential;
pub mod service_levels;
pub mod slurm_hostfile;
pub mod slurm_partition;
pub mod torchrun;
pub mod tuning;
pub(crate) mod words;
pub mod workload;
mod xml;

mod export;

pub use export::{EXPORTS, Export, Placement, launchable};
pub use fabric_export::{FabricExport, FabricSource, JSON};
pub use fabric_import::{FABRIC_IMPORTS, FabricImport, ReadFabric};
pub use host_forms::{HOST_FORMS, HostForm};
pub use ibportstate::{Switched, ibportstate};
pub use nccl_topology::rates as link_rates;
pub use words::{is_comment, quote};
pub(crate) use xml::check_elements;
pub use xml::{escape, no_xml};
