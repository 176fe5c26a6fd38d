//! The ways of flows. Where adapters answer to several LIDs, each with a way of its own, a flow to a LID takes that LID's; of one to a
//! name it is assumed which.

use crate::measured::End;
use crate::names::Names;
use hopline::error::Result;
use hopline::files::Memory;
use hopline::id::VertexId;
use hopline::params::Params;
use hopline::plan::Network;
use hopline::routing::{self, Route, Routing};
use std::collections::BTreeMap;

/// Which LIDs of a port are taken to have been used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assumed {
    /// The first, as most libraries do.
    First,
    /// All in equal shares.
    All,
}

pub(crate) struct Routes<'a> {
    network: &'a Network,
    names: &'a Names,
    assumed: Assumed,
    /// Whoever names a routing knows which LIDs were used.
    is_told: bool,
    /// By the place of a LID among its owner's; without one, those of all.
    several: BTreeMap<Option<u16>, Box<dyn Routing>>,
    /// Whether something had to be assumed.
    pub(crate) was_assumed: bool,
}

impl<'a> Routes<'a> {
    pub(crate) fn new(network: &'a Network, names: &'a Names, assumed: Assumed) -> Routes<'a> {
        let is_told = network.routing_params.to_string() != "table";
        Routes { network, names, assumed, is_told, several: BTreeMap::new(), was_assumed: false }
    }

    /// The way from a port to another, which the measurement calls `end`: each link with its share, links in ascending order.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn route(&mut self, source: VertexId, target: VertexId, end: Option<&End>) -> Result<Route> {
        let mut route = Route::new();
        if self.is_told || !self.names.has_several_lids(target) {
            self.network.routing.route(source, target, &mut route)?;
        } else {
            let told = match end {
                Some(End::Lid(lid)) => self.names.place_of_lid(target, *lid),
                _ => None,
            };
            self.was_assumed |= told.is_none();
            let place = told.or((self.assumed == Assumed::First).then_some(0));
            self.of(place)?.route(source, target, &mut route)?;
        }
        route.sort_unstable_by_key(|(link, _)| *link);
        route.dedup_by(|next, last| {
            let same = next.0 == last.0;
            if same {
                last.1 += next.1;
            }
            same
        });
        Ok(route)
    }

    fn of(&mut self, place: Option<u16>) -> Result<&dyn Routing> {
        if !self.several.contains_key(&place) {
            let spec = place.map_or("table:lid=spread".to_string(), |place| format!("table:lid={place}"));
            let (topology, fabric) = (&self.network.topology, &self.network.fabric);
            self.several.insert(place, routing::build(&spec.parse::<Params>()?, topology, fabric, &Memory::default())?);
        }
        Ok(&*self.several[&place])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hopline::files::Disk;
    use hopline::scenario::Scenario;

    #[test]
    fn a_lid_has_its_own_way_and_a_name_what_is_assumed() {
        let spec = concat!("file:", env!("CARGO_MANIFEST_DIR"), "/../../testdata/fabrics/lmc1-8");
        let scenario = |routing: &str| Scenario::default().topology(spec).and_then(|s| s.routing(routing));
        let network = |routing: &str| Network::new(&scenario(routing).expect("a scenario"), &Disk).expect("a network");
        let (network, spread) = (network("table"), network("table:lid=spread"));
        let names = Names::new(&network);
        let mut routes = Routes::new(&network, &names, Assumed::All);
        let hosts = network.fabric.endpoints();
        let mut differ = 0;
        for (a, b) in
            (0..hosts).flat_map(|a| (0..hosts).map(move |b| (VertexId(a), VertexId(b)))).filter(|(a, b)| a != b)
        {
            let mut lids = (0..=u16::MAX).filter(|&lid| names.lid(lid) == Some(b));
            let own: Vec<Route> =
                lids.by_ref().map(|lid| routes.route(a, b, Some(&End::Lid(lid))).expect("a way")).collect();
            assert_eq!(own.len(), 2);
            differ += usize::from(own[0] != own[1]);
            let mut all = Route::new();
            spread.routing.route(a, b, &mut all).expect("a way");
            let all: f64 = all.iter().map(|(_, share)| share).sum();
            let named = routes.route(a, b, Some(&End::Name(network.fabric.vertex_name(b).to_string()))).expect("a way");
            assert!((named.iter().map(|(_, share)| share).sum::<f64>() - all).abs() < 1e-9 && routes.was_assumed);
            let first = Routes::new(&network, &names, Assumed::First).route(a, b, None).expect("a way");
            assert_eq!(first, own[0]);
            for (link, share) in named {
                let of = |route: &Route| route.iter().find(|(l, _)| *l == link).map_or(0.0, |(_, share)| *share);
                assert!((share - (of(&own[0]) + of(&own[1])) / 2.0).abs() < 1e-9);
            }
        }
        assert!(differ > 0, "each LID has a way of its own");
    }
}
