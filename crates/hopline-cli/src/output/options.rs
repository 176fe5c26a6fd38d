//! What the library says of its concepts, in options of the command line.

use hopline::error::Error;

/// Keys of a scenario that are options too. An error whose whole place is one of them is about that option.
const KEYS: [&str; 8] = ["topology", "routing", "traffic", "mapping", "schedule", "hosts", "objective", "without"];

/// Advice of the library, and the same with the options that follow it.
const ADVICE: [(&str, &str); 23] = [
    ("a list of its switches has the ports", "`hopline fabric show --switches` lists ports"),
    ("choose other hosts, or a mapping such as greedy", "choose another --hosts, or a mapping such as greedy"),
    ("give more hosts, or more slots per host", "give more hosts with --hosts, or more slots per host with slots="),
    (
        "give one such as collective:knomial:bytes=64K or goal:FILE",
        "add --schedule collective:knomial:bytes=64K or --schedule goal:FILE",
    ),
    ("give one such as percs:ns=32,nd=4, or file:PATH", "add --topology percs:ns=32,nd=4 or --fabric PATH"),
    (
        "give some such as halo:grid=64x64 or matrix:file=PATH",
        "add --traffic halo:grid=64x64 or --traffic matrix:file=PATH",
    ),
    ("`hopline record` fills one", "`hopline record run --out DIR -- mpirun ...` fills one"),
    (
        "hosts are a file, names, random:N, first:N or @compute",
        "--hosts takes a file, names, random:N, first:N or @compute",
    ),
    ("hosts are chosen by the names of the file", "--hosts chooses hosts by the names of the file"),
    ("keep enough cables on to reach every host", "--connected leaves enough cables on to reach every host"),
    ("a larger S lets them go", "a larger S lets them go (--model S=1G)"),
    ("leave it out for `default`", "leave the option out for `default`"),
    ("leave it out for the topology's own", "leave the option out for the topology's own"),
    ("leave the allocation out, or name that host too", "leave --hosts out, or name that host too"),
    (
        "leave the routing out, or use minhop, shortest or up-down",
        "leave --routing out, or use minhop, shortest or up-down",
    ),
    ("name hosts, or take the routing `shortest`", "name hosts, or add --routing shortest"),
    ("name its host in the allocation", "name its host with --hosts"),
    ("name the algorithms to compare", "name the algorithms to compare with --algorithm"),
    ("place whole hosts, or one task per host", "place whole hosts with --reorder-hosts, or one task per host"),
    ("raise the limit of inputs", "raise the limit with --max-input"),
    ("repeat the schedule", "repeat the schedule with --iterations"),
    (
        "slots= of the topology sets how many slots each host has",
        "slots= of the topology, --slots on the command line, sets how many slots each host has",
    ),
    ("slots= says how many tasks it takes", "--slots N says how many tasks it takes"),
];

/// The error as a person reads it who gave options.
pub(crate) fn spelled(error: &Error) -> String {
    let text = error.to_string();
    let text = match error.place() {
        Some(place) if place.line == 0 && KEYS.contains(&place.path.as_str()) => format!("--{text}"),
        _ => text,
    };
    match error.advice().and_then(|advice| ADVICE.iter().find(|(own, _)| advice.contains(own))) {
        // The advice comes last, and may say again what the message said.
        Some((own, option)) => match text.rfind(own) {
            Some(at) => format!("{}{option}{}", &text[..at], &text[at + own.len()..]),
            None => text,
        },
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::error::Place;
    use std::fs;
    use std::path::Path;

    /// The sources of the library, all in one.
    fn library(dir: &Path) -> String {
        let entries = fs::read_dir(dir).expect("a directory").flatten().map(|entry| entry.path());
        entries
            .map(|path| if path.is_dir() { library(&path) } else { fs::read_to_string(path).expect("a file") })
            .collect()
    }

    #[test]
    fn the_library_gives_all_of_this_advice() {
        let sources = library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../hopline/src"));
        for (own, _) in ADVICE {
            assert!(sources.contains(own), "nobody says `{own}`");
        }
    }

    #[test]
    fn places_and_advice_are_spelled_as_options() {
        let error = Error::input("4 tasks do not fit").hint("give more hosts, or more slots per host");
        let option = "4 tasks do not fit; give more hosts with --hosts, or more slots per host with slots=";
        assert_eq!(spelled(&error), option);
        assert_eq!(spelled(&error.clone().at(&Place::new("traffic", 0))), format!("--traffic: {option}"));
        assert_eq!(spelled(&error.at(&Place::new("traffic", 3))), format!("traffic:3: {option}"));
    }
}
