//! The functions and data of the MPI library below this layer, found by name.
//!
//! A C program's own copy of a data symbol comes first in the default order, and
//! only that copy is the one MPI uses (copy relocations): so data and functions
//! alike are asked for in the default order, where the layer has no name of its
//! own (`PMPI_...`). A library that was loaded privately (Python's extensions)
//! is not in that order at all; it is found by its path in the memory map.

use std::ffi::{CStr, CString, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Address of a symbol of the MPI library, null where it has none.
pub(crate) fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: dlsym takes a handle and a terminated name, and only reads.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    match found.is_null() {
        false => found,
        // SAFETY: as above; each handle came from dlopen and is never closed.
        true => private().iter().map(|&h| unsafe { libc::dlsym(h as *mut c_void, name.as_ptr()) }).fold(
            std::ptr::null_mut(),
            |first, next| match first.is_null() {
                true => next,
                false => first,
            },
        ),
    }
}

/// True where the only MPI library in the memory map is one with the standard's own binary interface.
pub(crate) fn speaks_standard() -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let has = |name: &str| maps.lines().any(|line| line.rsplit('/').next().is_some_and(|file| file.starts_with(name)));
    has("libmpi_abi.so") && !has("libmpi.so") && !has("libmpich.so")
}

/// Handles of MPI libraries in the memory map of this process.
fn private() -> &'static [usize] {
    static HANDLES: OnceLock<Vec<usize>> = OnceLock::new();
    HANDLES.get_or_init(|| {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
        let mut paths: Vec<&str> = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..])).collect();
        paths.dedup();
        let is_mpi = |path: &&str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            ["libmpi.so", "libmpich.so", "libmpi_mpifh", "libmpi_abi.so"].iter().any(|start| name.starts_with(start))
        };
        let open = |path: &str| {
            let path = CString::new(path).ok()?;
            // SAFETY: NOLOAD only answers what is loaded already.
            let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
            (!handle.is_null()).then_some(handle as usize)
        };
        paths.into_iter().filter(is_mpi).filter_map(open).collect()
    })
}

/// A function of the MPI library, looked up at its first call.
pub(crate) struct Real {
    name: &'static str,
    address: AtomicPtr<c_void>,
}

impl Real {
    /// `name` ends with a zero byte.
    pub(crate) const fn new(name: &'static str) -> Self {
        Real { name, address: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// One that is known, for tests.
    #[cfg(test)]
    pub(crate) fn at(address: *mut c_void) -> Self {
        Real { name: "\0", address: AtomicPtr::new(address) }
    }

    /// Its address, null where the library has no such function.
    #[inline]
    pub(crate) fn get(&self) -> *mut c_void {
        let address = self.address.load(Ordering::Relaxed);
        if address.is_null() { self.find() } else { address }
    }

    #[cold]
    fn find(&self) -> *mut c_void {
        let find = |name: &'static str| CStr::from_bytes_with_nul(name.as_bytes()).ok();
        let mut address = find(self.name).map_or(std::ptr::null_mut(), symbol);
        // MPICH's mpi_f08 has no names for profiling: there the next library with the plain name is asked.
        if let (true, Some(plain)) = (address.is_null(), find(&self.name[1..])) {
            // SAFETY: as in `symbol`; the next one is never this layer's own.
            address = unsafe { libc::dlsym(libc::RTLD_NEXT, plain.as_ptr()) };
        }
        self.address.store(address, Ordering::Relaxed);
        address
    }
}

/// Calls a function with its words.
pub(crate) fn forward(address: *mut c_void, words: &[usize]) -> i32 {
    macro_rules! call {
        ($($i:literal)*) => {{
            // SAFETY: `address` is the library's function of the name and arguments that the program called.
            unsafe {
                let call: unsafe extern "C-unwind" fn($(word!($i)),*) -> i32 = std::mem::transmute(address);
                call($(words[$i]),*)
            }
        }};
    }
    macro_rules! word {
        ($i:literal) => {
            usize
        };
    }
    match words.len() {
        0 => call!(),
        1 => call!(0),
        2 => call!(0 1),
        3 => call!(0 1 2),
        4 => call!(0 1 2 3),
        5 => call!(0 1 2 3 4),
        6 => call!(0 1 2 3 4 5),
        7 => call!(0 1 2 3 4 5 6),
        8 => call!(0 1 2 3 4 5 6 7),
        9 => call!(0 1 2 3 4 5 6 7 8),
        10 => call!(0 1 2 3 4 5 6 7 8 9),
        11 => call!(0 1 2 3 4 5 6 7 8 9 10),
        12 => call!(0 1 2 3 4 5 6 7 8 9 10 11),
        _ => call!(0 1 2 3 4 5 6 7 8 9 10 11 12),
    }
}

/// What a call answers where the library lacks the function: `MPI_ERR_OTHER` of MPICH and Open MPI alike is above 0.
pub(crate) const MISSING: i32 = 15;

/// Calls a C function of the MPI library by name: `pmpi!(PMPI_Comm_rank(comm, &mut rank))`.
/// Every argument is a handle, a number or a pointer, so it travels as a machine word.
macro_rules! pmpi {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        static REAL: $crate::real::Real = $crate::real::Real::new(concat!(stringify!($name), "\0"));
        let address = REAL.get();
        if address.is_null() {
            $crate::real::MISSING
        } else {
            // SAFETY: MPI's C functions take words (integers are read from the lower half) and answer an int.
            unsafe {
                let call: unsafe extern "C-unwind" fn($($crate::real::word!($argument)),*) -> i32 = std::mem::transmute(address);
                call($($argument as usize),*)
            }
        }
    }};
}
/// The type of an argument: always a word.
macro_rules! word {
    ($argument:expr) => {
        usize
    };
}
pub(crate) use {pmpi, word};
