//! Who sends what after what: schedules and traces of other programs, and routes that are given.

use crate::Target;
use crate::plain::{Parts, answers, joined, parts, taken, text};
use crate::seeds::testdata;
use hopline::format::chakra;
use hopline::plan::Plan;
use hopline::scenario::Scenario;
use hopline::schedule::trace::goal;
use hopline::schedule::{msccl, teccl};
use hopline_cli::embed;
use hopline_formats::{AnyForm, resolve};

pub(crate) const TARGETS: &[Target] = &[
    Target {
        name: "goal",
        about: "GOAL, text and binary; what is read can be written and read again",
        seeds: &["schedules/ping-pong.goal"],
        reads: &["hopline/schedule/trace/goal"],
        made: Vec::new,
        run: |data| {
            let made = match goal::binary::is(data) {
                true => goal::binary::parse("fuzz", data),
                false => goal::parse("fuzz", &text(data)),
            };
            let Some(made) = taken(made) else { return false };
            let again = goal::binary::write(&made.schedule).and_then(|bytes| goal::binary::parse("fuzz", &bytes));
            assert_eq!(again.map(|m| m.schedule.volume()).ok(), Some(made.schedule.volume()));
            true
        },
    },
    Target {
        name: "smpi-ti",
        about: "time-independent traces of SimGrid",
        seeds: &["schedules/ring.ti"],
        reads: &["hopline/schedule/trace/smpi"],
        made: Vec::new,
        run: |data| answers("replay --topology full-mesh:n=4 --schedule smpi-ti:file=fuzz", data),
    },
    Target {
        name: "chakra",
        about: "Chakra execution traces, of two ranks",
        seeds: &["schedules/step.0.et"],
        reads: &["hopline/format/chakra", "hopline/schedule/trace/chakra"],
        made: Vec::new,
        run: |data| {
            let Some(_) = taken(chakra::parse("fuzz", data)) else { return false };
            let files = AnyForm(Parts(vec![("fuzz.0.et", data), ("fuzz.1.et", data)]));
            let words = "replay --topology full-mesh:n=2 --schedule chakra:prefix=fuzz".split(' ').map(String::from);
            taken(embed::answer(&words.collect::<Vec<_>>(), &files, &mut hopline::event::Silent));
            true
        },
    },
    Target {
        name: "msccl",
        about: "programs of MSCCL in XML, checked and timed",
        seeds: &["schedules/allgather-hub.xml"],
        reads: &["hopline/schedule/msccl"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let right = msccl::check("fuzz", &text).is_right();
            answers("collective check fuzz", data);
            right && answers("replay --topology full-mesh:n=8 --schedule msccl:file=fuzz,bytes=1KB", data)
        },
    },
    Target {
        name: "teccl",
        about: "schedules of TE-CCL in JSON, checked and timed",
        seeds: &["schedules/teccl-line.json"],
        reads: &["hopline/schedule/teccl", "hopline-cli/command/check", "hopline-cli/command/replay"],
        made: Vec::new,
        run: |data| {
            let text = text(data);
            let read = teccl::begins(&text) && taken(teccl::check("fuzz", &text)).is_some();
            answers("replay --topology full-mesh:n=3 --schedule teccl:file=fuzz,bytes=1KB", data);
            read
        },
    },
    Target {
        name: "paths",
        about: "routes that are given, and watts of classes",
        seeds: &["routings/full-mesh-4.txt", "=class,on,idle,off,wake\n*,3.5,0.2,0.1,1e3\nmesh,3,0.1,0,10\n"],
        reads: &["hopline/routing/paths", "hopline/power/table"],
        made: Vec::new,
        run: |data| {
            let routes = answers("load --topology full-mesh:n=4 --routing paths:file=fuzz --traffic alltoall", data);
            let watts = "power --topology full-mesh:n=4 --traffic alltoall --power table=fuzz";
            routes | answers(watts, data)
        },
    },
    Target {
        name: "sniffed",
        about: "a file told apart by its content, asked for as everything that there is",
        seeds: &["schedules/ping-pong.goal", "schedules/ring.ti", "schedules/teccl-line.json"],
        reads: &["hopline-formats/readers", "hopline-formats/resolve", "hopline-formats/files"],
        made: || {
            let both = ["blame/racks24/fabric.json", "matrices/tables/frame.csv"]
                .map(|path| testdata(path).unwrap_or_default());
            vec![joined(&both)]
        },
        run: |data| {
            let files = AnyForm(Parts(["./a", "./b"].into_iter().zip(parts(data, 2)).collect()));
            let sniffed = |text: &str| {
                let mut scenario = Scenario::from_toml("fuzz", text).expect("a scenario");
                resolve(&mut scenario, &files).map(|()| scenario)
            };
            let job = sniffed("topology = \"./a\"\ntraffic = \"./b\"").and_then(|s| Plan::new(&s, &files));
            let play = sniffed("topology = \"full-mesh:n=4\"\nschedule = \"./a\"");
            let play = play.and_then(|scenario| Plan::for_schedule(&scenario, &files));
            taken(job).is_some() | taken(play).is_some()
        },
    },
];
