//! Every target on damaged seeds, `HOPLINE_FUZZ` rounds of them (300), and on all that was found before.

use hopline_fuzz::{Random, Target, found, seeds, targets};

fn rounds() -> u64 {
    std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Runs a target; what makes it panic is kept, so that it can be looked at.
fn survives(target: &Target, bytes: &[u8], what: &str) -> bool {
    std::panic::catch_unwind(|| (target.run)(bytes)).unwrap_or_else(|_| {
        let path = std::env::temp_dir().join(format!("hopline-fuzz-{}", target.name));
        let _ = std::fs::write(&path, bytes);
        panic!("{} panics on {what}, kept as {}", target.name, path.display());
    })
}

fn holds(target: &Target) {
    let seeds = seeds(target);
    assert!(!seeds.is_empty(), "{} has no seed", target.name);
    for (number, seed) in seeds.iter().enumerate() {
        assert!(survives(target, seed, "a seed"), "{} refuses its seed {number}", target.name);
    }
    for (name, bytes) in found(target) {
        survives(target, &bytes, &name);
    }
    let (mut read, mut refused) = (0u64, 0u64);
    for round in 0..rounds() {
        let bytes = Random::new(round).damaged(&seeds);
        match survives(target, &bytes, &format!("round {round}")) {
            true => read += 1,
            false => refused += 1,
        }
    }
    assert!(rounds() < 300 || read > 0 && refused > 0, "{}: {read} read, {refused} refused", target.name);
}

/// A test for each, so that they run beside each other.
macro_rules! tests {
    ($($test:ident $name:literal)*) => {
        $(#[test]
        fn $test() {
            holds(hopline_fuzz::target($name).expect($name));
        })*

        #[test]
        fn each_target_has_its_test() {
            let tested = [$($name),*];
            let left: Vec<&str> = targets().map(|target| target.name).filter(|name| !tested.contains(name)).collect();
            assert!(left.is_empty(), "targets without a test: {left:?}");
            assert_eq!(tested.len(), targets().count());
        }
    };
}

tests! {
    ibnetdiscover "ibnetdiscover"
    lft "lft"
    service_levels "service-levels"
    cray_xc "cray-xc"
    fabric_json "fabric-json"
    fabric_import "fabric-import"
    host_forms "host-forms"
    host_list "host-list"
    plan_of_cables "plan-of-cables"
    matrix "matrix"
    digit_matrix "digit-matrix"
    placement "placement"
    workload "workload"
    nccl_log "nccl-log"
    rank_links "rank-links"
    recording "recording"
    goal "goal"
    smpi_ti "smpi-ti"
    chakra "chakra"
    msccl "msccl"
    teccl "teccl"
    paths "paths"
    sniffed "sniffed"
    measured "measured"
    blamed "blamed"
    line "line"
    http_head "http-head"
    said "said"
    service_config "service-config"
    routes_cache "routes-cache"
    store "store"
    scenario "scenario"
    spec "spec"
    result "result"
    kept_points "kept-points"
    checkpoint "checkpoint"
    sweep "sweep"
    delays "delays"
}
