/* Finished runs of an experiment in a file, to be taken up again. */
#include "experiments/load/curves_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A header, then a record a run: how many bytes follow, the run's number, its result as it lies in
 * memory but without pointers, the lists that hang on it, and a hash of all that. Lists that are
 * added to fl_sim_result must be added here.
 *
 * A file may have been cut off anywhere, and may come from anywhere: it is read completely, every
 * number in it is checked before it is used, and what stands behind the first record that is not
 * complete counts as not there. */

enum { BYTES_MAX = 1 << 30, CYCLE_WORDS = 5 };
_Static_assert(sizeof(fl_sim_sample) % sizeof(uint64_t) == 0,
               "samples lie in the file without gaps");

typedef struct header {
    char format[24], version[24];
    uint64_t result_bytes, tasks_hash, hash; /* hash: of what stands before it */
} header;

static header header_of(uint64_t tasks_hash)
{
    header h;
    memset(&h, 0, sizeof h);
    snprintf(h.format, sizeof h.format, "faultline load runs 2\n");
    snprintf(h.version, sizeof h.version, "%s", FL_VERSION);
    h.result_bytes = sizeof(fl_sim_result);
    h.tasks_hash = tasks_hash;
    h.hash = fl_text_hash((const char *)&h, offsetof(header, hash));
    return h;
}

static const fl_network *network_of(const fl_sim_task *task)
{
    return fl_sim_plan_set_up(task->plan)->router->network;
}

/* ---- vertices as numbers: nodes are odd, switches even ---- */

static uint64_t number_of(const fl_network *network, fl_address at)
{
    return fl_address_is_node(at) ? 2 * network->type->node_index(network, at) + 1
                                  : 2 * network->type->switch_index(network, at);
}

static bool find_vertex(const fl_network *network, uint64_t number, fl_address *out)
{
    bool node = number & 1;
    if (number / 2 >= (node ? network->nodes : network->switches))
        return false;
    *out = node ? network->type->node_address(network, number / 2)
                : network->type->switch_address(network, number / 2);
    return true;
}

/* ---- writing ---- */

static void append_u64(fl_text *out, uint64_t number)
{
    fl_text_append_bytes(out, (const char *)&number, sizeof number);
}

static void append_cycle(fl_text *out, const fl_network *network, const fl_sim_result *r)
{
    for (unsigned i = 0; i < r->cycle_length; i++) {
        const fl_sim_waiting *w = &r->cycle[i];
        append_u64(out, number_of(network, w->channel.from));
        append_u64(out, number_of(network, w->channel.to));
        append_u64(out, w->channel.number);
        append_u64(out, number_of(network, w->source));
        append_u64(out, number_of(network, w->destination));
    }
}

void fl_load_checkpoint_append(fl_text *out, const fl_sim_task *tasks, size_t task,
                               const fl_sim_result *r)
{
    uint64_t cycle = (uint64_t)r->cycle_length * CYCLE_WORDS * sizeof(uint64_t),
             series = r->series_length * sizeof *r->series;
    fl_sim_result unmerged = *r;
    unmerged.cycle = NULL;
    unmerged.series = NULL;
    size_t start = out->length;
    append_u64(out, sizeof(uint64_t) + sizeof unmerged + cycle + series);
    append_u64(out, task);
    fl_text_append_bytes(out, (const char *)&unmerged, sizeof unmerged);
    append_cycle(out, network_of(&tasks[task]), r);
    fl_text_append_bytes(out, (const char *)r->series, series);
    if (!out->failed)
        append_u64(out, fl_text_hash(out->data + start, out->length - start));
}

void fl_load_checkpoint_begin(fl_text *out, uint64_t tasks_hash)
{
    header h = header_of(tasks_hash);
    fl_text_append_bytes(out, (const char *)&h, sizeof h);
}

/* ---- reading ---- */

typedef struct reader {
    const char *at, *end;
} reader;

static bool take(reader *r, void *out, size_t bytes)
{
    if ((size_t)(r->end - r->at) < bytes)
        return false;
    if (bytes > 0) /* `out` may be NULL then */
        memcpy(out, r->at, bytes);
    r->at += bytes;
    return true;
}

static bool take_u64(reader *r, uint64_t *out)
{
    return take(r, out, sizeof *out);
}

/* A bool that is neither 0 nor 1 must not be read as one. */
static bool has_true_bools(const char *bytes)
{
    static const size_t bools[] = {
        offsetof(fl_sim_result, saturated),           offsetof(fl_sim_result, steady),
        offsetof(fl_sim_result, deadlocked),          offsetof(fl_sim_result, stopped),
        offsetof(fl_sim_result, completion.complete), offsetof(fl_sim_result, completion.stalled)};
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if ((unsigned char)bytes[bools[i]] > 1)
            return false;
    return true;
}

/* Is it a result of this task, and does everything in it that leads elsewhere lead to something? */
static bool fits(const fl_sim_result *r, const fl_sim_task *task)
{
    const fl_sim_set_up *set_up = fl_sim_plan_set_up(task->plan);
    uint32_t messages = set_up->workload ? fl_sim_workload_messages(set_up->workload) : 0;
    for (uint64_t i = 0; i < r->completion.lost && i < FL_SIM_LOST_MESSAGES; i++)
        if (r->completion.first_lost[i].place >= messages ||
            r->completion.first_lost[i].why >= FL_SIM_LOSSES)
            return false;
    return memcmp(&r->load, &task->load, sizeof r->load) == 0 && r->seed == task->seed &&
           !r->stopped && (r->series_length == 0 || set_up->series > 0) &&
           (r->cycle_length == 0 || r->deadlocked);
}

static bool take_cycle(reader *in, fl_sim_result *r, const fl_sim_task *task)
{
    const fl_network *network = network_of(task);
    if (r->cycle_length > (size_t)(in->end - in->at) / (CYCLE_WORDS * sizeof(uint64_t)))
        return false;
    r->cycle = r->cycle_length ? calloc(r->cycle_length, sizeof *r->cycle) : NULL;
    bool good = r->cycle || !r->cycle_length;
    for (unsigned i = 0; i < r->cycle_length && good; i++) {
        fl_sim_waiting *w = &r->cycle[i];
        uint64_t words[CYCLE_WORDS];
        good = take(in, words, sizeof words) && find_vertex(network, words[0], &w->channel.from) &&
               find_vertex(network, words[1], &w->channel.to) && words[2] < FL_CHANNELS_MAX &&
               find_vertex(network, words[3], &w->source) &&
               find_vertex(network, words[4], &w->destination);
        w->channel.number = good ? (unsigned)words[2] : 0;
    }
    return good;
}

static bool take_series(reader *in, fl_sim_result *r)
{
    if (r->series_length != (size_t)(in->end - in->at) / sizeof *r->series)
        return false;
    r->series = r->series_length ? malloc(r->series_length * sizeof *r->series) : NULL;
    return (r->series || !r->series_length) &&
           take(in, r->series, r->series_length * sizeof *r->series);
}

/* The body of a record, all of it. */
static bool take_result(reader *in, const fl_sim_task *task, fl_sim_result *out)
{
    if ((size_t)(in->end - in->at) < sizeof *out || !has_true_bools(in->at) ||
        !take(in, out, sizeof *out))
        return false;
    out->cycle = NULL;
    out->series = NULL;
    return fits(out, task) && take_cycle(in, out, task) && take_series(in, out) &&
           in->at == in->end;
}

/* One record; false at the end of the file, or of what is complete in it. */
static bool take_record(reader *in, const fl_sim_task *tasks, fl_sim_result *results, bool *done,
                        size_t count)
{
    const char *start = in->at;
    uint64_t length, task, hash;
    if (!take_u64(in, &length) || length > (uint64_t)(in->end - in->at) ||
        (uint64_t)(in->end - in->at) - length < sizeof hash)
        return false;
    reader body = {in->at, in->at + length};
    in->at = body.end;
    if (!take_u64(in, &hash) || hash != fl_text_hash(start, (size_t)(body.end - start)))
        return false;
    fl_sim_result r = {0};
    if (!take_u64(&body, &task) || task >= count || done[task] ||
        !take_result(&body, &tasks[task], &r)) {
        fl_sim_result_clear(&r);
        return false;
    }
    results[task] = r;
    return done[task] = true;
}

fl_status fl_load_checkpoint_parse(const char *data, size_t length, const char *path,
                                   uint64_t tasks_hash, const fl_sim_task *tasks,
                                   fl_sim_result *results, bool *done, size_t count,
                                   size_t *complete, fl_error *error)
{
    header wanted = header_of(tasks_hash), found;
    reader in = {data, data + length};
    *complete = 0;
    if (!take(&in, &found, sizeof found))
        return FL_OK; /* cut off at once */
    if (memcmp(found.format, wanted.format, sizeof found.format) != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is no checkpoint of simulations of this version: --force begins anew",
                       path);
    if (found.hash != fl_text_hash((const char *)&found, offsetof(header, hash)))
        return fl_fail(error, FL_ERR_INVALID,
                       "'%s' is damaged: its head has another checksum; --force begins anew", path);
    if (memcmp(&found, &wanted, sizeof found) != 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "'%s' is from another spec, other options or input files, or another version: --force begins anew",
            path);
    do
        *complete = (size_t)(in.at - data);
    while (take_record(&in, tasks, results, done, count));
    return FL_OK;
}

/* ---- the file ---- */

struct fl_load_checkpoint {
    const fl_sim_task *tasks;
    const char *path;
    int file;
    size_t complete; /* bytes in the file that are records, or the header */
    fl_text pending; /* records that could not be written yet */
    bool warned;
    void (*warn)(void *user, const char *text);
    void *user;
};

/* False, and nothing is added to the file, when it cannot all be written. */
static bool flush(fl_load_checkpoint *c)
{
    size_t at = 0;
    while (at < c->pending.length) {
        ssize_t written = pwrite(c->file, c->pending.data + at, c->pending.length - at,
                                 (off_t)(c->complete + at));
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            break;
        at += (size_t)written;
    }
    if (at < c->pending.length) {
        int reason = errno;
        if (ftruncate(c->file, (off_t)c->complete))
            at = 0; /* what stands there is not complete, and is overwritten by the next try, or
                       found out by its hash */
        errno = reason;
        return false;
    }
    c->complete += at;
    fl_text_clear(&c->pending);
    return true;
}

static fl_status fail_to_write(const fl_load_checkpoint *c, fl_error *error)
{
    return fl_fail(error, FL_ERR_IO, "cannot write '%s': %s", c->path, strerror(errno));
}

static fl_status take_up(fl_load_checkpoint *c, uint64_t hash, fl_sim_result *results, bool *done,
                         size_t count, fl_error *error)
{
    char *data;
    size_t length;
    fl_status status = fl_file_read(&data, &length, c->path, BYTES_MAX, error);
    if (!status) {
        status = fl_load_checkpoint_parse(data, length, c->path, hash, c->tasks, results, done,
                                          count, &c->complete, error);
        free(data);
    }
    if (status)
        return status;
    if (c->complete == 0)
        fl_load_checkpoint_begin(&c->pending, hash);
    if (c->pending.failed)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a checkpoint");
    return ftruncate(c->file, (off_t)c->complete) == 0 && flush(c) ? FL_OK
                                                                   : fail_to_write(c, error);
}

fl_status fl_load_checkpoint_open(fl_load_checkpoint **out, const char *path, uint64_t hash,
                                  const fl_sim_task *tasks, fl_sim_result *results, bool *done,
                                  size_t count, void (*warn)(void *user, const char *text),
                                  void *user, fl_error *error)
{
    fl_load_checkpoint *c = calloc(1, sizeof *c);
    if (!c)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a checkpoint");
    *c = (fl_load_checkpoint){.tasks = tasks, .path = path, .warn = warn, .user = user};
    c->file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    fl_status status =
        c->file < 0 ? fail_to_write(c, error) : take_up(c, hash, results, done, count, error);
    if (status) {
        fl_load_checkpoint_close(c);
        return status;
    }
    *out = c;
    return FL_OK;
}

/* What cannot be written now is tried again with the next run: a full disk may have room again by
 * then. What there is no memory for is done again after --resume, and needs no words of its own:
 * the runs themselves need more. */
void fl_load_checkpoint_add(void *user, size_t task, const fl_sim_result *r)
{
    fl_load_checkpoint *c = user;
    fl_load_checkpoint_append(&c->pending, c->tasks, task, r);
    if (c->pending.failed)
        fl_text_clear(&c->pending);
    if (flush(c) || c->warned)
        return;
    c->warned = true;
    fl_error text;
    fl_fail(&text, FL_OK,
            "cannot write '%.800s': %s; it goes on without checkpoints until that works", c->path,
            strerror(errno));
    if (c->warn)
        c->warn(c->user, text.text);
}

void fl_load_checkpoint_close(fl_load_checkpoint *c)
{
    if (!c)
        return;
    if (c->file >= 0)
        close(c->file);
    fl_text_clear(&c->pending);
    free(c);
}
