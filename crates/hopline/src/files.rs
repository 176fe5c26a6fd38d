//! How inputs reach the library: through a [`Files`] that the caller hands in.
//!
//! Nothing else in the library opens a file, so a test or a service can serve
//! every input from memory.

use crate::error::{Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// Where inputs are read from.
pub trait Files: Send + Sync {
    /// The whole content of a file.
    ///
    /// # Errors
    /// The file does not exist or cannot be read; the error names it.
    fn read(&self, path: &str) -> Result<Vec<u8>>;

    /// The names in a directory, sorted, or `None` where `path` is no directory.
    fn list(&self, path: &str) -> Option<Vec<String>>;
}

/// The machine's own file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        std::fs::read(path).map_err(|e| Error::input(format!("{path}: {e}")).caused_by(e))
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        let mut names: Vec<String> =
            std::fs::read_dir(path).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Some(names)
    }
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

/// The content of a file, unpacked where its first bytes say gzip or xz.
///
/// # Errors
/// The file cannot be read, its compression is damaged, or the library was built without the feature `compression`.
pub fn read_bytes(files: &dyn Files, path: &str) -> Result<Vec<u8>> {
    let raw = files.read(path)?;
    if raw.starts_with(&[0x1f, 0x8b]) {
        unpacked(path, "gzip", &raw)
    } else if raw.starts_with(&[0xfd, b'7', b'z', b'X', b'Z', 0]) {
        unpacked(path, "xz", &raw)
    } else {
        Ok(raw)
    }
}

#[cfg(feature = "compression")]
fn unpacked(path: &str, kind: &str, raw: &[u8]) -> Result<Vec<u8>> {
    use std::io::Read as _;
    let mut plain = Vec::new();
    let read = match kind {
        "gzip" => flate2::read::MultiGzDecoder::new(raw).read_to_end(&mut plain),
        _ => lzma_rust2::XzReader::new(raw, true).read_to_end(&mut plain),
    };
    match read {
        Ok(_) => Ok(plain),
        Err(e) => Err(Error::input(format!("{path}: damaged {kind} file: {e}"))
            .hint("copy the file again, it may be cut short")
            .caused_by(e)),
    }
}

#[cfg(not(feature = "compression"))]
fn unpacked(path: &str, kind: &str, _: &[u8]) -> Result<Vec<u8>> {
    Err(Error::input(format!("{path}: a {kind} file, and hopline was built without its feature `compression`"))
        .hint("unpack the file"))
}

/// The text of a file, as [`read_bytes`] unpacks it. Bytes that are not UTF-8
/// become U+FFFD, because node descriptions in real dumps hold anything.
///
/// # Errors
/// The file cannot be read or its compression is damaged.
pub fn read_text(files: &dyn Files, path: &str) -> Result<String> {
    Ok(text_of(read_bytes(files, path)?))
}

/// Bytes as text; what is not UTF-8 becomes U+FFFD.
pub(crate) fn text_of(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    }
}

/// `dir/name`, whatever the directory's trailing slash.
pub fn join(dir: &str, name: &str) -> String {
    Path::new(dir).join(name).to_string_lossy().into_owned()
}
