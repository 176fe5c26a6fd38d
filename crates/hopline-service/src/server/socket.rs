//! A Unix socket's file: made with its mode before anybody can connect, removed at the end.

use crate::owner;
use hopline::error::{Error, Result};
use mio::net::{UnixListener, UnixStream};
use rustix::fs::{FlockOperation, flock};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A socket that is listened at; dropping it removes the file.
pub(super) struct Socket {
    listener: UnixListener,
    path: PathBuf,
    /// Device and number of the file, by which it is known again.
    file: (u64, u64),
}

impl Socket {
    /// Makes the file with that mode and listens. What a server has left that was killed gives way.
    ///
    /// # Errors
    /// Somebody listens there, something else stands there, or the folder is not to be trusted.
    pub(super) fn open(path: &Path, mode: u32) -> Result<Socket> {
        let cannot = |e: io::Error| Error::input(format!("cannot listen on {}: {e}", path.display()));
        let folder = hopline_disk::folder_of(path);
        owner::folder(folder)?;
        // Of two servers that start at once, one waits until the other listens.
        let lock = File::open(folder).map_err(cannot)?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|e| cannot(e.into()))?;
        make_room(path)?;
        let address = SocketAddrUnix::new(path).map_err(|e| cannot(e.into()))?;
        let made = || {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
            // Nothing is written through a link: where a name is taken, whatever by, there is no binding.
            bind(&socket, &address)?;
            fs::set_permissions(path, Permissions::from_mode(mode))?;
            let found = fs::symlink_metadata(path)?;
            listen(&socket, i32::MAX)?;
            let listener = UnixListener::from_std(socket.into());
            Ok(Socket { listener, path: path.into(), file: (found.dev(), found.ino()) })
        };
        made().map_err(cannot)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn listener(&mut self) -> &mut UnixListener {
        &mut self.listener
    }

    pub(super) fn accept(&self) -> io::Result<UnixStream> {
        self.listener.accept().map(|(stream, _)| stream)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Another server's file stays.
        if fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a socket at which nobody listens.
fn make_room(path: &Path) -> Result<()> {
    let refuse = |why: String| Err(Error::input(format!("cannot listen on {}: {why}", path.display())));
    let found = match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return refuse(e.to_string()),
        Ok(found) => found,
    };
    if !found.file_type().is_socket() {
        return refuse("a file, link or folder of that name is there".into());
    }
    match std::os::unix::net::UnixStream::connect(path) {
        Err(e) if e.kind() == ErrorKind::ConnectionRefused => fs::remove_file(path).or_else(|e| refuse(e.to_string())),
        Err(e) => refuse(e.to_string()),
        Ok(_) => refuse("a server listens there already".into()),
    }
}
