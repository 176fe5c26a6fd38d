//! SimGrid beside both networks of the replay: the same messages, links and paths.
//!
//! `cargo test --test replay simgrid -- --ignored --nocapture` prints the table of the guide. It needs smpicc and
//! smpirun (Debian: libsimgrid-dev). The platform is a host per endpoint, a link per limited link, and for every pair
//! of hosts exactly the path of our routing; a C program plays what each rank does, step by step. SimGrid's flows
//! share links max-min fairly (CM02 without its factors for TCP and cross traffic), links have no latency, and all
//! messages are eager.

use super::*;
use hopline::fabric::Fabric;
use hopline::id::LinkId;
use hopline::routing::Path;
use hopline::schedule::What;
use std::fmt::Write as _;
use std::path::Path as FilePath;
use std::process::Command;

const PROGRAM: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int rank, open = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char name[4096], what;
    snprintf(name, sizeof name, "%s/steps.%d", argv[1], rank);
    FILE *steps = fopen(name, "r");
    static MPI_Request request[100000];
    char *buffer = SMPI_SHARED_MALLOC(64 << 20);
    long peer, bytes;
    while (fscanf(steps, " %c %ld %ld", &what, &peer, &bytes) == 3) {
        if (what == 'r') MPI_Irecv(buffer, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request[open++]);
        if (what == 's') MPI_Isend(buffer, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request[open++]);
        if (what == 'w') { MPI_Waitall(open, request, MPI_STATUSES_IGNORE); open = 0; }
    }
    printf("done %.12f\n", MPI_Wtime());
    MPI_Finalize();
    return 0;
}
"#;

/// Hosts, links and the path of every pair, as SimGrid's platform.
fn platform(net: &Network, ranks: u32) -> String {
    let fabric: &Fabric = &net.fabric;
    let mut xml =
        String::from("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
    xml.push_str("<platform version=\"4.1\">\n<zone id=\"all\" routing=\"Full\">\n");
    let limit = |l: u32| fabric.class_of(LinkId(l)).bandwidth;
    xml.extend((0..ranks).map(|r| format!("<host id=\"h{r}\" speed=\"1Gf\"/>\n")));
    for l in 0..fabric.links() as u32 {
        if let Some(b) = limit(l) {
            let _ = writeln!(xml, "<link id=\"l{l}\" bandwidth=\"{}Bps\" latency=\"0s\"/>", b.as_bytes_s());
        }
    }
    let _ = writeln!(xml, "<link id=\"none\" bandwidth=\"1EBps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>");
    let mut path = Path::default();
    let at = |r: u32| fabric.hosts().endpoint_of(SlotId(r));
    for a in 0..ranks {
        for b in (0..ranks).filter(|&b| b != a) {
            assert_eq!(net.routing.choices(at(a), at(b)).expect("choices"), 1, "SimGrid has one path per pair");
            net.routing.path(at(a), at(b), 0, &mut path).expect("path");
            let _ = write!(xml, "<route src=\"h{a}\" dst=\"h{b}\" symmetrical=\"NO\">");
            let limited = path.links.iter().filter(|l| limit(l.0).is_some());
            let names: Vec<String> = limited.map(|l| format!("<link_ctn id=\"l{}\"/>", l.0)).collect();
            xml.push_str(&if names.is_empty() { "<link_ctn id=\"none\"/>".into() } else { names.concat() });
            xml.push_str("</route>\n");
        }
    }
    xml + "</zone>\n</platform>\n"
}

/// What a rank does: operations by how many others they come after, with waits between.
fn steps(schedule: &Schedule, rank: u32) -> String {
    let own = schedule.of(0, rank);
    let mut depth = vec![0u32; own.len()];
    for op in own.clone() {
        // Joins are no steps of their own.
        let step = u32::from(schedule.ops()[op as usize].what != What::Compute);
        for (later, _) in schedule.after(op) {
            let cell = (later - own.start) as usize;
            depth[cell] = depth[cell].max(depth[(op - own.start) as usize] + step);
        }
    }
    let mut text = String::new();
    for d in 0..=depth.iter().copied().max().unwrap_or(0) {
        for op in own.clone().filter(|&op| depth[(op - own.start) as usize] == d) {
            let o = &schedule.ops()[op as usize];
            let _ = match o.what {
                What::Send => writeln!(text, "s {} {}", o.peer, o.amount),
                What::Recv => writeln!(text, "r {} {}", o.peer, o.amount),
                What::Compute => Ok(()),
            };
        }
        text.push_str("w 0 0\n");
    }
    text
}

fn simgrid(folder: &FilePath, net: &Network, schedule: &Schedule) -> f64 {
    let ranks = schedule.ranks();
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let write = |name: &str, text: String| std::fs::write(file(name), text).expect("write");
    write("platform.xml", platform(net, ranks));
    write("hosts", (0..ranks).map(|r| format!("h{r}\n")).collect());
    (0..ranks).for_each(|r| write(&format!("steps.{r}"), steps(schedule, r)));
    let output = Command::new("smpirun")
        .args(["-np", &ranks.to_string(), "-platform", &file("platform.xml"), "-hostfile", &file("hosts")])
        .args(["--cfg=network/model:CM02", "--cfg=network/latency-factor:1", "--cfg=network/bandwidth-factor:1"])
        .args(["--cfg=network/weight-S:0", "--cfg=network/crosstraffic:0", "--cfg=network/TCP-gamma:1e15"])
        .args(["--cfg=smpi/simulate-computation:no", "--cfg=smpi/async-small-thresh:1000000000"])
        .args(["--cfg=smpi/send-is-detached-thresh:1000000000", "--log=root.thres:critical"])
        .args([file("player"), folder.to_string_lossy().into_owned()])
        .output()
        .expect("smpirun");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let times: Vec<f64> = text.lines().filter_map(|l| l.strip_prefix("done ")?.parse().ok()).collect();
    assert_eq!(times.len(), ranks as usize, "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    times.into_iter().fold(0.0, f64::max)
}

#[test]
#[ignore = "needs smpicc and smpirun, and takes a minute"]
fn simgrid_agrees() {
    let folder = std::env::temp_dir().join(format!("hopline-simgrid-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(file("player.c"), PROGRAM).expect("write");
    let built = Command::new("smpicc").args(["-O1", &file("player.c"), "-o", &file("player")]).status();
    assert!(built.expect("smpicc").success());
    println!("| network | collective | packets | fluid | SimGrid | fluid / SimGrid | packets / SimGrid |");
    println!("|---|---|---|---|---|---|---|");
    let mut far = Vec::new();
    for topology in ["torus:dims=4x4x4", "fat-tree:k=4,n=3,host=1", "dragonfly:p=2,a=4,h=2,host=1"] {
        let net = network(topology, None);
        let ranks = net.fabric.hosts().slots().min(64);
        for (name, bytes) in
            [("pairwise", 65536), ("linear", 16384), ("allreduce-ring", 4 << 20), ("binomial", 1 << 20)]
        {
            let schedule = collective(name, ranks, bytes);
            let ours = |keys: &str| run(&net, &schedule, keys).makespan() as f64 * 1e-9;
            let (packets, fluid) = (ours("packet=1024,forward=cut,S=1G"), ours("network=fluid,S=1G"));
            let theirs = simgrid(&folder, &net, &schedule) * 1e3;
            println!(
                "| {topology} | {name} {bytes} | {packets:.3} ms | {fluid:.3} ms | {theirs:.3} ms | {:.3} | {:.3} |",
                fluid / theirs,
                packets / theirs
            );
            far.push((fluid / theirs, packets / theirs, format!("{topology} {name}")));
        }
    }
    std::fs::remove_dir_all(&folder).expect("clean up");
    for (fluid, packets, what) in far {
        assert!((fluid - 1.0).abs() < FLUID, "{what}: fluid {fluid}");
        assert!((packets - 1.0).abs() < PACKETS, "{what}: packets {packets}");
    }
}

/// Both share max-min fairly. What is left comes from flows that end within a nanosecond of each other, which end
/// together here; where a hundred steps follow each other that decides who comes first in the next.
const FLUID: f64 = 0.03;

/// Packets are first come, first served: see `fluid_and_packets_part_where_steps_follow_each_other`.
const PACKETS: f64 = 0.20;
