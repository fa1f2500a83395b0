/* Private to experiments: what is published, and what was found. */
#ifndef FL_EXPERIMENTS_CATALOGUE_PRIVATE_H
#define FL_EXPERIMENTS_CATALOGUE_PRIVATE_H

#include "experiments/experiments.h"

/* The files of experiments/published, as texts in the library; made by CMake. */
typedef struct fl_published_file {
    const char *name, *text;
} fl_published_file;
extern const fl_published_file fl_published_files[]; /* ended by a NULL name */
extern const fl_published_file fl_catalogue_style[]; /* catalogue.css */

/* ---- measured networks ---- */

/* Every network is measured once, as far as it is asked for. */
typedef struct fl_measured {
    fl_network *network;
    fl_closed_forms forms;
    fl_metrics metrics;
    bool checked;  /* every vertex and link was walked: the counts are true */
    unsigned have; /* FL_METRICS_... */
    bool too_large;
} fl_measured;

typedef struct fl_measurements fl_measurements;
fl_measurements *fl_measurements_create(uint64_t largest, bool (*should_stop)(void *user),
                                        void *user); /* NULL: out of memory */
void fl_measurements_destroy(fl_measurements *measurements);

/* A property's closed form or its measured value: NAN where there is none, with the reason in
 * `why_not`. FL_ERR_INVALID: no such property, or no such network. *upper_bound is set (never
 * cleared) when the value is that of a search for a cut. */
fl_status fl_measurements_form(double *out, fl_measurements *measurements, const char *spec,
                               const char *property, fl_error *error);
fl_status fl_measurements_value(double *out, fl_measurements *measurements, const char *spec,
                                const char *property, bool *upper_bound, fl_text *why_not,
                                fl_error *error);
unsigned fl_measurements_count(const fl_measurements *measurements); /* networks measured */

#endif
