/* A cycle of all dependencies together, and a real set of faults under which there is one. */
#include "analysis/deadlock/prover.h"

#include <stdlib.h>

enum { CYCLES_TRIED = 400 };

static void write_cycle(prover *p, const uint32_t *cycle, uint32_t length)
{
    fl_proof *proof = p->proof;
    proof->cycle = calloc(length, sizeof *proof->cycle);
    if (!proof->cycle) {
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for a cycle");
        return;
    }
    proof->cycle_length = length;
    for (uint32_t i = 0; i < length; i++) {
        const prover_reason *r = fl_prover_reason(p, cycle[i], cycle[(i + 1) % length]);
        proof->cycle[i] =
            (fl_cycle_step){fl_channel_of(p->graph, cycle[i]), r->source, r->destination, 1};
    }
}

/* The components that the cycle's explanations want down, each once. */
static unsigned components_of_cycle(const prover *p, const uint32_t *cycle, uint32_t length,
                                    uint64_t *components, unsigned room)
{
    unsigned count = 0;
    uint64_t of_link[FL_LINK_COMPONENTS_MAX];
    for (uint32_t i = 0; i < length; i++) {
        const prover_reason *r = fl_prover_reason(p, cycle[i], cycle[(i + 1) % length]);
        for (uint32_t l = 0; l < r->links; l++) {
            unsigned j = 0;
            fl_fault_model_components_of(p->model, p->reason_links.data[r->links_first + l],
                                         of_link);
            while (j < count && components[j] != of_link[0])
                j++;
            if (j == count && count < room)
                components[count++] = of_link[0];
        }
    }
    return count;
}

static bool goes_on(void *user, uint64_t done, uint64_t all)
{
    prover *p = user;
    (void)done, (void)all;
    return !p->limits.should_stop || !p->limits.should_stop(p->limits.user);
}

static bool is_cyclic(prover *p, const uint64_t *components, unsigned count,
                      fl_deadlock_witness **witness)
{
    fl_deadlock_result result;
    const fl_deadlock_options options = {
        .all_candidates = p->limits.all_candidates, .progress = goes_on, .user = p};
    fl_status status =
        fl_deadlock_check_set(&result, p->router, p->model, components, count, &options, p->error);
    if (status)
        p->status = status;
    if (!status && witness) {
        fl_deadlock_witness_destroy(*witness);
        *witness = result.witness;
    } else {
        fl_deadlock_witness_destroy(result.witness);
    }
    return !status && result.cyclic > 0;
}

/* Takes faults away one by one as long as a cycle is left. */
static unsigned shrink(prover *p, uint64_t *components, unsigned count)
{
    for (unsigned i = 0; i < count && !p->status;) {
        uint64_t removed = components[i];
        components[i] = components[count - 1];
        if (is_cyclic(p, components, count - 1, NULL)) {
            count--;
        } else {
            components[i] = removed;
            i++;
        }
    }
    return count;
}

static void seek_witness(prover *p, uint32_t *cycle)
{
    enum { ROOM = 512 };
    uint64_t components[ROOM];
    unsigned tried = 0, best = ROOM;
    for (uint32_t start = 0; start < p->graph->count && tried < CYCLES_TRIED && !p->status;
         start++) {
        uint32_t length = fl_channel_graph_cycle_through(p->graph, start, cycle);
        fl_prover_stop_if_asked(p);
        if (length == 0 || p->status)
            continue;
        tried++;
        unsigned count = components_of_cycle(p, cycle, length, components, ROOM);
        if (!is_cyclic(p, components, count, NULL) || p->status)
            continue;
        count = shrink(p, components, count);
        if (count < best && is_cyclic(p, components, count, &p->proof->witness))
            best = count;
    }
}

void fl_prover_judge(prover *p)
{
    fl_proof *proof = p->proof;
    proof->dependencies = p->reasons.count;
    proof->deadlock_free = !fl_channel_graph_has_cycle(p->graph);
    if (proof->deadlock_free)
        return;
    uint32_t *cycle = malloc(((size_t)p->graph->count + 1) * sizeof *cycle);
    if (!cycle) {
        p->status = fl_fail(p->error, FL_ERR_MEMORY, "out of memory for a cycle");
        return;
    }
    uint32_t length = fl_channel_graph_shortest_cycle(p->graph, UINT32_MAX, cycle);
    if (length > 0)
        write_cycle(p, cycle, length);
    if (p->limits.seek && p->model && !p->status)
        seek_witness(p, cycle);
    free(cycle);
}
