//! What threads share, by one name, so that `models/` can put a model checker's in its place.

pub(crate) use std::sync::atomic::AtomicU64;
pub(crate) use std::sync::{Arc, Mutex, RwLock};
