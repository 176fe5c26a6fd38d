//! Axes: where values lie, and which of them are written.

/// What an axis measures.
pub(crate) struct Axis {
    /// Its name, with its unit.
    pub(crate) name: String,
    /// True for a logarithmic one.
    pub(crate) log: bool,
    /// Names at 0, 1, 2, ... where it has no numbers.
    pub(crate) names: Vec<String>,
    /// What its numbers are in, where its name does not say so.
    pub(crate) unit: &'static str,
    /// A value as text.
    pub(crate) show: Box<dyn Fn(f64) -> String>,
}

impl Axis {
    /// An axis of numbers.
    pub(crate) fn numbers(name: impl Into<String>, show: impl Fn(f64) -> String + 'static) -> Axis {
        let show = Box::new(move |value| if value == 0.0 { "0".to_string() } else { show(value) });
        Axis { name: name.into(), log: false, names: Vec::new(), unit: "", show }
    }

    /// An axis of things.
    pub(crate) fn things(name: impl Into<String>, names: Vec<String>) -> Axis {
        Axis { name: name.into(), log: false, names, unit: "", show: Box::new(hopline::unit::short) }
    }

    /// The same with the unit of its numbers, for tables.
    pub(crate) fn measured(self, unit: &'static str) -> Axis {
        Axis { unit, ..self }
    }

    /// The same with a logarithmic scale.
    pub(crate) fn logarithmic(self, log: bool) -> Axis {
        Axis { log, ..self }
    }

    /// A value of it as text.
    pub(crate) fn word(&self, value: f64) -> String {
        let name = (value >= 0.0 && value.fract() == 0.0).then(|| self.names.get(value as usize)).flatten();
        name.cloned().unwrap_or_else(|| (self.show)(value))
    }
}

/// Where values lie between the ends of an axis.
pub(crate) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    /// Values that are written.
    pub(crate) ticks: Vec<f64>,
}

impl Scale {
    /// A scale that holds all of these values; those that are not finite, or not positive on a logarithmic axis, are
    /// left out.
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Scale {
        if !axis.names.is_empty() {
            let most = axis.names.len() as f64 - 1.0;
            let ticks = (0..axis.names.len()).map(|k| k as f64).collect();
            return Scale { low: -0.5, high: most + 0.5, log: false, ticks };
        }
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|v| v.is_finite() && (!axis.log || *v > 0.0)) {
            (least, most) = (least.min(v), most.max(v));
        }
        if axis.log && least.is_finite() { Scale::decades(least, most) } else { Scale::linear(least, most) }
    }

    fn linear(least: f64, most: f64) -> Scale {
        let (low, most) = (least.min(0.0), most.max(0.0));
        let (low, most) = if low.is_finite() && most > low { (low, most) } else { (0.0, 1.0) };
        let raw = (most - low) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|m| m * power).find(|s| *s >= raw).unwrap_or(raw);
        let (first, last) = ((low / step + 1e-9).floor(), (most / step - 1e-9).ceil());
        let ticks = (0..=(last - first) as usize).map(|k| (first + k as f64) * step).collect();
        Scale { low: first * step, high: last * step, log: false, ticks }
    }

    /// 1, 2, 5 in few decades; powers of ten in many.
    fn decades(least: f64, most: f64) -> Scale {
        let few = most / least < 1e3;
        let marks: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let (from, to) = (least.log10().floor() as i32, most.log10().ceil() as i32 + 1);
        let all: Vec<f64> = (from..=to).flat_map(|d| marks.iter().map(move |m| m * 10f64.powi(d))).collect();
        let first = all.iter().rposition(|t| *t <= least * (1.0 + 1e-9)).unwrap_or(0);
        let last = all.iter().position(|t| *t >= most * (1.0 - 1e-9)).unwrap_or(all.len() - 1).max(first + 1);
        let ticks = all[first..=last.min(all.len() - 1)].to_vec();
        Scale { low: all[first], high: *ticks.last().unwrap_or(&most), log: true, ticks }
    }

    /// The values at its ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// How far from the low to the high end a value lies, 0 to 1.
    pub(crate) fn part(&self, value: f64) -> f64 {
        let part = match self.log {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Width of a character of a tick.
pub(super) const CHARACTER: f64 = 6.6;

/// The ticks of the x axis that have room.
pub(super) struct Ticks {
    /// Values with their words.
    pub(super) shown: Vec<(f64, String)>,
    /// True where words would touch each other otherwise.
    pub(super) slanted: bool,
    /// Room below the axis.
    pub(super) height: f64,
}

impl Ticks {
    pub(super) fn new(axis: &Axis, scale: &Scale, width: f64) -> Ticks {
        let mut shown: Vec<(f64, String)> = scale.ticks.iter().map(|&t| (t, axis.word(t))).collect();
        let room = width / shown.len().max(1) as f64;
        let longest =
            |shown: &[(f64, String)]| shown.iter().map(|t| t.1.chars().count()).max().unwrap_or(0) as f64 * CHARACTER;
        let slanted = longest(&shown) + 8.0 > room;
        // Slanted words need the height of a line each.
        let every = if slanted { (16.0 / room).ceil() as usize } else { 1 };
        shown = shown.into_iter().step_by(every.max(1)).collect();
        let height = if slanted { 14.0 + 0.58 * longest(&shown) } else { 18.0 };
        Ticks { shown, slanted, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_hold_all_values() {
        for log in [true, false] {
            let axis = Axis::numbers("", hopline::unit::short).logarithmic(log);
            for values in [vec![3.0, 70.0], vec![1.0], vec![0.02, 0.021], vec![1e-9, 1e9], vec![f64::NAN], vec![]] {
                let scale = Scale::new(&axis, values.iter().copied());
                assert!(scale.high > scale.low && scale.ticks.len() > 1, "{values:?} {log}");
                for v in values.iter().filter(|v| v.is_finite()) {
                    assert!(scale.low <= v * (1.0 + 1e-9) && *v <= scale.high * (1.0 + 1e-9), "{values:?} {log}");
                }
            }
        }
    }

    #[test]
    fn words_that_would_touch_are_slanted_and_thinned() {
        let names = |n: usize| Axis::things("", (0..n).map(|i| format!("a long name {i}")).collect());
        let ticks = |n: usize| Ticks::new(&names(n), &Scale::new(&names(n), std::iter::empty()), 600.0);
        assert!(!ticks(3).slanted);
        assert!(ticks(20).slanted && ticks(20).shown.len() == 20);
        assert!(ticks(200).shown.len() <= 40);
    }
}
