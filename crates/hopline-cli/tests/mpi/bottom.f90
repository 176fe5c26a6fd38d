! Broadcasts, gathers and sums whose buffers are MPI_BOTTOM or MPI_IN_PLACE: with `use mpi`, or with `use mpi_f08` where F08
! is defined.
program bottom
#ifdef F08
  use mpi_f08
#else
  use mpi
#endif
  implicit none
  integer, parameter :: n = 10000
#ifdef F08
  type(MPI_Datatype) :: absolute
  type(MPI_Request) :: request
#else
  integer :: absolute, request
#endif
  integer :: rank, size, i, j, ierror, wrong
  integer, target :: values(n), sums(n)
  integer, allocatable, target :: all(:)
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  wrong = 0
  call MPI_Get_address(values, place(1), ierror)
  call MPI_Type_create_hindexed(1, [n], place, MPI_INTEGER, absolute, ierror)
  call MPI_Type_commit(absolute, ierror)
  do i = 0, size - 1
    values = -1
    if (rank == i) values = i
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, i, MPI_COMM_WORLD, ierror)
    if (any(values /= i)) wrong = wrong + 1
  end do
  sums = rank
  call MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (any(sums /= size * (size - 1) / 2)) wrong = wrong + 1
  allocate(all(n * size))
  all = -1
  all(n * rank + 1 : n * (rank + 1)) = rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  do i = 0, size - 1
    if (any(all(n * i + 1 : n * (i + 1)) /= i)) wrong = wrong + 1
  end do
  all = -1
  values = rank
  call MPI_Allgather(MPI_BOTTOM, 1, absolute, all, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  if (any(all(1 : n) /= 0) .or. any(all(n * (size - 1) + 1 :) /= size - 1)) wrong = wrong + 1
  sums = rank
  if (rank == 0) then
    call MPI_Reduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
    if (any(sums /= size * (size - 1) / 2)) wrong = wrong + 1
  else
    call MPI_Reduce(sums, values, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierror)
  end if
  all = rank
  call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  if (any(all(1 : n) /= 0) .or. any(all(n * (size - 1) + 1 :) /= size - 1)) wrong = wrong + 1
  all = rank
  values = -1
  call MPI_Scatter(all, n, MPI_INTEGER, MPI_BOTTOM, 1, absolute, size - 1, MPI_COMM_WORLD, ierror)
  if (any(values /= size - 1)) wrong = wrong + 1
  values = rank
  if (rank == 0) then
    all = -1
    all(1 : n) = rank
    call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
    do i = 0, size - 1
      if (any(all(n * i + 1 : n * (i + 1)) /= i)) wrong = wrong + 1
    end do
  else
    call MPI_Gather(values, n, MPI_INTEGER, all, n, MPI_INTEGER, 0, MPI_COMM_WORLD, ierror)
  end if
  ! Twice: where the second goes is known since the collective between them.
  do i = 1, 2
    values = -1
    if (rank == 1) values = i
    call MPI_Ibcast(values, n, MPI_INTEGER, 1, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    if (any(values /= i)) wrong = wrong + 1
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  ! The same of blocks.
  do i = 1, 2
    all = -1
    all(n * rank + 1 : n * (rank + 1)) = rank
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, n, MPI_INTEGER, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    do j = 0, size - 1
      if (any(all(n * j + 1 : n * (j + 1)) /= j)) wrong = wrong + 1
    end do
    values = -1
    call MPI_Iscatter(all, n, MPI_INTEGER, MPI_BOTTOM, 1, absolute, size - 1, MPI_COMM_WORLD, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    if (any(values /= rank)) wrong = wrong + 1
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end do
  call MPI_Type_free(absolute, ierror)
  if (wrong /= 0) print *, 'wrong', rank, wrong
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a,i0)', 'wrong: ', wrong
  call MPI_Finalize(ierror)
end program
