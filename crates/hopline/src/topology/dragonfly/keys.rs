//! The keys of a Dragonfly: what they mean, read and written.

use super::{Arrangement, Dragonfly, preset};
use crate::entry::{Entry, param};
use crate::error::Result;
use crate::files::Files;
use crate::params::{Params, Reader, Sizes};
use crate::topology::{ONE, check_count};
use crate::unit::Nanos;

pub(in crate::topology) const ENTRY: Entry = Entry {
    name: "dragonfly",
    summary: "Dragonfly (p, a, h): groups of a routers, the same number of global links between every two groups",
    doc: "Endpoint n of router x in group i is endpoint (i*a + x)*p + n. Routers of a group are joined all to all by \
          local links, or in each dimension of `group`, dimension 0 first, as in Cray's Cascade.\n\
          Each of g groups has c cables to every other. Its U = c*(g-1) global links are spread evenly over its routers: number \
          q = k*(g-1) + r, of copy k, is at router q*a/U, rounded down; with g = a*h+1 that is global port m of router x for \
          q = x*h + m. In group i it leads to group i + r + 1 mod g (relative, which the Dragonfly imbalance paper calls palmtree; it \
          prints the formula without + 1, which would join a group to itself), to i - r - 1 (palmtree), to r or from r = i on r + 1 \
          (absolute), or to i+1, i-1, i+2, i-2, ... (circulant), and there to the port of copy k that leads back.\n\
          Directed links: local g*a*(a-1), in dimensions S_i with trunks K_i g*a*K_i*(S_i-1) each (local0, local1, ...), global \
          g*(g-1)*c, host 2*g*a*p.\n\
          Presets, whose keys others replace: frontier, 74 compute groups, 4 cables, all of 25 GB/s (37,888 endpoints; its storage \
          groups are left out); aurora, 175 groups, 2 cables between any two (89,600 endpoints); theta, 9 Cascade groups of 16x6 routers, \
          48 cables. Latencies are 1 cycle, as no public source has them.\n\
          Source: the Dragonfly imbalance paper, sections II and III; Hastings et al., \"Comparing global link arrangements for \
          Dragonfly networks\", 2015; Faanes et al., \"Cray Cascade\", 2012.",
    example: "dragonfly:p=2,a=4,h=2",
    params: &[
        param("p", "count", "", "endpoints per router"),
        param("a", "count", "", "routers per group; with `group` its product where left out"),
        param("h", "count", "", "global ports per router"),
        param("g", "count", "a*h+1", "groups, 1 to a*h+1"),
        param("cables", "count", "a*h/(g-1)", "between two groups, rounded down"),
        param("arrangement", "relative|palmtree|absolute|circulant", "relative", "where global ports lead"),
        param("group", "sizes", "a", "routers of a group in each dimension, joined to all of their line"),
        param("trunk", "sizes", "1", "cables between two routers of a line, for all dimensions or each"),
        param(
            "preset",
            "none|frontier|aurora|theta",
            "none",
            "a machine that was built, for all keys that are not given",
        ),
        param("local", "bandwidth", "1", "of a local link, GB/s"),
        param("global", "bandwidth", "1", "of a global link, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
        param("local_latency", "cycles", "1", "of a local link, at least 1; a cycle is 1 ns"),
        param("global_latency", "cycles", "1", "of a global link, at least 1; a cycle is 1 ns"),
    ],
};

impl Dragonfly {
    pub(in crate::topology) fn read(reader: &Reader, _: &dyn Files) -> Result<Dragonfly> {
        let machine = preset::machine(reader.choice("preset", &preset::NAMES)?)?;
        let arrangement = Arrangement::ALL[reader.choice("arrangement", &Arrangement::NAMES)?];
        reader.get::<Sizes>("trunk")?;
        let needed = |key: &str, own: Option<u32>| match (reader.get(key)?, own) {
            (Some(count), _) | (None, Some(count)) => Ok(count),
            (None, None) => reader.need(key),
        };
        let group: Option<Sizes> = reader.get("group")?;
        // None where the product is too large: then `a` has to be said, and is found to differ.
        let product = group.as_ref().and_then(|Sizes(dims)| dims.iter().try_fold(1u32, |n, &s| n.checked_mul(s)));
        let p = needed("p", machine.as_ref().map(|m| m.p))?;
        let a = needed("a", product.or(machine.as_ref().map(|m| m.a)))?;
        let h = needed("h", machine.as_ref().map(|m| m.h))?;
        for (key, count) in [("a", a), ("h", h)] {
            check_count(key, count)?;
        }
        let g = reader.get("g")?.or(machine.as_ref().map(|m| m.g)).unwrap_or(a * h + 1);
        let mut made = Dragonfly::with_groups(p, a, h, g)?;
        if let Some(machine) = machine {
            made = made.of_machine(machine)?;
        }
        let made = reader.set(made, "group", |made: Dragonfly, Sizes(dims)| made.group(&dims))?;
        let made = reader.set(made, "trunk", |made: Dragonfly, Sizes(cables)| made.trunk(&cables))?;
        let made = reader.set(made, "cables", Dragonfly::cables)?;
        let made = made.arrangement(arrangement)?;
        let made = reader.set(made, "local", Dragonfly::local_bandwidth)?;
        let made = reader.set(made, "global", Dragonfly::global_bandwidth)?;
        let made = reader.set(made, "host", Dragonfly::host_bandwidth)?;
        let made = reader.set(made, "local_latency", Dragonfly::local_latency)?;
        reader.set(made, "global_latency", Dragonfly::global_latency)
    }

    /// What a machine has that stays when its sizes are replaced: bandwidths, and groups and cables where they fit.
    fn of_machine(self, machine: Dragonfly) -> Result<Dragonfly> {
        let Dragonfly { local, global, host, .. } = machine;
        let mut made = Dragonfly { local, global, host, ..self };
        if made.a == machine.a {
            made = made.group(&machine.group)?.trunk(&machine.trunk)?;
        }
        let cables = machine.links_between().min(made.most_cables());
        if cables == 0 { Ok(made) } else { made.cables(cables) }
    }

    /// What the fabric is called: sizes and wiring.
    pub(super) fn shape(&self) -> Params {
        let params = Params::named(ENTRY.name).with("p", self.p).with("a", self.a).with("h", self.h);
        let params = params.unless("g", self.g, self.a * self.h + 1).maybe("cables", self.cables);
        let params = params.unless("arrangement", self.arrangement.name(), Arrangement::default().name());
        let params = if self.group.len() == 1 { params } else { params.with("group", &self.group[..]) };
        if self.trunk.iter().all(|&k| k == 1) { params } else { params.with("trunk", &self.trunk[..]) }
    }

    pub(in crate::topology) fn params(&self) -> Params {
        let params = self.shape().unless("local", self.local, ONE).unless("global", self.global, ONE);
        let params = params.maybe("host", self.host).unless("local_latency", self.local_latency, Nanos(1));
        params.unless("global_latency", self.global_latency, Nanos(1))
    }
}
