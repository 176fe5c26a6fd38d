//! What limits one mapping, in a sentence.

use crate::fabric::Fabric;
use crate::id::HostId;
use crate::loads::{ClassLoad, HotLink, Summary};
use crate::unit::times;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// What limits the throughput of a mapping, and what would lift it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct LimitVerdict {
    /// In words.
    pub sentence: String,
    /// The same in one word.
    pub kind: LimitKind,
    /// Load of the busiest link of the class that limits over the mean of that class; null where nothing limits.
    pub over_mean: Option<f64>,
}

/// What limits a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LimitKind {
    /// The adapters of hosts: where each has one task, no order of ranks changes that.
    Hosts,
    /// Links that carry much more than their class does on average.
    Uneven,
    /// Links of a class that carry nearly the same.
    Even,
    /// Nothing with a bandwidth carries anything.
    Unlimited,
}

/// Up to this much over the mean a class counts as evenly loaded.
const EVEN: f64 = 1.1;

/// What links between routers would allow where the adapters of hosts limit a mapping, as the end of a sentence; else
/// empty, also where they carry nothing.
pub(super) fn beyond_hosts(s: &Summary) -> String {
    let more = s.throughput_gb_s.zip(s.network_gb_s).map(|(all, network)| network / all);
    let more = more.filter(|more| more.is_finite() && *more > 1.0 + 1e-9);
    more.map_or(String::new(), |more| format!("; links between routers would allow {}", times(more)))
}

/// What limits a mapping, from its sums and its hottest links.
pub(super) fn limit(fabric: &Fabric, s: &Summary, hottest: &[HotLink]) -> LimitVerdict {
    let limiting = s.bottleneck.as_ref().and_then(|name| s.classes.iter().find(|c| c.name == *name));
    let Some(class) = limiting.filter(|_| s.throughput_gb_s.is_some()) else {
        let sentence = "Nothing limits it: no link with a bandwidth carries anything.".into();
        return LimitVerdict { sentence, kind: LimitKind::Unlimited, over_mean: None };
    };
    let over_mean = class.max_load / class.mean_load;
    let more = beyond_hosts(s);
    // Of equals the bottleneck is the outermost class, and hosts may be as busy.
    let is_busiest = |c: &ClassLoad| {
        c.name == class.name
            || c.throughput_gb_s.zip(s.throughput_gb_s).is_some_and(|(own, all)| own <= all * (1.0 + 1e-9))
    };
    let busiest = s.classes.iter().filter(|c| !c.host && is_busiest(c)).map(|c| &*c.name);
    let name = if class.host { class.name.clone() } else { busiest.collect::<Vec<_>>().join(", ") };
    let as_busy = s.classes.iter().any(|c| c.host && is_busiest(c));
    let (kind, sentence) = if class.host || !more.is_empty() || as_busy {
        let hosts = fabric.hosts();
        let shared = (0..hosts.len()).any(|h| hosts.slot_count(HostId(h)) > 1);
        let mut rates = s.classes.iter().filter(|c| c.host && c.links > 0).map(|c| c.bandwidth);
        let first = rates.next();
        let alike = rates.all(|rate| Some(rate) == first);
        let relieved = match (shared, alike) {
            (true, _) => "`hopline map` tells whether an order of ranks keeps more of it inside hosts",
            (false, true) => "no order of ranks relieves them",
            (false, false) => "`hopline map` tells whether an order of ranks has more of it at faster ones",
        };
        let too = if class.host || !more.is_empty() { String::new() } else { format!(", as do the {name} links") };
        let which = if class.host { format!(" ({name})") } else { String::new() };
        (LimitKind::Hosts, format!("The adapters of hosts limit it{which}{too}{more}: {relieved}."))
    } else if over_mean <= EVEN {
        let sentence = format!(
            "All {name} links limit it alike, the busiest with {} their mean: only shorter ways or fewer bytes help.",
            times(over_mean)
        );
        (LimitKind::Even, sentence)
    } else {
        let link = hottest.iter().find(|link| link.class == class.name);
        let link = link.map_or("the busiest".to_string(), |link| format!("the busiest, {},", link.name));
        let is_inside = fabric.outside().is_some_and(|o| o.fabric().classes().iter().all(|c| c.name != class.name));
        let help = match is_inside {
            true => "they are inside hosts, where another order of the ranks of a host, or other rails, spread it",
            false => "`hopline map` looks for an order of ranks that spreads it",
        };
        (LimitKind::Uneven, format!("The {name} links limit it: {link} carries {}; {help}.", beside(class)))
    };
    LimitVerdict { sentence, kind, over_mean: Some(over_mean) }
}

/// What the busiest link of a class carries beside those of the class that carry anything.
fn beside(class: &ClassLoad) -> String {
    let (used, links) = (class.used, class.links);
    let over_used = class.max_load * used as f64 / class.total_load;
    match (used == links, over_used <= EVEN) {
        (true, _) => format!("{} their mean", times(over_used)),
        (false, true) if used == 1 => format!("all that these {links} links carry"),
        (false, true) => format!("as much as each of the {used} that carry anything, of {links}"),
        (false, false) => format!("{} the mean of the {used} that carry anything, of {links}", times(over_used)),
    }
}
