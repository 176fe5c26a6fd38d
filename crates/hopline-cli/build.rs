//! Packs the schemas, which few ask for: as text they are a fortieth of the command.

use flate2::{Compression, write::GzEncoder};
use std::io::{Error, Write};
use std::path::PathBuf;
use std::{env, fs};

#[allow(clippy::print_stdout, reason = "how cargo is told")]
fn main() -> Result<(), Error> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=schemas");
    let to = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| Error::other("cargo sets OUT_DIR"))?);
    for entry in fs::read_dir("schemas")? {
        let path = entry?.path();
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&fs::read(&path)?)?;
        fs::write(to.join(path.with_extension("gz").file_name().unwrap_or_default()), packed.finish()?)?;
    }
    Ok(())
}
