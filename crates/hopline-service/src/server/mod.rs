//! The server: one thread takes connections, a few answer them, one looks for new
//! generations.
//!
//! Every answering thread has an event loop of its own (`mio`). Requests that have
//! arrived together are answered from one generation, which the thread holds
//! meanwhile; a new generation takes the place of the old one between them, and no
//! answer is made of two.

mod accept;
mod clients;
mod connection;
mod current;
mod descriptors;
mod door;
mod handed;
mod refuse;
mod reload;
mod socket;
mod stream;
mod worker;

use crate::address::Address;
use crate::limits::{Access, Limits};
use crate::metrics::Metrics;
use crate::served::Served;
use crate::store::Source;
use current::Current;
use door::Door;
use hopline::error::{Error, Result};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How a server is run.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where it listens, for both protocols; port 0 takes a free one.
    pub listen: Vec<Address>,
    /// Answering threads.
    pub threads: usize,
    /// What clients may do.
    pub limits: Limits,
    /// Which clients are taken.
    pub access: Access,
    /// How often a new generation is looked for.
    pub look: Duration,
}

impl Options {
    /// Loopback, two threads, default limits.
    pub fn loopback(port: u16) -> Options {
        Options {
            listen: vec![Address::Tcp(SocketAddr::from(([127, 0, 0, 1], port)))],
            threads: 2,
            limits: Limits::default(),
            access: Access::default(),
            look: Duration::from_millis(20),
        }
    }
}

/// What all threads share.
pub(crate) struct Shared {
    current: Current<Served>,
    pub(crate) limits: Limits,
    pub(crate) access: Access,
    pub(crate) metrics: Metrics,
    stop: AtomicBool,
}

impl Shared {
    /// What is served now.
    pub(crate) fn current(&self) -> Arc<Served> {
        self.current.get()
    }

    pub(crate) fn replace(&self, served: Served) {
        self.current.replace(served);
    }

    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// A running server. Dropping it stops it.
pub struct Server {
    addresses: Vec<Address>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// Who hears what happens: one line at a time.
pub type Listener = Arc<dyn Fn(&str) + Send + Sync>;

impl Server {
    /// Loads the newest generation and starts to serve it.
    ///
    /// # Errors
    /// There is no sound generation, or an address cannot be bound.
    pub fn start(source: Source, options: Options, tell: Listener) -> Result<Server> {
        let (generation, refused) = source.load_newest()?;
        let failed = |e: std::io::Error| Error::failed(format!("cannot start the server: {e}"));
        let threads = options.threads.clamp(1, 64);
        let number = generation.number;
        let mut watch = reload::Watch::new(source, Arc::new(generation), refused);
        let served = watch.served();
        if !served.warning.is_empty() {
            tell(&served.warning);
        }
        let mut limits = options.limits.check()?;
        limits.connections = descriptors::provide(limits.connections, &tell);
        let shared = Arc::new(Shared {
            current: Current::new(served),
            limits,
            access: options.access,
            metrics: Metrics::new(threads),
            stop: AtomicBool::new(false),
        });
        let doors = options.listen.iter().map(|a| Door::open(a, &shared.access)).collect::<Result<Vec<_>>>()?;
        let addresses = doors.iter().map(Door::address).collect::<Result<_, _>>().map_err(failed)?;
        let mut server = Server { addresses, shared: shared.clone(), threads: Vec::new() };
        let mut inboxes = Vec::new();
        for id in 0..threads {
            let (worker, inbox) = worker::Worker::new(shared.clone(), id).map_err(failed)?;
            inboxes.push(inbox);
            server.threads.push(thread(&shared, &format!("answer-{id}"), move || worker.run()).map_err(failed)?);
        }
        let accepting = shared.clone();
        let accept = move || accept::run(&accepting, doors, &inboxes);
        server.threads.push(thread(&shared, "accept", accept).map_err(failed)?);
        for address in &server.addresses {
            tell(&format!("serving generation {number} on {address}"));
        }
        if watch.is_store() {
            let (look, looking) = (options.look.max(Duration::from_millis(1)), shared.clone());
            let reload = move || watch.run(&looking, look, &tell);
            server.threads.push(thread(&shared, "reload", reload).map_err(failed)?);
        } else {
            tell("these are dumps, not a store: they are not read again when they change");
        }
        Ok(server)
    }

    /// Where it listens.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// What it has done.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// Number of the generation that is served.
    pub fn generation(&self) -> u64 {
        self.shared.current().generation.number
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// A thread of the server ended, and the others with it.
    pub fn wait(self, stop: &AtomicBool) -> Result<()> {
        while !stop.load(Ordering::Relaxed) {
            if self.shared.stopped() {
                // A panic has been told already.
                return Err(Error::failed("a thread of the server ended"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Stops the server: it must not live on without one of its threads.
struct Stop(Arc<Shared>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }
}

fn thread(shared: &Arc<Shared>, name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    let stop = Stop(shared.clone());
    let run = move || {
        let _stop = stop;
        run();
    };
    std::thread::Builder::new().name(name.into()).spawn(run)
}
