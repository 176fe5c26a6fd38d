/* So many communicators alive at once, each with a broadcast of 64 KiB; then a
   tenth as many of other members, each freed before the next is made. Between them receives from anyone wait: no message of others may be taken for theirs.

   usage: communicators N [parts]: with parts, 40 of each half of the ranks come first, alive at once, which have
   an attribute that nobody may copy: then the world. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { INTS = 16384 };
static int data[INTS], rank, size, wrong;

static void broadcast(MPI_Comm comm, int i) {
    int me, n;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    data[0] = data[INTS - 1] = me == i % n ? i : -1;
    MPI_Bcast(data, INTS, MPI_INT, i % n, comm);
    wrong += data[0] != i || data[INTS - 1] != i;
}

static int copied(MPI_Comm comm, int key, void *state, void *in, void *out, int *flag) {
    (void)comm, (void)key, (void)state, (void)in, (void)out;
    wrong++;
    *flag = 0;
    return MPI_SUCCESS;
}

static void parts(void) {
    enum { PARTS = 40 };
    MPI_Comm comms[PARTS];
    int key;
    MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
    for (int twice = 0; twice < 2; twice++) {
        for (int i = 0; i < PARTS; i++) {
            MPI_Comm_split(MPI_COMM_WORLD, rank % 2, i % 2 ? -rank : rank, &comms[i]);
            MPI_Comm_set_attr(comms[i], key, NULL);
            broadcast(comms[i], i);
        }
        for (int i = 0; i < PARTS; i++) broadcast(comms[i], i + 3);
        for (int i = 0; i < PARTS; i++) MPI_Comm_free(&comms[i]);
    }
    broadcast(MPI_COMM_WORLD, 11);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100, got = -1, next;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc > 2) parts();
    MPI_Comm *comms = malloc(n * sizeof *comms), half;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    for (int i = 0; i < n; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        broadcast(comms[i], i);
    }
    for (int i = n; i > 0; i -= n / 100 + 1) broadcast(comms[i - 1], i + 7);
    for (int i = 0; i < n; i++) MPI_Comm_free(&comms[i]);
    for (int i = 0; i < n / 10; i++) {
        /* All ranks, those of the other halves, all backwards. */
        MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 1 ? rank % 2 : 0, i % 3 == 2 ? -rank : rank, &half);
        broadcast(half, i);
        MPI_Comm_free(&half);
    }
    next = (rank + 1) % size;
    MPI_Send(&rank, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += got != (rank + size - 1) % size;
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("communicators: %d wrong: %d\n", n, wrong);
    MPI_Finalize();
    return wrong != 0;
}
