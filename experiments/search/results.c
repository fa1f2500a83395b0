/* What a search has found: a file of links, JSON, and words. */
#include "core/text/json_writer.h"
#include "experiments/search/private.h"

#include <math.h>
#include <stdlib.h>

/* Switches without hosts may be connected to nothing but each other: they are no part of the
 * result. Gives the others new numbers, in the same order, and the rest UINT32_MAX. NULL: out of
 * memory. The caller frees the numbers. */
static uint32_t *number_switches(const fl_search_graph *graph, uint32_t *count)
{
    uint32_t *number = malloc(graph->switches * sizeof *number), head = 0, tail = 0;
    uint32_t *queue = malloc(graph->switches * sizeof *queue), start = 0;
    *count = 0;
    if (!number || !queue) {
        free(number);
        free(queue);
        return NULL;
    }
    while (graph->hosts[start] == 0)
        start++;
    for (uint32_t v = 0; v < graph->switches; v++)
        number[v] = v == start ? 0 : UINT32_MAX;
    queue[tail++] = start;
    while (head < tail) {
        const uint32_t *neighbours = graph->neighbours + (size_t)queue[head] * graph->stride;
        for (uint32_t i = 0, degree = graph->degree[queue[head]]; i < degree; i++)
            if (number[neighbours[i]] == UINT32_MAX) {
                number[neighbours[i]] = 0;
                queue[tail++] = neighbours[i];
            }
        head++;
    }
    free(queue);
    for (uint32_t v = 0; v < graph->switches; v++)
        if (number[v] == 0)
            number[v] = (*count)++;
    return number;
}

void fl_search_append_graph(const fl_search *search, fl_text *out)
{
    const fl_search_graph *graph = &search->winner.best;
    uint32_t host = 0, switches, *number = number_switches(graph, &switches);
    if (!number) {
        out->failed = true;
        return;
    }
    fl_text_append(out, "%u %u %u\n", graph->nodes, switches, graph->radix);
    for (uint32_t v = 0; v < graph->switches; v++)
        for (uint32_t i = 0; i < graph->hosts[v]; i++)
            fl_text_append(out, "%u %u\n", host++, graph->nodes + number[v]);
    for (uint32_t v = 0; v < graph->switches; v++)
        for (uint32_t i = 0; i < graph->degree[v]; i++) {
            uint32_t u = graph->neighbours[(size_t)v * graph->stride + i];
            if (v < u && number[v] != UINT32_MAX)
                fl_text_append(out, "%u %u\n", graph->nodes + number[v], graph->nodes + number[u]);
        }
    free(number);
}

/* The largest distance between hosts, in links. Lack of memory is remembered in `out`. */
static uint32_t diameter_of(const fl_search_graph *graph, fl_text *out)
{
    uint32_t *distance = malloc(graph->switches * sizeof *distance);
    uint32_t *queue = malloc(graph->switches * sizeof *queue), largest = 0;
    for (uint32_t start = 0; distance && queue && start < graph->orbits; start++) {
        uint32_t head = 0, tail = 0;
        if (graph->hosts[start] == 0)
            continue;
        for (uint32_t v = 0; v < graph->switches; v++)
            distance[v] = UINT32_MAX;
        distance[start] = 0;
        queue[tail++] = start;
        while (head < tail) {
            uint32_t v = queue[head++];
            if (graph->hosts[v] > (v == start) && distance[v] + 2 > largest)
                largest = distance[v] + 2;
            for (uint32_t i = 0; i < graph->degree[v]; i++) {
                uint32_t u = graph->neighbours[(size_t)v * graph->stride + i];
                if (distance[u] == UINT32_MAX) {
                    distance[u] = distance[v] + 1;
                    queue[tail++] = u;
                }
            }
        }
    }
    out->failed |= !distance || !queue;
    free(distance);
    free(queue);
    return largest;
}

typedef struct figures {
    double aspl, current, bound, moore, gap;
    uint32_t diameter, switches; /* switches: that are connected to hosts */
    uint64_t moore_switches;
} figures;

static figures figures_of(const fl_search *search, fl_text *out)
{
    const fl_search_state *state = &search->state;
    const fl_search_spec *spec = &search->spec;
    figures f = {.aspl = (double)state->sum / (double)state->pairs,
                 .current = (double)state->current_sum / (double)state->pairs,
                 .bound = fl_host_switch_aspl_bound(spec->hosts, spec->radix),
                 .moore_switches = fl_host_switch_switches(spec->hosts, spec->radix),
                 .diameter = diameter_of(&search->winner.best, out)};
    f.gap = f.aspl / f.bound - 1;
    uint32_t *number = number_switches(&search->winner.best, &f.switches);
    out->failed |= !number;
    free(number);
    f.moore = fl_host_switch_moore_bound(spec->hosts, f.switches, spec->radix);
    return f;
}

static void write_spec(const fl_search *search, fl_json_writer *json)
{
    const fl_search_spec *spec = &search->spec;
    fl_json_line(json);
    fl_json_open_object(json, "search");
    fl_json_number(json, "hosts", spec->hosts);
    fl_json_number(json, "radix", spec->radix);
    fl_json_number_or_null(json, "switches", spec->switches > 0, spec->switches);
    fl_json_number_or_null(json, "symmetry", spec->symmetry > 0, spec->symmetry);
    fl_json_number(json, "chains", spec->chains);
    fl_json_number_or_null(json, "steps", spec->steps > 0, spec->steps);
    if (spec->steps == 0)
        fl_json_real(json, "seconds", spec->seconds, 0);
    fl_json_real(json, "hottest", spec->hottest, 0);
    fl_json_real(json, "coldest", spec->coldest, 0);
    fl_json_number(json, "seed", spec->seed);
    fl_json_close(json);
}

static void write_host_counts(const fl_search_graph *graph, uint32_t switches, fl_json_writer *json)
{
    fl_json_line(json);
    fl_json_open_packed(json, "switches_with_hosts");
    for (uint32_t hosts = 0; hosts <= graph->radix; hosts++) {
        uint64_t count = 0;
        for (uint32_t v = 0; v < graph->switches; v++)
            count += graph->hosts[v] == hosts;
        count -= hosts == 0 ? graph->switches - switches : 0;
        fl_json_number(json, NULL, count);
    }
    fl_json_close(json);
}

void fl_search_json(const fl_search *search, fl_text *out)
{
    const fl_search_state *state = &search->state;
    figures f = figures_of(search, out);
    fl_json_writer json = fl_json_writer_begin(out, 2);
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "format", "faultline search 1");
    fl_json_text(&json, "version", FL_VERSION);
    write_spec(search, &json);
    fl_json_line(&json);
    fl_json_bool(&json, "partial", state->stopped);
    fl_json_number(&json, "steps", state->steps);
    fl_json_number(&json, "accepted", state->accepted);
    fl_json_fixed(&json, "seconds", state->seconds, 3);
    fl_json_line(&json);
    fl_json_number(&json, "switches", f.switches);
    fl_json_number(&json, "symmetry", state->symmetry);
    fl_json_number(&json, "diameter", f.diameter);
    fl_json_number(&json, "distance_sum", state->sum);
    fl_json_number(&json, "pairs", state->pairs);
    fl_json_real(&json, "h_aspl", f.aspl, 0);
    fl_json_line(&json);
    fl_json_real(&json, "h_aspl_bound", f.bound, 0);
    fl_json_real(&json, "continuous_moore_bound", f.moore, 0);
    fl_json_number(&json, "moore_switches", f.moore_switches);
    write_host_counts(&search->winner.best, f.switches, &json);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(out, "\n");
}

void fl_search_summary(const fl_search *search, fl_text *out)
{
    const fl_search_state *state = &search->state;
    const fl_search_spec *spec = &search->spec;
    figures f = figures_of(search, out);
    fl_text_append(out, "h-ASPL %.6f (exact: %llu / %llu), diameter %u\n", f.aspl,
                   (unsigned long long)state->sum, (unsigned long long)state->pairs, f.diameter);
    fl_text_append(out, "%llu hosts on %llu switches of radix %llu",
                   (unsigned long long)spec->hosts, (unsigned long long)f.switches,
                   (unsigned long long)spec->radix);
    if (state->symmetry > 1)
        fl_text_append(out, ", symmetry %llu", (unsigned long long)state->symmetry);
    fl_text_append(out, "\nlower bound %.6f (any number of switches): %.2f%% above it\n", f.bound,
                   100 * f.gap);
    if (isfinite(f.moore))
        fl_text_append(
            out,
            "continuous Moore bound %.6f (as many hosts on each switch); it is least for %llu switches\n",
            f.moore, (unsigned long long)f.moore_switches);
    fl_text_append(out, "%llu steps in %.1f s (%.0f a second), %.2f%% accepted; seed %llu\n",
                   (unsigned long long)state->steps, state->seconds,
                   state->seconds > 0 ? (double)state->steps / state->seconds : 0,
                   state->steps ? 100 * (double)state->accepted / (double)state->steps : 0,
                   (unsigned long long)spec->seed);
}
