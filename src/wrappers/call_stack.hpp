// Who called the function that makes a call, with COMMPROF_STACK.
//
// A site in a library says little about a program that calls the library from many places. So the callers above it are
// looked for by unwinding, up to the first one in the program itself. That takes microseconds for each call. In a
// program in Python, lines of Python take the place of all of them.
#pragma once

namespace commprof::call_stack {

// The site of the call that a wrapper is at the beginning of, where it is not just the address that the wrapper returns
// to: a binding has said another one, or callers are asked for. Allocates nothing but what the table of sites takes.
void const* site_of_call(void const* return_address);

}  // namespace commprof::call_stack
