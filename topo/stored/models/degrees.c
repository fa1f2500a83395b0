/* Degrees of switches that follow a distribution. */
#include "topo/stored/models/degrees.h"

#include <math.h>

uint64_t fl_degrees_fill(uint32_t *degrees, uint32_t switches, const fl_degree_weight *weights,
                         size_t count)
{
    double all = 0, below = 0;
    uint64_t sum = 0;
    uint32_t filled = 0;
    for (size_t i = 0; i < count; i++)
        all += weights[i].weight;
    for (size_t i = 0; i < count; i++) {
        below += weights[i].weight;
        uint32_t end = i + 1 < count ? (uint32_t)floor(switches * (below / all) + 0.5) : switches;
        for (; filled < end; filled++) {
            degrees[switches - 1 - filled] = weights[i].degree;
            sum += weights[i].degree;
        }
    }
    if (sum % 2 == 0)
        return sum;
    degrees[0]--;
    for (uint32_t s = 0; s + 1 < switches && degrees[s] < degrees[s + 1]; s++) {
        uint32_t kept = degrees[s];
        degrees[s] = degrees[s + 1];
        degrees[s + 1] = kept;
    }
    return sum - 1;
}

/* The r largest degrees need no more ends than r (r - 1) among themselves and, at each other
 * switch, its degree or r. */
bool fl_degrees_possible(const uint32_t *degrees, uint32_t switches, uint64_t *prefix)
{
    uint32_t above = switches; /* switches with more than r links */
    prefix[0] = 0;
    for (uint32_t s = 0; s < switches; s++)
        prefix[s + 1] = prefix[s] + degrees[s];
    for (uint64_t r = 1; r <= switches && degrees[r - 1] >= r; r++) {
        while (above > 0 && degrees[above - 1] <= r)
            above--;
        uint64_t from = above > r ? above : r;
        if (prefix[r] > r * (r - 1) + r * (from - r) + (prefix[switches] - prefix[from]))
            return false;
    }
    return prefix[switches] % 2 == 0;
}
