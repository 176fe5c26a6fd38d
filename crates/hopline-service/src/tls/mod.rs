//! TLS of the network's connections, by the cargo feature `tls`. Without it the same types are there and cannot be made, so
//! that nobody else asks for the feature.

#[cfg_attr(not(feature = "tls"), path = "without.rs")]
mod with;

pub(crate) use with::Session;
pub use with::{Acceptor, Connector};
