//! LogGOPSim beside us on the same GOAL files, where both model hosts alone.
//!
//! `LOGGOPSIM=DIR cargo test --test replay loggopsim -- --ignored --nocapture`, where DIR has LogGOPSim and txt2bin,
//! built from github.com/spcl/LogGOPSim (Debian: gengetopt, re2c, libgraphviz-dev).

use super::*;
use hopline::schedule::trace::goal;
use std::process::Command;

/// Standard output of a program of LogGOPSim.
fn output(program: &str, args: &[&str]) -> String {
    let folder = std::env::var("LOGGOPSIM").expect("LOGGOPSIM names the folder of LogGOPSim and txt2bin");
    let done = Command::new(format!("{folder}/{program}")).args(args).output().expect(program);
    assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

/// When the last host is done, in nanoseconds.
fn finish(text: &str) -> u64 {
    let hosts = text.lines().filter(|l| l.starts_with("Host ") || l.starts_with("Maximum finishing time"));
    let time = |l: &str| l.split(": ").nth(1)?.split_whitespace().next()?.parse::<u64>().ok();
    hosts.filter_map(time).max().unwrap_or_else(|| panic!("{text}"))
}

#[test]
#[ignore = "needs LogGOPSim"]
fn loggopsim_reads_our_binary_and_finishes_with_us() {
    let folder = std::env::temp_dir().join(format!("hopline-goal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("folder");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    println!("| schedule | parameters | Hopline | LogGOPSim |\n|---|---|---|---|");
    for (name, ranks, bytes) in [
        ("binomial", 64, 8),
        ("linear", 32, 8),
        ("pairwise", 64, 64),
        ("bruck", 48, 100),
        ("allreduce-ring", 16, 16000),
        ("dissemination", 37, 0),
    ] {
        let schedule = collective(name, ranks, bytes);
        let ours = goal::binary::write(&schedule).expect("binary");
        std::fs::write(file("a.goal"), goal::write(&schedule)).expect("write");
        std::fs::write(file("ours.bin"), &ours).expect("write");
        output("txt2bin", &["-i", &file("a.goal"), "-o", &file("theirs.bin")]);
        let theirs = std::fs::read(file("theirs.bin")).expect("read");
        assert_eq!(goal::binary::parse("theirs", &theirs).expect("theirs").schedule, schedule, "{name}");
        assert!(ours == theirs, "{name}: the same bytes");
        for (l, o, g, big_g) in [(500, 200, 0, 0), (1000, 100, 300, 0), (700, 150, 200, 2)] {
            let keys = format!("network=ideal,S=1G,L={l},o={o},g={g},G={big_g}");
            let net = network(&format!("full-mesh:n={ranks}"), None);
            let we = run(&net, &schedule, &keys).makespan() / NS;
            let [l, o, g, big_g] = [l, o, g, big_g].map(|n: u32| n.to_string());
            let parameters = ["-L", &l, "-o", &o, "-g", &g, "-G", &big_g, "-S", "1000000000"];
            let text = output("LogGOPSim", &[&["-f", &file("ours.bin")], &parameters[..]].concat());
            let they = finish(&text);
            println!("| {name} {bytes}, {ranks} ranks | L={l} o={o} g={g} G={big_g} | {we} ns | {they} ns |");
            if big_g == "0" {
                assert_eq!(we, they, "{name}");
            }
        }
    }
    std::fs::remove_dir_all(&folder).expect("clean up");
}
