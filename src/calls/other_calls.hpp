// The calls without a row in the table: the profiler has nothing to count in them. This list and the table together
// must name every function of a known mpi.h, so that no new function goes unnoticed.
#pragma once

#include <string_view>

namespace commprof::calls {

// Calls that neither communicate over a communicator, nor synchronise, create or release one. MPI_T's functions for
// performance variables are handled in src/api/mpi_t, and the functions that create error handlers have wrappers;
// neither is counted. Functions with the prefix MPIX_ exist in only one MPI: those of its fault tolerance, and MPICH's
// for streams and for threads as ranks. Names are without MPI_, but with MPIX_; separated by spaces.
inline constexpr std::string_view needs_none =
    "MPIX_Comm_ack_failed MPIX_Comm_failure_ack MPIX_Comm_failure_get_acked MPIX_Comm_get_failed MPIX_Comm_get_stream "
    "MPIX_Comm_is_revoked MPIX_Comm_test_threadcomm MPIX_Delete_error_class MPIX_Delete_error_code "
    "MPIX_Delete_error_string MPIX_GPU_query_support MPIX_Grequest_class_allocate MPIX_Grequest_class_create "
    "MPIX_Info_set_hex MPIX_Query_cuda_support MPIX_Query_hip_support MPIX_Query_rocm_support MPIX_Query_ze_support "
    "MPIX_Start_progress_thread MPIX_Stop_progress_thread MPIX_Stream_create MPIX_Stream_free MPIX_Stream_progress "
    "MPIX_Type_iov MPIX_Type_iov_len "
    "Comm_get_parent MPIX_Comm_agree MPIX_Comm_iagree MPIX_Comm_revoke MPIX_Comm_shrink MPIX_Grequest_start "
    "MPIX_Allreduce_enqueue MPIX_Irecv_enqueue MPIX_Isend_enqueue MPIX_Recv_enqueue MPIX_Send_enqueue "
    "MPIX_Wait_enqueue MPIX_Waitall_enqueue MPIX_Stream_comm_create MPIX_Stream_comm_create_multiplex "
    "MPIX_Stream_irecv MPIX_Stream_isend MPIX_Stream_recv MPIX_Stream_send MPIX_Threadcomm_finish "
    "MPIX_Threadcomm_free MPIX_Threadcomm_init MPIX_Threadcomm_start "
    "Close_port Grequest_complete Grequest_start Lookup_name Open_port Publish_name Unpublish_name File_delete "
    "Add_error_class Add_error_code Add_error_string Remove_error_class Remove_error_code Remove_error_string "
    "Address Aint_add Aint_diff Alloc_mem Buffer_attach Comm_attach_buffer Session_attach_buffer "
    "Cartdim_get Dims_create Error_class Error_string "
    "Finalized Free_mem Graphdims_get Initialized Is_thread_main Query_thread Reduce_local Register_datarep "
    "Test_cancelled Topo_test "
    "Attr_delete Attr_get Attr_put "
    "Cart_coords Cart_get Cart_map Cart_rank Cart_shift "
    "Comm_c2f Comm_call_errhandler Comm_compare Comm_create_errhandler Comm_create_keyval Comm_delete_attr "
    "Comm_f2c Comm_free_keyval Comm_get_attr Comm_get_errhandler Comm_get_info Comm_get_name Comm_group Comm_rank "
    "Comm_remote_group Comm_remote_size Comm_set_attr Comm_set_errhandler Comm_set_info Comm_size Comm_test_inter "
    "Dist_graph_neighbors Dist_graph_neighbors_count "
    "Errhandler_c2f Errhandler_create Errhandler_f2c Errhandler_free Errhandler_get Errhandler_set "
    "File_c2f File_call_errhandler File_create_errhandler File_f2c File_get_amode File_get_atomicity "
    "File_get_byte_offset File_get_errhandler File_get_group File_get_info File_get_position File_get_size "
    "File_get_type_extent File_get_view File_seek File_set_errhandler File_set_info "
    "Get_address Get_count Get_elements Get_elements_x Get_hw_resource_info Get_library_version "
    "Get_processor_name Get_version "
    "Graph_get Graph_map Graph_neighbors Graph_neighbors_count "
    "Group_c2f Group_compare Group_difference Group_excl Group_f2c Group_free Group_from_session_pset Group_incl "
    "Group_intersection Group_range_excl Group_range_incl Group_rank Group_size Group_translate_ranks Group_union "
    "Info_c2f Info_create Info_create_env Info_delete Info_dup Info_f2c Info_free Info_get Info_get_nkeys "
    "Info_get_nthkey Info_get_string Info_get_valuelen Info_set "
    "Keyval_create Keyval_free "
    "Message_c2f Message_f2c "
    "Op_c2f Op_commutative Op_create Op_f2c Op_free "
    "Pack Pack_external Pack_external_size Pack_size "
    "Request_c2f Request_f2c "
    "Session_c2f Session_call_errhandler Session_create_errhandler Session_f2c Session_get_errhandler "
    "Session_get_info Session_get_nth_pset Session_get_num_psets Session_get_pset_info Session_set_errhandler "
    "Session_set_info "
    "Status_c2f Status_c2f08 Status_f082c Status_f082f Status_f2c Status_f2f08 Status_get_error Status_get_source "
    "Status_get_tag Status_set_cancelled Status_set_elements Status_set_elements_x Status_set_error "
    "Status_set_source Status_set_tag "
    "T_category_changed T_category_get_categories T_category_get_cvars T_category_get_events T_category_get_index "
    "T_category_get_info T_category_get_num T_category_get_num_events T_category_get_pvars T_cvar_get_index "
    "T_cvar_get_info T_cvar_get_num T_cvar_handle_alloc T_cvar_handle_free T_cvar_read T_cvar_write "
    "T_enum_get_info T_enum_get_item T_event_callback_get_info T_event_callback_set_info T_event_copy "
    "T_event_get_index T_event_get_info T_event_get_num T_event_get_source T_event_get_timestamp "
    "T_event_handle_alloc T_event_handle_free T_event_handle_get_info T_event_handle_set_info T_event_read "
    "T_event_register_callback T_event_set_dropped_handler T_finalize T_init_thread T_pvar_get_index "
    "T_pvar_get_info T_pvar_get_num T_pvar_handle_alloc T_pvar_handle_free T_pvar_read T_pvar_readreset "
    "T_pvar_reset T_pvar_session_create T_pvar_session_free T_pvar_start T_pvar_stop T_pvar_write "
    "T_source_get_info T_source_get_num T_source_get_timestamp "
    "Type_c2f Type_commit Type_contiguous Type_create_darray Type_create_f90_complex Type_create_f90_integer "
    "Type_create_f90_real Type_create_hindexed Type_create_hindexed_block Type_create_hvector "
    "Type_create_indexed_block Type_create_keyval Type_create_resized Type_create_struct Type_create_subarray "
    "Type_delete_attr Type_dup Type_extent Type_f2c Type_free Type_free_keyval Type_get_attr Type_get_contents "
    "Type_get_envelope Type_get_extent Type_get_extent_x Type_get_name Type_get_true_extent "
    "Type_get_true_extent_x Type_get_value_index Type_hindexed Type_hvector Type_indexed Type_lb Type_match_size "
    "Type_set_attr Type_set_name Type_size Type_size_x Type_struct Type_ub Type_vector "
    "Unpack Unpack_external "
    "Win_c2f Win_call_errhandler Win_create_errhandler Win_create_keyval Win_delete_attr Win_f2c Win_free_keyval "
    "Win_get_attr Win_get_errhandler Win_get_group Win_get_info Win_get_name Win_set_attr Win_set_errhandler "
    "Win_set_info Win_set_name Win_shared_query "
    "Wtick "
    "Wtime ";

}  // namespace commprof::calls
