//! Looking at a network: what it is, how it routes, whether its tables are whole.

use crate::error::{Error, Result, suggest_near};
use crate::fabric::{Fabric, LinkClass, metrics};
use crate::id::{LinkId, VertexId};
use crate::plan::{Network, usable};
use crate::routing::Path;
use crate::unit::Bandwidth;
#[cfg(feature = "schemas")]
use schemars::JsonSchema;
use serde::Serialize;

/// A class of links.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ClassInfo {
    /// Its name.
    pub name: String,
    /// Directed links.
    pub links: usize,
    /// GB/s of one direction; null where unlimited.
    #[serde(rename = "bandwidth_gb_s")]
    pub bandwidth: Option<Bandwidth>,
}

/// A level.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct LevelInfo {
    /// Its name.
    pub name: String,
    /// Number of parts.
    pub parts: u32,
    /// Endpoints of the smallest and of the largest part.
    pub endpoints: (u32, u32),
}

/// What `hopline fabric show` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct ShowOutcome {
    /// The machine.
    pub fabric: String,
    /// The routing that would be used.
    pub routing: String,
    /// Hosts that run tasks.
    pub hosts: u32,
    /// Places for tasks.
    pub slots: u32,
    /// Endpoints.
    pub endpoints: u32,
    /// Switches that are no endpoints.
    pub switches: u32,
    /// Directed links.
    pub links: usize,
    /// Classes of links.
    pub classes: Vec<ClassInfo>,
    /// Levels, innermost first.
    pub levels: Vec<LevelInfo>,
    /// Most router-to-router hops between two hosts; null above 20,000 endpoints.
    pub diameter: Option<u16>,
    /// Mean router-to-router hops between two endpoints.
    pub mean_hops: Option<f64>,
    /// Ordered pairs of endpoints that no cables join.
    pub unreachable: Option<u64>,
    /// The first hosts' names.
    pub first_hosts: Vec<String>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// Describes a network. O(endpoints * links) for the distances.
pub fn show(network: &Network) -> ShowOutcome {
    let f = &*network.fabric;
    let hosts = f.hosts();
    let mut counts = vec![0usize; f.classes().len()];
    f.link_ids().for_each(|l| counts[f.class_id(l).index()] += 1);
    let class = |(c, &links): (&LinkClass, &usize)| ClassInfo { name: c.name.clone(), links, bandwidth: c.bandwidth };
    let levels = f.levels().iter().map(|level| {
        let mut sizes = vec![0u32; level.parts as usize];
        level.part.iter().for_each(|&p| sizes[p as usize] += 1);
        let ends = (sizes.iter().copied().min().unwrap_or(0), sizes.iter().copied().max().unwrap_or(0));
        LevelInfo { name: level.name.clone(), parts: level.parts, endpoints: ends }
    });
    let distances = (f.endpoints() <= 20_000).then(|| metrics::distances(f));
    let usable = usable(f);
    ShowOutcome {
        fabric: f.name().to_string(),
        routing: network.routing_spec(),
        hosts: usable.len() as u32,
        slots: usable.iter().map(|&h| hosts.slot_count(h)).sum(),
        endpoints: f.endpoints(),
        switches: f.switches(),
        links: f.links(),
        classes: f.classes().iter().zip(&counts).filter(|c| *c.1 > 0).map(class).collect(),
        levels: levels.collect(),
        diameter: distances.map(|d| d.diameter),
        mean_hops: distances.map(|d| d.mean),
        unreachable: distances.map(|d| d.unreachable),
        first_hosts: usable.iter().take(5).map(|&h| hosts.name(h).to_string()).collect(),
        notes: network.notes.clone(),
    }
}

/// One stop on a way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct Hop {
    /// Name of the router.
    pub name: String,
    /// Its GUID, `0x` and 16 digits; null where it has none.
    pub guid: Option<String>,
    /// Port by which packets arrive; null at a router that is the source.
    pub in_port: Option<u16>,
    /// Port by which they leave; null at a router that is the target.
    pub out_port: Option<u16>,
}

/// One path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct RoutePath {
    /// Share of the traffic that takes it.
    pub share: f64,
    /// The routers on the way, in order.
    pub hops: Vec<Hop>,
}

/// What `hopline fabric route` says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(JsonSchema))]
#[non_exhaustive]
pub struct RouteOutcome {
    /// The machine.
    pub fabric: String,
    /// The routing.
    pub routing: String,
    /// The source's name.
    pub from: String,
    /// The target's name.
    pub to: String,
    /// Number of paths.
    pub choices: u64,
    /// The paths, at most the number asked for.
    pub paths: Vec<RoutePath>,
    /// What people should know.
    pub notes: Vec<String>,
}

/// The ways from `from` to `to`, the first `most` of them. Ends are names of
/// hosts, endpoints or switches, or GUIDs.
///
/// # Errors
/// An end is not there, or there is no way.
pub fn route(network: &Network, from: &str, to: &str, most: u64) -> Result<RouteOutcome> {
    let f = &*network.fabric;
    let find = |word: &str| {
        f.find(word).ok_or_else(|| {
            let hosts = f.hosts();
            let names = (0..hosts.len()).map(|h| hosts.name(crate::id::HostId(h)));
            let names = names.chain((0..f.vertices()).map(|v| f.vertex_name(VertexId(v))));
            let hint = suggest_near(word, names, "give the name of a host or switch, or a GUID");
            Error::input(format!("{} has no host, switch or GUID `{word}`", f.name())).hint(hint)
        })
    };
    let (source, target) = (find(from)?, find(to)?);
    if let Some(switch) = [source, target].into_iter().find(|&v| !f.is_endpoint(v))
        && !network.routing.switches_as_ends()
    {
        let name = f.vertex_name(switch);
        return Err(Error::input(format!(
            "routing `{}` knows ways between endpoints only, and `{name}` is a switch",
            network.routing_params
        ))
        .hint("name hosts, or take the routing `shortest`"));
    }
    let choices = network.routing.choices(source, target)?;
    let mut paths = Vec::new();
    let mut path = Path::default();
    for choice in 0..choices.min(most) {
        network.routing.path(source, target, choice, &mut path)?;
        paths.push(RoutePath { share: path.share, hops: hops(f, source, &path) });
    }
    let mut notes = network.notes.clone();
    if choices > most {
        notes.push(format!("{} of {choices} paths are listed", choices.min(most)));
    }
    Ok(RouteOutcome {
        fabric: f.name().to_string(),
        routing: network.routing_spec(),
        from: f.vertex_name(source).to_string(),
        to: f.vertex_name(target).to_string(),
        choices,
        paths,
        notes,
    })
}

/// The routers of a path with their ports; endpoints behind host links are left out.
fn hops(f: &Fabric, source: VertexId, path: &Path) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut arrive: Option<LinkId> = None;
    for leave in path.links.iter().copied().map(Some).chain([None]) {
        let at = arrive.map_or(source, |l| f.target(l));
        // An adapter routes nothing: its only link is the host link.
        let adapter = f.is_adapter(at);
        if !adapter {
            hops.push(Hop {
                name: f.vertex_name(at).to_string(),
                guid: f.guid(at).map(|g| g.to_string()),
                in_port: arrive.map(|l| f.port(f.reverse(l))),
                out_port: leave.map(|l| f.port(l)),
            });
        }
        arrive = leave;
    }
    hops
}
