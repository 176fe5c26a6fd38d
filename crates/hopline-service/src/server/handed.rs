//! What one thread hands over to another, and how much of it was not yet taken. `models/` has every order of their steps tried.

use crate::sync::{Arc, AtomicU64, Mutex};
use std::sync::atomic::Ordering::Relaxed;

/// See the [module](self); both threads have one.
pub(crate) struct Handed<T> {
    things: Arc<Mutex<Vec<T>>>,
    waiting: Arc<AtomicU64>,
}

impl<T> Handed<T> {
    pub(crate) fn new() -> Handed<T> {
        Handed { things: Arc::new(Mutex::new(Vec::new())), waiting: Arc::new(AtomicU64::new(0)) }
    }

    /// Hands a thing over. Counted before it is there, so that there are never fewer than were taken.
    pub(crate) fn give(&self, thing: T) {
        self.waiting.fetch_add(1, Relaxed);
        self.things.lock().unwrap_or_else(|e| e.into_inner()).push(thing);
    }

    /// Things that were handed over and not yet [counted as taken](Handed::taken).
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.load(Relaxed)
    }

    /// Takes all that is there.
    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut *self.things.lock().unwrap_or_else(|e| e.into_inner()))
    }

    /// One that was taken is counted elsewhere from now on.
    pub(crate) fn taken(&self) {
        self.waiting.fetch_sub(1, Relaxed);
    }
}

impl<T> Clone for Handed<T> {
    fn clone(&self) -> Self {
        Handed { things: self.things.clone(), waiting: self.waiting.clone() }
    }
}
