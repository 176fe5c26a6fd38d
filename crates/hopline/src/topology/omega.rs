//! Omega networks: n stages of k x k switches with a perfect shuffle before each.
//! Lawrie, "Access and alignment of data in an array processor", IEEE Transactions
//! on Computers C-24, 1975.

use super::{Counts, ONE, check_size};
use crate::entry::{Entry, param};
use crate::error::{Error, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::Files;
use crate::id::{LinkId, VertexId};
use crate::params::{Params, Reader};
use crate::unit::Bandwidth;

pub(super) const ENTRY: Entry = Entry {
    name: "omega",
    summary: "Omega network: n stages of k x k switches, a perfect shuffle before each",
    doc: "k^n endpoints send into the first stage and receive from the last; every stage has k^(n-1) switches. The perfect \
          shuffle makes the highest of the n base-k digits of a position the lowest. Links from stage i to stage i+1 form \
          the class stage<i>, i from 1; injection and ejection are host links, two cables for each endpoint. Messages go from \
          stage to stage; the way back along the cables is not used.\n\
          Directed links: host 4*k^n, stage<i> 2*k^n, i below n.\n\
          Source: Lawrie, \"Access and alignment of data in an array processor\", 1975; named in section 1 of the k-ary n-cube \
          mapping paper.",
    example: "omega:k=2,n=3",
    params: &[
        param("k", "count", "", "inputs and outputs of a switch"),
        param("n", "count", "", "stages"),
        param("bandwidth", "bandwidth", "1", "of a link between switches, GB/s"),
        param("host", "bandwidth", "unlimited", "of injection and ejection, GB/s"),
    ],
};

/// Parameters of an Omega network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Omega {
    k: u32,
    n: u32,
    bandwidth: Bandwidth,
    host: Option<Bandwidth>,
}

/// Ports of an endpoint.
const INJECT: u16 = 0;
const EJECT: u16 = 1;

impl Omega {
    /// `n` stages of `k` x `k` switches, with links of 1 GB/s between them and no limit of injection and ejection.
    ///
    /// # Errors
    /// `k` is below 2, `n` is 0 or more than 24, or the network is larger than memory holds.
    pub fn new(k: u32, n: u32) -> Result<Omega> {
        if k < 2 || !(1..=24).contains(&n) {
            let text = format!("`k` is {k} and `n` is {n}, expected k >= 2 and 1 <= n <= 24");
            return Err(Error::argument("n", text));
        }
        let endpoints = u64::from(k).checked_pow(n);
        let switches = endpoints.map(|e| e / u64::from(k) * u64::from(n));
        let links = endpoints.and_then(|e| e.checked_mul(2 * u64::from(n) + 2));
        check_size(endpoints.and_then(|e| e.checked_add(switches?)), links)?;
        Ok(Omega { k, n, bandwidth: ONE, host: None })
    }

    pub(super) fn read(reader: &Reader, _: &dyn Files) -> Result<Omega> {
        let omega = Omega::new(reader.need("k")?, reader.need("n")?)?;
        let omega = reader.set(omega, "bandwidth", Omega::bandwidth)?;
        reader.set(omega, "host", Omega::host_bandwidth)
    }

    pub(super) fn params(&self) -> Params {
        let params = Params::named(ENTRY.name).with("k", self.k).with("n", self.n);
        params.unless("bandwidth", self.bandwidth, ONE).maybe("host", self.host)
    }

    /// Number of endpoints, k^n.
    pub fn endpoints(&self) -> u32 {
        self.k.pow(self.n)
    }

    /// Switches of a stage, k^(n-1).
    fn width(&self) -> u32 {
        self.k.pow(self.n - 1)
    }

    /// The links of the only way from one endpoint to another: at stage s the digit n-1-s of
    /// the target says the output (destination-tag routing). O(n).
    pub(crate) fn way<'a>(
        &'a self,
        fabric: &'a Fabric,
        source: VertexId,
        target: VertexId,
    ) -> impl Iterator<Item = LinkId> + 'a {
        let (k, width) = (self.k, self.width());
        let mut position = source.0;
        let stages = (0..self.n).map(move |stage| {
            let switch = fabric.endpoints() + stage * width + position % width;
            let output = target.0 / k.pow(self.n - 1 - stage) % k;
            position = position % width * k + output;
            fabric.out_link(VertexId(switch), output)
        });
        std::iter::once(fabric.out_link(source, u32::from(INJECT))).chain(stages)
    }

    pub(super) fn network(&self) -> Result<Fabric> {
        let (k, n, endpoints, width) = (self.k, self.n, self.endpoints(), self.width());
        let mut b = Builder::new(format!("omega:k={k},n={n}"), endpoints, n * width);
        let host = b.class(LinkClass::host(self.host));
        for stage in 0..n {
            (0..width).for_each(|s| b.name(VertexId(endpoints + stage * width + s), format!("stage{}-{s}", stage + 1)));
        }
        // A position is an output of a stage, or an endpoint: the shuffle leads to input position / width of switch
        // position mod width.
        let input = |position: u32| Some((k + position / width) as u16);
        for e in 0..endpoints {
            let first = b.switch(e % width);
            b.cable_at(VertexId(e), Some(INJECT), first, input(e), host);
        }
        for stage in 0..n {
            let last = stage + 1 == n;
            let class =
                if last { host } else { b.class(LinkClass::network(&format!("stage{}", stage + 1), self.bandwidth)) };
            for position in 0..endpoints {
                let (from, output) = (b.switch(stage * width + position / k), Some((position % k) as u16));
                if last {
                    b.cable_at(from, output, VertexId(position), Some(EJECT), class);
                } else {
                    let to = b.switch((stage + 1) * width + position % width);
                    b.cable_at(from, output, to, input(position), class);
                }
            }
        }
        b.host_per_endpoint(1);
        b.finish()
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        let n = u64::from(self.endpoints());
        let stages = (1..self.n).map(|i| (format!("stage{i}"), 2 * n));
        let links = std::iter::once(("host".to_string(), 4 * n)).chain(stages).collect();
        Some(Counts { endpoints: n, switches: u64::from(self.n * self.width()), links })
    }

    pub(super) fn default_routing(&self) -> &'static str {
        "destination-tag"
    }
}

bandwidths! { Omega:
    bandwidth sets "bandwidth" in bandwidth, "links between switches of another bandwidth";
    host_bandwidth sets "host" in host, "injection and ejection of a limited bandwidth";
}
