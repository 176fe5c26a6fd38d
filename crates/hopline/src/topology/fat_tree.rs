//! Fat trees: extended generalised fat trees (XGFT) of any shape, and the k-ary
//! n-trees among them. Ohring, Ibel, Das and Kumar, "On generalized fat trees",
//! 1995; Petrini and Vanneschi, "k-ary n-trees", 1997.

use super::{Counts, ONE, check_count, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::{LinkId, VertexId};
use crate::params::{Params, Reader, Sizes};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "fat-tree",
    summary: "fat tree: k-ary n-tree, or XGFT with any children and parents per level",
    doc: "down=4x4x4,up=1x2x2 is XGFT(3; 4,4,4; 1,2,2): a switch of level i has m_i children (down) and a vertex of \
          level i-1 has w_i parents (up), level 0 being the endpoints. k=K,n=N is the K-ary N-tree: K^N endpoints, N \
          levels of K^(N-1) switches, m_i = w_i = K but w_1 = 1.\n\
          With M_i = m_1*...*m_i and W_i = w_1*...*w_i, the endpoints fall into subtrees of M_i each (the levels \
          level1, level2, ...), and every subtree has W_i switches at its top: switch s of subtree t is l<i>t<t>s<s>. \
          Its p-th parent is switch s + p*W_i of the subtree around. Links between switches of level i and i+1 form \
          the class up<i>; endpoints hang on host links, w_1 each.\n\
          With E = m_1*...*m_h endpoints, level i has E/M_i*W_i switches; directed links: host 2*E*w_1, up<i> \
          2*E/M_i*W_(i+1).\n\
          pods=P,servers=S,adapters=A is the rail-optimised network of machines for training: XGFT(3; S,A,P; 1,S/over,A), for one pod \
          without its last level. A pod has a leaf for each of the A adapters of a server, with S servers below it and S/over cables up: adapter i of \
          server s of pod q is endpoint (q*A + i)*S + s, and the A adapters are one host q<q>s<s>. Messages of one rail stay at their \
          leaf, others cross the pod's spines; links inside servers are not part of it.\n\
          Source: Ohring et al., \"On generalized fat trees\", 1995; Petrini and Vanneschi, \"k-ary n-trees\", 1997.",
    example: "fat-tree:k=4,n=3",
    params: &[
        param("k", "count", "none", "children of a switch, and parents of all but the top ones"),
        param("n", "count", "none", "levels of switches"),
        param("down", "sizes", "k x ... x k", "children of a switch per level, innermost first"),
        param("up", "sizes", "1 x k x ... x k", "parents per level, those of an endpoint first"),
        param("pods", "count", "none", "pods of rail-optimised servers"),
        param("servers", "count", "32", "servers of a pod"),
        param("adapters", "count", "8", "adapters of a server, each at a leaf of its own: rails of a pod"),
        param("over", "count", "1", "oversubscription of the leaves of pods, a divisor of their servers"),
        param("bandwidth", "bandwidth", "1", "of a link between switches, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Parameters of a fat tree.
///
/// ```
/// use hopline::topology::FatTree;
///
/// assert_eq!(FatTree::k_ary(4, 3)?.endpoints(), 64);
/// assert_eq!(FatTree::new(&[4, 4], &[1, 2])?.to_string(), "fat-tree:down=4x4,up=1x2");
/// # Ok::<(), hopline::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FatTree {
    pub(crate) down: Vec<u32>,
    pub(crate) up: Vec<u32>,
    /// Endpoints of a subtree per level, from level 0: M_i.
    pub(crate) spans: Vec<u32>,
    /// Switches at the top of a subtree per level, from level 0: W_i.
    pub(crate) tops: Vec<u32>,
    /// First vertex of each level.
    first: Vec<u32>,
    /// Leaves of a pod, where their endpoints are the adapters of common servers.
    adapters: Option<u32>,
    bandwidth: Bandwidth,
    host: Option<Bandwidth>,
}

const MOST_LEVELS: u32 = 32;

impl FatTree {
    /// The `k`-ary `n`-tree: `k^n` endpoints, `n` levels of switches with `k` children and `k` parents.
    ///
    /// # Errors
    /// `k` is 0, `n` is 0 or more than 32, or the network is larger than memory holds.
    pub fn k_ary(k: u32, n: u32) -> Result<FatTree> {
        if k == 0 {
            return Err(Error::argument("k", "`k` is 0, expected at least 1"));
        }
        if !(1..=MOST_LEVELS).contains(&n) {
            return Err(Error::argument("n", levels(n as usize)));
        }
        let down = vec![k; n as usize];
        let up: Vec<u32> = [1].into_iter().chain(down[1..].iter().copied()).collect();
        FatTree::new(&down, &up)
    }

    /// The extended generalised fat tree with `down` children of a switch per level, m_1, m_2, ..., and `up` parents
    /// of an endpoint, then of a switch per level, w_1, w_2, ... Links between switches have 1 GB/s, host links no limit.
    ///
    /// # Errors
    /// There is no level or one without children or parents, there are more than 32, not as many of both, or the
    /// network is larger than memory holds.
    pub fn new(down: &[u32], up: &[u32]) -> Result<FatTree> {
        let (Sizes(down), Sizes(up)) = (Sizes::new("down", down)?, Sizes::new("up", up)?);
        if down.len() != up.len() {
            let text = format!("parents for {} levels, children for {}", up.len(), down.len());
            return Err(Error::argument("up", text).hint("give one of each per level"));
        }
        if down.len() > MOST_LEVELS as usize {
            return Err(Error::argument("down", levels(down.len())));
        }
        let (vertices, cables) = size(&down, &up).unzip();
        check_size(vertices, cables.and_then(|n: u64| n.checked_mul(2)))?;
        // The size fits, so none of these products and sums overflows.
        let products = |sizes: &[u32]| (0..=sizes.len()).map(|i| sizes[..i].iter().product()).collect::<Vec<u32>>();
        let (spans, tops) = (products(&down), products(&up));
        let vertices = |level: usize| spans[down.len()] / spans[level] * tops[level];
        let first = (0..=down.len()).map(|level| (0..level).map(vertices).sum()).collect();
        Ok(FatTree { down, up, spans, tops, first, adapters: None, bandwidth: ONE, host: None })
    }

    /// Rail-optimised pods of servers with several adapters each, one at each leaf of the pod; leaves have `over` times as many
    /// cables down as up. Pods are joined without oversubscription.
    ///
    /// # Errors
    /// A number is 0, `over` does not divide `servers`, or the network is larger than memory holds.
    pub fn pods(pods: u32, servers: u32, adapters: u32, over: u32) -> Result<FatTree> {
        for (key, count) in [("pods", pods), ("servers", servers), ("adapters", adapters), ("over", over)] {
            check_count(key, count)?;
        }
        if !servers.is_multiple_of(over) {
            let text = format!("`over` is {over}, expected a divisor of the {servers} servers of a pod");
            return Err(Error::argument("over", text));
        }
        let tree = match pods {
            1 => FatTree::new(&[servers, adapters], &[1, servers / over])?,
            _ => FatTree::new(&[servers, adapters, pods], &[1, servers / over, adapters])?,
        };
        Ok(FatTree { adapters: Some(adapters), ..tree })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<FatTree> {
        let [servers, adapters, over]: [Option<u32>; 3] =
            [reader.get("servers")?, reader.get("adapters")?, reader.get("over")?];
        let no_pods = servers.or(adapters).or(over).is_none();
        let tree =
            match (reader.get("k")?, reader.get("n")?, reader.get("down")?, reader.get("up")?, reader.get("pods")?) {
                (None, None, None, None, Some(number)) => {
                    FatTree::pods(number, servers.unwrap_or(32), adapters.unwrap_or(8), over.unwrap_or(1))?
                }
                (Some(k), Some(n), None, None, None) if no_pods => FatTree::k_ary(k, n)?,
                (None, None, Some(Sizes(down)), Some(Sizes(up)), None) if no_pods => FatTree::new(&down, &up)?,
                _ => {
                    return Err(Error::input("`fat-tree` needs `k` and `n`, `down` and `up`, or `pods`")
                        .at(reader.place())
                        .hint(format!(
                            "example: {}, fat-tree:down=4x4x4,up=1x2x2 or fat-tree:pods=4,servers=32,adapters=8",
                            ENTRY.example
                        )));
                }
            };
        let tree = reader.set(tree, "bandwidth", FatTree::bandwidth)?;
        reader.set(tree, "host", FatTree::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        self.shape().unless("bandwidth", self.bandwidth, ONE).maybe("host", self.host)
    }

    /// Children and parents, by k and n where two numbers say it.
    fn shape(&self) -> Params {
        let (k, n) = (self.down[0], self.height() as u32);
        let k_ary = self.up[0] == 1 && self.down.iter().chain(&self.up[1..]).all(|&size| size == k);
        let params = Params::named(ENTRY.name);
        if let Some(adapters) = self.adapters {
            let (pods, servers) = (self.down.get(2).copied().unwrap_or(1), self.down[0]);
            let params = params.with("pods", pods).unless("servers", servers, 32).unless("adapters", adapters, 8);
            return params.unless("over", servers / self.up[1], 1);
        }
        match k_ary {
            true => params.with("k", k).with("n", n),
            false => params.with("down", &self.down[..]).with("up", &self.up[..]),
        }
    }

    /// Children of a switch per level, innermost first: m_1, m_2, ...
    pub fn down(&self) -> &[u32] {
        &self.down
    }

    /// Parents of an endpoint, then of a switch per level: w_1, w_2, ...
    pub fn up(&self) -> &[u32] {
        &self.up
    }

    /// Number of endpoints.
    pub fn endpoints(&self) -> u32 {
        self.spans[self.height()]
    }

    /// Levels of switches; the endpoints are level 0.
    pub fn height(&self) -> usize {
        self.down.len()
    }

    /// Subtrees of `level`.
    fn subtrees(&self, level: usize) -> u32 {
        self.endpoints() / self.spans[level]
    }

    /// Switch `top` of subtree `tree` of `level`; level 0 has the endpoints.
    #[inline]
    fn vertex(&self, level: usize, tree: u32, top: u32) -> VertexId {
        VertexId(self.first[level] + tree * self.tops[level] + top)
    }

    /// The link from subtree `tree` of `level` up to switch `top` of the
    /// subtree around it; only one switch of `tree` has it. O(1).
    #[inline]
    pub(crate) fn up_link(&self, fabric: &Fabric, level: usize, tree: u32, top: u32) -> LinkId {
        let own = self.tops[level];
        let children = if level == 0 { 0 } else { self.down[level - 1] };
        fabric.out_link(self.vertex(level, tree, top % own), children + top / own)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let switches = (1..=self.height()).map(|i| self.subtrees(i) * self.tops[i]).sum();
        let mut b = Builder::new(self.shape().spec(), self.endpoints(), switches);
        let host = b.class(LinkClass::host(self.host));
        for level in 1..=self.height() {
            let class = match level {
                1 => host,
                _ => b.class(LinkClass::network(&format!("up{}", level - 1), self.bandwidth)),
            };
            let (children, below) = (self.down[level - 1], self.tops[level - 1]);
            for tree in 0..self.subtrees(level) {
                // Parents and children come in ascending order: that is the order of ports.
                for top in 0..self.tops[level] {
                    let switch = self.vertex(level, tree, top);
                    b.name(switch, format!("l{level}t{tree}s{top}"));
                    for child in tree * children..(tree + 1) * children {
                        b.cable(self.vertex(level - 1, child, top % below), switch, class);
                    }
                }
            }
            b.level(format!("level{level}"), None, |e| e / self.spans[level]);
        }
        match self.adapters {
            Some(adapters) => self.servers(&mut b, adapters),
            None => b.host_per_endpoint(1),
        }
        b.finish()
    }

    /// A host for the adapters of each server, with a slot for each of them.
    fn servers(&self, b: &mut Builder, adapters: u32) {
        let of_pod = self.down[0];
        for (q, s) in (0..self.endpoints() / self.spans[2]).flat_map(|q| (0..of_pod).map(move |s| (q, s))) {
            let endpoint = |i: u32| VertexId((q * adapters + i) * of_pod + s);
            (0..adapters).for_each(|i| b.name(endpoint(i), format!("q{q}s{s}a{i}")));
            b.host(format!("q{q}s{s}"), (0..adapters).map(endpoint).collect(), adapters);
        }
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let cables = |i: usize| u64::from(self.subtrees(i)) * u64::from(self.tops[i + 1]);
        let name = |i: usize| if i == 0 { "host".to_string() } else { format!("up{i}") };
        let switches = |i: usize| u64::from(self.subtrees(i)) * u64::from(self.tops[i]);
        Some(Counts {
            endpoints: u64::from(self.endpoints()),
            switches: (1..=self.height()).map(switches).sum(),
            links: (0..self.height()).map(|i| (name(i), 2 * cables(i))).collect(),
        })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "d-mod-k"
    }
}

bandwidths! { FatTree:
    bandwidth sets "bandwidth" in bandwidth, "links between switches of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}

fn levels(n: usize) -> String {
    format!("{n} levels, expected 1 to {MOST_LEVELS}")
}

/// Vertices and cables, or `None` where their number does not fit 64 bits.
fn size(down: &[u32], up: &[u32]) -> Option<(u64, u64)> {
    let mut trees = down.iter().try_fold(1u64, |n, &m| n.checked_mul(u64::from(m)))?;
    let (mut tops, mut vertices, mut cables) = (1u64, trees, 0u64);
    for (&m, &w) in down.iter().zip(up) {
        tops = tops.checked_mul(u64::from(w))?;
        cables = cables.checked_add(trees.checked_mul(tops)?)?;
        trees /= u64::from(m);
        vertices = vertices.checked_add(trees.checked_mul(tops)?)?;
    }
    Some((vertices, cables))
}
