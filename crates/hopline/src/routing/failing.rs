//! What becomes of given flows when links fail.

use crate::id::LinkId;

/// Routes of given flows that are repaired when links fail.
pub trait Failures: Sync {
    /// Turns the loads of the whole fabric into those without the links `gone` (both directions of each cable), for
    /// links between routers; flows that lose their way are left out. Loads of host links stay as they are.
    fn shift(&self, gone: &[LinkId], loads: &mut [f64]);
}
