//! The recorder: what each call does becomes a [`event::Shape`] in the rank's [`stream`].
//!
//! `HOPLINE_RECORD=DIR` turns it on; `HOPLINE_RECORD_LIMIT` (megabytes a rank,
//! 256 where left out) bounds what it writes: past it calls are only counted.
//! `HOPLINE_RECORD_CLOCK` says what times are measured with ([`clock`]).

pub(crate) mod clock;
mod collective;
pub(crate) mod encode;
pub(crate) mod event;
mod fold;
mod point;
mod stream;

use crate::abi::abi;
use crate::call::Call;
use crate::comms::{Comm, Comms};
use crate::function::FunctionKind;
use crate::requests::Requests;
use crate::{say, world};
use clock::Clock;
use encode::put;
use event::{Shape, item};
use fold::Time;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use stream::{Identity, Stream};
use world::World;

/// Everything that is recorded of this rank.
pub(crate) struct Recorder {
    comms: Comms,
    requests: Requests,
    stream: Stream,
    clock: Clock,
    /// When the last call ended.
    last_end: u64,
    /// Where the last events of one call begin: only the first has the gap, only the last the time inside.
    pending: Vec<Shape>,
    /// Slots of requests that end in the call at hand.
    slots: Vec<u64>,
    noted_full: bool,
    /// All was finalized; a session may still begin.
    is_closed: bool,
}

static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// The process that records: what it forks ends with its recorder, too, and must not touch its files.
static OWNER: AtomicU32 = AtomicU32::new(0);

fn with(run: impl FnOnce(&mut Recorder) -> std::io::Result<()>) {
    let mut guard = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(recorder) = guard.as_mut()
        && let Err(error) = run(recorder)
    {
        let file = recorder.stream.path().display();
        say(&format!("recording stopped: {file}: {error}; what is there is the beginning"));
        *guard = None;
    }
}

/// Starts after `MPI_Init` or `MPI_Session_init`; false where nothing is to be recorded.
pub(crate) fn start() -> bool {
    let Ok(dir) = std::env::var("HOPLINE_RECORD") else { return false };
    let mut resumed = false;
    with(|recorder| {
        recorder.is_closed = false;
        resumed = true;
        Ok(())
    });
    if resumed {
        return true;
    }
    let Some(World { rank, size, .. }) = world::world() else {
        say("nothing is recorded: the library does not say which processes the session has");
        return false;
    };
    // Worlds that were spawned have ranks of the same numbers.
    let dir = world::spawned().map_or(dir.clone(), |name| format!("{dir}/world-{name}"));
    let program = std::env::args().next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default().to_string();
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_string();
    let clock = clock::choose();
    let identity = Identity { rank, size, host, program, library: abi().name, clock };
    let megabytes = std::env::var("HOPLINE_RECORD_LIMIT").ok().and_then(|text| text.parse().ok()).unwrap_or(256u64);
    let stream = match Stream::create(&dir, &identity, megabytes.saturating_mul(1 << 20)) {
        Ok(stream) => stream,
        Err(error) => {
            say(&format!("nothing is recorded: {dir}: {error}"));
            return false;
        }
    };
    let mut recorder = Recorder {
        comms: Comms::default(),
        requests: Requests::default(),
        stream,
        clock,
        last_end: clock::now(),
        pending: Vec::new(),
        slots: Vec::new(),
        noted_full: false,
        is_closed: false,
    };
    recorder.world(size);
    *RECORDER.lock().unwrap_or_else(PoisonError::into_inner) = Some(recorder);
    OWNER.store(std::process::id(), Ordering::Relaxed);
    true
}

/// Writes the rest: before all is finalized.
pub(crate) fn finish() {
    with(|recorder| {
        recorder.is_closed = true;
        recorder.comms.forget_all();
        recorder.stream.finish()
    });
}

/// Writes what is known so far: before `MPI_Abort`, and where a program ends without `MPI_Finalize`.
pub(crate) fn save() {
    // Before the lock, which another thread may have had when this process was forked.
    if OWNER.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    with(|recorder| if recorder.is_closed { Ok(()) } else { recorder.stream.write_tail() });
}

/// What must be read before the call, because the call changes it.
pub(crate) fn before(call: &Call<'_>) -> Vec<usize> {
    match call.kind() {
        FunctionKind::Wait | FunctionKind::Test | FunctionKind::RequestFree | FunctionKind::Cancel => {
            vec![call.request(0)]
        }
        FunctionKind::Waitall
        | FunctionKind::Testall
        | FunctionKind::Waitany
        | FunctionKind::Testany
        | FunctionKind::Waitsome
        | FunctionKind::Startall => (0..call.count_of_requests()).map(|i| call.request(i)).collect(),
        FunctionKind::FreeComm => {
            let comm = call.comm_behind_pointer();
            with(|recorder| {
                recorder.comms.forget(comm);
                Ok(())
            });
            Vec::new()
        }
        FunctionKind::FreeWindow => {
            let window = call.window_behind_pointer();
            with(|recorder| {
                recorder.comms.forget_window(window);
                Ok(())
            });
            Vec::new()
        }
        _ => Vec::new(),
    }
}

/// Records a call that went well, from `begin` to `end` in nanoseconds of [`clock::now`].
pub(crate) fn after(call: &Call<'_>, requests: &[usize], begin: u64, end: u64) {
    with(|recorder| {
        recorder.translate(call, requests);
        recorder.write(begin, end)
    });
}

impl Recorder {
    /// The first communicator of every stream: the world, also where no handle stands for it.
    fn world(&mut self, size: u32) {
        if world::is_initialised() {
            self.comm(abi().world);
            return;
        }
        self.comms.reserve(size);
        let ranks: Vec<i32> = (0..size as i32).collect();
        let out = &mut self.stream.words.fresh;
        put(out, item::COMM);
        put(out, 0);
        write_ranks(out, &ranks);
        put(out, 0);
    }

    /// The communicator of a handle; a new one is described in the stream.
    fn comm(&mut self, handle: usize) -> Arc<Comm> {
        let (comm, new) = self.comms.get(handle);
        if new {
            let out = &mut self.stream.words.fresh;
            put(out, item::COMM);
            put(out, u64::from(comm.twin));
            write_ranks(out, &comm.peers);
            put(out, u64::from(comm.inter));
            if comm.inter {
                write_ranks(out, &comm.local);
            }
        }
        comm
    }

    #[inline(always)]
    fn translate(&mut self, call: &Call<'_>, requests: &[usize]) {
        match call.kind() {
            FunctionKind::Coll(op) => self.collective(call, op),
            FunctionKind::NotCounted => self.stream.not_counted(call.function.name),
            FunctionKind::NewComm => {
                let handle = call.comm_behind_pointer();
                if !call.is_no_comm(handle) {
                    self.comms.forget(handle);
                    self.comm(handle);
                }
            }
            _ => self.point(call, requests),
        }
    }

    /// An event of the call at hand.
    fn event(&mut self, shape: Shape) {
        self.pending.push(shape);
    }

    /// Writes the events of the call at hand.
    #[inline(always)]
    fn write(&mut self, begin: u64, end: u64) -> std::io::Result<()> {
        let last = self.pending.len();
        let last_end = self.clock.last_end(self.last_end);
        let now = if self.clock == Clock::Wall { end } else { crate::now() };
        for (i, shape) in self.pending.drain(..).enumerate() {
            let gap = if i == 0 { begin.saturating_sub(last_end) } else { 0 };
            let inside = if i + 1 == last { end.saturating_sub(begin) } else { 0 };
            self.stream.add(shape, Time { gap, inside }, now)?;
        }
        // A call that leaves no event, such as a test in vain, is part of the gap.
        if last > 0 {
            self.last_end = self.last_end.max(end);
            clock::ended(end);
        }
        if self.stream.is_full() && !self.noted_full {
            self.noted_full = true;
            say("the limit of HOPLINE_RECORD_LIMIT is reached: from here on calls are counted, not recorded in order");
        }
        Ok(())
    }
}

/// World ranks as runs: how many runs, then start + 1, length and step of each.
fn write_ranks(out: &mut Vec<u8>, ranks: &[i32]) {
    let mut runs: Vec<(i32, u64, i32)> = Vec::new();
    for &rank in ranks {
        match runs.last_mut() {
            Some((start, length @ 1, step)) if rank > *start && *start >= 0 => {
                *step = rank - *start;
                *length = 2;
            }
            Some((start, length, step)) if *length > 1 && rank == *start + *step * *length as i32 => *length += 1,
            _ => runs.push((rank, 1, 0)),
        }
    }
    put(out, runs.len() as u64);
    for (start, length, step) in runs {
        [(start + 1) as u64, length, step as u64].into_iter().for_each(|word| put(out, word));
    }
}
