#include "experiments/simulate_load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A header, then a record a run: its number, the result as it lies in memory, the lists that hang on it, and a hash of
 * all that. Lists that are added to fl_sim_result must be added here. */

struct fl_load_checkpoint {
    FILE *file;
    bool failed;
};

typedef struct header {
    char format[24], version[24];
    uint64_t result_bytes, hash;
} header;

static header header_of(uint64_t hash)
{
    header h;
    memset(&h, 0, sizeof h);
    snprintf(h.format, sizeof h.format, "faultline load runs 1\n");
    snprintf(h.version, sizeof h.version, "%s", FL_VERSION);
    h.result_bytes = sizeof(fl_sim_result);
    h.hash = hash;
    return h;
}

static bool read_exactly(FILE *file, fl_text *record, void *out, size_t bytes)
{
    if (bytes && fread(out, bytes, 1, file) != 1)
        return false;
    fl_text_append_bytes(record, out, bytes);
    return !record->failed;
}

static bool read_lists(FILE *file, fl_text *record, fl_sim_result *r)
{
    enum { CYCLE_MAX = 1 << 20, SERIES_MAX = 1 << 26 };
    if (r->cycle_length > CYCLE_MAX || r->series_length > SERIES_MAX)
        return false;
    r->cycle = r->cycle_length ? malloc(r->cycle_length * sizeof *r->cycle) : NULL;
    r->series = r->series_length ? malloc(r->series_length * sizeof *r->series) : NULL;
    return (r->cycle || !r->cycle_length) && (r->series || !r->series_length) &&
           read_exactly(file, record, r->cycle, r->cycle_length * sizeof *r->cycle) &&
           read_exactly(file, record, r->series, r->series_length * sizeof *r->series);
}

/* One record; false at the end of the file, or of what is whole in it. */
static bool read_record(FILE *file, fl_sim_result *results, bool *done, size_t count)
{
    fl_text record = {0};
    uint64_t task = 0, hash = 0;
    fl_sim_result r = {0};
    bool good = read_exactly(file, &record, &task, sizeof task) && task < count && !done[task] && read_exactly(file, &record, &r, sizeof r);
    if (good) {
        r.cycle = NULL; /* as they lay in another process */
        r.series = NULL;
        good = read_lists(file, &record, &r) && fread(&hash, sizeof hash, 1, file) == 1 && hash == fl_text_hash(record.data, record.length);
    }
    fl_text_clear(&record);
    if (!good) {
        fl_sim_result_clear(&r);
        return false;
    }
    results[task] = r;
    return done[task] = true;
}

static fl_status cannot_be_written(const char *path, fl_error *error)
{
    return fl_fail(error, errno == ENOMEM ? FL_ERR_MEMORY : FL_ERR_IO, "'%s' cannot be written: %s", path, strerror(errno));
}

static fl_status take_up(FILE *file, const char *path, uint64_t hash, fl_sim_result *results, bool *done, size_t count, fl_error *error)
{
    header wanted = header_of(hash), found;
    size_t bytes = fread(&found, 1, sizeof found, file);
    if (bytes == sizeof found && memcmp(&found, &wanted, sizeof found) != 0)
        return fl_fail(error, FL_ERR_INVALID, "'%s' is from another spec, other options, or another version: --force begins anew", path);
    if (bytes < sizeof found) { /* new, or cut off at once */
        rewind(file);
        if (ftruncate(fileno(file), 0) || fwrite(&wanted, sizeof wanted, 1, file) != 1 || fflush(file))
            return cannot_be_written(path, error);
        return FL_OK;
    }
    long whole = ftell(file);
    while (whole >= 0 && read_record(file, results, done, count))
        whole = ftell(file);
    if (whole < 0 || fseek(file, whole, SEEK_SET) || ftruncate(fileno(file), whole))
        return fl_fail(error, FL_ERR_IO, "'%s' cannot be read", path);
    return FL_OK;
}

fl_status fl_load_checkpoint_open(fl_load_checkpoint **out, const char *path, uint64_t hash, fl_sim_result *results, bool *done,
                                  size_t count,
                                  fl_error *error)
{
    fl_load_checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a checkpoint");
    checkpoint->file = fopen(path, "r+b");
    if (!checkpoint->file)
        checkpoint->file = fopen(path, "w+b");
    fl_status status = checkpoint->file ? take_up(checkpoint->file, path, hash, results, done, count, error)
                                        : cannot_be_written(path, error);
    if (status) {
        fl_load_checkpoint_close(checkpoint);
        return status;
    }
    *out = checkpoint;
    return FL_OK;
}

void fl_load_checkpoint_add(void *user, size_t task, const fl_sim_result *r)
{
    fl_load_checkpoint *checkpoint = user;
    uint64_t number = task;
    fl_text record = {0};
    fl_text_append_bytes(&record, (const char *)&number, sizeof number);
    fl_text_append_bytes(&record, (const char *)r, sizeof *r);
    if (r->cycle_length)
        fl_text_append_bytes(&record, (const char *)r->cycle, r->cycle_length * sizeof *r->cycle);
    if (r->series_length)
        fl_text_append_bytes(&record, (const char *)r->series, r->series_length * sizeof *r->series);
    if (!record.failed) {
        uint64_t hash = fl_text_hash(record.data, record.length);
        fl_text_append_bytes(&record, (const char *)&hash, sizeof hash);
    }
    checkpoint->failed |= record.failed || fwrite(record.data, record.length, 1, checkpoint->file) != 1 || fflush(checkpoint->file) != 0;
    fl_text_clear(&record);
}

bool fl_load_checkpoint_close(fl_load_checkpoint *checkpoint)
{
    if (!checkpoint)
        return true;
    bool good = !checkpoint->failed;
    if (checkpoint->file)
        good &= fclose(checkpoint->file) == 0;
    free(checkpoint);
    return good;
}
