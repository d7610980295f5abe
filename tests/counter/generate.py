#!/usr/bin/env python3
"""generate.py OUTPUT: writes a wrapper in C++ for each function of a preprocessed mpi.h (standard input) that the counter counts.

A wrapper says nothing about the function but what its prototype says: which parameter is the communicator, the count, the request. What they
mean for the volume is in volume.hpp. Nothing here is known from the profiler.
"""

import re
import sys

# Functions that neither communicate, synchronise, nor make or release a communicator, window or file.
LOCAL = re.compile(r"""
    (T|Type|Group|Info|Op|Errhandler|Keyval|Status|Error|Add_error|Remove_error|Abi|Attr)(_.*)?
  | (Address|Aint|Pack|Unpack|Graphdims|Cartdim|Topo)(_.*)?
  | .*_(c2f|f2c|c2f08|f082c|f2f08|f082f|fromint|toint|keyval|errhandler|call_errhandler|get_info|set_info|get_name|set_name|get_attr|set_attr|delete_attr)
  | Comm_(rank|size|group|compare|test_inter|remote_group|remote_size|get_parent|attach_buffer)
  | Cart_(coords|get|map|rank|shift) | Graph_(get|map|neighbors|neighbors_count) | Dist_graph_neighbors(_count)?
  | Win_(get_group|shared_query) | File_(delete|seek|get_(amode|atomicity|byte_offset|group|position|size|type_extent|view))
  | Grequest_.* | Session_(attach_buffer|get_.*) | .*_port | .*_name | Is_thread_main | Query_thread | Reduce_local | Register_datarep
  | Get_(address|count|elements|elements_x|hw_resource_info|library_version|processor_name|version)
  | Test_cancelled | Dims_create | Alloc_mem | Free_mem | Buffer_attach | Initialized | Finalized | Wtime | Wtick | DUP_FN
  | Init | Init_thread | Finalize | Abort | Pcontrol""", re.X)

# The field of Call that a parameter fills, by its type and name.
FIELDS = (
    (r"MPI_Comm", r"comm|comm_old|old_comm|local_comm|intercomm", "comm = {}"),
    (r"MPI_Comm ?\*", r"comm", "comm = *{}"),
    (r"MPI_Comm ?\*", r".*", "new_comm = {}"),
    (r"MPI_Win", r".*", "window = (uintptr_t){}"),
    (r"MPI_Win ?\*", r".*", "windows = {}"),
    (r"MPI_File", r".*", "file = (uintptr_t){}"),
    (r"MPI_File ?\*", r".*", "files = {}"),
    (r"MPI_Message ?\*", r".*", "message = {}"),
    (r"MPI_Request", r".*", "requests = &{}, call.is_copy = true, call.request_count = 1"),
    (r"MPI_Request ?\*", r".*", "requests = {}, call.request_count = 1"),
    (r"MPI_Request\[\]", r".*", "requests = {}"),
    (r"MPI_Status ?\*|MPI_Status\[\]", r".*", "statuses = &{}"),
    (r"MPI_Op", r".*", "op = {}"),
    (r"int|MPI_Count", r"incount", "request_count = {}"),
    (r"int|MPI_Count", r"count|sendcount|origin_count", "count = {}"),
    (r"int|MPI_Count", r"recvcount|result_count", "in_count = {}"),
    (r"int", r"partitions", "partitions = {}"),
    (r"MPI_Datatype", r"type|datatype|sendtype|origin_datatype", "type = {}"),
    (r"MPI_Datatype", r"recvtype|result_datatype", "in_type = {}"),
    (r"const (int|MPI_Count)\[\]", r"sendcounts", "counts = {}"),
    (r"const (int|MPI_Count)\[\]", r"recvcounts", "in_counts = {}"),
    (r"const MPI_Datatype\[\]", r"sendtypes", "types = {}"),
    (r"const MPI_Datatype\[\]", r"recvtypes", "in_types = {}"),
    (r"const void ?\*", r"sendbuf", "out = {}"),
    (r"void ?\*", r"recvbuf", "in = {}"),
    (r"int", r"dest|target_rank", "dest = {}"),
    (r"int", r"source", "source = {}"),
    (r"int", r"root", "root = {}"),
    (r"int", r"tag|sendtag", "tag = {}"),
    (r"int", r"recvtag", "in_tag = {}"),
    (r"int", r"reorder", "reorder = {} != 0 ? \"1\" : \"0\""),
    (r"int ?\*", r"flag", "flag = {}"),
    (r"int ?\*", r"index|indx", "index = {}"),
    (r"int ?\*", r"outcount", "outcount = {}"),
    (r"int\[\]", r"array_of_indices", "indices = {}"),
)

# What calls have in common, by the standard: the rule for their bytes, or what they do with requests. The others move nothing.
KINDS = {
    "SEND": "Send Bsend Ssend Rsend Psend",
    "RECEIVE": "Recv Mrecv Precv",
    "SEND_RECEIVE": "Sendrecv Sendrecv_replace",
    "PROBE": "Probe Mprobe",
    "BCAST": "Bcast",
    "GATHER": "Gather",
    "GATHERV": "Gatherv",
    "SCATTER": "Scatter",
    "SCATTERV": "Scatterv",
    "REDUCE": "Reduce",
    "ALLGATHER": "Allgather",
    "ALLGATHERV": "Allgatherv",
    "ALLTOALL": "Alltoall",
    "ALLTOALLV": "Alltoallv Alltoallw",
    "ALLREDUCE": "Allreduce",
    "REDUCE_SCATTER": "Reduce_scatter",
    "REDUCE_SCATTER_BLOCK": "Reduce_scatter_block",
    "SCAN": "Scan Exscan",
    "NEIGHBOR_ALLGATHER": "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall",
    "NEIGHBOR_ALLTOALLV": "Neighbor_alltoallv Neighbor_alltoallw",
    "PUT": "Put Rput Accumulate Raccumulate",
    "GET": "Get Rget",
    "GET_ACCUMULATE": "Get_accumulate Rget_accumulate",
    "FETCH": "Fetch_and_op Compare_and_swap",
    "READ": r"File_i?read(?!.*_begin)\w*",
    "WRITE": r"File_i?write(?!.*_begin)\w*",
    "COMPLETION": "Wait Waitall Test Testall Request_get_status Request_get_status_all",
    "ONE_OF": "Waitany Waitsome Testany Testsome Request_get_status_any Request_get_status_some",
    "START": "Start Startall",
    "PARTITION": "Pready Pready_range Pready_list Parrived",
    "CANCELLATION": "Cancel",
    "RELEASE": "Request_free",
}


def operation(name):
    """Its kind, and whether the call returns a request that is pending, or a persistent one."""
    base = name.removesuffix("_init")
    blocking = re.sub(r"^I(\w)", lambda match: match[1].upper(), base)
    for one in (base, blocking):
        for kind, names in KINDS.items():
            if re.fullmatch(names.replace(" ", "|"), one):
                return kind, one != base or one.startswith("File_i"), base != name
    return "NO_BYTES", False, base != name


def parameters(text):
    """(type, name, declaration) of each."""
    for one in filter(lambda part: part.strip() not in ("", "void"), text.split(",")):
        declaration = " ".join(one.split())
        name, arrays = re.search(r"(\w+)((?:\[\d*\])*)$", declaration).groups()
        yield declaration[:len(declaration) - len(name + arrays)].strip() + arrays, name, declaration


def fields_of(function, params):
    is_of_requests = any(kind == "MPI_Request[]" for kind, _, _ in params)
    for kind, name, _ in params:
        if is_of_requests and name == "count":
            yield f"request_count = {name}"
            continue
        for kinds, names, field in FIELDS:
            if re.fullmatch(kinds, kind) and re.fullmatch(names, name):
                yield field.format(name)
                break
    if function.endswith("_c"):
        yield "is_large = true"


def wrapper(number, function, params):
    arguments = ", ".join(name for _, name, _ in params)
    declarations = ", ".join(declaration for _, _, declaration in params) or "void"
    fields = "".join(f"  call.{field};\n" for field in [f"operation = {number}", *dict.fromkeys(fields_of(function, params))])
    return f"""extern "C" int MPI_{function}({declarations}) {{
  NEXT(MPI_{function});
  if (inside > 0) return next({arguments});
  Call call;
{fields}  enter(call);
  int const result = next({arguments});
  leave(call, result);
  return result;
}}
"""


def main():
    header = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", sys.stdin.read())
    found = {}
    for function, text in re.findall(r"\bint\s+MPI_(\w+)\s*\(([^()]*)\)", header):
        if not LOCAL.fullmatch(function.removesuffix("_c")) and not function.isupper():
            found[function] = list(parameters(text))
    operations = list(dict.fromkeys(function.removesuffix("_c") for function in found))
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        print("#ifndef WRAPPERS", file=out)
        print("enum Kind { NO_BYTES,", ", ".join(KINDS), "};", file=out)
        print("struct Operation { std::string_view name; Kind kind; bool is_nonblocking, is_persistent; };", file=out)
        print("constexpr Operation operations[] = {", file=out)
        for one in operations:
            kind, *is_so = operation(one)
            print(f'{{"{one}", {kind}, {", ".join(map(str, is_so)).lower()}}},', file=out)
        print("};\n#else", file=out)
        for function, params in found.items():
            print(wrapper(operations.index(function.removesuffix("_c")), function, params), file=out)
        print("#endif", file=out)


if __name__ == "__main__":
    main()
