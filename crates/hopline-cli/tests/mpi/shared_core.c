/* Every rank computes 40 ms of its processor's time, five times, and all meet in between. */
#include <mpi.h>
#include <time.h>

static double ran(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 5; step++) {
        double until = ran() + 0.04;
        while (ran() < until) {
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
