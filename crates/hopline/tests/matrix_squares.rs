//! Every small square of numbers, with some cells left empty: whatever its form, it is read as
//! what was written, or refused.

use hopline::demand::Demand;
use hopline::format::matrix;

/// Amounts by row; `None` is an empty cell.
type Square = Vec<Vec<Option<u8>>>;

/// All squares of these cells.
fn squares(size: usize, cells: &[Option<u8>]) -> impl Iterator<Item = Square> {
    (0..cells.len().pow((size * size) as u32)).map(move |number| {
        let mut rest = number;
        let mut cell = || {
            let at = rest % cells.len();
            rest /= cells.len();
            cells[at]
        };
        (0..size).map(|_| (0..size).map(|_| cell()).collect()).collect()
    })
}

fn word(cell: Option<u8>) -> String {
    cell.map(|n| n.to_string()).unwrap_or_default()
}

fn entries(square: &[Vec<Option<u8>>]) -> Vec<(u32, u32, f64)> {
    let cells = square.iter().zip(0..).flat_map(|(row, r)| row.iter().zip(0..).map(move |(cell, c)| (r, c, *cell)));
    cells.filter_map(|(r, c, cell)| Some((r, c, f64::from(cell.filter(|&n| n > 0)?)))).collect()
}

/// What is read, or `None` where it is refused in a line that says what to do.
fn read(text: &str) -> Option<Demand> {
    match matrix::parse("m", text) {
        Ok(read) => Some(read.demand),
        Err(e) => {
            let line = e.to_string();
            assert!(line.starts_with("m:") && line.contains("; ") && !line.contains('\n'), "{text:?}: {line}");
            None
        }
    }
}

fn plain(square: &[Vec<Option<u8>>], separator: &str, end: &str) -> String {
    let row = |row: &Vec<Option<u8>>| row.iter().map(|cell| word(*cell)).collect::<Vec<_>>().join(separator);
    square.iter().map(|r| row(r) + end + "\n").collect()
}

/// As pandas writes a frame: ranks from `first` in the head and the first column.
fn frame(square: &[Vec<Option<u8>>], separator: &str, first: usize) -> String {
    let head = (0..square.len()).map(|rank| format!("{separator}{}", rank + first)).collect::<String>() + "\n";
    let row = |(row, rank): (&Vec<Option<u8>>, usize)| {
        let amounts =
            row.iter().map(|cell| format!("{separator}{}", cell.map(|n| format!("{n}.0")).unwrap_or_default()));
        format!("{}{}\n", rank + first, amounts.collect::<String>())
    };
    head + &square.iter().zip(0..).map(row).collect::<String>()
}

/// The frame that a square is, where it is one: its first row and column count alike.
fn inside(square: &[Vec<Option<u8>>]) -> Option<Square> {
    let counts = |from: u8| {
        let is_rank = |k: usize, cell: Option<u8>| cell == Some(from + k as u8);
        (0..square.len() - 1).all(|k| is_rank(k, square[0][k + 1]) && is_rank(k, square[k + 1][0]))
    };
    let is_frame = square[0][0].is_none() && (counts(0) || counts(1));
    is_frame.then(|| square[1..].iter().map(|row| row[1..].to_vec()).collect())
}

#[test]
fn squares_are_read_as_they_were_written_or_refused() {
    let cells = [None, Some(0), Some(1), Some(2)];
    let (mut same, mut refused) = (0, 0);
    // Forms beside the usual one with less numbers: what they are is told in one place for all.
    for (separator, end, numbers) in [(",", "", 4), (",", ",", 3), ("\t", "", 3), (";", "", 3)] {
        for square in squares(2, &cells).chain(squares(3, &cells[..numbers])) {
            let text = plain(&square, separator, end);
            let Some(demand) = read(&text) else {
                refused += 1;
                continue;
            };
            // A frame of ranks is the same text as a square: then it is a frame.
            let meant = inside(&square).unwrap_or(square);
            assert_eq!(demand.entries(), entries(&meant), "{text:?}");
            assert_eq!(demand.tasks() as usize, meant.len(), "{text:?}");
            same += 1;
        }
    }
    assert!(same > 15 * refused, "{same} read, {refused} refused");
}

#[test]
fn frames_are_read_whatever_is_empty() {
    let cells = [None, Some(0), Some(1), Some(2)];
    for square in squares(2, &cells).chain(squares(3, &[None, Some(1), Some(2)])) {
        for (separator, first) in [(",", 0), (",", 1), ("\t", 0), (";", 0)] {
            let text = frame(&square, separator, first);
            let demand = read(&text).expect(&text);
            assert_eq!((demand.tasks() as usize, demand.entries()), (square.len(), &entries(&square)[..]), "{text:?}");
        }
    }
}
