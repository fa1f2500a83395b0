/* One trial: a pair of nodes and a fault order, and from them the outcome of every router at
 * every fault point, with as few walks as possible (docs/how-the-sweep-works.md).
 *
 * - Along the fault points: an outcome holds until the first link that was seen up goes down. The
 *   walk at that point is the same up to the stop where that link was first asked about, and
 *   goes on from there.
 * - Across routers: those whose enabled rules agree wherever the walk looked have the same outcome.
 *   A walk is made for a group; the group splits when a rule was asked about in which it differs.
 *
 * Limits do not walk. When the routers have asked what they ask, the order is completed for the
 * limits; they are worked out for many trials at once, and the trials set aside until then. */
#include "experiments/sweep/private.h"

#include <stdlib.h>

enum { STOPS_MAX = FL_STEPS_MAX, NODE_TABLE_MAX = 1 << 16 };

/* Everything that a walk needs to go on from a vertex. */
typedef struct stop {
    fl_address here;
    uint64_t header_state, rules_asked;
    uint32_t holds_until;  /* of the walk up to here ... */
    uint32_t turning_stop; /* ... and the stop that set it */
    uint32_t length;
    uint8_t channel;
} stop;

typedef struct job {
    uint64_t group;
    uint32_t fault_point;
} job;

typedef struct outcome {
    bool delivered;
    bool broken; /* the router broke the contract: runner->broken */
    fl_reason reason;
    uint32_t length, holds_until;
    uint32_t turning_stop; /* where the link that goes down at holds_until was first asked about */
    uint64_t rules_asked;
} outcome;

struct fl_trial_runner {
    const fl_sweep *sweep;
    fl_tally *tally;
    fl_order *order;
    fl_address *nodes; /* node addresses by index, for small networks */
    uint64_t
        alike[FL_SWEEP_ROUTERS_MAX]; /* routers that differ from router i in enabled rules only */
    uint64_t has[64];                /* routers with rule bit i */
    uint64_t everyone;               /* the routers that walk */
    uint64_t limits, minimal_limits; /* those that do not */
    fl_limit *limit;                 /* NULL: there are none */
    fl_view broken;                  /* of the router that broke the contract */
    job jobs[FL_SWEEP_ROUTERS_MAX];
    stop stops[STOPS_MAX];
};

/* The router has violated the contract, with which the trial ends. */
static void note_violation(fl_trial_runner *runner, const fl_view *view, fl_violation violation,
                           outcome *out)
{
    runner->broken = *view;
    fl_view_violate(&runner->broken, violation);
    out->broken = true;
}

/* Walks from stops[at] at one fault point, by whole candidates: faults stand still here. */
FL_INLINE void walk(fl_trial_runner *runner, const fl_router *router, fl_packet *packet,
                    uint32_t fault_point, uint32_t at, outcome *out)
{
    stop *stops = runner->stops;
    fl_candidate candidate;
    fl_decision decision = {.wanted = 1, .candidates = &candidate};
    fl_view view = {
        .network = router->network,
        .order = runner->order,
        .fault_point = fault_point,
        .enabled_rules = router->enabled_rules,
        .scope = router->scope,
        .here = stops[at].here,
        .holds_until = stops[at].holds_until,
        .rules_asked = stops[at].rules_asked,
    };
    uint32_t length = stops[at].length, turning_stop = stops[at].turning_stop;
    fl_violation violation = FL_NO_VIOLATION;
    packet->header_state = stops[at].header_state;
    packet->channel = stops[at].channel;
    for (;;) {
        uint32_t held_until = view.holds_until;
        bool goes_on = fl_step_ask_whole(router, packet, &view, &decision);
        if (view.holds_until < held_until)
            turning_stop = at;
        if (!goes_on)
            break;
        violation = fl_step_take_whole(packet, &view.here, &candidate);
        length += candidate.length;
        if (view.here == packet->destination)
            break;
        if (FL_UNLIKELY(violation)) {
            view.here = stops[at].here;
            break;
        }
        if (++at == STOPS_MAX) {
            violation = FL_NEVER_ENDS;
            break;
        }
        stops[at] = (stop){view.here,        candidate.header_state, view.rules_asked,
                           view.holds_until, turning_stop,           length,
                           candidate.channel};
    }
    *out = (outcome){
        .delivered = view.here == packet->destination,
        .reason = decision.reason,
        .length = length,
        .holds_until = view.holds_until,
        .turning_stop = turning_stop,
        .rules_asked = view.rules_asked,
    };
    if (FL_UNLIKELY(violation || view.violation))
        note_violation(runner, &view, violation, out);
}

/* The routers of the group that would have had the same answers as its first one. */
FL_INLINE uint64_t agreeing(const fl_trial_runner *runner, uint64_t group, uint64_t asked)
{
    unsigned first = fl_lowest_bit(group);
    const fl_router *router = runner->sweep->routers[first];
    group &= runner->alike[first];
    for (; asked; asked &= asked - 1) {
        unsigned bit = fl_lowest_bit(asked);
        group &= router->enabled_rules >> bit & 1 ? runner->has[bit] : ~runner->has[bit];
    }
    return group;
}

FL_INLINE void book(fl_tally *tally, uint64_t group, uint32_t first, uint32_t far_end,
                    const outcome *result)
{
    if (result->delivered)
        fl_tally_delivered(tally, group, first, far_end, result->length);
    else
        fl_tally_blocked(tally, group, first, far_end, result->reason);
}

/* Follows one group up the fault points. Routers that part from it are left as a job. Returns
 * the router that broke the contract, or NULL. */
static const fl_router *follow_group(fl_trial_runner *runner, fl_packet *packet, job start,
                                     unsigned *jobs)
{
    const fl_sweep *sweep = runner->sweep;
    uint32_t fault_points = fl_fault_model_fault_points(sweep->model),
             fault_point = start.fault_point, at = 0;
    uint64_t group = start.group;
    while (fault_point < fault_points) {
        const fl_router *router = sweep->routers[fl_lowest_bit(group)];
        outcome result;
        walk(runner, router, packet, fault_point, at, &result);
        if (FL_UNLIKELY(result.broken))
            return router;
        uint64_t same = agreeing(runner, group, result.rules_asked);
        if (same != group)
            runner->jobs[(*jobs)++] = (job){group & ~same, fault_point};
        group = same;
        book(runner->tally, group, fault_point, result.holds_until, &result);
        fault_point = result.holds_until;
        at = result.turning_stop;
    }
    return NULL;
}

static fl_address node_at(const fl_trial_runner *runner, uint64_t index)
{
    const fl_network *network = runner->sweep->network;
    return runner->nodes ? runner->nodes[index] : network->type->node_address(network, index);
}

/* Indices of nodes. */
typedef struct pair {
    uint64_t source, destination;
} pair;

static pair draw_pair(const fl_trial_runner *runner, uint64_t trial)
{
    const fl_sweep *sweep = runner->sweep;
    fl_rng rng;
    fl_rng_seed(&rng, sweep->seed, FL_PURPOSE_PAIRS, trial);
    uint64_t nodes = sweep->network->nodes;
    uint64_t source = fl_rng_below(&rng, nodes), destination = fl_rng_below(&rng, nodes - 1);
    return (pair){source, destination + (destination >= source)};
}

/* Returns the router that broke the contract, or NULL. */
static const fl_router *walk_everyone(fl_trial_runner *runner, pair ends)
{
    fl_packet packet = {.source = node_at(runner, ends.source),
                        .destination = node_at(runner, ends.destination)};
    const fl_router *culprit = NULL;
    runner->stops[0] = (stop){.here = packet.source, .holds_until = FL_NEVER_FAILS};
    runner->jobs[0] = (job){runner->everyone, 0};
    for (unsigned jobs = runner->everyone != 0; jobs > 0 && !culprit;) {
        jobs--;
        culprit = follow_group(runner, &packet, runner->jobs[jobs], &jobs);
    }
    return culprit;
}

/* Ends the trials whose limits were still to be worked out. */
static void finish_lanes(fl_trial_runner *runner)
{
    fl_limit_solve(runner->limit);
    for (unsigned lane = 0; lane < fl_limit_count(runner->limit); lane++) {
        if (runner->everyone)
            fl_tally_take_up(runner->tally);
        fl_limit_book(runner->limit, lane, runner->limits, runner->minimal_limits, runner->tally);
        fl_tally_end_trial(runner->tally);
    }
    fl_limit_clear(runner->limit);
}

/* False: out of memory. */
static bool end_trial(fl_trial_runner *runner, pair ends)
{
    bool good = true;
    if (!runner->limit) {
        fl_tally_end_trial(runner->tally);
    } else {
        fl_limit_add(runner->limit, runner->order, ends.source, ends.destination);
        good = !runner->everyone || fl_tally_set_aside(runner->tally);
        if (good && fl_limit_count(runner->limit) == FL_LIMIT_LANES)
            finish_lanes(runner);
    }
    return good && fl_order_is_sound(runner->order);
}

static fl_status refuse(const fl_trial_runner *runner, const fl_router *culprit, uint64_t trial,
                        fl_error *error)
{
    fl_error what;
    fl_status status = fl_step_fail_view(culprit, &runner->broken, &what);
    return fl_fail(error, status, "%s (trial %llu)", what.text, (unsigned long long)trial);
}

static fl_status run_trial(fl_trial_runner *runner, uint64_t trial, pair ends, fl_error *error)
{
    fl_order_begin(runner->order, runner->sweep->seed, trial);
    const fl_router *culprit = walk_everyone(runner, ends);
    if (culprit)
        return refuse(runner, culprit, trial, error);
    return end_trial(runner, ends)
               ? FL_OK
               : fl_fail(error, FL_ERR_MEMORY, "out of memory for the fault order");
}

fl_status fl_trials_run(fl_trial_runner *runner, uint64_t first, uint64_t count, fl_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        fl_status status = run_trial(runner, first + i, draw_pair(runner, first + i), error);
        if (status)
            return status;
    }
    fl_trials_end(runner);
    return FL_OK;
}

fl_status fl_trials_run_pair(fl_trial_runner *runner, uint64_t source, uint64_t destination,
                             fl_error *error)
{
    return run_trial(runner, 0, (pair){source, destination}, error);
}

void fl_trials_end(fl_trial_runner *runner)
{
    if (runner->limit && fl_limit_count(runner->limit) > 0)
        finish_lanes(runner);
}

static fl_status make_node_table(fl_trial_runner *runner, fl_error *error)
{
    const fl_network *network = runner->sweep->network;
    if (network->nodes > NODE_TABLE_MAX)
        return FL_OK;
    runner->nodes = malloc(network->nodes * sizeof *runner->nodes);
    for (uint64_t i = 0; runner->nodes && i < network->nodes; i++)
        runner->nodes[i] = network->type->node_address(network, i);
    return runner->nodes
               ? FL_OK
               : fl_fail(error, FL_ERR_MEMORY, "out of memory for the addresses of %llu nodes",
                         (unsigned long long)network->nodes);
}

static void sort_routers(fl_trial_runner *runner)
{
    const fl_sweep *sweep = runner->sweep;
    uint64_t *const kinds[] = {[FL_NO_LIMIT] = &runner->everyone,
                               [FL_LIMIT_ANY_PATH] = &runner->limits,
                               [FL_LIMIT_MINIMAL_PATHS] = &runner->minimal_limits};
    for (unsigned r = 0; r < sweep->router_count; r++) {
        *kinds[sweep->routers[r]->type->limit] |= UINT64_C(1) << r;
        for (unsigned other = 0; other < sweep->router_count; other++)
            runner->alike[r] |=
                (uint64_t)fl_router_is_alike(sweep->routers[other], sweep->routers[r]) << other;
        for (unsigned bit = 0; bit < 64; bit++)
            runner->has[bit] |= (sweep->routers[r]->enabled_rules >> bit & 1) << r;
    }
}

static bool make_limit(fl_trial_runner *runner, fl_error *error)
{
    const fl_sweep *sweep = runner->sweep;
    if (runner->limits | runner->minimal_limits)
        runner->limit = fl_limit_create(sweep->network, fl_fault_model_fault_points(sweep->model),
                                        false, error);
    return runner->limit || !(runner->limits | runner->minimal_limits);
}

fl_trial_runner *fl_trial_runner_create(const fl_sweep *sweep, fl_tally *tally, fl_error *error)
{
    fl_trial_runner *runner = calloc(1, sizeof *runner);
    if (!runner) {
        fl_fail(error, FL_ERR_MEMORY, "out of memory for trials");
        return NULL;
    }
    runner->sweep = sweep;
    runner->tally = tally;
    sort_routers(runner);
    if (fl_order_create(&runner->order, sweep->model, error) == FL_OK &&
        make_node_table(runner, error) == FL_OK && make_limit(runner, error))
        return runner;
    fl_trial_runner_destroy(runner);
    return NULL;
}

void fl_trial_runner_destroy(fl_trial_runner *runner)
{
    if (!runner)
        return;
    fl_order_destroy(runner->order);
    fl_limit_destroy(runner->limit);
    free(runner->nodes);
    free(runner);
}
