//! How inputs reach the library: through a [`Files`] that the caller hands in.
//!
//! Nothing else in the library opens a file, so a test or a service can serve
//! every input from memory.

use crate::error::{Error, Place, Result};
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The most bytes of an input where nobody says otherwise: 8 GiB.
pub const MOST_BYTES: u64 = 8 << 30;

/// Where inputs are read from.
pub trait Files: Send + Sync {
    /// The whole content of a file.
    ///
    /// # Errors
    /// The file does not exist, cannot be read or is too large; the error names it.
    fn read(&self, path: &str) -> Result<Vec<u8>>;

    /// The names in a directory, sorted, or `None` where `path` is no directory.
    fn list(&self, path: &str) -> Option<Vec<String>>;

    /// What tells a fabric, in a form that the library reads: the text itself where that is one, or where nobody knows
    /// it. Who knows more forms, as the crate `hopline-formats` does, translates here.
    ///
    /// # Errors
    /// It is in a known form and damaged; the error names `path` with the line.
    fn fabric(&self, path: &str, text: String) -> Result<String> {
        let _ = path;
        Ok(text)
    }

    /// The most bytes that an input may have, as it is and unpacked.
    fn most_bytes(&self) -> u64 {
        MOST_BYTES
    }
}

/// The machine's own file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        read_regular(path, self.most_bytes())
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let mut names: Vec<String> =
            fs::read_dir(path).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }
}

/// A file of the machine with at most so many bytes. Devices and pipes are refused before they are opened: they may have
/// no end, or wait for somebody for ever.
///
/// # Errors
/// It does not exist, is no regular file, cannot be read, or is larger.
pub fn read_regular(path: &str, most: u64) -> Result<Vec<u8>> {
    let failed = |e: io::Error| Error::input(format!("{path}: {e}")).caused_by(e);
    let about = fs::metadata(path).map_err(failed)?;
    if !about.is_file() && !about.is_dir() {
        return Err(Error::input(format!("{path}: a device or a pipe, expected a regular file"))
            .hint("write what comes from it to a file"));
    }
    if about.len() > most {
        return Err(too_large(path, most));
    }
    read_at_most(path, fs::File::open(path).map_err(failed)?, most)
}

/// What can be read, if it ends within so many bytes.
///
/// # Errors
/// It cannot be read, or has more.
pub fn read_at_most(name: &str, from: impl Read, most: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = from.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| Error::input(format!("{name}: {e}")).caused_by(e))?;
    if bytes.len() as u64 > most { Err(too_large(name, most)) } else { Ok(bytes) }
}

/// An input that is larger than inputs may be: nobody knows whether it is damaged as well.
fn too_large(name: &str, most: u64) -> Error {
    Error::input(format!("{name}: too large: inputs may have {most} bytes, also once they are unpacked"))
        .hint("raise the limit of inputs")
}

/// Files in memory: paths to contents. Directories are the prefixes of paths.
///
/// ```
/// use hopline::{files::Memory, topology::CrayXc};
///
/// let files = Memory::default();
/// let missing = CrayXc::new("cables.txt", &files).unwrap_err();
/// assert_eq!(missing.to_string(), "cables.txt: no such file");
/// ```
#[derive(Debug, Clone, Default)]
pub struct Memory(pub BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        self.0.get(path).cloned().ok_or_else(|| Error::input(format!("{path}: no such file")))
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let prefix = format!("{}/", path.trim_end_matches('/'));
        let mut names: Vec<String> =
            self.0.keys().filter_map(|k| k.strip_prefix(&prefix)?.split('/').next().map(String::from)).collect();
        names.dedup();
        (!names.is_empty()).then_some(names)
    }
}

/// Bytes of memory that reading any input may take, and those for each byte of it.
const ROOM: usize = 64_000_000;
const ROOM_EACH: usize = 8;

/// Refuses an input of so many bytes whose `items` take `each` bytes of memory in a form that needs all of them at once: with
/// the text itself it is to be 64 MB and 8 bytes for each of its bytes at most. What people and tools write has fewer things to a byte.
///
/// # Errors
/// They would take more: it is too large.
pub fn check_room(path: &str, bytes: usize, items: usize, each: usize) -> Result<()> {
    if items.saturating_mul(each).saturating_add(bytes) <= bytes.saturating_mul(ROOM_EACH).saturating_add(ROOM) {
        return Ok(());
    }
    let message =
        format!("too large: {items} things in {bytes} bytes, which take more than {ROOM_EACH} times as much and 64 MB");
    Err(Error::input(message).at(&Place::new(path, 0)).hint("is it damaged? what tools write has fewer"))
}

/// Refuses TOML that takes more memory than inputs may; see [`check_room`]: each byte may be a piece of its own, so that there may
/// be one and a half million. O(1).
///
/// # Errors
/// It is longer.
pub fn check_toml(path: &str, text: &str) -> Result<()> {
    /// Bytes of memory of a piece, be it a line's end.
    const PIECE: usize = 50;
    check_room(path, text.len(), text.len(), PIECE)
}

/// Refuses JSON whose values take more memory than inputs may; see [`check_room`]. O(text).
///
/// # Errors
/// It has too many of them for its length.
pub fn check_values(path: &str, text: &str) -> Result<()> {
    /// Bytes of memory of a value, and how many of them an object takes.
    const VALUE: usize = 32;
    const OBJECT: usize = 10;
    let (mut values, mut inside, mut escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            // Words may hold whole files, with commas of their own.
            _ if inside => {}
            b',' | b'[' | b':' => values += 1,
            b'{' => values += OBJECT,
            _ => {}
        }
    }
    check_room(path, text.len(), values, VALUE)
}

/// The content of a file, unpacked where its first bytes say gzip or xz.
///
/// # Errors
/// The file cannot be read, its compression is damaged, it is larger than [`Files::most_bytes`], or the library was built
/// without the feature `compression`.
pub fn read_bytes(files: &dyn Files, path: &str) -> Result<Vec<u8>> {
    unpack(path, files.read(path)?, files.most_bytes())
}

/// What stood in a file, unpacked where its first bytes say gzip or xz.
///
/// # Errors
/// Its compression is damaged or another one, it has more than `most` bytes, or the library was built without the feature
/// `compression`.
pub fn unpack(path: &str, raw: Vec<u8>, most: u64) -> Result<Vec<u8>> {
    let others: [(&[u8], &str); 3] =
        [(b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh91AY&SY", "bzip2"), (b"\x04\x22\x4d\x18", "lz4")];
    if let Some((_, kind)) = others.iter().find(|(magic, _)| raw.starts_with(magic)) {
        return Err(Error::input(format!("{path}: a {kind} file, expected none, gzip or xz")).hint("unpack it first"));
    }
    if raw.starts_with(&[0x1f, 0x8b]) {
        unpacked(path, "gzip", &raw, most)
    } else if raw.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        unpacked(path, "xz", &raw, most)
    } else {
        Ok(raw)
    }
}

#[cfg(feature = "compression")]
fn unpacked(path: &str, kind: &str, raw: &[u8], most: u64) -> Result<Vec<u8>> {
    let mut from: Box<dyn Read + '_> = match kind {
        "gzip" => Box::new(flate2::read::MultiGzDecoder::new(raw)),
        _ => Box::new(lzma_rust2::XzReader::new(raw, true)),
    };
    let mut plain = Vec::new();
    let head = from.by_ref().take(HEAD.min(most)).read_to_end(&mut plain);
    // Some kilobytes may stand for gigabytes of zeros, with which nothing begins that is read.
    if plain.len() as u64 == HEAD && plain.iter().all(|byte| *byte == 0) {
        return Err(no_text(path));
    }
    let rest = most.saturating_add(1) - plain.len() as u64;
    match head.and_then(|_| from.take(rest).read_to_end(&mut plain)) {
        Ok(_) if plain.len() as u64 > most => Err(too_large(path, most)),
        Ok(_) => Ok(plain),
        Err(e) if e.kind() == io::ErrorKind::OutOfMemory => Err(too_large(path, plain.len() as u64).caused_by(e)),
        Err(e) => Err(Error::input(format!("{path}: damaged {kind} file: {e}"))
            .hint("copy the file again, it may be cut short")
            .caused_by(e)),
    }
}

#[cfg(not(feature = "compression"))]
fn unpacked(path: &str, kind: &str, _: &[u8], _: u64) -> Result<Vec<u8>> {
    Err(Error::input(format!("{path}: a {kind} file, and hopline was built without its feature `compression`"))
        .hint("unpack the file"))
}

/// The text of a file, as [`read_bytes`] unpacks it, without a byte order mark. Bytes that are not UTF-8
/// become U+FFFD, because node descriptions in real dumps hold anything.
///
/// # Errors
/// The file cannot be read, its compression is damaged, or it begins as no text does.
pub fn read_text(files: &dyn Files, path: &str) -> Result<String> {
    text_of(path, read_bytes(files, path)?)
}

/// Bytes as text, without the byte order mark that editors and spreadsheets put first; what is not UTF-8 becomes U+FFFD.
///
/// # Errors
/// There are zeros among the first.
pub(crate) fn text_of(path: &str, bytes: Vec<u8>) -> Result<String> {
    if bytes.iter().take(HEAD as usize).any(|byte| *byte == 0) {
        return Err(no_text(path));
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// So many bytes tell whether a file is a text.
const HEAD: u64 = 4096;

fn no_text(path: &str) -> Error {
    Error::input(format!("{path}: zero bytes among the first, expected text")).hint("save it as UTF-8, if it is UTF-16")
}

/// `dir/name`, whatever the directory's trailing slash.
pub fn join(dir: &str, name: &str) -> String {
    Path::new(dir).join(name).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file in memory that may have so many bytes.
    struct Small(&'static str, Vec<u8>, u64);

    impl Files for Small {
        fn read(&self, path: &str) -> Result<Vec<u8>> {
            assert_eq!(path, self.0);
            Ok(self.1.clone())
        }

        fn list(&self, _: &str) -> Option<Vec<String>> {
            None
        }

        fn most_bytes(&self) -> u64 {
            self.2
        }
    }

    #[test]
    #[cfg(feature = "compression")]
    fn what_unpacks_to_too_much_is_too_large_and_not_damaged() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write as _;
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&vec![b'0'; 1 << 20]).expect("packed");
        let packed = packed.finish().expect("packed");
        let text = |most: u64| read_text(&Small("m.csv.gz", packed.clone(), most), "m.csv.gz");
        assert_eq!(text(1 << 20).expect("all of it").len(), 1 << 20);
        let e = text((1 << 20) - 1).expect_err("too large").to_string();
        assert!(e.starts_with("m.csv.gz: too large: inputs may have 1048575 bytes"), "{e}");
    }

    #[test]
    fn what_is_no_text_is_told_by_its_first_bytes() {
        let text = |bytes: &[u8]| read_text(&Small("m", bytes.to_vec(), 1 << 20), "m").map_err(|e| e.to_string());
        assert_eq!(text(b"\xef\xbb\xbf0 1\n"), Ok("0 1\n".to_string()), "a byte order mark");
        assert_eq!(text(b"a\xffb"), Ok("a\u{fffd}b".to_string()));
        for no_text in [b"\xff\xfe0\0 \0", &[0; 9000][..]] {
            assert!(text(no_text).is_err_and(|e| e.starts_with("m: zero bytes among the first, expected text")));
        }
        assert!(
            text(b"\x28\xb5\x2f\xfd7")
                .is_err_and(|e| e == "m: a zstd file, expected none, gzip or xz; unpack it first")
        );
    }

    /// Nobody waits for all of it.
    #[test]
    #[cfg(feature = "compression")]
    fn gigabytes_of_zeros_are_no_text() {
        use flate2::{Compression, write::GzEncoder};
        use std::io::Write as _;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        (0..4).for_each(|_| packed.write_all(&vec![0; 1 << 20]).expect("packed"));
        let mut packed = packed.finish().expect("packed");
        // What follows is damaged, which is not seen.
        packed.truncate(packed.len() / 2);
        let e = read_bytes(&Small("z.gz", packed, MOST_BYTES), "z.gz").expect_err("zeros").to_string();
        assert!(e.starts_with("z.gz: zero bytes among the first, expected text"), "{e}");
    }

    #[test]
    fn what_takes_too_much_memory_is_too_large() {
        let told = |bytes, items, each| check_room("m", bytes, items, each).map_err(|e| e.to_string());
        assert_eq!(told(0, ROOM / 10, 10), Ok(()));
        assert_eq!(told(1000, (ROOM + 7000) / 10, 10), Ok(()), "the text itself is one of its eight");
        let said = "m: too large: 6400701 things in 1000 bytes, which take more than 8 times as much and 64 MB";
        assert!(told(1000, (ROOM + 7010) / 10, 10).is_err_and(|e| e.starts_with(said)));
        assert!(told(usize::MAX, usize::MAX, usize::MAX).is_ok(), "sums that overflow");
        assert_eq!(check_values("r.json", "{\"a\": [1, 2]}"), Ok(()));
        assert!(check_values("r.json", &"{".repeat(300_000)).is_err());
        let carried = format!("{{\"inputs\": \"\\\"{}\"}}", "0,".repeat(4_000_000));
        assert_eq!(check_values("r.json", &carried), Ok(()), "a matrix in a word");
        assert!(
            check_toml("s.toml", &"\n".repeat(1_000_000)).is_ok()
                && check_toml("s.toml", &"\n".repeat(2_000_000)).is_err()
        );
    }

    #[test]
    fn devices_are_no_inputs() {
        for device in ["/dev/zero", "/dev/null"] {
            let e = Disk.read(device).expect_err("a device").to_string();
            assert!(e.starts_with(&format!("{device}: a device or a pipe, expected a regular file")), "{e}");
        }
        let e = read_regular("Cargo.toml", 7).expect_err("too large").to_string();
        assert!(e.starts_with("Cargo.toml: too large"), "{e}");
        let own = read_regular("Cargo.toml", 1 << 20).expect("this package's");
        assert!(read_at_most("x", &own[..], own.len() as u64).is_ok_and(|read| read == own));
        assert!(read_at_most("x", &own[..], own.len() as u64 - 1).is_err());
    }
}
