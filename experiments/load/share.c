/* Results go from the rank that has them to all others, as the bytes that they are: ranks are the
 * same program on machines of one kind. */
#include "experiments/load/private.h"

#include <stdlib.h>

enum { SHARED_AT_ONCE = 1 << 16 /* bytes of a list */ };

/* A list of a result, from the rank that has it. A rank without memory for it takes part all the
 * same, for the others are sending already; false then. */
static bool share_list(fl_ranks *ranks, void **list, size_t bytes, unsigned from)
{
    char dropped[SHARED_AT_ONCE];
    if (ranks->mine != from)
        *list = bytes ? calloc(1, bytes) : NULL;
    for (size_t at = 0; at < bytes; at += SHARED_AT_ONCE)
        ranks->share(ranks, *list ? (char *)*list + at : dropped,
                     bytes - at < SHARED_AT_ONCE ? bytes - at : SHARED_AT_ONCE, from);
    return *list || bytes == 0;
}

bool fl_sim_share_result(fl_ranks *ranks, fl_sim_result *r, unsigned from)
{
    if (ranks->count == 1)
        return true;
    fl_sim_result own = *r;
    ranks->share(ranks, r, sizeof *r, from);
    r->cycle = own.cycle;
    r->series = own.series;
    bool cycle = share_list(ranks, (void **)&r->cycle, r->cycle_length * sizeof *r->cycle, from);
    bool series =
        share_list(ranks, (void **)&r->series, r->series_length * sizeof *r->series, from);
    return cycle && series;
}
