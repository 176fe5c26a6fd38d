//! What was measured: outputs of benchmarks, counters, and what was asked of them.

use crate::Target;
use crate::plain::{taken, text};
use hopline::files::Disk;
use hopline::plan::Network;
use hopline::scenario::Scenario;
use hopline_blame::{Asked, Source, expected, follow_up, formats, read, read_as};
use hopline_formats::AnyForm;
use std::sync::OnceLock;

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "measured",
        about: "outputs of benchmarks and counters of ports: the first byte picks the reader, whatever the rest looks like",
        seeds: &["blame/rack64-slow-link.csv", "blame/racks24/healthy.csv"],
        reads: &["hopline-blame/readers"],
        made: Vec::new,
        run: |data| {
            let Some((pick, rest)) = data.split_first() else { return false };
            let mut known = false;
            for bytes in [data, rest] {
                let text = text(bytes);
                let known_host = |word: &str| word.starts_with('n');
                let source =
                    Source { path: "out/ib_write_bw.n1-n2.json", text: &text, known: &known_host, keep: &|_| true };
                known |= taken(read(&source)).is_some();
                let name = formats().nth(usize::from(*pick) % formats().count());
                known |= name.is_some_and(|name| taken(read_as(name, &source)).is_some());
            }
            known
        },
    },
    Target {
        name: "blamed",
        about: "measurements judged on a fabric, very long ones thinned, pairs that are to be expected, and answers to follow up",
        seeds: &[
            "=src,dst,gbytes_per_s\ne0,e1,1.0\ne2,e3,0.4\ne0,e3,1.0\ne1,e2,1\n",
            "=e0 e1\ne2 e3\n\ne0 e3\n",
            "={\"next\":[[[\"e0\",\"e1\"],[\"e2\",\"e3\"]],[[\"e0\",\"e3\"]]]}\n",
        ],
        reads: &[
            "hopline-blame/answer",
            "hopline-blame/thin",
            "hopline-blame/expect",
            "hopline-blame/plan",
            "hopline-cli/command/blame",
        ],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let judged = hopline_blame::blame(network(), &[("fuzz".to_string(), text.to_string())]);
            let asked = expected(network(), &Asked::Pairs { path: "fuzz", text: &text });
            let more = follow_up(network(), "fuzz", &text);
            taken(judged).is_some() | taken(asked).is_some() | taken(more).is_some()
        },
    },
];

/// A small fabric that measurements are about.
fn network() -> &'static Network {
    static ONE: OnceLock<Network> = OnceLock::new();
    ONE.get_or_init(|| {
        let scenario = Scenario::default().topology("tree:arity=2x4").expect("a topology");
        Network::new(&scenario, &AnyForm(Disk)).expect("a network")
    })
}
