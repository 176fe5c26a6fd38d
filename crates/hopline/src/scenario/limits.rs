//! Where tasks must and must not sit, as a user writes it.

use crate::error::{Error, Place, Result};
use crate::params::Value;

/// The keys of a scenario that are limits.
pub(super) const KEYS: [&str; 4] = ["pin", "forbid", "capacity", "reorder-hosts"];

/// Pins, forbidden slots, capacities: texts with where they stood.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Limits {
    /// Tasks that stay where they are told: `task=slot,...`, or a file of such words.
    pub pin: Option<(String, Place)>,
    /// Hosts and slots that take no task.
    pub forbid: Option<(String, Place)>,
    /// Most tasks that a host takes: `host=N,...`.
    pub capacity: Option<(String, Place)>,
    /// Whether ranks stay in blocks of one host each, and only hosts are reordered.
    pub reorder_hosts: bool,
}

impl Limits {
    /// Sets one of [`KEYS`].
    ///
    /// # Errors
    /// The value is of another kind.
    pub(super) fn set(&mut self, key: &str, value: Option<Value>, at: &Place) -> Result<()> {
        let text = match (key, value) {
            ("reorder-hosts", Some(Value::Bool(yes))) => {
                self.reorder_hosts = yes;
                return Ok(());
            }
            ("reorder-hosts", _) => return Err(Error::input("`reorder-hosts` is true or false").at(at)),
            (_, Some(Value::Text(text))) => (text, at.clone()),
            _ => return Err(Error::input(format!("`{key}` is a text with commas")).at(at)),
        };
        match key {
            "pin" => self.pin = Some(text),
            "forbid" => self.forbid = Some(text),
            _ => self.capacity = Some(text),
        }
        Ok(())
    }
}
