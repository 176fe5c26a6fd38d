//! Grids that fit a torus: those that run across its axes in task order are told so, and the
//! mapping that is named lays them along.

use hopline::event::Silent;
use hopline::files::Memory;
use hopline::plan::Plan;
use hopline::run::{self, LoadOutcome};
use hopline::scenario::Scenario;

fn load(torus: &str, grid: &str, mapping: &str) -> LoadOutcome {
    let toml = format!("topology = \"torus:dims={torus}\"\ntraffic = \"halo:grid={grid}\"\nmapping = \"{mapping}\"");
    let scenario = Scenario::from_toml("s.toml", &toml).expect("scenario");
    let plan = Plan::new(&scenario, &Memory::default()).expect("plan");
    run::load(&plan, 1, &mut Silent).expect("load")
}

#[test]
fn a_grid_across_the_axes_is_told_which_mapping_turns_it() {
    for (torus, grid, mend) in [
        ("4x8", "4x8", "column"),
        ("16x20x28", "16x20x28", "column"),
        ("3x4x5x6", "3x4x5x6", "column"),
        ("4x1x8", "4x8", "column"),
        ("6x4x8", "4x6x8", "fold"),
        ("3x4x5", "4x3x5", "fold"),
        ("3x4x5", "3x5x4", "fold"),
        ("4x4x8", "4x4x8", "column"),
        ("4x8x4", "8x4x4", "fold"),
    ] {
        let straight = load(torus, grid, "default");
        let note = straight.setting.notes.last().unwrap_or_else(|| panic!("{grid} on {torus}: nothing is said"));
        assert!(note.contains("runs across its axes"), "{note}");
        assert!(note.ends_with(&format!("mapping `{mend}` lays it along them")), "{grid} on {torus}: {note}");
        let turned = load(torus, grid, mend);
        assert!(turned.setting.notes.is_empty(), "{grid} on {torus}: {:?}", turned.setting.notes);
        let (across, along) = (straight.summary, turned.summary);
        assert!((along.dilation - 1.0).abs() < 1e-9, "{grid} on {torus}: {} hops", along.dilation);
        assert!(across.dilation > 1.0 && across.throughput_gb_s < along.throughput_gb_s, "{grid} on {torus}");
    }
    assert_eq!(load("16x20x28", "16x20x28", "column").summary.throughput_gb_s.map(f64::round), Some(6.0));
}

#[test]
fn nothing_is_said_where_a_grid_runs_along_the_axes_or_does_not_fit() {
    for (torus, grid) in [
        ("8x8", "8x8"),
        ("4x4x4", "4x4x4"),
        ("8x4", "4x8"),
        ("28x20x16", "16x20x28"),
        ("8x4x4", "4x4x8"),
        ("4x4x4", "8x8"),
        ("4x8", "2x16"),
        ("4x8", "32"),
        ("8x4x8", "16x16"),
    ] {
        assert_eq!(load(torus, grid, "default").setting.notes, [""; 0], "{grid} on {torus}");
    }
}

/// Every order of the extents of a torus, of powers of two, too, whose other shares are many.
#[test]
fn fold_lays_every_permutation_of_a_torus_along_its_axes() {
    for torus in [&[8, 16, 32][..], &[8, 16, 16], &[4, 32, 32], &[4, 16, 64], &[4, 8, 16, 8]] {
        let named = |sizes: &[u32]| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join("x");
        let mut grid = torus.to_vec();
        for turn in 0..2 * torus.len() {
            // Rotations, forwards and backwards.
            grid.rotate_left(1);
            if turn == torus.len() {
                grid.reverse();
            }
            let folded = load(&named(torus), &named(&grid), "fold");
            let hops = folded.summary.dilation;
            assert!((hops - 1.0).abs() < 1e-9, "{grid:?} on {torus:?}: {hops} hops");
            assert_eq!(
                folded.summary.throughput_gb_s.map(f64::round),
                Some(2.0 * torus.len() as f64),
                "{grid:?} on {torus:?}"
            );
        }
    }
}
