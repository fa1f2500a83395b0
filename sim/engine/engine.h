/* Private to sim: the state of one run. Its parts are in run/ and switches/, each with functions of
 * its own; the files beside this one are the steps of a cycle, which work on several parts
 * (steps.h). */
#ifndef FL_SIM_ENGINE_ENGINE_H
#define FL_SIM_ENGINE_ENGINE_H

#include "sim/engine/run/calendar.h"
#include "sim/engine/run/failures.h"
#include "sim/engine/run/measurement.h"
#include "sim/engine/run/messages.h"
#include "sim/engine/run/mode.h"
#include "sim/engine/run/packets.h"
#include "sim/engine/run/sources.h"
#include "sim/engine/switches/candidates.h"
#include "sim/engine/switches/heads.h"
#include "sim/engine/switches/links.h"
#include "sim/engine/switches/queues.h"
#include "sim/engine/switches/requests.h"
#include "sim/engine/switches/routing.h"

typedef struct engine {
    const fl_sim_plan *plan;
    const fl_sim_watch *watch; /* or NULL */
    run_mode mode;
    run_status status;
    packet_pool packets;
    queues queues;
    links links;
    heads heads;
    candidate_pools candidates;
    requests requests;
    routing routing;
    sources sources;
    messages *messages; /* of a workload, or NULL */
    failure_state failures;
    measurement measure;
    calendar calendar;
} engine;

/* The output VC of a worm, or of the candidate that a head has chosen. */
FL_INLINE uint32_t fl_sim_chosen_output(const engine *e, const head *hd)
{
    return hd->worm ? hd->output : fl_sim_output_at(&e->candidates, hd, hd->chosen);
}

/* Flits of a worm that are at its input. */
FL_INLINE uint32_t fl_sim_flits_here(const engine *e, const head *hd)
{
    uint32_t left = fl_sim_flits_of(hd, &e->mode) - hd->sent,
             here = e->queues.inputs[hd->input].flits;
    return here < left ? here : left;
}

/* Thousands of events are due in a cycle of a large network, each at a place that is in none of the
 * near memories: without fetching ahead the simulator waits for memory most of its time. */
enum { FETCH_AHEAD = 16 };

FL_INLINE void fl_sim_fetch_packet(const engine *e, uint32_t p)
{
    if (p != NONE)
        FL_PREFETCH(&e->packets.list[p]);
}

FL_INLINE void fl_sim_fetch_head(const engine *e, uint32_t h)
{
    if (h != NONE)
        FL_PREFETCH(&e->heads.list[h]);
}

#endif
