// The code of plugin_a in another file.
#include "plugin_a.c"
