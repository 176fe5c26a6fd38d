//! Linear mappings for 16 dimensions of extent 16: `cargo bench --bench linear`.
//!
//! To be held: under 100 microseconds for one matrix, under 2 ms for fifteen.

use divan::{Bencher, black_box};
use hopline::gf::{Field, Matrix};
use hopline::mapping::linear::{one, several};
use hopline::rng::Rng;

fn main() {
    divan::main();
}

/// Random matrices, or permutations of digits, whose corners are mostly 0.
fn matrices(kind: &str, count: usize, n: usize, field: &Field) -> Vec<Matrix> {
    let mut rng = Rng::new(1, "bench");
    let one = |_| {
        let mut order: Vec<usize> = (0..n).collect();
        rng.shuffle(&mut order);
        match kind {
            "permutation" => Matrix::permutation(&order),
            _ => Matrix::from_fn(n, |_, _| rng.below(u64::from(field.size())) as u8),
        }
    };
    (0..count).map(one).collect()
}

#[divan::bench(args = [("dense", 4), ("dense", 8), ("dense", 16), ("permutation", 16)])]
fn theorem_3(bencher: Bencher, (kind, n): (&str, usize)) {
    let field = Field::new(16).expect("field");
    let a = &matrices(kind, 1, n, &field)[0];
    bencher.bench(|| one(black_box(a), &field));
}

#[divan::bench(args = [("dense", 2), ("dense", 15), ("permutation", 15)])]
fn theorem_4(bencher: Bencher, (kind, m): (&str, usize)) {
    let field = Field::new(16).expect("field");
    let set = matrices(kind, m, 16, &field);
    bencher.bench(|| several(black_box(&set), &field));
}
