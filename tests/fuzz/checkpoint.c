/* Checkpoints of simulations of curves, read as untrusted bytes. A checkpoint belongs to this
 * program and machine, so an input is not a file but a list of edits of one just written: a byte of
 * flags, then triples of a position (two bytes) and a value for it; a last pair of bytes cuts the
 * file off there. With the first flag the checksums are corrected, so that what follows them is
 * read; with the second the network of the runs is another. Whatever is restored can be written and
 * read again. */
#define _POSIX_C_SOURCE 200809L

#include "experiments/load/curves_private.h"
#include "fuzz.h"

const char *const fuzz_tokens[] = {
    "\x01", "\x03", "faultline load runs 2\n", "\xff\xff\xff\xff\xff\xff\xff\xff", "\x7f", NULL};

enum { RUNS = 3, HASH = 12345, SUMMED = 64 /* bytes of the head before its checksum */ };

typedef struct lab {
    fl_network *network;
    fl_router *router;
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    fl_sim_task tasks[RUNS];
    fl_text file;
} lab;

static void need(fl_status status, const fl_error *error)
{
    if (status)
        fprintf(stderr, "%s\n", error->text);
    MUST_HOLD(status == FL_OK);
}

/* Full rings with one channel deadlock: there are cycles in the file, and series. */
static void make_lab(lab *l, const char *network)
{
    fl_error error;
    const fl_sim_preset *preset;
    need(fl_sim_preset_find(&preset, "mikant2018", &error), &error);
    fl_sim_model model = preset->model;
    model.stop = FL_SIM_STOP_CYCLES;
    model.warmup = 10;
    model.cycles = model.drain = 300;
    model.deadlock_after = 50;
    need(fl_network_create(&l->network, network, &error), &error);
    need(fl_router_create(&l->router, l->network, "shortest", FL_SCOPE_DETOUR, &error), &error);
    need(fl_sim_traffic_create(&l->traffic, l->network, "uniform", &error), &error);
    const fl_sim_set_up set_up = {
        .router = l->router, .model = &model, .traffic = l->traffic, .series = 100};
    need(fl_sim_plan_create(&l->plan, &set_up, &error), &error);
    fl_load_checkpoint_begin(&l->file, HASH);
    for (unsigned i = 0; i < RUNS; i++) {
        fl_sim_result r;
        l->tasks[i] = (fl_sim_task){l->plan, i ? 1 : .1, i};
        need(fl_sim_run(&r, l->plan, l->tasks[i].load, i, NULL, &error), &error);
        fl_load_checkpoint_append(&l->file, l->tasks, i, &r);
        fl_sim_result_clear(&r);
    }
    MUST_HOLD(!l->file.failed);
}

static void edit(char *file, size_t *length, const uint8_t *edits, size_t size)
{
    for (; size >= 3; edits += 3, size -= 3)
        file[(size_t)(edits[0] << 8 | edits[1]) % *length] = (char)edits[2];
    if (size == 2)
        *length = (size_t)(edits[0] << 8 | edits[1]) % (*length + 1);
}

static void put_hash(char *at, const char *from, size_t length)
{
    uint64_t hash = fl_text_hash(from, length);
    memcpy(at, &hash, sizeof hash);
}

/* Makes every checksum fit the bytes that it covers. */
static void seal(char *file, size_t length)
{
    if (length < SUMMED + 8)
        return;
    put_hash(file + SUMMED, file, SUMMED);
    for (size_t at = SUMMED + 8; length - at >= 16;) {
        uint64_t body;
        memcpy(&body, file + at, sizeof body);
        if (body > length - at - 16)
            return;
        put_hash(file + at + 8 + body, file + at, 8 + (size_t)body);
        at += 16 + (size_t)body;
    }
}

static void check(const lab *l, fl_sim_result *results, const bool *done, size_t complete,
                  size_t length)
{
    fl_text again = {0}, shown = {0};
    fl_error error;
    fl_sim_columns columns = {0};
    bool done_again[RUNS] = {false};
    fl_sim_result results_again[RUNS];
    size_t whole_again;
    fl_sim_context c = fl_sim_context_of(l->plan, "test");
    MUST_HOLD(complete <= length);
    memset(results_again, 0, sizeof results_again);
    fl_sim_columns_add(&columns, l->network);
    fl_load_checkpoint_begin(&again, HASH);
    for (unsigned i = 0; i < RUNS; i++) {
        if (!done[i])
            continue;
        fl_sim_csv_row(&c, &results[i], &columns, &shown);
        fl_json_writer json = fl_json_writer_begin(&shown, 1);
        fl_json_open_object(&json, NULL);
        fl_sim_json_result(&c, &results[i], &json);
        fl_json_close(&json);
        fl_sim_summary_cycle(&c, &results[i], &shown);
        fl_load_checkpoint_append(&again, l->tasks, i, &results[i]);
    }
    need(fl_load_checkpoint_parse(again.data, again.length, "again", HASH, l->tasks, results_again,
                                  done_again, RUNS, &whole_again, &error),
         &error);
    MUST_HOLD(whole_again == again.length && memcmp(done, done_again, sizeof done_again) == 0);
    for (unsigned i = 0; i < RUNS; i++)
        fl_sim_result_clear(&results_again[i]);
    fl_text_clear(&again);
    fl_text_clear(&shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lab labs[2];
    if (!labs[0].plan) {
        make_lab(&labs[0], "torus:k=5,n=1");
        make_lab(&labs[1], "mikant:k=2,n=2");
    }
    uint8_t flags = size ? *data : 0;
    const lab *made = &labs[0], *read = &labs[flags >> 1 & 1];
    size_t length = made->file.length, complete;
    char *file = malloc(length);
    MUST_HOLD(file);
    memcpy(file, made->file.data, length);
    if (size)
        edit(file, &length, data + 1, size - 1);
    if (flags & 1)
        seal(file, length);
    char *exact = malloc(length ? length : 1); /* to detect a read past the end */
    MUST_HOLD(exact);
    memcpy(exact, file, length);
    fl_sim_result results[RUNS];
    bool done[RUNS] = {false};
    fl_error error = {0};
    memset(results, 0, sizeof results);
    if (fl_load_checkpoint_parse(exact, length, "checkpoint", HASH, read->tasks, results, done,
                                 RUNS, &complete, &error))
        MUST_HOLD(error.text[0] && !done[0] && !done[1] && !done[2]);
    else
        check(read, results, done, complete, length);
    for (unsigned i = 0; i < RUNS; i++)
        fl_sim_result_clear(&results[i]);
    free(exact);
    free(file);
    return 0;
}
