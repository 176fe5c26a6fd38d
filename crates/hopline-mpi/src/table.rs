//! The functions that this layer stands before, with their arguments as the MPI
//! standard names them. Each is exported for C, for Fortran (`mpi_send_`) and for
//! `mpi_f08` as Open MPI names it; those with counts also as `MPI_Send_c`.

use crate::abi::Lang;
use crate::function::Function;
use crate::function::Kind::*;
use crate::real::Real;
use crate::wrap::dispatch;

/// One exported function: its words are an array, and the library's function of the same name follows.
macro_rules! export {
    ($function:ident $lang:ident $prefix:literal $name:ident $suffix:literal ($($argument:ident)*)) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, stringify!($name), $suffix))]
            unsafe extern "C" fn wrapper($($argument: usize),*) -> i32 {
                static REAL: Real = Real::new(concat!("P", $prefix, stringify!($name), $suffix, "\0"));
                dispatch(&$function, &REAL, Lang::$lang, &[$($argument),*])
            }
        };
    };
    ($function:ident $lang:ident fortran $name:ident $suffix:literal ($($argument:ident)*)) => {
        const _: () = {
            #[unsafe(export_name = concat!("mpi_", stringify!($name), $suffix))]
            unsafe extern "C" fn wrapper($($argument: usize,)* ierror: usize) -> i32 {
                static REAL: Real = Real::new(concat!("pmpi_", stringify!($name), $suffix, "\0"));
                dispatch(&$function, &REAL, Lang::$lang, &[$($argument,)* ierror])
            }
        };
    };
}

macro_rules! functions {
    ($($name:ident $small:ident ($($argument:ident)*) $kind:expr;)*) => {
        $(const _: () = {
            static FUNCTION: Function = Function::new(stringify!($name), $kind, &[$(stringify!($argument)),*]);
            export!(FUNCTION C "MPI_" $name "" ($($argument)*));
            export!(FUNCTION Fortran fortran $small "_" ($($argument)*));
            export!(FUNCTION F08 fortran $small "_f08_" ($($argument)*));
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

// C's MPI_Init has arguments that Fortran's lacks.
const _: () = {
    static INIT: Function = Function::new("Init", Init, &["argc", "argv"]);
    export!(INIT C "MPI_" Init "" (argc argv));
    export!(INIT C "MPI_" Init_thread "" (argc argv required provided));
    export!(INIT Fortran fortran init "_" ());
    export!(INIT F08 fortran init "_f08_" ());
    export!(INIT Fortran fortran init_thread "_" (required provided));
    export!(INIT F08 fortran init_thread "_f08_" (required provided));
};

#[rustfmt::skip]
functions! {
    Finalize    finalize    ()                                  Finalize;
    Abort       abort       (comm errorcode)                    Abort;

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

    Barrier             barrier             (comm)                              Coll("barrier");
    Ibarrier            ibarrier            (comm request)                      Coll("barrier");
    Barrier_init        barrier_init        (comm info request)                 Coll("barrier");

    Fetch_and_op        fetch_and_op        (origin result datatype target disp op win)             OneSided("exchange");
    Compare_and_swap    compare_and_swap    (origin compare result datatype target disp win)        OneSided("exchange");
}

#[rustfmt::skip]
functions_with_counts! {
    Send        send        (buffer count datatype dest tag comm)           Send;
    Bsend       bsend       (buffer count datatype dest tag comm)           Send;
    Ssend       ssend       (buffer count datatype dest tag comm)           Send;
    Rsend       rsend       (buffer count datatype dest tag comm)           Send;
    Isend       isend       (buffer count datatype dest tag comm request)   Send;
    Ibsend      ibsend      (buffer count datatype dest tag comm request)   Send;
    Issend      issend      (buffer count datatype dest tag comm request)   Send;
    Irsend      irsend      (buffer count datatype dest tag comm request)   Send;
    Send_init   send_init   (buffer count datatype dest tag comm request)   Send;
    Bsend_init  bsend_init  (buffer count datatype dest tag comm request)   Send;
    Ssend_init  ssend_init  (buffer count datatype dest tag comm request)   Send;
    Rsend_init  rsend_init  (buffer count datatype dest tag comm request)   Send;
    Recv        recv        (buffer count datatype source tag comm status)  Recv;
    Irecv       irecv       (buffer count datatype source tag comm request) Recv;
    Recv_init   recv_init   (buffer count datatype source tag comm request) Recv;
    Mrecv       mrecv       (buffer count datatype message status)          MatchedRecv;
    Imrecv      imrecv      (buffer count datatype message request)         MatchedRecv;
    Sendrecv    sendrecv
        (sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm status)  Sendrecv;
    Sendrecv_replace  sendrecv_replace  (buffer count datatype dest sendtag source recvtag comm status)   Sendrecv;

    Put             put             (origin origin_count origin_datatype target disp count datatype win)             OneSided("put");
    Get             get             (origin origin_count origin_datatype target disp count datatype win)             OneSided("get");
    Accumulate      accumulate      (origin origin_count origin_datatype target disp count datatype op win)          OneSided("put");
    Rput            rput            (origin origin_count origin_datatype target disp count datatype win request)     OneSided("put");
    Rget            rget            (origin origin_count origin_datatype target disp count datatype win request)     OneSided("get");
    Raccumulate     raccumulate     (origin origin_count origin_datatype target disp count datatype op win request)  OneSided("put");
    Get_accumulate  get_accumulate
        (origin origin_n origin_type result result_count result_type target disp count datatype op win)          OneSided("exchange");
    Rget_accumulate rget_accumulate
        (origin origin_n origin_type result result_count result_type target disp count datatype op win request)  OneSided("exchange");

    Bcast       bcast       (buffer count datatype root comm)               Coll("bcast");
    Ibcast      ibcast      (buffer count datatype root comm request)       Coll("bcast");
    Bcast_init  bcast_init  (buffer count datatype root comm info request)  Coll("bcast");
    Reduce      reduce      (sendbuf recvbuf count datatype op root comm)               Coll("reduce");
    Ireduce     ireduce     (sendbuf recvbuf count datatype op root comm request)       Coll("reduce");
    Reduce_init reduce_init (sendbuf recvbuf count datatype op root comm info request)  Coll("reduce");
    Allreduce       allreduce       (sendbuf recvbuf count datatype op comm)               Coll("allreduce");
    Iallreduce      iallreduce      (sendbuf recvbuf count datatype op comm request)       Coll("allreduce");
    Allreduce_init  allreduce_init  (sendbuf recvbuf count datatype op comm info request)  Coll("allreduce");
    Scan        scan        (sendbuf recvbuf count datatype op comm)                Coll("scan");
    Iscan       iscan       (sendbuf recvbuf count datatype op comm request)        Coll("scan");
    Scan_init   scan_init   (sendbuf recvbuf count datatype op comm info request)   Coll("scan");
    Exscan      exscan      (sendbuf recvbuf count datatype op comm)                Coll("exscan");
    Iexscan     iexscan     (sendbuf recvbuf count datatype op comm request)        Coll("exscan");
    Exscan_init exscan_init (sendbuf recvbuf count datatype op comm info request)   Coll("exscan");
    Reduce_scatter          reduce_scatter          (sendbuf recvbuf recvcounts datatype op comm)               Coll("reduce_scatter");
    Ireduce_scatter         ireduce_scatter         (sendbuf recvbuf recvcounts datatype op comm request)       Coll("reduce_scatter");
    Reduce_scatter_init     reduce_scatter_init     (sendbuf recvbuf recvcounts datatype op comm info request)  Coll("reduce_scatter");
    Reduce_scatter_block    reduce_scatter_block    (sendbuf recvbuf recvcount datatype op comm)                Coll("reduce_scatter_block");
    Ireduce_scatter_block   ireduce_scatter_block   (sendbuf recvbuf recvcount datatype op comm request)        Coll("reduce_scatter_block");
    Reduce_scatter_block_init reduce_scatter_block_init
        (sendbuf recvbuf recvcount datatype op comm info request)  Coll("reduce_scatter_block");

    Gather          gather          (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm)                Coll("gather");
    Igather         igather         (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request)        Coll("gather");
    Gather_init     gather_init     (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm info request)   Coll("gather");
    Gatherv         gatherv         (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm)               Coll("gatherv");
    Igatherv        igatherv        (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm request)       Coll("gatherv");
    Gatherv_init    gatherv_init    (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm info request)  Coll("gatherv");
    Scatter         scatter         (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm)                Coll("scatter");
    Iscatter        iscatter        (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request)        Coll("scatter");
    Scatter_init    scatter_init    (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm info request)   Coll("scatter");
    Scatterv        scatterv        (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm)               Coll("scatterv");
    Iscatterv       iscatterv       (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm request)       Coll("scatterv");
    Scatterv_init   scatterv_init   (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm info request)  Coll("scatterv");
    Allgather       allgather       (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                Coll("allgather");
    Iallgather      iallgather      (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)        Coll("allgather");
    Allgather_init  allgather_init  (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)   Coll("allgather");
    Allgatherv      allgatherv      (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm)               Coll("allgatherv");
    Iallgatherv     iallgatherv     (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request)       Coll("allgatherv");
    Allgatherv_init allgatherv_init (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm info request)  Coll("allgatherv");
    Alltoall        alltoall        (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                Coll("alltoall");
    Ialltoall       ialltoall       (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)        Coll("alltoall");
    Alltoall_init   alltoall_init   (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)   Coll("alltoall");
    Alltoallv       alltoallv       (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm)               Coll("alltoallv");
    Ialltoallv      ialltoallv      (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request)       Coll("alltoallv");
    Alltoallv_init  alltoallv_init  (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm info request)  Coll("alltoallv");
    Alltoallw       alltoallw       (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm)               Coll("alltoallw");
    Ialltoallw      ialltoallw      (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request)       Coll("alltoallw");
    Alltoallw_init  alltoallw_init  (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm info request)  Coll("alltoallw");

    Neighbor_allgather      neighbor_allgather      (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                  Coll("neighbor_allgather");
    Ineighbor_allgather     ineighbor_allgather     (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)          Coll("neighbor_allgather");
    Neighbor_allgatherv     neighbor_allgatherv     (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm)          Coll("neighbor_allgatherv");
    Ineighbor_allgatherv    ineighbor_allgatherv    (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request)  Coll("neighbor_allgatherv");
    Neighbor_alltoall       neighbor_alltoall       (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                  Coll("neighbor_alltoall");
    Ineighbor_alltoall      ineighbor_alltoall      (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)          Coll("neighbor_alltoall");
    Neighbor_alltoallv      neighbor_alltoallv
        (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm)          Coll("neighbor_alltoallv");
    Ineighbor_alltoallv     ineighbor_alltoallv
        (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request)  Coll("neighbor_alltoallv");
    Neighbor_alltoallw      neighbor_alltoallw
        (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm)          Coll("neighbor_alltoallw");
    Ineighbor_alltoallw     ineighbor_alltoallw
        (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request)  Coll("neighbor_alltoallw");
}
