/* Private to experiments: results as JSON, for the files that write and those that read it. */
#ifndef FL_EXPERIMENTS_SWEEP_STORED_H
#define FL_EXPERIMENTS_SWEEP_STORED_H

#include "experiments/experiments.h"

struct cJSON;

#define FL_STORED_FORMAT "faultline sweep 1"

/* ---- the fields of a count: delivered, length_sum, length_squares, then blocked by reason ---- */

enum { FL_COUNT_FIELDS = 3 + FL_REASONS };
const char *fl_count_field_name(unsigned field);
FL_INLINE uint64_t *fl_count_fields(fl_count *count) /* [FL_COUNT_FIELDS] */
{
    _Static_assert(sizeof(fl_count) == FL_COUNT_FIELDS * sizeof(uint64_t),
                   "a count is its fields, one after the other");
    return &count->delivered;
}

/* Lists of a pair of routers. The first FL_PAIR_FIELDS_RAW are counts, the others follow from them.
 */
enum { FL_PAIR_FIELDS = 5, FL_PAIR_FIELDS_RAW = 2 };
extern const char *const fl_pair_field_names[FL_PAIR_FIELDS];

void fl_counts_add(fl_counts *to, const fl_counts *from); /* not the trial numbers */

/* ---- writing: what fl_results_json appends, without what follows from the rest ---- */

void fl_results_json_raw(const fl_results *results, fl_text *out);

/* ---- reading ---- */

/* Parses a file and checks its format and version. The caller deletes *json. */
fl_status fl_stored_open(struct cJSON **json, const char *path, fl_error *error);
/* The text under a key; NULL if it is missing or something else. */
const char *fl_stored_text(const struct cJSON *json, const char *key);
/* The results in the file, which are those of `experiment` (the caller has compared the spec_hash).
 */
fl_status fl_stored_read(fl_results **out, const fl_experiment *experiment,
                         const struct cJSON *json, const char *path, fl_error *error);

/* ---- checkpoints: results so far, in the same format ---- */

fl_status fl_checkpoint_write(const fl_results *results, const char *path, fl_error *error);
/* FL_ERR_INVALID: the checkpoint is that of another run than of these trials of the experiment,
 * stopped by this precision (or NULL). */
fl_status fl_checkpoint_read(fl_results **out, const fl_experiment *experiment, fl_range trials,
                             const fl_precision *precision, const char *path, fl_error *error);

#endif
