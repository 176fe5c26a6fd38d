//! Parts whose slowness explains the numbers: candidates, what each gains, and the set that explains most.

mod candidates;
mod counted;
mod gain;

pub(crate) use candidates::{Candidate, Named, Part, all as candidates};
use gain::Scratch;

use crate::flows::{Flows, Row};
use crate::measured::Quantity;
use crate::model::{Model, Strays, combined, likelihood, model};
use crate::share::Filling;

/// A fault must explain so much more than chance (natural logarithms), after what it is worth, to be told at all.
const TOLD: f64 = 3.5;
/// The same of a part that few numbers cross, none of which can say more than that it is no stray.
const TOLD_OF_FEW: f64 = 0.5;
/// So many numbers are few.
const FEW: u32 = 3;
/// What is worth less is a suspicion, no blame: thousands of parts may look slow by chance, one of them in some of a thousand
/// healthy runs.
const CERTAIN: f64 = 6.0;
/// The same where two numbers alone speak for it, which cannot be worth more.
const CERTAIN_OF_TWO: f64 = 5.4;
/// So much more a part must explain than a fault to take its place.
const CLEARLY: f64 = 3.0;
/// The rate of strays with which two numbers meet by chance as seldom as `CERTAIN_OF_TWO` assumes.
const FEW_STRAYS: f64 = 0.005;
/// What a link that hardly anything crosses must gain to be measured again.
const DOUBTFUL: f64 = 3.0;
/// Most of such links.
const MOST_DOUBTS: usize = 24;
/// Most faults that are looked for.
const MOST_FAULTS: usize = 6;
/// Numbers that lie so many deviations off are looked at.
const SLOW: f64 = 1.5;
/// Candidates that are compared without approximation, one of those that no number tells apart.
const FINALISTS: usize = 4;
/// What two parts are worth differs by so little only where the same numbers speak for them alike.
const ALIKE: f64 = 1e-6;

/// A part that is slow, and how much: rate left, or microseconds added.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) candidate: usize,
    pub(crate) amount: f64,
}

/// What a candidate explains.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gain {
    /// Likelihood gained, natural logarithm.
    pub(crate) nats: f64,
    pub(crate) amount: f64,
    /// Numbers that speak for it.
    pub(crate) rows: u32,
}

/// A candidate in the place of a fault.
#[derive(Clone, Copy)]
pub(crate) struct Alternative {
    /// Its gain with its prior, in nats.
    pub(crate) worth: f64,
    pub(crate) candidate: usize,
    pub(crate) gain: Gain,
}

/// What faults do.
struct Effect {
    /// Rates left of links.
    factor: Vec<f32>,
    /// Of flows.
    rates: Vec<f64>,
    /// What they explain of each row.
    explained: Vec<f64>,
}

impl Alternative {
    fn fault(&self) -> Fault {
        Fault { candidate: self.candidate, amount: self.gain.amount }
    }
}

/// Of equal ones the first candidate.
pub(crate) fn best_first(all: &mut [Alternative]) {
    all.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.candidate.cmp(&b.candidate)));
}

/// What a fault must be worth to be told.
fn needed(gain: &Gain) -> f64 {
    if gain.rows <= FEW { TOLD_OF_FEW } else { TOLD }
}

/// Numbers, candidates, and what faults explain of the numbers.
pub(crate) struct Evidence<'a> {
    pub(crate) flows: &'a Flows,
    pub(crate) candidates: &'a [Candidate],
    pub(crate) latency: bool,
    /// Rates without a fault.
    nominal: Vec<f64>,
    /// Flows by link: `of_link[first[l]..first[l + 1]]`, rounds together.
    first: Vec<u32>,
    of_link: Vec<(u32, f32)>,
}

/// What the numbers say where some parts are slow.
pub(crate) struct State {
    factor: Vec<f32>,
    rates: Vec<f64>,
    /// What the faults explain of each row's rest.
    pub(crate) shift: Vec<f64>,
    pub(crate) model: Model,
    /// What none of the faults explains.
    strays: Strays,
    /// Which rows these are.
    is_stray: Vec<bool>,
}

impl State {
    /// How far off a number is that nothing explains.
    fn stray(&self, row: usize) -> Option<f64> {
        Strays::is(self.model.rest[row], self.model.sigma[row], self.shift[row])
    }
}

impl<'a> Evidence<'a> {
    pub(crate) fn new(flows: &'a Flows, candidates: &'a [Candidate]) -> Evidence<'a> {
        let latency = flows.latency();
        let mut first = vec![0u32; flows.links() + 1];
        let all =
            || (0..flows.flows.len() as u32).flat_map(|f| flows.way(f).iter().map(move |&(l, share)| (l, f, share)));
        all().for_each(|(l, ..)| first[l as usize + 1] += 1);
        (0..flows.links()).for_each(|l| first[l + 1] += first[l]);
        let mut of_link = vec![(0, 0.0); first[flows.links()] as usize];
        let mut place = first.clone();
        for (l, f, share) in all() {
            of_link[place[l as usize] as usize] = (f, share);
            place[l as usize] += 1;
        }
        for l in 0..flows.links() {
            let own = &mut of_link[first[l] as usize..first[l + 1] as usize];
            own.sort_by_key(|(f, _)| (flows.flows[*f as usize].round, *f));
        }
        let nominal = flows.rates(&vec![1.0; flows.links()], &mut Filling::new(flows.links()));
        Evidence { flows, candidates, latency, nominal, first, of_link }
    }

    /// The flows of a link, with the share of each that crosses it.
    pub(crate) fn on(&self, link: u32) -> &[(u32, f32)] {
        &self.of_link[self.first[link as usize] as usize..self.first[link as usize + 1] as usize]
    }

    /// The same in groups that ran together: those of a round, or one flow alone.
    pub(crate) fn together(&self, link: u32) -> impl Iterator<Item = &[(u32, f32)]> {
        let round = |f: u32| self.flows.flows[f as usize].round;
        self.on(link).chunk_by(move |a, b| round(a.0).is_some() && round(a.0) == round(b.0))
    }

    /// The numbers of flows on a link, those of several flows more than once.
    pub(crate) fn rows_on(&self, link: u32) -> impl Iterator<Item = u32> {
        self.on(link).iter().filter_map(|(f, _)| self.flows.flows[*f as usize].row)
    }

    /// The rate of a flow where nothing is slow.
    pub(crate) fn nominal_rate(&self, flow: u32) -> f64 {
        self.nominal[flow as usize]
    }

    fn effect(&self, faults: &[Fault]) -> Effect {
        let mut factor = vec![1.0f32; self.flows.links()];
        let mut delay = vec![0.0; self.flows.flows.len()];
        for fault in faults {
            for &link in &self.candidates[fault.candidate].links {
                if self.latency {
                    self.on(link).iter().for_each(|&(f, share)| delay[f as usize] += fault.amount * f64::from(share));
                } else {
                    factor[link as usize] *= fault.amount as f32;
                }
            }
        }
        let rates = match faults.is_empty() || self.latency {
            true => self.nominal.clone(),
            false => self.flows.rates(&factor, &mut Filling::new(self.flows.links())),
        };
        let of = |row: &Row| match self.latency {
            true => combined(row, |f| delay[f as usize]),
            false => (combined(row, |f| rates[f as usize]) / combined(row, |f| self.nominal[f as usize])).ln(),
        };
        let explained = self.flows.rows.iter().map(of).collect();
        Effect { factor, rates, explained }
    }

    pub(crate) fn state(&self, faults: &[Fault]) -> State {
        let Effect { factor, rates, explained } = self.effect(faults);
        let model = model(self.flows, &self.nominal, &explained);
        let shift = explained.iter().zip(&model.unit).map(|(e, unit)| e / unit).collect();
        let strays = Strays::default();
        let mut state = State { factor, rates, shift, model, strays, is_stray: Vec::new() };
        let strays: Vec<Option<f64>> = (0..self.flows.rows.len()).map(|row| state.stray(row)).collect();
        let (count, off) = strays.iter().flatten().fold((0.0, 0.0), |(count, off), o| (count + 1.0, off + o));
        state.strays = Strays { of: self.flows.rows.len() as f64, count, off, delays: self.latency };
        state.is_stray = strays.iter().map(Option::is_some).collect();
        state
    }

    /// Strays among the numbers that a candidate has no part in: those are what it is to stand out against.
    fn strays_beside(&self, state: &State, candidate: usize) -> Strays {
        self.strays_without(state, &self.stray_rows(state, candidate))
    }

    /// The same where the strays among its own numbers are known.
    fn strays_without(&self, state: &State, own: &[u32]) -> Strays {
        let mut strays = state.strays;
        strays.count -= own.len() as f64;
        strays.off -= own.iter().filter_map(|row| state.stray(*row as usize)).sum::<f64>();
        strays
    }

    /// Strays among the numbers of a candidate, each once.
    fn stray_rows(&self, state: &State, candidate: usize) -> Vec<u32> {
        if state.strays.count <= 0.0 {
            return Vec::new();
        }
        let rows = self.candidates[candidate].links.iter().flat_map(|&link| self.rows_on(link));
        let mut own: Vec<u32> = rows.filter(|row| state.is_stray[*row as usize]).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// The likelihood of all numbers under a model, where faults explain so much of what is left of each.
    fn likelihood(&self, model: &Model, strays: Strays, shift: impl Iterator<Item = f64>) -> f64 {
        let rows = model.rest.iter().zip(&model.sigma).zip(shift);
        rows.map(|((rest, sigma), shift)| likelihood(*rest, *sigma, shift, strays)).sum()
    }

    /// How likely the numbers are where these faults are there, with how likely those are.
    pub(crate) fn fit(&self, state: &State, faults: &[Fault]) -> f64 {
        let priors: f64 = faults.iter().map(|fault| self.candidates[fault.candidate].prior).sum();
        self.likelihood(&state.model, state.strays, state.shift.iter().copied()) + priors
    }

    /// What a row lies off, in deviations; positive is slow.
    pub(crate) fn slowness(&self, state: &State, row: usize) -> f64 {
        let off = (state.model.rest[row] - state.shift[row]) / state.model.sigma[row];
        if self.latency { off } else { -off }
    }

    /// Whether chance makes numbers speak so for a part now and then: two strays meet on one of them as often as the square of their
    /// rate says, and two sums of both directions are as well of the parts that the other directions cross.
    pub(crate) fn may_be_chance(&self, state: &State, alternative: &Alternative) -> bool {
        let Alternative { worth, candidate, gain } = *alternative;
        if gain.rows > 2 {
            return worth < CERTAIN;
        }
        let mut rows = self.candidates[candidate].links.iter().flat_map(|&link| self.rows_on(link));
        if rows.any(|row| self.flows.rows[row as usize].kind == Quantity::Both) {
            return true;
        }
        // One stray tells no rate.
        let strays = self.strays_beside(state, candidate);
        let rate = (strays.count - 1.0) / strays.of.max(1.0);
        worth < CERTAIN_OF_TWO + 2.0 * (rate / FEW_STRAYS).max(1.0).ln()
    }

    /// Candidates that lie on a slow number.
    fn open(&self, state: &State) -> Vec<usize> {
        let mut slow = vec![false; self.flows.links()];
        for (_, row) in self.flows.rows.iter().enumerate().filter(|(at, _)| self.slowness(state, *at) > SLOW) {
            row.flows.clone().for_each(|f| self.flows.way(f).iter().for_each(|(l, _)| slow[*l as usize] = true));
        }
        let hit = |c: &Candidate| c.links.iter().any(|l| slow[*l as usize]);
        (0..self.candidates.len()).filter(|&c| hit(&self.candidates[c])).collect()
    }

    /// The parts that explain the numbers best, with those that one number alone speaks for left out.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        let mut next = None;
        while faults.len() < MOST_FAULTS {
            let state = self.state(&faults);
            let mut scratch = Scratch::new(self, &state);
            let taken = |c: usize| faults.iter().any(|f| self.candidates[f.candidate].part == self.candidates[c].part);
            let mut gains: Vec<Alternative> = Vec::new();
            for c in self.open(&state).into_iter().filter(|c| !taken(*c)) {
                let gain = self.gain(&state, c, &mut scratch);
                if gain.rows > 1 {
                    gains.push(self.alternative(c, gain));
                }
            }
            best_first(&mut gains);
            next = gains.first().map(Alternative::fault);
            gains.retain(|g| g.worth > 0.0);
            gains.dedup_by(|b, a| b.gain.rows == a.gain.rows && (b.worth - a.worth).abs() < ALIKE);
            let mut best: Option<(f64, Fault, f64)> = None;
            for finalist in gains.iter().take(FINALISTS) {
                let (candidate, fault) = (finalist.candidate, finalist.fault());
                let with: Vec<Fault> = faults.iter().cloned().chain([fault.clone()]).collect();
                // The model of before is kept for the comparison: only rates change.
                let explained = self.effect(&with).explained;
                let shift = explained.iter().zip(&state.model.unit).map(|(e, unit)| e / unit);
                let strays = self.strays_beside(&state, candidate);
                let before = self.likelihood(&state.model, strays, state.shift.iter().copied());
                let exact = self.likelihood(&state.model, strays, shift) - before + self.candidates[candidate].prior;
                let worth = if self.flows.rounds.is_empty() { finalist.worth } else { exact };
                if best.as_ref().is_none_or(|(b, ..)| worth > b + 1e-9) {
                    best = Some((worth, fault, needed(&finalist.gain)));
                }
            }
            match best {
                Some((worth, fault, needed)) if worth > needed => {
                    faults.push(fault);
                    next = None;
                }
                _ => break,
            }
        }
        let faults = self.without_needless(faults);
        match self.with_better(faults.iter().cloned().chain(next).collect()) {
            Some(better) => self.without_needless(better),
            None => faults,
        }
    }

    /// Of several faults each gives way to a part that explains clearly more in its place: the first was chosen while the others were not
    /// known, and may explain so much of them that the next, the last here, is worth nothing beside it. None where all stay.
    fn with_better(&self, mut faults: Vec<Fault>) -> Option<Vec<Fault>> {
        let mut changed = false;
        for at in (0..faults.len().saturating_sub(1)).rev() {
            let mut others = faults.clone();
            let fault = others.remove(at);
            let all = self.alternatives(&self.state(&others));
            let own = all.iter().find(|a| a.candidate == fault.candidate).map_or(f64::NEG_INFINITY, |a| a.worth);
            let part = |c: usize| self.candidates[c].part;
            let free =
                |a: &&Alternative| a.gain.rows > 1 && others.iter().all(|o| part(o.candidate) != part(a.candidate));
            if let Some(better) = all.iter().find(free)
                && better.worth > own + CLEARLY
            {
                faults[at] = better.fault();
                changed = true;
            }
        }
        changed.then_some(faults)
    }

    /// Faults that explain nothing once the others are known are left out; the others take their best amount.
    fn without_needless(&self, mut faults: Vec<Fault>) -> Vec<Fault> {
        let mut at = 0;
        while at < faults.len() {
            let fault = faults.remove(at);
            let state = self.state(&faults);
            let gain = self.gain(&state, fault.candidate, &mut Scratch::new(self, &state));
            if gain.nats + self.candidates[fault.candidate].prior > needed(&gain) {
                faults.insert(at, Fault { amount: gain.amount, ..fault });
                at += 1;
            }
        }
        faults
    }

    /// All candidates in the place of a fault (or beside all where there is none), best first, with prior.
    pub(crate) fn alternatives(&self, state: &State) -> Vec<Alternative> {
        let mut scratch = Scratch::new(self, state);
        let mut all = Vec::new();
        for c in self.open(state) {
            let gain = self.gain(state, c, &mut scratch);
            all.push(self.alternative(c, gain));
        }
        best_first(&mut all);
        all
    }

    fn alternative(&self, candidate: usize, gain: Gain) -> Alternative {
        Alternative { worth: gain.nats + self.candidates[candidate].prior, candidate, gain }
    }

    /// Links that two numbers cross at most, of which one is slow: sets of one link each, the most doubtful first.
    pub(crate) fn doubtful(&self, state: &State) -> Vec<Vec<u32>> {
        let mut scratch = Scratch::new(self, state);
        let mut found: Vec<(f64, u32)> = Vec::new();
        for c in self.open(state) {
            let Part::Link(link) = self.candidates[c].part else { continue };
            if self.rows_on(link.0).take(3).count() < 3 {
                found.push((self.gain(state, c, &mut scratch).nats, link.0));
            }
        }
        found.retain(|(nats, _)| *nats > DOUBTFUL);
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.into_iter().take(MOST_DOUBTS).map(|(_, link)| vec![link]).collect()
    }
}
