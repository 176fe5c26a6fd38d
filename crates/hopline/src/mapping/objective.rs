//! What makes one mapping better than another: terms that are compared one after
//! the other, smaller is better.

use super::Problem;
use crate::entry::{Entry, Listed, param};
use crate::error::{Error, Result, suggest};
use crate::fabric::{Fabric, LinkClass};
use crate::loads::Summary;
use crate::params::{Params, find, split_specs};

/// What a search has to change to lower a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lever {
    /// The load of the busiest links.
    Links,
    /// How far messages go.
    Distance,
}

/// One term of the list.
pub struct ObjectiveTerm {
    entry: &'static Entry,
    /// The term of a summary; the text is the class of links where one is named.
    value: fn(&Summary, &str) -> f64,
    lever: Lever,
}

impl Listed for ObjectiveTerm {
    fn entry(&self) -> &Entry {
        self.entry
    }
}

const CONGESTION: Entry = Entry {
    name: "congestion",
    summary: "busy time of the busiest link: its load over its bandwidth",
    doc: "The time for which the busiest link of all is busy; throughput is its inverse. Links without a bandwidth do not \
          count. The default objective is this, then `network`, then `hop-bytes`.",
    example: "congestion",
    params: &[],
};
const NETWORK: Entry = Entry {
    name: "network",
    summary: "busy time of the busiest link between routers",
    doc: "As `congestion`, without injection and ejection links: on real machines adapters are often the busiest links \
          wherever tasks sit, and what is behind them still differs.",
    example: "network",
    params: &[],
};
const CLASS: Entry = Entry {
    name: "class",
    summary: "busy time of the busiest link of one class",
    doc: "As `congestion`, of the links of one class alone: `class:LR`, or `class:D` on PERCS. `hopline load` lists the \
          classes of a machine. The search then looks at these links only.",
    example: "class:D",
    params: &[param("name", "a class of links", "", "as the fabric calls it")],
};
const HOP_BYTES: Entry = Entry {
    name: "hop-bytes",
    summary: "amount x distance, summed over all messages",
    doc: "Sum over directed demand of amount x hops between routers, or x the distance of the fabric's levels; the J of \
          the mapping literature is half of it for undirected graphs. With it first, `map --search` anneals as \
          `multilevel` does.",
    example: "hop-bytes",
    params: &[],
};
const DILATION: Entry = Entry {
    name: "dilation",
    summary: "mean distance that a unit of traffic goes",
    doc: "Hop-bytes over all that is sent. Of one job it puts mappings in the same order as `hop-bytes` does.",
    example: "dilation",
    params: &[],
};
const LINKS_OFF: Entry = Entry {
    name: "links-off",
    summary: "links between routers that carry nothing, the more the better",
    doc: "What a job leaves dark can be switched off while it runs; the term counts the links that are used. As a later term it \
          chooses among mappings of equal congestion: `--objective congestion,links-off`.",
    example: "links-off",
    params: &[],
};

/// All terms.
pub const OBJECTIVES: &[ObjectiveTerm] = &[
    ObjectiveTerm { entry: &CONGESTION, value: |s, _| s.busy.0, lever: Lever::Links },
    ObjectiveTerm { entry: &NETWORK, value: |s, _| s.busy.1, lever: Lever::Links },
    ObjectiveTerm { entry: &CLASS, value: of_class, lever: Lever::Links },
    ObjectiveTerm { entry: &HOP_BYTES, value: |s, _| s.hop_bytes, lever: Lever::Distance },
    ObjectiveTerm { entry: &DILATION, value: |s, _| s.dilation, lever: Lever::Distance },
    ObjectiveTerm { entry: &LINKS_OFF, value: links_used, lever: Lever::Distance },
];

fn of_class(summary: &Summary, name: &str) -> f64 {
    let class = summary.classes.iter().find(|c| c.name == name);
    class.map_or(0.0, |c| c.bandwidth.map_or(c.max_load, |b| c.max_load / b.as_gb_s()))
}

fn links_used(summary: &Summary, _: &str) -> f64 {
    summary.classes.iter().filter(|c| !c.host).map(|c| c.used as f64).sum()
}

/// Terms, the first decides, then the next. Every objective ends with the
/// default ones, so that equals are told apart.
#[derive(Clone)]
pub struct Objective {
    /// Terms, each with its class of links or nothing.
    terms: Vec<(&'static ObjectiveTerm, String)>,
    /// How many were asked for.
    asked: usize,
}

impl Default for Objective {
    /// `congestion,network,hop-bytes`.
    fn default() -> Self {
        let terms = [&OBJECTIVES[0], &OBJECTIVES[1], &OBJECTIVES[3]];
        Objective { terms: terms.map(|kind| (kind, String::new())).to_vec(), asked: 0 }
    }
}

impl Objective {
    /// Reads terms from specs with commas between them.
    ///
    /// # Errors
    /// A term that the list does not have, none at all, or a class without a name.
    pub fn read(specs: &str, place: &crate::error::Place) -> Result<Objective> {
        let specs = split_specs(specs, place)?;
        let mut terms = Vec::with_capacity(specs.len() + 3);
        for spec in &specs {
            let params = Params::from_spec(spec, place)?;
            let kind = find("objective", OBJECTIVES, &params)?;
            let reader = params.check(kind.entry)?;
            let class = if kind.entry.params.is_empty() { String::new() } else { reader.need("name")? };
            terms.push((kind, class));
        }
        if terms.is_empty() {
            return Err(Error::input("no objective is named").at(place).hint("leave it out for `congestion`"));
        }
        let asked = terms.len();
        terms.extend(Objective::default().terms);
        Ok(Objective { terms, asked })
    }

    /// What was asked for, as a spec; the default's first term where nothing was.
    pub fn spec(&self) -> String {
        let show = |(kind, class): &(&ObjectiveTerm, String)| match class.is_empty() {
            true => kind.entry.name.to_string(),
            false => format!("{}:{class}", kind.entry.name),
        };
        self.terms[..self.asked.max(1)].iter().map(show).collect::<Vec<_>>().join(",")
    }

    /// Makes sure that the fabric has the classes that are named.
    ///
    /// # Errors
    /// It has not; the error names those it has.
    pub fn check(&self, fabric: &Fabric) -> Result<()> {
        for (_, class) in self.terms.iter().filter(|t| !t.1.is_empty()) {
            let names = || fabric.classes().iter().map(|c| c.name.as_str());
            if !names().any(|name| name == class) {
                let text = format!("objective `class:{class}`: {} has no class `{class}` of links", fabric.name());
                return Err(Error::input(text).hint(suggest(class, names())));
            }
        }
        Ok(())
    }

    /// The score of a summary.
    pub fn score(&self, summary: &Summary) -> Score {
        Score(self.terms.iter().map(|(kind, class)| (kind.value)(summary, class)).collect())
    }

    /// The first term: what mappings are compared by where it differs.
    pub fn first(&self, summary: &Summary) -> f64 {
        let (kind, class) = &self.terms[0];
        (kind.value)(summary, class)
    }

    /// The name of the first term.
    pub fn first_name(&self) -> &'static str {
        self.terms[0].0.entry.name
    }

    /// What a search should change.
    pub(super) fn lever(&self) -> Lever {
        self.terms[0].0.lever
    }

    /// Whether the load of a class counts in a search.
    pub(super) fn watches(&self, class: &LinkClass) -> bool {
        self.terms[0].1.is_empty() || self.terms[0].1 == class.name
    }
}

/// How good a mapping is: the terms of the objective, smaller is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Score(pub Vec<f64>);

impl Score {
    /// True where this is better: in the first term that differs. Differences
    /// below one part in 10^9 are rounding and count as equal.
    pub fn is_better(&self, other: &Score) -> bool {
        let differs = |a: f64, b: f64| (a - b).abs() > 1e-9 * a.abs().max(b.abs());
        self.0.iter().zip(&other.0).find(|(a, b)| differs(**a, **b)).is_some_and(|(a, b)| a < b)
    }

    /// True where a mapping of this score is to be taken before another, each with whether it needs random choices: it is
    /// better, or as good without them. Nobody should depend on choices that are worth nothing.
    pub(crate) fn goes_before((own, own_is_random): (&Score, bool), (other, is_random): (&Score, bool)) -> bool {
        own.is_better(other) || is_random && !own_is_random && !other.is_better(own)
    }

    /// The first term over that of another; 1 where that is 0.
    pub fn over(&self, other: &Score) -> f64 {
        match (self.0.first(), other.0.first()) {
            (Some(a), Some(b)) if *b != 0.0 => a / b,
            _ => 1.0,
        }
    }
}

impl Problem<'_> {
    /// How good a mapping is.
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn score(&self, mapping: &super::Mapping) -> Result<Score> {
        let loads = self.loads(mapping)?;
        Ok(self.objective().score(&Summary::new(self.demand(), &loads, self.fabric())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;

    fn read(specs: &str) -> Result<Objective> {
        Objective::read(specs, &Place::new("test", 0))
    }

    #[test]
    fn terms_decide_one_after_the_other() {
        let score = |terms: [f64; 2]| Score(terms.to_vec());
        assert!(score([1.0, 9.0]).is_better(&score([2.0, 0.0])));
        assert!(score([1.0, 0.0]).is_better(&score([1.0 + 1e-12, 1.0])));
        assert!(!score([1.0, 1.0]).is_better(&score([1.0, 1.0])));
    }

    #[test]
    fn an_objective_is_read_as_it_is_shown() {
        for spec in ["hop-bytes", "class:LR,dilation", "congestion,links-off"] {
            assert_eq!(read(spec).expect(spec).spec(), spec);
        }
        assert_eq!(Objective::default().spec(), "congestion");
        for wrong in ["", "speed", "class", "hop-bytes:x=1"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
