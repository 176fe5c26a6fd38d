//! What a run tells while it works. The library prints nothing and reads no
//! clock: the command line draws a bar, a test collects, Python ignores; time
//! budgets are kept by an observer that answers [`Control::Stop`].

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A stage begins, with its number of steps where that is known.
    Stage {
        /// What is done, for people.
        what: String,
        /// Steps to come; 0 where unknown.
        steps: u64,
    },
    /// So many steps of the stage are done.
    Progress(u64),
    /// Something people should know about the result.
    Note(String),
}

/// What the observer wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// Finish with the best so far.
    Stop,
}

/// Whoever listens to a run.
pub trait Observer: Send {
    /// Called from time to time, never in an innermost loop.
    fn event(&mut self, event: Event) -> Control;
}

impl<F: FnMut(Event) -> Control + Send> Observer for F {
    fn event(&mut self, event: Event) -> Control {
        self(event)
    }
}

/// Listens to nothing and never stops.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: Event) -> Control {
        Control::Continue
    }
}
