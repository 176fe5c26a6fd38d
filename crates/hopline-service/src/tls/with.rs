//! TLS by rustls: certificates from PEM files, and connections that block no event loop.

use crate::owner;
use hopline::error::{Error, Result};
use mio::net::TcpStream;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::path::Path;
use std::sync::Arc;

/// A server's certificate.
#[derive(Debug, Clone)]
pub struct Acceptor(Arc<ServerConfig>);

/// Whom a client trusts, and who it is.
#[derive(Debug, Clone)]
pub struct Connector(Arc<ClientConfig>);

/// A client's connection; what is to be read and written of TLS itself goes along.
pub(crate) struct Session(StreamOwned<ServerConnection, TcpStream>);

fn wrong(path: &Path, why: impl std::fmt::Display) -> Error {
    Error::input(format!("{}: {why}", path.display())).hint("expected PEM, as openssl writes it")
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>);
    let found = read.map_err(|e| wrong(path, e))?;
    if found.is_empty() { Err(wrong(path, "no certificate")) } else { Ok(found) }
}

fn key(path: &Path) -> Result<PrivateKeyDer<'static>> {
    PrivateKeyDer::from_pem_slice(owner::secret(path)?.as_bytes()).map_err(|e| wrong(path, e))
}

fn authority(path: &Path) -> Result<Arc<RootCertStore>> {
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).map_err(|e| wrong(path, e))?;
    }
    Ok(Arc::new(roots))
}

impl Acceptor {
    /// From a certificate with its chain and its key; clients need one of this authority where it is given.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or others may read the key.
    pub fn read(certificate: &Path, key_file: &Path, clients: Option<&Path>) -> Result<Acceptor> {
        let builder = ServerConfig::builder();
        let builder = match clients {
            Some(path) => {
                let verifier = WebPkiClientVerifier::builder(authority(path)?).build().map_err(|e| wrong(path, e))?;
                builder.with_client_cert_verifier(verifier)
            }
            None => builder.with_no_client_auth(),
        };
        let made = builder.with_single_cert(certificates(certificate)?, key(key_file)?);
        made.map(|config| Acceptor(Arc::new(config))).map_err(|e| wrong(certificate, e))
    }

    pub(crate) fn session(&self, stream: TcpStream) -> io::Result<Session> {
        let connection = ServerConnection::new(self.0.clone()).map_err(io::Error::other)?;
        Ok(Session(StreamOwned::new(connection, stream)))
    }
}

impl Connector {
    /// Trusts servers with a certificate of this authority; with a certificate and key of one's own where they ask for it.
    ///
    /// # Errors
    /// A file cannot be read or holds something else, or others may read the key.
    pub fn read(trusted: &Path, own: Option<(&Path, &Path)>) -> Result<Connector> {
        let builder = ClientConfig::builder().with_root_certificates(authority(trusted)?);
        let config = match own {
            Some((certificate, file)) => builder
                .with_client_auth_cert(certificates(certificate)?, key(file)?)
                .map_err(|e| wrong(certificate, e))?,
            None => builder.with_no_client_auth(),
        };
        Ok(Connector(Arc::new(config)))
    }

    pub(crate) fn session<S: Read + Write>(
        &self,
        host: &str,
        stream: S,
    ) -> io::Result<StreamOwned<ClientConnection, S>> {
        let name = ServerName::try_from(host.to_string()).map_err(io::Error::other)?;
        let connection = ClientConnection::new(self.0.clone(), name).map_err(io::Error::other)?;
        Ok(StreamOwned::new(connection, stream))
    }
}

impl Session {
    pub(crate) fn socket(&mut self) -> &mut TcpStream {
        &mut self.0.sock
    }

    /// Says that nothing more is written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.0.conn.send_close_notify();
        // Into a socket that has just taken all that was to be said.
        let _ = self.0.flush();
        self.0.sock.shutdown(Shutdown::Write)
    }
}

impl Read for Session {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Session {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
