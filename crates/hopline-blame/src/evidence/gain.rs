//! What a candidate gains at its best amount, beside faults that are known.

use super::{Evidence, Gain, State};
use crate::measured::Quantity;
use crate::model::{Strays, combined, likeliest, likelihood};

/// What one number must gain to be more than noise beside a stray.
const STRONG: f64 = 2.5;
/// So many numbers may each gain less.
const MANY: u32 = 4;
/// What explains the numbers so much worse is not looked at any closer.
const NOTHING: f64 = -20.0;
/// Steps of the rates that are tried. Where numbers vary less than between two steps, those that they show are tried, too.
const STEP: f64 = 0.05;
const QUIET: f64 = STEP / 4.0;
/// Most of such rates.
const MOST_SHOWN: usize = 8;
/// Numbers below this part of what is usual may be of a part with less than the least rate that is always tried.
const FAR_BELOW: f64 = 2.0 * STEP;
/// Numbers that exceed the usual latency by less than this part of it are of delays that are always tried, of several pairs as well.
const LEAST_DELAY: f64 = 0.5;

impl Evidence<'_> {
    /// The best amount of a candidate, beside the faults of a state: links' other flows are taken not to change.
    pub(crate) fn gain(&self, state: &State, candidate: usize, scratch: &mut Scratch) -> Gain {
        let usual = state.model.efficiency;
        let mut coarse: Vec<f64> = match self.latency {
            true => [0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0, 10.0]
                .map(|x| x * usual)
                .to_vec(),
            false => (1..20).map(|i| f64::from(i) * STEP).collect(),
        };
        let own = self.stray_rows(state, candidate);
        coarse.extend(self.shown(state, &own));
        coarse.extend(self.beyond(state, candidate, &own));
        let strays = self.strays_without(state, &own);
        let lone = self.lone(state, candidate, strays);
        let best = |amounts: &[f64], scratch: &mut Scratch| {
            amounts.iter().fold(Gain { nats: NOTHING, amount: 1.0, rows: 0 }, |best, &amount| {
                let gain = match &lone {
                    Some(rows) => gain_of_lone(rows, amount, strays, best.nats),
                    None => self.gain_of(state, (candidate, amount), strays, scratch),
                };
                if gain.nats > best.nats { gain } else { best }
            })
        };
        let rough = best(&coarse, scratch);
        if rough.nats < 1.0 {
            return rough;
        }
        let step = if self.latency || rough.amount < STEP { rough.amount * 0.06 } else { 0.01 };
        let fine: Vec<f64> = (-4..=4).map(|i| rough.amount + f64::from(i) * step).filter(|a| *a > 0.0).collect();
        best(&fine, scratch)
    }

    /// Rates that quiet numbers on a candidate show, each as if nothing else held it up.
    fn shown(&self, state: &State, own: &[u32]) -> Vec<f64> {
        if self.latency {
            return Vec::new();
        }
        let quiet = own.iter().map(|row| *row as usize).filter_map(|row| {
            let less = state.model.rest[row] - state.shift[row];
            (state.model.sigma[row] < QUIET && less < 0.0).then(|| less.exp())
        });
        let mut rates: Vec<f64> = quiet.filter(|rate| *rate > 0.0).collect();
        rates.sort_by(f64::total_cmp);
        rates.dedup_by(|a, b| (*a - *b).abs() < 1e-3);
        some(rates)
    }

    /// Amounts that strays on a candidate show where they may lie beyond those that are always tried: the worst faults. Of a number of
    /// several flows the fault is a multiple of what the number shows.
    fn beyond(&self, state: &State, candidate: usize, own: &[u32]) -> Vec<f64> {
        let least = LEAST_DELAY * state.model.efficiency;
        let far = own.iter().map(|row| *row as usize).filter_map(|row| {
            let off = state.model.rest[row] - state.shift[row];
            let is_far = if self.latency { off * state.model.unit[row] > least } else { off < FAR_BELOW.ln() };
            is_far.then_some((off, row))
        });
        let mut far: Vec<(f64, usize)> = far.collect();
        far.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shown = |(off, row): (f64, usize)| match self.latency {
            true => self.delay_behind(candidate, row, off * state.model.unit[row]),
            false => self.rate_behind(state, candidate, row, off.exp()),
        };
        some(far).into_iter().filter_map(shown).filter(|amount| amount.is_finite() && *amount > 0.0).collect()
    }

    /// The delay of a candidate that adds `more` microseconds to a number.
    fn delay_behind(&self, candidate: usize, row: usize, more: f64) -> Option<f64> {
        let crossed = |f: u32| {
            let own = self.flows.way(f).iter().filter(|(l, _)| self.candidates[candidate].links.contains(l));
            own.map(|(_, share)| f64::from(*share)).sum()
        };
        let part = combined(&self.flows.rows[row], crossed);
        (part > 0.0).then(|| more / part)
    }

    /// The rate left of a candidate that leaves `part` of what a number would be: where little is left, all flows of a link get
    /// the same.
    fn rate_behind(&self, state: &State, candidate: usize, row: usize, part: f64) -> Option<f64> {
        let row = &self.flows.rows[row];
        let slowest = combined(row, |f| state.rates[f as usize]);
        row.flows.clone().find_map(|flow| {
            let (link, _) = *self.flows.way(flow).iter().find(|(l, _)| self.candidates[candidate].links.contains(l))?;
            let group = self.together(link).find(|group| group.iter().any(|(f, _)| *f == flow))?;
            let weight: f64 = group.iter().map(|(_, share)| f64::from(*share)).sum();
            let rate = if row.kind == Quantity::Slowest { slowest } else { state.rates[flow as usize] };
            let capacity = self.flows.capacity(link) * f64::from(state.factor[link as usize]);
            Some(part * rate * weight / capacity)
        })
    }

    fn gain_of(&self, state: &State, (candidate, amount): (usize, f64), strays: Strays, scratch: &mut Scratch) -> Gain {
        scratch.start(self, state);
        for &link in &self.candidates[candidate].links {
            if self.latency {
                self.on(link)
                    .iter()
                    .for_each(|&(f, share)| scratch.put(f, scratch.value[f as usize] + amount * f64::from(share)));
                continue;
            }
            let capacity = self.flows.capacity(link) * f64::from(state.factor[link as usize]) * amount;
            for group in self.together(link) {
                let level = level(group, &state.rates, capacity);
                group.iter().for_each(|&(f, _)| scratch.put(f, scratch.value[f as usize].min(level)));
            }
        }
        let mut sum = Sum::default();
        scratch.rows.sort_unstable();
        scratch.rows.dedup();
        for &row in &scratch.rows {
            let (at, row) = (row as usize, &self.flows.rows[row as usize]);
            let shift = match self.latency {
                true => state.shift[at] + combined(row, |f| scratch.value[f as usize]) / state.model.unit[at],
                false => {
                    (combined(row, |f| scratch.value[f as usize]) / combined(row, |f| self.nominal[f as usize])).ln()
                }
            };
            let (rest, sigma) = (state.model.rest[at], state.model.sigma[at]);
            sum.add(likelihood(rest, sigma, shift, strays) - likelihood(rest, sigma, state.shift[at], strays));
        }
        sum.at(amount)
    }

    /// The rows on a candidate where each is of one flow, with its link to itself; none where flows share links or rows.
    fn lone(&self, state: &State, candidate: usize, strays: Strays) -> Option<Vec<Lone>> {
        if self.latency {
            return None;
        }
        let mut rows = Vec::new();
        for &link in &self.candidates[candidate].links {
            let capacity = self.flows.capacity(link) * f64::from(state.factor[link as usize]);
            for group in self.together(link) {
                let [(flow, share)] = group else { return None };
                let Some(row) = self.flows.flows[*flow as usize].row else { continue };
                if self.flows.rows[row as usize].flows.len() != 1 {
                    return None;
                }
                let limit = (capacity / f64::from(*share) / self.nominal[*flow as usize]).ln();
                rows.push((row, limit));
            }
        }
        // A flow that comes by twice is held up by the slower link.
        rows.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
        rows.dedup_by_key(|r| r.0);
        let lone = |(row, limit): (u32, f64)| {
            let at = row as usize;
            let (rest, sigma, shift) = (state.model.rest[at], state.model.sigma[at], state.shift[at]);
            let now = likelihood(rest, sigma, shift, strays);
            Lone { rest, sigma, shift, limit, now, from_here: (likeliest(sigma, strays) - now).max(0.0) }
        };
        let mut rows: Vec<Lone> = rows.into_iter().map(lone).collect();
        let mut all = 0.0;
        for row in rows.iter_mut().rev() {
            all += row.from_here;
            row.from_here = all;
        }
        Some(rows)
    }
}

/// At most so many of a sorted list, from all over it.
fn some<T>(sorted: Vec<T>) -> Vec<T> {
    let every = sorted.len().div_ceil(MOST_SHOWN).max(1);
    sorted.into_iter().step_by(every).collect()
}

/// A number of one flow that has the candidate's link to itself.
struct Lone {
    rest: f64,
    sigma: f64,
    /// What other faults explain of the rest.
    shift: f64,
    /// ln of the part of its rate that the link lets through.
    limit: f64,
    /// Likelihood as it is.
    now: f64,
    /// The most that this number and those behind it can gain.
    from_here: f64,
}

/// What an amount gains; less than `least` where it cannot be as much.
fn gain_of_lone(rows: &[Lone], amount: f64, strays: Strays, least: f64) -> Gain {
    let (less, mut sum) = (amount.ln(), Sum::default());
    for row in rows {
        if sum.nats + row.from_here < least {
            break;
        }
        if row.limit + less < row.shift {
            sum.add(likelihood(row.rest, row.sigma, row.limit + less, strays) - row.now);
        }
    }
    sum.at(amount)
}

/// What rows gain together.
#[derive(Default)]
struct Sum {
    nats: f64,
    weak: u32,
    strong: u32,
}

impl Sum {
    fn add(&mut self, more: f64) {
        self.nats += more;
        self.weak += u32::from(more > 1.0);
        self.strong += u32::from(more > STRONG);
    }

    /// Many that lean one way count, or two that are each unlikely to be noise.
    fn at(self, amount: f64) -> Gain {
        Gain { nats: self.nats, amount, rows: if self.weak >= MANY { self.weak } else { self.strong } }
    }
}

/// The rate up to which flows of one round may go where a link carries `capacity`: infinite where it is not full.
fn level(group: &[(u32, f32)], rates: &[f64], capacity: f64) -> f64 {
    if let [(_, share)] = group {
        return capacity / f64::from(*share);
    }
    let mut wants: Vec<(f64, f64)> = group.iter().map(|&(f, share)| (rates[f as usize], f64::from(share))).collect();
    if wants.iter().map(|(rate, share)| rate * share).sum::<f64>() <= capacity {
        return f64::INFINITY;
    }
    wants.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut left, mut weight) = (capacity, wants.iter().map(|w| w.1).sum::<f64>());
    for (rate, share) in wants {
        if rate * weight >= left {
            break;
        }
        left -= rate * share;
        weight -= share;
    }
    (left / weight).max(1e-9)
}

/// Values of flows while a candidate is tried beside the faults of one state.
pub(crate) struct Scratch {
    value: Vec<f64>,
    touched: Vec<u32>,
    rows: Vec<u32>,
    row_of: Vec<Option<u32>>,
}

impl Scratch {
    pub(crate) fn new(evidence: &Evidence<'_>, state: &State) -> Scratch {
        let value = if evidence.latency { vec![0.0; state.rates.len()] } else { state.rates.clone() };
        let row_of = evidence.flows.flows.iter().map(|f| f.row).collect();
        Scratch { value, touched: Vec::new(), rows: Vec::new(), row_of }
    }

    fn start(&mut self, evidence: &Evidence<'_>, state: &State) {
        for &f in &self.touched {
            self.value[f as usize] = if evidence.latency { 0.0 } else { state.rates[f as usize] };
        }
        self.touched.clear();
        self.rows.clear();
    }

    fn put(&mut self, flow: u32, value: f64) {
        self.value[flow as usize] = value;
        self.touched.push(flow);
        self.rows.extend(self.row_of[flow as usize]);
    }
}
