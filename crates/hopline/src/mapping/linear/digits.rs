//! The digits of a network's nodes, whatever the network is.
//!
//! On tori and meshes they are coordinates. Elsewhere the number of an endpoint is read to the least base that fits: what is
//! linear over a field of p^m elements is so over that of p, and switches of any power of p see whole digits. Which digits come
//! first depends on the network, so that constructions are tried in both orders.

use super::bound::splits;
use super::gray::gray_code;
use crate::error::{Error, Result};
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::mapping::seats::rings;
use crate::routing::Routing;

/// Up to so many endpoints all pairs are looked at, where the routing does not say by itself that every message has one path.
const FEW: u32 = 1024;

/// How nodes are numbered, and a way past all of them.
pub(super) struct Digits {
    /// Numbers per digit, digit 0 first and fastest.
    pub(super) extents: Vec<u32>,
    /// Whether they are the coordinates of a torus or a mesh.
    pub(super) grid: bool,
    /// All nodes, each near the one before.
    pub(super) path: Vec<VertexId>,
}

impl Digits {
    /// Those of all endpoints of a network. O(links), and up to [`FEW`] endpoints O(nodes^2).
    ///
    /// # Errors
    /// It is no torus or mesh, and messages have several ways.
    pub(super) fn new(routing: &dyn Routing) -> Result<Digits> {
        let fabric = routing.fabric();
        match (fabric.coordinates(), rings(fabric)) {
            (Some(extents), Some(rings)) => {
                let path = gray_code(extents, rings == extents).into_iter().map(VertexId).collect();
                Ok(Digits { extents: extents.to_vec(), grid: true, path })
            }
            _ if routing.one_path() || fabric.endpoints() <= FEW && !splits(routing)? => Ok(Digits::of_endpoints(fabric)),
            _ => Err(Error::input(format!(
                "mapping `linear` needs a torus or mesh, or a routing that has one path for every message, and {} has several",
                fabric.name()
            ))
            .hint("name such a routing, or use greedy")),
        }
    }

    fn of_endpoints(fabric: &Fabric) -> Digits {
        let nodes = fabric.endpoints();
        let path = (0..nodes).map(VertexId).collect();
        Digits { extents: power_of_prime(nodes).unwrap_or_else(|| vec![nodes]), grid: false, path }
    }
}

/// p, as often as it is multiplied to give n, where n is a power of one prime. O(sqrt n).
fn power_of_prime(n: u32) -> Option<Vec<u32>> {
    let divides = |p: &u32| n.is_multiple_of(*p);
    let p = (2..=n.isqrt()).find(divides).unwrap_or(n);
    let times = (1..=n.checked_ilog(p)?).find(|&times| p.pow(times) == n)?;
    Some(vec![p; times as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_to_the_least_base() {
        for (n, digits) in [(64, Some(vec![2; 6])), (27, Some(vec![3; 3])), (7, Some(vec![7])), (12, None), (36, None)]
        {
            assert_eq!(power_of_prime(n), digits, "{n}");
        }
        assert_eq!([0, 1].map(power_of_prime), [None, None]);
    }
}
