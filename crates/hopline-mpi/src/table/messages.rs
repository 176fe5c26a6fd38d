//! Messages, one-sided calls, and what the recorder cannot follow.

use super::*;

#[rustfmt::skip]
functions! {
    Fetch_and_op        fetch_and_op        (origin result datatype target disp op win)             OneSided("exchange");
    Compare_and_swap    compare_and_swap    (origin compare result datatype target disp win)        OneSided("exchange");
    Psend_init  psend_init  (buffer partitions partition_count datatype dest tag comm info request)    Send;
    Precv_init  precv_init  (buffer partitions partition_count datatype source tag comm info request)  Recv;
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
    Isendrecv   isendrecv
        (sendbuf sendcount sendtype dest sendtag recvbuf recvcount recvtype source recvtag comm request)  Sendrecv;
    Isendrecv_replace isendrecv_replace (buffer count datatype dest sendtag source recvtag comm request)  Sendrecv;
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
    Win_shared_query win_shared_query  (win other size unit base)  NotCounted;
}

// Of MPICH 5: streams of devices, and what survives processes.
#[rustfmt::skip]
extensions_with_counts! {
    Stream_send   (buffer count datatype dest tag comm from_stream to_stream)            NotCounted;
    Stream_isend  (buffer count datatype dest tag comm from_stream to_stream request)    NotCounted;
    Stream_recv   (buffer count datatype source tag comm from_stream to_stream status)   NotCounted;
    Stream_irecv  (buffer count datatype source tag comm from_stream to_stream request)  NotCounted;
    Send_enqueue  (buffer count datatype dest tag comm)             NotCounted;
    Isend_enqueue (buffer count datatype dest tag comm request)     NotCounted;
    Recv_enqueue  (buffer count datatype source tag comm status)    NotCounted;
    Irecv_enqueue (buffer count datatype source tag comm request)   NotCounted;
    Allreduce_enqueue (sendbuf recvbuf count datatype op comm)      NotCounted;
}

#[rustfmt::skip]
functions_of_c! {
    "MPIX_" Comm_agree    (comm flag)           NotCounted;
    "MPIX_" Comm_iagree   (comm flag request)   NotCounted;
}
