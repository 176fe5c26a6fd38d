//! Ranks on cores: what `hopline map` exports is what Open MPI and MPICH do, on this machine and on hosts that hwloc is told of.

mod common;

use common::Scratch;
use common::launch::{cores, isolated, obstacle};

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
        // Of one core alone Open MPI says that the rank is not bound.
        let line = format!("MCW rank {rank} bound to socket {package}[core {core}[");
        let whole = format!("MCW rank {rank} is not bound (or bound to all available processors)");
        assert!(told.contains(&line) || told.contains(&whole), "{line}: {told}");
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
    let told =
        run(&dir, "HWLOC_XMLFILE=DIR/host.xml HYDRA_TOPO_DEBUG=1 mpiexec.hydra -n 8 $(grep -v '^#' DIR/bind) true");
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
    for (rank, (package, core)) in planned(&dir).into_iter().enumerate().filter(|(_, at)| at.0 == 1).take(2) {
        // A rank alone, bound where this machine has nothing: Open MPI says which threads it wanted.
        dir.write("one", format!("rank 0=localhost slot={package}:{core}\n"));
        let told = run(
            &dir,
            "HWLOC_XMLFILE=DIR/host.xml HWLOC_THISSYSTEM=1 mpirun.openmpi --allow-run-as-root --hostfile DIR/hosts --rankfile DIR/one true",
        );
        let first = 8 * package + 2 * core;
        let wanted = format!("for bitmap \"{first}-{}\"", first + 1);
        assert!(told.contains(&wanted), "rank {rank}: {wanted}: {told}");
    }
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
