//! Colouring by search: simulated annealing over balanced colourings.
//!
//! Where colours are scarce a random colouring hardly ever gets rid of its last
//! conflicts. One with a symmetry does: cut the blocks into `turns` equal bands
//! and let each band repeat the one before with `parts / turns` added to every
//! colour. The search is smaller by that factor, and so are the conflicts.

use super::board::Board;
use crate::event::{Control, Event, Observer};
use crate::rng::Rng;

/// Symmetries that are tried, in this order.
const TURNS: [usize; 14] = [8, 4, 2, 1, 16, 6, 5, 3, 12, 7, 14, 9, 10, 11];
/// From where the temperature falls to where, in squared longest sides.
const HOT: f64 = 0.3;
const COLD: f64 = 0.13;
/// Picks of a block between two looks at the observer.
const LOOK: u64 = 1 << 12;

/// Gives every part equally many blocks of `board`, so that no two parts share
/// more than the longest side of a block, or as little beyond as can be found
/// while `budget` blocks are looked at or change colour, for each symmetry. Stops
/// early where nothing is left to improve, or where the observer says stop.
/// O(sides + parts^2 + budget).
pub(crate) fn search(board: &Board, parts: usize, budget: u64, rng: &mut Rng, observer: &mut dyn Observer) -> Vec<u32> {
    let fits = |turns: &&usize| board.blocks().is_multiple_of(**turns) && parts.is_multiple_of(**turns);
    let mut best: Option<Search<'_>> = None;
    for &turns in TURNS.iter().filter(fits) {
        let mut search = Search::new(board, parts, turns, rng);
        let control = search.anneal(budget, rng, observer);
        if best.as_ref().is_none_or(|b| search.cost < b.cost) {
            best = Some(search);
        }
        if control == Control::Stop || best.as_ref().is_some_and(|b| b.cost == 0) {
            break;
        }
    }
    best.map_or(Vec::new(), |b| b.colors)
}

/// A colouring under change.
struct Search<'a> {
    board: &'a Board,
    parts: usize,
    turns: usize,
    colors: Vec<u32>,
    /// `[a * parts + b]`, a < b: pairs of tasks that parts a and b share.
    shared: Vec<u32>,
    /// What two parts may share at no cost.
    free: u32,
    /// Sum over pairs of parts of (what they share beyond `free`)^2.
    cost: u64,
}

impl<'a> Search<'a> {
    /// Begins at random, every part with equally many blocks.
    fn new(board: &'a Board, parts: usize, turns: usize, rng: &mut Rng) -> Self {
        let mut search =
            Search { board, parts, turns, colors: Vec::new(), shared: Vec::new(), free: board.longest_side(), cost: 0 };
        let (period, step) = (search.period(), search.step());
        let mut band: Vec<usize> = (0..period).map(|block| block % step).collect();
        rng.shuffle(&mut band);
        band.iter_mut().for_each(|color| *color += search.any_turn(rng));
        search.colors =
            (0..board.blocks()).map(|block| ((band[block % period] + block / period * step) % parts) as u32).collect();
        search.shared = vec![0; parts * parts];
        for block in 0..board.blocks() {
            for &(other, amount) in board.sides(block).iter().filter(|s| block < s.0 as usize) {
                search.share(search.colors[block], search.colors[other as usize], amount as i32);
            }
        }
        search
    }

    /// Blocks of a band.
    fn period(&self) -> usize {
        self.board.blocks() / self.turns
    }

    /// What the next band adds to every colour.
    fn step(&self) -> usize {
        self.parts / self.turns
    }

    fn any_turn(&self, rng: &mut Rng) -> usize {
        rng.below(self.turns as u64) as usize * self.step()
    }

    /// Exchanges the parts of a block that shares too much and a random one, each
    /// turned by any number of steps.
    fn anneal(&mut self, budget: u64, rng: &mut Rng, observer: &mut dyn Observer) -> Control {
        let unit = f64::from(self.free).powi(2) * self.turns as f64;
        let (mut spent, mut picks, mut heat) = (0, 0u64, 0.0);
        while spent < budget && self.cost > 0 {
            if picks % LOOK == 0 {
                if observer.event(Event::Progress(spent)) == Control::Stop {
                    return Control::Stop;
                }
                heat = unit * HOT * (COLD / HOT).powf(spent as f64 / budget as f64);
            }
            (picks, spent) = (picks + 1, spent + 1);
            let (x, y) = (rng.below(self.period() as u64) as usize, rng.below(self.period() as u64) as usize);
            if x == y || !self.shares_too_much(x) {
                continue;
            }
            spent += 2 * self.turns as u64;
            let before = self.cost;
            let (a, b) = (self.colors[x] as usize, self.colors[y] as usize);
            self.recolor(x, b + self.any_turn(rng));
            self.recolor(y, a + self.any_turn(rng));
            if self.cost > before && rng.unit() >= (-((self.cost - before) as f64) / heat).exp() {
                self.recolor(y, b);
                self.recolor(x, a);
            }
        }
        Control::Continue
    }

    fn shares_too_much(&self, block: usize) -> bool {
        let own = self.colors[block];
        let others = self.board.sides(block).iter().map(|side| self.colors[side.0 as usize]);
        others.into_iter().any(|other| other != own && self.shared[self.cell(own, other)] > self.free)
    }

    /// Gives a block of the first band, and those that repeat it, another colour.
    fn recolor(&mut self, block: usize, new: usize) {
        let (period, step) = (self.period(), self.step());
        for turn in 0..self.turns {
            let (block, new) = (block + turn * period, ((new + turn * step) % self.parts) as u32);
            let (board, old) = (self.board, self.colors[block]);
            for &(other, amount) in board.sides(block) {
                let other = self.colors[other as usize];
                self.share(old, other, -(amount as i32));
                self.share(new, other, amount as i32);
            }
            self.colors[block] = new;
        }
    }

    /// Parts a and b share `amount` more.
    fn share(&mut self, a: u32, b: u32, amount: i32) {
        if a != b {
            let cell = self.cell(a, b);
            let excess = |shared: u32| u64::from(shared.saturating_sub(self.free)).pow(2);
            let (before, after) = (self.shared[cell], self.shared[cell].wrapping_add_signed(amount));
            self.cost = self.cost + excess(after) - excess(before);
            self.shared[cell] = after;
        }
    }

    fn cell(&self, a: u32, b: u32) -> usize {
        a.min(b) as usize * self.parts + a.max(b) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::super::cut::Cut;
    use super::*;
    use crate::demand::Grid;
    use crate::event::Silent;

    fn board(sizes: [u32; 2], block: [u32; 2], bricks: bool) -> Board {
        let grid = Grid { sizes: sizes.to_vec(), wrap: true };
        let cut = Cut { block: block.to_vec(), bricks };
        Board::new(&grid, &cut.order(&grid, &[1, 1]).chunks(cut.size()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_kept_up_to_date_is_what_a_count_from_scratch_gives() {
        let board = board([16, 24], [2, 4], true);
        for turns in [1, 2, 4] {
            let mut rng = Rng::new(3, "search");
            let mut search = Search::new(&board, 12, turns, &mut rng);
            search.anneal(2000, &mut rng, &mut Silent);
            let mut shared = vec![0; 12 * 12];
            for block in 0..board.blocks() {
                for &(other, amount) in board.sides(block) {
                    let (a, b) = (search.colors[block] as usize, search.colors[other as usize] as usize);
                    shared[a * 12 + b] += if a < b { amount } else { 0 };
                }
            }
            assert_eq!(search.shared, shared, "{turns} turns");
            let cost: u64 = shared.iter().map(|&s| u64::from(s.saturating_sub(search.free)).pow(2)).sum();
            assert_eq!(search.cost, cost, "{turns} turns");
            assert!(cost > 0, "six neighbours of four blocks among eleven parts");
        }
    }

    #[test]
    fn scarce_colours_need_a_symmetry() {
        // 24 sides of four bricks each among 31 other parts.
        let board = board([32, 32], [2, 4], true);
        let colors = search(&board, 32, 400_000, &mut Rng::new(0, "search"), &mut Silent);
        assert!(board.is_perfect(&colors));
        let mut rng = Rng::new(0, "search");
        let mut plain = Search::new(&board, 32, 1, &mut rng);
        plain.anneal(400_000, &mut rng, &mut Silent);
        assert!(plain.cost > 0);
    }

    #[test]
    fn it_stops_when_told_with_all_blocks_coloured() {
        let board = board([16, 16], [2, 2], false);
        let colors = search(&board, 8, u64::MAX, &mut Rng::new(0, "search"), &mut |_: Event| Control::Stop);
        assert!((0..8).all(|part| colors.iter().filter(|&&c| c == part).count() == 8));
    }
}
