//! The program of `examples/outside`, which is no part of the workspace and has nothing but what the library makes public.

#[path = "../../../examples/outside/src/main.rs"]
#[allow(clippy::print_stdout, dead_code, unreachable_pub, reason = "a program of its own")]
mod program;

use hopline::files::Disk;
use hopline::traffic::Matrix;

#[test]
fn the_program_outside_says_what_two_mappings_come_to() {
    let path = format!("{}/../../testdata/matrices/lammps-melt-64.csv", env!("CARGO_MANIFEST_DIR"));
    let job = Matrix::open(&path, &Disk).and_then(Matrix::demand).expect("a matrix");
    let said = "dragonfly:p=2,a=4,h=2: hop-bytes 317.712 in order, 304.541 by multilevel; the hottest link then is \
                g1r0[4] -> g1r3[2] with 5.265 MB";
    assert_eq!(program::report(job).expect("a report"), said);
}
