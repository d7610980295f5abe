/* The distance from one entry point to the next, for assembler and C++. */
#define ENTRY_BYTES 32
