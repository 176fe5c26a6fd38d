//! Ranks on cores: what `hopline map` exports is what Open MPI and MPICH do, on this machine and on hosts that hwloc is told of.

mod common;

use common::Scratch;
use common::launch::{cores, isolated, obstacle};
use common::slurm::slurm;

/// Two packages of four cores with two hardware threads each.
const FAKE: &str = "package:2 core:4 pu:2";

fn skipped(why: Option<String>) -> bool {
    if let Some(why) = &why {
        common::skip::skip(why);
    }
    why.is_some()
}

fn run(dir: &Scratch, line: &str) -> String {
    let line = line.replace("DIR", &dir.path("").display().to_string());
    let output = isolated(dir, &["sh", "-c", &line]).output().expect("sh");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Writes the inside of a host and maps eight or fewer ranks onto one.
fn export(dir: &Scratch, ranks: u32, seed: u32) {
    dir.hopline(&format!(
        "map --topology full-mesh:n=1,names=[localhost,],host=DIR/host.xml --traffic shift:by=1,tasks={ranks} --seed {seed} \
         --mapping random --export rankfile=DIR/ranks --export hostfile=DIR/hosts --export hydra-bind=DIR/bind \
         --export srun-cpu-bind=DIR/srun --export wrapper=DIR/run.sh"
    ))
    .done();
}

/// Package and core of each rank, by the rankfile.
fn planned(dir: &Scratch) -> Vec<(usize, usize)> {
    let ranks = std::fs::read_to_string(dir.path("ranks")).expect("rankfile");
    let slots = ranks.lines().filter_map(|line| line.split_once("slot=")).map(|(_, slot)| slot);
    slots
        .map(|slot| slot.split_once(':').expect(slot))
        .map(|(p, c)| (p.parse().expect(p), c.parse().expect(c)))
        .collect()
}

#[test]
fn open_mpi_binds_as_the_rankfile_says() {
    if skipped(obstacle(&["lstopo", "mpirun.openmpi"])) {
        return;
    }
    let dir = Scratch::new("bind-ompi");
    run(&dir, "lstopo --of xml DIR/host.xml -f");
    export(&dir, cores().min(4) as u32, 2);
    let told = run(
        &dir,
        "mpirun.openmpi --allow-run-as-root --hostfile DIR/hosts --rankfile DIR/ranks --report-bindings true",
    );
    for (rank, (package, core)) in planned(&dir).into_iter().enumerate() {
        let line = match cores() {
            // Of one core alone Open MPI says that the rank is not bound.
            1 => format!("MCW rank {rank} is not bound (or bound to all available processors)"),
            _ => format!("MCW rank {rank} bound to socket {package}[core {core}["),
        };
        assert!(told.contains(&line), "{line}: {told}");
    }
}

/// MPICH prints the hardware threads of every process before it starts it.
#[test]
fn mpich_binds_as_the_list_says_on_a_host_that_is_not_there() {
    if skipped(obstacle(&["lstopo", "mpiexec.hydra"])) {
        return;
    }
    let dir = Scratch::new("bind-mpich");
    run(&dir, &format!("lstopo --of xml -i '{FAKE}' DIR/host.xml -f"));
    export(&dir, 8, 3);
    let planned = planned(&dir);
    assert!(planned.iter().any(|&(package, _)| package == 1) && planned.windows(2).any(|w| w[0] > w[1]), "{planned:?}");
    // On a busy machine Hydra loses what it prints beside a program that ends at once (1 of 40 runs).
    let told = run(
        &dir,
        "HWLOC_XMLFILE=DIR/host.xml HYDRA_TOPO_DEBUG=1 mpiexec.hydra -n 8 $(grep -v '^#' DIR/bind) sleep 0.3",
    );
    for (rank, (package, core)) in planned.into_iter().enumerate() {
        let first = 8 * package + 2 * core;
        let bits: String = (0..16).map(|bit| if bit / 2 == first / 2 { '1' } else { '0' }).collect();
        assert!(told.contains(&format!("process {rank} binding: {bits}")), "{rank} {package}:{core}: {told}");
    }
    // The masks are hwloc's own.
    let masks = std::fs::read_to_string(dir.path("srun")).expect("srun");
    let masks = masks.lines().last().expect("a line").strip_prefix("--cpu-bind=mask_cpu:").expect(&masks).to_string();
    for ((package, core), mask) in self::planned(&dir).into_iter().zip(masks.split(',')) {
        let own = run(&dir, &format!("hwloc-calc -i DIR/host.xml package:{package}.core:{core} --taskset"));
        assert_eq!(own.trim(), mask);
    }
}

#[test]
fn open_mpi_computes_the_same_threads_on_a_host_that_is_not_there() {
    if skipped(obstacle(&["lstopo", "mpirun.openmpi"])) {
        return;
    }
    let dir = Scratch::new("bind-fake");
    run(&dir, &format!("lstopo --of xml -i '{FAKE}' DIR/host.xml -f"));
    export(&dir, 8, 4);
    for (rank, (package, core)) in planned(&dir).into_iter().enumerate().filter(|(_, at)| at.0 == 1) {
        wants(&dir, rank, &format!("{package}:{core}"), 8 * package + 2 * core);
    }
    // A machine that tells no packages has its cores counted through.
    run(&dir, "lstopo --of xml -i 'numa:4 core:8 pu:2' DIR/host.xml -f");
    export(&dir, 32, 4);
    let ranks = dir.read("ranks");
    let slots = ranks.lines().filter_map(|line| line.split_once("slot=")).map(|(_, slot)| slot);
    let beyond = slots.enumerate().filter(|(_, slot)| slot.parse::<usize>().expect(slot) >= 24);
    let tried = beyond.map(|(rank, slot)| wants(&dir, rank, slot, 2 * slot.parse::<usize>().expect(slot))).count();
    assert_eq!(tried, 8);
}

/// A rank alone, bound where this machine has nothing: Open MPI says which threads it wanted.
fn wants(dir: &Scratch, rank: usize, slot: &str, first: usize) {
    dir.write("one", format!("rank 0=localhost slot={slot}\n"));
    let told = run(
        dir,
        "HWLOC_XMLFILE=DIR/host.xml HWLOC_THISSYSTEM=1 mpirun.openmpi --allow-run-as-root --hostfile DIR/hosts --rankfile DIR/one true",
    );
    let wanted = format!("for bitmap \"{first}-{}\"", first + 1);
    assert!(told.contains(&wanted), "rank {rank}: {wanted}: {told}");
}

/// PRRTE, which is Open MPI 5's launcher, tells where it would bind on a host that is not there, and starts nothing.
#[test]
fn prrte_binds_as_the_rankfile_says_on_a_host_that_is_not_there() {
    let Some(prefix) = std::env::var("HOPLINE_OPENMPI5").ok().filter(|prefix| !prefix.is_empty()) else {
        return common::skip::skip("HOPLINE_OPENMPI5 is not set");
    };
    if skipped(obstacle(&["lstopo"])) {
        return;
    }
    let dir = Scratch::new("bind-prrte");
    run(&dir, &format!("lstopo --of xml -i '{FAKE}' DIR/host.xml -f"));
    export(&dir, 8, 6);
    let told = run(
        &dir,
        &format!(
            "HWLOC_XMLFILE=DIR/host.xml HWLOC_THISSYSTEM=1 {prefix}/bin/prterun --allow-run-as-root --hostfile DIR/hosts \
             --map-by rankfile:file=DIR/ranks --display bind --rtos donotlaunch true"
        ),
    );
    for (rank, (package, core)) in planned(&dir).into_iter().enumerate() {
        // It counts cores through all packages.
        let line =
            told.lines().find(|line| line.contains(&format!(",{rank}] Node "))).unwrap_or_else(|| panic!("{told}"));
        assert!(
            line.ends_with(&format!("bound to package[{package}][core:L{}]", 4 * package + core)),
            "{rank}: {told}"
        );
    }
}

/// Two nodes, both this machine with two of its cores, whose slurmd binds.
const MACHINE: &str = "SlurmctldHost=localhost(127.0.0.1)\n\
                       NodeName=node[001-002] NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001-17002 Sockets=1 \
                       CoresPerSocket=2 ThreadsPerCore=1 CPUs=2\n";

#[test]
fn srun_binds_as_the_option_says() {
    if skipped(obstacle(&["lstopo", "munged", "slurmctld", "slurmd", "srun"])) {
        return;
    }
    if cores() < 2 {
        return common::skip::skip("one core: nothing to choose from");
    }
    let dir = Scratch::new("bind-srun");
    run(&dir, "lstopo --of xml -i 'package:1 core:2 pu:1' DIR/host.xml -f");
    // Ranks go round the nodes, so that a list by ranks would be another than one by nodes.
    dir.write("places", "rank 0=node001 slot=1\nrank 1=node002 slot=1\nrank 2=node001 slot=0\nrank 3=node002 slot=0\n");
    dir.hopline(
        "map --topology full-mesh:n=2,names=node[001-002],host=DIR/host.xml --traffic shift:by=1,tasks=4 --mapping \
         file:path=DIR/places --export slurm-hostfile=DIR/hosts --export srun-cpu-bind=DIR/srun",
    )
    .done();
    let start = slurm(&dir, MACHINE, 2);
    let conf = dir.read("slurm.conf");
    dir.write("slurm.conf", conf.replace("task/none", "task/affinity"));
    dir.write("told.sh", "echo \"$SLURM_PROCID $SLURMD_NODENAME $(grep Cpus_allowed_list /proc/self/status)\"\n");
    dir.write("drive.sh", "SLURM_HOSTFILE=hosts srun -n 4 -m arbitrary $(grep -v '^#' srun) sh told.sh\n");
    let told = run(&dir, &format!("{start} sh DIR/drive.sh"));
    for (rank, (node, cpu)) in [("node001", 1), ("node002", 1), ("node001", 0), ("node002", 0)].into_iter().enumerate()
    {
        assert!(told.contains(&format!("{rank} {node} Cpus_allowed_list:\t{cpu}\n")), "{rank}: {told}");
    }
}

/// The system's own numactl, on this machine: each rank is where the wrapper says, under Open MPI as under MPICH.
#[test]
fn numactl_binds_as_the_wrapper_says() {
    if skipped(obstacle(&["lstopo", "numactl", "mpirun.openmpi", "mpiexec.hydra"])) {
        return;
    }
    let dir = Scratch::new("bind-numactl");
    run(&dir, "lstopo --of xml DIR/host.xml -f");
    let ranks = cores().min(4) as u32;
    export(&dir, ranks, 7);
    dir.write("told.sh", "echo \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK} $(grep Cpus_allowed_list /proc/self/status)\"\n");
    let wrapper = dir.read("run.sh");
    for start in
        [format!("mpirun.openmpi --allow-run-as-root -n {ranks} --bind-to none"), format!("mpiexec.hydra -n {ranks}")]
    {
        let told = run(&dir, &format!("{start} sh DIR/run.sh sh DIR/told.sh"));
        for rank in 0..ranks {
            let threads = wrapper.lines().find_map(|line| line.strip_prefix(&format!("{rank}) threads=")));
            let threads = threads.and_then(|line| line.strip_suffix(" ;;")).expect(&wrapper);
            // Neighbouring threads are told as a range; of one thread a core there is none.
            let range = threads.replacen(',', "-", threads.matches(',').count());
            let line = |list: &str| format!("{rank} Cpus_allowed_list:\t{list}\n");
            assert!(told.contains(&line(threads)) || told.contains(&line(&range)), "{start}: {rank}: {told}");
        }
    }
}

/// GPUs are set by the script before the launcher, and beside them by the wrapper, on the cores of their domain.
#[test]
fn scripts_for_gpus_set_what_was_planned() {
    if skipped(obstacle(&[])) {
        return;
    }
    let dir = Scratch::new("bind-gpus");
    dir.hopline(
        "map --topology fat-tree:pods=1,servers=2,adapters=8,bandwidth=50,host=dgx-h100 --traffic shift:by=1,tasks=16 --seed 1 \
         --mapping random --export wrapper=DIR/run.sh --export gpu-order=DIR/order.sh",
    )
    .done();
    dir.write("numactl", "#!/bin/sh\necho \"$1 $2 $CUDA_VISIBLE_DEVICES\"\n");
    let wrapper = dir.read("run.sh");
    for rank in 0..16 {
        let line = wrapper.lines().find_map(|line| line.strip_prefix(&format!("{rank}) gpu="))).expect(&wrapper);
        let (gpu, numa) = line.trim_end_matches(" ;;").split_once(" numa=").expect(line);
        assert_eq!(gpu.parse::<u32>().expect(gpu) / 4, numa.parse::<u32>().expect(numa));
        let told = run(&dir, &format!("chmod +x DIR/numactl; PATH=DIR:$PATH PMI_RANK={rank} sh DIR/run.sh true"));
        assert_eq!(told.trim(), format!("--cpunodebind={numa} --localalloc {gpu}"));
    }
    let order = dir.read("order.sh");
    for host in ["q0s0", "q0s1"] {
        let gpus = order.lines().find_map(|line| line.strip_prefix(&format!("{host}|{host}.*) gpus="))).expect(&order);
        let told = run(&dir, &format!("hostname {host}.site; sh DIR/order.sh sh -c 'echo $CUDA_VISIBLE_DEVICES'"));
        assert_eq!(told.trim(), gpus.trim_end_matches(" ;;"));
    }
    assert!(run(&dir, "hostname other; sh DIR/order.sh true").contains("no host 'other' in this placement"));
    // Below srun, torchrun's workers have ranks of their own.
    let worker = "SLURM_PROCID=1 PMIX_RANK=0 RANK=13 TORCHELASTIC_RUN_ID=job";
    let told = run(&dir, &format!("PATH=DIR:$PATH {worker} sh DIR/run.sh true"));
    let own = wrapper.lines().find_map(|line| line.strip_prefix("13) gpu=")?.split(' ').next()).expect(&wrapper);
    assert!(told.trim().ends_with(&format!("--localalloc {own}")), "{told}");
    // AMD's are chosen once: what is left of two choices one after the other is another GPU, or none.
    dir.hopline(
        "map --topology fat-tree:pods=1,servers=2,adapters=8,bandwidth=50,host=mi300x --traffic shift:by=1,tasks=16 --seed 4 \
         --mapping random --export wrapper=DIR/amd.sh --export gpu-order=DIR/amd-order.sh",
    )
    .done();
    let seen = "'echo rocr=$ROCR_VISIBLE_DEVICES cuda=$CUDA_VISIBLE_DEVICES hip=$HIP_VISIBLE_DEVICES'";
    dir.write("numactl", "#!/bin/sh\nshift 2\nexec \"$@\"\n");
    let wrapper = dir.read("amd.sh");
    let own = wrapper.lines().find_map(|line| line.strip_prefix("3) gpu=")?.split(' ').next()).expect(&wrapper);
    let told = run(
        &dir,
        &format!(
            "chmod +x DIR/numactl; PATH=DIR:$PATH CUDA_VISIBLE_DEVICES=5 HIP_VISIBLE_DEVICES=6 PMI_RANK=3 sh DIR/amd.sh sh -c {seen}"
        ),
    );
    assert_eq!(told.trim(), format!("rocr={own} cuda= hip="));
    let order = dir.read("amd-order.sh");
    let gpus = order.lines().find_map(|line| line.strip_prefix("q0s1|q0s1.*) gpus=")).expect(&order);
    let told = run(&dir, &format!("hostname q0s1; CUDA_VISIBLE_DEVICES=5 sh DIR/amd-order.sh sh -c {seen}"));
    assert_eq!(told.trim(), format!("rocr={} cuda= hip=", gpus.trim_end_matches(" ;;")));
    // What is several machines to a launcher has no names for it.
    let rack = "map --topology fat-tree:pods=1,servers=2,adapters=72,bandwidth=50,host=gb200-nvl72 --traffic shift:by=1,tasks=144 \
                --mapping default --export hostfile=DIR/hosts";
    let told = dir.hopline(rack);
    assert!(
        told.code == Some(2) && told.stderr.contains("every host here is 18 machines, and nobody tells"),
        "{}",
        told.stderr
    );
}

#[test]
fn the_wrapper_starts_each_rank_on_its_threads() {
    if skipped(obstacle(&["lstopo"])) {
        return;
    }
    let dir = Scratch::new("bind-wrapper");
    run(&dir, &format!("lstopo --of xml -i '{FAKE}' DIR/host.xml -f"));
    export(&dir, 8, 5);
    // Stands in for numactl: says what it is asked.
    dir.write("numactl", "#!/bin/sh\necho \"$1 $2\"\n");
    for (rank, (package, core)) in planned(&dir).into_iter().enumerate() {
        let first = 8 * package + 2 * core;
        let told = run(&dir, &format!("chmod +x DIR/numactl; PATH=DIR:$PATH PMI_RANK={rank} sh DIR/run.sh true"));
        assert_eq!(told.trim(), format!("--physcpubind={first},{} --localalloc", first + 1));
    }
    assert!(run(&dir, "PMI_RANK=8 sh DIR/run.sh true").contains("no rank '8' in this placement"));
}
