//! An MPI library that is loaded at run time: its functions, and the constants in which implementations differ.

use std::ffi::{CStr, CString, c_int, c_void};

/// An opaque handle as a machine word: a pointer in Open MPI and the standard, a 32-bit number in MPICH.
pub(crate) type Handle = usize;

/// Room for what a function fills in: a handle, or a status, which no implementation makes longer than 128 bytes.
pub(crate) type Room = [u64; 16];

type Buffer = *const c_void;

/// The functions used, by their types in C; handles are words, which are read from the lower half where they are numbers.
pub(crate) struct Library {
    /// What it was loaded from, for people.
    pub(crate) name: String,
    pub(crate) world: Handle,
    pub(crate) byte: Handle,
    /// `MPI_THREAD_FUNNELED`.
    pub(crate) funneled: c_int,
    pub(crate) init: unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int,
    pub(crate) finalize: unsafe extern "C" fn() -> c_int,
    pub(crate) abort: unsafe extern "C" fn(Handle, c_int) -> c_int,
    pub(crate) rank: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    pub(crate) size: unsafe extern "C" fn(Handle, *mut c_int) -> c_int,
    pub(crate) isend: unsafe extern "C" fn(Buffer, c_int, Handle, c_int, c_int, Handle, *mut Room) -> c_int,
    pub(crate) iprobe: unsafe extern "C" fn(c_int, c_int, Handle, *mut c_int, *mut Room) -> c_int,
    pub(crate) count: unsafe extern "C" fn(*const Room, Handle, *mut c_int) -> c_int,
    pub(crate) receive: unsafe extern "C" fn(*mut c_void, c_int, Handle, c_int, c_int, Handle, *mut Room) -> c_int,
    pub(crate) test: unsafe extern "C" fn(*mut Room, *mut c_int, *mut Room) -> c_int,
}

/// The names under which distributions have MPI libraries: Open MPI 4 and 5; MPICH and those that share its binary
/// interface (Debian calls it `libmpich`, others `libmpi.so.12`); the standard's; then whatever is there.
const OPEN_MPI: [&str; 1] = ["libmpi.so.40"];
const MPICH: [&str; 4] = ["libmpich.so.12", "libmpi.so.12", "libmpi_abi.so.1", "libmpi_abi.so.0"];
const ANY: [&str; 2] = ["libmpi.so", "libmpich.so"];

impl Library {
    /// Loads the library that belongs to the launcher, or the one that `HOPLINE_RANKS_LIBRARY` names.
    pub(crate) fn load() -> Result<Library, String> {
        let named = std::env::var("HOPLINE_RANKS_LIBRARY").ok().filter(|path| !path.is_empty());
        let names = named.map_or_else(usual, |path| vec![path]);
        let Some((name, handle)) = names.iter().find_map(|name| Some((name, open_library(name)?))) else {
            let names: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.contains("/..")).collect();
            return Err(format!(
                "no MPI library was found ({}); add its folder to LD_LIBRARY_PATH, or name it in HOPLINE_RANKS_LIBRARY",
                names.join(", ")
            ));
        };
        Library::bind(name, handle).ok_or_else(|| format!("{name} is no MPI library"))
    }

    fn bind(name: &str, handle: *mut c_void) -> Option<Library> {
        let symbol = |name: &CStr| {
            // SAFETY: the handle came from dlopen and is never closed, and the name ends with a zero byte.
            let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
            (!address.is_null()).then_some(address)
        };
        let (world, byte, funneled) = match (symbol(c"ompi_mpi_comm_world"), symbol(c"ompi_mpi_byte")) {
            (Some(world), Some(byte)) => (world as usize, byte as usize, 1),
            _ if name.contains("mpi_abi") => (0x101, 0x247, 1024),
            _ => (0x4400_0000, 0x4c00_010d, 1),
        };
        macro_rules! function {
            ($name:literal) => {
                // SAFETY: these are the types that the standard gives these functions, with handles as words.
                unsafe { function(symbol($name)?) }
            };
        }
        Some(Library {
            name: name.to_string(),
            world,
            byte,
            funneled,
            init: function!(c"MPI_Init_thread"),
            finalize: function!(c"MPI_Finalize"),
            abort: function!(c"MPI_Abort"),
            rank: function!(c"MPI_Comm_rank"),
            size: function!(c"MPI_Comm_size"),
            isend: function!(c"MPI_Isend"),
            iprobe: function!(c"MPI_Iprobe"),
            count: function!(c"MPI_Get_count"),
            receive: function!(c"MPI_Recv"),
            test: function!(c"MPI_Test"),
        })
    }
}

/// The function at an address.
///
/// # Safety
/// F is the type of that C function.
unsafe fn function<F: Copy>(address: *mut c_void) -> F {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: both are an address, and the caller knows what is there.
    unsafe { std::mem::transmute_copy(&address) }
}

/// Where the launcher's library may be: each name beside the launchers of `PATH` (one in a place of its own is seldom
/// known to the loader), then where the loader looks.
fn usual() -> Vec<String> {
    let is_set = |name| std::env::var_os(name).is_some();
    let open = is_set("OMPI_COMM_WORLD_SIZE") || !is_set("PMI_SIZE");
    let (first, then): (&[&str], &[&str]) = if open { (&OPEN_MPI, &MPICH) } else { (&MPICH, &OPEN_MPI) };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let launchers = std::env::split_paths(&path).filter(|bin| bin.join("mpirun").is_file());
    let folders: Vec<String> = launchers
        .flat_map(|bin| ["../lib", "../lib64"].map(|lib| bin.join(lib)))
        .filter_map(|lib| lib.to_str().map(String::from))
        .collect();
    let places = |name: &&str| {
        let beside = folders.iter().map(|lib| format!("{lib}/{name}")).collect::<Vec<_>>();
        beside.into_iter().chain([name.to_string()])
    };
    first.iter().chain(&ANY).chain(then).flat_map(places).collect()
}

/// With its symbols for all: Open MPI 4 loads plugins that look for them.
fn open_library(name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: loading runs the library's initialisers; it is an MPI library, or one that the user names as such.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
    (!handle.is_null()).then_some(handle)
}
