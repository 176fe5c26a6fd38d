//! What a run tells while it works. The library prints nothing and reads no
//! clock: the command line draws a bar, a test collects, Python ignores; time
//! budgets are kept by an observer that answers [`Control::Stop`].

use std::sync::Mutex;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A stage begins, with its number of steps where that is known.
    Stage {
        /// What is done, for people.
        what: String,
        /// Steps to come; 0 where unknown.
        steps: u64,
    },
    /// What the whole run will simulate, roughly, before it begins.
    Work {
        /// So many of them.
        amount: f64,
        /// What is counted.
        of: Work,
    },
    /// So many steps of the stage are done.
    Progress(u64),
    /// The best so far of what is searched for, over what it was at the start: 0.9 is a tenth less.
    Best(f64),
    /// Something people should know about the result.
    Note(String),
}

/// What is counted of a simulation: each takes about as long as another on one machine ([`rehearse`](crate::run::rehearse)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Flits through routers.
    FlitHops,
    /// Packets over links.
    PacketHops,
    /// Seconds of a processor that brings [`USUAL`](Work::USUAL) flits through routers in each.
    Seconds,
}

impl Work {
    /// Flits through routers in a second, of one core of the server on which seconds were measured.
    pub const USUAL: f64 = 9e6;
}

impl std::fmt::Display for Work {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Work::FlitHops => "flit-hops",
            Work::PacketHops => "packet-hops",
            Work::Seconds => "seconds",
        })
    }
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

    /// The part of the time allowed that has passed, from 0 to 1 and beyond; `None` where no time is set. A search that
    /// cools down follows it.
    fn passed(&mut self) -> Option<f64> {
        None
    }
}

impl<F: FnMut(Event) -> Control + Send> Observer for F {
    fn event(&mut self, event: Event) -> Control {
        self(event)
    }
}

/// One observer of searches side by side; lost with a thread that panicked, it says stop.
pub struct Shared<'a>(Mutex<&'a mut dyn Observer>);

impl<'a> Shared<'a> {
    /// Shares an observer.
    pub fn new(observer: &'a mut dyn Observer) -> Self {
        Shared(Mutex::new(observer))
    }
}

impl Observer for &Shared<'_> {
    fn event(&mut self, event: Event) -> Control {
        self.0.lock().map_or(Control::Stop, |mut observer| observer.event(event))
    }

    fn passed(&mut self) -> Option<f64> {
        self.0.lock().ok().and_then(|mut observer| observer.passed())
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
