//! The functions that this layer stands before, with their arguments as the MPI
//! standard names them. Each is exported for C, for Fortran (`mpi_send_`) and for
//! `mpi_f08` as Open MPI names it; those with counts also as `MPI_Send_c`. What has no
//! row moves no data: `tests/mpi/no-data.txt` of the command line names it.

use crate::abi::Lang;
use crate::function::Function;
use crate::function::FunctionKind::*;
use crate::real::Real;
use crate::wrap::dispatch;

/// One exported function: its words are an array, and the library's function of the same name follows.
macro_rules! export {
    ($function:ident $lang:ident $prefix:literal $name:ident $suffix:literal ($($argument:ident)*)) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, stringify!($name), $suffix))]
            unsafe extern "C-unwind" fn wrapper($($argument: usize),*) -> i32 {
                static REAL: Real = Real::new(concat!("P", $prefix, stringify!($name), $suffix, "\0"));
                dispatch(&$function, &REAL, Lang::$lang, &[$($argument),*])
            }
        };
    };
    ($function:ident $lang:ident fortran $prefix:literal $name:ident $suffix:literal ($($argument:ident)*)) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, stringify!($name), $suffix))]
            unsafe extern "C-unwind" fn wrapper($($argument: usize,)* ierror: usize) -> i32 {
                static REAL: Real = Real::new(concat!("p", $prefix, stringify!($name), $suffix, "\0"));
                dispatch(&$function, &REAL, Lang::$lang, &[$($argument,)* ierror])
            }
        };
    };
}

/// Functions for C, Fortran and `mpi_f08`.
macro_rules! functions {
    ($($name:ident $small:ident ($($argument:ident)*) $kind:expr;)*) => {
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION C "MPI_" $name "" ($($argument)*));
            export!(FUNCTION Fortran fortran "mpi_" $small "_" ($($argument)*));
            export!(FUNCTION F08 fortran "mpi_" $small "_f08_" ($($argument)*));
        };)*
    };
}

/// Functions for C only: in Fortran they take texts, whose lengths are arguments that nobody sees.
macro_rules! functions_of_c {
    ($($prefix:literal $name:ident ($($argument:ident)*) $kind:expr;)*) => {
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION C $prefix $name "" ($($argument)*));
        };)*
    };
}

/// Functions beyond the standard, for C.
macro_rules! extensions_with_counts {
    ($($name:ident ($($argument:ident)*) $kind:expr;)*) => {
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION C "MPIX_" $name "" ($($argument)*));
            export!(FUNCTION Large "MPIX_" $name "_c" ($($argument)*));
        };)*
    };
}

/// Functions that Open MPI 4 had before the standard, by its own names.
macro_rules! early_functions {
    ($($name:ident $small:ident ($($argument:ident)*) $kind:expr;)*) => {
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION C "MPIX_" $name "" ($($argument)*));
            export!(FUNCTION Fortran fortran "mpix_" $small "_" ($($argument)*));
            export!(FUNCTION F08 fortran "mpix_" $small "_f08_" ($($argument)*));
        };)*
    };
}

macro_rules! functions_with_counts {
    ($($name:ident $small:ident ($($argument:ident)*) $kind:expr;)*) => {
        functions!($($name $small ($($argument)*) $kind;)*);
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION Large "MPI_" $name "_c" ($($argument)*));
        };)*
    };
}

/// Persistent collectives with counts.
macro_rules! persistent_functions {
    ($($row:tt)*) => {
        functions_with_counts!($($row)*);
        early_functions!($($row)*);
    };
}

mod collectives;
mod files;
mod messages;

// C's MPI_Init has arguments that Fortran's lacks.
const _: () = {
    static INIT: Function = Function::new("Init", Init, &["argc", "argv"]);
    export!(INIT C "MPI_" Init "" (argc argv));
    export!(INIT C "MPI_" Init_thread "" (argc argv required provided));
    export!(INIT Fortran fortran "mpi_" init "_" ());
    export!(INIT F08 fortran "mpi_" init "_f08_" ());
    export!(INIT Fortran fortran "mpi_" init_thread "_" (required provided));
    export!(INIT F08 fortran "mpi_" init_thread "_f08_" (required provided));
};

#[rustfmt::skip]
functions! {
    Finalize    finalize    ()                                  Finalize;
    Abort       abort       (comm errorcode)                    Abort;
    Session_init     session_init     (info errhandler session)  Init;
    Session_finalize session_finalize (session)                  Finalize;
    Start       start       (request)                           Start;
    Startall    startall    (count requests)                    Startall;
    Wait        wait        (request status)                    Wait;
    Waitall     waitall     (count requests statuses)           Waitall;
    Waitany     waitany     (count requests index status)       Waitany;
    Waitsome    waitsome    (count requests outcount indices statuses)  Waitsome;
    Test        test        (request flag status)               Test;
    Testall     testall     (count requests flag statuses)      Testall;
    Testany     testany     (count requests index flag status)  Testany;
    Testsome    testsome    (count requests outcount indices statuses)  Waitsome;
    Request_free request_free (request)                         RequestFree;
    Cancel      cancel      (request)                           Cancel;
    Comm_dup            comm_dup            (comm newcomm)                      NewComm;
    Comm_dup_with_info  comm_dup_with_info  (comm info newcomm)                 NewComm;
    Comm_split          comm_split          (comm color key newcomm)            NewComm;
    Comm_split_type     comm_split_type     (comm split_type key info newcomm)        NewComm;
    Comm_create         comm_create         (comm group newcomm)                NewComm;
    Comm_create_group   comm_create_group   (comm group tag newcomm)            NewComm;
    Cart_create         cart_create         (comm ndims dims periods reorder newcomm)  NewComm;
    Cart_sub            cart_sub            (comm remain_dims newcomm)          NewComm;
    Graph_create        graph_create        (comm nnodes index edges reorder newcomm)  NewComm;
    Dist_graph_create   dist_graph_create   (comm n sources degrees destinations weights info reorder newcomm)  NewComm;
    Dist_graph_create_adjacent  dist_graph_create_adjacent
        (comm indegree sources sourceweights outdegree destinations destweights info reorder newcomm)  NewComm;
    Intercomm_create    intercomm_create    (local_comm local_leader peer_comm remote_leader tag newcomm)  NewComm;
    Intercomm_merge     intercomm_merge     (intercomm high newcomm)            NewComm;
    Comm_free           comm_free           (comm)                              FreeComm;
    Comm_disconnect     comm_disconnect     (comm)                              FreeComm;
    Win_free            win_free            (win)                               FreeWindow;
}

#[rustfmt::skip]
functions_of_c! {
    "MPI_" Comm_create_from_group       (group stringtag info errhandler newcomm)  NewComm;
    "MPI_" Intercomm_create_from_groups (local_group local_leader remote_group remote_leader stringtag info errhandler newcomm)  NewComm;
    "MPI_" Comm_spawn           (command argv maxprocs info spawn_root comm newcomm errcodes)                 NewComm;
    "MPI_" Comm_spawn_multiple  (count commands argvs maxprocs infos spawn_root comm newcomm errcodes)        NewComm;
    "MPI_" Comm_accept          (port_name info port_root comm newcomm)  NewComm;
    "MPI_" Comm_connect         (port_name info port_root comm newcomm)  NewComm;
    "MPI_" Comm_join            (socket newcomm)                         NewComm;
    "MPIX_" Comm_shrink         (comm newcomm)                           NewComm;
}
