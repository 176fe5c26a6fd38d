/* Two threads on each rank meet first at once, each in a communicator of its own. What the layer
   makes for them is done in another order on every second rank: the thread `late` there is `early`
   elsewhere. As many times as it is told, with other communicators each time; all but the first are
   not held up. Says how many results were wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm[2];
static int rank, size, round;
static long wrong[2];
static __thread int number = -1;

int PMPI_Comm_create(MPI_Comm of, MPI_Group group, MPI_Comm *made) {
    static int (*real)(MPI_Comm, MPI_Group, MPI_Comm *);
    if (!real) real = (int (*)(MPI_Comm, MPI_Group, MPI_Comm *))dlsym(RTLD_NEXT, "PMPI_Comm_create");
    int code = real(of, group, made);
    if (round == 0 && number == rank % 2) usleep(300000);
    return code;
}

static void *work(void *thread) {
    number = (int)(long)thread;
    long sum = 0;
    MPI_Allreduce(&(long){rank + number}, &sum, 1, MPI_LONG, MPI_SUM, comm[number]);
    wrong[number] += sum != size * (size - 1) / 2 + size * number;
    return NULL;
}

int main(int argc, char **argv) {
    int level;
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level != MPI_THREAD_MULTIPLE) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (round = 0; round < rounds; round++) {
        for (int t = 0; t < 2; t++) MPI_Comm_dup(MPI_COMM_WORLD, &comm[t]);
        for (long t = 0; t < 2; t++) pthread_create(&threads[t], NULL, work, (void *)t);
        for (int t = 0; t < 2; t++) pthread_join(threads[t], NULL);
        for (int t = 0; t < 2; t++) MPI_Comm_free(&comm[t]);
    }
    long sum = wrong[0] + wrong[1], all;
    MPI_Reduce(&sum, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong: %ld\n", all);
    MPI_Finalize();
    return sum != 0;
}
