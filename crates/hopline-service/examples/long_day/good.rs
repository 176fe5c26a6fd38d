//! Clients that compare every answer with the tables of its generation.

use crate::common::Asker;
use hopline_service::client::{Answer, Client};
use hopline_service::generation::Generation;
use hopline_service::store::{self, TABLES};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// What each question is answered, by the two states that the fabric has in turn.
pub(crate) struct Expected {
    store: PathBuf,
    lines: Vec<String>,
    answers: [Vec<String>; 2],
    /// The tables of either state.
    tables: [String; 2],
}

impl Expected {
    pub(crate) fn new(store: &std::path::Path, cables: &str, tables: &[String; 2]) -> Expected {
        let mut lines: Vec<String> =
            (0..400).map(|i| format!("@ route node{:03}:node{:03}", i % 64 + 1, (i * 29 + 5) % 64 + 1)).collect();
        lines.extend(["@ matrix hops *", "@ order *", "@ select 20 *", "@ query node001:nowhere"].map(String::from));
        let answers = tables.clone().map(|tables| {
            let atlas = store::parse(cables, &tables).expect("sound dumps");
            let generation = Generation::new(1, String::new(), atlas);
            let mut asker = Asker::new(&generation);
            let answer = |line: &String| Answer::read(&asker.ask(line)).lines.join("\n");
            lines.iter().map(answer).collect::<Vec<String>>()
        });
        assert!(answers[0].iter().zip(&answers[1]).filter(|(a, b)| a != b).count() > 200, "the states differ");
        Expected { store: store.into(), lines, answers, tables: tables.clone() }
    }

    /// Which state a generation has, by its own tables; nothing where it is gone already.
    fn state(&self, number: u64) -> Option<usize> {
        let text = std::fs::read_to_string(store::path(&self.store, number).join(TABLES)).ok()?;
        self.tables.iter().position(|tables| *tables == text)
    }
}

/// What good clients have seen.
#[derive(Default)]
pub(crate) struct Seen([AtomicU64; 5]);

impl Seen {
    fn add(&self, which: usize) {
        self.0[which].fetch_add(1, Relaxed);
    }

    pub(crate) fn right(&self) -> u64 {
        self.0[0].load(Relaxed)
    }

    pub(crate) fn wrong(&self) -> u64 {
        self.0[1].load(Relaxed)
    }

    pub(crate) fn lost(&self) -> u64 {
        self.0[2].load(Relaxed)
    }

    pub(crate) fn refused(&self) -> u64 {
        self.0[3].load(Relaxed)
    }

    /// Answers that could not be compared: their generation was thrown out of the store before it was looked at.
    pub(crate) fn late(&self) -> u64 {
        self.0[4].load(Relaxed)
    }
}

/// A connection that is taken: while a storm lasts there may be no room, and one comes again.
fn taken(server: &str, seen: &Seen, stop: &AtomicBool) -> Option<Client> {
    while !stop.load(Relaxed) {
        if let Ok(mut client) = Client::connect(server, PATIENCE)
            && client.ask("generation").is_ok_and(|answer| !answer.error)
        {
            return Some(client);
        }
        seen.add(3);
        std::thread::sleep(Duration::from_millis(20));
    }
    None
}

/// Asks in batches until the end, over a new connection every now and then.
pub(crate) fn ask(server: &str, seed: usize, expected: &Expected, seen: &Seen, stop: &AtomicBool) {
    let (mut states, mut newest, mut at) = (HashMap::new(), 0, seed * 101);
    while let Some(mut client) = taken(server, seen, stop) {
        for _ in 0..200 {
            if stop.load(Relaxed) {
                break;
            }
            at += 1;
            let batch: Vec<usize> = (0..50).map(|i| (at + i * 37) % expected.lines.len()).collect();
            let requests: Vec<&str> = batch.iter().map(|&i| expected.lines[i].as_str()).collect();
            let Ok(answers) = client.ask_all(&requests) else {
                seen.add(2);
                break;
            };
            for (&i, answer) in batch.iter().zip(answers) {
                let number = answer.generation.unwrap_or(0);
                let known = states.get(&number).copied().or_else(|| expected.state(number));
                states.extend(known.map(|state| (number, state)));
                // Never an older generation after a newer one, never a mixture of two.
                let right = |state: &usize| answer.lines.join("\n") == expected.answers[*state][i];
                let good = number >= newest && known.as_ref().is_none_or(right);
                if !good {
                    eprintln!("wrong: {} of generation {number} after {newest}: {:?}", expected.lines[i], answer.lines);
                }
                newest = newest.max(number);
                seen.add(if good && known.is_none() { 4 } else { usize::from(!good) });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
