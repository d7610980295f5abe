// Finds the callers of the function that makes a call, for COMMPROF_STACK.
//
// A site in a library says little about a program that calls the library from many places. So the stack is unwound up
// to the first caller in the program itself. That takes microseconds for each call. In a Python program, the lines of
// Python replace these callers.
#pragma once

namespace commprof::call_stack {

// The site of the call that a wrapper begins, if it is not just the wrapper's return address: a binding has set another
// one, or COMMPROF_STACK asks for callers. Only the table of sites allocates memory.
void const* site_of_call(void const* return_address);

}  // namespace commprof::call_stack
