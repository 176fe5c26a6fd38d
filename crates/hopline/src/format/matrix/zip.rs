//! ZIP archives as NumPy writes them: members stored or deflated, below 4 GiB.
//!
//! Only the directory at the end of an archive is believed, and a member gives
//! no more bytes than it names there. Source: PKWARE's APPNOTE.TXT, 6.3.

use crate::error::{Error, Result};
use crate::format::words::quote;
use std::io::{self, Read};

/// A file in an archive.
pub(super) struct Member<'a> {
    pub(super) name: String,
    /// Bytes when unpacked.
    pub(super) size: u64,
    method: u16,
    crc: u32,
    packed: &'a [u8],
}

fn damaged(what: &str) -> Error {
    Error::input(format!("damaged archive: {what}")).hint("copy the file again, it may be cut short")
}

/// Two bytes, lowest first, somewhere in a record.
fn short(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at.checked_add(2)?)?.try_into().ok().map(u16::from_le_bytes)
}

/// Four bytes, lowest first.
fn long(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

/// The members of an archive, in its order. O(members + 64 KiB).
///
/// # Errors
/// Its directory is not there or leads outside, or a member is encrypted or
/// larger than 4 GiB.
pub(super) fn members(bytes: &[u8]) -> Result<Vec<Member<'_>>> {
    // The directory's end is the last of its kind; a comment of up to 64 KiB may follow.
    let tail = bytes.len().saturating_sub(22 + (1 << 16));
    let end = bytes.get(tail..).unwrap_or_default();
    let at = end.windows(4).rposition(|w| w == b"PK\x05\x06").ok_or_else(|| damaged("it has no directory"))?;
    let end = end.get(at..).unwrap_or_default();
    let (count, start) = short(end, 10).zip(long(end, 16)).ok_or_else(|| damaged("its directory is cut short"))?;
    let mut at = start as usize;
    let mut members = Vec::new();
    for _ in 0..count {
        let (member, next) = member(bytes, at).ok_or_else(|| damaged("its directory leads nowhere"))??;
        members.push(member);
        at = next;
    }
    Ok(members)
}

/// The member whose entry in the directory stands there, and where the next one does.
fn member(bytes: &[u8], at: usize) -> Option<Result<(Member<'_>, usize)>> {
    let entry = bytes.get(at..)?;
    if !entry.starts_with(b"PK\x01\x02") {
        return None;
    }
    let (flags, method, crc) = (short(entry, 8)?, short(entry, 10)?, long(entry, 16)?);
    let (packed, size, local) = (long(entry, 20)?, long(entry, 24)?, long(entry, 42)?);
    let [name, extra, comment] = [short(entry, 28)?, short(entry, 30)?, short(entry, 32)?].map(usize::from);
    let next = at + 46 + name + extra + comment;
    let name = String::from_utf8_lossy(entry.get(46..46 + name)?).into_owned();
    if flags & 1 == 1 {
        return Some(Err(Error::input(format!("{} is encrypted", quote(&name)))));
    }
    if [packed, size, local].contains(&u32::MAX) {
        let hint = "save it with numpy.save, or as a sparse matrix with scipy.sparse.save_npz";
        return Some(Err(Error::input(format!("{} is larger than 4 GiB", quote(&name))).hint(hint)));
    }
    let local = bytes.get(local as usize..)?;
    if !local.starts_with(b"PK\x03\x04") {
        return None;
    }
    let data = 30 + usize::from(short(local, 26)?) + usize::from(short(local, 28)?);
    let packed = local.get(data..data.checked_add(packed as usize)?)?;
    Some(Ok((Member { name, size: size.into(), method, crc, packed }, next)))
}

impl<'a> Member<'a> {
    /// Its bytes, unpacked as they are read: never more than it names, and an
    /// error at their end where they are others than were packed.
    ///
    /// # Errors
    /// It is packed in another way than deflated.
    pub(super) fn open(&self) -> Result<Checked<'a>> {
        let inner: Box<dyn Read + 'a> = match self.method {
            0 => Box::new(self.packed),
            8 => Box::new(flate2::read::DeflateDecoder::new(self.packed)),
            other => {
                let message = format!("{} is packed by method {other}, expected stored or deflated", quote(&self.name));
                return Err(Error::input(message).hint("numpy.savez and numpy.savez_compressed write such files"));
            }
        };
        Ok(Checked { inner: inner.take(self.size), crc: flate2::Crc::new(), expected: self.crc })
    }
}

/// Bytes of a member, with their checksum.
pub(super) struct Checked<'a> {
    inner: io::Take<Box<dyn Read + 'a>>,
    crc: flate2::Crc,
    expected: u32,
}

impl Read for Checked<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.crc.update(into.get(..read).unwrap_or_default());
        if self.inner.limit() == 0 && self.crc.sum() != self.expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "wrong checksum"));
        }
        Ok(read)
    }
}
