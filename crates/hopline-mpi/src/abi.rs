//! What Open MPI, MPICH and the standard's own interface do differently, found out
//! at run time: handles are pointers, 32-bit numbers or numbers as wide as pointers,
//! and constants differ.

use crate::real::{Real, pmpi, speaks_standard, symbol};
use std::sync::OnceLock;

/// An opaque handle as a machine word; MPICH's in the lower half.
pub(crate) type Handle = usize;

/// The language of a call, which says how its arguments are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lang {
    /// Values.
    C,
    /// Values; counts have 64 bits (`MPI_Send_c`).
    Large,
    /// Addresses of 32-bit integers.
    Fortran,
    /// As Fortran: handles of `mpi_f08` are structures of one integer.
    F08,
}

/// The constants of an MPI library.
#[derive(Debug)]
pub(crate) struct Abi {
    /// "Open MPI", "MPICH" or "MPI ABI".
    pub(crate) name: &'static str,
    /// True for Open MPI.
    pub(crate) open: bool,
    /// Handles are as wide as pointers.
    wide: bool,
    pub(crate) world: Handle,
    pub(crate) comm_null: Handle,
    pub(crate) proc_null: i32,
    pub(crate) any_tag: i32,
    /// `MPI_IN_PLACE` as C knows it.
    in_place: usize,
    /// Its address as Fortran knows it.
    in_place_fortran: usize,
    /// `MPI_BOTTOM` as Fortran knows it; C's is 0.
    bottom_fortran: usize,
    pub(crate) datatype_null: Handle,
    pub(crate) byte: Handle,
    pub(crate) double: Handle,
    pub(crate) max: Handle,
    pub(crate) errors_return: Handle,
    /// What `MPI_Topo_test` answers: `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH`.
    pub(crate) topologies: [i32; 3],
}

/// The library of this process; call it only once MPI is loaded.
pub(crate) fn abi() -> &'static Abi {
    static ABI: OnceLock<Abi> = OnceLock::new();
    ABI.get_or_init(|| match symbol(c"ompi_mpi_comm_world") as usize {
        0 if speaks_standard() => STANDARD,
        0 => MPICH,
        world => open_mpi(world),
    })
}

fn open_mpi(world: Handle) -> Abi {
    Abi {
        name: "Open MPI",
        open: true,
        wide: true,
        world,
        comm_null: symbol(c"ompi_mpi_comm_null") as usize,
        proc_null: -2,
        any_tag: -1,
        in_place: 1,
        in_place_fortran: symbol(c"mpi_fortran_in_place_") as usize,
        bottom_fortran: symbol(c"mpi_fortran_bottom_") as usize,
        datatype_null: symbol(c"ompi_mpi_datatype_null") as usize,
        byte: symbol(c"ompi_mpi_byte") as usize,
        double: symbol(c"ompi_mpi_double") as usize,
        max: symbol(c"ompi_mpi_op_max") as usize,
        errors_return: symbol(c"ompi_mpi_errors_return") as usize,
        topologies: [1, 2, 3],
    }
}

const MPICH: Abi = Abi {
    name: "MPICH",
    open: false,
    wide: false,
    world: 0x4400_0000,
    comm_null: 0x0400_0000,
    proc_null: -1,
    any_tag: -1,
    in_place: usize::MAX,
    in_place_fortran: 0,
    bottom_fortran: 0,
    datatype_null: 0x0c00_0000,
    byte: 0x4c00_010d,
    double: 0x4c00_080b,
    max: 0x5800_0001,
    errors_return: 0x5400_0001,
    topologies: [2, 1, 3],
};

/// The binary interface of MPI 5.0, chapter 20: `libmpi_abi.so`, whoever made it.
const STANDARD: Abi = Abi {
    name: "MPI ABI",
    open: false,
    wide: true,
    world: 0x101,
    comm_null: 0x100,
    proc_null: -3,
    any_tag: -2,
    in_place: 1,
    in_place_fortran: 0,
    bottom_fortran: 0,
    datatype_null: 0x200,
    byte: 0x247,
    double: 0x214,
    max: 0x23,
    errors_return: 0x143,
    topologies: [211, 212, 213],
};

impl Abi {
    /// A handle as it is kept and compared: MPICH leaves the upper half undefined.
    #[inline]
    pub(crate) fn handle(&self, raw: usize) -> Handle {
        if self.wide { raw } else { raw & 0xffff_ffff }
    }

    /// Number `i` of an array of C handles.
    pub(crate) fn at(&self, array: usize, i: usize) -> Handle {
        // SAFETY: the caller's array has more than `i` handles of the library's size.
        unsafe { if self.wide { *(array as *const usize).add(i) } else { *(array as *const u32).add(i) as usize } }
    }

    pub(crate) fn is_in_place(&self, buffer: usize) -> bool {
        buffer == self.in_place || (buffer == self.in_place_fortran && buffer != 0)
    }

    /// `MPI_IN_PLACE` as C's functions take it.
    pub(crate) fn in_place(&self) -> usize {
        self.in_place
    }

    /// A buffer's address as C's functions take it.
    pub(crate) fn address(&self, buffer: usize) -> usize {
        if buffer == self.bottom_fortran { 0 } else { buffer }
    }

    /// Room for a handle that a function fills in; read it with [`Abi::at`].
    pub(crate) fn room() -> [usize; 1] {
        [0]
    }
}

/// A handle from a Fortran integer: MPICH's are the same.
fn from_fortran(convert: &Real, value: i32) -> Handle {
    let address = convert.get();
    if !abi().open || address.is_null() {
        return value as u32 as usize;
    }
    // SAFETY: Open MPI's f2c functions take an int and answer a pointer.
    unsafe {
        let call: unsafe extern "C-unwind" fn(i32) -> usize = std::mem::transmute(address);
        call(value)
    }
}

/// A communicator as a Fortran integer.
pub(crate) fn comm_to_fortran(comm: Handle) -> i32 {
    static CONVERT: Real = Real::new("PMPI_Comm_c2f\0");
    to_fortran(&CONVERT, comm)
}

/// A handle as a Fortran integer.
fn to_fortran(convert: &Real, handle: Handle) -> i32 {
    let address = convert.get();
    if !abi().open || address.is_null() {
        return handle as i32;
    }
    // SAFETY: Open MPI's c2f functions take a pointer and answer an int.
    unsafe {
        let call: unsafe extern "C-unwind" fn(usize) -> i32 = std::mem::transmute(address);
        call(handle)
    }
}

/// What a Fortran integer stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Class {
    Comm,
    Datatype,
    Request,
    Window,
    Op,
    Info,
    Session,
}

impl Lang {
    pub(crate) fn is_fortran(self) -> bool {
        matches!(self, Lang::Fortran | Lang::F08)
    }

    /// A handle argument.
    pub(crate) fn handle(self, class: Class, raw: usize) -> Handle {
        match self {
            Lang::C | Lang::Large => abi().handle(raw),
            Lang::Fortran | Lang::F08 => self.handle_at(class, raw, 0),
        }
    }

    /// Number `i` of an array of handles.
    pub(crate) fn handle_at(self, class: Class, array: usize, i: usize) -> Handle {
        static COMM: Real = Real::new("PMPI_Comm_f2c\0");
        static DATATYPE: Real = Real::new("PMPI_Type_f2c\0");
        static REQUEST: Real = Real::new("PMPI_Request_f2c\0");
        static WINDOW: Real = Real::new("PMPI_Win_f2c\0");
        static OP: Real = Real::new("PMPI_Op_f2c\0");
        static INFO: Real = Real::new("PMPI_Info_f2c\0");
        static SESSION: Real = Real::new("PMPI_Session_f2c\0");
        match self {
            Lang::C | Lang::Large => abi().at(array, i),
            Lang::Fortran | Lang::F08 => {
                let convert = match class {
                    Class::Comm => &COMM,
                    Class::Datatype => &DATATYPE,
                    Class::Request => &REQUEST,
                    Class::Window => &WINDOW,
                    Class::Op => &OP,
                    Class::Info => &INFO,
                    Class::Session => &SESSION,
                };
                // SAFETY: the caller's array has more than `i` integers.
                from_fortran(convert, unsafe { *(array as *const i32).add(i) })
            }
        }
    }

    /// Writes a request where a call's argument says.
    pub(crate) fn set_request(self, raw: usize, request: Handle) {
        static CONVERT: Real = Real::new("PMPI_Request_c2f\0");
        // SAFETY: the program's own handle, of the library's size or an integer in Fortran.
        unsafe {
            match self {
                Lang::C | Lang::Large if abi().wide => *(raw as *mut usize) = request,
                Lang::C | Lang::Large => *(raw as *mut u32) = request as u32,
                Lang::Fortran | Lang::F08 => *(raw as *mut i32) = to_fortran(&CONVERT, request),
            }
        }
    }

    /// An integer argument.
    pub(crate) fn int(self, raw: usize) -> i32 {
        match self {
            Lang::C | Lang::Large => raw as i32,
            // SAFETY: Fortran passes the address of an integer.
            Lang::Fortran | Lang::F08 => unsafe { *(raw as *const i32) },
        }
    }

    /// A count argument; negative ones are 0, MPI complains of them itself.
    pub(crate) fn count(self, raw: usize) -> u64 {
        match self {
            Lang::Large => (raw as i64).max(0) as u64,
            _ => self.int(raw).max(0) as u64,
        }
    }

    /// A count that has 64 bits in every language.
    pub(crate) fn long_count(self, raw: usize) -> u64 {
        // SAFETY: Fortran passes the address of such an integer.
        let value = if self.is_fortran() { unsafe { *(raw as *const i64) } } else { raw as i64 };
        value.max(0) as u64
    }

    /// Number `i` of an array of counts.
    pub(crate) fn count_at(self, array: usize, i: usize) -> u64 {
        // SAFETY: the caller's array has more than `i` counts.
        let value = unsafe {
            match self {
                Lang::Large => *(array as *const i64).add(i),
                _ => i64::from(*(array as *const i32).add(i)),
            }
        };
        value.max(0) as u64
    }
}

/// Bytes of one element of a datatype, 0 where MPI does not know. Programs may give none where only the root's counts,
/// and MPI would end the job if it were asked about that.
pub(crate) fn type_size(datatype: Handle) -> u64 {
    if datatype == abi().datatype_null {
        return 0;
    }
    let mut size = 0i32;
    match pmpi!(PMPI_Type_size(datatype, &raw mut size)) {
        0 => size.max(0) as u64,
        _ => 0,
    }
}

/// Size of the world and the own place in it.
pub(crate) fn rank_and_size(comm: Handle) -> (u32, u32) {
    let (mut rank, mut size) = (0i32, 0i32);
    pmpi!(PMPI_Comm_rank(comm, &raw mut rank));
    pmpi!(PMPI_Comm_size(comm, &raw mut size));
    (rank.max(0) as u32, size.max(0) as u32)
}
