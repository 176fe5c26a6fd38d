//! What the layer reads of others, for those who try it with damaged bytes; programs have no use for it.

use crate::collectives;

/// True where a text can be read as delays of these hosts, whatever its form; `now` is in seconds since 1970.
pub fn delays(text: &str, hosts: &[String], now: u64) -> bool {
    collectives::readable(text, hosts, now)
}
