//! A recording as traffic: what its schedule adds up to, in whatever way it is asked for.

mod common;

use common::{root, varint};
use hopline::demand::Demand;
use hopline::error::Place;
use hopline::event::Silent;
use hopline::files::{Disk, Files, Memory};
use hopline::format::recording;
use hopline::params::Params;
use hopline::plan::Plan;
use hopline::power::Model;
use hopline::run::{self, PowerOptions};
use hopline::scenario::Scenario;
use std::collections::BTreeMap;

/// The streams of a run, as the layer writes them.
struct Run {
    ranks: Vec<Vec<u8>>,
}

/// A call: operation, root or peer, bytes, communicator, list; so often.
type Call<'a> = (&'a str, Option<u32>, u64, u32, &'a [u64], u64);

fn text(out: &mut Vec<u8>, text: &str) {
    varint(out, text.len() as u64);
    out.extend(text.bytes());
}

impl Run {
    /// A world of `size` ranks; rank r has the communicators and calls that it is given.
    fn new<'a>(size: u32, of: impl Fn(u32) -> (Vec<Vec<u32>>, Vec<Call<'a>>)) -> Run {
        let ranks = (0..size).map(|rank| {
            let (comms, calls) = of(rank);
            let mut out = Vec::new();
            [0, u64::from(rank), u64::from(size)].iter().for_each(|&w| varint(&mut out, w));
            ["host", "program", "Open MPI"].iter().for_each(|t| text(&mut out, t));
            [1, 0, 1, 1, u64::from(size), 1, 0].iter().for_each(|&w| varint(&mut out, w));
            for members in comms {
                [1, 0, members.len() as u64].iter().for_each(|&w| varint(&mut out, w));
                for member in members {
                    [u64::from(member) + 1, 1, 1].iter().for_each(|&w| varint(&mut out, w));
                }
                varint(&mut out, 0);
            }
            let mut lists = 0;
            for &(op, peer, bytes, comm, list, _) in &calls {
                if !list.is_empty() {
                    lists += 1;
                    [2, list.len() as u64].iter().chain(list).for_each(|&w| varint(&mut out, w));
                }
                varint(&mut out, 3);
                text(&mut out, op);
                // Zigzag: -1 is 1.
                varint(&mut out, peer.map_or(1, |peer| 2 * u64::from(peer)));
                varint(&mut out, if op == "send" || op == "recv" { 0 } else { 1 });
                let list = if list.is_empty() { 0 } else { lists };
                [bytes, u64::from(comm) + 1, 0, list].iter().for_each(|&w| varint(&mut out, w));
            }
            [4, calls.len() as u64].iter().for_each(|&w| varint(&mut out, w));
            for (shape, call) in calls.iter().enumerate() {
                [call.5, 1, 0, shape as u64, 0, 0].iter().for_each(|&w| varint(&mut out, w));
            }
            [7, calls.len() as u64].iter().for_each(|&w| varint(&mut out, w));
            let check = out.iter().fold(0x811c_9dc5u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
            let mut stream = b"HOPLINE1".to_vec();
            stream.extend((out.len() as u32).to_le_bytes());
            stream.extend(check.to_le_bytes());
            stream.extend(out);
            stream
        });
        Run { ranks: ranks.collect() }
    }

    fn files(self) -> Memory {
        let named = self.ranks.into_iter().enumerate().map(|(rank, bytes)| (format!("r/rank-{rank}.hop"), bytes));
        Memory(named.collect())
    }
}

/// Every kind of collective on eight ranks, on the world and on its odd and even ranks.
fn everything() -> Memory {
    let blocks: Vec<u64> = (0..8).map(|r| 100 + 7 * r).collect();
    let rows: Vec<Vec<u64>> =
        (0..8u64).map(|r| (0..8).map(|to| 10 * r + to).chain((0..8).map(|from| 10 * from + r)).collect()).collect();
    let neighbours: Vec<Vec<u64>> = (0..8u64).map(|r| vec![1, (r + 3) % 8, 77, (r + 5) % 8, 77]).collect();
    Run::new(8, |rank| {
        let half: Vec<u32> = (rank % 2..8).step_by(2).collect();
        let own = blocks[rank as usize];
        let root = |root: u32| Some(root);
        let mut calls: Vec<Call<'_>> = vec![
            ("barrier", None, 0, 0, &[], 2),
            ("bcast", root(3), 1000, 0, &[], 5),
            ("reduce", root(6), 3000, 0, &[], 1),
            ("allreduce", None, 800, 0, &[], 7),
            ("allreduce", None, 500, 1, &[], 3),
            ("allreduce", None, 30_001, 0, &[], 3),
            ("scan", None, 40, 0, &[], 1),
            ("gather", root(2), 60, 1, &[], 4),
            ("scatter", root(0), 90, 0, &[], 1),
            ("allgather", None, 256, 0, &[], 2),
            ("allgatherv", None, own, 0, &blocks, 3),
            ("alltoall", None, 64, 0, &[], 11),
            ("alltoall", None, 32, 1, &[], 6),
            ("alltoallv", None, 0, 0, &rows[rank as usize], 2),
            ("reduce_scatter", None, own, 0, &blocks, 1),
            ("reduce_scatter_block", None, 48, 0, &[], 2),
            ("neighbor_alltoall", None, 77, 0, &neighbours[rank as usize], 9),
        ];
        match rank {
            0 => calls.push(("send", Some(5), 12345, 0, &[], 3)),
            5 => calls.push(("recv", Some(0), 12345, 0, &[], 3)),
            _ => {}
        }
        (vec![half], calls)
    })
    .files()
}

/// A ring of eight ranks that add up vectors: messages use 16 links of the full mesh, and halves of the vectors 16 more,
/// as Open MPI sends them between ranks that differ in one bit.
fn ring_of_sums() -> Memory {
    Run::new(8, |rank| {
        let (next, last) = ((rank + 1) % 8, (rank + 7) % 8);
        let message = |op, peer| (op, Some(peer), 1000, 0, &[][..], 10);
        let sums = ("reduce_scatter_block", None, 4096, 0, &[][..], 10);
        let both = [next, last];
        let calls = both.map(|peer| message("send", peer)).into_iter().chain(both.map(|peer| message("recv", peer)));
        (Vec::new(), calls.chain([sums]).collect())
    })
    .files()
}

/// A recording on disk, as files in a directory `r`.
fn ring() -> Memory {
    let dir = format!("{}/testdata/recordings/ring-4", root());
    let names = Disk.list(&dir).expect("a directory");
    Memory(names.iter().map(|n| (format!("r/{n}"), Disk.read(&format!("{dir}/{n}")).expect("stream"))).collect())
}

fn with_schedule(mut files: Memory) -> Memory {
    let goal = recording::goal(&recording::read(&files, "r").expect("recording")).expect("schedule");
    files.0.insert("s.goal".into(), goal.into_bytes());
    files
}

fn plan(job: &str, files: &Memory) -> Plan {
    let spec = |text: &str| Params::from_spec(text, &Place::new("test", 0)).expect(text);
    let mut scenario = Scenario::on(spec("full-mesh:n=8"));
    if job.starts_with("goal") {
        scenario.schedule = Some(spec(job));
        return Plan::for_schedule(&scenario, files).expect(job).0;
    }
    scenario.traffic = Some(spec(job));
    Plan::new(&scenario, files).expect(job)
}

fn pairs(demand: &Demand) -> BTreeMap<(u32, u32), f64> {
    let mut pairs = BTreeMap::new();
    demand.each_pair(|from, to, amount| *pairs.entry((from, to)).or_default() += amount);
    pairs
}

#[test]
fn a_recording_its_matrix_and_its_schedule_say_the_same() {
    let model = Params::from_spec("power", &Place::new("test", 0)).and_then(|p| Model::read(&p, &Disk)).expect("model");
    for (files, used) in [(ring(), 12), (ring_of_sums(), 32), (everything(), 56)] {
        let files = with_schedule(files);
        let plans = ["recording:r", "recording:file=r", "matrix:file=r", "goal:s.goal"].map(|job| plan(job, &files));
        let [first, others @ ..] = &plans;
        let expected = pairs(&first.demand);
        let saved = |plan: &Plan| {
            let outcome = run::power(plan, (&model, "power"), &PowerOptions::default(), &mut Silent).expect("power");
            outcome.candidates[0].power.clone()
        };
        assert_eq!(saved(first).links - saved(first).off, used, "links that carry something");
        for other in others {
            assert_eq!(pairs(&other.demand), expected, "{}", other.traffic_spec);
            assert_eq!(saved(other), saved(first), "{}", other.traffic_spec);
            let [a, b] = [first, other].map(|plan| run::load(plan, 1, &mut Silent).expect("load").summary);
            assert_eq!((a.seconds, a.max_load, a.hop_bytes), (b.seconds, b.max_load, b.hop_bytes));
        }
    }
}

#[test]
fn the_note_says_what_was_spelled_out_and_foreign_matrices_keep_theirs() {
    let files = with_schedule(ring());
    let said = "collectives are spelled out as Open MPI sends them by default: allreduce, alltoall";
    // The last note names the hosts that were assumed.
    assert_eq!(plan("recording:r", &files).notes[..1], [said]);
    let mut files = ring();
    let csv = recording::csv(&recording::totals(&recording::read(&files, "r").expect("recording")).expect("totals"));
    files.0.insert("m.csv".into(), csv.into_bytes());
    let notes = plan("matrix:m.csv", &files).notes;
    assert!(notes.len() == 2 && notes[0].ends_with("name no receivers and are left out"), "{notes:?}");
    let params = Params::from_spec("recording:m.csv", &Place::new("--traffic", 0)).expect("spec");
    let mut scenario = Scenario::default().topology("full-mesh:n=8").expect("spec");
    scenario.traffic = Some(params);
    let error = Plan::new(&scenario, &files).err().expect("no recording").to_string();
    assert!(error.starts_with("--traffic: m.csv: no directory with streams of a recording; "), "{error}");
}

/// 1,024 ranks, all to all with each other and in rows of 32: blocks, not pairs.
#[test]
fn an_all_to_all_stays_a_block() {
    let run = Run::new(1024, |rank| {
        let row = (rank / 32 * 32..rank / 32 * 32 + 32).collect();
        (vec![row], vec![("alltoall", None, 800, 0, &[][..], 10), ("alltoall", None, 5000, 1, &[][..], 2)])
    });
    let read = recording::demand(&recording::read(&run.files(), "r").expect("recording")).expect("demand");
    assert_eq!((read.demand.entries().len(), read.demand.blocks().len()), (0, 33));
    assert_eq!(read.demand.total(), 1024.0 * 1023.0 * 8000.0 + 32.0 * 32.0 * 31.0 * 10_000.0);
}

/// Who sends more than others has a block of its own.
#[test]
fn uneven_senders_keep_what_they_send() {
    let run = Run::new(6, |rank| (Vec::new(), vec![("alltoall", None, 10 + u64::from(rank == 2), 0, &[][..], 1)]));
    let read = recording::demand(&recording::read(&run.files(), "r").expect("recording")).expect("demand");
    assert_eq!(read.demand.blocks().len(), 2);
    let pairs = pairs(&read.demand);
    assert!(pairs.len() == 30 && pairs.iter().all(|((from, _), &amount)| amount == 10.0 + f64::from(*from == 2)));
}
