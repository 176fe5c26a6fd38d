//! Slack: by how much a message could arrive later without the job ending
//! later, and the least of it on every link.
//!
//! From the last operation backwards, as for activities of a project (Kelley
//! and Walker, "Critical-path planning and scheduling", 1959): an operation
//! must be done before the latest time at which any that waits for it must
//! begin. What waits: others of its rank, the next play, whatever its rank's
//! processor did next, and the other end of its message. A message's way
//! through the network is taken to last as long as it did.

use crate::error::Result;
use crate::replay::{Rate, ReplayInput, Replayed};
use crate::routing::Route;
use crate::schedule::{Schedule, What};

/// The part of its time by which every link could be slower: the least, over the messages that it carries, of (slack +
/// `allowed`) / (links of its route * time for which it keeps one), where each may be late by `allowed` picoseconds.
/// `None` where a link carries no message or has no bandwidth. The replay must have recorded its critical path.
/// O(records * operations that wait for one + sends * links of a route).
///
/// # Errors
/// Two places have no way between them.
pub fn of_links(input: ReplayInput<'_>, done: &Replayed, allowed: u64) -> Result<Vec<Option<f64>>> {
    let (schedule, fabric) = (input.schedule, input.routing.fabric());
    let slack = of_sends(input, done);
    let mut links: Vec<Option<f64>> = vec![None; fabric.links()];
    let mut route = Route::new();
    for (op, &slack) in slack.iter().enumerate().filter(|s| *s.1 != u64::MAX) {
        let send = &schedule.ops()[op];
        let (from, to) = (schedule.ops()[send.partner as usize].peer as usize, send.peer as usize);
        if input.places.host[from] == input.places.host[to] {
            continue;
        }
        input.routing.route(input.places.endpoint[from], input.places.endpoint[to], &mut route)?;
        let length = route.iter().map(|&(_, share)| share).sum::<f64>().ceil();
        for &(l, _) in route.iter().filter(|(_, share)| *share > 0.0) {
            let Some(bandwidth) = fabric.class_of(l).bandwidth else { continue };
            let time = Rate::of(bandwidth).time(send.amount + u64::from(input.model.header)).max(1);
            let room = slack.saturating_add(allowed) as f64 / (length * time as f64);
            let least = links[l.index()].get_or_insert(room);
            *least = least.min(room);
        }
    }
    Ok(links)
}

/// The least slack of every send over all its messages in picoseconds; `u64::MAX` for what is no send.
pub fn of_sends(input: ReplayInput<'_>, done: &Replayed) -> Vec<u64> {
    let mut back = Back::new(input, done);
    for (i, &(rank, op, time)) in done.done.ops.iter().enumerate().rev() {
        back.step(i, rank, op, time);
    }
    back.slack
}

/// No bound yet.
const OPEN: u64 = u64::MAX;

/// The way backwards.
struct Back<'a> {
    input: ReplayInput<'a>,
    /// Per record: the play of its rank that it belongs to, and its number among the records of its operation.
    play: Vec<u32>,
    number: Vec<u32>,
    /// Per operation: where its messages begin in `arrived` and `latest`.
    first: Vec<usize>,
    arrived: Vec<u64>,
    /// The latest arrival of every message.
    latest: Vec<u64>,
    /// Per operation: the latest beginning of what was looked at last, and for receives that a request waits for the
    /// latest end less the end.
    begin: Vec<u64>,
    float: Vec<u64>,
    ranks: Vec<Rank>,
    end: u64,
    slack: Vec<u64>,
}

/// A rank on the way backwards.
#[derive(Clone, Copy)]
struct Rank {
    play: u32,
    /// Latest beginning, and least float, of what the play entered with, and of the play after it.
    own: (u64, u64),
    next: (u64, u64),
    /// Latest beginning of what its processor did next.
    processor: u64,
}

impl<'a> Back<'a> {
    fn new(input: ReplayInput<'a>, done: &Replayed) -> Back<'a> {
        let schedule = input.schedule;
        let n = schedule.ops().len();
        let Numbered { play, number, counts } = number(schedule, input.model.eager, done);
        let mut first = vec![0];
        first.extend(counts.iter().scan(0, |sum, &count| {
            *sum += count as usize;
            Some(*sum)
        }));
        let mut arrived = vec![0; first[n]];
        let mut seen = vec![0usize; n];
        for &(recv, time) in &done.done.arrived {
            let at = first[recv as usize] + seen[recv as usize];
            seen[recv as usize] += 1;
            arrived[at] = time;
        }
        let rank = Rank { play: u32::MAX, own: (OPEN, OPEN), next: (OPEN, OPEN), processor: OPEN };
        Back {
            input,
            play,
            number,
            latest: vec![OPEN; first[n]],
            first,
            arrived,
            begin: vec![OPEN; n],
            float: vec![OPEN; n],
            ranks: vec![rank; schedule.ranks() as usize],
            end: done.makespan(),
            slack: vec![u64::MAX; n],
        }
    }

    fn step(&mut self, record: usize, rank: u32, op: u32, time: u64) {
        let schedule = self.input.schedule;
        let (doing, model) = (&schedule.ops()[op as usize], self.input.model);
        let eager = doing.amount <= model.eager;
        let r = &mut self.ranks[rank as usize];
        if r.play != self.play[record] {
            (r.next, r.own, r.play) = (r.own, (OPEN, OPEN), self.play[record]);
        }
        let r = *r;
        let twice = doing.what == What::Send && !eager;
        let asks = twice && self.number[record].is_multiple_of(2);
        let message = (self.number[record] >> u32::from(twice)) as usize;
        // What bounds the end of this: absolute times, and floats of what lasts as long as it did.
        let (mut late, mut float) = (self.end, OPEN);
        if !asks {
            late = late.min(r.next.0);
            float = float.min(r.next.1);
            for (after, _) in schedule.after(op) {
                late = late.min(self.begin[after as usize]);
                float = float.min(self.float[after as usize]);
            }
        }
        let cost = match doing.what {
            What::Compute => doing.amount.saturating_mul(1000),
            _ => model.overhead.saturating_add(model.overhead_per_byte.time(doing.amount.saturating_sub(1))),
        };
        let works = cost > 0 && (!twice || asks);
        if works {
            late = late.min(r.processor);
        }
        if doing.what == What::Send {
            let at = self.first[doing.partner as usize] + message;
            if eager || asks {
                let way = self.arrived[at].saturating_sub(time);
                late = late.min(self.latest[at].saturating_sub(way));
                let slack = self.latest[at].saturating_sub(self.arrived[at]);
                self.slack[op as usize] = self.slack[op as usize].min(slack);
            }
        }
        let late = late.min(time.saturating_add(float)).max(time);
        if doing.what == What::Send && twice && !asks {
            // The sender is done when its message is there, so a receive that is posted late delays both.
            let at = self.first[doing.partner as usize] + message;
            self.latest[at] = self.latest[at].min(late);
            let float = self.latest[at].saturating_sub(self.arrived[at]);
            let cell = &mut self.float[doing.partner as usize];
            *cell = float.min(*cell);
            if schedule.needs(doing.partner) == 0 {
                let own = &mut self.ranks[doing.peer as usize].own;
                own.1 = float.min(own.1);
            }
            return;
        }
        let begin = late.saturating_sub(cost);
        if doing.what == What::Recv {
            let at = self.first[op as usize] + message;
            self.latest[at] = self.latest[at].min(begin);
        }
        let waits = doing.what == What::Recv && !eager;
        let (begin_of, float_of) = if waits { (OPEN, late - time) } else { (begin, OPEN) };
        (self.begin[op as usize], self.float[op as usize]) = (begin_of, float_of);
        let r = &mut self.ranks[rank as usize];
        if works {
            r.processor = begin;
        }
        if schedule.needs(op) == 0 {
            r.own = (r.own.0.min(begin_of), r.own.1.min(float_of));
        }
    }
}

/// The records of a replay.
struct Numbered {
    /// Per record its play.
    play: Vec<u32>,
    /// Per record its number among those of its operation.
    number: Vec<u32>,
    /// Per operation how many there are.
    counts: Vec<u32>,
}

fn number(schedule: &Schedule, eager: u64, done: &Replayed) -> Numbered {
    let records = |op: u32| {
        let op = &schedule.ops()[op as usize];
        1 + u32::from(op.what == What::Send && op.amount > eager)
    };
    let mut counts = vec![0u32; schedule.ops().len()];
    let mut now: Vec<Turn> = (0..schedule.ranks()).map(|_| Turn::default()).collect();
    let (mut play, mut number) = (Vec::new(), Vec::new());
    for &(rank, op, _) in &done.done.ops {
        let turn = &mut now[rank as usize];
        while turn.left == 0 && turn.enter(schedule, rank, &records) {}
        turn.left = turn.left.saturating_sub(1);
        play.push(turn.plays);
        number.push(counts[op as usize]);
        counts[op as usize] += 1;
    }
    Numbered { play, number, counts }
}

/// Where a rank is in the program.
#[derive(Default)]
struct Turn {
    line: usize,
    turn: u32,
    /// Plays so far, and records to come in this one.
    plays: u32,
    left: u32,
}

impl Turn {
    /// The next play; false at the end of the program.
    fn enter(&mut self, schedule: &Schedule, rank: u32, records: &dyn Fn(u32) -> u32) -> bool {
        let Some(play) = schedule.program().get(self.line) else { return false };
        if self.turn == play.times {
            (self.line, self.turn) = (self.line + 1, 0);
            return true;
        }
        self.turn += 1;
        self.plays += 1;
        self.left = schedule.of(play.body, rank).map(records).sum();
        true
    }
}
