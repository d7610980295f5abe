/* Prints a number. Built with ThreadSanitizer, whose interceptors look functions up before the program begins. */
#include <stdio.h>

int main(void) {
  printf("%d\n", 42);
  return 0;
}
