      program ring
@USE@
      implicit none
@INCLUDE@
      integer rank, ranks, error, total, request
      integer status(MPI_STATUS_SIZE)
      integer got, count, op, vector, comm, i
      integer column(8)
      double precision x, y
      logical flag
      external twice
      call MPI_Init(error)
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
      call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
      call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, error)
      x = rank + 1
      y = x
      call MPI_Allreduce(MPI_IN_PLACE, y, 1, MPI_DOUBLE_PRECISION,
     &     MPI_SUM, MPI_COMM_WORLD, error)
      call MPI_Irecv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5,
     &     MPI_COMM_WORLD, request, error)
      call MPI_Send(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 5,
     &     MPI_COMM_WORLD, error)
      call MPI_Wait(request, status, error)
      flag = status(MPI_SOURCE) .eq. got .and. request .eq.
     &     MPI_REQUEST_NULL
      call MPI_Op_create(twice, .true., op, error)
      i = rank + 1
      call MPI_Reduce(i, count, 1, MPI_INTEGER, op, 0,
     &     MPI_COMM_WORLD, error)
      call MPI_Type_vector(4, 1, 2, MPI_INTEGER, vector, error)
      call MPI_Type_commit(vector, error)
      call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
      column = 0
      if (rank .eq. 0) column = 3
      call MPI_Bcast(column, 1, vector, 0, comm, error)
      call MPI_Barrier(MPI_COMM_WORLD, error)
      if (rank .eq. 1) call MPI_Send(column, 8, MPI_INTEGER, 0, 6,
     &     comm, error)
      if (rank .eq. 0) then
        call MPI_Recv(column, 8, MPI_INTEGER, 1, 6, comm,
     &       MPI_STATUS_IGNORE, error)
        i = 0
        if (column(2) .eq. 0) i = 4
        write(*,'(I0,1X,F0.1,1X,L1,1X,I0,1X,I0,1X,I0)') total, y, flag,
     &       count, i, column(7)
      end if
      call MPI_Finalize(error)
      end

      subroutine twice(in, inout, n, type)
      integer n, type, in(n), inout(n), i
      do i = 1, n
        inout(i) = in(i) * inout(i)
      end do
      end
