/* With one rank: processor time of a call that sends 8 bytes to itself or receives them or waits for both.
   With two: the time of a message of 64 KiB one way, in a ping-pong; what else the machine does only adds to it,
   so of all times in order the one a tenth from the fastest is taken. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { CALLS = 300000, ROUNDS = 1000, BYTES = 65536 };

static int by_value(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

static double processor_ms(void) {
    struct rusage use;
    getrusage(RUSAGE_THREAD, &use);
    return 1e3 * use.ru_utime.tv_sec + 1e-3 * use.ru_utime.tv_usec;
}

static void calls(void) {
    char out[8] = {0}, in[8];
    MPI_Request request[2];
    double begin = processor_ms();
    for (int i = 0; i < CALLS / 3; i++) {
        MPI_Irecv(in, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, request);
        MPI_Isend(out, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, request + 1);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    printf("call %.7f ms\n", (processor_ms() - begin) / CALLS);
}

static void ping_pong(int rank) {
    char *buffer = calloc(BYTES, 1);
    double took[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        double begin = MPI_Wtime();
        if (rank == 0) MPI_Send(buffer, BYTES, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        MPI_Recv(buffer, BYTES, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(buffer, BYTES, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        took[i] = (MPI_Wtime() - begin) / 2;
    }
    qsort(took, ROUNDS, sizeof(double), by_value);
    if (rank == 0) printf("way %.6f ms\n", 1e3 * took[ROUNDS / 10]);
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size == 1) calls();
    else ping_pong(rank);
    MPI_Finalize();
    return 0;
}
