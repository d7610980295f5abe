"""Files: calls count on the communicator that the file was opened on. Offsets are in integers; each process has its own part."""
scratch: file
part: offset = 64 * rank
at_pointer: offset


# A read of 3 and a write of 4 integers; on_request: a call and its completion.
def read_and_write(read, write, *arguments):
    write(scratch, *arguments, buf, 4, INT, st) >> dup(16, 0)
    read(scratch, *arguments, result, 3, INT, MPI_STATUS_IGNORE) >> dup(0, 12)


def read_and_write_on_request(read, write, *arguments):
    write(scratch, *arguments, buf, 4, INT, req) >> dup(16, 0)
    wait(dup)
    read(scratch, *arguments, result, 3, INT, req) >> dup(0, 12)
    Wait(req, st) >> dup


def read_and_write_in_two_parts(begin_read, end_read, begin_write, end_write, *arguments):
    begin_write(scratch, *arguments, buf, 4, INT) >> dup
    end_write(scratch, buf, st) >> dup(16, 0)
    begin_read(scratch, *arguments, result, 3, INT) >> dup
    end_read(scratch, result, MPI_STATUS_IGNORE) >> dup(0, 12)


File_open(dup, "scratch", MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, scratch) >> dup
File_set_size(scratch, 8192) >> dup
File_set_view(scratch, 0, INT, INT, "native", MPI_INFO_NULL) >> dup
File_set_atomicity(scratch, False) >> dup

read_and_write(File_read_at, File_write_at, part)
read_and_write(File_read_at_all, File_write_at_all, part)
read_and_write_on_request(File_iread_at, File_iwrite_at, part)
read_and_write_on_request(File_iread_at_all, File_iwrite_at_all, part)
read_and_write_in_two_parts(File_read_at_all_begin, File_read_at_all_end, File_write_at_all_begin, File_write_at_all_end, part)
File_sync(scratch) >> dup

File_seek(scratch, part, MPI_SEEK_SET)
read_and_write(File_read, File_write)
read_and_write(File_read_all, File_write_all)
read_and_write_on_request(File_iread, File_iwrite)
read_and_write_on_request(File_iread_all, File_iwrite_all)
read_and_write_in_two_parts(File_read_all_begin, File_read_all_end, File_write_all_begin, File_write_all_end)

File_seek_shared(scratch, 0, MPI_SEEK_SET) >> dup
read_and_write(File_read_shared, File_write_shared)
read_and_write_on_request(File_iread_shared, File_iwrite_shared)
read_and_write(File_read_ordered, File_write_ordered)
read_and_write_in_two_parts(File_read_ordered_begin, File_read_ordered_end, File_write_ordered_begin, File_write_ordered_end)
File_get_position_shared(scratch, at_pointer) >> dup
File_close(scratch) >> dup

# By one process: of several, OMPIO's fails now and then.
if rank == 0:
    File_open(MPI_COMM_SELF, "preallocated", MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, scratch) >> SELF
    File_preallocate(scratch, 8192) >> SELF
    File_close(scratch) >> SELF
