//! Collectives.

use super::*;

#[rustfmt::skip]
functions! {
    Barrier             barrier             (comm)                              Coll("barrier");
    Ibarrier            ibarrier            (comm request)                      Coll("barrier");
    Barrier_init        barrier_init        (comm info request)                 Coll("barrier");
}

#[rustfmt::skip]
early_functions! {
    Barrier_init        barrier_init        (comm info request)                 Coll("barrier");
}

#[rustfmt::skip]
functions_with_counts! {
    Bcast       bcast       (buffer count datatype root comm)               Coll("bcast");
    Ibcast      ibcast      (buffer count datatype root comm request)       Coll("bcast");
    Reduce      reduce      (sendbuf recvbuf count datatype op root comm)               Coll("reduce");
    Ireduce     ireduce     (sendbuf recvbuf count datatype op root comm request)       Coll("reduce");
    Allreduce       allreduce       (sendbuf recvbuf count datatype op comm)               Coll("allreduce");
    Iallreduce      iallreduce      (sendbuf recvbuf count datatype op comm request)       Coll("allreduce");
    Scan        scan        (sendbuf recvbuf count datatype op comm)                Coll("scan");
    Iscan       iscan       (sendbuf recvbuf count datatype op comm request)        Coll("scan");
    Exscan      exscan      (sendbuf recvbuf count datatype op comm)                Coll("exscan");
    Iexscan     iexscan     (sendbuf recvbuf count datatype op comm request)        Coll("exscan");
    Reduce_scatter          reduce_scatter          (sendbuf recvbuf recvcounts datatype op comm)               Coll("reduce_scatter");
    Ireduce_scatter         ireduce_scatter         (sendbuf recvbuf recvcounts datatype op comm request)       Coll("reduce_scatter");
    Reduce_scatter_block    reduce_scatter_block    (sendbuf recvbuf recvcount datatype op comm)                Coll("reduce_scatter_block");
    Ireduce_scatter_block   ireduce_scatter_block   (sendbuf recvbuf recvcount datatype op comm request)        Coll("reduce_scatter_block");
    Gather          gather          (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm)                Coll("gather");
    Igather         igather         (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request)        Coll("gather");
    Gatherv         gatherv         (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm)               Coll("gatherv");
    Igatherv        igatherv        (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm request)       Coll("gatherv");
    Scatter         scatter         (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm)                Coll("scatter");
    Iscatter        iscatter        (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm request)        Coll("scatter");
    Scatterv        scatterv        (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm)               Coll("scatterv");
    Iscatterv       iscatterv       (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm request)       Coll("scatterv");
    Allgather       allgather       (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                Coll("allgather");
    Iallgather      iallgather      (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)        Coll("allgather");
    Allgatherv      allgatherv      (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm)               Coll("allgatherv");
    Iallgatherv     iallgatherv     (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm request)       Coll("allgatherv");
    Alltoall        alltoall        (sendbuf sendcount sendtype recvbuf recvcount recvtype comm)                Coll("alltoall");
    Ialltoall       ialltoall       (sendbuf sendcount sendtype recvbuf recvcount recvtype comm request)        Coll("alltoall");
    Alltoallv       alltoallv       (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm)               Coll("alltoallv");
    Ialltoallv      ialltoallv      (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm request)       Coll("alltoallv");
    Alltoallw       alltoallw       (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm)               Coll("alltoallw");
    Ialltoallw      ialltoallw      (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm request)       Coll("alltoallw");
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

#[rustfmt::skip]
persistent_functions! {
    Bcast_init  bcast_init  (buffer count datatype root comm info request)  Coll("bcast");
    Reduce_init reduce_init (sendbuf recvbuf count datatype op root comm info request)  Coll("reduce");
    Allreduce_init  allreduce_init  (sendbuf recvbuf count datatype op comm info request)  Coll("allreduce");
    Scan_init   scan_init   (sendbuf recvbuf count datatype op comm info request)   Coll("scan");
    Exscan_init exscan_init (sendbuf recvbuf count datatype op comm info request)   Coll("exscan");
    Reduce_scatter_init     reduce_scatter_init     (sendbuf recvbuf recvcounts datatype op comm info request)  Coll("reduce_scatter");
    Reduce_scatter_block_init reduce_scatter_block_init
        (sendbuf recvbuf recvcount datatype op comm info request)  Coll("reduce_scatter_block");
    Gather_init     gather_init     (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm info request)   Coll("gather");
    Gatherv_init    gatherv_init    (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype root comm info request)  Coll("gatherv");
    Scatter_init    scatter_init    (sendbuf sendcount sendtype recvbuf recvcount recvtype root comm info request)   Coll("scatter");
    Scatterv_init   scatterv_init   (sendbuf sendcounts displs sendtype recvbuf recvcount recvtype root comm info request)  Coll("scatterv");
    Allgather_init  allgather_init  (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)   Coll("allgather");
    Allgatherv_init allgatherv_init (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm info request)  Coll("allgatherv");
    Alltoall_init   alltoall_init   (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)   Coll("alltoall");
    Alltoallv_init  alltoallv_init  (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm info request)  Coll("alltoallv");
    Alltoallw_init  alltoallw_init  (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm info request)  Coll("alltoallw");
    Neighbor_allgather_init neighbor_allgather_init
        (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)  Coll("neighbor_allgather");
    Neighbor_allgatherv_init neighbor_allgatherv_init
        (sendbuf sendcount sendtype recvbuf recvcounts displs recvtype comm info request)  Coll("neighbor_allgatherv");
    Neighbor_alltoall_init neighbor_alltoall_init
        (sendbuf sendcount sendtype recvbuf recvcount recvtype comm info request)  Coll("neighbor_alltoall");
    Neighbor_alltoallv_init neighbor_alltoallv_init
        (sendbuf sendcounts sdispls sendtype recvbuf recvcounts rdispls recvtype comm info request)  Coll("neighbor_alltoallv");
    Neighbor_alltoallw_init neighbor_alltoallw_init
        (sendbuf sendcounts sdispls sendtypes recvbuf recvcounts rdispls recvtypes comm info request)  Coll("neighbor_alltoallw");
}
