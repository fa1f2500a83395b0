/* What a reader of the numbers of some runs should know. */
#include "experiments/load/results/results.h"

#include <math.h>

/* In how many runs a failure never came, and between which cycles these ended. */
static unsigned count_missed(const fl_sim_result *results, size_t count, uint64_t cycle,
                             uint64_t *least, uint64_t *most)
{
    unsigned missed = 0;
    *least = UINT64_MAX;
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        const fl_sim_result *r = &results[i];
        if (r->stopped || r->cycles > cycle)
            continue;
        missed++;
        *least = r->cycles < *least ? r->cycles : *least;
        *most = r->cycles > *most ? r->cycles : *most;
    }
    return missed;
}

void fl_sim_note_failures(const fl_sim_context *c, const fl_sim_result *results, size_t count,
                          const char *where, fl_text *out)
{
    enum { SHOWN_MAX = 8 };
    size_t notes = 0;
    for (size_t i = 0; i < c->set_up->failure_count; i++) {
        const fl_sim_failure *failure = &c->set_up->failures[i];
        uint64_t least, most;
        unsigned missed = count_missed(results, count, failure->cycle, &least, &most);
        if (missed == 0 || ++notes > SHOWN_MAX)
            continue;
        fl_text_append(out, "note: %sthe failure of ", where);
        fl_network_append_link(c->network, failure->link, out);
        fl_text_append(out, " in cycle %llu never came", (unsigned long long)failure->cycle);
        if (count > 1)
            fl_text_append(out, " in %u of %zu runs", missed, count);
        if (least == most)
            fl_text_append(out, ": the run ended at cycle %llu\n", (unsigned long long)least);
        else
            fl_text_append(out, ": they ended at cycles %llu to %llu\n", (unsigned long long)least,
                           (unsigned long long)most);
    }
    if (notes > SHOWN_MAX)
        fl_text_append(out, "note: %sthe same holds of %zu more failures\n", where,
                       notes - SHOWN_MAX);
}

/* The run of the longest paths; NULL: none delivered anything. */
static const fl_sim_result *longest_paths(const fl_sim_result *results, size_t count, double *hops)
{
    const fl_sim_result *longest = NULL;
    *hops = 0;
    for (size_t i = 0; i < count; i++) {
        double mean =
            results[i].counted > 0 ? (double)results[i].hop_sum / (double)results[i].counted : 0;
        if (mean > *hops) {
            longest = &results[i];
            *hops = mean;
        }
    }
    return longest;
}

void fl_sim_note_hops(const fl_sim_plan *plan, const fl_sim_result *results, size_t count,
                      const char *where, fl_text *out)
{
    static const double most = 1.1, standard_errors = 4;
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    fl_sim_first_hops first;
    double hops;
    const fl_sim_result *r = longest_paths(results, count, &hops);
    if (!r || (set_up->faults && set_up->faults->count > 0) || set_up->failure_count > 0 ||
        !fl_sim_first_hops_of(plan, &first))
        return;
    double chance = standard_errors * (sqrt(first.variance / (double)r->counted) + first.error);
    if (hops > most * first.mean && hops > first.mean + chance)
        fl_text_append(
            out,
            "note: %spackets took %.2f hops at load %.4g, %.0f%% more than the %.2f of the first candidates of %s, "
            "which declares its candidates equivalent; are they? --choice first takes the first\n",
            where, hops, r->load, 100 * (hops / first.mean - 1), first.mean, set_up->router->name);
}
