/* JSON Schemas of specs, from the rows that read them. */
#ifndef FL_EXPERIMENTS_SPEC_SCHEMA_H
#define FL_EXPERIMENTS_SPEC_SCHEMA_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* experiment, simulation, makespan, deadlock; ended by NULL. The files are named after
 * them: experiments/experiment.schema.json and others. */
extern const char *const fl_schema_names[];

/* Appends the schema of that place in fl_schema_names. */
void fl_schema_append(unsigned schema, fl_text *out);

#ifdef __cplusplus
}
#endif
#endif
