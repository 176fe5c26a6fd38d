/* Non-blocking and persistent collectives of this layer against the library's own: the same call is made as MPI_X (which
   the layer may send another way) and as PMPI_X, several at once, and ends are waited for in all ways there are. What
   only a call that does not wait can do is done too: a rank begins a collective that others begin only after a message
   from it. Says how many results were compared and how many differed.

   usage: nonblocking */
#include <mpi.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define Persistent(name) MPIX_##name##_init
#define PPersistent(name) PMPIX_##name##_init
#define HAS_PERSISTENT OMPI_HAVE_MPI_EXT_PCOLLREQ
#else
#define Persistent(name) MPI_##name##_init
#define PPersistent(name) PMPI_##name##_init
#define HAS_PERSISTENT (MPI_VERSION >= 4)
#endif
#include <stdio.h>
#include <string.h>

enum { N = 6000 };
static int in[N], out[4][2][N];
static long compared, wrong;
static int rank, size;

static void compare(const char *what, int i) {
    compared++;
    if (memcmp(out[i][0], out[i][1], sizeof out[i][0])) { wrong++; printf("rank %d: %s differs\n", rank, what); }
}

static void fill(int round) {
    for (int i = 0; i < N; i++) {
        in[i] = rank * 7 + i + round;
        for (int k = 0; k < 4; k++) out[k][0][i] = out[k][1][i] = k % 2 ? -1 : rank * 1000 + i % 100 + round;
    }
}

static void finish(int count, MPI_Request *requests, int how) {
    int flag = 0, index, some, indices[8];
    if (how == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    if (how == 1) while (!flag) MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
    if (how == 2) for (int i = 0; i < count; i++) MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    if (how == 3) for (int left = count; left > 0; left -= some) MPI_Waitsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
    if (how == 4) for (int i = count; i-- > 0;) for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    if (how == 5) for (int i = count; i-- > 0;) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

/* Blocks of gathers, scatters and all-to-alls, which lie in the order of the program's ranks: of plain integers, or in pairs with
   gaps between them. */
static void blocks_of(MPI_Comm comm, int round) {
    enum { BLOCK = 400 };
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int root = (round + 1) % n, in_place = round % 2, at_root = in_place && me == root;
    MPI_Datatype two, pair;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_create_resized(two, 0, 3 * sizeof(int), &pair);
    MPI_Type_commit(&pair);
    MPI_Request mine[4], theirs[4];
    fill(round);
    const void *all = in_place ? MPI_IN_PLACE : (const void *)in, *own = at_root ? MPI_IN_PLACE : (const void *)in;
#define LAY(X, i, requests) \
    X##_Iallgather(all, BLOCK, MPI_INT, out[0][i], BLOCK / 2, pair, comm, &requests[0]); \
    X##_Ialltoall(all, BLOCK, MPI_INT, out[1][i], BLOCK / 2, pair, comm, &requests[1]); \
    X##_Igather(own, BLOCK, MPI_INT, me == root ? out[2][i] : NULL, me == root ? BLOCK / 2 : -1, \
                me == root ? pair : MPI_DATATYPE_NULL, root, comm, &requests[2]); \
    X##_Iscatter(me == root ? in : NULL, me == root ? BLOCK : -1, me == root ? MPI_INT : MPI_DATATYPE_NULL, \
                 at_root ? MPI_IN_PLACE : (void *)out[3][i], BLOCK / 2, pair, root, comm, &requests[3])
    LAY(PMPI, 1, theirs);
    LAY(MPI, 0, mine);
    MPI_Type_free(&two);
    MPI_Type_free(&pair);
    finish(4, mine, round % 6);
    PMPI_Waitall(4, theirs, MPI_STATUSES_IGNORE);
    compare("iallgather", 0);
    compare("ialltoall", 1);
    compare("igather", 2);
    compare("iscatter", 3);
    MPI_Barrier(comm);
}

static void round_of(MPI_Comm comm, int round) {
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int root = round % n;
    MPI_Request mine[4], theirs[4];
    fill(round);
    void *send = me == root ? MPI_IN_PLACE : (void *)in;
    /* The library's own stands first, so that what the layer does meets it under way. */
    PMPI_Ibcast(out[0][1], N, MPI_INT, root, comm, &theirs[0]);
    MPI_Ibcast(out[0][0], N, MPI_INT, root, comm, &mine[0]);
    MPI_Iallreduce(in, out[1][0], N, MPI_INT, MPI_SUM, comm, &mine[1]);
    MPI_Iallreduce(MPI_IN_PLACE, out[2][0], N, MPI_INT, MPI_MAX, comm, &mine[2]);
    MPI_Ireduce(send, out[3][0], N, MPI_INT, MPI_BXOR, root, comm, &mine[3]);
    PMPI_Iallreduce(in, out[1][1], N, MPI_INT, MPI_SUM, comm, &theirs[1]);
    PMPI_Iallreduce(MPI_IN_PLACE, out[2][1], N, MPI_INT, MPI_MAX, comm, &theirs[2]);
    PMPI_Ireduce(send, out[3][1], N, MPI_INT, MPI_BXOR, root, comm, &theirs[3]);
    finish(4, mine, round % 6);
    PMPI_Waitall(4, theirs, MPI_STATUSES_IGNORE);
    compare("ibcast", 0);
    compare("iallreduce", 1);
    compare("iallreduce in place", 2);
    compare("ireduce", 3);
    /* Here ranks may wait for each other. */
    MPI_Barrier(comm);
}

/* The last begins its half only when it has heard from the first, which has begun its own. */
static void after_a_message(MPI_Comm comm) {
    int n, me, word = 1;
    MPI_Request request;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    if (n < 2) return;
    for (int i = 0; i < N; i++) out[0][0][i] = me == 0 ? i : -1, out[0][1][i] = i;
    if (me == n - 1) MPI_Recv(&word, 1, MPI_INT, 0, 5, comm, MPI_STATUS_IGNORE);
    MPI_Ibcast(out[0][0], N, MPI_INT, 0, comm, &request);
    if (me == 0) MPI_Send(&word, 1, MPI_INT, n - 1, 5, comm);
    /* And waits in a call that has nothing to do with it. */
    if (me == n - 1) MPI_Send(&word, 1, MPI_INT, 0, 6, comm);
    if (me == 0) MPI_Recv(&word, 1, MPI_INT, n - 1, 6, comm, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare("ibcast after a message", 0);
}

#if HAS_PERSISTENT
/* Starts requests three times, compares what they fill that has a name, and frees them. */
static void play(int count, MPI_Request *mine, MPI_Request *theirs, const char *const names[4]) {
    for (int round = 0; round < 3; round++) {
        fill(round);
        MPI_Startall(count, mine);
        MPI_Waitall(count, mine, MPI_STATUSES_IGNORE);
        PMPI_Startall(count, theirs);
        PMPI_Waitall(count, theirs, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4; i++) if (names[i]) compare(names[i], i);
    }
    for (int i = 0; i < count; i++) { MPI_Request_free(&mine[i]); PMPI_Request_free(&theirs[i]); }
}
#endif

/* Before version 5 MPICH's own persistent gathers and scatters are wrong, whoever calls them. */
#if HAS_PERSISTENT && (!defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 50000000)
#define HAS_PERSISTENT_BLOCKS 1
#endif

static void persistent_blocks(MPI_Comm comm) {
#ifdef HAS_PERSISTENT_BLOCKS
    enum { BLOCK = 700 };
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int root = n / 2;
    MPI_Request mine[4], theirs[4];
#define PREPARE(X, i, requests) \
    X(Allgather)(in, BLOCK, MPI_INT, out[0][i], BLOCK, MPI_INT, comm, MPI_INFO_NULL, &requests[0]); \
    X(Alltoall)(in, BLOCK, MPI_INT, out[1][i], BLOCK, MPI_INT, comm, MPI_INFO_NULL, &requests[1]); \
    X(Gather)(in, BLOCK, MPI_INT, out[2][i], BLOCK, MPI_INT, root, comm, MPI_INFO_NULL, &requests[2]); \
    X(Scatter)(in, BLOCK, MPI_INT, out[3][i], BLOCK, MPI_INT, root, comm, MPI_INFO_NULL, &requests[3])
    PREPARE(Persistent, 0, mine);
    PREPARE(PPersistent, 1, theirs);
    const char *names[4] = {"persistent allgather", "persistent alltoall", "persistent gather", "persistent scatter"};
    play(4, mine, theirs, names);
#endif
}

static void persistent(MPI_Comm comm) {
#if HAS_PERSISTENT
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    int root = n - 1;
    MPI_Request mine[3], theirs[3];
    Persistent(Bcast)(out[0][0], N, MPI_INT, root, comm, MPI_INFO_NULL, &mine[0]);
    PPersistent(Bcast)(out[0][1], N, MPI_INT, root, comm, MPI_INFO_NULL, &theirs[0]);
    Persistent(Allreduce)(in, out[1][0], N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &mine[1]);
    PPersistent(Allreduce)(in, out[1][1], N, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &theirs[1]);
    Persistent(Reduce)(in, out[3][0], N, MPI_INT, MPI_MAX, root, comm, MPI_INFO_NULL, &mine[2]);
    PPersistent(Reduce)(in, out[3][1], N, MPI_INT, MPI_MAX, root, comm, MPI_INFO_NULL, &theirs[2]);
    const char *names[4] = {"persistent bcast", "persistent allreduce", NULL, "persistent reduce"};
    play(3, mine, theirs, names);
#endif
}

/* A communicator is freed while a broadcast on it is under way: where Open MPI 4.1.4 itself crashes. */
static void freed(void) {
#ifndef OPEN_MPI
    MPI_Comm comm;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) out[0][0][i] = rank == size - 1 ? i : -1, out[0][1][i] = i;
        MPI_Ibcast(out[0][0], N, MPI_INT, 0, comm, &request);
        if (round == 0) { MPI_Wait(&request, MPI_STATUS_IGNORE); MPI_Barrier(comm); }
    }
    MPI_Comm_free(&comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    compare("ibcast on a communicator that is freed", 0);
#endif
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comms[3] = {MPI_COMM_WORLD};
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, rank, &comms[2]);
    for (int c = 0; c < 3; c++) {
        for (int round = 0; round < 8; round++) {
            round_of(comms[c], round);
            blocks_of(comms[c], round);
        }
        after_a_message(comms[c]);
        persistent(comms[c]);
        persistent_blocks(comms[c]);
    }
    freed();
    for (int c = 1; c < 3; c++) MPI_Comm_free(&comms[c]);
    long both[2] = {compared, wrong}, sum[2];
    PMPI_Reduce(both, sum, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("compared: %ld wrong: %ld\n", sum[0], sum[1]);
    MPI_Finalize();
    return wrong != 0;
}
