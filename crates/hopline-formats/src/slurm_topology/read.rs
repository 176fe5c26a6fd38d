//! Reading Slurm's `topology.conf` and `topology.yaml`: which nodes hang on which
//! switch, and which switches on which.
//!
//! Slurm knows neither speeds nor parallel cables: a switch has one link to its
//! parent, and the fabric says so in a note.

use crate::graph::{self, Edge, Graph, Node};
use crate::yaml::{self, Shape, Yaml};
use hopline::error::{Error, Place, Result, suggest_near};
use hopline::files::check_room;
use hopline::format::hostlist::names;
use hopline::format::infiniband::Machine;
use hopline::format::{is_comment, quote};
use rustc_hash::{FxHashMap, FxHashSet};

/// A switch, or a block of nodes.
#[derive(Debug, Default)]
pub(crate) struct Item {
    pub(crate) name: String,
    pub(crate) nodes: Vec<String>,
    pub(crate) switches: Vec<String>,
    pub(crate) line: u32,
}

/// What a file lists.
#[derive(Debug)]
pub(crate) struct Listed<'a> {
    path: &'a str,
    bytes: usize,
    names: usize,
    pub(crate) items: Vec<Item>,
    pub(crate) blocks: bool,
    pub(crate) notes: Vec<String>,
}

/// Bytes of memory of a name: as a node of a graph, and in a fabric.
const NAME: usize = 500;

impl<'a> Listed<'a> {
    /// Nothing yet of a file.
    pub(crate) fn new(path: &'a str, text: &str) -> Self {
        Listed { path, bytes: text.len(), names: 0, items: Vec::new(), blocks: false, notes: Vec::new() }
    }

    /// The names of a hostlist.
    ///
    /// # Errors
    /// It cannot be read, or all lists of the file together stand for too many names.
    pub(crate) fn expand(&mut self, list: &str) -> Result<Vec<String>> {
        let mut all = Vec::new();
        for name in names(list)? {
            self.names += 1;
            check_room(self.path, self.bytes, self.names, NAME)?;
            all.push(name);
        }
        Ok(all)
    }
}

fn first_line(text: &str) -> &str {
    let plain = |line: &&str| !is_comment(line) && *line != "---";
    text.trim_start_matches('\u{feff}').lines().map(str::trim).find(plain).unwrap_or_default()
}

/// True where a text is a `topology.conf`.
pub(crate) fn is_conf(text: &str) -> bool {
    let first = first_line(text).to_ascii_lowercase();
    ["switchname=", "blockname=", "blocksizes=", "linkspeed="].iter().any(|key| first.starts_with(key))
}

/// True where a text is a `topology.yaml`.
pub(crate) fn is_yaml(text: &str) -> bool {
    let first = first_line(text);
    first.starts_with('-')
        && text.lines().take(1000).any(|line| line.trim_start_matches(['-', ' ']).starts_with("topology:"))
}

/// Reads `topology.conf`. O(text + nodes).
///
/// # Errors
/// A line is none of Slurm's, a list cannot be read, a switch is named twice or
/// not there; with the line.
pub(crate) fn conf(path: &str, text: &str) -> Result<Machine> {
    let mut listed = Listed::new(path, text);
    let (mut joined, mut begun) = (String::new(), 0);
    let mut ignored: Vec<String> = Vec::new();
    for (line, number) in text.trim_start_matches('\u{feff}').lines().zip(1u32..) {
        let bare = line.split('#').next().unwrap_or_default().trim();
        if joined.is_empty() {
            begun = number;
        }
        joined.push_str(bare.trim_end_matches('\\'));
        if bare.ends_with('\\') {
            joined.push(' ');
            continue;
        }
        let whole = std::mem::take(&mut joined);
        if !whole.trim().is_empty() {
            add_line(&mut listed, &whole, begun, &mut ignored).map_err(|e| e.at(&Place::new(path, begun)))?;
        }
    }
    if !joined.trim().is_empty() {
        add_line(&mut listed, &joined, begun, &mut ignored).map_err(|e| e.at(&Place::new(path, begun)))?;
    }
    if !ignored.is_empty() {
        listed.notes.push(format!("left out of topology.conf: {}", ignored.join(", ")));
    }
    machine(listed)
}

const HINT: &str = "lines are SwitchName=NAME Nodes=LIST, SwitchName=NAME Switches=LIST or BlockName=NAME Nodes=LIST";

fn add_line(listed: &mut Listed<'_>, line: &str, number: u32, ignored: &mut Vec<String>) -> Result<()> {
    let mut item = Item { line: number, ..Item::default() };
    for word in line.split_whitespace() {
        let (key, value) = word
            .split_once('=')
            .ok_or_else(|| Error::input(format!("found {}, expected KEY=VALUE", quote(word))).hint(HINT))?;
        let value = value.trim_matches('"');
        match key.to_ascii_lowercase().as_str() {
            "switchname" => item.name = value.to_string(),
            "blockname" => {
                item.name = value.to_string();
                listed.blocks = true;
            }
            "nodes" => item.nodes = listed.expand(value)?,
            "switches" => item.switches = listed.expand(value)?,
            "linkspeed" | "blocksizes" => {
                if !ignored.iter().any(|own| own.eq_ignore_ascii_case(key)) {
                    ignored.push(key.to_string());
                }
                if item.name.is_empty() && key.eq_ignore_ascii_case("blocksizes") {
                    return Ok(());
                }
            }
            _ => return Err(Error::input(format!("found {}", quote(word))).hint(HINT)),
        }
    }
    if item.name.is_empty() {
        return Err(Error::input("a line without a name").hint(HINT));
    }
    listed.items.push(item);
    Ok(())
}

/// Reads the default topology of a `topology.yaml`. O(text + nodes).
///
/// # Errors
/// It is no YAML of Slurm's, or a topology that lists no nodes; with the line.
pub(crate) fn yaml(path: &str, text: &str) -> Result<Machine> {
    let root = yaml::parse(path, text)?;
    let fail = |yaml: &Yaml, message: String| Error::input(message).at(&Place::new(path, yaml.line));
    let default = |item: &&Yaml| {
        item.get("cluster_default").and_then(Yaml::word).is_some_and(|word| word.eq_ignore_ascii_case("true"))
    };
    // A flat topology knows no network: where the default is one, a partition's tree or blocks tell more.
    let tells = |item: &&Yaml| item.get("tree").is_some() || item.get("block").is_some();
    let chosen = root.items().iter().find(|item| default(item) && tells(item));
    let chosen = chosen.or(root.items().iter().find(tells)).or(root.items().first());
    let chosen = chosen.ok_or_else(|| fail(&root, "expected a list of topologies".into()).hint(YAML_HINT))?;
    let name = |item: &Yaml| item.get("topology").and_then(Yaml::word).unwrap_or("without a name").to_string();
    let mut listed = Listed::new(path, text);
    let others: Vec<String> = root.items().iter().filter(|item| *item != chosen).map(name).collect();
    if !others.is_empty() {
        listed.notes.push(format!("topology {} is read; left out: {}", name(chosen), others.join(", ")));
    }
    let (list, key) = if let Some(tree) = chosen.get("tree") {
        (tree.get("switches"), "switch")
    } else if let Some(block) = chosen.get("block") {
        listed.blocks = true;
        if block.get("block_sizes").is_some() {
            listed.notes.push("left out of topology.yaml: block_sizes".to_string());
        }
        (block.get("blocks"), "block")
    } else {
        return Err(
            fail(chosen, format!("topology {} is neither tree nor block", quote(&name(chosen)))).hint(YAML_HINT)
        );
    };
    let list = list.map(Yaml::items).filter(|items| !items.is_empty());
    for item in list.ok_or_else(|| fail(chosen, format!("no {key} in it")).hint(YAML_HINT))? {
        let mut names = |key: &str| match item.get(key) {
            None | Some(Yaml { value: Shape::Null, .. }) => Ok(Vec::new()),
            Some(list) => match list.word() {
                Some(word) => listed.expand(word).map_err(|e| e.at(&Place::new(path, list.line))),
                None => Err(fail(list, format!("{key} is no hostlist"))),
            },
        };
        let own =
            item.get(key).and_then(Yaml::word).ok_or_else(|| fail(item, format!("no `{key}:`")).hint(YAML_HINT))?;
        let (nodes, switches) = (names("nodes")?, names("children")?);
        listed.items.push(Item { name: own.to_string(), nodes, switches, line: item.line });
    }
    machine(listed)
}

const YAML_HINT: &str = "read are trees (tree: switches: - switch: NAME, nodes: LIST or children: LIST) and blocks (block: blocks: - block: NAME, nodes: LIST)";

/// The fabric: hosts, switches, and a link from each switch to those below it.
pub(crate) fn machine(mut listed: Listed<'_>) -> Result<Machine> {
    let path = listed.path;
    let at = |line: u32| Place::new(path, line);
    if listed.blocks && listed.items.len() > 1 {
        let switches = listed.items.iter().map(|item| item.name.clone()).collect();
        listed.items.push(Item { name: "blocks".to_string(), switches, ..Item::default() });
    }
    merge(&mut listed.items);
    let hosts: usize = listed.items.iter().map(|item| item.nodes.len()).sum();
    if hosts == 0 {
        return Err(Error::input("no node in it").at(&at(0)).hint(HINT));
    }
    let index: FxHashMap<&str, u32> =
        listed.items.iter().zip(hosts as u32..).map(|(item, v)| (item.name.as_str(), v)).collect();
    let levels = levels(&listed.items);
    let mut graph = Graph { name: Some(path.to_string()), ..Graph::default() };
    let mut times: FxHashMap<&str, u32> = FxHashMap::default();
    for (i, item) in listed.items.iter().enumerate() {
        for host in &item.nodes {
            let rail = times.entry(host).or_default();
            *rail += 1;
            let name = if *rail == 1 { host.clone() } else { format!("{host}/{rail}") };
            let mut data = vec![pair("name", name), pair("kind", "endpoint"), pair("host", host)];
            data.extend(
                levels.iter().filter_map(|(name, part)| Some(pair(&format!("level_{name}"), part.get(i)?.to_string()))),
            );
            let ends = [graph.nodes.len() as u32, hosts as u32 + i as u32];
            graph.edges.push(Edge { ends, data: Vec::new(), line: item.line });
            graph.nodes.push(Node { id: host.clone(), data, line: item.line });
        }
    }
    let mut joined: FxHashSet<[u32; 2]> = FxHashSet::default();
    for (item, v) in listed.items.iter().zip(hosts as u32..) {
        let data = vec![pair("name", &item.name), pair("kind", "switch")];
        graph.nodes.push(Node { id: item.name.clone(), data, line: item.line });
        for child in &item.switches {
            let &below = index.get(child.as_str()).ok_or_else(|| {
                let near = suggest_near(child, index.keys().copied(), "every switch has a line of its own");
                Error::input(format!("no switch is called {}", quote(child))).at(&at(item.line)).hint(near)
            })?;
            // A Dragonfly's switches may list each other: that is one cable.
            if joined.insert([v.min(below), v.max(below)]) {
                graph.edges.push(Edge { ends: [below, v], data: Vec::new(), line: item.line });
            }
        }
    }
    let Machine { mut fabric, lids } = graph::machine(path, &graph)?;
    for note in listed.notes {
        fabric = fabric.with_note(note);
    }
    if !joined.is_empty() {
        fabric = fabric.with_note(
            "Slurm's files know one link from a switch to the next: where there are more, links above the leaves are less busy than this",
        );
    }
    Ok(Machine { fabric, lids })
}

fn pair(key: &str, value: impl Into<String> + Clone) -> (String, String) {
    (key.to_string(), value.into())
}

/// A switch may have several lines: one for its nodes, one for its switches.
fn merge(items: &mut Vec<Item>) {
    let mut first: FxHashMap<String, usize> = FxHashMap::default();
    let mut merged: Vec<Item> = Vec::new();
    for item in items.drain(..) {
        match first.get(&item.name).and_then(|&at| merged.get_mut(at)) {
            Some(own) => {
                own.nodes.extend(item.nodes);
                own.switches.extend(item.switches);
            }
            None => {
                first.insert(item.name.clone(), merged.len());
                merged.push(item);
            }
        }
    }
    *items = merged;
}

/// For each level the part of every switch with nodes: the leaves, and where the
/// switches are a tree what they have above them, up to what joins all.
fn levels(items: &[Item]) -> Vec<(String, Vec<usize>)> {
    let index: FxHashMap<&str, usize> = items.iter().enumerate().map(|(i, item)| (item.name.as_str(), i)).collect();
    let mut parent: Vec<Option<usize>> = vec![None; items.len()];
    let mut tree = true;
    for (i, item) in items.iter().enumerate() {
        for &child in item.switches.iter().filter_map(|name| index.get(name.as_str())) {
            if let Some(own) = parent.get_mut(child) {
                tree &= own.is_none_or(|other| other == i) && child != i;
                *own = Some(i);
            }
        }
    }
    let mut part: Vec<usize> = (0..items.len()).collect();
    let mut levels = vec![("leaf".to_string(), part.clone())];
    // A tree is no higher than it has switches; a circle would never end.
    for tier in 2..=items.len().min(16) {
        let next: Vec<usize> = part.iter().map(|&at| parent.get(at).copied().flatten().unwrap_or(at)).collect();
        let leaves = || items.iter().zip(&next).filter(|(item, _)| !item.nodes.is_empty()).map(|(_, part)| part);
        let first = leaves().next();
        if !tree || next == part || leaves().all(|part| Some(part) == first) {
            break;
        }
        levels.push((format!("tier{tier}"), next.clone()));
        part = next;
    }
    levels
}
