//! A job on a fabric under one mapping or two, with the load of every link.

use hopline::demand::Demand;
use hopline::error::Result;
use hopline::fabric::Fabric;
use hopline::id::{LinkId, VertexId};
use hopline::loads::{self, HotLink, LinkLoads};
use hopline::mapping::Mapping;
use hopline::plan::Plan;
use hopline::power::{Keep, light};
use hopline::routing::Routing;

/// Links of which the tasks that load them are named: all of machines with a few thousand hosts.
const NAMED: usize = 30_000;

/// A job on its fabric.
pub struct Job<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) demand: &'a Demand,
    /// Before and after, or one alone.
    pub(crate) views: &'a [View],
    /// What no mapping can go below: busy time (s/GB x amount) of the busiest link.
    pub(crate) bound: Option<f64>,
}

/// One mapping.
#[derive(Debug, Clone)]
pub struct View {
    pub(crate) name: String,
    pub(super) chosen: Mapping,
    pub(super) loads: LinkLoads,
    /// The busiest links, with the tasks that load them.
    pub(super) hottest: Vec<HotLink>,
    /// Links that are not there, or are off, by number; empty where all are.
    pub(super) gone: Vec<bool>,
    pub(super) why: Gone,
}

/// What it is with links that carry nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// They fail.
    Taken,
    /// They have no power.
    Off,
}

impl Gone {
    /// How it is drawn.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Gone::Taken => "taken",
            Gone::Off => "off",
        }
    }
}

impl View {
    /// What a mapping does to every link. O(links + what the routing's loads take).
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn new(plan: &Plan, name: &str, chosen: &Mapping, routing: &dyn Routing) -> Result<View> {
        let places = chosen.places(plan.network.fabric.hosts());
        Ok(View::loaded(name, chosen, loads::evaluate(&plan.demand, &places, routing)?))
    }

    /// A mapping whose loads are known.
    pub fn loaded(name: &str, chosen: &Mapping, loads: LinkLoads) -> View {
        View {
            name: name.to_string(),
            chosen: chosen.clone(),
            loads,
            hottest: Vec::new(),
            gone: Vec::new(),
            why: Gone::Off,
        }
    }

    /// The same, where cables that the job does not use are off, but for those that must be kept. O(links log links).
    #[must_use]
    pub fn dimmed(self, fabric: &Fabric, keep: Keep) -> View {
        let lit = light(fabric, &self.loads.load, keep);
        let gone = fabric.link_ids().map(|l| !lit.is_on(l)).collect();
        View { gone, why: Gone::Off, ..self }
    }

    /// The same, with these links named as those that fail. O(links).
    #[must_use]
    pub fn failing(self, fabric: &Fabric, links: &[LinkId]) -> View {
        let mut gone = vec![false; fabric.links()];
        links.iter().for_each(|l| gone[l.index()] = true);
        View { gone, why: Gone::Taken, ..self }
    }

    /// A view of a machine without some links on the whole machine: its link k is `kept[k]` there. O(links).
    #[must_use]
    pub fn on_whole(mut self, whole: &Fabric, kept: &[LinkId]) -> View {
        let mut load = vec![0.0; whole.links()];
        kept.iter().zip(&self.loads.load).for_each(|(l, &amount)| load[l.index()] = amount);
        self.loads.load = load;
        for hot in &mut self.hottest {
            hot.link = kept.get(hot.link as usize).map_or(hot.link, |l| l.0);
        }
        self
    }

    /// Whether a link is not there, or is off.
    pub(super) fn lacks(&self, link: LinkId) -> bool {
        self.gone.get(link.index()).copied().unwrap_or(false)
    }

    /// The same with the tasks that load the busiest links. O(links log links + what [`loads::hottest`] takes).
    ///
    /// # Errors
    /// Two hosts have no way between them.
    pub fn with_tasks(self, plan: &Plan, routing: &dyn Routing) -> Result<View> {
        let places = self.places(&plan.network.fabric);
        let hottest = loads::hottest(&plan.demand, &places, routing, &self.loads, NAMED)?;
        Ok(View { hottest, ..self })
    }

    /// Where tasks sit.
    pub fn places(&self, fabric: &Fabric) -> Vec<VertexId> {
        self.chosen.places(fabric.hosts())
    }

    /// The load of every link.
    pub fn loads(&self) -> &LinkLoads {
        &self.loads
    }

    /// The largest load of any link, whatever its bandwidth.
    pub fn busiest_load(&self) -> f64 {
        self.loads.load.iter().copied().fold(0.0, f64::max)
    }
}

impl<'a> Job<'a> {
    /// A plan's job under one mapping, or under two to compare.
    pub fn new(plan: &'a Plan, views: &'a [View], bound: Option<f64>) -> Job<'a> {
        Job { fabric: &plan.network.fabric, demand: &plan.demand, views, bound }
    }

    /// Busy time of a link: s/GB x amount.
    pub(crate) fn busy(&self, view: &View, link: LinkId) -> f64 {
        view.loads.busy(self.fabric, link)
    }

    /// That of the busier direction of a cable.
    pub(super) fn busier(&self, view: &View, link: LinkId) -> f64 {
        self.busy(view, link).max(self.busy(view, self.fabric.reverse(link)))
    }

    /// The busiest link under any of the mappings; above 0.
    pub(crate) fn most(&self) -> f64 {
        let all = self.views.iter().flat_map(|v| self.fabric.link_ids().map(|l| self.busy(v, l)));
        all.fold(f64::MIN_POSITIVE, f64::max)
    }

    /// What busy times are in where amounts are bytes.
    pub(crate) fn busy_unit(&self) -> &'static str {
        if self.demand.unit() == hopline::demand::Unit::Bytes { "ns" } else { "" }
    }

    /// A busy time for people: the time itself where amounts are bytes.
    pub(crate) fn busy_word(&self) -> (String, impl Fn(f64) -> String + Copy + 'static) {
        let bytes = self.demand.unit() == hopline::demand::Unit::Bytes;
        let name = if bytes { "busy for" } else { "load / bandwidth" };
        (name.to_string(), move |busy: f64| match bytes {
            true => hopline::unit::seconds(busy / 1e9),
            false => crate::words::three(busy),
        })
    }
}

/// Steps of colour: 0 carries nothing, 7 is the busiest.
pub(super) const STEPS: usize = 8;

/// The step of a share of the busiest.
pub(super) fn step(share: f64) -> usize {
    if share > 0.0 { ((share * 7.0 - 1e-9).ceil() as usize).clamp(1, STEPS - 1) } else { 0 }
}

/// What the steps mean, as a row of colours.
pub(super) fn scale(words: &str) -> String {
    let step = |k: usize| format!("<i class=\"s{k}\"></i>");
    let steps: String = (0..STEPS).map(step).collect();
    format!("<p class=\"scale\"><span>0</span>{steps}<span>{}</span></p>\n", hopline::format::escape(words))
}
