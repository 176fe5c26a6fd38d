//! Who this process is among those that a launcher started, by what it has set in the environment.

/// One of several processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launched {
    /// Its number, from 0 on.
    pub rank: u32,
    /// How many there are.
    pub size: u32,
}

/// Rank and size as `mpirun` of Open MPI sets them, Hydra (MPICH, Intel MPI) and Slurm's PMI-2, and Slurm's PMIx. What
/// `srun` sets without an MPI plugin is not among them: such processes are programs of their own.
const VARIABLES: [(&str, &str); 3] =
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("PMIX_RANK", "SLURM_STEP_NUM_TASKS")];

/// Who this process is; `None` where it is alone.
pub fn launched() -> Option<Launched> {
    read(|name| std::env::var(name).ok())
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Option<Launched> {
    let number = |name: &str| variable(name)?.trim().parse::<u32>().ok();
    let found =
        VARIABLES.iter().find_map(|(rank, size)| Some(Launched { rank: number(rank)?, size: number(size)? }))?;
    (found.size > 1 && found.rank < found.size).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_launcher_is_understood_and_a_single_process_is_alone() {
        let among = |set: &'static [(&str, &str)]| {
            read(|name| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string()))
        };
        let third = Some(Launched { rank: 2, size: 4 });
        assert_eq!(among(&[("OMPI_COMM_WORLD_RANK", "2"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "2")]), third);
        assert_eq!(among(&[("PMI_RANK", "2"), ("PMI_SIZE", "4")]), third);
        assert_eq!(among(&[("PMIX_RANK", "2"), ("SLURM_STEP_NUM_TASKS", "4")]), third);
        assert_eq!(among(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), None);
        assert_eq!(among(&[("SLURM_PROCID", "2"), ("SLURM_NTASKS", "4")]), None, "not started as an MPI program");
        assert_eq!(among(&[("PMI_RANK", "4"), ("PMI_SIZE", "4")]), None);
        assert_eq!(among(&[]), None);
    }
}
