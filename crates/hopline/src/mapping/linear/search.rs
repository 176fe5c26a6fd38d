//! Simulated annealing over all mappings of messages between partners, for what
//! no construction covers: gathers, scatters, tori of unequal extents.

use super::link_loads::LinkLoads;
use super::partners::Partners;
use crate::error::Result;
use crate::event::{Control, Event, Observer};
use crate::id::VertexId;
use crate::rng::Rng;

/// Moves between two looks at the busiest link.
const CHUNK: u64 = 1 << 10;
/// First temperature, of the mean change of a random exchange.
const HOT: f64 = 0.5;
/// Last temperature: below the least change, of a link with one message more.
const COLD: f64 = 0.3;

/// Exchanges the nodes of two tasks, `moves` times, so that the sum of the fourth
/// powers of the loads falls; starts at `at` and answers the best nodes with
/// their largest load. Ends early at `goal`. O(moves * messages of a task * links
/// of a route).
///
/// # Errors
/// Two nodes have no way between them.
pub(super) fn search(
    partners: &Partners,
    at: Vec<VertexId>,
    mut link_loads: LinkLoads<'_>,
    moves: u64,
    goal: f64,
    rng: &mut Rng,
    observer: &mut dyn Observer,
) -> Result<(Vec<VertexId>, f64)> {
    for task in 0..at.len() as u32 {
        let (from, to) = partners.message(task);
        link_loads.add(at[from as usize], at[to as usize], 1.0)?;
    }
    let mut best = (at.clone(), link_loads.peak());
    let mut state = State { with: with_partner(partners), partners, at, link_loads, touched: Vec::new() };
    let hot = (state.mean_change(rng)? * HOT).max(COLD);
    let mut done = 0;
    while done < moves && best.1 > goal && state.at.len() > 1 {
        let temperature = hot * (COLD / hot).powf(done as f64 / moves as f64);
        for _ in 0..CHUNK {
            state.step(temperature, rng)?;
        }
        done += CHUNK;
        let peak = state.link_loads.peak();
        if peak < best.1 {
            best = (state.at.clone(), peak);
        }
        if done.is_multiple_of(CHUNK << 6) && observer.event(Event::Progress(done)) == Control::Stop {
            break;
        }
    }
    Ok(best)
}

/// Per task: the tasks whose partner it is.
fn with_partner(partners: &Partners) -> Vec<Vec<u32>> {
    let mut with = vec![Vec::new(); partners.of.len()];
    partners.of.iter().enumerate().for_each(|(t, &p)| with[p as usize].push(t as u32));
    with
}

struct State<'a> {
    partners: &'a Partners,
    with: Vec<Vec<u32>>,
    at: Vec<VertexId>,
    link_loads: LinkLoads<'a>,
    touched: Vec<u32>,
}

impl State<'_> {
    /// Exchanges two tasks and answers how the energy changes.
    fn exchange(&mut self, a: u32, b: u32) -> Result<f64> {
        let before = self.link_loads.energy;
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        for task in [a, b] {
            touched.push(task);
            touched.extend(&self.with[task as usize]);
        }
        touched.sort_unstable();
        touched.dedup();
        self.send(&touched, -1.0)?;
        self.at.swap(a as usize, b as usize);
        self.send(&touched, 1.0)?;
        self.touched = touched;
        Ok(self.link_loads.energy - before)
    }

    fn send(&mut self, tasks: &[u32], amount: f64) -> Result<()> {
        tasks.iter().try_for_each(|&task| {
            let (from, to) = self.partners.message(task);
            self.link_loads.add(self.at[from as usize], self.at[to as usize], amount).map(|_| ())
        })
    }

    /// Two tasks. One time in three the first is the partner of a random task: a
    /// task with many messages must move as often as they do.
    fn pair(&self, rng: &mut Rng) -> (u32, u32) {
        let n = self.at.len() as u64;
        let task = rng.below(n);
        let a = if rng.below(3) == 0 { u64::from(self.partners.of[task as usize]) } else { task };
        (a as u32, ((a + 1 + rng.below(n - 1)) % n) as u32)
    }

    fn step(&mut self, temperature: f64, rng: &mut Rng) -> Result<()> {
        let (a, b) = self.pair(rng);
        let change = self.exchange(a, b)?;
        if change > 0.0 && rng.unit() >= (-change / temperature).exp() {
            self.exchange(a, b)?;
        }
        Ok(())
    }

    /// Mean size of the change of a random exchange, each undone.
    fn mean_change(&mut self, rng: &mut Rng) -> Result<f64> {
        const SAMPLES: u32 = 64;
        let mut sum = 0.0;
        for _ in 0..SAMPLES {
            let (a, b) = if self.at.len() > 1 { self.pair(rng) } else { (0, 0) };
            sum += self.exchange(a, b)?.abs();
            self.exchange(a, b)?;
        }
        Ok(sum / f64::from(SAMPLES))
    }
}
