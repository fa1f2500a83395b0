/* Private to topo: labels that are lists of whole numbers, <3,0,12>. */
#ifndef FL_TOPO_LABEL_H
#define FL_TOPO_LABEL_H

#include "topo/topo.h"

void fl_label_print(const uint64_t *numbers, unsigned count, char *out, size_t size);

/* How many numbers there are; 0 unless the whole text is such a list of at most `most`. */
unsigned fl_label_scan(const char *label, uint64_t *numbers, unsigned most);

#endif
