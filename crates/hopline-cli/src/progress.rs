//! A bar on stderr for what takes longer than a second.

use hopline::event::{Control, Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::{Duration, Instant};

/// Draws the stages of a run, once a second has passed, if stderr is a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    start: Instant,
    shown: bool,
    /// When to say stop.
    limit: Option<Duration>,
}

impl Bar {
    pub(crate) fn new() -> Bar {
        Bar::until(None)
    }

    /// A bar that says stop after a time, counted from now.
    pub(crate) fn until(limit: Option<Duration>) -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Bar { bar, start: Instant::now(), shown: false, limit }
    }
}

impl Observer for Bar {
    fn event(&mut self, event: Event) -> Control {
        if !self.shown && self.start.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        match event {
            Event::Stage { what, steps } => {
                if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
                    self.bar.set_style(style);
                }
                self.bar.set_message(what);
                self.bar.set_length(steps);
                self.bar.set_position(0);
            }
            Event::Progress(done) => self.bar.set_position(done),
            Event::Note(_) => {}
        }
        match self.limit {
            Some(limit) if self.start.elapsed() >= limit => Control::Stop,
            _ => Control::Continue,
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
