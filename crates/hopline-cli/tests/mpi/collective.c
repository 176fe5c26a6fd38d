/* A collective over communicators whose orders of ranks are given, one after the other so that what else
   the machine does hits all alike: prints the median time of each from a barrier to the last rank's end, and
   how long the program took from its begin to the end of MPI_Finalize.

   usage: collective NAME BYTES ROUNDS ORDER...
   NAME may be that of a non-blocking broadcast or sum, which is waited for at once.
   BYTES end up on each rank; an order is c (as placed), r (round robin over two halves) or h (even ranks first) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * now.tv_sec + 1e-6 * now.tv_nsec;
}

static int by_value(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    int rank, size, bad = 0;
    double start = clock_ms();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *name = argv[1];
    int bytes = atoi(argv[2]), rounds = atoi(argv[3]), orders = argc - 4, block = bytes / size, ints = bytes / 4;
    unsigned char *buffer = malloc(bytes), *other = malloc(bytes);
    MPI_Comm comm[8];
    double (*took)[4096] = malloc(8 * sizeof *took);
    for (int o = 0; o < orders; o++) {
        int half = size / 2, key = rank;
        if (argv[4 + o][0] == 'r') key = rank % half * 2 + rank / half;
        if (argv[4 + o][0] == 'h') key = rank / 2 + rank % 2 * half;
        MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm[o]);
    }
    for (int i = -5; i < rounds; i++)
        for (int o = 0; o < orders; o++) {
            int mine;
            MPI_Comm_rank(comm[o], &mine);
            int is_bcast = strstr(name, "bcast") != NULL, is_sum = strstr(name, "reduce") != NULL;
            memset(buffer, is_bcast && mine ? 0 : i + 77, bytes);
            memset(other, 0, bytes);
            MPI_Barrier(comm[o]);
            double begin = MPI_Wtime(), time, slowest;
            MPI_Request request = MPI_REQUEST_NULL;
            if (strcmp(name, "ibcast") == 0) MPI_Ibcast(buffer, bytes, MPI_BYTE, 0, comm[o], &request);
            else if (strcmp(name, "iallreduce") == 0) MPI_Iallreduce(buffer, other, ints, MPI_INT, MPI_MAX, comm[o], &request);
            else if (is_bcast) MPI_Bcast(buffer, bytes, MPI_BYTE, 0, comm[o]);
            else if (strcmp(name, "allgather") == 0) MPI_Allgather(buffer, block, MPI_BYTE, other, block, MPI_BYTE, comm[o]);
            else if (strcmp(name, "scatter") == 0) MPI_Scatter(buffer, block, MPI_BYTE, other, block, MPI_BYTE, 0, comm[o]);
            else if (strcmp(name, "gather") == 0) MPI_Gather(buffer, block, MPI_BYTE, other, block, MPI_BYTE, 0, comm[o]);
            else if (strcmp(name, "alltoall") == 0) MPI_Alltoall(buffer, block, MPI_BYTE, other, block, MPI_BYTE, comm[o]);
            else if (strcmp(name, "allreduce") == 0) MPI_Allreduce(buffer, other, ints, MPI_INT, MPI_MAX, comm[o]);
            else if (strcmp(name, "reduce") == 0) MPI_Reduce(buffer, other, ints, MPI_INT, MPI_MAX, 0, comm[o]);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            time = MPI_Wtime() - begin;
            unsigned char *result = is_bcast ? buffer : other;
            int there = is_sum ? ints * 4 : is_bcast ? bytes : strcmp(name, "scatter") ? block * size : block;
            if ((strcmp(name, "reduce") && strcmp(name, "gather")) || mine == 0)
                for (int b = 0; b < there; b++) bad += result[b] != (unsigned char)(i + 77);
            MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (i >= 0) took[o][i] = slowest;
        }
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int o = 0; o < orders && rank == 0; o++) {
        qsort(took[o], rounds, sizeof(double), by_value);
        printf("%s %.3f ms\n", argv[4 + o], 1e3 * took[o][rounds / 2]);
    }
    if (rank == 0) printf("wrong bytes: %d\n", bad);
    MPI_Finalize();
    if (rank == 0) printf("whole %.0f ms\n", clock_ms() - start);
    return bad != 0;
}
