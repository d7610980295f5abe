// Reads a profile written by libcommprof.so and says what it means: see commands/commands.hpp for what can be asked.
#include "commands/commands.hpp"

int main(int argc, char** argv) { return mpisee_through::run_command_line(argc, argv); }
