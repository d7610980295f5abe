// Marks the symbols that the library exports; all others are hidden.
#pragma once

#define COMMPROF_EXPORT __attribute__((visibility("default")))
