//! One simulation by the processes of real launchers: the first one prints, and the bytes are those of one process.

mod common;

use common::launch::{launch, obstacle};
use common::mpi::{OPEN_MPI, run, skipped};
use common::skip::{is_slow, skip};
use common::slurm::slurm;
use common::{Scratch, blocks, root};

const HYDRA: &str = "mpiexec.hydra";
const COMMANDS: [&str; 3] = ["mpirun.openmpi", "mpiexec.hydra", "pkill"];

/// Minimal, Valiant, adaptive at the source and at every hop; packets of one flit and of several.
const JOBS: [&str; 4] = [
    "--topology dragonfly:p=2,a=4,h=2,local_latency=5,global_latency=20 --routing minimal --traffic uniform --load 0.2,0.4",
    "--topology dragonfly:p=2,a=4,h=2,local_latency=5,global_latency=20 --routing valiant-any --traffic bit-complement \
     --router packet=4 --load 0.3",
    "--topology dragonfly:p=2,a=4,h=2,local_latency=5,global_latency=20 --routing ugal-l --traffic shift:groups=2 \
     --load 0.3 --until 10%@90% --warmup 300 --cycles 3000",
    "--topology torus:dims=4x4 --routing min-adaptive --traffic uniform --router packet=3,latency=8 --load 0.5",
];

/// Only what starts so short a run; of launchers only what the first process prints.
fn job(words: &str) -> String {
    let length = if words.contains("--cycles") { "" } else { "--warmup 200 --cycles 800" };
    format!("flits {words} {length} --seed 3 --format json")
}

#[test]
fn the_bytes_of_every_launcher_are_those_of_one_process() {
    if skipped(&COMMANDS) {
        return;
    }
    let dir = Scratch::new("ranks");
    for (j, words) in JOBS.iter().enumerate() {
        let alone = dir.hopline(&job(words)).done();
        let launches = [(OPEN_MPI, 1), (OPEN_MPI, 2), (OPEN_MPI, 4), (HYDRA, 1), (HYDRA, 2), (HYDRA, 4)];
        // Each launch with one job, two with all jobs; all of them where there is time.
        let chosen = launches.into_iter().enumerate().filter(|(l, _)| is_slow() || [2, 4, [0, 1, 3, 5][j]].contains(l));
        for (l, (launcher, size)) in chosen {
            let threads = 1 + l % 2;
            let ran = run(&dir, &format!("{launcher} -n {size} HOPLINE {} --threads {threads}", job(words)));
            assert!(ran.success, "{launcher} {size} {words}: {}", ran.stderr);
            assert!(ran.stdout == alone, "{launcher} {size} {words}: {}", ran.stdout);
            let told = format!("hopline: {size} processes, ");
            assert_eq!(ran.stderr.contains(&told), size > 1, "{launcher} {size}: {}", ran.stderr);
        }
    }
}

/// Libraries that Debian lacks, in places of their own: `./check --full` installs them.
#[test]
fn later_libraries_are_found_beside_their_launchers() {
    for (variable, launcher) in
        [("HOPLINE_OPENMPI5", "mpirun --allow-run-as-root --oversubscribe"), ("HOPLINE_MPICH5", "mpiexec")]
    {
        let Some(prefix) = std::env::var(variable).ok().filter(|prefix| !prefix.is_empty()) else {
            skip(format!("{variable} is not set"));
            continue;
        };
        if skipped(&[]) {
            continue;
        }
        let dir = Scratch::new(&variable.to_lowercase());
        let path = format!("PATH={prefix}/bin:{}", std::env::var("PATH").unwrap_or_default());
        // MPICH 5 has two binary interfaces: its own, and the standard's.
        for library in ["", "libmpi_abi.so.1"].iter().take(1 + usize::from(variable.contains("MPICH"))) {
            let named = if library.is_empty() { String::new() } else { format!("{prefix}/lib/{library}") };
            let words = job(JOBS[1]);
            let ran = run(
                &dir,
                &format!("env {path} HOPLINE_RANKS_LIBRARY={named} {prefix}/bin/{launcher} -n 3 HOPLINE {words}"),
            );
            assert!(ran.success, "{variable} {library}: {}", ran.stderr);
            assert!(ran.stdout == dir.hopline(&words).done(), "{variable} {library}: {}", ran.stdout);
            assert!(ran.stderr.contains("hopline: 3 processes, "), "{variable} {library}: {}", ran.stderr);
        }
    }
}

/// Loads on shortest paths are two pieces here, which take a dozen seconds, and with `HOPLINE_SLOW` processes are more than
/// pieces; mappings are found by several; a search by time takes the best of all.
#[test]
fn loads_and_mappings_are_shared_by_every_launcher() {
    if skipped(&COMMANDS) {
        return;
    }
    let dir = Scratch::new("ranks-loads");
    let load = "load --topology slim-fly:q=47,p=1 --traffic alltoall --format json";
    let map = "map --topology dragonfly:p=2,a=4,h=2 --traffic halo:grid=8x9 --evaluations 400 --format json";
    let loads = if std::env::var_os("HOPLINE_SLOW").is_some() { 2 } else { 1 };
    for (line, launches) in [(load, &[(OPEN_MPI, 2), (HYDRA, 4)][..loads]), (map, &[(HYDRA, 2), (OPEN_MPI, 4)])] {
        let alone = dir.hopline(line).done();
        for &(launcher, size) in launches {
            let ran = run(&dir, &format!("{launcher} -n {size} HOPLINE {line} --threads 1"));
            assert!(ran.success && ran.stdout == alone, "{launcher} {size}: {}{}", ran.stdout, ran.stderr);
        }
    }
    // Open MPI's processes write to a terminal of its own; whoever reads wants the text of a pipe.
    let text = map.trim_end_matches(" --format json");
    let ran = run(&dir, &format!("{OPEN_MPI} -n 2 HOPLINE {text} --threads 1"));
    assert!(ran.success && ran.stdout == dir.hopline(text).done(), "{}{}", ran.stdout, ran.stderr);
    let timed = map.replace("--evaluations 400", "--search 0.5s --export rankfile=DIR/ranks.txt");
    let ran = run(&dir, &format!("{OPEN_MPI} -n 2 HOPLINE {timed} --threads 1"));
    assert!(ran.success && ran.stdout.contains("\"mapping\": \"search\""), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(dir.read("ranks.txt").lines().filter(|line| line.starts_with("rank ")).count(), 72);
    assert_eq!(ran.stderr.matches("wrote ").count(), 1, "{}", ran.stderr);
}

/// What cannot be shared out is done by the first process, and nobody else says a word, not even of what is wrong.
#[test]
fn the_first_process_speaks_for_all() {
    if skipped(&COMMANDS) {
        return;
    }
    let dir = Scratch::new("ranks-silent");
    let load = "load --topology percs:ns=8,nd=4 --traffic halo:grid=8x8 --format json";
    let map = "map --topology torus:dims=4x4 --traffic halo:grid=4x4 --evaluations 200 --format json";
    for (launcher, line) in [(OPEN_MPI, load), (HYDRA, map)] {
        let ran = run(&dir, &format!("{launcher} -n 3 HOPLINE {line}"));
        assert!(ran.success && ran.stdout == dir.hopline(line).done(), "{launcher}: {}{}", ran.stdout, ran.stderr);
    }
    let everywhere = job(&JOBS[0].replace("minimal", "ugal-g"));
    let ran = run(&dir, &format!("{OPEN_MPI} -n 2 HOPLINE {everywhere}"));
    assert_eq!(ran.stdout, dir.hopline(&everywhere).done(), "{}", ran.stderr);
    assert!(ran.stderr.contains("of 2 processes one did all"), "{}", ran.stderr);
    // The launcher ends all as soon as one of them fails: the others may not, before the first one has spoken.
    dir.write("late.sh", "test $OMPI_COMM_WORLD_RANK != 0 || sleep 0.5\nexec \"$@\"\n");
    for wrong in ["flits --topology torus:dims=4x4 --traffic nobody", "flits --loda 0.3", "load --topology nothing"] {
        let ran = run(&dir, &format!("{OPEN_MPI} -n 3 sh DIR/late.sh HOPLINE {wrong}"));
        let alone = dir.hopline(wrong);
        let first = alone.stderr.lines().next().expect("an error");
        assert!(!ran.success && ran.stdout.is_empty(), "{wrong}: {}", ran.stdout);
        assert_eq!(ran.stderr.matches(first).count(), 1, "{wrong}: {}", ran.stderr);
    }
}

/// One process is killed, which ends all; another number of them goes on from what was kept.
const KILLED: &str = r#"
set -e
"$@" -n 2 HOPLINE JOB --checkpoint state --checkpoint-every 0.1s >first.json 2>first.err &
until [ -s state ]; do sleep 0.02; done
pkill -9 -n -x hopline
if wait $!; then echo "it ended before it was killed"; exit 1; fi
[ ! -s first.json ]
"$@" -n 3 HOPLINE JOB --checkpoint state >second.json
HOPLINE JOB --checkpoint state >third.json
"#;

#[test]
fn a_killed_process_ends_all_and_others_go_on() {
    if skipped(&COMMANDS) {
        return;
    }
    let dir = Scratch::new("ranks-killed");
    let long = job(&format!("{} --warmup 1000 --cycles 30000", JOBS[1]));
    let script = KILLED.replace("HOPLINE", env!("CARGO_BIN_EXE_hopline")).replace("JOB", &long);
    dir.write("killed.sh", script);
    let ran = run(&dir, &format!("bash DIR/killed.sh {OPEN_MPI}"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    let alone = dir.hopline(&long).done();
    assert!(dir.read("second.json") == alone, "other bytes after another number of processes");
    assert!(dir.read("third.json") == alone, "other bytes from a checkpoint of three processes");
}

/// `docs/src/past-one-machine.md`, and the scenario on it.
fn page(dir: &Scratch) -> String {
    let page = std::fs::read_to_string(root().join("docs/src/past-one-machine.md")).expect("the page");
    dir.write("job.toml", &blocks(&page, "toml")[0]);
    page
}

#[test]
fn the_sessions_of_the_guide_run_as_they_stand() {
    if skipped(&COMMANDS) {
        return;
    }
    let dir = Scratch::new("ranks-guide");
    let sessions = blocks(&page(&dir), "sh session");
    assert!(sessions.len() > 1);
    dir.write("session.sh", sessions.concat());
    std::fs::create_dir(dir.path("bin")).expect("bin");
    std::os::unix::fs::symlink("/usr/bin/mpirun.openmpi", dir.path("bin/mpirun")).expect("mpirun");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_hopline"), dir.path("bin/hopline")).expect("hopline");
    let path = format!("PATH=DIR/bin:{}", std::env::var("PATH").unwrap_or_default());
    let ran = run(&dir, &format!("env {path} OMPI_MCA_rmaps_base_oversubscribe=1 bash -eu DIR/session.sh"));
    assert!(ran.success, "{}{}", ran.stdout, ran.stderr);
    // Bytes also depend on the number of threads, and so of parts.
    let line = blocks(&page(&dir), "text")[0].clone();
    let counted = line.split(" of ").next().expect("a line");
    assert!(ran.stderr.contains(counted), "the page shows `{line}`, not {}", ran.stderr);
    assert!(dir.path("state").is_file());
}

/// Three nodes, all of them this machine.
const MACHINE: &str = "SlurmctldHost=localhost(127.0.0.1)\n\
                       NodeName=node[001-003] NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001-17003 CPUs=1\n";

#[test]
fn the_batch_script_of_the_guide_runs_under_slurm() {
    if let Some(why) = obstacle(&["munged", "slurmctld", "slurmd", "sbatch", "srun", "mpiexec.hydra"]) {
        return skip(why);
    }
    let dir = Scratch::new("ranks-slurm");
    let script = blocks(&page(&dir), "sh sbatch");
    dir.write("flits.sbatch", &script[0]);
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_hopline")).parent().expect("target");
    dir.write(
        "drive.sh",
        format!(
            "export PATH={}:$PATH\nsbatch --wait flits.sbatch || cat slurm-*.out\ncat slurm-*.out\n",
            bin.display()
        ),
    );
    let start = slurm(&dir, MACHINE, 3);
    let said = launch(&dir, &format!("{start} bash DIR/drive.sh"), &[]);
    assert!(said.contains("hopline: 3 processes, "), "{said}");
    // The script stands in the directory, and its words are those from there.
    let alone = dir.hopline("flits DIR/job.toml --format json").done().replace("DIR/job.toml", "job.toml");
    assert!(dir.read("flits.json") == alone, "{said}");
}

/// The page's table follows from its formula.
#[test]
fn the_model_of_the_guide_is_its_formula() {
    let page = std::fs::read_to_string(root().join("docs/src/past-one-machine.md")).expect("the page");
    let (p, a, h) = (23, 46, 23);
    let endpoints = f64::from(p * a * (a * h + 1));
    let (load, routers, crossings, window) = (0.3, 6.75, 2.0, 100.0);
    let (speed, latency, bandwidth) = (71.8e6, 2e-6, 12.5e9);
    for said in [
        "28 W E L g (P - 1) / (P^2 b)".to_string(),
        format!("Dragonfly of 1,120,422 endpoints (p={p}, a={a}, h={h}"),
        format!("W = {window}"),
        format!("load {load} (R = {routers}, g = {crossings})"),
        format!("{} million flit-hops per second", speed / 1e6),
        format!("a = {} us and b = {} GB/s", latency * 1e6, bandwidth / 1e9),
    ] {
        assert!(page.contains(&said), "{said}");
    }
    assert_eq!(endpoints, 1_120_422.0);
    let crossing = 28.0 * window * endpoints * load * crossings;
    let work = |nodes: f64| window * endpoints * load * routers / (nodes * speed);
    let told = |nodes: f64| (nodes - 1.0) * (latency + crossing / (nodes * nodes * bandwidth));
    let million = |nodes: f64| 1e6 / window * (work(nodes) + told(nodes));
    let two = |x: f64| if x < 9.95 { format!("{x:.1}") } else { format!("{x:.0}") };
    let time = |seconds: f64| match seconds {
        s if s < 0.1 => format!("{} ms", two(s * 1e3)),
        s if s < 1.0 => format!("{:.0} ms", s * 1e3),
        s if s < 100.0 => format!("{s:.0} s"),
        s => format!("{} min", two(s / 60.0)),
    };
    let size = |bytes: f64| match bytes {
        b if b < 1e6 => format!("{} kB", if b < 1e5 { two(b / 1e3) } else { format!("{:.0}0", b / 1e4) }),
        b => format!("{} MB", two(b / 1e6)),
    };
    for nodes in [16, 64, 256, 1024] {
        let n = f64::from(nodes);
        let name = if nodes < 1000 { nodes.to_string() } else { "1,024".to_string() };
        let cells = [name, time(work(n)), time(told(n)), size(crossing / (n * n)), time(million(n))];
        let row = format!("| {} |", cells.join(" | "));
        assert!(page.contains(&row), "the formula gives {row}");
    }
    let enough = (1..).find(|&nodes| million(f64::from(nodes)) < 3600.0).expect("some");
    assert!(page.contains(&format!("From {enough} nodes on it takes less than an hour.")), "{enough}");
}
