/* Each rank exchanges messages with the ranks two before and two after it, step after step:
   ranks of one parity never talk with the others. Prints the median time of a step.

   usage: exchange BYTES STEPS */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    int rank, size, bytes = atoi(argv[1]), steps = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *out = calloc(bytes, 1), *in[2] = {malloc(bytes), malloc(bytes)};
    double *took = malloc(steps * sizeof(double));
    for (int step = -1; step < steps; step++) {
        MPI_Request requests[4];
        int peers[2] = {(rank + 2) % size, (rank + size - 2) % size};
        double begin = MPI_Wtime(), time, slowest;
        for (int i = 0; i < 2; i++) MPI_Irecv(in[i], bytes, MPI_BYTE, peers[i], i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 2; i++) MPI_Isend(out, bytes, MPI_BYTE, peers[i], 1 - i, MPI_COMM_WORLD, &requests[2 + i]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        time = MPI_Wtime() - begin;
        MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (step >= 0) took[step] = slowest;
    }
    qsort(took, steps, sizeof(double), by_value);
    if (rank == 0) printf("step %.3f ms\n", 1e3 * took[steps / 2]);
    MPI_Finalize();
    return 0;
}
