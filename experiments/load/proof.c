/* Whether the router of a simulation is deadlock-free under the faults of the run, as far as a
 * short proof can say. */
#include "experiments/load/private.h"
#include "experiments/load/results/results.h"

#include <string.h>

/* Work, not time, limits the check, so that its verdict is the same on every machine: a million
 * decisions take some tenths of a second. */
enum { REQUESTS_A_TURN = 4096, REQUESTS_MAX = 1000000, CHANNELS_MAX = 1000000 };

const char *const fl_sim_proof_names[] = {"not checked", "deadlock-free", "first candidate only",
                                          "not proven"};

static bool is_used_up(void *user)
{
    unsigned *turns = user;
    return ++*turns > REQUESTS_MAX / REQUESTS_A_TURN;
}

/* The links that fail during the run; *out is NULL if there are none. */
static fl_status model_of_failures(fl_fault_model **out, const fl_sim_set_up *set_up,
                                   fl_error *error)
{
    static const uint64_t none;
    const fl_axis axis = {.fault_points = 1, .counts = &none};
    const fl_network *network = set_up->router->network;
    fl_text text = {0};
    *out = NULL;
    for (size_t i = 0; i < set_up->failure_count; i++)
        fl_text_append(
            &text, "%s%llu", i ? ";" : "list:",
            (unsigned long long)network->type->link_index(network, set_up->failures[i].link));
    fl_status status = text.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the links that fail")
                       : text.data ? fl_fault_model_create(out, network, text.data, &axis, error)
                                   : FL_OK;
    fl_text_clear(&text);
    return status;
}

/* An error other than FL_ERR_MEMORY: there was too much to do. */
static fl_status prove(bool *free, const fl_sim_set_up *set_up, const fl_fault_model *failures,
                       bool all, fl_error *error)
{
    unsigned turns = 0;
    fl_proof proof;
    const fl_proof_options options = {.all_candidates = all,
                                      .down = set_up->faults,
                                      .states_max = REQUESTS_MAX,
                                      .should_stop = is_used_up,
                                      .user = &turns};
    fl_status status = fl_router_prove(&proof, set_up->router, failures, &options, error);
    if (status)
        return status;
    *free = proof.deadlock_free;
    fl_proof_clear(&proof);
    return FL_OK;
}

static bool is_small(const fl_router *router)
{
    const fl_network *n = router->network;
    return n->switches <= CHANNELS_MAX &&
           n->switches * n->radix * router->channels <= CHANNELS_MAX && n->nodes <= CHANNELS_MAX;
}

fl_status fl_sim_prove(fl_sim_proof *out, const fl_sim_plan *plan, fl_error *error)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    fl_fault_model *failures;
    bool free, first_free = false;
    *out =
        (fl_sim_proof){.all_candidates = fl_sim_takes_any(set_up->model->choice, set_up->router)};
    if (!is_small(set_up->router))
        return FL_OK;
    fl_status status = model_of_failures(&failures, set_up, error);
    if (status)
        return status == FL_ERR_MEMORY ? status : FL_OK;
    status = prove(&free, set_up, failures, out->all_candidates, error);
    if (!status) {
        out->verdict = free ? FL_SIM_PROOF_FREE : FL_SIM_PROOF_CYCLE;
        if (!free && out->all_candidates)
            status = prove(&first_free, set_up, failures, false, error);
        if (first_free)
            out->verdict = FL_SIM_PROOF_FIRST_ONLY;
    }
    fl_fault_model_destroy(failures);
    return status == FL_ERR_MEMORY ? status : FL_OK;
}

/* Base routing without detour rules offers one candidate, whatever its type declares. */
static bool offers_several(const fl_router *router)
{
    return router->enabled_rules != 0 || !router->type->base;
}

void fl_sim_note_proof(const fl_sim_plan *plan, const fl_sim_proof *proof, const char *where,
                       fl_text *out)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(plan);
    const fl_router *router = set_up->router;
    const char *choice = fl_sim_choice_names[set_up->model->choice];
    if (proof->verdict == FL_SIM_PROOF_FIRST_ONLY)
        fl_text_append(
            out,
            "note: %s%s is deadlock-free under the faults of this run only by the first candidate of every "
            "switch: with the choice %s its channels can wait for each other in a cycle "
            "('faultline deadlock --choice %s' shows cycles)\n",
            where, router->name, choice, choice);
    else if (proof->verdict == FL_SIM_PROOF_CYCLE)
        fl_text_append(
            out,
            "note: %s%s is not proven deadlock-free under the faults of this run: its channels can wait for each "
            "other in a cycle ('faultline deadlock --choice %s' shows cycles)\n",
            where, router->name, choice);
    else if (proof->verdict == FL_SIM_PROOF_NONE && proof->all_candidates && offers_several(router))
        fl_text_append(
            out,
            "note: %swhether %s is deadlock-free with the choice %s was not checked: that takes too long here "
            "('faultline deadlock --prove --choice %s' does it)\n",
            where, router->name, choice, choice);
}

void fl_sim_json_proof(const fl_sim_proof *proof, fl_json_writer *out)
{
    fl_json_open_object(fl_json_line(out), "deadlock_proof");
    fl_json_text(out, "verdict", fl_sim_proof_names[proof->verdict]);
    fl_json_text(out, "candidates", proof->all_candidates ? "all" : "first");
    fl_json_close(out);
}
