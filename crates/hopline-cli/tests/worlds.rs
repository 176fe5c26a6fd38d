//! Worlds that MPI_Comm_spawn makes: each has streams and a matrix of its own.

mod common;

use common::Scratch;
use common::mpi::{compile, run, skipped};

/// The bytes that ranks 0 and 1 of each world send each other, world by world.
fn bytes(dir: &Scratch, matrix: &str) -> Vec<u64> {
    let of = |name: String| {
        let text = dir.read(&name);
        let pair = |start: &str| {
            let bytes =
                text.lines().filter_map(|line| line.strip_prefix(start)?.rsplit(',').next()?.parse::<u64>().ok());
            bytes.sum::<u64>()
        };
        assert_eq!(pair("p,0,1,"), pair("p,1,0,"), "{text}");
        pair("p,0,1,")
    };
    let others = (1..).map(|world| format!("{matrix}.world-{world}.csv")).take_while(|name| dir.path(name).is_file());
    std::iter::once(format!("{matrix}.csv")).chain(others).map(of).collect()
}

fn spawned(name: &str, compiler: &str, launcher: &str) {
    let dir = Scratch::new(&format!("worlds-{name}"));
    compile(&dir, compiler, "spawn.c", &[], "spawn");
    let job = format!("HOPLINE record run --out DIR/r -- {launcher} -n 2 DIR/spawn");
    // Twice: the worlds of an earlier run are gone.
    for _ in 0..2 {
        let ran = run(&dir, &format!("env HOPLINE_COLLECTIVES=all HOPLINE_FORCE=1 {job}"));
        assert!(ran.success && !ran.stdout.contains("wrong: 1"), "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("5 worlds: this one, and 4 that were spawned"), "{name}: {}", ran.stdout);
        let to_children = "4 messages of 4000 bytes to ranks of other worlds are in no matrix";
        assert!(ran.stdout.contains(to_children), "{name}: {}", ran.stdout);
    }
    let said = dir.hopline("record merge DIR/r -o DIR/m.csv").done();
    assert!(said.contains("5 worlds") && said.matches("1 messages of 1000 bytes").count() == 2, "{name}: {said}");
    // A world that was spawned later may begin earlier than the child of another.
    let mut all = bytes(&dir, "m");
    assert_eq!(all.remove(0), 10 * 400 + 5 * 40, "{name}");
    all.sort_unstable();
    assert_eq!(all, [0, 0, 11 * 800 + 5 * 40, 11 * 800 + 5 * 40], "{name}");
    dir.hopline("record merge DIR/r --as goal -o DIR/goal").done();
    assert!(dir.read("goal.world-1").starts_with("num_ranks 2\n"), "{name}");
    // A world's directory is a recording itself; the whole is the first world's, and says so.
    let worlds = dir.names("r").into_iter().filter(|name| name.starts_with("world-"));
    for world in worlds {
        dir.hopline(&format!("record merge DIR/r/{world}")).done();
    }
    let loads = dir.hopline("load --topology full-mesh:n=2 --traffic matrix:file=DIR/r").done();
    assert!(loads.contains("the first of 5 worlds"), "{name}: {loads}");
}

#[test]
fn every_world_has_a_recording_of_its_own() {
    if !skipped(&["mpicc.openmpi", "mpirun.openmpi"]) {
        // Worlds reach each other over TCP only.
        let launcher = "mpirun.openmpi --oversubscribe --mca btl self,vader,tcp --mca mpi_yield_when_idle 1";
        spawned("openmpi", "mpicc.openmpi", launcher);
    }
    // Debian 12's MPICH cannot spawn.
    let installed = |name: &str| std::env::var(name).ok().filter(|prefix| !prefix.is_empty());
    if let Some(prefix) = installed("HOPLINE_MPICH5") {
        spawned("mpich5", &format!("{prefix}/bin/mpicc"), &format!("{prefix}/bin/mpirun"));
    }
    if let Some(prefix) = installed("HOPLINE_OPENMPI5") {
        let launcher = format!("{prefix}/bin/mpirun --allow-run-as-root --oversubscribe");
        spawned("openmpi5", &format!("{prefix}/bin/mpicc"), &launcher);
    }
}
