#include "experiments/sweep/stored.h"

#include <stdlib.h>
#include <string.h>

/* What was added up so far, and whose trials are whose: to name both files when two have the same.
 */
typedef struct merger {
    const char *const *paths;
    fl_ranges *owned;          /* [file * sweep_count + sweep] */
    fl_experiment *experiment; /* of the first file */
    fl_results *results;
} merger;

static fl_ranges *owned_by(const merger *m, size_t file, unsigned sweep)
{
    return &m->owned[file * m->experiment->sweep_count + sweep];
}

/* ---- may they be added up? ---- */

static fl_status check_experiment(const merger *m, size_t file, const fl_experiment *experiment,
                                  const fl_results *results, fl_error *error)
{
    if (strcmp(experiment->canonical, m->experiment->canonical) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' and '%s' are not of one experiment: their specs are %s and %s",
                       m->paths[0], m->paths[file], m->experiment->hash, experiment->hash);
    if (results->precision.looks > 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' was ended by its precision: added to other trials, its intervals would promise too much",
            m->paths[file]);
    return FL_OK;
}

static fl_status refuse_overlap(const merger *m, size_t file, fl_range range, unsigned sweep,
                                fl_error *error)
{
    fl_range where;
    for (size_t other = 0; other < file; other++)
        if (fl_ranges_meet(owned_by(m, other, sweep), range, &where))
            return fl_fail(
                error, FL_ERR_INVALID,
                "'%s' and '%s' have the same trials: %llu to %llu, and %llu to %llu (sweep %u)",
                m->paths[other], m->paths[file], (unsigned long long)where.first,
                (unsigned long long)where.end - 1, (unsigned long long)range.first,
                (unsigned long long)range.end - 1, sweep + 1);
    return FL_OK;
}

static fl_status check_trials(const merger *m, size_t file, const fl_results *results,
                              fl_error *error)
{
    for (unsigned sweep = 0; sweep < m->experiment->sweep_count; sweep++)
        for (size_t i = 0; i < results->ranges[sweep].count; i++) {
            fl_range range = results->ranges[sweep].of[i];
            fl_status status = refuse_overlap(m, file, range, sweep, error);
            if (!status)
                status = fl_ranges_add(owned_by(m, file, sweep), range, error);
            if (status)
                return status;
        }
    return FL_OK;
}

/* ---- adding up ---- */

static fl_status add_sweep(fl_results *to, const fl_results *from, unsigned sweep, fl_error *error)
{
    fl_ranges *ranges = &to->ranges[sweep];
    for (size_t i = 0; i < from->ranges[sweep].count; i++) {
        fl_status status = fl_ranges_add(ranges, from->ranges[sweep].of[i], error);
        if (status)
            return status;
    }
    fl_counts_add(to->counts[sweep], from->counts[sweep]);
    to->counts[sweep]->trials = fl_ranges_total(ranges);
    to->counts[sweep]->first_trial = ranges->count ? ranges->of[0].first : 0;
    return FL_OK;
}

/* Why it ended: whatever ended a part early ended the whole. */
static void add_circumstances(fl_results *to, const fl_results *from)
{
    if (!to->started[0] || strcmp(from->started, to->started) < 0)
        memcpy(to->started, from->started, sizeof to->started);
    to->wall_seconds += from->wall_seconds;
    if (from->stopped_by > to->stopped_by)
        to->stopped_by = from->stopped_by;
    if (from->threads > to->threads)
        to->threads = from->threads;
    if (from->ranks > to->ranks)
        to->ranks = from->ranks;
}

static fl_status add_results(merger *m, size_t file, const fl_experiment *experiment,
                             const fl_results *results, fl_error *error)
{
    fl_status status = check_experiment(m, file, experiment, results, error);
    if (!status)
        status = check_trials(m, file, results, error);
    for (unsigned sweep = 0; sweep < m->experiment->sweep_count && !status; sweep++)
        status = add_sweep(m->results, results, sweep, error);
    if (!status)
        add_circumstances(m->results, results);
    return status;
}

/* The first file's experiment becomes that of the sum. */
static fl_status begin(merger *m, size_t count, fl_experiment *experiment, fl_error *error)
{
    m->experiment = experiment;
    m->owned = calloc(count * experiment->sweep_count, sizeof *m->owned);
    if (!m->owned)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %zu files", count);
    return fl_results_create(&m->results, experiment, error);
}

static fl_status add_file(merger *m, size_t file, size_t count, fl_error *error)
{
    fl_experiment *experiment;
    fl_results *results;
    fl_status status = fl_results_read(&results, &experiment, m->paths[file], error);
    if (status)
        return status;
    if (file == 0)
        status = begin(m, count, experiment, error);
    if (!status)
        status = add_results(m, file, experiment, results, error);
    fl_results_destroy(results);
    if (file > 0)
        fl_experiment_destroy(experiment);
    return status;
}

/* ---- what is missing ---- */

static bool has_gaps(const fl_results *results)
{
    fl_range gap;
    for (unsigned i = 0; i < results->experiment->sweep_count; i++)
        if (fl_ranges_gap(&results->ranges[i], (fl_range){0, results->experiment->trials}, &gap))
            return true;
    return false;
}

static void append_gaps(const fl_results *results, unsigned sweep, fl_text *out)
{
    fl_range within = {0, results->experiment->trials}, gap;
    for (; fl_ranges_gap(&results->ranges[sweep], within, &gap); within.first = gap.end)
        fl_text_append(out, "%s%llu to %llu", within.first ? ", " : "",
                       (unsigned long long)gap.first, (unsigned long long)gap.end - 1);
}

void fl_results_gaps(const fl_results *results, fl_text *out)
{
    for (unsigned i = 0; i < results->experiment->sweep_count; i++) {
        fl_text gaps = {0};
        append_gaps(results, i, &gaps);
        if (gaps.data && results->experiment->sweep_count == 1)
            fl_text_append(out, "trials %s", gaps.data);
        else if (gaps.data)
            fl_text_append(out, "%ssweep %u: trials %s", out->length ? "; " : "", i + 1, gaps.data);
        fl_text_clear(&gaps);
    }
}

/* ---- the whole ---- */

fl_status fl_results_merge(fl_results **out, fl_experiment **experiment, const char *const *paths,
                           size_t count, fl_error *error)
{
    merger m = {.paths = paths};
    fl_status status = count > 0 ? FL_OK : fl_fail(error, FL_ERR_INVALID, "nothing to merge");
    for (size_t file = 0; file < count && !status; file++)
        status = add_file(&m, file, count, error);
    for (size_t i = 0; m.owned && i < count * m.experiment->sweep_count; i++)
        fl_ranges_clear(&m.owned[i]);
    free(m.owned);
    if (status) {
        fl_results_destroy(m.results);
        fl_experiment_destroy(m.experiment);
        return status;
    }
    m.results->partial = has_gaps(m.results);
    if (!m.results->partial)
        m.results->stopped_by = FL_STOPPED_BY_TRIALS;
    *out = m.results;
    *experiment = m.experiment;
    return FL_OK;
}
