//! Jellyfish: a random regular graph of routers. Singla, Hong, Popa and Godfrey,
//! "Jellyfish: networking data centers randomly", NSDI 2012.

use super::{Counts, ONE, attach, check_count, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::VertexId;
use crate::params::{Params, Reader};
use crate::rng::Rng;
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "jellyfish",
    summary: "Jellyfish: n routers joined at random, r links between routers and p endpoints each",
    doc: "Two routers with free ports that are not joined yet are drawn and joined until no such pair is left; a router that keeps two \
          free ports then takes the place of a cable drawn at random, and two joined ones with one each share such a cable. Graphs that fall \
          apart are drawn again. Endpoint i of router v is v*p + i; ports: endpoints, then the other routers ascending. A seed gives one graph \
          in every release of this program, and another one in other programs.\n\
          Directed links: host 2*n*p, network n*r.\n\
          Source: Singla, Hong, Popa and Godfrey, \"Jellyfish: networking data centers randomly\", 2012, section 3.",
    example: "jellyfish:n=32,r=5,p=3",
    params: &[
        param("n", "count", "", "routers; n*r is even"),
        param("r", "count", "", "links of a router to others, below n"),
        param("p", "count", "", "endpoints per router"),
        param("seed", "count", "1", "which graph"),
        param("bandwidth", "bandwidth", "1", "of a link between routers, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Graphs that are drawn before it is said that they all fall apart.
const TRIES: u32 = 100;

/// Parameters of a Jellyfish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jellyfish {
    n: u32,
    r: u32,
    p: u32,
    seed: u32,
    bandwidth: Bandwidth,
    host: Option<Bandwidth>,
}

impl Jellyfish {
    /// `n` routers with `r` links to others and `p` endpoints each: the graph of seed 1, with links of 1 GB/s and no limit of
    /// injection and ejection.
    ///
    /// # Errors
    /// `r` is 0 or not below `n`, `n * r` is odd, `p` is not from 1 to 4096, or the network is larger than memory holds.
    pub fn new(n: u32, r: u32, p: u32) -> Result<Jellyfish> {
        if r == 0 || r >= n || r > 4096 {
            let text = format!("`r` is {r}, expected 1 to 4096 and below n = {n}");
            return Err(Error::argument("r", text));
        }
        if !(u64::from(n) * u64::from(r)).is_multiple_of(2) {
            let text = format!("`n` is {n} and `r` is {r}: an odd number of ends makes no cables");
            return Err(Error::argument("r", text).hint("make n or r even"));
        }
        check_count("p", p)?;
        let [routers, degree, ends] = [n, r, p].map(u64::from);
        check_size(Some(routers * (ends + 1)), Some(routers * (2 * ends + degree)))?;
        Ok(Jellyfish { n, r, p, seed: 1, bandwidth: ONE, host: None })
    }

    /// The graph of another seed.
    #[must_use]
    pub fn seed(mut self, seed: u32) -> Jellyfish {
        self.seed = seed;
        self
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Jellyfish> {
        let made = Jellyfish::new(reader.need("n")?, reader.need("r")?, reader.need("p")?)?;
        let made = reader.set(made, "seed", |made: Jellyfish, seed| Ok(made.seed(seed)))?;
        let made = reader.set(made, "bandwidth", Jellyfish::bandwidth)?;
        reader.set(made, "host", Jellyfish::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("n", self.n).with("r", self.r).with("p", self.p);
        let params = params.unless("seed", self.seed, 1);
        params.unless("bandwidth", self.bandwidth, ONE).maybe("host", self.host)
    }

    /// The neighbours of every router, ascending. O(n * r) draws, each O(r).
    fn graph(&self) -> Result<Vec<Vec<u32>>> {
        let drawn = (0..TRIES).map(|run| draw(self.n, self.r, &mut Rng::of_run(self.seed.into(), ENTRY.name, run)));
        let mut whole = drawn.filter(|graph| is_connected(graph));
        let mut graph = whole.next().ok_or_else(|| {
            let text =
                format!("all of {TRIES} random graphs of {} routers with {} links each fall apart", self.n, self.r);
            Error::input(text).hint("give each router 3 links or more")
        })?;
        graph.iter_mut().for_each(|others| others.sort_unstable());
        Ok(graph)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let (n, p) = (self.n, self.p);
        let graph = self.graph()?;
        let mut b = Builder::new(self.params().spec(), n * p, n);
        let host = b.class(LinkClass::host(self.host));
        let class = b.class(LinkClass::network("network", self.bandwidth));
        attach(&mut b, n, p, host, |v| format!("r{v}"));
        let port = |v: u32, w: u32| graph[v as usize].binary_search(&w).ok().map(|at| (p as usize + at) as u16);
        for (v, others) in (0..n).zip(&graph) {
            for &w in others.iter().filter(|&&w| w > v) {
                b.cable_at(VertexId(n * p + v), port(v, w), VertexId(n * p + w), port(w, v), class);
            }
        }
        b.level("router", None, |e| e / p);
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let [n, r, p] = [self.n, self.r, self.p].map(u64::from);
        Some(Counts::new(n * p, n, [("host", 2 * n * p), ("network", n * r)]))
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "minimal"
    }
}

bandwidths! { Jellyfish:
    bandwidth sets "bandwidth" in bandwidth, "links between routers of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}

/// A random simple graph in which every router has `r` neighbours, where n * r is even and r below n.
fn draw(n: u32, r: u32, rng: &mut Rng) -> Vec<Vec<u32>> {
    let r = r as usize;
    let mut graph: Vec<Vec<u32>> = vec![Vec::with_capacity(r); n as usize];
    let mut free: Vec<u32> = (0..n).collect();
    let pick = |rng: &mut Rng, from: &[u32]| from[rng.below(from.len() as u64) as usize];
    loop {
        // As long as most pairs can be joined, they are drawn at random; the last are looked for.
        let drawn = (!free.is_empty()).then(|| (0..32).map(|_| (pick(rng, &free), pick(rng, &free))));
        let open = |&(v, w): &(u32, u32)| v != w && !graph[v as usize].contains(&w);
        let pair = drawn.and_then(|mut drawn| drawn.find(open)).or_else(|| {
            let pairs = free.iter().enumerate().flat_map(|(i, &v)| free[i + 1..].iter().map(move |&w| (v, w)));
            let pairs: Vec<(u32, u32)> = pairs.filter(open).collect();
            (!pairs.is_empty()).then(|| pairs[rng.below(pairs.len() as u64) as usize])
        });
        match (pair, &free[..]) {
            (Some((v, w)), _) => {
                join(&mut graph, v, w);
                if [v, w].iter().any(|&v| graph[v as usize].len() == r) {
                    free.retain(|&v| graph[v as usize].len() < r);
                }
            }
            (None, []) => return graph,
            // One router, or routers that are joined already: (a, b) makes way for (v, a) and (w, b).
            (None, &[v, ..]) => {
                let w = free.get(1).copied().filter(|_| graph[v as usize].len() + 1 == r).unwrap_or(v);
                let cables = (0..n).flat_map(|a| graph[a as usize].iter().map(move |&b| (a, b)));
                let fits = |v: u32, a: u32| a != v && !graph[v as usize].contains(&a);
                let cables: Vec<(u32, u32)> = cables.filter(|&(a, b)| fits(v, a) && fits(w, b)).collect();
                if cables.is_empty() {
                    // Only tiny graphs get here: begin again with what the stream draws next.
                    graph.iter_mut().for_each(Vec::clear);
                    free = (0..n).collect();
                    continue;
                }
                let (a, b) = cables[rng.below(cables.len() as u64) as usize];
                graph[a as usize].retain(|&other| other != b);
                graph[b as usize].retain(|&other| other != a);
                join(&mut graph, v, a);
                join(&mut graph, w, b);
                free.retain(|&v| graph[v as usize].len() < r);
            }
        }
    }
}

fn join(graph: &mut [Vec<u32>], v: u32, w: u32) {
    graph[v as usize].push(w);
    graph[w as usize].push(v);
}

fn is_connected(graph: &[Vec<u32>]) -> bool {
    let mut seen = vec![false; graph.len()];
    let mut stack = vec![0u32];
    seen[0] = true;
    let mut count = 0;
    while let Some(v) = stack.pop() {
        count += 1;
        for &w in &graph[v as usize] {
            if !std::mem::replace(&mut seen[w as usize], true) {
                stack.push(w);
            }
        }
    }
    count == graph.len()
}
