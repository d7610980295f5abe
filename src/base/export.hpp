// Marks what the library shows to the program; everything else stays hidden.
#pragma once

#define COMMPROF_EXPORT __attribute__((visibility("default")))
