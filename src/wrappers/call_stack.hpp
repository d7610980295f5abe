// Finds the callers of the function that makes a call, for COMMPROF_STACK and in Python.
//
// A site in a library says little about a program that calls the library from many places. So the stack is unwound up
// to the first caller in the program itself. That takes microseconds for each call. In a process of Python, a line of
// Python is the site of each call, and its callers are lines of Python.
#pragma once

namespace commprof::call_stack {

// The site of the call that a wrapper begins, if it is not just the wrapper's return address: a binding has set another
// one, or callers are asked for. Only the table of sites allocates memory.
void const* site_of_call(void const* return_address);

}  // namespace commprof::call_stack
