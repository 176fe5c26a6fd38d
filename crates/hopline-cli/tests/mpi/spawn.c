/* Worlds that worlds make: the first makes two of two ranks, each of those one of one rank, and all send in a ring of their
   own; the first also sends 1000 bytes to each rank that it made, and adds up with them in one communicator. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void ring(int times, int ints) {
    int rank, size, *data = calloc(ints, sizeof *data);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < times && size > 1; i++)
        MPI_Sendrecv_replace(data, ints, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    free(data);
}

/* Sends to the other world, or receives from it, and adds one up with all of both. */
static int meet(MPI_Comm inter, int is_parent) {
    char text[1000] = {0};
    int rank, others, one = 1, sum = 0;
    MPI_Comm both;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_remote_size(inter, &others);
    if (is_parent && rank == 0) for (int i = 0; i < others; i++) MPI_Send(text, 1000, MPI_BYTE, i, 3, inter);
    if (!is_parent) MPI_Recv(text, 1000, MPI_BYTE, 0, 3, inter, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(inter, !is_parent, &both);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, both);
    static int large[20000];
    MPI_Bcast(large, 20000, MPI_INT, 0, both);
    MPI_Comm_free(&both);
    return sum;
}

int main(int argc, char **argv) {
    int level = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    int size, sum = 0, wrong = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm parent, children;
    MPI_Comm_get_parent(&parent);
    ring(10 + level, 100 * (level + 1));
    if (parent != MPI_COMM_NULL) {
        sum = meet(parent, 0);
        MPI_Comm_disconnect(&parent);
    }
    for (int i = 0; i < 2 - level; i++) {
        char word[] = {'1' + level, 0}, *words[] = {word, NULL};
        int ranks = 2 - level;
        MPI_Comm_spawn(argv[0], words, ranks, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
        wrong += meet(children, 1) != size + ranks;
        MPI_Comm_disconnect(&children);
    }
    ring(5, 10);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("level %d wrong: %d\n", level, wrong);
    MPI_Finalize();
    return wrong != 0;
}
