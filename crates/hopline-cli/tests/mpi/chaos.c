// Rounds of a ring, a sum and a broadcast. `kill`: rank 1 is killed half-way. `fork`: every rank has a child that ends by exit after
// all else, as programs do that start others. As a library (-DLIBRARY) it is called by chaos_loader.c.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 20, INTS = 16384 };

#ifdef LIBRARY
int work(int argc, char **argv) {
#else
int main(int argc, char **argv) {
#endif
    static int data[INTS];
    const char *what = argc > 1 ? argv[1] : "";
    int rank, size, wrong = 0, ends[2], status = 0;
    pid_t child = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; round++) {
        if (round == ROUNDS / 2 && rank == 1 && !strcmp(what, "kill")) raise(SIGKILL);
        if (round == ROUNDS / 2 && !strcmp(what, "fork") && !pipe(ends) && !(child = fork())) {
            char byte;
            close(ends[1]);
            while (read(ends[0], &byte, 1) > 0) {}
            exit(0);
        }
        int in = -1, sum = 0, last = (rank + size - 1) % size;
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != last;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2;
        for (int i = 0; i < INTS; i++) data[i] = rank ? -1 : round + i;
        MPI_Bcast(data, INTS, MPI_INT, 0, MPI_COMM_WORLD);
        for (int i = 0; i < INTS; i++) wrong += data[i] != round + i;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong: %d\n", wrong), fflush(stdout);
    MPI_Finalize();
    if (child > 0) {
        close(ends[0]);
        close(ends[1]);
        if (waitpid(child, &status, 0) != child || status) printf("rank %d: its child ended with %d\n", rank, status);
    }
    return 0;
}
