/* Private to experiments: pieces of results that one simulation and several curves share. */
#ifndef FL_EXPERIMENTS_LOAD_RESULTS_RESULTS_H
#define FL_EXPERIMENTS_LOAD_RESULTS_RESULTS_H

#include "experiments/experiments.h"

#include <math.h>

/* a / b; NAN unless b is positive. */
FL_INLINE double fl_per(double a, double b)
{
    return b > 0 ? a / b : (double)NAN;
}

/* ---- run.c: one run ---- */

typedef struct fl_sim_context {
    const char *preset;
    const fl_sim_set_up *set_up;
    const fl_sim_model *model;
    const fl_network *network;
    const fl_router *router;
} fl_sim_context;

/* Everything in it is borrowed from the plan. */
fl_sim_context fl_sim_context_of(const fl_sim_plan *plan, const char *preset);
/* The pattern of traffic, or the workload. */
const char *fl_sim_traffic_of(const fl_sim_context *c);
/* How many links are down from the start. */
unsigned long long fl_sim_faults_of(const fl_sim_context *c);

/* Flits per node and measured cycle that were born, and that arrived, and its 95% interval. NAN
 * where nothing was measured. */
double fl_sim_offered(const fl_sim_context *c, const fl_sim_result *r);
double fl_sim_accepted(const fl_sim_context *c, const fl_sim_result *r);
fl_interval fl_sim_accepted_interval(const fl_sim_context *c, const fl_sim_result *r);
/* Is the latency one to show? In steady state a saturated load has none: it grows with the length
 * of the run. With the stop rules that count packets it has one, that of the packets counted. */
bool fl_sim_has_latency(const fl_sim_context *c, const fl_sim_result *r);
/* Packets lost, for whatever reason, in the complete run. */
uint64_t fl_sim_lost(const fl_sim_result *r);

/* Link classes that have a column of their own. */
enum { FL_SIM_COLUMNS_MAX = FL_MAKESPAN_NETWORKS_MAX * FL_SIM_CLASSES_MAX };
typedef struct fl_sim_columns {
    unsigned count;
    char names[FL_SIM_COLUMNS_MAX][FL_LABEL_MAX];
} fl_sim_columns;
/* Adds the classes of a network that are not there yet. */
void fl_sim_columns_add(fl_sim_columns *columns, const fl_network *network);

/* The number of the link class of a column in a network; -1: it has none of that name. */
int fl_sim_class_named(const fl_network *network, const char *name);
/* The fraction of its cycles that a channel of this class carried flits in; NAN: of no channel. */
double fl_sim_utilisation(const fl_sim_result *r, int link_class);

/* CSV from `topology` on, without the end of the line: the column titles, and a row. Classes that
 * the network does not have stay empty. */
void fl_sim_csv_header(const fl_sim_columns *columns, fl_text *out);
void fl_sim_csv_row(const fl_sim_context *c, const fl_sim_result *r, const fl_sim_columns *columns,
                    fl_text *out);

/* Adds the columns of a short table of runs under open traffic; adds the row of one run. */
void fl_sim_summary_columns(fl_table *table);
void fl_sim_summary_point(const fl_sim_context *c, const fl_sim_result *r, fl_table *table);
/* The cycle of a deadlock, a line for each channel. */
void fl_sim_summary_cycle(const fl_sim_context *c, const fl_sim_result *r, fl_text *out);

/* ---- run_json.c: the same as JSON ---- */

/* "topology" to "model". */
void fl_sim_json_set_up(const fl_sim_context *c, fl_json_writer *out);
/* "faults" and "failures". */
void fl_sim_json_faults(const fl_sim_context *c, fl_json_writer *out);
/* The members of one result. */
void fl_sim_json_result(const fl_sim_context *c, const fl_sim_result *r, fl_json_writer *out);
/* "class_flits": channels and flits of every link class. */
void fl_sim_json_classes(const fl_network *network, const fl_sim_result *r, fl_json_writer *out);
/* A measured number, with ten digits; null where it is not finite. */
void fl_json_measure(fl_json_writer *out, const char *key, double value);
/* "figures": their names. `name` returns that of a figure, NULL after the last. */
void fl_json_figure_names(fl_json_writer *out, const char *(*name)(const void *of, unsigned index),
                          const void *of);

/* Numbers of a run that are written to JSON, and read back, as they are: uint64_t at an offset into
 * fl_sim_result, or into fl_sim_sample. Ended by a key of NULL. */
typedef struct fl_sim_count {
    const char *key;
    size_t offset;
} fl_sim_count;
extern const fl_sim_count fl_sim_counts[], fl_sim_sample_counts[];
extern const char *const fl_sim_percentile_names[]; /* [FL_SIM_PERCENTILES] */

/* ---- notes.c: lines "note: ..." on some runs of a plan; `where` stands in front, e.g. "gns: "
 * ---- */

/* A line for each failure that some of the runs ended before. */
void fl_sim_note_failures(const fl_sim_context *c, const fl_sim_result *results, size_t count,
                          const char *where, fl_text *out);
/* A line if packets of runs without faults (none otherwise) took paths more than 10% longer than
 * those of the router's first candidates, by more than chance: the router's candidates are not
 * equivalent, although it declares them so. */
void fl_sim_note_hops(const fl_sim_plan *plan, const fl_sim_result *results, size_t count,
                      const char *where, fl_text *out);

/* ---- proof.c ---- */

/* "deadlock_proof". */
void fl_sim_json_proof(const fl_sim_proof *proof, fl_json_writer *out);

#endif
