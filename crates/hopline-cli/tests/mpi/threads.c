/* Four threads on each rank, each with a communicator of its own: messages around a ring
   and collectives at once. Says how many results were wrong. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, ROUNDS = 50, INTS = 8192 };
static MPI_Comm comm[THREADS];
static int rank, size;
static long wrong[THREADS];

static void *work(void *number) {
    long t = (long)number;
    int *data = malloc(INTS * sizeof(int)), *sum = malloc(INTS * sizeof(int));
    for (int round = 0; round < ROUNDS; round++) {
        int out = 100 * rank + t, in = -1, last = (rank + size - 1) % size;
        MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, t, &in, 1, MPI_INT, last, t, comm[t], MPI_STATUS_IGNORE);
        wrong[t] += in != 100 * last + t;
        if (round % 10) continue;
        for (int i = 0; i < INTS; i++) data[i] = rank == 0 ? i + round : -1;
        MPI_Bcast(data, INTS, MPI_INT, 0, comm[t]);
        for (int i = 0; i < INTS; i++) wrong[t] += data[i] != i + round;
        MPI_Allreduce(data, sum, INTS, MPI_INT, MPI_SUM, comm[t]);
        for (int i = 0; i < INTS; i++) wrong[t] += sum[i] != size * (i + round);
    }
    free(data);
    free(sum);
    return NULL;
}

int main(int argc, char **argv) {
    int level;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int t = 0; t < THREADS; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comm[t]);
    for (long t = 0; t < THREADS; t++) pthread_create(&threads[t], NULL, work, (void *)t);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    long sum = 0, all;
    for (int t = 0; t < THREADS; t++) sum += wrong[t], MPI_Comm_free(&comm[t]);
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong: %ld\n", all);
    MPI_Finalize();
    return sum != 0;
}
