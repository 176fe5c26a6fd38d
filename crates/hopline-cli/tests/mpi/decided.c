/* Collectives of all ranks, one after the other: collective OPERATION BYTES ...
 * Where a preloaded counter says what was sent, prints for each of them:
 * its number, sender, receiver, messages, bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64

static void collective(const char *what, int bytes, int n) {
    char *a = calloc(n, bytes + 1), *b = calloc(n, bytes + 1);
    int *counts = malloc(n * sizeof *counts);
    MPI_Comm world = MPI_COMM_WORLD;
    for (int i = 0; i < n; i++) counts[i] = bytes;
    if (!strcmp(what, "broadcast")) MPI_Bcast(a, bytes, MPI_CHAR, 0, world);
    else if (!strcmp(what, "reduce")) MPI_Reduce(a, b, bytes, MPI_CHAR, MPI_SUM, 0, world);
    else if (!strcmp(what, "allreduce")) MPI_Allreduce(a, b, bytes, MPI_CHAR, MPI_SUM, world);
    else if (!strcmp(what, "allgather")) MPI_Allgather(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world);
    else if (!strcmp(what, "reduce-scatter")) MPI_Reduce_scatter(a, b, counts, MPI_CHAR, MPI_SUM, world);
    else if (!strcmp(what, "alltoall")) MPI_Alltoall(a, bytes, MPI_CHAR, b, bytes, MPI_CHAR, world);
    else if (!strcmp(what, "barrier")) MPI_Barrier(world);
    else MPI_Abort(world, 2);
    free(a), free(b), free(counts);
}

/* Collectives that a decision file says nothing about go on working, on other communicators too. */
static void others(int n, int rank) {
    int a[MOST] = {1}, b[MOST] = {0}, counts[MOST], places[MOST];
    MPI_Comm half;
    MPI_Request request;
    for (int i = 0; i < n; i++) counts[i] = 1, places[i] = i;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Bcast(a, 1, MPI_INT, 0, half);
    MPI_Scan(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (b[0] != rank + 1) MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(b, counts, places, MPI_INT, a, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Alltoallv(b, counts, places, MPI_INT, a, counts, places, MPI_INT, MPI_COMM_WORLD);
    a[0] = 1;
    MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (b[0] != n) MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    int n, rank;
    size_t before[2][MOST];
    size_t(*counted)[MOST] = dlsym(RTLD_DEFAULT, "counted");
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 1; k + 1 < argc; k += 2) {
        if (counted) memcpy(before, counted, sizeof before);
        collective(argv[k], atoi(argv[k + 1]), n);
        for (int to = 0; counted && to < n; to++)
            if (counted[0][to] > before[0][to])
                printf("%d %d %d %zu %zu\n", k / 2, rank, to, counted[0][to] - before[0][to],
                       counted[1][to] - before[1][to]);
    }
    if (counted) others(n, rank);
    MPI_Finalize();
    return 0;
}
