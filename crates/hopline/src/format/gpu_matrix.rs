//! The inside of a host as `nvidia-smi topo -m` prints it: a matrix of how GPUs and adapters reach each other.
//! Source: NVIDIA, nvidia-smi(1), "topo -m": the legend below the matrix.

use super::nccl_topology::rates;
use super::words::quote;
use crate::error::{Error, Place, Result};
use crate::fabric::{Inside, LinkRates, Medium, PartKind};
use crate::unit::Bandwidth;
use std::collections::BTreeMap;

/// More GPUs and adapters than a host has.
const MOST: usize = 256;

/// True where a text is in this form, whatever it then holds.
pub(super) fn begins(text: &str) -> bool {
    let head = text.lines().take(PROMPT).find(|line| is_head(line)).map(plain).unwrap_or_default();
    is_head(&head) && (head.contains("CPU Affinity") || text.lines().filter(|line| is_head(line)).count() > 1)
}

/// Lines that a saved session may have before the matrix, such as its prompt.
const PROMPT: usize = 8;

/// Only spaces, tabs and the escapes of underlining stand before the first name.
fn is_head(line: &str) -> bool {
    plain(line).split_whitespace().next() == Some("GPU0")
}

/// A line without the escapes that underline headings.
fn plain(line: &str) -> String {
    line.replace("\u{1b}[4m", "").replace("\u{1b}[0m", "")
}

/// A row of the matrix: its name, and how it reaches each column.
struct Row {
    name: String,
    cells: Vec<String>,
    numa: Option<u32>,
    line: u32,
}

/// Reads the host of a matrix. O(text + parts^2).
///
/// # Errors
/// A row is missing or has not as many cells as there are columns; a cell is no word of the legend; with the line.
pub(super) fn read(path: &str, text: &str, given: LinkRates) -> Result<Inside> {
    let fail = |line: u32, text: String| Error::input(text).at(&Place::new(path, line));
    if text.contains("ROCm System Management Interface") || text.contains("between two GPUs") {
        let error = fail(1, "this is what rocm-smi prints, which tells no adapters and no bandwidths".into());
        return Err(error.hint("NCCL_TOPO_DUMP_FILE=FILE has RCCL write the whole host, `lstopo --of xml` its cores"));
    }
    let mut lines = text.lines().map(plain).zip(1u32..).skip_while(|(line, _)| !is_head(line));
    let (head, head_at) = lines.next().unwrap_or_default();
    let is_part = |word: &&str| ["GPU", "NIC", "mlx"].iter().any(|start| word.starts_with(start));
    // "GPU NUMA ID" is the heading of a column that tells no part.
    let names = || head.split_whitespace().take_while(is_part).filter(|name| *name != "GPU");
    let count = names().count();
    if count == 0 || count > MOST {
        return Err(fail(head_at, format!("{count} columns of GPUs and adapters, expected 1 to {MOST}")));
    }
    let columns: Vec<String> = names().map(String::from).collect();
    let mut rows: Vec<Row> = Vec::new();
    for (line, at) in lines {
        let mut words = line.split_whitespace();
        let Some(name) = words.next().filter(|name| columns.iter().any(|column| column == name)) else { continue };
        // Of a matrix that was printed twice the first counts.
        if rows.iter().any(|row| row.name == name) {
            continue;
        }
        let words: Vec<String> = words.take(columns.len() + 2).map(String::from).collect();
        if words.len() < columns.len() {
            let text = format!("{} has {} cells, expected {}", quote(name), words.len(), columns.len());
            return Err(fail(at, text).hint("copy the whole matrix of nvidia-smi topo -m"));
        }
        let (cells, rest) = words.split_at(columns.len());
        // CPU affinity, then NUMA affinity.
        let numa = rest.get(1).and_then(|word| word.split(['-', ',']).next()?.parse().ok());
        rows.push(Row { name: name.into(), cells: cells.to_vec(), numa, line: at });
    }
    for column in &columns {
        if !rows.iter().any(|row| row.name == *column) {
            return Err(fail(head_at, format!("no row of {}", quote(column))).hint("copy the whole matrix"));
        }
    }
    rows.sort_by_key(|row| columns.iter().position(|column| *column == row.name));
    for row in &rows {
        if let Some(cell) = row.cells.iter().find(|cell| reach(cell).is_none()) {
            let hint = "expected X, NV and a number, PIX, PXB, PHB, NODE or SYS, as the legend has them";
            return Err(fail(row.line, format!("{} reaches another by {}", quote(&row.name), quote(cell))).hint(hint));
        }
    }
    let legend = adapters(text, &columns);
    Ok(inside(path, &rows, &legend, given))
}

/// Names of adapters by those of their columns: `NIC0: mlx5_0`.
fn adapters(text: &str, columns: &[String]) -> BTreeMap<String, String> {
    let pair = |line: &str| {
        let (key, name) = line.trim().split_once(": ")?;
        (key.starts_with("NIC") && columns.iter().any(|own| own == key))
            .then(|| (key.to_string(), name.trim().to_string()))
    };
    text.lines().filter_map(pair).collect()
}

/// How two parts reach each other, the nearer the smaller: (0, links) for NVLink.
fn reach(cell: &str) -> Option<(u8, u32)> {
    Some(match cell {
        "X" => (0, 0),
        "PIX" => (1, 0),
        "PXB" => (2, 0),
        "PHB" => (3, 0),
        "NODE" => (4, 0),
        "SYS" | "SOC" => (5, 0),
        _ => (0, cell.strip_prefix("NV")?.parse().ok().filter(|links| (1..=1024).contains(links))?),
    })
}

const SWITCH: u8 = 2;
const BRIDGE: u8 = 3;
const NODE: u8 = 4;

fn inside(path: &str, rows: &[Row], legend: &BTreeMap<String, String>, given: LinkRates) -> Inside {
    let mut inside = Inside::new(path);
    let pcie = rates::pcie(None, None, given);
    let (link, of) =
        (rates::nvlink(None, given), |row: &Row, at: usize| row.cells.get(at).and_then(|cell| reach(cell)));
    let is_gpu = |row: &Row| row.name.starts_with("GPU");
    // Parts that are no farther apart than that.
    let groups = |most: u8| {
        let mut group: Vec<usize> = (0..rows.len()).collect();
        for (a, row) in rows.iter().enumerate() {
            for b in (0..a).filter(|&b| of(row, b).is_some_and(|(far, links)| links == 0 && far <= most)) {
                let (from, to) = (group[a], group[b]);
                group.iter_mut().filter(|own| **own == from).for_each(|own| *own = to);
            }
        }
        group
    };
    let (switches, nodes) = (groups(SWITCH), domains(rows, &groups(NODE), &groups(BRIDGE)));
    let parts: Vec<u32> = rows
        .iter()
        .map(|row| match is_gpu(row) {
            true => {
                inside.numa.push(row.numa);
                inside.part(row.name.to_lowercase(), PartKind::Processor { slots: 1 })
            }
            false => {
                let name = legend.get(&row.name).unwrap_or(&row.name);
                inside.part(name.clone(), PartKind::Adapter { bandwidth: None })
            }
        })
        .collect();
    let mut sockets: BTreeMap<usize, u32> = BTreeMap::new();
    for &node in &nodes {
        sockets.entry(node).or_insert_with(|| inside.part("cpu", PartKind::Switch));
    }
    let all: Vec<u32> = sockets.values().copied().collect();
    for (i, &a) in all.iter().enumerate() {
        all[i + 1..].iter().for_each(|&b| inside.wire(a, b, Medium::Socket, rates::socket(|_| None)));
    }
    let mut below: BTreeMap<usize, u32> = BTreeMap::new();
    for (n, &part) in parts.iter().enumerate() {
        let socket = sockets.get(&nodes[n]).copied().unwrap_or(0);
        let alone = switches.iter().filter(|&&own| own == switches[n]).count() == 1;
        let at = if alone {
            socket
        } else {
            *below.entry(switches[n]).or_insert_with(|| {
                let switch = inside.part("pcie", PartKind::Switch);
                inside.wire(switch, socket, Medium::Pcie, pcie);
                switch
            })
        };
        inside.wire(part, at, Medium::Pcie, pcie);
    }
    join(&mut inside, rows, &parts, link);
    inside.note(
        "nvidia-smi tells no bandwidths: PCI Express of generation 3 and NVLinks of generation 3 are assumed, sockets as \
         NCCL assumes them of an unknown CPU",
    );
    inside
}

/// The NUMA domain of each part: of those that are not told apart, by their groups.
fn domains(rows: &[Row], node: &[usize], bridge: &[usize]) -> Vec<usize> {
    let told = |n: usize| {
        let same = |group: &[usize]| (0..rows.len()).filter(|&m| group[m] == group[n]).find_map(|m| rows[m].numa);
        rows[n].numa.or_else(|| same(bridge)).or_else(|| same(node))
    };
    // Numbers of domains that are told come before those that are not.
    (0..rows.len()).map(|n| told(n).map_or(MOST + node[n], |numa| (numa as usize).min(MOST - 1))).collect()
}

/// No GPU has more NVLinks; with fewer than that to all others together, each pair has its own, as on boards of four.
const MOST_LINKS: u32 = 18;

/// NVLinks: to a switch where every GPU reaches every other by as many, all that it has, else from GPU to GPU.
fn join(inside: &mut Inside, rows: &[Row], parts: &[u32], link: Bandwidth) {
    let times = |links: u32| Bandwidth::bytes_s(link.as_bytes_s().saturating_mul(links.into()));
    let gpus: Vec<usize> = (0..rows.len()).filter(|&n| rows[n].name.starts_with("GPU")).collect();
    let links = |a: usize, b: usize| rows[a].cells.get(b).and_then(|cell| reach(cell)).map_or(0, |(_, links)| links);
    let each: Vec<u32> =
        gpus.iter().flat_map(|&a| gpus.iter().filter(move |&&b| b != a).map(move |&b| links(a, b))).collect();
    let alike = each.first().copied().filter(|&first| first > 1 && gpus.len() > 2 && each.iter().all(|&n| n == first));
    if let Some(all) = alike.filter(|all| all.saturating_mul(gpus.len() as u32 - 1) > MOST_LINKS) {
        let switch = inside.part("nvswitch", PartKind::Switch);
        gpus.iter().for_each(|&gpu| inside.wire(parts[gpu], switch, Medium::NvLink, times(all)));
        return;
    }
    for (i, &a) in gpus.iter().enumerate() {
        for &b in gpus[i + 1..].iter().filter(|&&b| links(a, b) > 0) {
            inside.wire(parts[a], parts[b], Medium::NvLink, times(links(a, b)));
        }
    }
}
