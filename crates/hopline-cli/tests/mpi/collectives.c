/* Collectives of this layer against the library's own: the same call is made twice, as
   MPI_X (which the layer may do in the library's place) and as PMPI_X, and every byte of
   the buffers must be the same. Says how many calls were compared and how many differed.

   usage: collectives [few]    few: two sizes on one communicator, in another order than the world's */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef OPEN_MPI
enum { WHOLE = 1 };
#else
enum { WHOLE = 0 };
#endif
enum { ROOM = 1 << 17, MARGIN = 4096 };
static char in[2][ROOM], out[2][ROOM];
static long compared, wrong;
static int rank, size;

static unsigned mix(unsigned x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; x *= 0x846ca68bU; return x ^ x >> 16; }

/* Small whole numbers, whatever they are read as. */
static void fill(int kind) {
    for (int way = 0; way < 2; way++)
        for (int b = 0; b < ROOM; b += 4) {
            unsigned value = mix(b / 4 * 977 + rank) % 4 + 1;
            int i = value;
            float f = value;
            memcpy(in[way] + b, kind ? (void *)&f : (void *)&i, 4);
            memcpy(out[way] + b, "\x11\x22\x33\x44", 4);
        }
}

static void compare(const char *what) {
    int bad = memcmp(in[0], in[1], ROOM) != 0 || memcmp(out[0], out[1], ROOM) != 0;
    compared++;
    if (bad) printf("rank %d: %s differs\n", rank, what);
    wrong += bad;
}

static void twice_mod(void *a, void *b, int *n, MPI_Datatype *type) {
    int ints = *type == MPI_INT ? *n : 0;
    for (int i = 0; i < ints; i++) ((int *)b)[i] = (((int *)a)[i] + ((int *)b)[i]) % 1000003;
    MPI_Aint low, extent;
    MPI_Type_get_extent(*type, &low, &extent);
    if (!ints) /* two ints with a gap between */
        for (int i = 0; i < *n; i++)
            for (int k = 0; k < 2; k++) {
                int *x = (int *)((char *)a + i * extent + 8 * k), *y = (int *)((char *)b + i * extent + 8 * k);
                *y = (*x + *y) % 1000003;
            }
}

/* Does not commute: the first of two differing values. */
static void first_of(void *a, void *b, int *n, MPI_Datatype *type) { memcpy(b, a, 4 * *n); (void)type; }

#define ONE(call, P, way) do { char *IN = in[way] + MARGIN, *OUT = out[way] + MARGIN; (void)IN; (void)OUT; call(P); } while (0)
#define BOTH(call, name) do { fill(kind); ONE(call, MPI_, 0); ONE(call, PMPI_, 1); compare(name); } while (0)

static void all_of(MPI_Comm comm, MPI_Datatype type, int count, int kind, MPI_Op *ops, int nops) {
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    for (int root = 0; root < n; root += n > 2 ? n / 2 : 1) {
#define CALL(P) P##Bcast(OUT, count, type, root, comm)
        fill(kind);
        for (int w = 0; w < 2; w++) if (me == root) memcpy(out[w], in[w], ROOM);
        { char *OUT = out[0] + MARGIN; CALL(MPI_); }
        { char *OUT = out[1] + MARGIN; CALL(PMPI_); }
        compare("bcast");
#undef CALL
        for (int o = 0; o < nops; o++) {
#define CALL(P) P##Reduce(IN, OUT, count, type, ops[o], root, comm)
            BOTH(CALL, "reduce");
#undef CALL
#define CALL(P) P##Reduce(me == root ? MPI_IN_PLACE : IN, me == root ? IN : 0, count, type, ops[o], root, comm)
            /* Debian 12's MPICH 4.0.2 itself crashes in place at other roots and operations of our own. */
            if (WHOLE || (root == 0 && type == MPI_INT && o < 3)) BOTH(CALL, "reduce in place");
#undef CALL
        }
    }
    for (int o = 0; o < nops; o++) {
#define CALL(P) P##Allreduce(IN, OUT, count, type, ops[o], comm)
        BOTH(CALL, "allreduce");
#undef CALL
#define CALL(P) P##Allreduce(MPI_IN_PLACE, IN, count, type, ops[o], comm)
        BOTH(CALL, "allreduce in place");
#undef CALL
    }
    int part = count / n;
    for (int root = 0; root < n; root += n > 2 ? n / 2 : 1) {
        /* What a scatter or gather is given of the other side counts at the root alone. */
        int there = me == root ? part : -1;
        MPI_Datatype theirs = me == root ? type : MPI_DATATYPE_NULL;
#define CALL(P) P##Scatter(IN, there, theirs, OUT, part, type, root, comm)
        BOTH(CALL, "scatter");
#undef CALL
#define CALL(P) P##Scatter(IN, there, theirs, me == root ? MPI_IN_PLACE : OUT, me == root ? -1 : part, me == root ? MPI_DATATYPE_NULL : type, root, comm)
        BOTH(CALL, "scatter in place");
#undef CALL
#define CALL(P) P##Gather(IN, part, type, OUT, there, theirs, root, comm)
        BOTH(CALL, "gather");
#undef CALL
#define CALL(P) P##Gather(me == root ? MPI_IN_PLACE : IN, me == root ? -1 : part, me == root ? MPI_DATATYPE_NULL : type, IN, there, theirs, root, comm)
        BOTH(CALL, "gather in place");
#undef CALL
    }
#define CALL(P) P##Allgather(IN, part, type, OUT, part, type, comm)
    BOTH(CALL, "allgather");
#undef CALL
#define CALL(P) P##Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, IN, part, type, comm)
    BOTH(CALL, "allgather in place");
#undef CALL
#define CALL(P) P##Alltoall(IN, part, type, OUT, part, type, comm)
    BOTH(CALL, "alltoall");
#undef CALL
#define CALL(P) P##Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, IN, part, type, comm)
    BOTH(CALL, "alltoall in place");
#undef CALL
}

/* Sent as one type, received as another of the same signature. */
static void mixed(MPI_Comm comm, MPI_Datatype gaps) {
    int n, kind = 0;
    MPI_Comm_size(comm, &n);
#define CALL(P) P##Allgather(IN, 64, MPI_INT, OUT, 32, gaps, comm)
    BOTH(CALL, "allgather of two types");
#undef CALL
#define CALL(P) P##Alltoall(IN, 32, gaps, OUT, 64, MPI_INT, comm)
    BOTH(CALL, "alltoall of two types");
#undef CALL
    for (int root = 0; root < n; root += n > 1 ? n - 1 : 1) {
#define CALL(P) P##Scatter(IN, 64, MPI_INT, OUT, 32, gaps, root, comm)
        BOTH(CALL, "scatter of two types");
#undef CALL
#define CALL(P) P##Gather(IN, 32, gaps, OUT, 64, MPI_INT, root, comm)
        BOTH(CALL, "gather of two types");
#undef CALL
    }
}

/* Buffers that are MPI_BOTTOM: the datatypes have the addresses. */
static void absolute(MPI_Comm comm) {
    enum { N = 5000 };
    int n, me, lengths[2] = {N - 1, 1};
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    MPI_Datatype from[2], to[2], many[2], ints[2] = {MPI_INT, MPI_INT};
    for (int w = 0; w < 2; w++) {
        MPI_Aint places[2];
        MPI_Get_address(in[w] + MARGIN, &places[0]);
        MPI_Get_address(in[w] + MARGIN + 4 * (N - 1), &places[1]);
        MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &from[w]);
        MPI_Get_address(out[w] + MARGIN, &places[0]);
        MPI_Get_address(out[w] + MARGIN + 4 * (N - 1), &places[1]);
        MPI_Type_create_struct(2, lengths, places, ints, &to[w]);
        MPI_Type_create_struct(1, (int[]){N / n / 2}, places, ints, &many[w]);
        MPI_Type_commit(&from[w]);
        MPI_Type_commit(&to[w]);
        MPI_Type_commit(&many[w]);
    }
    for (int root = 0; root < n; root += n - 1) {
        fill(0);
        for (int w = 0; w < 2; w++) if (me == root) memcpy(out[w], in[w], ROOM);
        MPI_Bcast(MPI_BOTTOM, 1, to[0], root, comm);
        PMPI_Bcast(MPI_BOTTOM, 1, to[1], root, comm);
        compare("bcast from the bottom");
    }
    int part = N / n / 2;
#define CALL(P) P##Allgather(IN, part, MPI_INT, MPI_BOTTOM, 1, many[way], comm)
    fill(0);
    { int way = 0; char *IN = in[0] + MARGIN; CALL(MPI_); }
    { int way = 1; char *IN = in[1] + MARGIN; CALL(PMPI_); }
    compare("allgather to the bottom");
#undef CALL
#define CALL(P) P##Allgather(MPI_BOTTOM, 1, from[way], OUT, N, MPI_INT, comm)
    if (4 * N * n + MARGIN < ROOM) {
        fill(0);
        { int way = 0; char *OUT = out[0] + MARGIN; CALL(MPI_); }
        { int way = 1; char *OUT = out[1] + MARGIN; CALL(PMPI_); }
        compare("allgather from the bottom");
    }
#undef CALL
#define CALL(P) P##Alltoall(IN, part, MPI_INT, MPI_BOTTOM, 1, many[way], comm)
    fill(0);
    { int way = 0; char *IN = in[0] + MARGIN; CALL(MPI_); }
    { int way = 1; char *IN = in[1] + MARGIN; CALL(PMPI_); }
    compare("alltoall to the bottom");
#undef CALL
#define CALL(P) P##Scatter(IN, N, MPI_INT, MPI_BOTTOM, 1, to[way], 0, comm)
    if (4 * N * n + MARGIN < ROOM) {
        fill(0);
        { int way = 0; char *IN = in[0] + MARGIN; CALL(MPI_); }
        { int way = 1; char *IN = in[1] + MARGIN; CALL(PMPI_); }
        compare("scatter to the bottom");
    }
#undef CALL
#define CALL(P) P##Gather(IN, part, MPI_INT, MPI_BOTTOM, 1, many[way], n - 1, comm)
    fill(0);
    { int way = 0; char *IN = in[0] + MARGIN; CALL(MPI_); }
    { int way = 1; char *IN = in[1] + MARGIN; CALL(PMPI_); }
    compare("gather to the bottom");
#undef CALL
    for (int w = 0; w < 2; w++) { MPI_Type_free(&from[w]); MPI_Type_free(&to[w]); MPI_Type_free(&many[w]); }
}

int main(int argc, char **argv) {
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Datatype pair, gaps, backwards, shifted, none;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps); /* an int, a gap, an int; elements overlap nowhere */
    MPI_Type_create_resized(MPI_INT, -4, 12, &shifted);
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {8, 0};
    MPI_Datatype ints[2] = {MPI_INT, MPI_INT};
    MPI_Type_create_struct(2, lengths, places, ints, &backwards);
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Datatype made[] = {pair, gaps, backwards, shifted, none};
    for (int i = 0; i < 5; i++) MPI_Type_commit(&made[i]);
    MPI_Op mod, first;
    MPI_Op_create(twice_mod, 1, &mod);
    MPI_Op_create(first_of, 0, &first);

    MPI_Comm comms[3];
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, rank, &comms[2]);
    int counts[] = {7, 5000, 0, 1000}, few = argc > 1;
    for (int c = few; c < (few ? 2 : 3); c++) {
        for (int s = 0; s < (few ? 2 : 4); s++) {
            MPI_Op whole[] = {MPI_SUM, MPI_MAX, MPI_BXOR, mod, first}, real[] = {MPI_SUM, MPI_PROD, MPI_MIN}, loc[] = {MPI_MINLOC};
            all_of(comms[c], MPI_INT, counts[s], 0, whole, 5);
            all_of(comms[c], MPI_FLOAT, counts[s], 1, real, 3);
            all_of(comms[c], MPI_BYTE, counts[s], 0, 0, 0);
            all_of(comms[c], MPI_2INT, counts[s], 0, loc, 1);
            all_of(comms[c], pair, counts[s], 0, 0, 0);
            all_of(comms[c], gaps, counts[s], 0, &mod, 1);
            all_of(comms[c], backwards, counts[s], 0, 0, 0);
            all_of(comms[c], shifted, counts[s], 0, 0, 0);
            all_of(comms[c], none, counts[s], 0, 0, 0);
        }
        mixed(comms[c], gaps);
        absolute(comms[c]);
    }
    /* Intercommunicators are the library's. */
    MPI_Comm half, inter;
    int kind = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 9, &inter);
#define CALL(P) P##Allreduce(IN, OUT, 1000, MPI_INT, MPI_SUM, inter)
    BOTH(CALL, "allreduce between two groups");
#undef CALL
#define CALL(P) P##Allgather(IN, 100, MPI_INT, OUT, 100, MPI_INT, inter)
    BOTH(CALL, "allgather between two groups");
#undef CALL
    /* Of the root's arguments and those of its own group most mean nothing. */
    int root = rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    int sends = rank == 0, hears = rank % 2;
#define CALL(P) P##Scatter(IN, sends ? 1000 : -1, sends ? MPI_INT : MPI_DATATYPE_NULL, OUT, hears ? 1000 : -1, hears ? MPI_INT : MPI_DATATYPE_NULL, root, inter)
    BOTH(CALL, "scatter between two groups");
#undef CALL
#define CALL(P) P##Gather(IN, hears ? 1000 : -1, hears ? MPI_INT : MPI_DATATYPE_NULL, OUT, sends ? 1000 : -1, sends ? MPI_INT : MPI_DATATYPE_NULL, root, inter)
    BOTH(CALL, "gather between two groups");
#undef CALL
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    for (int i = 0; i < 5; i++) MPI_Type_free(&made[i]);
    MPI_Op_free(&mod);
    MPI_Op_free(&first);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    long both[2] = {compared, wrong}, sum[2];
    PMPI_Reduce(both, sum, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("compared: %ld wrong: %ld\n", sum[0], sum[1]);
    MPI_Finalize();
    return wrong != 0;
}
