/* Its constructor runs under the dynamic linker's lock, and waits until a thread of the program has made its call. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

extern atomic_int may_go, is_done;

__attribute__((constructor)) static void begin(void) {
  ++may_go;
  for (int i = 0; i < 3000 && !is_done; ++i) usleep(1000);
  printf("the thread's call is %s\n", is_done ? "done" : "stuck");
}
