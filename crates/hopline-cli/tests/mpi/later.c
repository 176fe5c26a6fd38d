/* What MPI 4.0 brought, each a known number of times: exchanges with a request, partitioned messages, persistent collectives
   of neighbours and of all, files, and sessions. What the library lacks is left out.

   usage: later DIR [sessions]    sessions: with MPI_Session_init alone, twice */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Neighbor_alltoall_init MPIX_Neighbor_alltoall_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

/* Open MPI 5 has what it says it lacks. */
#if MPI_VERSION >= 4 || defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define LATER 1
#endif
/* MPICH 4.0.2 crashes where one end is no process, and in a second session. */
#if !defined(MPICH_NUMVERSION) || MPICH_NUMVERSION >= 40100000
#define WHOLE 1
#endif

static int rank, size, wrong;
#define EXPECT(condition) do { if (!(condition)) { wrong++; printf("line %d is wrong\n", __LINE__); } } while (0)

static void exchanges(MPI_Comm comm) {
    int next = (rank + 1) % size, last = (rank + size - 1) % size, out[6], in[6];
    MPI_Request request;
#ifdef LATER
    for (int i = 0; i < 10; i++) {
        out[0] = rank; in[0] = -1;
        MPI_Isendrecv(out, 1, MPI_INT, next, 1, in, 1, MPI_INT, last, 1, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT(in[0] == last);
        MPI_Isendrecv_replace(out, 1, MPI_INT, next, 2, last, 2, comm, &request);
        int done = 0;
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        EXPECT(out[0] == last);
#ifdef WHOLE
        MPI_Isendrecv(out, 1, MPI_INT, rank ? MPI_PROC_NULL : next, 3, in, 1, MPI_INT, rank == 1 ? last : MPI_PROC_NULL, 3, comm, &request);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
#endif
    }
    /* Three partitions of two integers; Open MPI 5 crashes at them without MPI_COMM_WORLD. */
    MPI_Request parts[2];
    int is_world = 1;
#ifdef OPEN_MPI
    is_world = comm == MPI_COMM_WORLD;
#endif
    if (is_world) {
        MPI_Psend_init(out, 3, 2, MPI_INT, next, 4, comm, MPI_INFO_NULL, &parts[0]);
        MPI_Precv_init(in, 3, 2, MPI_INT, last, 4, comm, MPI_INFO_NULL, &parts[1]);
        for (int i = 0; i < 5; i++) {
            for (int k = 0; k < 6; k++) out[k] = rank + i, in[k] = -1;
            MPI_Startall(2, parts);
            for (int k = 0; k < 3; k++) MPI_Pready(k, parts[0]);
            MPI_Waitall(2, parts, MPI_STATUSES_IGNORE);
            EXPECT(in[5] == last + i);
        }
        MPI_Request_free(&parts[0]);
        MPI_Request_free(&parts[1]);
    }
#endif
    int dims[1] = {size}, periods[1] = {1}, sum;
    MPI_Comm circle;
    MPI_Cart_create(comm, 1, dims, periods, 0, &circle);
    MPI_Neighbor_alltoall_init(out, 2, MPI_INT, in, 2, MPI_INT, circle, MPI_INFO_NULL, &request);
    for (int i = 0; i < 7; i++) {
        out[0] = out[2] = rank;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT(in[0] == last && in[2] == next);
    }
    MPI_Request_free(&request);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
    for (int i = 0; i < 3; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT(sum == size * (size - 1) / 2);
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&circle);
}

static void files(const char *dir) {
    char name[4096];
    snprintf(name, sizeof name, "%s/written", dir);
    MPI_File file;
    int value = rank, got = -1;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    for (int i = 0; i < 4; i++) MPI_File_read_at(file, 4 * rank, &got, 1, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT(got == rank);
    MPI_File_close(&file);
}

#ifdef LATER
static void session(void) {
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "hopline.later", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    exchanges(comm);
    MPI_Barrier(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
}
#endif

int main(int argc, char **argv) {
    if (argc > 2) {
#ifdef LATER
        session();
#if defined(WHOLE) && !defined(OPEN_MPI) /* Open MPI 5 crashes in the second */
        session();
#endif
        if (rank == 0) printf("wrong: %d\n", wrong);
#endif
        return wrong != 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    exchanges(MPI_COMM_WORLD);
    files(argv[1]);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("wrong: %d\n", wrong);
    MPI_Finalize();
    return wrong != 0;
}
