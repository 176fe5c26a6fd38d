//! Grids beside what nested loops give.

use hopline::error::Result;
use hopline::params::Value;
use hopline::scenario::Scenario;
use hopline_sweep::grid::{Grid, Point};

fn points(text: &str) -> Result<(Grid, Vec<Point>)> {
    let scenario = Scenario::from_toml("s.toml", text)?;
    let grid = Grid::read(scenario.sweep.as_ref().expect("[sweep]"))?;
    let points = grid.points(&scenario)?;
    Ok((grid, points))
}

fn rows(text: &str) -> Vec<String> {
    let (_, points) = points(text).expect(text);
    points.iter().map(|p| p.values.iter().map(Value::show).collect::<Vec<_>>().join(" ")).collect()
}

fn error(text: &str) -> String {
    points(text).expect_err(text).to_string()
}

#[test]
fn lists_unfold_as_nested_loops_do() {
    let text = r#"
        [sweep]
        command = "flits"
        routing = ["minimal", "valiant-any"]
        load = "0.1:0.5:0.2"
        cycles = 500
        [sweep.together.machine]
        topology = ["percs:ns=4,nd=1", "dragonfly:p=1,a=2,h=1", "full-mesh:n=4"]
        traffic = ["halo", "uniform", "alltoall"]
    "#;
    let mut expected = Vec::new();
    for routing in ["minimal", "valiant-any"] {
        for load in ["0.1", "0.3", "0.5"] {
            for machine in ["percs:ns=4,nd=1 halo", "dragonfly:p=1,a=2,h=1 uniform", "full-mesh:n=4 alltoall"] {
                expected.push(format!("{routing} {load} 500 {machine}"));
            }
        }
    }
    assert_eq!(rows(text), expected);
}

/// All conditions hold, for every pair that they leave and for no other.
#[test]
fn conditions_leave_what_a_filter_leaves() {
    let text = r#"
        topology = "percs:ns=32,nd=4,slots=2"
        [sweep]
        command = "load"
        topology.ns = "2^2:2^9"
        topology.nd = [1, 2, 4, 8]
        seed = "1:3"
        where = ["ns*nd <= 512", "seed != 2 || topology.nd*slots > 4"]
    "#;
    let mut expected = Vec::new();
    for ns in [4, 8, 16, 32, 64, 128, 256, 512] {
        for nd in [1, 2, 4, 8] {
            for seed in [1, 2, 3] {
                if ns * nd <= 512 && (seed != 2 || nd * 2 > 4) {
                    expected.push(format!("{ns} {nd} {seed}"));
                }
            }
        }
    }
    assert_eq!(rows(text), expected);
}

#[test]
fn a_point_is_a_scenario_with_its_values_and_options() {
    let text = r#"
        topology = "percs:ns=32,nd=4"
        seed = 9
        [sweep]
        command = "flits"
        topology.nd = [1, 2]
        topology.slots = 3
        routing = "direct"
        load = [0.1, 0.2]
    "#;
    let (grid, points) = points(text).expect("points");
    let base = Scenario::from_toml("s.toml", text).expect("scenario");
    let request = grid.request(&points[3], &base).expect("request");
    let spec = |params: Option<&hopline::params::Params>| params.map(ToString::to_string).unwrap_or_default();
    assert_eq!(spec(request.scenario.topology.as_ref()), "percs:ns=32,nd=2,slots=3");
    assert_eq!(spec(request.scenario.routings.first()), "direct");
    assert_eq!((request.scenario.seed, request.scenario.sweep.is_none()), (9, true));
    let options: Vec<String> = request.options.iter().map(|(p, v)| format!("{}={}", p.name, v.show())).collect();
    assert_eq!(options, ["load=0.2"]);
}

/// A whole section that is varied, and a key in it: the key counts, wherever it stands.
#[test]
fn keys_are_set_after_their_sections() {
    let text = "[sweep]\ncommand = \"load\"\ntopology.nd = 2\n";
    let mut scenario = Scenario::from_toml("s.toml", text).expect("toml");
    scenario = scenario.topology("percs:ns=4,nd=1").expect("topology");
    let mut sweep = scenario.sweep.clone().expect("sweep");
    sweep.push("topology", "percs:ns=8,nd=1".into(), sweep.place().clone()).expect("push");
    let grid = Grid::read(&sweep).expect("grid");
    let point = grid.points(&scenario).expect("points").remove(0);
    let topology = grid.request(&point, &scenario).expect("request").scenario.topology;
    assert_eq!(topology.map(|t| t.to_string()).as_deref(), Some("percs:ns=8,nd=2"));
}

#[test]
fn errors_name_the_line() {
    let sweep = |rest: &str| error(&format!("topology = \"percs:ns=4,nd=1\"\n[sweep]\ncommand = \"load\"\n{rest}"));
    assert_eq!(
        error("\n[sweep]\nload = 0.1\n"),
        "s.toml:2: [sweep] names no command; write command = \"load\", \"flits\", \"map\", ..."
    );
    assert!(sweep("load = \"0.9:0.1:0.1\"").starts_with("s.toml:4: `0.9:0.1:0.1` has no value"));
    assert!(sweep("where = \"nss < 3\"").starts_with("s.toml:4: `nss < 3`: nothing is called `nss`"));
    assert!(sweep("where = \"ns < 3\"").contains("no point is left"));
    assert!(sweep("a = 1\ntogether.x.a = 2").contains("`a` is varied twice"));
    assert!(sweep("together.x.seed = [1, 2]\ntogether.x.routing = [\"a\", \"b\", \"c\"]").contains("has 2 values"));
    assert!(sweep("together.x = 1").contains("[sweep.together.NAME]"));
    assert!(sweep("seed = \"1:1000\"\na = \"1:1000\"\nb = [1, 2]").contains("more than 1000000 points"));
    assert!(sweep("when = 2020-01-01").starts_with("s.toml:4: `when` holds a date"));
    assert!(sweep("seed = [1, -2]\nwhere = \"seed > 0\"").contains("`seed` is a whole number from 0"));
}
