/* sim: packets under load, cycle by cycle.
 *
 * The routers are the per-hop functions that sweeps ask (routing/routing.h). A switch asks once for
 * each packet, keeps the ordered list of candidates, and takes the one with most free space behind
 * it.
 *
 * Time is in cycles, amounts are in flits; a channel (one direction of a link) carries one flit a
 * cycle. Load is in flits per node and cycle. docs/simulate.md defines the model; the presets are
 * the set-ups of published papers. */
#ifndef FL_SIM_SIM_H
#define FL_SIM_SIM_H

#include "sim/model.h"
#include "sim/plan.h"
#include "sim/run.h"
#include "sim/traffic.h"
#include "sim/workload.h"

#endif
