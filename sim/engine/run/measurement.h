/* Private to sim: what is counted during a run. */
#ifndef FL_SIM_ENGINE_RUN_MEASUREMENT_H
#define FL_SIM_ENGINE_RUN_MEASUREMENT_H

#include "sim/engine/run/packets.h"

typedef struct measurement {
    fl_sim_result *out;
    fl_sim_meter *meter;
    const fl_sim_plan *plan;
    uint64_t first, end; /* cycles that are measured: first <= cycle < end */
    bool measuring;      /* this cycle is */
    uint64_t target;     /* counted packets that the run waits for */
    uint64_t done;       /* counted packets that arrived or were lost */
    uint64_t lost_total, lost_measured;
} measurement;

/* `out` is of the caller and empty but for load and seed. False when memory ran out; destroy it all
 * the same. */
bool fl_sim_measurement_create(measurement *m, const fl_sim_plan *plan, fl_sim_result *out);
void fl_sim_measurement_destroy(measurement *m);

/* A packet was born in cycle `born`, and leaves its source or never will. */
void fl_sim_count_birth(measurement *m, uint64_t born);

/* A packet was lost: `why` is an fl_reason or FL_SIM_LOST_ON_LINK. */
void fl_sim_count_loss(measurement *m, const packet *pk, unsigned why, uint32_t now);

/* A packet goes back to its source. */
void fl_sim_count_retry(measurement *m, uint32_t now);

/* The tail of a packet has arrived at its node. */
void fl_sim_count_arrival(measurement *m, const packet *pk, uint32_t now);

FL_INLINE bool fl_sim_is_measured(const measurement *m, uint64_t cycle)
{
    return cycle >= m->first && cycle < m->end;
}

/* Flits go on a link of that class. */
FL_INLINE void fl_sim_count_flits(measurement *m, unsigned link_class, uint32_t flits)
{
    m->out->flit_hops += flits;
    if (m->measuring)
        m->out->class_flits[link_class] += flits;
}

/* Another request for a channel that has some: the `count`-th. */
FL_INLINE void fl_sim_count_conflict(measurement *m, uint32_t count)
{
    m->out->conflicts += m->measuring;
    m->out->conflict_ports += m->measuring && count == 2;
}

#endif
