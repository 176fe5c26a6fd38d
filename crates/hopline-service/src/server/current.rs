//! What is served now: one thread puts something new in its place, others take what is there and keep it for as long as they
//! answer from it. `models/` has every order of their steps tried.

use crate::sync::{Arc, RwLock};

/// See the [module](self).
pub(crate) struct Current<T>(RwLock<Arc<T>>);

impl<T> Current<T> {
    pub(crate) fn new(first: T) -> Current<T> {
        Current(RwLock::new(Arc::new(first)))
    }

    /// What is there now.
    pub(crate) fn get(&self) -> Arc<T> {
        // A thread that panicked cannot have left half a pointer behind.
        self.0.read().unwrap_or_else(|e| e.into_inner()).clone()
    }

    /// Puts something new there; what was there is dropped by the last that has it, and by none inside the lock.
    pub(crate) fn replace(&self, new: T) {
        let new = Arc::new(new);
        let mut current = self.0.write().unwrap_or_else(|e| e.into_inner());
        let old = std::mem::replace(&mut *current, new);
        drop(current);
        drop(old);
    }
}
