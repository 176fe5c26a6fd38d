//! NumPy `.npy` files, versions 1 and 2: one square array of little-endian
//! numbers, row = sender, in C or Fortran order.
//!
//! Source: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use super::contents::{MAX_TASKS, Read};
use crate::demand::{Demand, Unit};
use crate::error::{Error, Place, Result};
use crate::format::words::{MAX_AMOUNT, quote};

const MAGIC: &[u8] = b"\x93NUMPY";

/// True where bytes are in this format, whatever they then hold.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a matrix: O(bytes). Errors name the row and column, as there are no lines.
///
/// # Errors
/// Another version, kind of number or shape, a file that is cut short or too
/// long, or a number that is no amount.
pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Read> {
    read(bytes).map_err(|e| e.at(&Place::new(path, 0)))
}

fn read(bytes: &[u8]) -> Result<Read> {
    let (header, data) = split(bytes)?;
    let header = String::from_utf8_lossy(header);
    let (width, number) = number(value(&header, "descr")?)?;
    let fortran = match value(&header, "fortran_order")? {
        text if text.starts_with("True") => true,
        text if text.starts_with("False") => false,
        text => return Err(wrong(text, "True or False for fortran_order")),
    };
    let tasks = square(value(&header, "shape")?)?;
    let expected = u64::from(tasks) * u64::from(tasks) * width as u64;
    if data.len() as u64 != expected {
        return Err(Error::input(format!("{} bytes of numbers, expected {expected}", data.len()))
            .hint("copy the file again, it may be cut short"));
    }
    let mut entries = Vec::new();
    let places = (0..tasks).flat_map(|a| (0..tasks).map(move |b| if fortran { (b, a) } else { (a, b) }));
    for ((row, column), bytes) in places.zip(data.chunks_exact(width)) {
        let amount = number(bytes);
        if !(0.0..=MAX_AMOUNT).contains(&amount) {
            let message = format!("row {row} column {column} (from 0) is {amount}, expected an amount from 0 to 1e30");
            return Err(Error::input(message).hint("amounts are bytes"));
        }
        if amount > 0.0 {
            entries.push((row, column, amount));
        }
    }
    Ok(Read { demand: Demand::new(tasks, Unit::Bytes, entries, Vec::new())?, notes: Vec::new() })
}

fn wrong(found: &str, expected: &str) -> Error {
    // An error is one line, whatever the header holds.
    Error::input(format!("found {}, expected {expected}", quote(&found.replace(char::is_control, " "))))
        .hint("save it with numpy.save(file, a.astype('<f8')), a square array of numbers")
}

/// The header, a Python dictionary as text, and the numbers.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8])> {
    let rest = bytes.get(MAGIC.len()..).unwrap_or_default();
    let (length, rest) = match *rest {
        [1, _, a, b, ref rest @ ..] => (usize::from(u16::from_le_bytes([a, b])), rest),
        [2, _, a, b, c, d, ref rest @ ..] => (u32::from_le_bytes([a, b, c, d]) as usize, rest),
        [major, minor, ..] if !(1..=2).contains(&major) => {
            return Err(wrong(&format!("{major}.{minor}"), "version 1 or 2 of the npy format"));
        }
        _ => return Err(cut_short()),
    };
    rest.split_at_checked(length).ok_or_else(cut_short)
}

fn cut_short() -> Error {
    Error::input("the header is cut short").hint("copy the file again")
}

/// What stands after `'key':`.
fn value<'a>(header: &'a str, key: &str) -> Result<&'a str> {
    let after = header.split_once(&format!("'{key}'")).map(|(_, rest)| rest.trim_start());
    after
        .and_then(|rest| rest.strip_prefix(':'))
        .map(str::trim)
        .ok_or_else(|| wrong(header.trim(), &format!("`{key}`")))
}

/// Bytes of a number and how to read it.
type Number = (usize, fn(&[u8]) -> f64);

fn number(descr: &str) -> Result<Number> {
    macro_rules! reader {
        ($type:ty) => {
            // The length is right by construction; 0 is never seen.
            (size_of::<$type>(), |bytes| bytes.try_into().map_or(0.0, |b| <$type>::from_le_bytes(b) as f64))
        };
    }
    let quoted = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map_or(descr, |(word, _)| word);
    Ok(match quoted {
        "<f4" => reader!(f32),
        "<f8" => reader!(f64),
        "|i1" => reader!(i8),
        "<i2" => reader!(i16),
        "<i4" => reader!(i32),
        "<i8" => reader!(i64),
        "|u1" => reader!(u8),
        "<u2" => reader!(u16),
        "<u4" => reader!(u32),
        "<u8" => reader!(u64),
        _ => return Err(wrong(quoted, "little-endian numbers: <f4 <f8 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8")),
    })
}

/// N of the shape `(N, N)`.
fn square(shape: &str) -> Result<u32> {
    let inside = shape.strip_prefix('(').and_then(|rest| rest.split_once(')')).map(|(inside, _)| inside);
    let sizes: Option<Vec<u32>> = inside.unwrap_or_default().split(',').map(|n| n.trim().parse().ok()).collect();
    match sizes.as_deref() {
        Some(&[rows, columns]) if rows == columns && (1..=MAX_TASKS).contains(&rows) => Ok(rows),
        _ => {
            let found = inside.map_or(shape.to_string(), |inside| format!("({inside})"));
            Err(wrong(&found, &format!("the shape of a square matrix of 1 to {MAX_TASKS} tasks")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, header: &str, data: &[u8]) -> Vec<u8> {
        let length = header.len() as u32;
        let length = length.to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length[..] };
        [MAGIC, &[version, 0], length, header.as_bytes(), data].concat()
    }

    fn array(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
        file(1, &format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}   \n"), data)
    }

    /// What `numpy.save` of NumPy 2.4 writes for `np.array([[0, 1.5], [2, 0]])`, in hexadecimal.
    const SAVED: &str = "934e554d5059010076007b276465736372273a20273c6638272c2027666f727472616e5f6f72646572273a2046616c73652c\
        20277368617065273a2028322c2032292c207d";

    #[test]
    fn a_file_of_numpy_is_read() {
        let hex = |i: usize| u8::from_str_radix(&SAVED[i..i + 2], 16).expect("hex");
        let mut bytes: Vec<u8> = (0..SAVED.len()).step_by(2).map(hex).collect();
        bytes.resize(127, b' ');
        bytes.push(b'\n');
        bytes.extend([0.0, 1.5, 2.0, 0.0].iter().flat_map(|x: &f64| x.to_le_bytes()));
        assert_eq!(parse("m", &bytes).expect("npy").demand.entries(), [(0, 1, 1.5), (1, 0, 2.0)]);
    }

    #[test]
    fn every_number_order_and_version_is_read() {
        macro_rules! check {
            ($($descr:literal $type:ty),*) => {$(
                let data: Vec<u8> = [0, 7, 3, 1].iter().flat_map(|&x| (x as $type).to_le_bytes()).collect();
                let c = parse("m", &array($descr, "False", "(2, 2)", &data)).expect($descr);
                assert_eq!(c.demand.entries(), [(0, 1, 7.0), (1, 0, 3.0), (1, 1, 1.0)], $descr);
                let fortran = parse("m", &array($descr, "True", "(2,2)", &data)).expect($descr);
                assert_eq!(fortran.demand.entries(), [(0, 1, 3.0), (1, 0, 7.0), (1, 1, 1.0)], $descr);
            )*};
        }
        check!("'<f4'" f32, "'<f8'" f64, "'|i1'" i8, "'<i2'" i16, "'<i4'" i32, "'<i8'" i64, "'|u1'" u8,
            "'<u2'" u16, "'<u4'" u32, "'<u8'" u64);
        let second = file(2, "{'shape': (1, 1), 'fortran_order': False, 'descr': '<u2'}", &[0, 1]);
        assert_eq!(parse("m", &second).expect("version 2").demand.entries(), [(0, 0, 256.0)]);
    }

    #[test]
    fn other_files_are_refused() {
        let save = "save it with numpy.save(file, a.astype('<f8')), a square array of numbers";
        let kinds = "expected little-endian numbers: <f4 <f8 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8";
        let shape = "expected the shape of a square matrix of 1 to 4194304 tasks";
        let one = |descr: &str, shape: &str, data: &[u8]| array(descr, "False", shape, data);
        for (bytes, error) in [
            (one("'>f8'", "(1, 1)", &[0; 8]), format!("found `>f8`, {kinds}; {save}")),
            (one("'|b1'", "(1, 1)", &[0]), format!("found `|b1`, {kinds}; {save}")),
            (one("'|u1'", "(1, 2)", &[0; 2]), format!("found `(1, 2)`, {shape}; {save}")),
            (one("'|u1'", "(4,)", &[0; 4]), format!("found `(4,)`, {shape}; {save}")),
            (one("'|u1'", "(0, 0)", &[]), format!("found `(0, 0)`, {shape}; {save}")),
            (one("'|u1'", "(9999999, 9999999)", &[]), format!("found `(9999999, 9999999)`, {shape}; {save}")),
            (
                one("'|u1'", "(2, 2)", &[0; 3]),
                "3 bytes of numbers, expected 4; copy the file again, it may be cut short".into(),
            ),
            (
                one("'|i1'", "(1, 1)", &[255]),
                "row 0 column 0 (from 0) is -1, expected an amount from 0 to 1e30; amounts are bytes".into(),
            ),
            (
                one("'<f4'", "(1, 1)", &f32::NAN.to_le_bytes()),
                "row 0 column 0 (from 0) is NaN, expected an amount from 0 to 1e30; amounts are bytes".into(),
            ),
            (
                array("'|u1'", "Maybe", "(1, 1)", &[0]),
                format!("found `Maybe, 'shape': (1, 1), }}`, expected True or False for fortran_order; {save}"),
            ),
            (file(1, "{}", &[]), format!("found `{{}}`, expected `descr`; {save}")),
            (file(3, "{}", &[]), format!("found `3.0`, expected version 1 or 2 of the npy format; {save}")),
            (MAGIC.to_vec(), "the header is cut short; copy the file again".into()),
            ([MAGIC, &[1, 0, 9, 9]].concat(), "the header is cut short; copy the file again".into()),
            ([MAGIC, &[2, 0, 255, 255, 255, 255]].concat(), "the header is cut short; copy the file again".into()),
        ] {
            assert_eq!(parse("m.npy", &bytes).expect_err(&error).to_string(), format!("m.npy: {error}"));
        }
    }
}
