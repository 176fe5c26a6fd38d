/* Two kernels that send as NAS CG and FT do, written for these recordings: no numbers are
 * computed, the messages are those of NPB 3.3 (CG/cg.f, FT/ft.f 1-D layout).
 *   usage: kernels cg|ft STEPS      ranks: a power of two */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_OF_A = 14000, POINTS = 1 << 20 };

static int rank, ranks;

/* Swaps doubles with another rank, as irecv, send, wait. */
static void swap(const double *out, double *in, int count, int other)
{
    MPI_Request request;
    MPI_Irecv(in, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
    MPI_Send(out, count, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Conjugate gradients: sums within rows of the grid of ranks, then a transpose, then dot products. */
static void cg(int steps)
{
    int log = 0;
    while (1 << (log + 1) <= ranks) log++;
    int rows = 1 << (log / 2), columns = 1 << (log - log / 2), part = columns / rows;
    int row = rank / columns, column = rank % columns;
    int pair = rank / part;
    int transposed = ((pair % rows) * rows + pair / rows) * part + rank % part;
    double *out = calloc(ROWS_OF_A, sizeof *out), *in = calloc(ROWS_OF_A, sizeof *in);
    for (int step = 0; step < steps; step++) {
        for (int hop = 1; hop < columns; hop <<= 1)
            swap(out, in, ROWS_OF_A / rows, row * columns + (column ^ hop));
        swap(out, in, ROWS_OF_A / columns, transposed);
        for (int dot = 0; dot < 2; dot++)
            for (int hop = 1; hop < columns; hop <<= 1)
                swap(out, in, 1, row * columns + (column ^ hop));
    }
    free(out);
    free(in);
}

/* Fourier transform: an all-to-all of all points, and a checksum. */
static void ft(int steps)
{
    int each = POINTS / ranks / ranks;
    double *out = calloc((size_t)2 * each * ranks, sizeof *out), *in = calloc((size_t)2 * each * ranks, sizeof *in);
    for (int step = 0; step < steps; step++) {
        double sum[2] = {0, 0}, all[2];
        MPI_Alltoall(out, each, MPI_C_DOUBLE_COMPLEX, in, each, MPI_C_DOUBLE_COMPLEX, MPI_COMM_WORLD);
        MPI_Reduce(sum, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    free(out);
    free(in);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3 && ranks > 1 && (ranks & (ranks - 1)) == 0) {
        if (strcmp(argv[1], "cg") == 0) cg(atoi(argv[2]));
        else ft(atoi(argv[2]));
    } else if (rank == 0) {
        fprintf(stderr, "usage: kernels cg|ft STEPS, on a power of two of ranks\n");
    }
    MPI_Finalize();
    return 0;
}
