//! NumPy `.npy` files, versions 1 and 2: one square array of little-endian
//! numbers, row = sender, in C or Fortran order.
//!
//! Source: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

use super::contents::{MAX_TASKS, Read};
use crate::demand::{Demand, Unit};
use crate::error::{Error, Place, Result};
use crate::format::words::{MAX_AMOUNT, quote};
use std::io::{self, Read as _};

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
    let mut rest = bytes;
    let read = Header::read(&mut rest).and_then(|header| header.square(rest, rest.len() as u64, usize::MAX));
    read.map_err(|e| e.at(&Place::new(path, 0)))
}

/// What an array says of itself; its numbers follow.
pub(super) struct Header {
    descr: String,
    fortran: bool,
    shape: String,
    /// Bytes up to the first number.
    #[cfg_attr(not(feature = "compression"), allow(dead_code))]
    pub(super) length: u64,
}

impl Header {
    /// Reads the header and leaves `input` at the first number.
    ///
    /// # Errors
    /// It is cut short, of another version, or lacks a key.
    pub(super) fn read(input: &mut impl io::Read) -> Result<Header> {
        let mut take = |bytes: u64| {
            let mut taken = Vec::new();
            // What cannot be read ends here as well: a header that is damaged is cut short.
            let _ = input.by_ref().take(bytes).read_to_end(&mut taken);
            taken
        };
        let (magic, version) = (take(MAGIC.len() as u64), take(2));
        if magic != MAGIC {
            return Err(wrong(&String::from_utf8_lossy(&magic), "a NumPy array"));
        }
        let digits = match *version.as_slice() {
            [1, _] => take(2),
            [2, _] => take(4),
            [major, minor] => return Err(wrong(&format!("{major}.{minor}"), "version 1 or 2 of the npy format")),
            _ => return Err(cut_short()),
        };
        let length = match *digits.as_slice() {
            [a, b] => u64::from(u16::from_le_bytes([a, b])),
            [a, b, c, d] => u64::from(u32::from_le_bytes([a, b, c, d])),
            _ => return Err(cut_short()),
        };
        let text = take(length);
        if text.len() as u64 != length {
            return Err(cut_short());
        }
        let header = String::from_utf8_lossy(&text);
        let descr = value(&header, "descr")?;
        let descr = descr.strip_prefix('\'').and_then(|rest| rest.split_once('\'')).map_or(descr, |(word, _)| word);
        let fortran = match value(&header, "fortran_order")? {
            text if text.starts_with("True") => true,
            text if text.starts_with("False") => false,
            text => return Err(wrong(text, "True or False for fortran_order")),
        };
        let shape = value(&header, "shape")?.to_string();
        let length = (MAGIC.len() + version.len() + digits.len()) as u64 + length;
        Ok(Header { descr: descr.to_string(), fortran, shape, length })
    }

    /// Reads a square matrix from the numbers, `length` bytes, row by row: beside
    /// the entries, of which at most `most` are taken, only a row is in memory.
    pub(super) fn square(&self, mut input: impl io::Read, length: u64, most: usize) -> Result<Read> {
        let (width, number) = number(&self.descr)?;
        let tasks = square(&self.shape)?;
        whole(length, u64::from(tasks) * u64::from(tasks) * width as u64)?;
        let mut entries = Vec::new();
        let mut line = vec![0; tasks as usize * width];
        for outer in 0..tasks {
            input.read_exact(&mut line).map_err(unreadable)?;
            for (inner, bytes) in (0..tasks).zip(line.chunks_exact(width)) {
                let (row, column) = if self.fortran { (inner, outer) } else { (outer, inner) };
                let amount = number(bytes);
                if !(0.0..=MAX_AMOUNT).contains(&amount) {
                    let message =
                        format!("row {row} column {column} (from 0) is {amount}, expected an amount from 0 to 1e30");
                    return Err(Error::input(message).hint("amounts are bytes"));
                }
                if amount > 0.0 {
                    if entries.len() >= most {
                        return Err(Error::input(format!("more than {most} pairs of tasks that send")));
                    }
                    entries.push((row, column, amount));
                }
            }
        }
        Ok(Read { demand: Demand::new(tasks, Unit::Bytes, entries, Vec::new())?, notes: Vec::new() })
    }

    /// Reads the numbers of an array of one to three dimensions, at most `most`, and its sizes; the last index is fastest.
    #[cfg(feature = "compression")]
    pub(super) fn numbers(&self, mut input: impl io::Read, length: u64, most: usize) -> Result<(Vec<usize>, Vec<f64>)> {
        let (width, number) = number(&self.descr)?;
        let sizes = self.sizes().filter(|sizes| (1..=3).contains(&sizes.len()));
        let count =
            |sizes: &[usize]| sizes.iter().try_fold(1usize, |all, &n| all.checked_mul(n)).filter(|&n| n <= most);
        let (sizes, count) = sizes
            .and_then(|sizes| Some((count(&sizes)?, sizes)))
            .map(|(count, sizes)| (sizes, count))
            .ok_or_else(|| wrong(&self.shape, &format!("the shape of an array of at most {most} numbers")))?;
        if self.fortran && sizes.iter().filter(|&&n| n > 1).count() > 1 {
            return Err(wrong("fortran_order", "an array with its rows one after the other"));
        }
        whole(length, count as u64 * width as u64)?;
        let mut numbers = Vec::new();
        let mut chunk = vec![0; width << 10];
        while numbers.len() < count {
            let next = (count - numbers.len()).min(1 << 10) * width;
            let part = chunk.get_mut(..next).unwrap_or_default();
            input.read_exact(part).map_err(unreadable)?;
            numbers.extend(part.chunks_exact(width).map(number));
        }
        Ok((sizes, numbers))
    }

    /// The sizes of the shape, such as `(4, 3)` or `(4,)`.
    #[cfg(feature = "compression")]
    fn sizes(&self) -> Option<Vec<usize>> {
        let (inside, _) = self.shape.strip_prefix('(')?.split_once(')')?;
        inside.trim().trim_end_matches(',').split(',').map(|n| n.trim().parse().ok()).collect()
    }

    /// Reads a word of ASCII, as in the array that names a sparse format.
    #[cfg(feature = "compression")]
    pub(super) fn word(&self, input: impl io::Read) -> Result<String> {
        let mut bytes = Vec::new();
        input.take(64).read_to_end(&mut bytes).map_err(unreadable)?;
        if !self.descr.contains(['S', 'U']) {
            return Err(wrong(&self.descr, "a word"));
        }
        bytes.retain(|&b| b != 0);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Refuses another number of bytes than the shape says.
fn whole(found: u64, expected: u64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::input(format!("{found} bytes of numbers, expected {expected}"))
        .hint("copy the file again, it may be cut short"))
}

fn unreadable(e: io::Error) -> Error {
    Error::input(format!("damaged: {e}")).hint("copy the file again, it may be cut short").caused_by(e)
}

fn wrong(found: &str, expected: &str) -> Error {
    // An error is one line, whatever the header holds.
    Error::input(format!("found {}, expected {expected}", quote(&found.replace(char::is_control, " "))))
        .hint("save it with numpy.save(file, a.astype('<f8')), a square array of numbers")
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
    Ok(match descr {
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
        _ => return Err(wrong(descr, "little-endian numbers: <f4 <f8 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8")),
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
