/* Private to topo: degrees of switches that follow a distribution. */
#ifndef FL_TOPO_STORED_MODELS_DEGREES_H
#define FL_TOPO_STORED_MODELS_DEGREES_H

#include "core/core.h"

/* How often a degree occurs, in proportion to the other weights. */
typedef struct fl_degree_weight {
    uint32_t degree;
    double weight;
} fl_degree_weight;

/* Fills degrees[switches], the largest first: of every degree d, the switches with at most d links
 * are their fraction of the weights times `switches`, rounded to the nearest. So no lots are drawn.
 * If the sum would be odd, the first switch gets one link less. `weights` (count >= 1, one of them
 * above 0) are in rising order of their degrees. Returns the sum. */
uint64_t fl_degrees_fill(uint32_t *degrees, uint32_t switches, const fl_degree_weight *weights,
                         size_t count);

/* Whether any graph without loops and double links has these degrees, the largest first (Erdos and
 * Gallai, 1960). `prefix` is scratch of [switches + 1]. */
bool fl_degrees_possible(const uint32_t *degrees, uint32_t switches, uint64_t *prefix);

#endif
