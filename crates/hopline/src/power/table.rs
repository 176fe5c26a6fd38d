//! Watts of classes from a file that a user keeps: CSV with a head.

use super::watts::{OF_CLASS, Watts};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_text};
use crate::params::{Params, Value};

/// The row of all classes without one of their own.
const REST: &str = "*";

/// Reads `class,on,idle,...` in any order, empty cells and columns that are left out being those of `rest`, which the row `*`
/// replaces. Returns that and the classes.
///
/// # Errors
/// The file cannot be read, has no column `class`, an unknown column or a value out of range.
pub(super) fn read(files: &dyn Files, path: &str, rest: Watts) -> Result<(Watts, Vec<(String, Watts)>)> {
    let text = read_text(files, path)?;
    let cells = |line: &str| line.split(',').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
    let mut rows = lines.map(|(n, line)| (Place::new(path, n as u32 + 1), cells(line)));
    let head = rows.next().map_or(Vec::new(), |r| r.1);
    if head.first().map(String::as_str) != Some("class") {
        return Err(Error::input("expected a head such as `class,on,idle,off,changing,wake,sleep,scaling`")
            .at(&Place::new(path, 1)));
    }
    let (mut rest, mut classes) = (rest, Vec::new());
    let mut rows: Vec<(Place, Vec<String>)> = rows.collect();
    // The row of the others is what all of them start from, wherever it stands.
    rows.sort_by_key(|(_, cells)| cells[0] != REST);
    for (place, cells) in rows {
        if cells.len() > head.len() {
            return Err(Error::input(format!("{} cells under a head of {}", cells.len(), head.len())).at(&place));
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
