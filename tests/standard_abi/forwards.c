// The first library of MPICH 5.0.0, whose functions of MPI are jumps to the second one's.
#if defined(__x86_64__)
#define JUMP_TO(name) "jmp " name "@PLT"
#else
#define JUMP_TO(name) "b " name
#endif
#define FORWARD(name) \
  __asm__(".text\n.globl MPI_" #name "\n.type MPI_" #name ", %function\nMPI_" #name ":\n" JUMP_TO("PMPI_" #name) "\n");

FORWARD(Init)
FORWARD(Finalize)
FORWARD(Comm_size)
FORWARD(Comm_rank)
FORWARD(Comm_create_keyval)
FORWARD(Comm_set_attr)
FORWARD(Comm_dup)
FORWARD(Comm_idup)
FORWARD(Comm_split)
FORWARD(Comm_free)
FORWARD(Send)
FORWARD(Recv)
FORWARD(Isend)
FORWARD(Irecv)
FORWARD(Wait)
FORWARD(Waitall)
FORWARD(Allreduce)
FORWARD(Barrier)
FORWARD(Win_create)
FORWARD(Win_fence)
FORWARD(Put)
FORWARD(Win_free)
FORWARD(File_open)
FORWARD(File_close)
