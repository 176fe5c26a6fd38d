//! Any command takes any file that can answer it.

use crate::common::root;
use hopline::files::{Disk, Files, Memory};
use hopline::plan::Plan;
use hopline::scenario::Scenario;
use hopline::topology;
use hopline_formats::{AnyForm, Content, READERS, Role, form_of, resolve};
use std::collections::BTreeSet;

fn path(name: &str) -> String {
    format!("{}/testdata/{name}", root())
}

fn form(name: &str) -> &'static str {
    let content = Content::of(&path(name), &Disk).unwrap().unwrap_or_else(|| panic!("{name} is missing"));
    form_of(&content).unwrap_or_else(|| panic!("{name} is in no known form")).name
}

#[test]
fn every_file_of_the_tests_is_told_by_its_content() {
    let known = [
        ("fabrics/rack64", "dumps"),
        ("fabrics/rack64/ibnetdiscover.txt", "ibnetdiscover"),
        ("fabrics/xc-mini.interconnect", "cray-xc"),
        ("fabrics/lmc1-8/iblinkinfo.txt", "iblinkinfo"),
        ("fabrics/others/infragraph-clos.yaml", "infragraph"),
        ("matrices/lammps-melt-64.csv", "matrix"),
        ("recordings/ring-4", "recording"),
        ("schedules/allgather-hub.xml", "msccl"),
        ("schedules/teccl-line.json", "teccl"),
        ("schedules/ping-pong.goal", "goal"),
        ("programs/lu-16.goal.xz", "goal"),
        ("schedules/ring.ti", "smpi-ti"),
        ("workloads/gpt-tiny-16.txt", "workload"),
        ("nccl/all-reduce-2-hosts.log", "nccl-log"),
    ];
    for (name, expected) in known {
        assert_eq!(form(name), expected, "{name}");
    }
    let seen: BTreeSet<&str> = known.iter().map(|(_, form)| *form).collect();
    let unseen: Vec<&str> = READERS.iter().map(|reader| reader.name).filter(|name| !seen.contains(name)).collect();
    assert!(unseen.is_empty(), "no sample of {unseen:?}");
}

/// The scenario of bare paths, with paths put in their place.
fn scenario(topology: &str, traffic: &str, files: &dyn Files) -> Result<Scenario, String> {
    let mut scenario = Scenario::default().topology(topology).unwrap().traffic(traffic).unwrap();
    resolve(&mut scenario, files).map(|()| scenario).map_err(|e| e.to_string())
}

#[test]
fn paths_stand_where_kinds_are_expected() {
    let same = |given: &str, spec: &str| {
        let of = |traffic: &str| {
            let scenario = scenario("torus:dims=4x4", traffic, &Disk).unwrap();
            Plan::new(&scenario, &AnyForm(Disk)).unwrap_or_else(|e| panic!("{traffic}: {e}")).demand
        };
        assert!(of(given) == of(spec), "{given}");
        assert!(of(given).total() > 0.0, "{given}");
    };
    let at = |name: &str, spec: &str| same(&path(name), &format!("{spec}{}", path(name)));
    at("recordings/ring-4", "recording:file=");
    at("workloads/gpt-tiny-16.txt", "workload:file=");
    at("programs/lu-16.goal.xz", "goal:file=");
    at("schedules/ring.ti", "smpi-ti:file=");
    // A schedule of the list is a job, too: all that it sends.
    same("allreduce-ring:ranks=16,bytes=1600", "allreduce-ring:bytes=1600,ranks=16");
    let rack = scenario(&path("fabrics/rack64"), &path("matrices/lammps-melt-64.csv"), &Disk).unwrap();
    assert_eq!(rack.topology.unwrap().kind(), "file");
    let halo = scenario("torus:dims=4x4", "halo:grid=4x4", &Disk).unwrap();
    assert_eq!(halo.traffic.unwrap().spec(), "halo:grid=4x4", "kinds of the lists stay");
}

#[test]
fn what_a_file_does_not_tell_is_refused() {
    let files = Memory(
        [
            ("m.csv".to_string(), "0,3\n4,0\n".into()),
            (
                "osu.txt".to_string(),
                "# OSU MPI Bandwidth Test v7.3\n# Size      Bandwidth (MB/s)\n1048576 12000.1\n".into(),
            ),
            ("prose.md".to_string(), "once upon a time\n".into()),
            ("halo".to_string(), "0,3\n4,0\n".into()),
            ("cut.gz".to_string(), vec![0x1f, 0x8b, 8, 0]),
        ]
        .into(),
    );
    let refused = |topology: &str, traffic: &str| scenario(topology, traffic, &files).expect_err(traffic);
    for (topology, traffic, error) in [
        ("m.csv", "alltoall", "m.csv holds a job's communication (matrix), expected a fabric; give it as the traffic"),
        (
            "osu.txt",
            "alltoall",
            "osu.txt holds measurements (OSU), expected a fabric; `hopline blame` reads measurements",
        ),
        ("torus:dims=2", "prose.md", "prose.md is in no form that is known, expected a job's communication"),
        ("torus:dims=2", "none.csv", "none.csv: no such file, and no traffic is called so"),
    ] {
        let found = refused(topology, traffic);
        assert!(found.contains(error), "{found}");
    }
    let file = topology::File::open("m.csv", &AnyForm(files.clone())).unwrap_err().to_string();
    assert!(file.contains("m.csv holds a job's communication (matrix), expected a fabric"), "{file}");
    assert!(refused("torus:dims=2", "cut.gz").contains("cut.gz"));
    // A kind's name is that kind, whatever lies in the directory; and words that are no paths wait for the lists.
    assert_eq!(scenario("torus:dims=2", "halo", &files).unwrap().traffic.unwrap().kind(), "halo");
    assert_eq!(scenario("torrus", "halo", &files).unwrap().topology.unwrap().kind(), "torrus");
}

#[test]
fn roles_have_the_words_of_a_scenario() {
    assert_eq!(Role::ALL.map(Role::name), ["topology", "traffic", "schedule"]);
}
