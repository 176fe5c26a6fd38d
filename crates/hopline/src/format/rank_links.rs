//! Ranks, switches and directed links in GB/s, as JSON: the form in which planners of collectives describe hosts' insides and
//! small fabrics.
//!
//! ```json
//! {"name": "pair", "ranks": ["g0", "g1"], "switches": ["s"],
//!  "links": [["g0", "s", 25.0], ["s", "g0", 25.0], ["g1", "s", 25.0], ["s", "g1", 25.0]]}
//! ```

use crate::error::{Error, Place, Result};
use crate::fabric::{Builder, Fabric, LinkClass};
use crate::files::check_values;
use crate::id::{ClassId, VertexId};
use crate::unit::{Bandwidth, short};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What such a file says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RankLinks {
    /// The file.
    path: String,
    /// What it calls its fabric.
    pub name: String,
    /// Names of the ranks, then of the switches.
    pub names: Vec<String>,
    /// How many of these are ranks.
    pub ranks: u32,
    /// Links of one direction: from, to, bandwidth.
    pub links: Vec<(u32, u32, Bandwidth)>,
}

/// True where a text is in this form, whatever it then holds.
pub fn begins(text: &str) -> bool {
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    text.trim_start().starts_with('{') && has("ranks") && has("links") && !has("cables")
}

/// Reads such a file. O(text).
///
/// # Errors
/// It is no JSON or lacks a key; a name stands twice or is unknown; a bandwidth is no positive number.
pub fn read(path: &str, text: &str) -> Result<RankLinks> {
    #[derive(Deserialize)]
    struct Form {
        #[serde(default)]
        name: String,
        ranks: Vec<String>,
        #[serde(default)]
        switches: Vec<String>,
        links: Vec<(String, String, f64)>,
    }
    check_values(path, text)?;
    let form: Form = serde_json::from_str(text).map_err(|e| {
        Error::input(format!("no ranks and links: {e}"))
            .at(&Place::new(path, e.line() as u32))
            .hint("expected {\"ranks\": [names], \"switches\": [names], \"links\": [[from, to, GB/s], ...]}")
    })?;
    let fail = |text: String| Err(Error::input(text).at(&Place::new(path, 0)));
    let names: Vec<String> = form.ranks.iter().chain(&form.switches).cloned().collect();
    let mut number = FxHashMap::default();
    for (i, name) in (0..).zip(&names) {
        if number.insert(name.as_str(), i).is_some() {
            return fail(format!("`{name}` stands twice among ranks and switches"));
        }
    }
    let mut links = Vec::with_capacity(form.links.len());
    for (i, (from, to, gb_s)) in form.links.iter().enumerate() {
        let (Some(&a), Some(&b)) = (number.get(from.as_str()), number.get(to.as_str())) else {
            return fail(format!("links[{i}]: `{from}` or `{to}` is neither rank nor switch"));
        };
        if a == b || !(1e-9..=1e9).contains(gb_s) {
            return fail(format!("links[{i}]: {from} -> {to} at {gb_s} GB/s, expected two vertices and 1e-9 to 1e9"));
        }
        links.push((a, b, Bandwidth::gb_s(*gb_s)));
    }
    let name = if form.name.is_empty() { path.to_string() } else { form.name };
    Ok(RankLinks { path: path.into(), name, names, ranks: form.ranks.len() as u32, links })
}

impl RankLinks {
    /// Whether some link has no other direction. O(links log links).
    pub fn is_one_way(&self) -> bool {
        self.between().values().any(|[there, back]| there.len() != back.len())
    }

    /// Of two vertices the links from the first to the second, and those back: the n-th of both are a cable.
    fn between(&self) -> BTreeMap<(u32, u32), [Vec<Bandwidth>; 2]> {
        let mut between: BTreeMap<_, [Vec<Bandwidth>; 2]> = BTreeMap::new();
        for &(a, b, bandwidth) in &self.links {
            between.entry((a.min(b), a.max(b))).or_default()[usize::from(a > b)].push(bandwidth);
        }
        between
    }

    /// The fabric of it: ranks are endpoints with a slot each. Where a rank has but one link, to a switch, that is its host
    /// link. O(links log links).
    ///
    /// # Errors
    /// A link has no other direction, or there are more than 255 different bandwidths.
    pub fn fabric(&self) -> Result<Fabric> {
        let mut builder = Builder::new(self.name.clone(), self.ranks, self.names.len() as u32 - self.ranks);
        (0..).zip(&self.names).for_each(|(v, name)| builder.name(VertexId(v), name.clone()));
        let mut degree = vec![0u32; self.names.len()];
        self.links.iter().for_each(|link| degree[link.0 as usize] += 1);
        let is_host = |a: u32, b: u32| {
            let leaf = |v: u32| v < self.ranks && degree[v as usize] == 1;
            (leaf(a) && b >= self.ranks) || (leaf(b) && a >= self.ranks)
        };
        let mut classes: BTreeMap<(bool, u64), ClassId> = BTreeMap::new();
        for ((a, b), [there, back]) in self.between() {
            if there.len() != back.len() {
                let (from, to) = if there.len() > back.len() { (a, b) } else { (b, a) };
                let text =
                    format!("{} -> {} has no other direction", self.names[from as usize], self.names[to as usize]);
                return Err(Error::input(text)
                    .at(&Place::new(&self.path, 0))
                    .hint("messages need links both ways; bounds of collectives alone take links of one direction"));
            }
            for (there, back) in there.into_iter().zip(back) {
                let host = is_host(a, b);
                let mut class = |bandwidth: Bandwidth| {
                    *classes.entry((host, bandwidth.as_bytes_s())).or_insert_with(|| {
                        let name = format!("{}-{}", if host { "host" } else { "link" }, short(bandwidth.as_gb_s()));
                        builder.class(LinkClass { host, ..LinkClass::network(&name, bandwidth) })
                    })
                };
                let (there, back) = (class(there), class(back));
                builder.cable_of(VertexId(a), there, VertexId(b), back);
            }
        }
        builder.host_per_endpoint(1);
        builder.finish().map_err(|e| e.at(&Place::new(&self.path, 0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAR: &str = r#"{"ranks": ["a", "b"], "switches": ["s"],
        "links": [["a", "s", 25.0], ["s", "a", 175], ["s", "b", 175.0], ["b", "s", 25]]}"#;

    #[test]
    fn directions_keep_their_bandwidths() {
        assert!(begins(STAR));
        let fabric = read("star.json", STAR).and_then(|form| form.fabric()).expect("a fabric");
        let of = |from: u32, to: u32| {
            let link = fabric.out_links(VertexId(from)).find(|&l| fabric.target(l) == VertexId(to)).expect("a link");
            (fabric.class_of(link).bandwidth.map(Bandwidth::as_gb_s), fabric.is_host_link(link))
        };
        assert_eq!((of(0, 2), of(2, 0), of(2, 1)), ((Some(25.0), true), (Some(175.0), true), (Some(175.0), true)));
    }

    #[test]
    fn refusals_name_what_is_wrong() {
        let told = |text: &str| read("f", text).and_then(|form| form.fabric()).expect_err("refused").to_string();
        assert!(told(&STAR.replace("[\"s\", \"a\", 175], ", "")).contains("a -> s has no other direction"));
        assert!(told(&STAR.replace("[\"a\", \"b\"]", "[\"a\", \"a\"]")).contains("`a` stands twice"));
        assert!(told(&STAR.replace("\"b\", \"s\"", "\"c\", \"s\"")).contains("links[3]"));
        assert!(told(&STAR.replace("175.0", "-1")).contains("links[2]"));
        assert!(told(&STAR[..40]).contains("f:1"));
    }
}
