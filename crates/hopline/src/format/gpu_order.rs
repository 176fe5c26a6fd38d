//! The order of GPUs on every host, for launchers that number ranks host by host: local rank i uses the i-th that is visible.
//! Source: the CUDA C Programming Guide, `CUDA_VISIBLE_DEVICES`; ROCm documentation, "GPU isolation techniques".

use super::Placement;
use super::binding::visible;
use crate::entry::Entry;
use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) const ENTRY: Entry = Entry {
    name: "gpu-order",
    summary: "a script before the launcher, on every host: CUDA_VISIBLE_DEVICES in the order of its ranks",
    doc: "A POSIX shell script that looks up its host by name and sets CUDA_VISIBLE_DEVICES (ROCR_VISIBLE_DEVICES where GPUs are AMD's, since the two would \
          choose one after the other) to the GPUs of the host's ranks in their order, so that the device LOCAL_RANK is the one that the placement means, as torchrun's \
          programs choose it. CUDA_DEVICE_ORDER=PCI_BUS_ID makes CUDA count GPUs as nvidia-smi does. The export wrapper sets GPUs rank by \
          rank instead: take one of them. It needs an inside with GPUs.\n\
          On every host: sh THIS_FILE torchrun --nproc-per-node=K ... PROGRAM, with the hosts in the order of the export torchrun",
    example: "gpu-order=gpus.sh",
    params: &[],
};

/// The script. O(ranks * log hosts).
///
/// # Errors
/// Hosts have no GPUs, or two ranks share one: a list has each once.
pub(super) fn write(placement: &Placement<'_>) -> Result<String> {
    if placement.gpus.is_empty() || placement.gpus.len() != placement.ranks.len() {
        return Err(Error::input("nothing tells the GPUs of hosts, which could be ordered")
            .hint("host= of the topology names an inside with GPUs, such as dgx-h100"));
    }
    let mut of_host: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for ((host, _), &gpu) in placement.ranks.iter().zip(&placement.gpus) {
        let own = of_host.entry(host).or_default();
        if own.contains(&gpu) {
            return Err(Error::input(format!("two ranks share GPU {gpu} of host `{host}`, and a list has each once"))
                .hint("the export wrapper sets GPUs rank by rank"));
        }
        own.push(gpu);
    }
    let mut text = String::from(
        "#!/bin/sh\n# on every host: sh THIS_FILE torchrun --nproc-per-node=K ... PROGRAM\n\
         host=${SLURMD_NODENAME:-$(hostname)}\n\
         case $host in\n",
    );
    for (host, gpus) in of_host {
        let list = gpus.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{host}|{host}.*) gpus={list} ;;");
    }
    text.push_str("*) echo \"no host '$host' in this placement\" >&2; exit 1 ;;\nesac\n");
    text.push_str(&visible(placement, "gpus"));
    text.push_str("exec \"$@\"\n");
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_stand_in_the_order_of_the_ranks_of_a_host() {
        let placement = |gpus: &[u32]| Placement {
            gpus: gpus.to_vec(),
            ..Placement::new(&[("b", 0), ("a", 0), ("b", 1), ("a", 1)])
        };
        let text = write(&placement(&[3, 0, 1, 2])).expect("GPUs");
        assert!(text.contains("\na|a.*) gpus=0,2 ;;\nb|b.*) gpus=3,1 ;;\n"), "{text}");
        assert!(text.contains("\nexport CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=\"$gpus\"\n"), "{text}");
        let amd = write(&Placement { amd: true, ..placement(&[3, 0, 1, 2]) }).expect("GPUs");
        assert!(amd.contains("\nexport ROCR_VISIBLE_DEVICES=\"$gpus\"\nunset CUDA_VISIBLE_DEVICES "), "{amd}");
        let shared = write(&placement(&[3, 0, 3, 2])).expect_err("shared").to_string();
        assert!(shared.starts_with("two ranks share GPU 3 of host `b`"), "{shared}");
        assert!(write(&placement(&[])).expect_err("none").to_string().starts_with("nothing tells the GPUs"));
    }
}
