#include "spool/spool.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "base/file.hpp"
#include "base/memory.hpp"

namespace commprof::spool {

namespace {

std::mutex mutex;
char path_of_file[PATH_MAX] = "";  // empty if there is no file
dev_t device = 0;
ino_t number_on_device = 0;
std::size_t end_of_file = 0;  // end of the part in use
char* ready = nullptr;        // mapping of the next part, not in use yet
std::size_t bytes_ready = 0;
SpoolHead head_in_memory;
SpoolHead* head_in_use = &head_in_memory;

constexpr std::size_t to_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

// Enough for a process with a few communicators: one large allocation costs less time than many small ones.
constexpr std::size_t bytes_at_start = to_pages(136 * 1024);

// Not open unless the path still leads to the file that this process created.
Descriptor open_file() {
  Descriptor file(open_regular(path_of_file, O_RDWR));
  struct stat status {};
  bool const is_ours =
      file && fstat(file.get(), &status) == 0 && status.st_dev == device && status.st_ino == number_on_device;
  return is_ours ? std::move(file) : Descriptor();
}

// Allocates disk blocks for a part of the file.
bool take_room(int file, std::size_t offset, std::size_t bytes) {
  HeldSignals const held;
  int result = -1;
  errno = EINTR;
  // A timer's signals may interrupt it repeatedly.
  for (int attempt = 0; attempt < 8 && result != 0 && errno == EINTR; ++attempt)
    result = fallocate(file, 0, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  return result == 0;
}

// Makes at least this many bytes ready; must be whole pages. On failure the file is unchanged.
bool make_ready(int file, std::size_t bytes) {
  if (file < 0) return false;
  std::size_t const end_of_room = end_of_file + bytes_ready, missing = bytes - bytes_ready;
  bool const is_taken = take_room(file, end_of_room, missing);
  void* const pages =
      !is_taken ? MAP_FAILED
                : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(end_of_file));
  if (pages == MAP_FAILED) {
    static_cast<void>(ftruncate(file, static_cast<off_t>(end_of_room)));
    return false;
  }
  if (bytes_ready > 0) munmap(ready, bytes_ready);
  ready = static_cast<char*>(pages);
  bytes_ready = bytes;
  return true;
}

char* hand_out(std::size_t bytes) {
  char* const pages = ready;
  fetch_pages(pages, bytes);
  ready += bytes;
  bytes_ready -= bytes;
  end_of_file += bytes;
  return pages;
}

// Maps the next bytes of the file; must be whole pages. On failure returns nullptr, and the file is unchanged.
char* map_next(int file, std::size_t bytes) {
  return bytes <= bytes_ready || make_ready(file, bytes) ? hand_out(bytes) : nullptr;
}

void remove_file() {
  struct stat status {};
  if (lstat(path_of_file, &status) == 0 && status.st_dev == device && status.st_ino == number_on_device)
    unlink(path_of_file);
  path_of_file[0] = '\0';
}

void mark(void* place, Part part, std::size_t offset, std::size_t bytes) {
  auto* const segment = new (place) SegmentHead{0, part, static_cast<std::uint32_t>(offset), bytes};
  std::atomic_ref(segment->magic).store(segment_magic, std::memory_order_release);
}

std::size_t bytes_of_segment(std::size_t bytes) { return to_pages(sizeof(SegmentHead) + bytes); }

// A segment whose contents follow its head.
void* begin_segment(char* pages, std::size_t bytes, Part part) {
  if (pages == nullptr) return nullptr;
  mark(pages, part, sizeof(SegmentHead), bytes);
  head_in_use->bytes_in_use = end_of_file;
  return pages + sizeof(SegmentHead);
}

// Like map_next(), but opens the file if necessary.
char* map_next(std::size_t bytes) {
  if (bytes <= bytes_ready) return hand_out(bytes);
  return map_next(open_file().get(), bytes);
}

}  // namespace

bool open(int directory, char const* path, Owner const& owner) {
  std::lock_guard const lock(mutex);
  char const* const slash = std::strrchr(path, '/');
  char const* const name = slash == nullptr ? path : slash + 1;
  Descriptor const made_file(openat(directory, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_CREAT | O_EXCL, 0600));
  if (made_file && std::snprintf(path_of_file, sizeof path_of_file, "%s", path) < PATH_MAX) {
    int const file = made_file.get();
    struct stat status {};
    fstat(file, &status);
    device = status.st_dev;
    number_on_device = status.st_ino;
    end_of_file = 0;
    bytes_ready = 0;
    static_cast<void>(make_ready(file, bytes_at_start));
    if (void* const place =
            begin_segment(map_next(file, bytes_of_segment(sizeof(SpoolHead))), sizeof(SpoolHead), {Kind::head, 0, 0})) {
      auto* const made = new (place) SpoolHead;
      made->owner = owner;
      made->bytes_in_use = end_of_file;
      made->first = clock::first_reading();
      made->last = clock::read();
      head_in_use = made;
      dropped::counts = &made->dropped;
      take_pages_from(map);
      return true;
    }
    unlinkat(directory, name, 0);
  }
  path_of_file[0] = '\0';
  return false;
}

bool is_open() { return path_of_file[0] != '\0'; }

SpoolHead& head() { return *head_in_use; }

void* map(std::size_t bytes, Part part) {
  if (!is_open()) return nullptr;
  int const errno_of_program = errno;
  std::lock_guard const lock(mutex);
  void* const place = begin_segment(map_next(bytes_of_segment(bytes)), bytes, part);
  if (place == nullptr) {
    ++head_in_use->chunks_elsewhere;
    if (part.kind == Kind::communicators && part.chunk == 0) remove_file();  // the rest is useless without them
  }
  head_in_use->last = clock::read();
  errno = errno_of_program;
  return place;
}

// Maps the segment elsewhere first: a failing mmap() with MAP_FIXED could leave the pages unmapped.
bool move(void* pages, std::size_t bytes, Part part) {
  if (!is_open()) return false;
  int const errno_of_program = errno;
  std::lock_guard const lock(mutex);
  Descriptor const file = open_file();
  std::size_t const all = page_bytes + to_pages(bytes), offset = end_of_file + page_bytes;
  char* const segment = file ? map_next(file.get(), all) : nullptr;
  bool moved = false;
  if (segment == nullptr) {
    ++head_in_use->chunks_elsewhere;
  } else {
    std::memcpy(segment + page_bytes, pages, bytes);
    moved = mmap(pages, to_pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file.get(),
                 static_cast<off_t>(offset)) == pages;
    if (moved) mark(segment, part, page_bytes, bytes);
    head_in_use->bytes_in_use = end_of_file;
    munmap(segment, all);
  }
  errno = errno_of_program;
  return moved;
}

void keep(Kind kind, std::string_view text) {
  if (void* const place = text.empty() ? nullptr : map(text.size() + 1, {kind, 0, 0}))
    std::memcpy(place, text.data(), text.size());
}

void remove() {
  std::lock_guard const lock(mutex);
  if (is_open()) remove_file();
}

void leave() { path_of_file[0] = '\0'; }

}  // namespace commprof::spool
