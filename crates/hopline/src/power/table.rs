//! Watts of classes from a file that a user keeps: CSV with a head.

use super::watts::{OF_CLASS, Watts};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_text};
use crate::params::{Params, Value};

/// The row of all classes without one of their own.
const REST: &str = "*";

/// More than there are keys: one of them is unknown.
const MAX_COLUMNS: usize = 64;

/// More than any machine has.
const MAX_CLASSES: usize = 1 << 16;

/// Reads `class,on,idle,...` in any order, empty cells and columns that are left out being those of `rest`, which the row `*`
/// replaces. Returns that and the classes.
///
/// # Errors
/// The file cannot be read, has no column `class`, an unknown column, a value out of range, or more than 65,536 classes.
pub(super) fn read(files: &dyn Files, path: &str, rest: Watts) -> Result<(Watts, Vec<(String, Watts)>)> {
    let text = read_text(files, path)?;
    let cells =
        |line: &str, most: usize| line.split(',').take(most).map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let mut rows = lines.map(|(n, line)| (n as u32 + 1, line));
    let head = rows.next().map_or(Vec::new(), |(_, line)| cells(line, MAX_COLUMNS));
    if head.first().map(String::as_str) != Some("class") {
        return Err(Error::input("expected a head such as `class,on,idle,off,changing,wake,sleep,scaling`")
            .at(&Place::new(path, 1)));
    }
    let is_rest = |(_, line): &(u32, &str)| line.split(',').next().is_some_and(|first| first.trim() == REST);
    let (mut rest, mut classes) = (rest, Vec::new());
    // The row of the others is what all of them start from, wherever it stands.
    for (number, line) in rows.clone().filter(is_rest).chain(rows.filter(|row| !is_rest(row))) {
        let (place, cells) = (Place::new(path, number), cells(line, head.len() + 1));
        if cells.len() > head.len() {
            let found = line.split(',').count();
            return Err(Error::input(format!("{found} cells under a head of {}", head.len())).at(&place));
        }
        if classes.len() == MAX_CLASSES {
            return Err(Error::input(format!("more than {MAX_CLASSES} classes of links")).at(&place));
        }
        let mut params = Params::new(&cells[0], place.clone());
        for (key, cell) in head.iter().zip(&cells).skip(1).filter(|(_, cell)| !cell.is_empty()) {
            let value = cell.parse().map_or_else(|_| Value::Text(cell.clone()), Value::Float);
            params.push(key, value, place.clone())?;
        }
        let own = Watts::read(&params.check(&OF_CLASS)?, rest)?;
        match cells[0].as_str() {
            REST => rest = own,
            class => classes.push((class.to_string(), own)),
        }
    }
    Ok((rest, classes))
}
