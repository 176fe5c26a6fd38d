/* Conjugate gradients as the NAS benchmark CG sends: ranks in a square, the matrix in blocks;
   each step multiplies, adds up along the row by exchanges with irecv and send, swaps with the
   transposed rank, and adds up two numbers the same way. The matrix is 4 on the diagonal with a
   few ones: says how far the solution is from right. A power of four of ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 512, STEPS = 60 };
static int side, row, column;

static double entry(int i, int j) { return i == j ? 4 : (i - j) % 97 == 0 ? -0.25 : 0; }

static void trade(const double *out, double *in, int n, int peer) {
    MPI_Request request;
    MPI_Irecv(in, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, n, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Sum over the row of ranks. */
static void sum(double *x, int n) {
    double *other = malloc(n * sizeof(double));
    for (int step = 1; step < side; step *= 2) {
        trade(x, other, n, row * side + (column ^ step));
        for (int i = 0; i < n; i++) x[i] += other[i];
    }
    free(other);
}

static double dot(const double *x, const double *y, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i] * y[i];
    sum(&s, 1);
    return s;
}

int main(int argc, char **argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (side = 1; side * side < size; side *= 2);
    row = rank / side, column = rank % side;
    int n = N / side;
    double *z = calloc(n, 8), *r = malloc(n * 8), *p = malloc(n * 8), *q = malloc(n * 8), *t = malloc(n * 8), rho, error = 0;
    for (int i = 0; i < n; i++) r[i] = p[i] = 1;
    rho = dot(r, r, n);
    for (int step = 0; step < STEPS; step++) {
        /* Vectors lie along columns; the product lies along rows and is swapped back. */
        for (int i = 0; i < n; i++) {
            t[i] = 0;
            for (int j = 0; j < n; j++) t[i] += entry(row * n + i, column * n + j) * p[j];
        }
        sum(t, n);
        int transposed = column * side + row;
        if (transposed != rank) trade(t, q, n, transposed);
        else for (int i = 0; i < n; i++) q[i] = t[i];
        double alpha = rho / dot(p, q, n), before = rho;
        for (int i = 0; i < n; i++) z[i] += alpha * p[i], r[i] -= alpha * q[i];
        rho = dot(r, r, n);
        for (int i = 0; i < n; i++) p[i] = r[i] + rho / before * p[i];
        if (rho < 1e-28) break;
    }
    MPI_Reduce(&rho, &error, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("residual %s\n", error < 1e-12 ? "small" : "large");
    MPI_Finalize();
    return 0;
}
