//! A model of NVIDIA's topograph in YAML: switches with the switches below them, and blocks of nodes at a switch, as version 1 writes
//! them and those before it (lists instead of mappings, `capacity_blocks`). What topograph makes of one is Slurm's
//! `topology.conf` or `topology.yaml`, which [`crate::slurm_topology`] reads.
//! Source: NVIDIA/topograph, pkg/models/model.go and tests/models.

use crate::slurm_topology::{Item, Listed, machine};
use crate::yaml::{self, Shape, Yaml};
use hopline::error::{Error, Place, Result};
use hopline::format::infiniband::Machine;
use hopline::format::quote;
use std::collections::BTreeSet;

const BLOCKS: [&str; 2] = ["blocks", "capacity_blocks"];

/// True where a text is in this form, whatever it then holds.
pub(crate) fn begins(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.trim_end().strip_suffix(':') == Some(key));
    has("switches") && BLOCKS.iter().any(|key| has(key))
}

/// Reads the network of a model. O(text + nodes).
///
/// # Errors
/// It is no YAML, a block names no switch or its nodes no list, no node is in it; with the line.
pub(crate) fn read(path: &str, text: &str) -> Result<Machine> {
    let root = yaml::parse(path, text)?;
    let fail = |yaml: &Yaml, message: String| Error::input(message).at(&Place::new(path, yaml.line)).hint(HINT);
    let words = |yaml: Option<&Yaml>| match yaml {
        None | Some(Yaml { value: Shape::Null, .. }) => Ok(Vec::new()),
        Some(Yaml { value: Shape::Word(word), .. }) => Ok(vec![word.clone()]),
        Some(list) => {
            let word = |item: &Yaml| item.word().map(String::from);
            let wrong = || fail(list, "expected a list of names".into());
            if matches!(list.value, Shape::Map(_)) { None } else { list.items().iter().map(word).collect() }
                .ok_or_else(wrong)
        }
    };
    let mut listed = Listed::new(path, text);
    let mut owners: Vec<(String, String)> = Vec::new();
    for (name, switch) in named(root.get("switches")) {
        let name = name.ok_or_else(|| fail(switch, "a switch without a name".into()))?;
        owners.extend(words(switch.get("capacity_blocks"))?.into_iter().map(|block| (block, name.to_string())));
        let item =
            Item { name: name.into(), switches: words(switch.get("switches"))?, line: switch.line, ..Item::default() };
        listed.items.push(item);
    }
    // Leaves may be named by their parents alone, or by their blocks.
    let mut known: BTreeSet<String> = listed.items.iter().map(|item| item.name.clone()).collect();
    let below: Vec<_> =
        listed.items.iter().flat_map(|item| item.switches.iter().map(|name| (name.clone(), item.line))).collect();
    for (name, line) in below {
        if known.insert(name.clone()) {
            listed.items.push(Item { name, line, ..Item::default() });
        }
    }
    let mut domains: BTreeSet<String> = BTreeSet::new();
    for (block, own) in BLOCKS.iter().flat_map(|key| named(root.get(key))) {
        let of_block =
            || owners.iter().find(|(name, _)| Some(name.as_str()) == block).map(|(_, switch)| switch.as_str());
        let switch = own.get("switch").and_then(Yaml::word).or_else(of_block);
        let switch = switch.ok_or_else(|| fail(own, "a block without `switch:`, where its nodes hang".into()))?;
        if !known.contains(switch) {
            return Err(fail(own, format!("no switch is called {}", quote(switch))));
        }
        let mut nodes = Vec::new();
        for list in words(own.get("nodes"))? {
            nodes.extend(listed.expand(&list).map_err(|e| e.at(&Place::new(path, own.line)))?);
        }
        listed.items.push(Item { name: switch.into(), nodes, line: own.line, ..Item::default() });
        let told = own.get("annotations").map(|all| named(Some(all)).collect::<Vec<_>>()).unwrap_or_default();
        let domain = told.into_iter().find(|(key, _)| key.is_some_and(|key| key.ends_with("/domain")));
        let domain = domain.map(|(_, domain)| domain).or(own.get("nvlink"));
        domains.extend(domain.and_then(Yaml::word).map(String::from));
    }
    if !domains.is_empty() {
        let names: Vec<&str> = domains.iter().take(4).map(String::as_str).collect();
        let more = if domains.len() > 4 { ", ..." } else { "" };
        listed.notes.push(format!(
            "left out: {} accelerator domains ({}{more}), whose links a model does not tell",
            domains.len(),
            names.join(", ")
        ));
    }
    machine(listed)
}

const HINT: &str = "a model has `switches:` (NAME: switches: - NAME) and `blocks:` (- switch: NAME, nodes: [LIST])";

/// The entries of a mapping by their keys, or of a list by their `name:`.
fn named(yaml: Option<&Yaml>) -> impl Iterator<Item = (Option<&str>, &Yaml)> {
    let all: Vec<(Option<&str>, &Yaml)> = match yaml.map(|yaml| &yaml.value) {
        Some(Shape::Map(pairs)) => pairs.iter().map(|(key, value)| (Some(key.as_str()), value)).collect(),
        Some(Shape::List(items)) => items.iter().map(|item| (item.get("name").and_then(Yaml::word), item)).collect(),
        _ => Vec::new(),
    };
    all.into_iter()
}
