//! A machine beside the plan of its cables.

use super::common::{damage::Random, root};
use super::{cables, of_kind, scenario};
use hopline::fabric::Fabric;
use hopline::files::{Disk, Memory};
use hopline::format::ndt;
use hopline::id::VertexId;
use hopline::plan::Network;
use hopline::run::{self, ChangeKind, DiffKind};

/// A plan that says what a machine has, a cable a line; `change` may say otherwise.
fn plan_of(fabric: &Fabric, change: impl Fn(String) -> String) -> String {
    let mut text = "#StartDevice,StartPort,EndDevice,EndPort,LinkType\n".to_string();
    let end = |v: VertexId, port: u16| match fabric.hosts().owner(v) {
        Some(host) => format!("{},{}", fabric.hosts().name(host), fabric.vertex_name(v)),
        None => format!("{},Port {port}", fabric.vertex_name(v)),
    };
    for l in fabric.link_ids().filter(|&l| l < fabric.reverse(l)) {
        let back = fabric.reverse(l);
        let ends = [end(fabric.source(l), fabric.port(l)), end(fabric.target(l), fabric.port(back))];
        text.push_str(&change(format!("{},{},Data\n", ends[0].to_uppercase(), ends[1])));
    }
    text
}

#[test]
fn a_machine_is_held_against_the_plan_of_its_cables() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let against = |text: &str| run::diff_plan("p", &ndt::parse("p", text).expect("a plan"), &network);
    let outcome = against(&plan_of(&network.fabric, |line| line));
    assert!(!outcome.differs(), "{:?}", outcome.changes);
    assert_eq!((outcome.cables_alike, outcome.verdict.kind), (80, DiffKind::Same));

    // Two cables of the plan lead to each other's spine ports, one is planned and not there, one is there and not planned.
    let change = |line: String| {
        let other = [("spine01/U1,Port 3,", "spine01/U1,Port 4,"), ("spine01/U1,Port 4,", "spine01/U1,Port 3,")];
        let lower = line.to_lowercase();
        match other.iter().find(|(was, _)| lower.contains(&was.to_lowercase())) {
            Some((was, is)) => lower.replace(&was.to_lowercase(), is),
            None if lower.contains("node010") => "node099,node099 HCA-1,leaf02/U1,Port 20,Data\n".to_string(),
            None => line,
        }
    };
    let outcome = against(&plan_of(&network.fabric, change));
    let moved = of_kind(&outcome, ChangeKind::CableMoved);
    assert_eq!(moved.len(), 2, "{:?}", outcome.changes);
    assert!(
        moved.iter().all(|m| m.mend.as_deref().is_some_and(|mend| mend.starts_with("swap the cables in "))),
        "{moved:?}"
    );
    assert_eq!(of_kind(&outcome, ChangeKind::HostGone)[0].name, "node099", "{:?}", outcome.changes);
    assert!(outcome.differs() && outcome.verdict.kind == DiffKind::Changed, "{:?}", outcome.verdict);
    assert!(outcome.verdict.sentence.contains("2 cables moved"), "{}", outcome.verdict.sentence);
}

/// Numbers alone are ports of switches, those of hosts' adapters are not compared.
#[test]
fn ports_of_a_plan_may_be_numbers_alone() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let against = |text: &str| run::diff_plan("p", &ndt::parse("p", text).expect("a plan"), &network);
    let plain = |line: String| line.to_lowercase().replace("port ", "").replace(" hca-1,", ",");
    let host = |line: String| match plain(line).split(',').collect::<Vec<_>>()[..] {
        [a, node, b, port, kind] if node.starts_with("node") => format!("{a},1,{b},{port},{kind}"),
        [a, port, b, node, kind] if node.starts_with("node") => format!("{a},{port},{b},1,{kind}"),
        ref words => words.join(","),
    };
    let outcome = against(&plan_of(&network.fabric, host));
    assert!(!outcome.differs() && outcome.notes.is_empty(), "{:?} {:?}", outcome.changes, outcome.notes);
    assert_eq!(outcome.cables_alike, 80);
    // Other ways to write the same: `Port3`, a host's port by its number, cells in quotes.
    let joined = |line: String| line.to_lowercase().replace("port ", "Port");
    let by_port = |line: String| host(line).replace("node", "NODE").replace(",1,", ",Port 1,");
    let quoted = |line: String| format!("\"{}\"\n", line.trim().replace(',', "\",\""));
    for (what, text) in [
        ("joined", plan_of(&network.fabric, joined)),
        ("by port", plan_of(&network.fabric, by_port)),
        ("quoted", plan_of(&network.fabric, quoted)),
    ] {
        let outcome = against(&text);
        assert!(!outcome.differs() && outcome.notes.is_empty(), "{what}: {:?} {:?}", outcome.changes, outcome.notes);
    }
    // The rule for a machine that does not have a device: one with several ports is a switch.
    let more = "leaf09,1,leaf01/U1,30,Data\nleaf09,2,leaf02/U1,30,Data\nnode070,1,leaf02/U1,31,Data\n";
    let outcome = against(&(plan_of(&network.fabric, host) + more));
    let names = |kind| of_kind(&outcome, kind).iter().map(|change| change.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(ChangeKind::SwitchGone), names(ChangeKind::HostGone)),
        (vec!["leaf09".into()], vec!["node070".into()])
    );
    assert_eq!(outcome.changes.len(), 2, "{:?}", outcome.changes);
}

/// However many are moved, none is taken for another way of counting.
#[test]
fn every_cable_of_a_switch_may_have_moved() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let shifted = |line: String| {
        let mut words: Vec<String> = line.split(',').map(str::to_string).collect();
        for word in &mut words {
            if let Some(port) = word.to_lowercase().strip_prefix("port ").and_then(|port| port.parse::<u16>().ok()) {
                *word = format!("Port {}", port ^ 1);
            }
        }
        words.join(",").replace("Port 0,", "Port 99,")
    };
    let outcome = run::diff_plan("p", &ndt::parse("p", &plan_of(&network.fabric, shifted)).expect("a plan"), &network);
    assert_eq!((outcome.cables_alike, of_kind(&outcome, ChangeKind::Renamed).len()), (0, 0), "{:?}", outcome.changes);
    let told = outcome
        .changes
        .iter()
        .filter(|change| change.kind == ChangeKind::CableMoved || change.kind == ChangeKind::CableGone);
    assert_eq!(told.count(), 80, "{:?}", outcome.changes);
}

/// A switch without numbers in the plan, and a machine whose file has none: compared by what cables join, and said.
#[test]
fn without_numbers_of_ports_cables_are_known_by_their_ends() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let words = |line: String| line.to_lowercase().replace("spine01/u1,port ", "spine01/u1,swp");
    let outcome = run::diff_plan("p", &ndt::parse("p", &plan_of(&network.fabric, words)).expect("a plan"), &network);
    assert!(!outcome.differs() && outcome.cables_alike == 80, "{:?}", outcome.changes);
    assert_eq!(outcome.notes.len(), 1, "{:?}", outcome.notes);
    assert!(
        outcome.notes[0].starts_with("the plan's words for ports of spine01/U1 are no numbers:"),
        "{:?}",
        outcome.notes
    );
    let model = Network::new(&scenario("fat-tree:k=4,n=2", "alltoall"), &Disk).expect("a model");
    assert!(!model.fabric.states_ports());
    let other = |line: String| line.replace("Port 0,", "Port 77,");
    let outcome = run::diff_plan("p", &ndt::parse("p", &plan_of(&model.fabric, other)).expect("a plan"), &model);
    assert!(
        !outcome.differs() && outcome.notes[0].contains("numbers no ports"),
        "{:?} {:?}",
        outcome.changes,
        outcome.notes
    );
}

#[test]
fn a_planned_switch_is_missing_or_has_another_name() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let against = |text: &str| run::diff_plan("p", &ndt::parse("p", text).expect("a plan"), &network);
    // Every leaf and spine under a name of the plan's own: known by their cables, leaves first.
    let other = |line: String| line.to_lowercase().replace("leaf0", "rack-a-").replace("spine0", "core-");
    let outcome = against(&plan_of(&network.fabric, other));
    let switches = network.fabric.vertices() - network.fabric.endpoints();
    assert_eq!(of_kind(&outcome, ChangeKind::Renamed).len(), switches as usize, "{:?}", outcome.changes);
    assert_eq!((outcome.changes.len(), outcome.cables_alike), (switches as usize, 80));
    // One more spine is planned, which is not there, with cables to free ports.
    let mut text = plan_of(&network.fabric, |line| line);
    (1..=4).for_each(|leaf| text.push_str(&format!("leaf0{leaf}/U1,Port 30,spine09/U1,Port {leaf},Data\n")));
    let outcome = against(&text);
    let gone = of_kind(&outcome, ChangeKind::SwitchGone);
    assert!(gone.len() == 1 && gone[0].name.starts_with("spine09"), "{:?}", outcome.changes);
    assert_eq!(outcome.changes.len(), 1, "what hangs on it goes with it");
}

/// rack64 with other names of some of its parts.
fn renamed_rack(names: &[(&str, &str)]) -> Network {
    let text = names.iter().fold(cables(), |text, (was, is)| text.replace(was, is));
    let files = Memory([("rack".to_string(), text.into_bytes())].into());
    Network::new(&scenario("file:path=rack", "alltoall"), &files).expect("rack64")
}

#[test]
fn a_plan_of_some_kinds_of_cables_says_nothing_against_the_others() {
    // Four leaves and a spine are chips of one modular switch.
    let chips = ["leaf01", "leaf02", "leaf03", "leaf04", "spine01"].map(|name| format!("\"{name}/U1\""));
    let core = ["L01", "L02", "L03", "L04", "S01"].map(|chip| format!("\"core/{chip}/U1\""));
    let names: Vec<(&str, &str)> = chips.iter().zip(&core).map(|(was, is)| (&was[..], &is[..])).collect();
    let network = renamed_rack(&names);
    let plan = |is_there: &dyn Fn(&str) -> bool| {
        plan_of(&network.fabric, |line| if is_there(&line.to_lowercase()) { line } else { String::new() })
    };
    let against = |text: &str| run::diff_plan("p", &ndt::parse("p", text).expect("a plan"), &network);
    let (hosts, within) = (|line: &str| line.contains("node"), |line: &str| line.matches("core/").count() == 2);
    for (there, same, left_out) in [
        (plan(&|line| !hosts(line)), 16, vec!["hosts to switches: 64"]),
        (plan(&|line| hosts(line)), 64, vec!["switches to switches: 12", "chips of a modular switch to each other: 4"]),
        (plan(&|line| !within(line)), 76, vec!["chips of a modular switch to each other: 4"]),
    ] {
        let outcome = against(&there);
        assert!(!outcome.differs() && outcome.cables_alike == same, "{:?} {:?}", outcome.verdict, outcome.changes);
        for words in left_out {
            assert!(outcome.notes.iter().any(|note| note.contains(words)), "{words}: {:?}", outcome.notes);
        }
    }
    // Of a kind that it tells of, what is not there is new.
    let one_less = plan(&|line| hosts(line) && !line.contains("node010"));
    assert_eq!(of_kind(&against(&one_less), ChangeKind::HostNew)[0].name, "node010");
}

#[test]
fn a_cable_in_the_wrong_adapter_of_its_host_has_moved() {
    let network = renamed_rack(&[("node060 HCA-1", "node059 HCA-2")]);
    let other = |line: String| line.to_lowercase().replace("node059 hca-2", "node059 HCA-3");
    let outcome = run::diff_plan("p", &ndt::parse("p", &plan_of(&network.fabric, other)).expect("a plan"), &network);
    let moved = of_kind(&outcome, ChangeKind::CableMoved);
    assert_eq!((moved.len(), outcome.changes.len(), outcome.cables_alike), (1, 1, 79), "{:?}", outcome.changes);
    let mend = moved[0].mend.as_deref().unwrap_or_default();
    assert!(mend.starts_with("move the end in node059 HCA-2") && mend.ends_with("to node059 HCA-3"), "{mend}");
}

#[test]
fn no_damage_makes_a_plan_panic() {
    let rack = format!("file:path={}/testdata/fabrics/rack64", root());
    let network = Network::new(&scenario(&rack, "alltoall"), &Disk).expect("rack64");
    let sample = plan_of(&network.fabric, |line| line).into_bytes();
    let mut random = Random(0x51ed_2701);
    let mut readable = 0;
    for _ in 0..300 {
        let mut bytes = sample.clone();
        (0..=random.below(4)).for_each(|_| random.damage(&mut bytes));
        match ndt::parse("fuzz", &String::from_utf8_lossy(&bytes)) {
            Ok(plan) => {
                readable += 1;
                assert!(!run::diff_plan("fuzz", &plan, &network).verdict.sentence.is_empty());
            }
            Err(e) => assert!(e.is_input() && e.to_string().starts_with("fuzz"), "{e}"),
        }
    }
    assert!(readable > 10, "{readable}");
}
