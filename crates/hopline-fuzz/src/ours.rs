//! What people write for Hopline, and what it printed before.

use crate::Target;
use crate::plain::{taken, text};
use hopline::error::Place;
use hopline::params::split_specs;
use hopline::scenario::Scenario;
use hopline::schedule::Bytes;
use hopline::unit::Bandwidth;
use hopline_cli::embed;
use hopline_study::read_points;
use hopline_sweep::grid::Grid;
use hopline_sweep::shard::Shard;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "scenario",
        about: "scenarios in TOML, with the grid of a sweep and its conditions",
        seeds: &[
            "=topology = \"torus:dims=4x4\"\ntraffic = \"halo:grid=4x4\"\nmapping = [\"default\", \"random\"]\nseed = 7\n",
            "=[topology]\nkind = \"percs\"\nns = 4\nnd = 4\n[traffic]\nkind = \"alltoall\"\n[flits]\nload = [0.1, 0.2]\n",
            "=topology = \"torus:dims=4x4\"\ntraffic = \"alltoall\"\n[sweep]\ncommand = \"flits\"\nload = \"0.1:0.9:0.1\"\nseed = [1, 2]\n\
             where = \"load < 0.5 and (seed == 1 or not load > 0.2)\"\n",
        ],
        reads: &["hopline/scenario", "hopline-sweep/condition", "hopline-sweep/decimal", "hopline-sweep/values"],
        made: Vec::new,
        run: |data| {
            let Some(scenario) = taken(Scenario::from_toml("fuzz", &text(data))) else { return false };
            let Some(sweep) = &scenario.sweep else { return true };
            taken(Grid::read(sweep)).and_then(|grid| taken(grid.points(&scenario))).is_some()
        },
    },
    Target {
        name: "spec",
        about: "specs, quantities with units, and parts of a sweep, as they are typed",
        seeds: &["=torus:dims=4x4,slots=2;[file:a,b.txt]\n", "=1.5GiB\n", "=200Gb/s\n", "=2/7\n", "=64\n"],
        reads: &["hopline/params", "hopline/unit", "hopline-sweep/shard"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let mut known = taken(split_specs(&text, &Place::new("fuzz", 1))).is_some();
            for word in text.split_whitespace() {
                known |= word.parse::<hopline::params::Params>().is_ok();
                known |=
                    word.parse::<Bytes>().is_ok() | word.parse::<Bandwidth>().is_ok() | word.parse::<Shard>().is_ok();
            }
            known
        },
    },
    Target {
        name: "result",
        about: "what commands printed as JSON, and the page of it",
        seeds: &[],
        reads: &[
            "hopline-cli/command/mod",
            "hopline-cli/command/report",
            "hopline-cli/embed",
            "hopline-cli/page/draw",
            "hopline-report/page",
        ],
        made: results,
        run: |data| taken(embed::page("fuzz", &text(data))).is_some(),
    },
    Target {
        name: "kept-points",
        about: "results of a study's simulations, a line each",
        seeds: &["=# head\n\n0.25 0.01 hopline flits --load 0.1\n0.5 hopline flits --load 0.2\n"],
        reads: &["hopline-study/points", "hopline-cli/command/reproduce"],
        made: Vec::new,
        run: |data| taken(read_points(&text(data), "fuzz")).is_some(),
    },
];

/// What commands print of small jobs.
fn results() -> Vec<Vec<u8>> {
    let lines = [
        "load --topology torus:dims=2x2 --traffic alltoall",
        "map --topology tree:arity=2x2 --traffic halo:grid=2x2 --mapping default,random",
        "flits --topology torus:dims=2x2 --traffic uniform --load 0.1 --warmup 50 --cycles 200",
        "fabric check --topology tree:arity=2x2",
        "collective allreduce --topology tree:arity=2x2 --size 1KB",
    ];
    let answer = |line: &str| {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        let answer = embed::answer(&words, &hopline::files::Disk, &mut hopline::event::Silent);
        answer.and_then(|answer| answer.json()).unwrap_or_else(|e| panic!("{line}: {e}")).into_bytes()
    };
    lines.map(answer).into()
}
