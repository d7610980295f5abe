Comm_free(row) >> row
Comm_free(mirror) >> mirror
Comm_free(dup) >> dup
Finalize()
