//! What threads share, by one name, so that `models/` can put a model checker's in its place.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::AtomicUsize;
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::thread::yield_now;
