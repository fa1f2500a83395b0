/* Everything that Faultline offers to programs: networks, faults, routers, analyses, the simulator,
 * experiments and figures. Each header also stands alone. */
#ifndef FL_FAULTLINE_H
#define FL_FAULTLINE_H

#include "analysis/deadlock/deadlock.h"
#include "analysis/exact/explorer.h"
#include "analysis/reliability/reliability.h"
#include "core/core.h"
#include "experiments/experiments.h"
#include "faults/faults.h"
#include "plots/plots.h"
#include "routing/routing.h"
#include "sim/sim.h"
#include "topo/topo.h"

#endif
