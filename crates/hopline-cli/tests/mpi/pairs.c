/* Bandwidth of pairs in rounds, as osu_bw measures one: windows of messages, each window answered by the receiver.
 *
 *   usage: pairs ROUNDS WINDOWS      ROUNDS has lines of `round host host`; both directions of a pair run, one after the other
 *
 * Rank 0 prints src,dst,gbytes_per_s,round. Idle ranks sleep: many of them share a few cores. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MESSAGE = 16384, WINDOW = 8, MOST = 4096 };

static char names[1024][MPI_MAX_PROCESSOR_NAME];
static char buffer[WINDOW][MESSAGE];

static void finish(int count, MPI_Request *requests) {
    for (int done = 0;;) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (done) return;
        usleep(200);
    }
}

static void window(int peer, int sends) {
    MPI_Request requests[WINDOW + 1];
    char answer = 0;
    for (int m = 0; m < WINDOW; m++) {
        if (sends) MPI_Isend(buffer[m], MESSAGE, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[m]);
        else MPI_Irecv(buffer[m], MESSAGE, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &requests[m]);
    }
    if (sends) {
        MPI_Irecv(&answer, 1, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[WINDOW]);
        finish(WINDOW + 1, requests);
    } else {
        finish(WINDOW, requests);
        MPI_Isend(&answer, 1, MPI_CHAR, peer, 2, MPI_COMM_WORLD, &requests[WINDOW]);
        finish(1, &requests[WINDOW]);
    }
}

static void meet(void) {
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    finish(1, &request);
}

static int rank_of(const char *name, int ranks) {
    for (int r = 0; r < ranks; r++)
        if (!strcmp(names[r], name)) return r;
    return -1;
}

int main(int argc, char **argv) {
    int rank, ranks, count = 0, rounds = 0, windows = atoi(argv[2]);
    static int round[MOST], ends[MOST][2];
    static double rate[2 * MOST], all[2 * MOST];
    char a[256], b[256];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    gethostname(names[rank], sizeof names[rank]);
    for (int r = 0; r < ranks; r++) MPI_Bcast(names[r], sizeof names[r], MPI_CHAR, r, MPI_COMM_WORLD);
    FILE *file = fopen(argv[1], "r");
    while (file && count < MOST && fscanf(file, "%d %255s %255s", &round[count], a, b) == 3) {
        ends[count][0] = rank_of(a, ranks), ends[count][1] = rank_of(b, ranks);
        if (round[count] >= rounds) rounds = round[count] + 1;
        count++;
    }
    for (int r = 0; r < rounds; r++)
        for (int back = 0; back < 2; back++) {
            meet();
            for (int p = 0; p < count; p++) {
                int from = ends[p][back], to = ends[p][!back];
                if (round[p] != r || (rank != from && rank != to)) continue;
                window(rank == from ? to : from, rank == from);
                double start = MPI_Wtime();
                for (int w = 0; w < windows; w++) window(rank == from ? to : from, rank == from);
                if (rank == from) rate[2 * p + back] = (double)windows * WINDOW * MESSAGE / (MPI_Wtime() - start) / 1e9;
            }
        }
    meet();
    MPI_Reduce(rate, all, 2 * MOST, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("src,dst,gbytes_per_s,round\n");
        for (int p = 0; p < count; p++)
            for (int back = 0; back < 2; back++)
                printf("%s,%s,%.7f,%d\n", names[ends[p][back]], names[ends[p][!back]], all[2 * p + back],
                       2 * round[p] + back);
    }
    MPI_Finalize();
    return 0;
}
