//! Programs and solved schedules with numbers changed at random, against an interpreter of our own that runs them in random orders:
//! what the checker calls right is right in all of them, what it says hangs ends in none.

use crate::common::is_slow;
use hopline::rng::Rng;
use hopline::schedule::collective::{named, sized};
use hopline::schedule::msccl::{Buffer, Fault, Program, Span, StepKind, check, read, write};
use hopline::schedule::teccl;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Mutants of all programs together.
fn mutants() -> u64 {
    if is_slow() { 100_000 } else { 4_000 }
}

/// Who has given to a chunk; nothing where nobody has written it.
type Content = Vec<(u32, u32)>;

/// A chunk of a GPU.
type Place = (usize, Buffer, i64);

/// How a program went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Went {
    Right,
    Wrong,
    Hung,
}

/// One run of a program: its memory, and where its blocks are.
struct Run<'a> {
    program: &'a Program,
    is_in_place: bool,
    root: usize,
    memory: HashMap<Place, Content>,
    /// Steps done of each block of each GPU.
    done: Vec<Vec<usize>>,
    /// Messages under way from a GPU to another on a channel.
    under_way: BTreeMap<(i64, i64, i64), VecDeque<Vec<Content>>>,
    took_nothing: bool,
}

impl Run<'_> {
    fn part(&self) -> i64 {
        i64::from(self.program.chunks) / self.program.gpus.len() as i64
    }

    /// The memory of a chunk: in place input and output are one, of collectives of shards at the place of the rank.
    fn place(&self, gpu: usize, buffer: Buffer, at: i64) -> Place {
        let own = gpu as i64 * self.part() + at;
        match (self.is_in_place, self.program.coll.as_str(), buffer) {
            (true, "allgather", Buffer::Input) => (gpu, Buffer::Output, own),
            (true, "reducescatter", Buffer::Output) => (gpu, Buffer::Input, own),
            (true, "allreduce" | "broadcast" | "alltoall", Buffer::Input) => (gpu, Buffer::Output, at),
            _ => (gpu, buffer, at),
        }
    }

    fn begin(&mut self) {
        for gpu in 0..self.program.gpus.len() {
            let given = match self.program.coll.as_str() {
                "allgather" => self.part(),
                "broadcast" if gpu != self.root => 0,
                _ => i64::from(self.program.chunks),
            };
            for at in 0..given {
                let place = self.place(gpu, Buffer::Input, at);
                self.memory.insert(place, vec![(gpu as u32, at as u32)]);
            }
        }
    }

    fn is_ready(&self, gpu: usize, block: usize) -> bool {
        let own = &self.program.gpus[gpu];
        let Some(step) = own.blocks[block].steps.get(self.done[gpu][block]) else { return false };
        if step.needs.0 >= 0 {
            let (other, from) = (step.needs.0 as usize, step.needs.1 as usize);
            // A flag is raised by the first step from there on that tells.
            let flagged = own.blocks[other].steps.iter().skip(from).position(|step| step.tells);
            if flagged.is_none_or(|at| self.done[gpu][other] <= from + at) {
                return false;
            }
        }
        let from = (own.blocks[block].recv, gpu as i64, own.blocks[block].channel);
        !step.kind.receives() || self.under_way.get(&from).is_some_and(|messages| !messages.is_empty())
    }

    fn step(&mut self, gpu: usize, block: usize) {
        let own = &self.program.gpus[gpu].blocks[block];
        let step = own.steps[self.done[gpu][block]];
        self.done[gpu][block] += 1;
        let load = |run: &Run<'_>, span: Span| -> Vec<Content> {
            let at = |i: i64| run.place(gpu, span.buffer, span.first + i);
            (0..step.count).map(|i| run.memory.get(&at(i)).cloned().unwrap_or_default()).collect()
        };
        let received = match step.kind.receives() {
            true => self.under_way.get_mut(&(own.recv, gpu as i64, own.channel)).and_then(VecDeque::pop_front),
            false => None,
        };
        let mut result = match step.kind {
            StepKind::Nop => return,
            StepKind::Send | StepKind::Copy => load(self, step.source),
            StepKind::Receive | StepKind::ReceiveCopySend => received.unwrap_or_default(),
            StepKind::Reduce => summed(&load(self, step.source), &load(self, step.target)),
            _ => summed(&load(self, step.source), &received.unwrap_or_default()),
        };
        let halves_missing = match step.kind {
            StepKind::Reduce => [load(self, step.source), load(self, step.target)].concat(),
            StepKind::ReceiveReduceCopy | StepKind::ReceiveReduceCopySend | StepKind::ReceiveReduceSend => {
                load(self, step.source)
            }
            _ => Vec::new(),
        };
        self.took_nothing |= result.iter().chain(&halves_missing).any(Vec::is_empty);
        result.iter_mut().for_each(|content| content.sort_unstable());
        if !matches!(step.kind, StepKind::Send | StepKind::ReceiveReduceSend) {
            for (i, content) in (0..).zip(&result) {
                let place = self.place(gpu, step.target.buffer, step.target.first + i);
                self.memory.insert(place, content.clone());
            }
        }
        if step.kind.sends() {
            self.under_way.entry((gpu as i64, own.send, own.channel)).or_default().push_back(result);
        }
    }

    fn is_right(&self) -> bool {
        let (n, part, chunks) = (self.program.gpus.len() as u32, self.part() as u32, self.program.chunks);
        (0..n).all(|gpu| {
            let sum = |at: u32| (0..n).map(|rank| (rank, at)).collect::<Content>();
            let owed: Vec<Content> = match self.program.coll.as_str() {
                "allgather" => (0..chunks).map(|at| vec![(at / part, at % part)]).collect(),
                "reducescatter" => (0..part).map(|at| sum(gpu * part + at)).collect(),
                "alltoall" => (0..chunks).map(|at| vec![(at / part, gpu * part + at % part)]).collect(),
                "broadcast" => (0..chunks).map(|at| vec![(self.root as u32, at)]).collect(),
                _ => (0..chunks).map(sum).collect(),
            };
            (0..).zip(&owed).all(|(at, owed)| {
                self.memory.get(&self.place(gpu as usize, Buffer::Output, at)).is_some_and(|holds| holds == owed)
            })
        })
    }
}

fn summed(a: &[Content], b: &[Content]) -> Vec<Content> {
    a.iter().zip(b).map(|(a, b)| [a.as_slice(), b].concat()).collect()
}

/// Runs a program, one step after the other of a block that is drawn among those that can go on.
fn run(program: &Program, is_in_place: bool, root: u32, rng: &mut Rng) -> Went {
    let done = program.gpus.iter().map(|gpu| vec![0; gpu.blocks.len()]).collect();
    let (memory, under_way) = (HashMap::new(), BTreeMap::new());
    let mut run = Run { program, is_in_place, root: root as usize, memory, done, under_way, took_nothing: false };
    run.begin();
    let blocks: Vec<(usize, usize)> =
        (0..program.gpus.len()).flat_map(|g| (0..program.gpus[g].blocks.len()).map(move |b| (g, b))).collect();
    loop {
        let ready: Vec<_> = blocks.iter().filter(|(gpu, block)| run.is_ready(*gpu, *block)).collect();
        if ready.is_empty() {
            break;
        }
        let &(gpu, block) = ready[rng.below(ready.len() as u64) as usize];
        run.step(gpu, block);
    }
    let ended = blocks.iter().all(|&(g, b)| run.done[g][b] == program.gpus[g].blocks[b].steps.len());
    match (ended, run.is_right() && !run.took_nothing) {
        (false, _) => Went::Hung,
        (true, true) => Went::Right,
        (true, false) => Went::Wrong,
    }
}

/// A text with some numbers and words of its steps and blocks changed, or lines of its steps taken out, doubled or exchanged.
fn mutant(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    for _ in 0..=rng.below(2) {
        let inner: Vec<usize> =
            (0..lines.len()).filter(|&at| lines[at].contains("<step") || lines[at].contains("<tb")).collect();
        let any = |rng: &mut Rng| inner[rng.below(inner.len() as u64) as usize];
        let (at, other) = (any(rng), any(rng));
        match rng.below(12) {
            0 => lines.swap(at, other),
            1 => drop(lines.remove(at)),
            2 => lines.insert(at, lines[other].clone()),
            // Everything but the number of the step is exchanged.
            3 | 4 if lines[at].contains("<step") && lines[other].contains("<step") => {
                let rest = |line: &str| line.find(" type=").map_or(0, |from| from);
                let (a, b) = (lines[at].clone(), lines[other].clone());
                lines[at] = format!("{}{}", &a[..rest(&a)], &b[rest(&b)..]);
                lines[other] = format!("{}{}", &b[..rest(&b)], &a[rest(&a)..]);
            }
            _ => lines[at] = changed(&lines[at], rng),
        }
    }
    lines.join("\n")
}

/// A line with one attribute's value changed.
fn changed(line: &str, rng: &mut Rng) -> String {
    let quotes: Vec<usize> = line.match_indices('"').map(|(at, _)| at).collect();
    if quotes.len() < 2 {
        return line.to_string();
    }
    let pair = rng.below(quotes.len() as u64 / 2) as usize;
    let (from, to) = (quotes[2 * pair] + 1, quotes[2 * pair + 1]);
    let value = match line[from..to].parse::<i64>() {
        Ok(number) => [number + 1, number - 1, rng.below(5) as i64, -1, 0][rng.below(5) as usize].to_string(),
        Err(_) => {
            ["i", "o", "s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop"][rng.below(11) as usize].to_string()
        }
    };
    format!("{}{value}{}", &line[..from], &line[to..])
}

#[test]
fn mutants_are_what_the_checker_says() {
    let algorithms =
        ["allgather-ring", "allgather-bruck", "allreduce-ring", "reduce-scatter-halving", "pairwise", "binomial"];
    let programs: Vec<String> = algorithms
        .iter()
        .flat_map(|name| [3u32, 4].map(|ranks| named(name).and_then(|a| write(&a, &sized(96, 1), ranks))))
        .filter_map(Result::ok)
        .collect();
    assert!(programs.len() >= 9, "{} programs", programs.len());
    let mut rng = Rng::new(32, "mutants");
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for number in 0..mutants() {
        let text = mutant(&programs[rng.below(programs.len() as u64) as usize], &mut rng);
        let checked = check("a", &text);
        *seen.entry(checked.verdict.kind.clone()).or_default() += 1;
        let faults: BTreeSet<Fault> = checked.findings.iter().map(|found| found.fault).collect();
        if faults.contains(&Fault::Malformed) {
            assert!(checked.findings.iter().all(|found| !found.text.is_empty()), "{text}");
            continue;
        }
        let program = read("a", &text).expect("a program");
        let modes = [(true, program.in_place), (false, program.out_of_place || !program.in_place)];
        let modes = modes.into_iter().filter(|mode| mode.1).map(|mode| mode.0);
        let went: Vec<Went> = modes
            .flat_map(|is_in_place| (0..4).map(move |_| is_in_place))
            .map(|is_in_place| run(&program, is_in_place, checked.root, &mut rng))
            .collect();
        let holds = match checked.verdict.kind.as_str() {
            "right" => went.iter().all(|went| *went == Went::Right),
            "deadlock" => went.iter().all(|went| *went == Went::Hung),
            "wrong" => went.contains(&Went::Wrong) && !went.contains(&Went::Hung),
            // What races may bring the right thing by luck; it ends.
            "race" => !went.contains(&Went::Hung),
            _ => true,
        };
        assert!(
            holds,
            "mutant {number} is said to be {}, and went {went:?}\n{:#?}\n{text}",
            checked.verdict.kind, checked.findings
        );
    }
    for kind in ["right", "malformed", "deadlock", "race", "wrong"] {
        assert!(seen.get(kind).is_some_and(|&count| count * 400 > mutants()), "{kind}: {seen:?}");
    }
}

/// An allgather in epochs, solved by hand: a line of four GPUs.
fn line_of_gpus() -> Vec<[u32; 5]> {
    // Chunk, its owner, from, to, epoch.
    let right = (0..4u32).flat_map(|own| (own..3).map(move |at| [0, own, at, at + 1, at - own]));
    let left = (0..4u32).flat_map(|own| (1..=own).rev().map(move |at| [0, own, at, at - 1, own - at]));
    right.chain(left).collect()
}

fn told(flows: &[[u32; 5]]) -> String {
    let flow = |[chunk, own, from, to, epoch]: &[u32; 5]| {
        format!("\"Chunk {chunk} from {own} traveled over {from}->{to} in epoch {epoch}\"")
    };
    format!("{{\"7-Flows\": [{}]}}", flows.iter().map(flow).collect::<Vec<_>>().join(",\n"))
}

/// Whether everybody has what it passes on, and all in the end.
fn is_allgather(flows: &[[u32; 5]]) -> bool {
    let gpus: BTreeSet<u32> = flows.iter().flat_map(|&[_, own, from, to, _]| [own, from, to]).collect();
    let chunks: BTreeSet<u32> = flows.iter().map(|flow| flow[0]).collect();
    let mut has: BTreeSet<(u32, u32, u32)> =
        gpus.iter().flat_map(|&g| chunks.iter().map(move |&c| (g, g, c))).collect();
    let epochs: BTreeSet<u32> = flows.iter().map(|flow| flow[4]).collect();
    for epoch in epochs {
        let now: Vec<&[u32; 5]> = flows.iter().filter(|flow| flow[4] == epoch).collect();
        if now.iter().any(|&&[chunk, own, from, ..]| !has.contains(&(from, own, chunk))) {
            return false;
        }
        has.extend(now.iter().map(|&&[chunk, own, _, to, _]| (to, own, chunk)));
    }
    has.len() == gpus.len() * gpus.len() * chunks.len()
}

#[test]
fn solved_schedules_are_what_the_checker_says() {
    let whole = line_of_gpus();
    assert!(is_allgather(&whole));
    let mut rng = Rng::new(32, "solved");
    let mut seen = [0u64; 2];
    for _ in 0..mutants() {
        let mut flows = whole.clone();
        for _ in 0..=rng.below(2) {
            let (at, other) = (rng.below(flows.len() as u64) as usize, rng.below(flows.len() as u64) as usize);
            let part = rng.below(5) as usize;
            match rng.below(6) {
                0 => drop(flows.remove(at)),
                1 => flows.swap(at, other),
                2 => flows.push(flows[at]),
                _ => flows[at][part] = rng.below(5) as u32,
            }
        }
        if flows.iter().any(|&[_, _, from, to, _]| from == to) {
            assert!(teccl::check("a", &told(&flows)).is_err_and(|e| e.to_string().contains("A and B two GPUs")));
            continue;
        }
        let right = is_allgather(&flows);
        let checked = teccl::check("a", &told(&flows)).expect("a schedule");
        assert_eq!(checked.is_right(), right, "{flows:?}\n{:#?}", checked.findings);
        seen[usize::from(right)] += 1;
    }
    assert!(seen.iter().all(|&seen| seen > mutants() / 100), "{seen:?}");
}

/// No text of a schedule panics: bytes are taken out, changed or cut off.
#[test]
fn damaged_schedules_are_refused_in_words() {
    let parts = r#"{"6-Flows": ["Chunk 1 from 0 traveled over 0->1 with volume 0.5 in epoch 0",
        "Chunk 1 from 0 traveled over 0->2 with volume 0.5 in epoch 0",
        "Chunk 1 from 0 traveled over 2->1 with volume 0.5 in epoch 1"],
        "7-chunk paths": {"Demand at 1 for chunk 1 from 0 met by epoch 1": [[[0, "0->1 with volume 0.5 in epoch 0"]],
        [[0, "0->2 with volume 0.5 in epoch 0"], [1, "2->1 with volume 0.5 in epoch 1"]]]}}"#;
    let mut rng = Rng::new(7, "solved damage");
    for text in [parts.to_string(), told(&line_of_gpus())] {
        for _ in 0..mutants() {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=rng.below(3) {
                let at = rng.below(bytes.len().max(1) as u64) as usize;
                if bytes.is_empty() {
                    break;
                }
                match rng.below(4) {
                    0 => drop(bytes.remove(at)),
                    1 | 2 => bytes[at] = b"0123456789->e. "[rng.below(15) as usize],
                    _ if rng.below(20) == 0 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, b"9"[0]),
                }
            }
            match teccl::check("a", &String::from_utf8_lossy(&bytes)) {
                Ok(checked) => assert!(checked.findings.iter().all(|found| !found.text.is_empty())),
                Err(error) => assert!(!error.message().is_empty()),
            }
        }
    }
}
