//! The ways between endpoints as busy time per unit of traffic: sums of the
//! routing's bundles where it has them, else whole routes in a bounded table.

use crate::demand::{Flow, spread};
use crate::fabric::{Fabric, LinkClass, Rails};
use crate::id::{LinkId, VertexId};
use crate::routing::{Bundles, Route, Routing};
use rustc_hash::FxHashMap;

/// For how long one unit of traffic keeps a link busy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::mapping) struct Hop {
    pub(in crate::mapping) link: u32,
    /// Seconds per unit (in GB): share of the link over its bandwidth; negative where a bundle takes off what others add.
    pub(in crate::mapping) busy: f32,
}

/// What is known of a bundle, in one place: a move touches many, far from each other in memory.
#[derive(Debug, Clone, Copy)]
struct Bundle {
    /// Its hops are `hops[first..end]`.
    first: u32,
    end: u32,
    /// Hops between routers that one unit takes.
    length: f64,
    /// Traffic that a move adds, so far.
    added: f64,
}

/// Ways as lists of numbered bundles of hops.
///
/// Whole routes are computed when they are first asked for, and merged link by
/// link. At most 2^25 hops (256 MB) and 2^24 routes are kept: when the table is
/// full all are forgotten, which costs time but changes no result.
#[derive(Clone)]
pub(in crate::mapping) struct Ways<'a> {
    routing: &'a dyn Routing,
    bundles: Option<&'a dyn Bundles>,
    /// Per class: seconds per unit, 0 where its links do not count.
    seconds: Vec<f64>,
    all: Vec<Bundle>,
    hops: Vec<Hop>,
    /// Whole routes: their number by source and target.
    number: RouteNumbers,
    found: Vec<u32>,
    route: Route,
}

const MOST_HOPS: usize = 1 << 25;
const MOST_ROUTES: usize = 1 << 24;

/// The numbers of routes between endpoints.
#[derive(Clone)]
enum RouteNumbers {
    /// Of few endpoints in rows by source, which takes less time than hashing; empty before the first.
    Rows {
        endpoints: usize,
        known: Vec<u32>,
    },
    Map(FxHashMap<(u32, u32), u32>),
}

/// Numbers of what is not known yet, and where there is no way.
const UNKNOWN: u32 = u32::MAX;
const NO_WAY: u32 = u32::MAX - 1;
/// 64 MB of numbers.
const MOST_ROWS: u32 = 1 << 12;

impl RouteNumbers {
    fn new(endpoints: u32) -> RouteNumbers {
        match endpoints <= MOST_ROWS {
            true => RouteNumbers::Rows { endpoints: endpoints as usize, known: Vec::new() },
            false => RouteNumbers::Map(FxHashMap::default()),
        }
    }

    #[inline]
    fn get(&self, from: VertexId, to: VertexId) -> Option<u32> {
        match self {
            RouteNumbers::Rows { endpoints, known } => {
                known.get(from.index() * endpoints + to.index()).copied().filter(|&number| number != UNKNOWN)
            }
            RouteNumbers::Map(known) => known.get(&(from.0, to.0)).copied(),
        }
    }

    fn set(&mut self, from: VertexId, to: VertexId, number: u32) {
        match self {
            RouteNumbers::Rows { endpoints, known } => {
                known.resize(*endpoints * *endpoints, UNKNOWN);
                known[from.index() * *endpoints + to.index()] = number;
            }
            RouteNumbers::Map(known) => drop(known.insert((from.0, to.0), number)),
        }
    }

    fn clear(&mut self) {
        match self {
            RouteNumbers::Rows { known, .. } => known.clear(),
            RouteNumbers::Map(known) => known.clear(),
        }
    }
}

impl<'a> Ways<'a> {
    pub(in crate::mapping) fn new(routing: &'a dyn Routing) -> Self {
        let fabric = routing.fabric();
        // Bundles know nothing of rails.
        let plain = fabric.hosts().most_rails() <= 1 && fabric.hosts().rails() != Rails::Stripe;
        let mut ways = Ways {
            routing,
            bundles: routing.bundles().filter(|_| plain),
            seconds: seconds(fabric),
            all: Vec::new(),
            hops: Vec::new(),
            number: RouteNumbers::new(fabric.endpoints()),
            found: Vec::new(),
            route: Route::new(),
        };
        if let Some(bundles) = ways.bundles {
            for bundle in 0..bundles.count() {
                bundles.links(bundle, &mut ways.route);
                ways.push_route();
            }
        }
        ways
    }

    /// Number of bundles so far.
    pub(in crate::mapping) fn count(&self) -> usize {
        self.all.len()
    }

    /// Number of hops of all bundles so far.
    pub(in crate::mapping) fn total_hops(&self) -> usize {
        self.hops.len()
    }

    /// The hops of a bundle.
    #[inline]
    pub(in crate::mapping) fn hops(&self, bundle: u32) -> &[Hop] {
        let Bundle { first, end, .. } = self.all[bundle as usize];
        &self.hops[first as usize..end as usize]
    }

    /// Adds to what a move puts on a bundle; true where there was nothing before.
    #[inline]
    pub(in crate::mapping) fn put(&mut self, bundle: u32, amount: f64) -> bool {
        let added = &mut self.all[bundle as usize].added;
        let is_first = *added == 0.0;
        *added += amount;
        is_first
    }

    /// What a move puts on a bundle, which has nothing then, with the hops between routers that one unit takes and all its hops.
    #[inline]
    pub(in crate::mapping) fn take(&mut self, bundle: u32) -> (f64, f64, &[Hop]) {
        let Bundle { first, end, length, added } = &mut self.all[bundle as usize];
        (std::mem::take(added), *length, &self.hops[*first as usize..*end as usize])
    }

    /// The bundles between two endpoints, none within a host; `None` where there
    /// is no way. They are known until [`Ways::make_room`] is called.
    #[inline]
    pub(in crate::mapping) fn find(&mut self, from: VertexId, to: VertexId) -> Option<&[u32]> {
        self.found.clear();
        if from == to {
            return Some(&self.found);
        }
        if let Some(bundles) = self.bundles {
            bundles.of(from, to, &mut self.found);
            return Some(&self.found);
        }
        let number = match self.number.get(from, to) {
            Some(known) => known,
            None => {
                let added = self.add(from, to).unwrap_or(NO_WAY);
                self.number.set(from, to, added);
                added
            }
        };
        if number == NO_WAY {
            return None;
        }
        self.found.push(number);
        Some(&self.found)
    }

    /// What [`Ways::find`] found last.
    pub(in crate::mapping) fn found(&self) -> &[u32] {
        &self.found
    }

    /// Forgets all routes where the table is full; true where it did.
    pub(in crate::mapping) fn make_room(&mut self) -> bool {
        let full = self.bundles.is_none() && (self.hops.len() > MOST_HOPS || self.count() > MOST_ROUTES);
        if full {
            self.number.clear();
            self.hops.clear();
            self.all.clear();
        }
        full
    }

    /// Adds a whole route: its number, or `None` where there is no way.
    fn add(&mut self, source: VertexId, target: VertexId) -> Option<u32> {
        let fabric = self.routing.fabric();
        let mut whole = Route::new();
        if !fabric.hosts().is_free(source, target) {
            let mut flows = Vec::new();
            spread(fabric, Flow { source, target, amount: 1.0 }, &mut flows);
            for flow in &flows {
                self.routing.route(flow.source, flow.target, &mut self.route).ok()?;
                whole.extend(self.route.iter().map(|&(link, share)| (link, share * flow.amount)));
            }
        }
        self.route = whole;
        self.push_route();
        Some(self.count() as u32 - 1)
    }

    /// Makes a bundle of what stands in `route`, merged link by link.
    fn push_route(&mut self) {
        let fabric = self.routing.fabric();
        let between = self.route.iter().filter(|h| !fabric.is_host_link(h.0));
        let length = between.map(|h| h.1).sum();
        let first = self.hops.len() as u32;
        self.route.sort_by_key(|h| h.0);
        for same in self.route.chunk_by(|a, b| a.0 == b.0) {
            let link: LinkId = same[0].0;
            let share: f64 = same.iter().map(|h| h.1).sum();
            let busy = (share * self.seconds[fabric.class_id(link).index()]) as f32;
            if busy != 0.0 {
                self.hops.push(Hop { link: link.0, busy });
            }
        }
        self.all.push(Bundle { first, end: self.hops.len() as u32, length, added: 0.0 });
    }
}

/// Per class: seconds per unit. Unlimited classes count nothing, unless no
/// class is limited: then links between routers count as 1 GB/s.
fn seconds(fabric: &Fabric) -> Vec<f64> {
    let limited = fabric.classes().iter().any(|c| c.bandwidth.is_some());
    let of = |c: &LinkClass| match c.bandwidth {
        Some(bandwidth) => 1.0 / bandwidth.as_gb_s(),
        None if limited || c.host => 0.0,
        None => 1.0,
    };
    fabric.classes().iter().map(of).collect()
}
