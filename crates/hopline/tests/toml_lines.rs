//! What is wrong in a TOML scenario is told with the file's line, however deep it is found.

use hopline::error::{Error, Result};
use hopline::event::Silent;
use hopline::files::Disk;
use hopline::flits::Options;
use hopline::plan::{Network, Plan};
use hopline::run::{self, Each, Forget};
use hopline::scenario::Scenario;

/// A scenario of eight lines and more.
fn scenario(routing: &str, traffic: &str, mapping: &str) -> Scenario {
    let text = format!(
        "seed = 1\n[topology]\nkind = \"torus\"\ndims = \"4x4\"\n[routing]\nkind = \"{routing}\"\n\
         [traffic]\nkind = \"{traffic}\"\n[mapping]\nkind = \"{mapping}\"\n[flits]\nload = 0.1\n"
    );
    text.replace("; ", "\n").parse_as("job.toml").unwrap_or_else(|e| panic!("{e}"))
}

trait ParseAs {
    fn parse_as(&self, path: &str) -> Result<Scenario>;
}

impl ParseAs for String {
    fn parse_as(&self, path: &str) -> Result<Scenario> {
        Scenario::from_toml(path, self)
    }
}

fn flits(scenario: &Scenario) -> Result<()> {
    let plan = Plan::new(scenario, &Disk)?;
    let options = Options::read(scenario.flits.as_ref().expect("a section"))?;
    run::flits(&plan, &options, &mut Forget, &mut Silent).map(drop)
}

fn told(result: Result<()>) -> String {
    result.expect_err("an error").to_string()
}

#[test]
fn wrong_keys_of_every_section_name_their_line() {
    let is = |e: Error| e.to_string();
    let e = Plan::new(&scenario("dor\"; tie = \"up", "uniform", "default"), &Disk).err().map(is).expect("tie");
    assert!(e.starts_with("job.toml:7: `tie` is `up`"), "{e}");
    let e = Plan::new(&scenario("dor", "halo\"; grid = \"4x0", "default"), &Disk).err().map(is).expect("grid");
    assert!(e.starts_with("job.toml:9: `grid` is `4x0`"), "{e}");
    let e = Plan::new(&scenario("dor", "alltoall\"; tasks = 0; weight = \"per-task", "default"), &Disk);
    let e = e.err().map(is).expect("tasks");
    assert!(e.starts_with("job.toml:9: 0 tasks, expected 1 to"), "{e}");
    let e = Plan::new(&scenario("dor", "uniform", "blocks\"; level = \"node\"; block = \"0"), &Disk);
    let e = e.err().map(is).expect("block");
    assert!(e.starts_with("job.toml:12: `block` is `0`"), "{e}");
}

#[test]
fn what_only_a_simulation_refuses_names_the_line_of_the_routing() {
    // Shortest paths around a ring wait for each other in a circle.
    let e = told(flits(&scenario("shortest", "uniform", "default")));
    assert!(e.starts_with("job.toml:5: routing `shortest` can deadlock on torus:dims=4x4"), "{e}");
}

#[test]
fn what_only_failures_refuse_names_the_line_of_the_routing() {
    let scenario = scenario("dor", "uniform", "default");
    let network = Network::as_after_faults(&scenario, &Disk).expect("a network");
    let plan = Plan::with_network(&scenario, &Disk, network).expect("a plan");
    let e = told(run::each(&plan, Each::Link, 1, &mut Silent).map(drop));
    assert!(e.starts_with("job.toml:5: routing `dor` needs a whole machine"), "{e}");
}

#[test]
fn an_omitted_routing_is_blamed_without_an_option() {
    let e = Scenario::default().topology("percs:nss=3").and_then(|s| Network::new(&s, &Disk).map(drop));
    assert_eq!(e.expect_err("a key").to_string(), "topology: `percs` has no key `nss`; did you mean `ns`?");
}
