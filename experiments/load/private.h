/* Private to experiments: runs of the packet simulator side by side, and what their results have in
 * common. */
#ifndef FL_EXPERIMENTS_LOAD_PRIVATE_H
#define FL_EXPERIMENTS_LOAD_PRIVATE_H

#include "experiments/experiments.h"

/* ---- running ---- */

typedef struct fl_sim_jobs {
    const fl_sim_task *tasks;
    fl_sim_result *results; /* [count], by task */
    size_t count;
    unsigned threads;
    fl_ranks *ranks;  /* NULL: this process alone */
    const bool *done; /* NULL, or [count]: tasks whose results rank 0 has already; the others do not
                         get them */
    const atomic_bool *stop; /* NULL, or ends all runs of all ranks when it becomes true */
    /* NULL, or told by the calling thread how much work is done and how much there is, of all
     * ranks: a measure of time, no more */
    void (*progress)(void *user, uint64_t done, uint64_t all);
    void *user;
    /* NULL, or told by the calling thread of every run of any rank that came to its end */
    void (*finished)(void *keeper, size_t task, const fl_sim_result *result);
    void *keeper;
} fl_sim_jobs;

/* Whoever takes which run, and when, leaves no trace in the results, which all ranks get. An error
 * of one is returned by all. Tasks or results may be NULL: there was no memory for them. */
fl_status fl_sim_jobs_run(const fl_sim_jobs *jobs, fl_error *error);

/* ---- results of one run ---- */

typedef struct fl_sim_context {
    const char *preset;
    const fl_sim_set_up *set_up;
    const fl_sim_model *model;
    const fl_network *network;
    const fl_router *router;
} fl_sim_context;

fl_sim_context fl_sim_context_of(const fl_sim_plan *plan, const char *preset);
double fl_sim_accepted(const fl_sim_context *c, const fl_sim_result *r);
fl_interval fl_sim_accepted_interval(const fl_sim_context *c, const fl_sim_result *r);
double fl_sim_offered(const fl_sim_context *c, const fl_sim_result *r);
bool fl_sim_has_latency(const fl_sim_context *c, const fl_sim_result *r);
uint64_t fl_sim_lost(const fl_sim_result *r);

/* Link classes that have a column of their own. */
typedef struct fl_sim_columns {
    unsigned count;
    char names[FL_SIM_CLASSES_MAX][FL_LABEL_MAX];
} fl_sim_columns;
void fl_sim_columns_add(fl_sim_columns *columns, const fl_network *network);

/* CSV from `topology` on, without the end of the line; classes that the network does not have stay
 * empty. */
void fl_sim_csv_header(const fl_sim_columns *columns, fl_text *out);
void fl_sim_csv_row(const fl_sim_context *c, const fl_sim_result *r, const fl_sim_columns *columns,
                    fl_text *out);

/* JSON: `"topology": ..., "model": {...},`; the faults; one result, without its opening brace. */
void fl_sim_json_set_up(const fl_sim_context *c, fl_text *out);
void fl_sim_json_faults(const fl_sim_context *c, fl_text *out);
void fl_sim_json_proof(const fl_sim_proof *proof, fl_text *out);
void fl_sim_json_result(const fl_sim_context *c, const fl_sim_result *r, fl_text *out);
void fl_json_append_number(fl_text *out, const char *key,
                           double value); /* `, "key": value`; null where it is not finite */

/* Numbers of a run that are written to JSON, and read back, as they are: uint64_t at an offset into
 * fl_sim_result, or into fl_sim_sample. Ended by a key of NULL. */
typedef struct fl_sim_count {
    const char *key;
    size_t offset;
} fl_sim_count;
extern const fl_sim_count fl_sim_counts[], fl_sim_sample_counts[];
extern const char *const fl_sim_percentile_names[]; /* [FL_SIM_PERCENTILES] */

/* A line of a short table, and a deadlock's cycle. */
void fl_sim_summary_point(const fl_sim_context *c, const fl_sim_result *r, fl_text *out);
void fl_sim_summary_cycle(const fl_sim_context *c, const fl_sim_result *r, fl_text *out);

/* A line for each failure that some of the runs ended before; `where` stands in front, e.g. "gns:
 * ". */
void fl_sim_note_failures(const fl_sim_context *c, const fl_sim_result *results, size_t count,
                          const char *where, fl_text *out);

/* A line if packets of runs without faults (none otherwise) took paths more than 10% longer than
 * those of the router's first candidates, and that is no chance: the router's candidates are not
 * equivalent, although it declares them so. */
void fl_sim_note_hops(const fl_sim_plan *plan, const fl_sim_result *results, size_t count,
                      const char *where, fl_text *out);

#endif
