//! `MPI_COMM_WORLD`: bytes from each to each with nonblocking calls.

use super::launched;
use super::library::{Library, Room};
use std::ffi::c_int;
use std::ptr::null_mut;

/// Longest message: what is longer goes in several, of which the last is shorter.
const LONGEST: usize = 1 << 30;
const TAG: c_int = 29;
/// Looks for a message before the processor is given to others: processes may be more than cores.
const SPINS: u32 = 100;

/// All processes that were started together. One thread calls its functions.
pub struct World {
    library: Library,
    rank: u32,
    size: u32,
}

impl World {
    /// Loads the MPI library of the launcher and initialises it.
    ///
    /// # Errors
    /// No library is found, or it belongs to another launcher. The text says what to do.
    pub fn connect() -> Result<World, String> {
        let library = Library::load()?;
        let (mut given, mut rank, mut size) = (0, 0, 0);
        // SAFETY: MPI is initialised once, without arguments; then its world is asked, into numbers of this function.
        let codes = unsafe {
            [
                (library.init)(null_mut(), null_mut(), library.funneled, &raw mut given),
                (library.rank)(library.world, &raw mut rank),
                (library.size)(library.world, &raw mut size),
            ]
        };
        let world = World { library, rank: rank.max(0) as u32, size: size.max(1) as u32 };
        if codes != [0; 3] {
            return Err(format!("{} could not be initialised", world.library.name));
        }
        match launched() {
            Some(launched) if launched.size != world.size => Err(format!(
                "{} finds {} of {} processes: it is not the library of the launcher; name that in HOPLINE_RANKS_LIBRARY",
                world.library.name, world.size, launched.size
            )),
            _ => Ok(world),
        }
    }

    /// The number of this process.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// How many there are.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Sends bytes to each of these processes and answers what each of them sends here, in the same order. They name
    /// this process in a call of their own.
    ///
    /// # Errors
    /// A function of MPI fails; as a rule MPI itself ends all processes then.
    pub fn exchange(&self, others: &[u32], bytes: &[Vec<u8>]) -> Result<Vec<Vec<u8>>, String> {
        let mut requests = Vec::new();
        for (&other, bytes) in others.iter().zip(bytes) {
            for start in (0..=bytes.len()).step_by(LONGEST) {
                requests.push(self.send(other, &bytes[start..bytes.len().min(start + LONGEST)])?);
            }
        }
        let received = others.iter().map(|&other| self.receive(other)).collect::<Result<_, _>>()?;
        requests.iter_mut().try_for_each(|request| self.finish(request))?;
        Ok(received)
    }

    /// Begins to send; `bytes` must stay where they are until the request is finished.
    fn send(&self, to: u32, bytes: &[u8]) -> Result<Room, String> {
        let (library, mut request) = (&self.library, Room::default());
        let (start, length) = (bytes.as_ptr().cast(), bytes.len() as c_int);
        // SAFETY: the buffer has so many bytes, at most 2^30, and outlives the request: see `exchange`.
        let code =
            unsafe { (library.isend)(start, length, library.byte, to as c_int, TAG, library.world, &raw mut request) };
        checked(code, "MPI_Isend").map(|()| request)
    }

    /// All that another process sends in one call.
    fn receive(&self, from: u32) -> Result<Vec<u8>, String> {
        let (library, mut status) = (&self.library, Room::default());
        let mut bytes = Vec::new();
        loop {
            self.until("MPI_Iprobe", |found| {
                // SAFETY: the status has room for that of any implementation.
                unsafe { (library.iprobe)(from as c_int, TAG, library.world, found, &raw mut status) }
            })?;
            let mut length = 0;
            // SAFETY: the status was filled in just now.
            checked(unsafe { (library.count)(&raw const status, library.byte, &raw mut length) }, "MPI_Get_count")?;
            let start = bytes.len();
            bytes.resize(start + length.max(0) as usize, 0u8);
            let buffer = bytes[start..].as_mut_ptr().cast();
            // SAFETY: the buffer has room for the message that was found, which is the next from there.
            let code = unsafe {
                (library.receive)(buffer, length, library.byte, from as c_int, TAG, library.world, &raw mut status)
            };
            checked(code, "MPI_Recv")?;
            if (length.max(0) as usize) < LONGEST {
                return Ok(bytes);
            }
        }
    }

    fn finish(&self, request: &mut Room) -> Result<(), String> {
        let mut status = Room::default();
        self.until("MPI_Test", |done| {
            // SAFETY: the request is one that `send` began and that is not yet finished.
            unsafe { (self.library.test)(&raw mut *request, done, &raw mut status) }
        })
    }

    /// Calls a function until it sets its flag.
    fn until(&self, name: &str, mut call: impl FnMut(*mut c_int) -> c_int) -> Result<(), String> {
        let (mut flag, mut looks) = (0, 0);
        loop {
            checked(call(&raw mut flag), name)?;
            if flag != 0 {
                return Ok(());
            }
            looks += 1;
            if looks % SPINS == 0 {
                std::thread::yield_now();
            }
        }
    }
}

fn checked(code: c_int, name: &str) -> Result<(), String> {
    if code == 0 { Ok(()) } else { Err(format!("{name} failed with code {code}")) }
}

impl Drop for World {
    /// Waits until all others are here; where this process fails on its own it ends them instead.
    fn drop(&mut self) {
        // SAFETY: MPI is initialised, and nobody calls it afterwards.
        unsafe {
            match std::thread::panicking() {
                true => (self.library.abort)(self.library.world, 1),
                false => (self.library.finalize)(),
            };
        }
    }
}
