/* Proofs: what a router does under any faults, for all destinations. */
#include "analysis/deadlock/prover.h"

#include <stdlib.h>

enum { STATES_MAX = 10000000, REASON_BITS_FIRST = 10 };

static void explore(prover *p)
{
    fl_prover_expand_all(p);
    p->proof->states += p->nodes.count;
    if (!p->status && (p->proof->livelock_free || !p->proof->loop_is_real))
        fl_prover_look_for_loops(p);
    fl_prover_forget_states(p);
}

static void explore_all(prover *p)
{
    bool by_switch = fl_router_is_by_switch(p->router);
    uint64_t count;
    fl_end *ends = fl_channel_graph_ends(p->graph, by_switch, &count);
    if (!ends)
        p->status =
            fl_fail(p->error, FL_ERR_MEMORY, "out of memory for the nodes of %s", p->network->spec);
    for (uint64_t d = 0; ends && d < count && !p->status; d++) {
        p->destination = ends[d].node;
        for (uint64_t s = 0; s < count && !p->status; s++) {
            if (s == d && (!by_switch || count > 1))
                continue;
            fl_prover_start_at(p, &ends[s]);
            if (!by_switch)
                explore(p);
        }
        if (by_switch)
            explore(p);
    }
    free(ends);
}

static void tear_down(prover *p)
{
    fl_channel_graph_destroy(p->graph);
    fl_order_destroy(p->order);
    FL_ARRAY_CLEAR(&p->nodes);
    FL_ARRAY_CLEAR(&p->arcs);
    FL_ARRAY_CLEAR(&p->links);
    FL_ARRAY_CLEAR(&p->reasons);
    FL_ARRAY_CLEAR(&p->reason_links);
    FL_ARRAY_CLEAR(&p->rounds[0]);
    FL_ARRAY_CLEAR(&p->rounds[1]);
    fl_hash_index_destroy(&p->states);
    fl_hash_map_destroy(&p->reason_of);
}

void fl_proof_clear(fl_proof *proof)
{
    fl_proof_clear_loop(proof);
    free(proof->longest_down);
    free(proof->cycle);
    fl_deadlock_witness_destroy(proof->witness);
    *proof = (fl_proof){0};
}

/* Follows the router through all faults. */
static fl_status follow_all(prover **out, fl_proof *proof, const fl_router *router,
                            const fl_fault_model *model, const fl_proof_options *options,
                            fl_error *error)
{
    *proof = (fl_proof){.livelock_free = true, .channels_used = 1};
    if (!router->next)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is a limit, not a router: there is nothing to prove about it",
                       router->name);
    prover *p = calloc(1, sizeof *p);
    if (!p)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a proof");
    *p = (prover){.router = router,
                  .model = model,
                  .network = router->network,
                  .proof = proof,
                  .error = error,
                  .searcher = {fl_prover_answer_search}};
    if (options)
        p->limits = *options;
    if (p->limits.states_max == 0)
        p->limits.states_max = STATES_MAX;
    p->status = fl_channel_graph_create(&p->graph, router->network, router->channels, error);
    if (!p->status && !fl_hash_map_create(&p->reason_of, REASON_BITS_FIRST))
        fl_prover_out_of_memory(p);
    if (!p->status)
        p->status =
            fl_order_create_custom(&p->order, router->network, fl_prover_answer_link, p, error);
    if (!p->status)
        explore_all(p);
    *out = p;
    return FL_OK;
}

fl_status fl_router_prove(fl_proof *out, const fl_router *router, const fl_fault_model *model,
                          const fl_proof_options *options, fl_error *error)
{
    prover *p;
    fl_status status = follow_all(&p, out, router, model, options, error);
    if (status)
        return status;
    if (!p->status)
        fl_prover_judge(p);
    status = p->status;
    tear_down(p);
    free(p);
    if (status)
        fl_proof_clear(out);
    return status;
}

fl_status fl_channel_graph_of_all_faults(fl_channel_graph **out, const fl_router *router,
                                         const fl_fault_model *model,
                                         const fl_proof_options *options, fl_error *error)
{
    prover *p;
    fl_proof proof;
    fl_status status = follow_all(&p, &proof, router, model, options, error);
    if (status)
        return status;
    status = p->status;
    if (!status) {
        *out = p->graph;
        p->graph = NULL;
    }
    tear_down(p);
    free(p);
    fl_proof_clear(&proof);
    return status;
}
