//! Slim Fly: the McKay-Miller-Siran graphs, of diameter 2 and close to the most
//! routers that such a degree allows. Besta and Hoefler, "Slim Fly: a cost
//! effective low-diameter network topology", SC 2014, section II.

use super::{Counts, ONE, attach, check_count, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::gf::Field;
use crate::id::VertexId;
use crate::params::{Params, Reader};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "slim-fly",
    summary: "Slim Fly (MMS graph) of a prime power q: 2*q^2 routers, any two at most 2 hops apart",
    doc: "Routers (s, x, y), s = 0 or 1, x and y in GF(q), are numbered (s*q + x)*q + y; p endpoints each. With a primitive element z and \
          q = 4w + d, d in {0, 1, -1}: X = {1, z^2, z^4, ...} ((q-1)/2 powers for d = 1, q/2 for d = 0; for d = -1 w even powers from z^0 \
          and w odd ones from z^(2w-1)), and X' = z*X. Class local joins (0,x,y) to (0,x,y') where y - y' is in X, and (1,x,y) to (1,x,y') where \
          it is in X'; class global joins (0,x,y) to (1,m,c) where y = m*x + c. Ports: endpoints, then local by the powers in X, then global \
          by the other side's x.\n\
          Degree between routers k' = (3q-d)/2. Directed links: host 2*2*q^2*p, local 2*q^2*(k'-q), global 2*q^3. Unless given, p is k'/2 \
          rounded up, which balances hosts with routers. Links of one class do not all carry the same under uniform traffic: q=5 \
          reaches 0.957 of injection, q=7 0.858.\n\
          Source: Besta and Hoefler, \"Slim Fly: a cost effective low-diameter network topology\", 2014, section II; \
          McKay, Miller and Siran, \"A note on large graphs of diameter two and given maximum degree\", 1998.",
    example: "slim-fly:q=5,p=4",
    params: &[
        param("q", "count", "", "a power of a prime, 3 to 256"),
        param("p", "count", "balanced", "endpoints per router"),
        param("local", "bandwidth", "1", "of a local link, GB/s"),
        param("global", "bandwidth", "1", "of a global link, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Parameters of a Slim Fly.
///
/// ```
/// use hopline::topology::SlimFly;
///
/// let slim_fly = SlimFly::new(5)?.endpoints_per_router(4)?;
/// assert_eq!(slim_fly.degree(), 7);
/// assert_eq!(slim_fly.build()?.endpoints(), 200);
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlimFly {
    field: Field,
    p: u32,
    local: Bandwidth,
    global: Bandwidth,
    host: Option<Bandwidth>,
}

impl SlimFly {
    /// The network of a prime power `q` from 3 to 256, with as many endpoints a router as balance it, links of 1 GB/s and no limit
    /// of injection and ejection.
    ///
    /// # Errors
    /// `q` is no power of a prime or out of its range, or the network is larger than memory holds.
    pub fn new(q: u32) -> Result<SlimFly> {
        if q < 3 {
            return Err(Error::argument("q", format!("`q` is {q}, expected a power of a prime from 3 to 256")));
        }
        let field = Field::new(q).map_err(|e| Error::argument("q", format!("`q` is {q}: {e}")))?;
        let slim_fly = SlimFly { field, p: 1, local: ONE, global: ONE, host: None };
        let balanced = slim_fly.balanced();
        slim_fly.endpoints_per_router(balanced)
    }

    /// Endpoints per router that balance it.
    fn balanced(&self) -> u32 {
        self.degree().div_ceil(2)
    }

    /// The same with `p` endpoints a router.
    ///
    /// # Errors
    /// `p` is not from 1 to 4096, or the network is larger than memory holds.
    pub fn endpoints_per_router(self, p: u32) -> Result<SlimFly> {
        check_count("p", p)?;
        let [routers, p_, degree] = [self.routers(), p, self.degree()].map(u64::from);
        check_size(Some(routers * (p_ + 1)), Some(routers * (2 * p_ + degree)))?;
        Ok(SlimFly { p, ..self })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<SlimFly> {
        let slim_fly = reader.set(SlimFly::new(reader.need("q")?)?, "p", SlimFly::endpoints_per_router)?;
        let slim_fly = reader.set(slim_fly, "local", SlimFly::local_bandwidth)?;
        let slim_fly = reader.set(slim_fly, "global", SlimFly::global_bandwidth)?;
        reader.set(slim_fly, "host", SlimFly::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("q", self.q()).unless("p", self.p, self.balanced());
        params.unless("local", self.local, ONE).unless("global", self.global, ONE).maybe("host", self.host)
    }

    /// The prime power.
    pub fn q(&self) -> u32 {
        self.field.size()
    }

    /// Routers: 2 * q^2.
    pub fn routers(&self) -> u32 {
        2 * self.q() * self.q()
    }

    /// Links of a router to others: (3q - d) / 2 for q = 4w + d.
    pub fn degree(&self) -> u32 {
        self.q() + self.local_links()
    }

    /// Local links of a router.
    fn local_links(&self) -> u32 {
        match self.q() % 4 {
            1 => (self.q() - 1) / 2,
            0 => self.q() / 2,
            _ => self.q().div_ceil(2),
        }
    }

    /// Endpoints per router.
    pub(crate) fn p(&self) -> u32 {
        self.p
    }

    /// The elements that number its routers.
    pub(crate) fn field(&self) -> &Field {
        &self.field
    }

    /// Whether a fabric is such a one, and whole.
    pub(crate) fn is(&self, fabric: &Fabric) -> bool {
        self.counts().is_some_and(|counts| counts.are_of(fabric))
    }

    /// The sets X and X' in the order of their powers.
    pub(crate) fn generators(&self) -> [Vec<u8>; 2] {
        let (q, n) = (self.q(), self.local_links() as usize);
        let z = primitive(&self.field);
        let powers: Vec<u8> =
            std::iter::successors(Some(1), |&power| Some(self.field.mul(power, z))).take(2 * q as usize).collect();
        let exponents: Vec<usize> = match q % 4 {
            3 => (0..n / 2).map(|i| 2 * i).chain((0..n / 2).map(|i| n - 1 + 2 * i)).collect(),
            _ => (0..n).map(|i| 2 * i).collect(),
        };
        [0, 1].map(|shift| exponents.iter().map(|e| powers[e + shift]).collect())
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let (q, p, field, routers) = (self.q(), self.p, &self.field, self.routers());
        let mut b = Builder::new(self.params().spec(), routers * p, routers);
        let host = b.class(LinkClass::host(self.host));
        let local = b.class(LinkClass::network("local", self.local));
        let global = b.class(LinkClass::network("global", self.global));
        attach(&mut b, routers, p, host, |r| format!("s{}-{}-{}", r / (q * q), r / q % q, r % q));
        let router = |s: u32, x: u32, y: u8| VertexId(routers * p + (s * q + x) * q + u32::from(y));
        for (s, set) in (0..).zip(self.generators()) {
            // The port of an element, and that of its negative at the other end.
            let port = |element: u8| set.iter().position(|&e| e == element).map(|at| (p as usize + at) as u16);
            for &element in &set {
                let back = field.neg(element);
                for (x, y) in (0..q).flat_map(|x| field.elements().map(move |y| (x, y))) {
                    let other = field.add(y, element);
                    if y < other {
                        b.cable_at(router(s, x, y), port(element), router(s, x, other), port(back), local);
                    }
                }
            }
        }
        let first = p + self.local_links();
        for (x, m) in field.elements().flat_map(|x| field.elements().map(move |m| (x, m))) {
            for c in field.elements() {
                let y = field.add(field.mul(m, x), c);
                let port = |other: u8| Some((first + u32::from(other)) as u16);
                b.cable_at(router(0, x.into(), y), port(m), router(1, m.into(), c), port(x), global);
            }
        }
        b.level("router", None, |e| e / p);
        b.level("group", None, |e| e / (p * q));
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let [q, p, n] = [self.q(), self.p, self.local_links()].map(u64::from);
        let routers = 2 * q * q;
        let links = [("host", 2 * routers * p), ("local", routers * n), ("global", routers * q)];
        Some(Counts::new(routers * p, routers, links))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "minimal"
    }
}

bandwidths! { SlimFly:
    local_bandwidth sets "local" in local, "local links of another bandwidth";
    global_bandwidth sets "global" in global, "global links of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}

/// The least element whose powers are all but 0. O(size^2).
fn primitive(field: &Field) -> u8 {
    let order =
        |z: u8| 1 + std::iter::successors(Some(z), |&power| Some(field.mul(power, z))).take_while(|&x| x != 1).count();
    field.elements().skip(1).find(|&z| order(z) + 1 == field.size() as usize).unwrap_or(1)
}
