//! The memory of a replay, alone in its process.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "what was measured, with --nocapture")]

use hopline::event::Silent;
use hopline::files::Disk;
use hopline::plan::Plan;
use hopline::replay::{Model, Places, Record, ReplayInput, replay};
use hopline::scenario::Scenario;

/// Bytes of memory by a line of the system's: the most so far, or now.
fn memory(line: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("status");
    let line = text.lines().find_map(|l| l.strip_prefix(line)).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("kilobytes") * 1024
}

/// Building, the demand that mappings see, and the replay. With HOPLINE_SLOW 4,096 ranks, which take 1.7 GB.
#[test]
fn a_pairwise_message_takes_100_bytes() {
    let slow = std::env::var_os("HOPLINE_SLOW").is_some();
    let (topology, ranks) = if slow { ("dragonfly:p=8,a=16,h=4", 4096) } else { ("dragonfly:p=4,a=8,h=4", 1024) };
    let scenario = Scenario::default().topology(topology).and_then(|s| s.schedule(&format!("pairwise:ranks={ranks}")));
    let scenario = scenario.expect("scenario");
    let before = memory("VmRSS:");
    let (plan, schedule) = Plan::for_schedule(&scenario, &Disk).expect("plan");
    let slots = plan.slots[..ranks].to_vec();
    let mapping = hopline::mapping::Mapping::new(slots, &plan.network.fabric).expect("mapping");
    let places = Places::new(&mapping, plan.network.fabric.hosts()).expect("places");
    let model = Model::default();
    let input = ReplayInput { schedule: &schedule, routing: &*plan.network.routing, places: &places, model: &model };
    let done = replay(input, &Record::default(), &mut Silent).expect("replay");
    assert_eq!(done.messages, (ranks * (ranks - 1)) as u64);
    let each = (memory("VmHWM:") - before) as f64 / done.messages as f64;
    println!("{ranks} ranks: {each:.1} bytes a message");
    assert!(each <= 100.0, "{each:.1} bytes a message");
}
