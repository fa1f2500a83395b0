/* The formats. */
#include "topo/formats/formats.h"

extern const fl_format fl_format_simgrid;

/* Adding a format is one file, and one line in each of these two. */
const fl_format *const fl_formats[] = {&fl_format_simgrid, NULL};
const char *const fl_format_names[] = {"simgrid", NULL};
