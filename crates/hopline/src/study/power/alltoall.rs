//! Section III: all-to-all inside a supernode, pairwise exchange against the
//! paper's algorithm.

use super::{DIRECT, ours};
use crate::error::{Place, Result};
use crate::event::Silent;
use crate::fabric::find_links;
use crate::id::LinkId;
use crate::params::Params;
use crate::replay::{Model, Places, Record, Replayed, Setting, Watch, replay};
use crate::schedule::collective::{named, sized};
use crate::study::machine::Machine;
use crate::study::{Figure, Finding, Key, Options, Point, Published, Series, Verdict};
use rayon::prelude::*;

const ALGORITHMS: [&str; 2] = ["pairwise", "supernode"];
/// Links of node 0: in its drawer, and to two other drawers.
const LINKS: [(&str, &str); 3] = [("LL to node 1", "n1"), ("LR to node 8", "n8"), ("LR to node 12", "n12")];
/// Bins of Figure 1.
const BINS: u64 = 60;
/// GB/s of the class that is busy longest.
const LR: f64 = 5.0;

/// Who takes part, and with what.
#[derive(Clone, Copy)]
struct Job {
    /// Nodes of one supernode.
    nodes: u32,
    /// Cores of a node.
    cores: u32,
    /// GB/s from a node to its hub.
    hub: u32,
    /// Further keys of the replay, each behind a comma.
    keys: &'static str,
}

/// The paper's node and supernode; as many nodes as cores, so that all links of a node can be in use.
fn base(options: &Options) -> Job {
    let size = if options.quick { 16 } else { 32 };
    Job { nodes: size, cores: size, hub: 192, keys: "" }
}

fn machine(job: Job) -> Result<Machine> {
    Machine::new(&format!("percs:ns=1,nd=1,ll=24,lr=5,d=10,hub={},slots={}", job.hub, job.cores))
}

/// One all-to-all of `bytes` from each to each.
fn run(machine: &Machine, name: &str, bytes: u64, job: Job, record: &Record) -> Result<Replayed> {
    let schedule = named(name)?.schedule(&sized(bytes, job.cores), job.nodes * job.cores)?;
    let routing = machine.routing(DIRECT)?;
    let fabric = routing.fabric();
    let places = Places::new(&machine.in_order(schedule.ranks())?, fabric.hosts())?;
    let setting = Setting { schedule: &schedule, routing: &*routing, places: &places, model: &model(job)? };
    replay(setting, record, &mut Silent)
}

fn model(job: Job) -> Result<Model> {
    let spec = format!("replay:packet=65536,forward=cut{}", job.keys);
    Model::read(&Params::from_spec(&spec, &Place::new("study", 0))?)
}

/// Seconds of one all-to-all by each algorithm.
fn times_of(bytes: u64, job: Job) -> Result<[f64; 2]> {
    let machine = machine(job)?;
    let time = |name: &str| Ok(run(&machine, name, bytes, job, &Record::default())?.makespan() as f64 * 1e-12);
    Ok([time(ALGORITHMS[0])?, time(ALGORITHMS[1])?])
}

/// Seconds for which an LR link is busy: cores * cores messages.
fn peak(bytes: u64, job: Job) -> f64 {
    f64::from(job.cores).powi(2) * bytes as f64 / (LR * 1e9)
}

/// Figure 1: three links of a node over time.
pub(super) fn over_time(options: &Options) -> Result<(Vec<Finding>, Vec<Figure>)> {
    let job = base(options);
    let machine = machine(job)?;
    let routing = machine.routing(DIRECT)?;
    let fabric = routing.fabric();
    let link = |to: &str| -> Result<LinkId> {
        let found = find_links(fabric, &format!("hub-s0n0 -- hub-s0{to}"))?;
        let hub = fabric.find("hub-s0n0");
        Ok(found.into_iter().find(|&l| Some(fabric.source(l)) == hub).unwrap_or(LinkId(0)))
    };
    let links: Vec<_> = LINKS.iter().map(|(_, to)| link(to)).collect::<Result<_>>()?;
    let bytes = 64 << 10;
    let (mut findings, mut figures) = (Vec::new(), Vec::new());
    for (algorithm, letter) in ALGORITHMS.into_iter().zip(["a", "b"]) {
        let span = run(&machine, algorithm, bytes, job, &Record::default())?.makespan();
        let bin = span.div_ceil(BINS).max(1);
        let watch = Some(Watch { bin, links: links.clone() });
        let done = run(&machine, algorithm, bytes, job, &Record { watch, critical: false })?;
        let rows = &done.timeline[fabric.classes().len()..];
        let item = format!("Figure 1({letter}): three links of a node, {algorithm}");
        for ((name, _), row) in LINKS.iter().zip(rows) {
            let used = row.iter().filter(|&&busy| busy > 0).count();
            let mean = row.iter().sum::<u64>() as f64 / (bin * row.len().max(1) as u64) as f64;
            let of = [("link", Key::from(*name))];
            findings.push(ours(&item, &of, "% of the time in use", 100.0 * used as f64 / row.len().max(1) as f64));
            findings.push(ours(&item, &of, "mean utilisation %", 100.0 * mean));
        }
        findings.push(all_at_once(algorithm, rows));
        figures.push(figure_1(algorithm, letter, bin, rows));
    }
    Ok((findings, figures))
}

/// How long all links of Figure 1 were in use at once, beside what the paper says of it.
fn all_at_once(algorithm: &str, rows: &[Vec<u64>]) -> Finding {
    let bins = rows.first().map_or(0, Vec::len);
    let all = (0..bins).filter(|&b| rows.iter().all(|r| r[b] > 0)).count();
    let share = all as f64 / bins.max(1) as f64;
    let (says, holds) = match algorithm {
        "pairwise" => ("not all links at once for the whole duration", share < 0.5),
        _ => ("all links are used for the whole duration", share > 0.9),
    };
    let item = "Figure 1: % of the time in which all three links are in use";
    let claim = Finding::claim(item, algorithm, says, 100.0 * share, holds);
    if holds { claim } else { claim.noted(WAITS) }
}

/// The rows of [`LINKS`] as curves.
fn figure_1(algorithm: &str, letter: &str, bin: u64, rows: &[Vec<u64>]) -> Figure {
    let point = |(b, &busy): (usize, &u64)| Point {
        tick: b as f64 / 10.0,
        y: 100.0 * busy as f64 / bin as f64,
        range: None,
        published: None,
    };
    let series = |((name, _), row): (&(&str, &str), &Vec<u64>)| Series {
        name: name.to_string(),
        points: row.iter().enumerate().map(point).collect(),
    };
    Figure {
        name: format!("figure-1-{letter}"),
        title: format!("Figure 1({letter}): {algorithm}, utilisation of three links of a node"),
        x: "time, ms".into(),
        y: "busy, %".into(),
        ticks: (0..=BINS / 10).map(|t| format!("{:.2}", (t * 10 * bin) as f64 * 1e-9)).collect(),
        log: false,
        series: LINKS.iter().zip(rows).map(series).collect(),
    }
}

/// Figure 3: time against message size.
pub(super) fn times(options: &Options) -> Result<(Vec<Finding>, Figure)> {
    let sizes: &[u64] =
        if options.quick { &[1 << 10, 16 << 10, 256 << 10] } else { &[1 << 10, 8 << 10, 64 << 10, 512 << 10] };
    let job = base(options);
    let item = "Figure 3: milliseconds of an all-to-all";
    let (mut findings, mut series, mut gain) = (Vec::new(), vec![Vec::new(); 3], (0, 1.0f64));
    for (tick, &bytes) in sizes.iter().enumerate() {
        let row = [("bytes", Key::Text(crate::unit::bytes(bytes as f64)))];
        let [pairwise, supernode] = times_of(bytes, job)?;
        // For large messages: the largest, in rising order.
        gain = (bytes, pairwise / supernode);
        for (k, (name, t)) in [("pairwise", pairwise), ("supernode", supernode), ("theoretical peak", peak(bytes, job))]
            .into_iter()
            .enumerate()
        {
            findings.push(ours(item, &row, name, t * 1e3));
            series[k].push(Point { tick: tick as f64, y: t * 1e3, range: None, published: None });
        }
        findings.push(ours(item, &row, "pairwise / supernode", pairwise / supernode));
    }
    let (largest, gain) = gain;
    let five = (4.0..=6.0).contains(&gain);
    findings.push(Finding {
        published: Some(Published::Text("up to 5".into())),
        verdict: if five { Verdict::Match } else { Verdict::Noted },
        note: (!five).then(|| WHY.to_string()),
        ..ours("Section III: gain for large messages", &[], &large(largest, model(job)?.eager), gain)
    });
    let names = ["pairwise", "supernode", "theoretical peak"];
    let figure = Figure {
        name: "figure-3".into(),
        title: "Figure 3: all-to-all inside a supernode".into(),
        x: "bytes from each rank to each".into(),
        y: "time, ms".into(),
        ticks: sizes.iter().map(|&b| crate::unit::bytes(b as f64)).collect(),
        log: true,
        series: names.iter().zip(series).map(|(n, points)| Series { name: n.to_string(), points }).collect(),
    };
    Ok((findings, figure))
}

const WHY: &str = "pairwise exchange keeps one link of a node in use, the supernode algorithm one to each node of the job. Where a node has as \
    many cores as the job has nodes, the gain is about two thirds of the nodes, whether messages are sent eagerly (64 KB and less) or by \
    rendezvous (larger ones, or S=0; a third to a half of them in a network whose grants stand in line behind data, and not on a lane \
    of their own as here), unless the node's way into the network is slower than its links together, or \
    buffers are short. At 64 KB, eagerly, five is what one drawer (8 nodes of 32 cores) gives, or 32 nodes behind a hub of about 35 \
    GB/s, or 32 nodes with buffers between 4M and 8M for each virtual channel of a link: the bandwidth of the node and the buffers of the hub are what the \
    paper names as limits. With fewer cores than nodes it is 2, as only so many nodes receive in a phase as a node has cores. See the \
    gain by parameters; the paper prints neither the nodes and sizes of Figure 3 nor the buffers of the hub";

const WAITS: &str = "counted in sixtieths of the run; a rank waits at the end of every phase for all that it sends and gets in it, \
    and a link that is done before idles until then";

/// The gain at a size, with the protocol that it takes.
fn large(bytes: u64, eager: u64) -> String {
    let protocol = if bytes > eager { "by rendezvous" } else { "sent eagerly" };
    format!("pairwise / supernode, {}, {protocol}", crate::unit::bytes(bytes as f64))
}

/// Buffers of a virtual channel of a link, up to about what the phase of a node needs.
fn buffers(options: &Options) -> &'static [(&'static str, &'static str)] {
    match options.quick {
        true => &[("256K", ",buffers=256K"), ("512K", ",buffers=512K")],
        false => &[("512K", ",buffers=512K"), ("2M", ",buffers=2M"), ("4M", ",buffers=4M"), ("8M", ",buffers=8M")],
    }
}

/// The gain under other numbers of nodes and cores, hubs, overheads, message protocols and buffers.
pub(super) fn gains(options: &Options) -> Result<Vec<Finding>> {
    let (base, bytes) = (base(options), if options.quick { 16 << 10 } else { 64 << 10 });
    let named = |name: &str, job: Job| (name.to_string(), job);
    let fewer = |most: u32| [8, 16].into_iter().filter(move |&n| n < most);
    let mut cases = vec![named(&format!("{0} nodes of {0} cores, hub 192 GB/s", base.nodes), base)];
    cases.extend(fewer(base.nodes).map(|nodes| named(&format!("{nodes} nodes"), Job { nodes, ..base })));
    cases.extend(fewer(base.cores).map(|cores| named(&format!("{cores} cores a node"), Job { cores, ..base })));
    cases.extend([96, 48, 24].map(|hub| named(&format!("hub {hub} GB/s"), Job { hub, ..base })));
    cases.push(named("1 us of overhead", Job { keys: ",o=1000", ..base }));
    cases.push(named("all messages by rendezvous", Job { keys: ",S=0", ..base }));
    cases.extend(
        buffers(options).iter().map(|&(size, keys)| named(&format!("buffers of {size}"), Job { keys, ..base })),
    );
    let item = format!("Section III: gain by parameters, {}, sent eagerly", crate::unit::bytes(bytes as f64));
    let all = cases.into_par_iter().map(|(name, job)| Ok((name, times_of(bytes, job)?))).collect::<Result<Vec<_>>>()?;
    let found = all.into_iter().flat_map(|(name, [pairwise, supernode])| {
        let row = [("parameters", Key::from(name.as_str()))];
        [("pairwise ms", pairwise * 1e3), ("supernode ms", supernode * 1e3), ("gain", pairwise / supernode)]
            .map(|(column, x)| ours(&item, &row, column, x))
    });
    Ok(found.collect())
}
