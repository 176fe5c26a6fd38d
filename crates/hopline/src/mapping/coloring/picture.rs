//! Colourings drawn as text, for `hopline explain`.

use super::board::Board;
use super::cut::Cut;
use super::search::search;
use super::{bands, colors};
use crate::demand::Grid;
use crate::event::Silent;
use crate::rng::Rng;
use std::fmt::Write as _;

/// The part whose blocks are marked.
const CHOSEN: u32 = 21;

/// Figure 2 of the paper.
pub(in crate::mapping) fn lemma() -> String {
    draw(&board(8, 8, false), &colors(8, 8), [8, 8], false)
        + "The paper's Figure 2 is this one but for its last corner, printed 19: misprinted, as 19 stands there twice already.\n"
}

/// The smallest colouring with eight blocks per part, and one of bricks.
pub(in crate::mapping) fn eight_and_bricks() -> String {
    let bricks = board(16, 16, true);
    let found = search(&bricks, 32, 1_000_000, &mut Rng::new(0, "picture"), &mut Silent);
    draw(&board(16, 32, false), &bands::colors(16, 32).unwrap_or_default(), [32, 16], false)
        + "A grid of 64x128 tasks in blocks of 4x4 for 64 parts of 128; left out are 16 columns of blocks on the right.\n\n"
        + &draw(&bricks, &found, [8, 8], true)
        + "A grid of 64x64 tasks in bricks of 4x8 for 32 parts of 128; the last brick of every second row goes around.\n"
}

/// `p` x `q` squares as blocks of one, or as bricks of two.
fn board(p: u32, q: u32, bricks: bool) -> Board {
    let grid = Grid { sizes: vec![p, q], wrap: true };
    let cut = Cut { block: vec![1, if bricks { 2 } else { 1 }], bricks };
    Board::new(&grid, &cut.order(&grid, &[1, 1]).chunks(cut.size()).collect::<Vec<_>>())
}

/// The first `shown` of `columns` blocks of every row, those of one part in
/// brackets and those beside them between points.
fn draw(board: &Board, colors: &[u32], [columns, shown]: [usize; 2], bricks: bool) -> String {
    let beside = |block: usize| board.sides(block).iter().map(|side| colors[side.0 as usize]);
    let mut text = String::new();
    for (i, row) in colors.chunks(columns).enumerate() {
        let cells = (0..shown).map(|j| match row[j] {
            CHOSEN => format!("[{CHOSEN:2}]"),
            part if beside(i * columns + j).any(|other| other == CHOSEN) => format!(".{part:2}."),
            part => format!(" {part:2} "),
        });
        let half = if bricks && i % 2 == 1 { "  " } else { "" };
        let _ = writeln!(text, "{half}{}", cells.collect::<String>().trim_end());
    }
    let mut parts: Vec<u32> = (0..colors.len()).filter(|&block| colors[block] == CHOSEN).flat_map(beside).collect();
    let sides = parts.len();
    parts.sort_unstable();
    parts.dedup();
    let _ = writeln!(
        text,
        "\nWhich part takes which block. The {sides} blocks beside those of part {CHOSEN} are of {} different parts.",
        parts.len()
    );
    text
}
