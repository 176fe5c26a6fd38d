//! Destination-tag routing on Omega networks: the target's digits say the outputs.
//! Lawrie, "Access and alignment of data in an array processor", 1975.

use super::{Path, Routing, check_whole, mismatch, unreachable};
use crate::entry::Entry;
use crate::error::Result;
use crate::fabric::Fabric;
use crate::id::VertexId;
use crate::params::Reader;
use crate::topology::{Omega, Topology};
use std::sync::Arc;

pub(super) const ENTRY: Entry = Entry {
    name: "destination-tag",
    summary: "Omega network: the digits of the target, highest first, say the outputs",
    doc: "The only way of a message through an Omega network: at stage i of n it leaves by the output that digit n-i of its \
          target says. Of the (k^n)! permutations (k!)^(n*k^(n-1)) pass without two messages on a link.\n\
          Source: Lawrie, \"Access and alignment of data in an array processor\", 1975.",
    example: "destination-tag",
    params: &[],
};

/// Destination-tag routing: see [the list](super::LIST).
pub struct DestinationTag {
    omega: Omega,
    fabric: Arc<Fabric>,
}

impl DestinationTag {
    /// The only paths of an Omega network's fabric.
    ///
    /// # Errors
    /// The fabric is not the whole network of this family.
    pub fn new(omega: &Omega, fabric: &Arc<Fabric>) -> Result<DestinationTag> {
        check_whole(ENTRY.name, omega.clone(), fabric)?;
        Ok(DestinationTag { omega: omega.clone(), fabric: fabric.clone() })
    }

    pub(super) fn read(reader: &Reader, topology: &Topology, fabric: &Arc<Fabric>) -> Result<Box<dyn Routing>> {
        match topology {
            Topology::Omega(omega) => Ok(Box::new(DestinationTag::new(omega, fabric)?)),
            _ => Err(mismatch(reader, "destination-tag", "an omega", topology, fabric)),
        }
    }
}

impl Routing for DestinationTag {
    fn fabric(&self) -> &Fabric {
        &self.fabric
    }

    fn choices(&self, _: VertexId, _: VertexId) -> Result<u64> {
        Ok(1)
    }

    fn one_path(&self) -> bool {
        true
    }

    fn path(&self, source: VertexId, target: VertexId, _: u64, path: &mut Path) -> Result<()> {
        path.restart(1.0);
        if !self.fabric.is_endpoint(source) || !self.fabric.is_endpoint(target) {
            return Err(unreachable(&self.fabric, source, target, "destination tags lead between endpoints only"));
        }
        if source != target {
            path.links.extend(self.omega.way(&self.fabric, source, target));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::files::Disk;
    use crate::params::Params;
    use crate::topology;

    /// Whether no two messages of a permutation, those to themselves included, share a link.
    fn passes(omega: &Omega, fabric: &Fabric, to: &[u32]) -> bool {
        let mut used = vec![false; fabric.links()];
        to.iter().enumerate().all(|(x, &y)| {
            omega.way(fabric, VertexId(x as u32), VertexId(y)).all(|l| !std::mem::replace(&mut used[l.index()], true))
        })
    }

    fn count(omega: &Omega, fabric: &Fabric, to: &mut Vec<u32>) -> u64 {
        let n = fabric.endpoints();
        if to.len() == n as usize {
            return u64::from(passes(omega, fabric, to));
        }
        let mut sum = 0;
        for y in 0..n {
            // What already meets passes in no way.
            let free = !to.contains(&y);
            to.push(y);
            if free && passes(omega, fabric, to) {
                sum += count(omega, fabric, to);
            }
            to.pop();
        }
        sum
    }

    /// Every setting of the switches is one permutation, and another for each: (k!)^switches.
    #[test]
    fn as_many_permutations_pass_as_switches_have_settings() {
        for (spec, expected) in
            [("omega:k=2,n=2", 16), ("omega:k=2,n=3", 4096), ("omega:k=3,n=1", 6), ("omega:k=3,n=2", 46656)]
        {
            let params = Params::from_spec(spec, &Place::new("test", 0)).expect("spec");
            let (topology, fabric) = topology::build(&params, &Disk).expect("network");
            let Topology::Omega(omega) = &topology else { panic!("no omega") };
            assert_eq!(count(omega, &fabric, &mut Vec::new()), expected, "{spec}");
        }
    }
}
