//! What an interpreter that looks for undefined behaviour can do of the readers in minutes (`./check --full`): the smallest seed of every
//! form of a fabric, whole and cut in the middle.

use hopline_formats::FABRIC_IMPORTS;
use std::fs;

#[test]
fn the_smallest_seeds() {
    for form in FABRIC_IMPORTS {
        let path = format!("{}/../hopline-fuzz/seeds/fabric-import/{}", env!("CARGO_MANIFEST_DIR"), form.name);
        let text = fs::read_to_string(&path).expect(&path);
        let begin: Vec<&str> =
            FABRIC_IMPORTS.iter().filter(|form| (form.begins)(&text)).map(|form| form.name).collect();
        assert_eq!(begin, [form.name]);
        let read = (form.read)("seed", &text).unwrap_or_else(|e| panic!("{path}: {e}"));
        assert!(read.machine.fabric.hosts().len() >= 2, "{path}");
        // Read or refused, in a line.
        if let Err(e) = (form.read)("seed", &text[..text.len() / 2]) {
            assert_eq!(e.to_string().lines().count(), 1, "{path}: {e}");
        }
    }
}
