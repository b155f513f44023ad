// mpif.h and `use mpi`: the functions whose arguments translate one by one. Numbers are those of the arguments.
#include "mpi_library/fortran/arguments.hpp"

extern "C" {  // aligned as compilers align common blocks
alignas(32) int assay_mpi_bottom_, assay_mpi_in_place_, assay_mpi_unweighted_, assay_mpi_weights_empty_;
alignas(32) int assay_mpi_status_ignore_[8], assay_mpi_statuses_ignore_[8];
}

#define P1 void* a
#define P2 P1, void* b
#define P3 P2, void* c
#define P4 P3, void* d
#define P5 P4, void* e
#define P6 P5, void* f
#define P7 P6, void* g
#define P8 P7, void* h
#define P9 P8, void* i
#define P10 P9, void* j
#define P11 P10, void* k
#define P12 P11, void* l
#define P13 P12, void* m
#define N1 a
#define N2 N1, b
#define N3 N2, c
#define N4 N3, d
#define N5 N4, e
#define N6 N5, f
#define N7 N6, g
#define N8 N7, h
#define N9 N8, i
#define N10 N9, j
#define N11 N10, k
#define N12 N11, l
#define N13 N12, m
#define WRAPPED(count, lower, name, in)                                         \
  extern "C" void lower##_(P##count) {                                          \
    void* all[] = {N##count};                                                   \
    assay::fortran::call<name, in>(all, static_cast<decltype(&name)>(nullptr)); \
  }
#define F(count, lower, name) WRAPPED(count, lower, name, false)
#define U(count, lower, name) WRAPPED(count, lower, name, true)  // takes handles by address and changes them

F(1, mpi_finalize, MPI_Finalize)
F(2, mpi_initialized, MPI_Initialized)
F(2, mpi_finalized, MPI_Finalized)
F(2, mpi_query_thread, MPI_Query_thread)
F(2, mpi_is_thread_main, MPI_Is_thread_main)
F(3, mpi_abort, MPI_Abort)
F(3, mpi_get_version, MPI_Get_version)
F(3, mpi_error_class, MPI_Error_class)

F(7, mpi_send, MPI_Send)
F(7, mpi_ssend, MPI_Ssend)
F(7, mpi_bsend, MPI_Bsend)
F(7, mpi_rsend, MPI_Rsend)
F(8, mpi_recv, MPI_Recv)
F(8, mpi_isend, MPI_Isend)
F(8, mpi_issend, MPI_Issend)
F(8, mpi_ibsend, MPI_Ibsend)
F(8, mpi_irsend, MPI_Irsend)
F(8, mpi_irecv, MPI_Irecv)
F(8, mpi_send_init, MPI_Send_init)
F(8, mpi_ssend_init, MPI_Ssend_init)
F(8, mpi_bsend_init, MPI_Bsend_init)
F(8, mpi_rsend_init, MPI_Rsend_init)
F(8, mpi_recv_init, MPI_Recv_init)
F(13, mpi_sendrecv, MPI_Sendrecv)
F(10, mpi_sendrecv_replace, MPI_Sendrecv_replace)
F(5, mpi_probe, MPI_Probe)
F(6, mpi_iprobe, MPI_Iprobe)
F(4, mpi_get_count, MPI_Get_count)
F(4, mpi_get_elements, MPI_Get_elements)
F(3, mpi_test_cancelled, MPI_Test_cancelled)
U(3, mpi_wait, MPI_Wait)
U(4, mpi_test, MPI_Test)
U(2, mpi_start, MPI_Start)
U(2, mpi_cancel, MPI_Cancel)
U(2, mpi_request_free, MPI_Request_free)
F(4, mpi_request_get_status, MPI_Request_get_status)
F(3, mpi_buffer_attach, MPI_Buffer_attach)

F(2, mpi_barrier, MPI_Barrier)
F(6, mpi_bcast, MPI_Bcast)
F(9, mpi_gather, MPI_Gather)
F(10, mpi_gatherv, MPI_Gatherv)
F(9, mpi_scatter, MPI_Scatter)
F(10, mpi_scatterv, MPI_Scatterv)
F(8, mpi_allgather, MPI_Allgather)
F(9, mpi_allgatherv, MPI_Allgatherv)
F(8, mpi_alltoall, MPI_Alltoall)
F(10, mpi_alltoallv, MPI_Alltoallv)
F(8, mpi_reduce, MPI_Reduce)
F(7, mpi_allreduce, MPI_Allreduce)
F(7, mpi_scan, MPI_Scan)
F(7, mpi_exscan, MPI_Exscan)
F(7, mpi_reduce_scatter, MPI_Reduce_scatter)
F(7, mpi_reduce_scatter_block, MPI_Reduce_scatter_block)
F(6, mpi_reduce_local, MPI_Reduce_local)
F(3, mpi_ibarrier, MPI_Ibarrier)
F(7, mpi_ibcast, MPI_Ibcast)
F(10, mpi_igather, MPI_Igather)
F(11, mpi_igatherv, MPI_Igatherv)
F(10, mpi_iscatter, MPI_Iscatter)
F(11, mpi_iscatterv, MPI_Iscatterv)
F(9, mpi_iallgather, MPI_Iallgather)
F(10, mpi_iallgatherv, MPI_Iallgatherv)
F(9, mpi_ialltoall, MPI_Ialltoall)
F(11, mpi_ialltoallv, MPI_Ialltoallv)
F(9, mpi_ireduce, MPI_Ireduce)
F(8, mpi_iallreduce, MPI_Iallreduce)
F(8, mpi_neighbor_allgather, MPI_Neighbor_allgather)
F(8, mpi_neighbor_alltoall, MPI_Neighbor_alltoall)

F(3, mpi_comm_size, MPI_Comm_size)
F(3, mpi_comm_rank, MPI_Comm_rank)
F(3, mpi_comm_group, MPI_Comm_group)
F(3, mpi_comm_dup, MPI_Comm_dup)
F(5, mpi_comm_split, MPI_Comm_split)
F(6, mpi_comm_split_type, MPI_Comm_split_type)
F(4, mpi_comm_create, MPI_Comm_create)
F(5, mpi_comm_create_group, MPI_Comm_create_group)
F(4, mpi_comm_compare, MPI_Comm_compare)
F(3, mpi_comm_test_inter, MPI_Comm_test_inter)
F(3, mpi_comm_remote_size, MPI_Comm_remote_size)
F(3, mpi_comm_remote_group, MPI_Comm_remote_group)
F(7, mpi_intercomm_create, MPI_Intercomm_create)
F(4, mpi_intercomm_merge, MPI_Intercomm_merge)
U(2, mpi_comm_free, MPI_Comm_free)
U(2, mpi_comm_disconnect, MPI_Comm_disconnect)
F(3, mpi_comm_set_errhandler, MPI_Comm_set_errhandler)
F(3, mpi_errhandler_set, MPI_Comm_set_errhandler)
F(3, mpi_comm_get_errhandler, MPI_Comm_get_errhandler)

F(3, mpi_group_size, MPI_Group_size)
F(3, mpi_group_rank, MPI_Group_rank)
F(6, mpi_group_translate_ranks, MPI_Group_translate_ranks)
F(4, mpi_group_compare, MPI_Group_compare)
F(4, mpi_group_union, MPI_Group_union)
F(4, mpi_group_intersection, MPI_Group_intersection)
F(4, mpi_group_difference, MPI_Group_difference)
F(5, mpi_group_incl, MPI_Group_incl)
F(5, mpi_group_excl, MPI_Group_excl)
F(5, mpi_group_range_incl, MPI_Group_range_incl)
F(5, mpi_group_range_excl, MPI_Group_range_excl)
U(2, mpi_group_free, MPI_Group_free)

F(4, mpi_dims_create, MPI_Dims_create)
F(7, mpi_cart_create, MPI_Cart_create)
F(3, mpi_cartdim_get, MPI_Cartdim_get)
F(6, mpi_cart_get, MPI_Cart_get)
F(4, mpi_cart_rank, MPI_Cart_rank)
F(5, mpi_cart_coords, MPI_Cart_coords)
F(6, mpi_cart_shift, MPI_Cart_shift)
F(4, mpi_cart_sub, MPI_Cart_sub)
F(6, mpi_cart_map, MPI_Cart_map)
F(7, mpi_graph_create, MPI_Graph_create)
F(5, mpi_graph_neighbors, MPI_Graph_neighbors)
F(4, mpi_graph_neighbors_count, MPI_Graph_neighbors_count)
F(11, mpi_dist_graph_create_adjacent, MPI_Dist_graph_create_adjacent)
F(3, mpi_topo_test, MPI_Topo_test)

F(4, mpi_type_contiguous, MPI_Type_contiguous)
F(6, mpi_type_vector, MPI_Type_vector)
F(6, mpi_type_create_hvector, MPI_Type_create_hvector)
F(6, mpi_type_indexed, MPI_Type_indexed)
F(6, mpi_type_create_hindexed, MPI_Type_create_hindexed)
F(6, mpi_type_create_indexed_block, MPI_Type_create_indexed_block)
F(8, mpi_type_create_subarray, MPI_Type_create_subarray)
F(11, mpi_type_create_darray, MPI_Type_create_darray)
F(5, mpi_type_create_resized, MPI_Type_create_resized)
F(3, mpi_type_dup, MPI_Type_dup)
U(2, mpi_type_commit, MPI_Type_commit)
U(2, mpi_type_free, MPI_Type_free)
F(3, mpi_type_size, MPI_Type_size)
F(4, mpi_type_get_extent, MPI_Type_get_extent)
F(4, mpi_type_get_true_extent, MPI_Type_get_true_extent)
F(4, mpi_type_match_size, MPI_Type_match_size)
F(8, mpi_pack, MPI_Pack)
F(8, mpi_unpack, MPI_Unpack)
F(5, mpi_pack_size, MPI_Pack_size)
F(3, mpi_get_address, MPI_Get_address)

F(3, mpi_op_commutative, MPI_Op_commutative)
U(2, mpi_op_free, MPI_Op_free)
F(2, mpi_info_create, MPI_Info_create)
U(2, mpi_info_free, MPI_Info_free)

F(7, mpi_win_create, MPI_Win_create)
F(7, mpi_win_allocate, MPI_Win_allocate)
F(4, mpi_win_create_dynamic, MPI_Win_create_dynamic)
F(4, mpi_win_attach, MPI_Win_attach)
F(3, mpi_win_detach, MPI_Win_detach)
F(3, mpi_win_get_group, MPI_Win_get_group)
U(2, mpi_win_free, MPI_Win_free)
F(3, mpi_win_fence, MPI_Win_fence)
F(4, mpi_win_post, MPI_Win_post)
F(4, mpi_win_start, MPI_Win_start)
F(2, mpi_win_complete, MPI_Win_complete)
F(2, mpi_win_wait, MPI_Win_wait)
F(3, mpi_win_test, MPI_Win_test)
F(5, mpi_win_lock, MPI_Win_lock)
F(3, mpi_win_unlock, MPI_Win_unlock)
F(3, mpi_win_lock_all, MPI_Win_lock_all)
F(2, mpi_win_unlock_all, MPI_Win_unlock_all)
F(3, mpi_win_flush, MPI_Win_flush)
F(2, mpi_win_flush_all, MPI_Win_flush_all)
F(3, mpi_win_flush_local, MPI_Win_flush_local)
F(2, mpi_win_flush_local_all, MPI_Win_flush_local_all)
F(2, mpi_win_sync, MPI_Win_sync)
F(9, mpi_put, MPI_Put)
F(9, mpi_get, MPI_Get)
F(10, mpi_accumulate, MPI_Accumulate)
F(13, mpi_get_accumulate, MPI_Get_accumulate)
F(8, mpi_fetch_and_op, MPI_Fetch_and_op)
F(8, mpi_compare_and_swap, MPI_Compare_and_swap)
F(10, mpi_rput, MPI_Rput)
F(10, mpi_rget, MPI_Rget)
F(11, mpi_raccumulate, MPI_Raccumulate)
