//! SimGrid's time-independent traces: what `smpirun -trace-ti` writes and
//! `-replay` reads. A list of files, one per rank, or a file of all ranks; a line is
//! `RANK ACTION ARGUMENTS`. Source: SimGrid 3.32, `src/smpi/internals/smpi_replay.cpp`.

use super::super::collective::chosen::{ALLGATHER, ALLREDUCE, ALLTOALL, BARRIER, BROADCAST, Chosen, REDUCE};
use super::super::collective::{Keys, Operation, Plot, TRACE_TAG, sized};
use super::super::{Builder, Limit, Made, Schedule};
use crate::entry::{Entry, Param, param};
use crate::error::{Error, Place, Result};
use crate::files::{Files, read_text};
use crate::format::lines::Lines;
use crate::params::Reader;
use crate::traffic::Context;

pub(in crate::schedule) const ENTRY: Entry = Entry {
    name: "smpi-ti",
    summary: "a time-independent trace of SimGrid's SMPI (smpirun -trace-ti)",
    doc: "The file that smpirun writes beside the traces, which names one file per rank, or one file with the lines of all ranks. \
          Read are init, finalize, compute, send, isend, recv, irecv, wait, waitall, test, barrier, bcast, reduce, allreduce, \
          alltoall, allgather; `gflops` turns the flops of compute into time. Sizes count elements of the named type, \
          MPI's codes of SimGrid (0 double, 1 int, 2 char, 3 short, 4 long, 5 float, 6 byte). Collectives must come in \
          the same order on all ranks and take the algorithms that the keys name.\n\
          Source: SimGrid 3.32, smpi_replay.cpp.",
    example: "smpi-ti:file=testdata/schedules/ring.ti",
    params: &[
        param("file", "path", "", "the list of traces, or a trace"),
        param("gflops", "number", "1", "speed of a processor in 10^9 operations per second"),
        KNOMIAL,
        REDUCE,
        DOUBLING,
        ALLTOALL,
        ALLGATHER,
        BARRIER,
    ],
};

const KNOMIAL: Param = Param { default: "knomial", ..BROADCAST };
const DOUBLING: Param = Param { default: "allreduce-doubling", ..ALLREDUCE };
const CHOSEN: [Param; 6] = [KNOMIAL, REDUCE, DOUBLING, ALLTOALL, ALLGATHER, BARRIER];

pub(in crate::schedule) fn make(reader: &Reader, context: &Context<'_>, limit: Limit) -> Result<Made> {
    let path: String = reader.need("file")?;
    let gflops: f64 = reader.or("gflops", 1.0)?;
    if gflops <= 0.0 {
        return Err(reader.wrong("gflops", format!("`gflops` is {gflops}, expected more than 0")));
    }
    parse(&path, context.files, gflops, (&Chosen::read(reader, &CHOSEN)?, limit))
}

/// The most ranks: a few words may not ask for all memory.
const MOST_RANKS: usize = 1 << 20;

/// What a rank does, in order.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    Compute(u64),
    /// (peer, tag, bytes, at once).
    Send(u32, u32, u64, bool),
    Recv(u32, u32, u64, bool),
    Wait,
    Collective(Operation, u64, u32),
}

/// Reads a trace. O(text).
///
/// # Errors
/// A file that is not there, a line that is no action, ranks whose collectives differ, or a
/// schedule that [`Builder::finish`] refuses.
fn parse(path: &str, files: &dyn Files, gflops: f64, (algorithms, limit): (&Chosen, Limit)) -> Result<Made> {
    let text = read_text(files, path)?;
    let first = text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("");
    let mut ranks: Vec<Vec<Action>> = Vec::new();
    if first.split_whitespace().nth(1).is_some() {
        read(path, &text, gflops, &mut ranks)?;
    } else {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for name in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
            let beside =
                format!("{folder}{}{}", if folder.is_empty() { "" } else { "/" }, name.trim_start_matches("./"));
            let name = if name.starts_with('/') { name.to_string() } else { beside };
            read(&name, &read_text(files, &name)?, gflops, &mut ranks)?;
        }
    }
    if ranks.is_empty() {
        return Err(Error::input(format!("{path}: no action of any rank")));
    }
    Ok(draw(&ranks, algorithms, limit).map_err(|e| e.at(&Place::new(path, 0)))?.into())
}

fn read(path: &str, text: &str, gflops: f64, ranks: &mut Vec<Vec<Action>>) -> Result<()> {
    let mut lines = Lines::new(path, text);
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [rank, action, rest @ ..] = &words[..] else {
            if words.is_empty() {
                continue;
            }
            return Err(lines.error(format!("`{line}`, expected a rank and an action")));
        };
        let rank: Option<usize> = rank.parse().ok().filter(|&r| r < MOST_RANKS);
        let rank = rank.ok_or_else(|| lines.error(format!("`{line}`, expected a rank first")))?;
        if ranks.len() <= rank {
            ranks.resize(rank + 1, Vec::new());
        }
        let found = action_of(action, rest, gflops).ok_or_else(|| {
            lines.error(format!("`{line}` is no action that is read")).hint("see `hopline explain smpi-ti`")
        })?;
        ranks[rank].extend(found);
    }
    Ok(())
}

/// The action of a line; the inner `None` for one without effect.
fn action_of(action: &str, rest: &[&str], gflops: f64) -> Option<Option<Action>> {
    let number = |i: usize| rest.get(i).and_then(|w| w.parse::<f64>().ok()).filter(|n| *n >= 0.0 && *n < 1e18);
    let whole = |i: usize| rest.get(i).and_then(|w| w.parse::<u32>().ok());
    // Elements times the size of their type, a byte where none is named; words count from `at`.
    let sized = |count: usize, kind: usize| Some(number(count)? as u64 * size_of(rest.get(kind).copied()));
    Some(Some(match action {
        "init" | "finalize" | "comm_size" | "comm_split" | "comm_dup" | "location" | "test" => return Some(None),
        "compute" => Action::Compute((number(0)? / gflops).round() as u64),
        "sleep" => Action::Compute((number(0)? * 1e9).round() as u64),
        // Peer, tag, count, type.
        "send" => Action::Send(whole(0)?, tag(rest)?, sized(2, 3)?, false),
        "isend" => Action::Send(whole(0)?, tag(rest)?, sized(2, 3)?, true),
        "recv" => Action::Recv(whole(0)?, tag(rest)?, sized(2, 3)?, false),
        "irecv" => Action::Recv(whole(0)?, tag(rest)?, sized(2, 3)?, true),
        "wait" | "waitall" | "waitany" => Action::Wait,
        "barrier" => Action::Collective(Operation::Barrier, 0, 0),
        // Count, root, type.
        "bcast" => Action::Collective(Operation::Broadcast, sized(0, 2)?, whole(1).unwrap_or(0)),
        // Count, flops, root, type.
        "reduce" => Action::Collective(Operation::Reduce, sized(0, 3)?, whole(2).unwrap_or(0)),
        "allreduce" => Action::Collective(Operation::AllReduce, sized(0, 2)?, 0),
        // Count sent, count received, types.
        "alltoall" => Action::Collective(Operation::AllToAll, sized(0, 2)?, 0),
        "allgather" => Action::Collective(Operation::AllGather, sized(0, 2)?, 0),
        _ => return None,
    }))
}

/// The tag of a message; negative ones, which match any, are 0.
fn tag(rest: &[&str]) -> Option<u32> {
    Some(rest.get(1)?.parse::<i64>().ok()?.max(0) as u32)
}

/// Bytes of a type by SimGrid's code; 1 for others and where none is named.
fn size_of(code: Option<&str>) -> u64 {
    match code {
        Some("0" | "4") => 8,
        Some("1" | "5") => 4,
        Some("3") => 2,
        _ => 1,
    }
}

fn draw(ranks: &[Vec<Action>], algorithms: &Chosen, limit: Limit) -> Result<Schedule> {
    let n = ranks.len() as u32;
    let members: Vec<u32> = (0..n).collect();
    let mut b = Builder::within(n, limit);
    let mut at = vec![0; ranks.len()];
    loop {
        for (rank, actions) in (0..n).zip(ranks) {
            let at = &mut at[rank as usize];
            while let Some(action) = actions.get(*at).filter(|a| !matches!(a, Action::Collective(..))) {
                add(&mut b, rank, *action);
                *at += 1;
            }
        }
        let next: Vec<Option<&Action>> = ranks.iter().zip(&at).map(|(actions, &at)| actions.get(at)).collect();
        let Some(&Action::Collective(operation, bytes, root)) = next[0] else { break };
        let name = operation.name();
        if let Some(rank) = next.iter().position(|a| *a != next[0]) {
            return Err(Error::input(format!("rank {rank} and rank 0 call different collectives, {name} on rank 0")));
        }
        if root >= n {
            return Err(Error::input(format!("{name} with root {root}, expected less than {n}")));
        }
        members.iter().for_each(|&rank| b.wait(rank));
        if let Some(algorithm) = algorithms.of(operation) {
            let keys = Keys { root, ..sized(bytes, 1) };
            b.has_room(algorithm.messages(n, &keys))?;
            algorithm.draw(&mut Plot::new(&mut b, &members, TRACE_TAG), &keys);
        }
        members.iter().for_each(|&rank| b.wait(rank));
        at.iter_mut().for_each(|at| *at += 1);
    }
    if let Some(rank) = ranks.iter().zip(&at).position(|(actions, &at)| at < actions.len()) {
        return Err(Error::input(format!("rank {rank} calls a collective that rank 0 does not")));
    }
    b.finish()
}

/// What comes after a blocking operation waits for it; a wait waits for all that is open.
fn add(b: &mut Builder, rank: u32, action: Action) {
    let (op, at_once) = match action {
        Action::Compute(nanos) => (b.compute(rank, nanos), false),
        Action::Send(peer, tag, bytes, at_once) => (b.send(rank, peer, bytes, tag), at_once),
        Action::Recv(peer, tag, bytes, at_once) => (b.recv(rank, peer, bytes, tag), at_once),
        Action::Wait | Action::Collective(..) => return b.wait(rank),
    };
    if !at_once {
        b.wait_for(rank, op);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;
    use crate::schedule::Volume;

    fn parse(path: &str, files: &dyn Files) -> Result<Made> {
        let params = crate::params::Params::from_spec("smpi-ti:file=t", &Place::new("test", 0)).expect("a spec");
        let defaults = Chosen::read(&params.check(&ENTRY).expect("keys"), &CHOSEN).expect("defaults");
        super::parse(path, files, 1.0, (&defaults, Limit::default()))
    }

    fn files(pairs: &[(&str, &str)]) -> Memory {
        Memory(pairs.iter().map(|(path, text)| (path.to_string(), text.as_bytes().to_vec())).collect())
    }

    #[test]
    fn a_trace_in_one_file_or_in_several_is_the_same() {
        let (zero, one) = ("0 init\n0 send 1 0 100 0\n0 bcast 10 0 1\n", "1 init\n1 recv 0 0 100 0\n1 bcast 10 0 1\n");
        let all = files(&[
            ("a/t.ti", &format!("{zero}{one}")),
            ("a/list", "0.txt\n1.txt\n"),
            ("a/0.txt", zero),
            ("a/1.txt", one),
        ]);
        let joint = parse("a/t.ti", &all).expect("joint").schedule;
        assert_eq!(joint.volume(), Volume { messages: 2, bytes: 800 + 40 });
        assert_eq!(parse("a/list", &all).expect("list").schedule, joint);
    }

    #[test]
    fn a_computation_does_not_wait_for_a_posted_receive() {
        let rank = |r: u32| format!("{r} irecv {0} 0 8 6\n{r} compute 10\n{r} isend {0} 0 8 6\n{r} waitall\n", 1 - r);
        let trace = files(&[("t", &(rank(0) + &rank(1)))]);
        assert_eq!(parse("t", &trace).expect("no circle").schedule.volume(), Volume { messages: 2, bytes: 16 });
    }

    #[test]
    fn errors_name_the_line_or_the_rank() {
        let error = |text: &str| parse("t", &files(&[("t", text)])).expect_err("wrong").to_string();
        assert!(error("0 init\n0 fly 3\n").starts_with("t:2: "));
        assert!(error("0 barrier\n1 init\n").contains("rank 1 and rank 0 call different collectives"));
        assert!(error("0 init\n1 barrier\n").contains("rank 1 calls a collective that rank 0 does not"));
        assert!(error("0 send 1 0 10 6\n1 init\n").contains("never receives"));
    }
}
