//! Recordings: real ones, and ones that were damaged or cut short.

mod common;

use hopline::files::{Disk, Files, Memory};
use hopline::format::{matrix, recording};
use std::collections::BTreeMap;

fn path(name: &str) -> String {
    format!("{}/../../testdata/recordings/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The streams of a recording, in memory.
fn streams(name: &str) -> Memory {
    let dir = path(name);
    let names = Disk.list(&dir).expect("a directory");
    Memory(names.iter().map(|n| (format!("r/{n}"), Disk.read(&format!("{dir}/{n}")).expect("stream"))).collect())
}

/// A ring of four ranks, 1000 steps: 1000 bytes up, 500 down and 64 up a step, an
/// allreduce every tenth; then 44 bytes inside each half, and an all-to-all of integers.
#[test]
fn a_ring_adds_up() {
    let ring = recording::read(&Disk, &path("ring-4")).expect("recording");
    assert!(ring.ranks.iter().all(|stream| stream.finished && stream.library == "Open MPI"));
    let totals = recording::totals(&ring).expect("totals");
    let up = |r: u32| ((r, (r + 1) % 4), (2000, 1_064_000));
    let down = |r: u32| (((r + 1) % 4, r), (1000, 500_000));
    let mut expected: BTreeMap<_, _> = (0..4).flat_map(|r| [up(r), down(r)]).collect();
    expected.extend([((2, 0), (1, 44)), ((3, 1), (1, 44))]);
    assert_eq!(totals.messages, expected);
    assert_eq!(totals.all_to_all.len(), 16);
    assert!(totals.time.iter().all(|&(calls, nanos)| calls == 8102 && nanos > 0), "{:?}", totals.time);
    let bytes: usize = streams("ring-4").0.values().map(Vec::len).sum();
    assert!(bytes < 2000, "1000 steps fold to one: {bytes} bytes");
    let read = matrix::read(&Disk, &path("ring-4")).expect("matrix");
    // And the collectives, spelled out: two rounds of 8 bytes each time, 4 bytes to each of three others.
    assert_eq!((read.demand.tasks(), read.demand.total()), (4, 4.0 * 1_564_000.0 + 88.0 + 6400.0 + 48.0));
}

#[test]
fn a_schedule_of_the_ring_has_every_message() {
    let ring = recording::read(&Disk, &path("ring-4")).expect("recording");
    let goal = recording::goal(&ring).expect("schedule");
    let count = |words: &str| goal.lines().filter(|line| line.contains(words)).count();
    // Two sends a step, one more of 64 bytes, 100 allreduces in two rounds.
    assert_eq!(count("send 1000b"), 4000);
    assert_eq!(count("send 500b"), 4000);
    assert_eq!((count("send 64b"), count("recv 64b")), (4000, 4000), "receives from anyone know their sender");
    assert_eq!(count(": send 8b"), 4 * 2 * 100);
    assert_eq!(count(": recv"), count(": send"));
    let trace = recording::simgrid_ti(&ring).expect("trace");
    assert_eq!(trace.lines().filter(|line| line.contains(" isend ")).count(), count(": send") - 2, "two sends block");
}

#[test]
fn an_aborted_run_gives_its_matrix_and_no_schedule() {
    let aborted = recording::read(&Disk, &path("ring-4-aborted")).expect("recording");
    assert!(aborted.ranks.iter().all(|stream| !stream.finished));
    assert!(recording::totals(&aborted).expect("totals").messages.len() >= 8);
    let error = recording::goal(&aborted).expect_err("no schedule").to_string();
    assert!(error.ends_with("rank 0 ended before MPI_Finalize; its matrix can still be had"), "{error}");
}

#[test]
fn what_is_cut_short_is_read_to_its_last_whole_block() {
    let whole = streams("ring-4");
    let full = whole.0["r/rank-0.hop"].len();
    let mut calls = Vec::new();
    for length in 0..full {
        let mut files = whole.clone();
        files.0.get_mut("r/rank-0.hop").expect("stream").truncate(length);
        match recording::read(&files, "r") {
            Ok(read) => {
                assert!(!read.ranks[0].finished, "the last block says that this was all");
                calls.push(recording::totals(&read).expect("totals").time[0].0);
            }
            Err(error) => assert!(error.to_string().contains("cut short"), "{length} bytes: {error}"),
        }
    }
    assert!(calls.is_sorted() && calls.last() == Some(&8102), "{:?}", calls.last());
}

/// Only the length of a block may be changed so that the file looks cut short.
#[test]
fn what_is_changed_is_refused_and_not_taken_for_cut_short() {
    let whole = streams("ring-4");
    let (mut refused, full) = (0, whole.0["r/rank-0.hop"].len());
    for at in 0..full {
        let mut files = whole.clone();
        files.0.get_mut("r/rank-0.hop").expect("stream")[at] ^= 16;
        match recording::read(&files, "r") {
            Ok(read) => assert!(!read.ranks[0].finished, "byte {at}"),
            Err(error) => refused += usize::from(error.to_string().starts_with("r/rank-0.hop: damaged after byte ")),
        }
    }
    assert!(refused + 60 > full, "{refused} of {full}");
}

#[test]
fn streams_of_different_runs_or_missing_ones_are_refused() {
    let mut files = streams("ring-4");
    let second = files.0.remove("r/rank-1.hop").expect("there");
    let error = recording::read(&files, "r").expect_err("one is missing").to_string();
    assert!(error.starts_with("r: no rank-1.hop, of 4 ranks"), "{error}");
    files.0.insert("r/rank-1.hop".into(), second);
    files.0.remove("r/rank-3.hop");
    let error = recording::read(&files, "r").expect_err("three of four").to_string();
    assert_eq!(error, "r: streams of 3 ranks, expected 4; copy the files of all hosts into one directory");
    files.0.remove("r/rank-0.hop");
    assert!(recording::read(&files, "r").is_err());
    assert!(recording::read(&Memory::default(), "r").is_err());
}

/// Blocks are damaged inside, with their check made right again: the reader itself must hold.
#[test]
fn no_damage_makes_the_reader_panic() {
    let rounds = std::env::var("HOPLINE_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(2000);
    let mut random = common::damage::Random(0x2545_f491_4f6c_dd1d);
    let (mut read, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut files = streams(["ring-4", "ring-4-aborted"][round % 2]);
        for (name, bytes) in &mut files.0 {
            let header = if name.ends_with(".tail") { 16 } else { 8 };
            let mut damaged = bytes[..header.min(bytes.len())].to_vec();
            let mut rest = &bytes[damaged.len()..];
            while rest.len() >= 8 {
                let length = u32::from_le_bytes([rest[0], rest[1], rest[2], rest[3]]) as usize;
                let mut payload = rest[8..8 + length].to_vec();
                rest = &rest[8 + length..];
                if random.below(3) == 0 {
                    (0..=random.below(3)).for_each(|_| match payload.len() {
                        0 => {}
                        n => payload[random.below(n)] = random.below(256) as u8,
                    });
                }
                if random.below(40) == 0 {
                    random.damage(&mut payload);
                }
                let check = payload.iter().fold(0x811c_9dc5u32, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193));
                damaged.extend((payload.len() as u32).to_le_bytes());
                damaged.extend(check.to_le_bytes());
                damaged.extend(payload);
            }
            *bytes = damaged;
        }
        match recording::read(&files, "r").and_then(|r| Ok((recording::totals(&r)?, r))) {
            Ok((totals, recording)) => {
                read += 1;
                let _ = matrix::parse("r", &recording::csv(&totals));
                let calls = totals.time.iter().fold(0u64, |sum, t| sum.saturating_add(t.0));
                if calls < 100_000 {
                    let _ = recording::goal(&recording);
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.is_input(), "{error}");
            }
        }
    }
    assert!(read > 0 && refused > 0, "{read} were read, {refused} refused");
}

/// A schedule by its spec, on a machine that has room for it.
fn schedule(spec: &str) -> hopline::error::Result<hopline::schedule::Schedule> {
    let (_, fabric) = common::fabric("torus:dims=16x16");
    let context = hopline::traffic::Context { fabric: &fabric, slots: 256, files: &Disk };
    let params = hopline::params::Params::from_spec(spec, &hopline::error::Place::new("--schedule", 0))?;
    Ok(hopline::schedule::build(&params, &context)?.schedule)
}

fn computed(schedule: &hopline::schedule::Schedule) -> u64 {
    let ops = schedule.ops().iter();
    ops.filter(|op| op.what == hopline::schedule::What::Compute).map(|op| op.amount).sum()
}

#[test]
fn a_recording_is_the_schedule_that_is_written_of_it() {
    let ring = path("ring-4");
    let direct = schedule(&format!("recording:file={ring}")).expect("schedule");
    let goal = recording::goal(&recording::read(&Disk, &ring).expect("recording")).expect("goal");
    let written = hopline::schedule::trace::goal::parse("goal", &goal).expect("own text").schedule;
    assert_eq!((direct.volume(), direct.demand()), (written.volume(), written.demand()));
    assert_eq!((direct.ops().len(), computed(&direct)), (written.ops().len(), computed(&written)));
    // On processors twice as fast every computation takes half as long.
    let faster = schedule(&format!("recording:file={ring},compute=0.5")).expect("schedule");
    assert_eq!(faster.volume(), direct.volume());
    assert!((computed(&faster) as f64 / computed(&direct) as f64 - 0.5).abs() < 1e-3);
    let wrong = schedule(&format!("recording:file={ring},compute=-1")).expect_err("negative").to_string();
    assert!(wrong.contains("expected a factor from 0"), "{wrong}");
}

#[test]
fn what_says_nothing_of_more_ranks_is_not_carried() {
    let ring = recording::read(&Disk, &path("ring-4")).expect("recording");
    let refused = |ranks: u32| recording::carry(&ring, ranks).expect_err("refused").to_string();
    for ranks in [0, 6, 4_294_967_292] {
        assert!(refused(ranks).contains("expected a multiple of 4, and 4096 at most"), "{}", refused(ranks));
    }
    // Its halves have communicators of their own.
    assert!(refused(8).contains("in another communicator than the world"), "{}", refused(8));
}

/// A grid of 3 x 4 ranks, periodic: each sends its rank's number of the direction to four neighbours, and all sum.
fn grid() -> recording::Recording {
    use recording::{Comm, Node, Recording, Shape, Stream, Time};
    let stream = |rank: u32| {
        let (x, y) = (rank / 4, rank % 4);
        // Along 4 the neighbour before and the one behind are 3 and 1 further.
        let peers = [(x + 1) % 3 * 4 + y, (x + 2) % 3 * 4 + y, x * 4 + (y + 1) % 4, x * 4 + (y + 3) % 4];
        let shape = |op: &str, peer: Option<u32>, bytes, slot| Shape {
            op: op.into(),
            peer,
            elsewhere: false,
            tag: Some(7).filter(|_| peer.is_some()),
            bytes,
            comm: Some(0).filter(|_| op != "wait"),
            slot,
            list: Some(0).filter(|_| op == "wait"),
        };
        let mut shapes: Vec<Shape> =
            peers.iter().zip(0..).map(|(&peer, slot)| shape("recv", Some(peer), 100, Some(slot))).collect();
        shapes.extend(peers.iter().zip(0..).map(|(&peer, k)| shape("send", Some(peer), 100 - k, None)));
        shapes.extend([shape("wait", None, 0, None), shape("allreduce", None, 8, None)]);
        let call = |shape: u32| Node::Call { shape, time: Time { gap: 1000 * u64::from(rank + 1), inside: 0 } };
        Stream {
            comms: vec![Comm { peers: (0..12).map(Some).collect(), local: None, twin: 0 }],
            lists: vec![vec![0, 1, 2, 3]],
            shapes,
            calls: vec![Node::Loop { times: 10, body: (0..10).map(call).collect() }],
            finished: true,
            ..Stream::default()
        }
    };
    Recording { path: "grid".into(), ranks: (0..12).map(stream).collect() }
}

#[test]
fn a_grid_grows_with_its_neighbours_and_collectives() {
    let (small, large) = (grid(), recording::carry(&grid(), 48).expect("carried"));
    assert_eq!(large.ranks.len(), 48);
    // 3 x 4 grows to 6 x 8 or 12 x 4: the smallest extent first, so 6 x 4, then 6 x 8.
    let sent = |recording: &recording::Recording, rank: usize| {
        let sends = recording.ranks[rank].shapes.iter().filter(|shape| shape.op == "send");
        sends.map(|shape| shape.peer.expect("a peer")).collect::<Vec<_>>()
    };
    assert_eq!(sent(&small, 0), [4, 8, 1, 3]);
    assert_eq!(sent(&large, 0), [8, 40, 1, 7]);
    assert_eq!(sent(&large, 47), [7, 39, 40, 46]);
    let messages = |recording: &recording::Recording| {
        let demand = recording::demand(recording).expect("demand").demand;
        (demand.tasks(), demand.total())
    };
    // Four neighbours, 394 bytes in each of ten steps; the sum of 12 ranks is a tree there and back, that of 48 too.
    let sums = |ranks: f64| 10.0 * (ranks * 394.0 + 2.0 * 8.0 * (ranks - 1.0));
    assert_eq!(messages(&small), (12, sums(12.0)));
    assert_eq!(messages(&large), (48, sums(48.0)));
    // Every message is received: the schedule can be written.
    let written = recording::goal(&large).expect("schedule");
    assert_eq!(written.matches(": send").count(), written.matches(": recv").count());
}

#[test]
fn ranks_that_differ_are_not_carried() {
    let refused = |recording: &recording::Recording| recording::carry(recording, 24).expect_err("refused").to_string();
    let mut other = grid();
    other.ranks[5].shapes[4].peer = Some(0);
    assert!(refused(&other).contains("no grid whose ranks all do the same"), "{}", refused(&other));
    let mut lists = grid();
    lists.ranks[0].shapes[9].list = Some(0);
    assert!(refused(&lists).contains("rank 0 has collectives with bytes for each rank"), "{}", refused(&lists));
}
