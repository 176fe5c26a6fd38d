// An error handler that throws, in a receive that is too short, in a broadcast and in other collectives of no datatype;
// after each the program goes on sending. Prints how many exceptions rank 0 caught.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>
#include <vector>

static void thrower(MPI_Comm *, int *code, ...) {
    if (*code != MPI_SUCCESS) throw std::runtime_error("an MPI error");
}

static int caught;
template <class Call> static void expect(Call call) {
    try {
        call();
    } catch (const std::runtime_error &) {
        caught++;
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(thrower, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, wrong = 0;
    std::vector<int> data(100000);
    for (int round = 0; round < 8; round++) {
        // The message has two integers, the receive room for one.
        int out[2] = {rank, rank}, in = -1;
        MPI_Request request;
        MPI_Isend(out, 2, MPI_INT, next, 1, MPI_COMM_WORLD, &request);
        expect([&] { MPI_Recv(&in, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        expect([&] { MPI_Send(out, 1, MPI_INT, size + 7, 1, MPI_COMM_WORLD); });
        expect([&] { MPI_Bcast(data.data(), 100000, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD); });
        expect([&] { MPI_Bcast(data.data(), 100000, MPI_INT, size + 1, MPI_COMM_WORLD); });
        // This one is right, so the layer may do it.
        for (int &x : data) x = rank ? -1 : round;
        MPI_Bcast(data.data(), 100000, MPI_INT, 0, MPI_COMM_WORLD);
        wrong += data.back() != round;
        int sum = 0;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        wrong += sum != size * (size - 1) / 2;
        MPI_Sendrecv(out, 1, MPI_INT, next, 2, &in, 1, MPI_INT, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in != last;
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) std::printf("caught: %d wrong: %d\n", caught, wrong);
    MPI_Errhandler_free(&handler);
    MPI_Finalize();
}
