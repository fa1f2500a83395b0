/* experiments: specs, running them (threads, ranks, stopping, resuming), results, merging, figures.
 */
#ifndef FL_EXPERIMENTS_EXPERIMENTS_H
#define FL_EXPERIMENTS_EXPERIMENTS_H

#include "experiments/catalogue/catalogue.h"
#include "experiments/catalogue/choose.h"
#include "experiments/deadlock/deadlock.h"
#include "experiments/exact/exact.h"
#include "experiments/export/export.h"
#include "experiments/layout/layout.h"
#include "experiments/load/curves.h"
#include "experiments/load/makespan.h"
#include "experiments/load/simulation.h"
#include "experiments/ranks.h"
#include "experiments/search/search.h"
#include "experiments/spec/experiment.h"
#include "experiments/spec/fault_options.h"
#include "experiments/spec/load_bind.h"
#include "experiments/spec/load_spec.h"
#include "experiments/spec/options.h"
#include "experiments/spec/schema.h"
#include "experiments/sweep/precision.h"
#include "experiments/sweep/ranges.h"
#include "experiments/sweep/results.h"
#include "experiments/sweep/run.h"
#include "experiments/sweep/sweep.h"
#include "experiments/trace/trace.h"

#endif
