//! A bar on stderr for what takes longer than a second; where nobody sees it, a line that says how long it will take.

use crate::output;
use hopline::error::{Error, Result};
use hopline::event::{Control, Event, Observer, Work};
use hopline::run::rehearse;
use hopline::unit::seconds;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Draws the stages of a run, once a second has passed, if stderr is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
    shown: bool,
    /// What is under way, until it is said how long it will take.
    stage: Option<Stage>,
    /// When to say stop; the bar is then one of time.
    limit: Option<Duration>,
    /// No search can come below this part of what it starts from.
    bound: Option<f64>,
    /// Set by Ctrl-C: stop now.
    interrupt: Option<Interrupt>,
    /// It was said before the start how long the run takes.
    foretold: bool,
}

/// A stage whose steps are known.
struct Stage {
    what: String,
    steps: u64,
    start: Instant,
}

/// Nothing is foretold from less.
const ENOUGH: Duration = Duration::from_secs(2);
/// Nothing is said of what takes less.
const LONG: Duration = Duration::from_secs(30);

/// What a stage will take in all, if that is long, by the steps that are done.
fn forecast(spent: Duration, done: u64, steps: u64) -> Option<Duration> {
    let known = spent >= ENOUGH && done > 0 && done < steps;
    known.then(|| spent.mul_f64(steps as f64 / done as f64)).filter(|whole| *whole >= LONG)
}

/// Work that takes seconds on any machine.
const MUCH: f64 = 2e8;

/// Says what a run will take in all, if that is long, by a short one on this machine; whether it did.
fn foretell(amount: f64, of: Work) -> bool {
    if amount < if of == Work::Seconds { MUCH / Work::USUAL } else { MUCH } {
        return false;
    }
    // The fastest of a few, since others use the machine too. A forecast that fails is none.
    let try_it = |_| {
        let start = Instant::now();
        rehearse(of).map(|done| start.elapsed().as_secs_f64() / done)
    };
    let Ok(each) = (0..3).map(try_it).try_fold(f64::INFINITY, |least, each| each.map(|each: f64| each.min(least)))
    else {
        return false;
    };
    let whole = each * amount;
    let is_long = whole >= LONG.as_secs_f64();
    if is_long {
        output::say(&expected(amount, of, whole));
    }
    is_long
}

/// What is expected of a run, in two digits.
fn expected(amount: f64, of: Work, whole: f64) -> String {
    let (time, unit) = match whole {
        s if s < 120.0 => (s, "seconds"),
        s if s < 7200.0 => (s / 60.0, "minutes"),
        s => (s / 3600.0, "hours"),
    };
    let billions = amount / 1e9;
    let two = |x: f64| format!("{x:.*}", usize::from(x < 9.95));
    if of == Work::Seconds {
        return format!("to work out: about {} {unit} of processor time on this machine", two(time));
    }
    format!("to simulate: about {} billion {of}, {} {unit} of processor time on this machine", two(billions), two(time))
}

impl Bar {
    pub(crate) fn new() -> Bar {
        Bar::until(None)
    }

    /// A bar that says stop after a time, counted from now.
    pub(crate) fn until(limit: Option<Duration>) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Bar {
            bar,
            start: Instant::now(),
            shown: false,
            stage: None,
            limit,
            bound: None,
            interrupt: None,
            foretold: false,
        }
    }

    /// The same for a search that can come down to this part of its start at best.
    pub(crate) fn at_least(mut self, bound: Option<f64>) -> Bar {
        self.bound = bound;
        self
    }

    /// The same that nobody sees.
    pub(crate) fn hidden(mut self) -> Bar {
        (self.shown, self.foretold) = (true, true);
        self
    }

    /// Says once what a stage will take, where no bar does.
    fn foretell(&mut self, done: u64) {
        // Two forecasts would hardly agree.
        let Some(stage) = self.stage.as_ref().filter(|_| !self.foretold) else { return };
        let spent = stage.start.elapsed();
        if let Some(whole) = forecast(spent, done, stage.steps) {
            let (whole, spent) = (seconds(whole.as_secs_f64().round()), seconds(spent.as_secs_f64().round()));
            output::say(&format!("{}: about {whole} in all, by the first {spent}", stage.what));
        }
        if spent >= ENOUGH && done > 0 {
            self.stage = None;
        }
    }

    fn style(&self, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }

    /// The same that also says stop once there was an interrupt.
    pub(crate) fn or(mut self, interrupt: &Interrupt) -> Bar {
        self.interrupt = Some(interrupt.clone());
        self
    }
}

/// Ctrl-C, SIGTERM, and the terminal that goes away (SIGHUP): the first ends a search, with the best so far; the second
/// ends the program.
#[derive(Clone, Default)]
pub(crate) struct Interrupt {
    came: Arc<AtomicBool>,
    /// Which it was.
    signal: Arc<AtomicUsize>,
}

/// Under `nohup` a program outlives its terminal.
fn outlives_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}

impl Interrupt {
    /// Listens from now on.
    pub(crate) fn listen() -> Result<Interrupt> {
        let interrupt = Interrupt::default();
        let (came, number) = (&interrupt.came, &interrupt.signal);
        let hangup = (!outlives_terminal()).then_some(SIGHUP);
        for signal in [SIGINT, SIGTERM].into_iter().chain(hangup) {
            // In this order: what the first signal sets ends the program at the second.
            flag::register_conditional_shutdown(signal, 128 + signal, came.clone())
                .and_then(|_| flag::register_usize(signal, number.clone(), signal as usize))
                .and_then(|_| flag::register(signal, came.clone()))
                .map_err(|e| Error::failed(format!("signal {signal}: {e}")))?;
        }
        Ok(interrupt)
    }

    /// Nobody listens.
    pub(crate) fn never() -> Interrupt {
        Interrupt::default()
    }

    /// The exit code that shells give a program that a signal ended, where there was one.
    pub(crate) fn code(&self) -> Option<ExitCode> {
        self.came().then(|| ExitCode::from(128_u8.saturating_add(self.signal.load(Relaxed) as u8)))
    }

    /// Says that there was one, and what the answer is about.
    pub(crate) fn tell(&self, start: Instant, what: &str) {
        if self.came() {
            output::say(&format!("interrupted after {:.0} s: {what}", start.elapsed().as_secs_f64()));
        }
    }

    /// Whether there was one.
    pub(crate) fn came(&self) -> bool {
        self.came.load(Relaxed)
    }
}

impl Observer for Bar {
    fn event(&mut self, event: Event) -> Control {
        if !self.shown && self.start.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        match (event, self.limit) {
            (Event::Stage { what, steps }, None) => {
                let template =
                    if steps > 0 { "{msg} {wide_bar} {pos}/{len}, {eta} left" } else { "{msg} {spinner} {pos}" };
                self.style(template);
                let unseen = steps > 0 && !std::io::stderr().is_terminal();
                self.stage = unseen.then(|| Stage { what: what.clone(), steps, start: Instant::now() });
                self.bar.set_message(what);
                self.bar.set_length(steps);
                self.bar.set_position(0);
                self.bar.reset_eta();
            }
            (Event::Progress(done), None) => {
                self.bar.set_position(done);
                self.foretell(done);
            }
            (Event::Stage { what, .. }, Some(limit)) if self.bar.length().is_none() => {
                self.style("{msg} {wide_bar} {elapsed} of {prefix}");
                self.bar.set_prefix(format!("{:.0}s", limit.as_secs_f64()));
                self.bar.set_length(limit.as_millis() as u64);
                self.bar.set_message(what);
            }
            (Event::Stage { .. } | Event::Progress(_), Some(_)) => {
                self.bar.set_position(self.start.elapsed().as_millis() as u64);
            }
            (Event::Best(left), _) => {
                let bound = self.bound.map(|b| format!(", no less than {:.1} %", 100.0 * b)).unwrap_or_default();
                self.bar.set_message(format!("search: {:.1} % of the start{bound}", 100.0 * left));
            }
            (Event::Work { amount, of }, _) => self.foretold |= foretell(amount, of),
            (Event::Note(_), _) => {}
        }
        let over = self.limit.is_some_and(|limit| self.start.elapsed() >= limit);
        let interrupted = self.interrupt.as_ref().is_some_and(Interrupt::came);
        if over || interrupted { Control::Stop } else { Control::Continue }
    }

    fn passed(&mut self) -> Option<f64> {
        self.limit.map(|limit| self.start.elapsed().as_secs_f64() / limit.as_secs_f64())
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{expected, forecast};
    use hopline::event::Work;
    use std::time::Duration;

    #[test]
    fn what_is_long_is_foretold_from_what_is_done() {
        let of = |spent: f64, done, steps| forecast(Duration::from_secs_f64(spent), done, steps).map(|d| d.as_secs());
        assert_eq!(of(2.0, 10, 300), Some(60));
        // Too early, nothing done, short, or over.
        assert_eq!([of(1.9, 10, 300), of(5.0, 0, 300), of(2.0, 100, 300), of(90.0, 300, 300)], [None; 4]);
    }

    #[test]
    fn a_run_is_foretold_by_its_work() {
        let say = |amount, whole| expected(amount, Work::FlitHops, whole);
        assert_eq!(
            say(1.04e9, 61.7),
            "to simulate: about 1.0 billion flit-hops, 62 seconds of processor time on this machine"
        );
        assert!(say(2e10, 1230.0).contains("20 billion flit-hops, 20 minutes of"));
        assert!(say(2e12, 9000.0).contains("2000 billion flit-hops, 2.5 hours of"));
        let seconds = expected(40.0, Work::Seconds, 61.7);
        assert_eq!(seconds, "to work out: about 62 seconds of processor time on this machine");
    }
}
