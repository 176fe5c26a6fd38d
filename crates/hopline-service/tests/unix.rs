//! A server on a Unix socket: its file, and who may ask.

mod common;

use common::{PATIENCE, Scratch, all, root};
use hopline_service::address::Address;
use hopline_service::client::Client;
use hopline_service::limits::Access;
use hopline_service::server::{Options, Server};
use hopline_service::store::Source;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;

fn serve(path: &Path, access: Access) -> Result<Server, String> {
    let options = Options { listen: vec![Address::Unix(path.into())], access, ..Options::loopback(0) };
    let source = Source::open(&root().join("testdata/fabrics/rack64")).expect("dumps");
    Server::start(source, options, Arc::new(|_: &str| ())).map_err(|e| e.to_string())
}

fn ask(path: &Path, request: &str) -> String {
    let mut stream = UnixStream::connect(path).expect("connected");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(request.as_bytes()).expect("sent");
    stream.shutdown(std::net::Shutdown::Write).expect("half closed");
    all(stream)
}

#[test]
fn a_socket_answers_as_a_port_does_and_leaves_no_file() {
    let scratch = Scratch::new("unix");
    let path = scratch.0.join("routes");
    // What a server has left that was killed: nobody listens.
    drop(UnixListener::bind(&path).expect("a socket"));
    let server = serve(&path, Access { socket_mode: 0o640, ..Access::default() }).expect("the old file gives way");
    let found = fs::symlink_metadata(&path).expect("a file");
    assert!(found.file_type().is_socket() && found.mode() & 0o777 == 0o640, "{:o}", found.mode());
    let name = format!("unix:{}", path.display());
    assert_eq!(server.addresses()[0].to_string(), name);
    let mut client = Client::connect(&name, PATIENCE).expect("a server");
    assert_eq!(client.hops(&["node001", "node036"]).expect("hops"), [[Some(0), Some(2)], [Some(2), Some(0)]]);
    let page = ask(&path, "GET /query?from=node001&to=node036 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 200 OK") && page.contains("0x0002c90200410010"), "{page}");
    let twice = serve(&path, Access::default()).err().expect("one is enough");
    assert!(twice.contains("a server listens there already"), "{twice}");
    drop(server);
    assert!(!path.exists());
    let gone = Client::connect(&name, PATIENCE).err().expect("nobody").to_string();
    assert!(gone.contains(&name) && gone.contains("hopline fabric serve"), "{gone}");
}

#[test]
fn what_is_no_stale_socket_stays() {
    let scratch = Scratch::new("unix-taken");
    let (path, other) = (scratch.0.join("routes"), scratch.0.join("other"));
    fs::write(&path, "mine").expect("a file");
    let refused = serve(&path, Access::default()).err().expect("a file is there");
    assert!(refused.contains("a file, link or folder of that name is there"), "{refused}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "mine");
    fs::remove_file(&path).expect("a file");
    // Neither through a link to nothing, nor through one to a stale socket.
    symlink(&other, &path).expect("a link");
    assert!(serve(&path, Access::default()).is_err() && !other.exists());
    drop(UnixListener::bind(&other).expect("a socket"));
    assert!(serve(&path, Access::default()).is_err() && other.exists());
    let long = scratch.0.join("x".repeat(120));
    assert!(serve(&long, Access::default()).err().expect("no such socket").contains(&"x".repeat(120)));
    // Where everybody may write, anybody could put a socket in the place of ours.
    let open = scratch.0.join("open");
    fs::create_dir(&open).and_then(|()| fs::set_permissions(&open, Permissions::from_mode(0o777))).expect("a folder");
    let refused = serve(&open.join("routes"), Access::default()).err().expect("an open folder");
    assert!(refused.contains("everybody may write there") && refused.contains("chmod o-w"), "{refused}");
    fs::set_permissions(&open, Permissions::from_mode(0o1777)).expect("a folder like /tmp");
    assert!(serve(&open.join("routes"), Access::default()).is_ok());
}

#[test]
fn a_socket_of_another_server_is_not_removed() {
    let scratch = Scratch::new("unix-other");
    let path = scratch.0.join("routes");
    let server = serve(&path, Access::default()).expect("a server");
    fs::rename(&path, scratch.0.join("away")).expect("renamed");
    let second = serve(&path, Access::default()).expect("another server");
    drop(server);
    assert!(ask(&path, "generation\n").starts_with("generation 0 "));
    drop(second);
    assert!(!path.exists());
}

#[test]
fn users_are_told_apart() {
    let scratch = Scratch::new("unix-users");
    let path = scratch.0.join("routes");
    let own = fs::metadata(&scratch.0).expect("a folder");
    let (user, group) = (own.uid(), own.gid());
    let only =
        |users: &[u32], groups: &[u32]| Access { users: users.into(), groups: groups.into(), ..Access::default() };
    for (access, good) in [
        (only(&[user], &[]), true),
        (only(&[], &[group]), true),
        (only(&[user + 1], &[group]), true),
        (only(&[user + 1], &[]), false),
        (only(&[], &[group + 1]), false),
    ] {
        let server = serve(&path, access.clone()).expect("a server");
        let said = ask(&path, "generation\n");
        let refused = format!("error user {user} may not ask here; the administrator says who may\n");
        assert!(if good { said.starts_with("generation 0") } else { said == refused }, "{access:?}: {said}");
        if !good {
            let page = ask(&path, "GET /groups HTTP/1.1\r\n\r\n");
            assert!(page.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{page}");
        }
        drop(server);
    }
}
