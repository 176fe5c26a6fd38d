//! A call: it runs on a thread of its own without the interpreter's lock, while the caller's thread listens to Ctrl-C and
//! tells how far it is.

use crate::answer::Answer;
use crate::error::{exception, raised};
use hopline::error::{Error, Result};
use hopline::event::{Control, Event, Observer};
use hopline::files::{Disk, Files, Memory};
use hopline_cli::embed;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often Ctrl-C is looked for.
const LISTEN: Duration = Duration::from_millis(50);
/// Callbacks come no more often.
const TELL: Duration = Duration::from_millis(30);

/// Files that Python holds in memory, before those of the disk.
pub(crate) struct Inputs(pub(crate) Memory);

impl Inputs {
    pub(crate) fn new(files: BTreeMap<String, Vec<u8>>) -> Inputs {
        Inputs(Memory(files))
    }
}

impl Files for Inputs {
    fn read(&self, path: &str) -> Result<Vec<u8>> {
        if self.0.0.contains_key(path) { self.0.read(path) } else { Disk.read(path) }
    }

    fn list(&self, path: &str) -> Option<Vec<String>> {
        self.0.list(path).or_else(|| Disk.list(path))
    }

    fn fabric(&self, path: &str, text: String) -> Result<String> {
        hopline_formats::translated(path, text)
    }
}

/// What the working thread sends.
enum Message {
    Event(Event),
    Done(Ended),
}

/// The answer; or what the program said when it panicked.
type Ended = std::result::Result<Result<Box<embed::Answer>>, String>;

/// Listens to a run on the working thread.
struct Listener {
    sender: Option<Sender<Message>>,
    last: Instant,
    stop: Arc<AtomicBool>,
}

impl Observer for Listener {
    fn event(&mut self, event: Event) -> Control {
        let often = matches!(event, Event::Progress(_) | Event::Best(_)) && self.last.elapsed() < TELL;
        if let (Some(sender), false) = (&self.sender, often) {
            self.last = Instant::now();
            // Nobody listens any more: the flag says so, too.
            let _ = sender.send(Message::Event(event));
        }
        if self.stop.load(Relaxed) { Control::Stop } else { Control::Continue }
    }
}

/// What a command line comes to. `files` are inputs in memory by their paths; `progress` is called with (stage, steps done,
/// all steps). The first Ctrl-C asks a search for its best so far, the second leaves it alone.
#[pyfunction]
#[pyo3(signature = (words, files, progress=None))]
pub(crate) fn answer(
    py: Python<'_>,
    words: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Answer> {
    let (sender, mut receiver) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let (tells, stopped) = (progress.is_some(), stop.clone());
    let work = move || {
        let events = tells.then(|| sender.clone());
        let mut listener = Listener { sender: events, last: Instant::now(), stop: stopped };
        let run = || embed::answer(&words, &Inputs::new(files), &mut listener).map(Box::new);
        let ended = catch_unwind(AssertUnwindSafe(run)).map_err(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
        });
        // Who left does not want it.
        let _ = sender.send(Message::Done(ended));
    };
    let failed = |e| raised(py, &Error::failed(format!("cannot start a thread: {e}")));
    thread::Builder::new().name("hopline".to_string()).spawn(work).map_err(failed)?;
    let mut stage = Stage::default();
    let mut pending: Option<PyErr> = None;
    loop {
        let (message, back) = py.detach(move || listen(receiver));
        receiver = back;
        let mut wrong = None;
        match message {
            Ok(Message::Done(ended)) => return done(py, ended, pending),
            Ok(Message::Event(event)) => {
                if let (Some(progress), None) = (&progress, &pending) {
                    wrong = stage.tell(py, event, progress).err();
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(exception(py, "RunError", "the working thread ended".to_string()));
            }
        }
        if let Err(signal) = py.check_signals() {
            if pending.is_some() {
                return Err(signal);
            }
            wrong = Some(signal);
        }
        if wrong.is_some() && pending.is_none() {
            stop.store(true, Relaxed);
            pending = wrong;
        }
    }
}

fn listen(receiver: Receiver<Message>) -> (std::result::Result<Message, RecvTimeoutError>, Receiver<Message>) {
    (receiver.recv_timeout(LISTEN), receiver)
}

/// The result; what was interrupted raises, with the best so far where there is one.
fn done(py: Python<'_>, ended: Ended, pending: Option<PyErr>) -> PyResult<Answer> {
    let interrupted = pending.as_ref().is_some_and(|e| e.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py));
    match (ended, pending) {
        (Ok(Ok(answer)), Some(_)) if interrupted => Ok(Answer::new(*answer, true)),
        (_, Some(error)) => Err(error),
        (Ok(Ok(answer)), None) => Ok(Answer::new(*answer, false)),
        (Ok(Err(error)), None) => Err(raised(py, &error)),
        (Err(panic), None) => Err(exception(py, "RunError", format!("the program failed: {panic}"))),
    }
}

/// The stage that is under way.
#[derive(Default)]
struct Stage {
    what: String,
    steps: u64,
}

impl Stage {
    fn tell(&mut self, py: Python<'_>, event: Event, progress: &Py<PyAny>) -> PyResult<()> {
        let done = match event {
            Event::Stage { what, steps } => {
                *self = Stage { what, steps };
                0
            }
            Event::Progress(done) => done,
            _ => return Ok(()),
        };
        progress.call1(py, (&self.what, done, self.steps)).map(drop)
    }
}
