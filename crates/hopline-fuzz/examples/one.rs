//! Runs a target on files, for what was found: `cargo run -p hopline-fuzz --example one -- TARGET FILE...`.

#![allow(clippy::print_stdout)]

fn main() {
    let mut words = std::env::args().skip(1);
    let name = words.next().unwrap_or_default();
    let target = hopline_fuzz::target(&name).unwrap_or_else(|| panic!("`{name}` is no target"));
    for path in words {
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        println!("{path}: {}", if (target.run)(&bytes) { "read" } else { "refused" });
    }
}
