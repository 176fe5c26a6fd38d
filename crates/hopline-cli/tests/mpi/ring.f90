! A ring in Fortran: with `use mpi`, or with `use mpi_f08` where F08 is defined.
program ring
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
#ifdef F08
  type(MPI_Request) :: requests(2)
#else
  integer :: requests(2)
#endif
  integer :: rank, size, next, last, i, ierror, sent(100), got(100), total
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  next = modulo(rank + 1, size)
  last = modulo(rank - 1, size)
  do i = 1, 50
    sent = rank + i
    call MPI_Irecv(got, 100, MPI_INTEGER, last, 1, MPI_COMM_WORLD, requests(1), ierror)
    call MPI_Isend(sent, 100, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2), ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    if (any(got /= last + i)) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    call MPI_Sendrecv(sent, 10, MPI_INTEGER, next, 2, got, 10, MPI_INTEGER, last, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  end do
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (total /= size * (size - 1) / 2) call MPI_Abort(MPI_COMM_WORLD, 2, ierror)
  call MPI_Finalize(ierror)
end program
