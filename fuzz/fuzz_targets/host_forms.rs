//! Insides of hosts (NCCL's topologies, hwloc's, nvidia-smi's matrix), and what Slurm prints of partitions.
#![no_main]

use hopline::fabric::LinkRates;
use hopline::format::{HOST_FORMS, slurm_partition};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    for form in HOST_FORMS {
        let _ = (form.begins)(&text);
        for rates in [LinkRates::Nccl, LinkRates::Raw] {
            let _ = (form.read)("fuzz", &text, rates).and_then(|inside| inside.fabric());
        }
    }
    let _ = slurm_partition::partition("fuzz", &text, "gpu");
});
