//! Routes of a live InfiniBand fabric, for everyone on it: the topology service
//! of Subramoni et al., "Design and Evaluation of Network Topology-/Speed-Aware
//! Broadcast Algorithms for InfiniBand Clusters", section IV-A.
//!
//! ```text
//! atlas        cabling + forwarding tables -> flat arrays; routes, distances; a binary cache
//! names        every way to name an end of a route
//! lost         what a fabric had once and has no more
//! address      where a server listens
//! owner        whose files are believed
//! tls          certificates, by the feature of that name
//! tokens       who may ask over the network
//! generation   an atlas that is published: number, names, labels
//! clock        the time of day
//! heartbeat    the collector's sign of life
//! blamed       what `hopline blame` has said
//! store        generations on disk: whole or not at all
//! protocol     a line or an HTTP head -> Request
//! answer       Request + Generation -> text or JSON
//! limits       what a client may do
//! metrics      what was done
//! server       sockets: a few threads, each with its own event loop
//! client       asks a server
//! collect      the administrator's tools -> a checked generation
//! watch        collects again when the subnet manager says that something changed
//! config       the options of a service in one file
//! ```
//!
//! Data flows down. Only `server` and `client` touch sockets, only `collect` runs
//! programs; everything between is plain functions.

pub mod address;
pub mod answer;
pub mod atlas;
pub mod blamed;
pub mod client;
pub mod clock;
pub mod collect;
pub mod config;
pub mod generation;
pub mod heartbeat;
pub mod limits;
pub mod lost;
pub mod metrics;
pub mod names;
mod owner;
pub mod protocol;
mod served;
pub mod server;
pub mod store;
mod sync;
pub mod tls;
pub mod tokens;
pub mod watch;
