//! Compares two mappings of a measured job on a Dragonfly and names the hottest link:
//!
//! ```text
//! cargo run --manifest-path examples/outside/Cargo.toml -- testdata/matrices/lammps-melt-64.csv
//! ```

use hopline::demand::Demand;
use hopline::error::Result;
use hopline::files::Disk;
use hopline::mapping::{Multilevel, Order, Problem};
use hopline::routing::{Detour, DragonflyPaths};
use hopline::topology::Dragonfly;
use hopline::traffic::Matrix;
use hopline::unit::{Bandwidth, short};
use std::sync::Arc;

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "testdata/matrices/lammps-melt-64.csv".into());
    println!("{}", report(Matrix::open(&path, &Disk)?.demand()?)?);
    Ok(())
}

/// What the two mappings come to.
pub fn report(job: Demand) -> Result<String> {
    let dragonfly = Dragonfly::new(2, 4, 2)?.global_bandwidth(Bandwidth::gb_s(2.0))?;
    let fabric = Arc::new(dragonfly.build()?);
    let routing = DragonflyPaths::new(&dragonfly, Detour::None, &fabric)?;
    let slots = fabric.slots();
    let problem = Problem::new(&job, &routing, &slots)?;

    let in_order = problem.map(&Order::Default, 1)?;
    let near = problem.map(&Multilevel::new().evaluations(100_000), 1)?;
    let (now, then) = (problem.summary(&in_order)?, problem.summary(&near)?);
    let hottest = &problem.hottest(&near, 1)?[0];

    Ok(format!(
        "{}: hop-bytes {} in order, {} by multilevel; the hottest link then is {} with {} MB",
        fabric.name(),
        short(now.hop_bytes / 1e6),
        short(then.hop_bytes / 1e6),
        hottest.name,
        short(hottest.load / 1e6),
    ))
}
