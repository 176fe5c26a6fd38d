//! Binding of ranks to the cores or GPUs of their hosts, for launchers whose host files say nothing of it.
//! Source: srun(1), `--cpu-bind`; MPICH, "Using the Hydra Process Manager", `-bind-to user:`; numactl(8); the CUDA
//! C Programming Guide, `CUDA_VISIBLE_DEVICES`.

use super::Placement;
use crate::entry::Entry;
use crate::error::{Error, Result};
use rustc_hash::FxHashMap;
use std::fmt::Write as _;

pub(super) const SRUN: Entry = Entry {
    name: "srun-cpu-bind",
    summary: "Slurm srun: the option that binds the tasks of every host to their cores",
    doc: "One line, --cpu-bind=mask_cpu: with a mask of hardware threads for each task of a host in the order of its ranks. Slurm has one \
          list for all nodes, so placements that differ from host to host are refused: the export wrapper says those. It needs \
          cores, which an inside read from `lstopo --of xml` tells, and Slurm's TaskPlugin=task/affinity.\n\
          Slurm: SLURM_HOSTFILE=FILE srun -n RANKS -m arbitrary $(grep -v '^#' THIS_FILE) PROGRAM",
    example: "srun-cpu-bind=bind.txt",
    params: &[],
};

pub(super) const HYDRA: Entry = Entry {
    name: "hydra-bind",
    summary: "MPICH mpiexec.hydra: the option that binds the processes of every host to their cores",
    doc: "One line, -bind-to user: with the hardware threads of each process of a host in the order of its ranks, those of a \
          core joined by +. Hydra has one list for all hosts, so placements that differ from host to host are refused: the export \
          wrapper says those. Numbers are the operating system's. Hydra says nothing where a number is not there and starts the process unbound, so \
          check with HYDRA_TOPO_DEBUG=1. It needs cores, which an inside read from `lstopo --of xml` tells.\n\
          MPICH: mpiexec.hydra -f MACHINEFILE -n RANKS $(grep -v '^#' THIS_FILE) PROGRAM",
    example: "hydra-bind=bind.txt",
    params: &[],
};

pub(super) const WRAPPER: Entry = Entry {
    name: "wrapper",
    summary: "a script before the program, under any launcher: each rank on its cores, or with its GPU alone and beside it",
    doc: "A POSIX shell script that looks its rank up in what the launcher sets (Open MPI, MPICH, Slurm, torchrun) and starts the program on the \
          rank's cores by numactl, with memory of their domain, or with CUDA_VISIBLE_DEVICES (ROCR_VISIBLE_DEVICES for those of AMD) set to its GPU \
          and, where its NUMA domain is known, on the cores and with the memory of that. \
          CUDA_DEVICE_ORDER=PCI_BUS_ID makes CUDA count GPUs as nvidia-smi does. Start ranks on the hosts of the same placement, \
          unbound, and choose GPUs here, by the export gpu-order or in the program, in one of them alone: a rank sees its GPU as device 0. \
          It needs an inside with GPUs, or with cores as `lstopo --of xml` tells them.\n\
          Open MPI, with the export sequential: mpirun --hostfile SEQUENTIAL --map-by seq --bind-to none sh THIS_FILE PROGRAM",
    example: "wrapper=run.sh",
    params: &[],
};

/// What a rank is bound to.
enum Bound {
    /// Hardware threads, by the numbers of the operating system.
    Threads(Vec<u32>),
    /// A GPU, by its number on the bus, and its NUMA domain.
    Gpu(u32, Option<u32>),
}

/// What every rank is bound to.
fn bound(placement: &Placement<'_>) -> Result<Vec<Bound>> {
    if placement.cores.len() == placement.ranks.len() && !placement.cores.is_empty() {
        if let Some(core) = placement.cores.iter().find(|core| core.pus.is_empty()) {
            let package = core.package.map_or(String::new(), |package| format!(" in package {package}"));
            let text = format!("nothing tells the hardware threads of core {}{package}", core.number);
            return Err(Error::input(text).hint(
                "the export rankfile names packages and cores; lstopo tells threads where none are filtered out",
            ));
        }
        return Ok(placement.cores.iter().map(|core| Bound::Threads(core.pus.clone())).collect());
    }
    if placement.gpus.len() == placement.ranks.len() && !placement.gpus.is_empty() {
        let numa = |rank: usize| placement.numa.get(rank).copied().flatten();
        return Ok(placement.gpus.iter().enumerate().map(|(rank, &gpu)| Bound::Gpu(gpu, numa(rank))).collect());
    }
    Err(Error::input("nothing tells the cores or GPUs of hosts, to which ranks could be bound")
        .hint("host= of the topology names an inside, such as a file of `lstopo --of xml`"))
}

/// The threads of the ranks of a host in their order: the same on all hosts, or cut short.
fn list(placement: &Placement<'_>) -> Result<Vec<Vec<u32>>> {
    let mut of_host: FxHashMap<&str, Vec<Vec<u32>>> = FxHashMap::default();
    for ((host, _), bound) in placement.ranks.iter().zip(bound(placement)?) {
        let Bound::Threads(threads) = bound else {
            return Err(Error::input("ranks have GPUs here, not cores").hint("the export wrapper sets GPUs"));
        };
        of_host.entry(host).or_default().push(threads);
    }
    let first = placement.ranks.iter().map(|rank| rank.0);
    let longest = first.clone().max_by_key(|host| of_host.get(host).map_or(0, Vec::len)).unwrap_or_default();
    let list = of_host.get(longest).cloned().unwrap_or_default();
    match first.clone().find(|host| of_host.get(host).is_some_and(|own| !list.starts_with(own))) {
        Some(other) => {
            let text = format!(
                "ranks sit on other cores of host `{other}` than of `{longest}`, and there is one list for all"
            );
            Err(Error::input(text).hint("the export wrapper says it rank by rank"))
        }
        None => Ok(list),
    }
}

/// The option of srun. O(ranks).
pub(super) fn srun(placement: &Placement<'_>) -> Result<String> {
    let masks: Vec<String> = list(placement)?.iter().map(|threads| mask(threads)).collect();
    Ok(format!(
        "# SLURM_HOSTFILE=HOSTS srun -n {} -m arbitrary $(grep -v '^#' THIS_FILE) PROGRAM\n--cpu-bind=mask_cpu:{}\n",
        placement.ranks.len(),
        masks.join(",")
    ))
}

/// Bits of hardware threads as a hexadecimal number.
fn mask(threads: &[u32]) -> String {
    let most = threads.iter().max().copied().unwrap_or(0) as usize;
    let mut digits = vec![0u8; most / 4 + 1];
    for &thread in threads {
        if let Some(digit) = digits.get_mut(thread as usize / 4) {
            *digit |= 1 << (thread % 4);
        }
    }
    digits.iter().rev().fold(String::from("0x"), |text, digit| format!("{text}{digit:x}"))
}

/// The option of hydra. O(ranks).
pub(super) fn hydra(placement: &Placement<'_>) -> Result<String> {
    let all: Vec<String> = list(placement)?.iter().map(|threads| joined(threads, "+")).collect();
    Ok(format!(
        "# mpiexec.hydra -f MACHINEFILE -n {} $(grep -v '^#' THIS_FILE) PROGRAM\n-bind-to user:{}\n",
        placement.ranks.len(),
        all.join(",")
    ))
}

fn joined(numbers: &[u32], by: &str) -> String {
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(by)
}

/// The script. O(ranks).
pub(super) fn wrapper(placement: &Placement<'_>) -> Result<String> {
    let all = bound(placement)?;
    let mut text = String::from(
        "#!/bin/sh\n# mpirun --hostfile SEQUENTIAL --map-by seq --bind-to none sh THIS_FILE PROGRAM\n\
         # torchrun may run below srun or mpirun, whose ranks are then those of torchrun itself.\n\
         rank=${TORCHELASTIC_RUN_ID:+$RANK}\n\
         rank=${rank:-${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-${SLURM_PROCID:-$RANK}}}}}\n\
         case $rank in\n",
    );
    for (rank, bound) in all.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = match bound {
            Bound::Threads(threads) => writeln!(text, "{rank}) threads={} ;;", joined(threads, ",")),
            Bound::Gpu(gpu, None) => writeln!(text, "{rank}) gpu={gpu} numa= ;;"),
            Bound::Gpu(gpu, Some(numa)) => writeln!(text, "{rank}) gpu={gpu} numa={numa} ;;"),
        };
    }
    let _ = writeln!(text, "*) echo \"no rank '$rank' in this placement\" >&2; exit 1 ;;\nesac");
    text.push_str(&match all.first() {
        Some(Bound::Gpu(..)) => {
            visible(placement, "gpu") + "exec ${numa:+numactl --cpunodebind=\"$numa\" --localalloc} \"$@\"\n"
        }
        _ => "exec numactl --physcpubind=\"$threads\" --localalloc \"$@\"\n".to_string(),
    });
    Ok(text)
}

/// Lines of a shell script that show a program the GPUs of a variable, in that order, and no others.
pub(super) fn visible(placement: &Placement<'_>, variable: &str) -> String {
    match placement.amd {
        // HIP would count CUDA's numbers among those that ROCr has left over, where both are set.
        true => format!(
            "export ROCR_VISIBLE_DEVICES=\"${variable}\"\nunset CUDA_VISIBLE_DEVICES HIP_VISIBLE_DEVICES GPU_DEVICE_ORDINAL\n"
        ),
        false => format!("export CUDA_DEVICE_ORDER=PCI_BUS_ID CUDA_VISIBLE_DEVICES=\"${variable}\"\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fabric::Core;

    fn core(number: u32) -> Core {
        Core { package: Some(number / 4), number: number % 4, pus: vec![number, number + 8] }
    }

    fn on(ranks: &[(&'static str, u32)]) -> Placement<'static> {
        Placement { cores: ranks.iter().map(|rank| core(rank.1)).collect(), ..Placement::new(ranks) }
    }

    fn last(text: Result<String>) -> String {
        text.map_or_else(|e| e.to_string(), |text| text.lines().last().unwrap_or_default().to_string())
    }

    #[test]
    fn lists_are_those_of_a_host() {
        let same = on(&[("a", 0), ("a", 5), ("b", 0), ("b", 5), ("c", 0)]);
        assert_eq!(last(srun(&same)), "--cpu-bind=mask_cpu:0x101,0x2020");
        assert_eq!(last(hydra(&same)), "-bind-to user:0+8,5+13");
        let other = on(&[("a", 0), ("a", 5), ("b", 5), ("b", 0)]);
        for text in [srun(&other), hydra(&other)] {
            assert!(last(text).contains("ranks sit on other cores of host"));
        }
        assert!(wrapper(&other).expect("rank by rank").contains("\n2) threads=5,13 ;;\n"));
        assert!(last(srun(&Placement::new(&[("a", 0)]))).starts_with("nothing tells the cores or GPUs"));
    }

    #[test]
    fn cores_without_threads_bind_nobody() {
        let placement =
            Placement { cores: vec![Core { package: Some(1), number: 2, pus: vec![] }], ..Placement::new(&[("a", 0)]) };
        for text in [srun(&placement), hydra(&placement), wrapper(&placement)] {
            assert!(last(text).starts_with("nothing tells the hardware threads of core 2 in package 1"));
        }
    }

    #[test]
    fn gpus_are_set_rank_by_rank() {
        let mut placement = Placement { gpus: vec![3, 1], ..Placement::new(&[("a", 0), ("a", 1)]) };
        placement.numa = vec![Some(1), None];
        let text = wrapper(&placement).expect("GPUs");
        assert!(
            text.contains("\n0) gpu=3 numa=1 ;;\n1) gpu=1 numa= ;;\n")
                && text.contains("CUDA_VISIBLE_DEVICES=\"$gpu\"")
        );
        assert!(last(hydra(&placement)).contains("ranks have GPUs here"));
    }
}
