/* Collective algorithms as Hopline's schedules have them, spelled out with point-to-point
   messages, in a given order of the ranks. Prints the median time of each case from a
   barrier to the last rank's end; the cases take turns, so that what else the machine
   does hits all alike.

   usage: algorithms ROUNDS CASE...
   a case is ALGORITHM:ORDER:BYTES[:SEGMENT]; an order is c (as placed) or r (round robin over two halves) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, ROUNDS = 64 };
static MPI_Comm comm;
static int rank, size;
static char *out, *into;
static MPI_Request under_way[4096];
static int requests;

static void isend(const char *from, int bytes, int to) {
    MPI_Isend(from, bytes, MPI_BYTE, to, 0, comm, &under_way[requests++]);
}

static void irecv(char *to, int bytes, int from) {
    MPI_Irecv(to, bytes, MPI_BYTE, from, 0, comm, &under_way[requests++]);
}

static void waitall(void) {
    MPI_Waitall(requests, under_way, MPI_STATUSES_IGNORE);
    requests = 0;
}

/* Along a tree, segment after segment. */
static void tree(int parent, const int *children, int n, int bytes, int segment) {
    if (segment == 0) segment = bytes;
    for (int at = 0; at < bytes; at += segment) {
        int part = bytes - at < segment ? bytes - at : segment;
        if (parent >= 0) MPI_Recv(into + at, part, MPI_BYTE, parent, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < n; i++) isend(into + at, part, children[i]);
    }
    waitall();
}

static void binomial(int bytes, int segment) {
    int children[32], n = 0, high = 0;
    for (int bit = 1; bit < size; bit <<= 1) {
        if (rank & bit) high = bit;
        if (bit > rank && rank + bit < size) children[n++] = rank + bit;
    }
    tree(rank ? rank - high : -1, children, n, bytes, segment);
}

static void knomial(int bytes, int segment, int k) {
    int children[64], n = 0, parent = -1, step = 1;
    while (step < size && rank % (step * k) == 0) step *= k;
    if (rank) parent = rank - rank / step % k * step;
    for (step /= k; step > 0; step /= k)
        for (int digit = 1; digit < k; digit++) if (rank + digit * step < size) children[n++] = rank + digit * step;
    tree(parent, children, n, bytes, segment);
}

static void chain(int bytes, int segment) {
    int next = rank + 1;
    tree(rank - 1, &next, next < size, bytes, segment);
}

/* n - 1 steps (or as many): to the next, from the one before. */
static void ring(int steps, int bytes) {
    for (int step = 0; step < steps; step++) {
        irecv(into, bytes, (rank + size - 1) % size);
        isend(out, bytes, (rank + 1) % size);
        waitall();
    }
}

static void scatter_ring(int bytes) {
    int part = (bytes + size - 1) / size, step = 1;
    while (step < size && rank % (2 * step) == 0) step *= 2;
    if (rank) MPI_Recv(into, (rank + step < size ? step : size - rank) * part, MPI_BYTE, rank - step, 0, comm, MPI_STATUS_IGNORE);
    for (step /= 2; step > 0; step /= 2)
        if (rank + step < size) isend(out, (rank + 2 * step < size ? step : size - rank - step) * part, rank + step);
    waitall();
    ring(size - 1, part);
}

static void doubling(int bytes, int grow) {
    for (int step = 1; step < size; step *= 2) {
        irecv(into, bytes, rank ^ step);
        isend(out, bytes, rank ^ step);
        waitall();
        if (grow) bytes *= 2;
    }
}

static void rabenseifner(int bytes) {
    for (int step = size / 2, part = bytes / 2; step > 0; step /= 2, part /= 2) {
        irecv(into, part, rank ^ step);
        isend(out, part, rank ^ step);
        waitall();
    }
    doubling(bytes / size, 1);
}

static void pairwise(int bytes) {
    for (int step = 1; step < size; step++) {
        irecv(into, bytes, (rank + size - step) % size);
        isend(out, bytes, (rank + step) % size);
        waitall();
    }
}

static void linear(int bytes) {
    for (int step = 1; step < size; step++) irecv(into, bytes, (rank + size - step) % size);
    for (int step = 1; step < size; step++) isend(out, bytes, (rank + step) % size);
    waitall();
}

static int perform(const char *name, int bytes, int segment) {
    if (!strcmp(name, "binomial")) binomial(bytes, segment);
    else if (!strcmp(name, "knomial")) knomial(bytes, segment, 4);
    else if (!strcmp(name, "chain")) chain(bytes, segment);
    else if (!strcmp(name, "scatter-ring")) scatter_ring(bytes);
    else if (!strcmp(name, "allgather-ring")) ring(size - 1, bytes);
    else if (!strcmp(name, "allreduce-ring")) ring(2 * (size - 1), bytes / size);
    else if (!strcmp(name, "allreduce-doubling")) doubling(bytes, 0);
    else if (!strcmp(name, "rabenseifner")) rabenseifner(bytes);
    else if (!strcmp(name, "pairwise")) pairwise(bytes);
    else if (!strcmp(name, "linear")) linear(bytes);
    else return 0;
    return 1;
}

static int by_value(const void *a, const void *b) {
    double d = *(const double *)a - *(const double *)b;
    return (d > 0) - (d < 0);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int rounds = atoi(argv[1]), cases = argc - 2, half = size / 2, world = rank;
    MPI_Comm orders[2];
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &orders[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank % half * 2 + rank / half, &orders[1]);
    out = malloc(1 << 24), into = malloc(1 << 24);
    static double took[MOST][ROUNDS];
    for (int i = -1; i < rounds; i++)
        for (int c = 0; c < cases; c++) {
            char name[64], order;
            int bytes, segment = 0;
            double begin, time, slowest;
            if (sscanf(argv[2 + c], "%63[^:]:%c:%d:%d", name, &order, &bytes, &segment) < 3) MPI_Abort(MPI_COMM_WORLD, 2);
            comm = orders[order == 'r'];
            MPI_Comm_rank(comm, &rank);
            MPI_Barrier(comm);
            begin = MPI_Wtime();
            if (!perform(name, bytes, segment)) MPI_Abort(MPI_COMM_WORLD, 3);
            time = MPI_Wtime() - begin;
            MPI_Allreduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            if (i >= 0) took[c][i] = slowest;
        }
    for (int c = 0; c < cases && world == 0; c++) {
        qsort(took[c], rounds, sizeof(double), by_value);
        printf("%s %.3f ms\n", argv[2 + c], 1e3 * took[c][rounds / 2]);
    }
    MPI_Finalize();
    return 0;
}
