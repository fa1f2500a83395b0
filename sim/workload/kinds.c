/* The workloads of the thin-tree paper, IV.C. It names its patterns and cites their definitions
 * (its [12] and [13]); they are written down here as the generators of its authors' simulator,
 * INSEE, make them (docs/workloads.md). */
#include "sim/workload/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_PROCESS UINT32_C(0xffffffff)

typedef struct request {
    const struct kind *kind;
    const char *spec;
    uint64_t processes, bytes, messages, wave, seed;
    uint64_t sides[3];
    bool has_sides;
} request;

typedef struct kind {
    const char *name;
    fl_status (*check)(request *r, fl_error *error);
    void (*make)(const request *r, fl_sim_builder *b);
    unsigned sides; /* of the mesh, or 0 */
    unsigned bytes; /* of a message, if not said otherwise */
    unsigned wave;  /* messages of a wave, or 0 */
} kind;

/* ---- collectives ---- */

static fl_status check_all_to_all(request *r, fl_error *error)
{
    uint64_t messages = r->processes * (r->processes - 1);
    if (messages > FL_SIM_MESSAGES_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "AA between %llu processes has %llu messages; a workload holds up to %u",
                       (unsigned long long)r->processes, (unsigned long long)messages,
                       FL_SIM_MESSAGES_MAX);
    return FL_OK;
}

/* Every process to every other, beginning with the next; none waits. */
static void make_all_to_all(const request *r, fl_sim_builder *b)
{
    uint32_t processes = (uint32_t)r->processes;
    for (uint32_t i = 0; i < processes && !fl_sim_builder_failed(b); i++)
        for (uint32_t j = 1; j < processes; j++)
            fl_sim_builder_message(b, i, (uint32_t)(((uint64_t)i + j) % processes),
                                   (uint32_t)r->bytes);
}

static fl_status check_power_of_two(request *r, fl_error *error)
{
    if ((r->processes & (r->processes - 1)) == 0)
        return FL_OK;
    uint64_t below = 2;
    while (2 * below < r->processes)
        below *= 2;
    return fl_fail(
        error, FL_ERR_INVALID,
        "%s needs 2, 4, 8, ... processes, not %llu; %s:processes=%llu leaves the others idle",
        r->kind->name, (unsigned long long)r->processes, r->kind->name, (unsigned long long)below);
}

/* A reduction: with p = 1, 2, 4, ... the odd multiples of p send to the even ones before them, once
 * they have received all of their own. */
static void make_binary_tree(const request *r, fl_sim_builder *b)
{
    uint32_t processes = (uint32_t)r->processes;
    for (uint32_t p = 1; p < processes && !fl_sim_builder_failed(b); p *= 2)
        for (uint32_t i = p; i < processes; i += 2 * p) {
            uint32_t m = fl_sim_builder_message(b, i, i - p, (uint32_t)r->bytes);
            /* Process i received one in each step before this one; steps have N / 2, N / 4, ...
             * messages. */
            for (uint32_t step = 1; step < p; step *= 2)
                fl_sim_builder_after(b, m, processes - processes / step + i / (2 * step));
        }
}

/* Recursive doubling: in step n every process exchanges with that whose number differs in bit n,
 * then waits for its message. */
static void make_butterfly(const request *r, fl_sim_builder *b)
{
    uint32_t processes = (uint32_t)r->processes, step = 0;
    for (uint32_t p = 1; p < processes && !fl_sim_builder_failed(b); p *= 2, step++)
        for (uint32_t i = 0; i < processes; i++) {
            uint32_t m = fl_sim_builder_message(b, i, i ^ p, (uint32_t)r->bytes);
            if (step == 0)
                continue;
            fl_sim_builder_after(b, m, (step - 1) * processes + i);
            fl_sim_builder_after(b, m, (step - 1) * processes + (i ^ (p / 2)));
        }
}

/* ---- meshes ---- */

/* The integer whose power is n, or 0. */
static uint64_t root_of(uint64_t n, unsigned power)
{
    for (uint64_t side = 1;; side++) {
        uint64_t product = power == 2 ? side * side : side * side * side;
        if (product >= n)
            return product == n ? side : 0;
    }
}

static fl_status check_sides(request *r, fl_error *error)
{
    unsigned sides = r->kind->sides;
    const char *shape = sides == 2 ? "AxB" : "AxBxC";
    if (!r->has_sides) {
        uint64_t side = root_of(r->processes, sides);
        if (side == 0)
            return fl_fail(
                error, FL_ERR_INVALID,
                "%llu processes are no %s: give the sides of the mesh with %s:sides=%s, or fewer processes with %s:processes=N",
                (unsigned long long)r->processes, sides == 2 ? "square" : "cube", r->kind->name,
                shape, r->kind->name);
        r->sides[0] = r->sides[1] = side;
        r->sides[2] = sides == 3 ? side : 1;
    }
    uint64_t product = r->sides[0] * r->sides[1] * r->sides[2]; /* each below 2^21 */
    if (product != r->processes)
        return fl_fail(error, FL_ERR_INVALID,
                       "%s: sides of %llu x %llu x %llu make %llu processes, not %llu", r->spec,
                       (unsigned long long)r->sides[0], (unsigned long long)r->sides[1],
                       (unsigned long long)r->sides[2], (unsigned long long)product,
                       (unsigned long long)r->processes);
    return FL_OK;
}

/* The neighbour of node i in direction 0, 1, ...: +X, -X, +Y, -Y, +Z, -Z; NO_PROCESS: there is
 * none.
 */
static uint32_t neighbour(const request *r, uint32_t i, unsigned direction)
{
    uint32_t stride = 1, side = (uint32_t)r->sides[direction / 2];
    for (unsigned d = 0; d < direction / 2; d++)
        stride *= (uint32_t)r->sides[d];
    uint32_t at = i / stride % side;
    if (direction % 2 == 0)
        return at + 1 < side ? i + stride : NO_PROCESS;
    return at > 0 ? i - stride : NO_PROCESS;
}

/* Every process sends to all its neighbours, once; none waits. */
static void make_mesh(const request *r, fl_sim_builder *b)
{
    for (uint32_t i = 0; i < r->processes && !fl_sim_builder_failed(b); i++)
        for (unsigned direction = 0; direction < 2 * r->kind->sides; direction++) {
            uint32_t other = neighbour(r, i, direction);
            if (other != NO_PROCESS)
                fl_sim_builder_message(b, i, other, (uint32_t)r->bytes);
        }
}

/* From one corner to the opposite one: a node sends on along every axis when it has received along
 * every axis. */
static void make_wavefront(const request *r, fl_sim_builder *b)
{
    uint32_t processes = (uint32_t)r->processes,
             *received = malloc((size_t)processes * 3 * sizeof *received); /* by process and axis */
    b->out_of_memory |= !received;
    for (uint32_t i = 0; i < processes && !fl_sim_builder_failed(b); i++)
        for (unsigned axis = 0; axis < r->kind->sides; axis++) {
            uint32_t other = neighbour(r, i, 2 * axis);
            if (other == NO_PROCESS)
                continue;
            uint32_t m = fl_sim_builder_message(b, i, other, (uint32_t)r->bytes);
            received[3 * (size_t)other + axis] =
                m; /* before the turn of `other`, whose number is higher */
            for (unsigned from = 0; from < r->kind->sides; from++)
                if (neighbour(r, i, 2 * from + 1) != NO_PROCESS)
                    fl_sim_builder_after(b, m, received[3 * (size_t)i + from]);
        }
    free(received);
}

/* ---- random ---- */

static fl_status check_random(request *r, fl_error *error)
{
    if (r->messages > FL_SIM_MESSAGES_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%s: a workload holds up to %u messages", r->spec,
                       FL_SIM_MESSAGES_MAX);
    return FL_OK;
}

typedef struct waves {
    uint32_t *sent;     /* [processes] last message that it sent, or NO_PROCESS */
    uint32_t *received; /* [processes] last message that it received in waves before and has not
                           waited for, or NO_PROCESS */
    uint32_t *older;    /* [messages] the one received before it */
} waves;

/* One more random message. Its source has waited for everything that it received in the waves
 * before; messages of this wave are not waited for. */
static void add_random(const request *r, fl_sim_builder *b, waves *w, fl_rng *rng)
{
    uint32_t source = fl_rng_below32(rng, (uint32_t)r->processes),
             other = fl_rng_below32(rng, (uint32_t)r->processes - 1);
    uint32_t m = fl_sim_builder_message(b, source, other + (other >= source), (uint32_t)r->bytes);
    if (w->sent[source] != NO_PROCESS)
        fl_sim_builder_after(b, m, w->sent[source]);
    for (uint32_t before = w->received[source]; before != NO_PROCESS; before = w->older[before])
        fl_sim_builder_after(b, m, before);
    w->received[source] = NO_PROCESS;
    w->sent[source] = m;
}

/* Messages from anywhere to anywhere in waves: a node goes on to a wave when it has sent and
 * received all that it has to in the one before. There is no barrier: processes know of their own
 * messages only. */
static void make_random(const request *r, fl_sim_builder *b)
{
    uint32_t messages = (uint32_t)r->messages;
    waves w = {malloc((size_t)r->processes * sizeof *w.sent),
               malloc((size_t)r->processes * sizeof *w.received),
               malloc(messages * sizeof *w.older)};
    fl_rng rng;
    b->out_of_memory |= !w.sent || !w.received || !w.older;
    if (!fl_sim_builder_failed(b)) {
        memset(w.sent, 0xff, (size_t)r->processes * sizeof *w.sent);
        memset(w.received, 0xff, (size_t)r->processes * sizeof *w.received);
    }
    fl_rng_seed(&rng, r->seed, FL_PURPOSE_TRAFFIC,
                UINT64_C(1) << 40); /* sources have the trials below 2^31 */
    for (uint32_t first = 0; first < messages && !fl_sim_builder_failed(b);) {
        uint32_t count = messages - first < r->wave ? messages - first : (uint32_t)r->wave;
        for (uint32_t i = 0; i < count; i++)
            add_random(r, b, &w, &rng);
        for (uint32_t m = first; m < first + count && !fl_sim_builder_failed(b); m++) {
            uint32_t at = b->workload->destination[m];
            w.older[m] = w.received[at];
            w.received[at] = m;
        }
        first += count;
    }
    free(w.sent);
    free(w.received);
    free(w.older);
}

/* ---- the table ---- */

/* Sizes: thin-tree paper, IV.C, with 1 KB = 1024 bytes. */
static const kind kinds[] = {
    {"AA", check_all_to_all, make_all_to_all, 0, 512, 0},
    {"BI", check_power_of_two, make_binary_tree, 0, 10240, 0},
    {"BU", check_power_of_two, make_butterfly, 0, 10240, 0},
    {"M2", check_sides, make_mesh, 2, 10240, 0},
    {"M3", check_sides, make_mesh, 3, 10240, 0},
    {"W2", check_sides, make_wavefront, 2, 10240, 0},
    {"W3", check_sides, make_wavefront, 3, 10240, 0},
    {"R1", check_random, make_random, 0, 1024, 1},
    {"R2", check_random, make_random, 0, 1024, 1024},
    {"R3", check_random, make_random, 0, 1024, 4094},
    {"R4", check_random, make_random, 0, 1024, 16386},
};
enum { KINDS = sizeof kinds / sizeof *kinds, RANDOM_MESSAGES = 65536 };

const fl_sim_workload_help fl_sim_workloads[] = {
    {"AA", "all-to-all: every node to every other, beginning with the next; 512 bytes"},
    {"BI", "binary tree: a reduction to node 0 in log2 N steps; 10 KB"},
    {"BU", "butterfly: in step i with the node whose number differs in bit i, log2 N steps; 10 KB"},
    {"M2, M3", "to all neighbours in a 2D or 3D mesh, once; sides=AxB[xC]; 10 KB"},
    {"W2, W3", "wave-front from one corner of a 2D or 3D mesh to the other; sides=AxB[xC]; 10 KB"},
    {"R1, R2, R3, R4",
     "65536 random messages in waves of 1, 1024, 4094, 16386; messages=N, wave=N, seed=N; 1 KB"},
    {"trace:FILE", "messages of your own (docs/workloads.md)"},
    {NULL, NULL},
};

/* ---- reading NAME:key=value,... ---- */

static fl_status find_kind(const kind **out, const char *name, const char *spec, fl_error *error)
{
    const char *names[KINDS + 2] = {0};
    for (size_t i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (strcmp(name, kinds[i].name) == 0) {
            *out = &kinds[i];
            return FL_OK;
        }
    }
    names[KINDS] = "trace:FILE";
    const char *nearest = fl_text_nearest(name, names);
    if (nearest && strlen(name) > 2)
        return fl_fail(error, FL_ERR_INVALID, "unknown workload '%.60s'; did you mean '%s'?", spec,
                       nearest);
    return fl_fail(
        error, FL_ERR_INVALID,
        "unknown workload '%.60s'; there are AA, BI, BU, M2, M3, W2, W3, R1, R2, R3, R4 and trace:FILE",
        spec);
}

static bool read_sides(request *r, const char *text)
{
    char copy[64];
    if (strlen(text) >= sizeof copy)
        return false;
    strcpy(copy, text);
    r->sides[2] = 1;
    unsigned count = 0;
    for (char *side = copy; side; count++) {
        char *x = strchr(side, 'x');
        if (x)
            *x = 0;
        if (count == r->kind->sides || !fl_text_to_u64(side, &r->sides[count]) ||
            r->sides[count] < 1 || r->sides[count] >= 1 << 21)
            return false;
        side = x ? x + 1 : NULL;
    }
    r->has_sides = true;
    return count == r->kind->sides;
}

static fl_status read_number(const request *r, const char *key, const char *text, uint64_t least,
                             uint64_t most, uint64_t *out, fl_error *error)
{
    if (fl_text_to_u64(text, out) && *out >= least && *out <= most)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID, "workload %.80s: %s must be %llu to %llu, not '%.40s'",
                   r->spec, key, (unsigned long long)least, (unsigned long long)most, text);
}

static fl_status read_option(request *r, const char *key, const char *value, uint64_t processes,
                             fl_error *error)
{
    const kind *k = r->kind;
    if (strcmp(key, "processes") == 0)
        return read_number(r, key, value, 2, processes, &r->processes, error);
    if (strcmp(key, "bytes") == 0)
        return read_number(r, key, value, 1, UINT32_MAX, &r->bytes, error);
    if (k->sides && strcmp(key, "sides") == 0)
        return read_sides(r, value)
                   ? FL_OK
                   : fl_fail(error, FL_ERR_INVALID,
                             "workload %.80s: write sides=%s, each 1 to 2097151, not '%.40s'",
                             r->spec, k->sides == 2 ? "AxB" : "AxBxC", value);
    if (k->wave && strcmp(key, "messages") == 0)
        return read_number(r, key, value, 1, FL_SIM_MESSAGES_MAX, &r->messages, error);
    if (k->wave && strcmp(key, "wave") == 0)
        return read_number(r, key, value, 1, FL_SIM_MESSAGES_MAX, &r->wave, error);
    if (k->wave && strcmp(key, "seed") == 0)
        return read_number(r, key, value, 0, UINT64_MAX, &r->seed, error);
    return fl_fail(error, FL_ERR_INVALID,
                   "workload %.80s: %s has no '%.40s'; it takes processes, bytes%s", r->spec,
                   k->name, key,
                   k->sides  ? ", sides"
                   : k->wave ? ", messages, wave, seed"
                             : "");
}

static fl_status read_options(request *r, char *text, uint64_t processes, fl_error *error)
{
    fl_status status = FL_OK;
    for (char *part = text; part && !status;) {
        char *comma = strchr(part, ','), *equals;
        if (comma)
            *comma = 0;
        if (!(equals = strchr(part, '=')))
            return fl_fail(error, FL_ERR_INVALID, "workload %.80s: '%.40s' should be key=value",
                           r->spec, part);
        *equals = 0;
        status = read_option(r, part, equals + 1, processes, error);
        part = comma ? comma + 1 : NULL;
    }
    return status;
}

static fl_status read_trace(fl_sim_workload **out, uint64_t processes, const char *path,
                            fl_error *error)
{
    char *text;
    size_t length;
    if (!*path)
        return fl_fail(error, FL_ERR_INVALID, "trace needs a file: trace:FILE");
    fl_error reason;
    fl_status status = fl_file_read(&text, &length, path, SIZE_MAX / 2, &reason);
    if (status)
        return fl_fail(error, status, "trace file: %.900s", reason.text);
    fl_sim_workload *w;
    status = fl_sim_workload_parse(&w, text, length, path, error);
    uint64_t content = fl_text_hash(text, length);
    free(text);
    if (status)
        return status;
    w->content = content;
    if (fl_sim_workload_processes(w) > processes) {
        status =
            fl_fail(error, FL_ERR_INVALID, "%s is for %u processes; the network has %llu nodes",
                    path, fl_sim_workload_processes(w), (unsigned long long)processes);
        fl_sim_workload_destroy(w);
        return status;
    }
    *out = w;
    return FL_OK;
}

/* Of a message 12 bytes, and of a relation 8 in the making and 8 for good; lists that grow have
 * room to spare, and lie in memory twice while they move. */
static fl_status check_memory(const request *r, fl_error *error)
{
    double processes = (double)r->processes, steps = log2(processes), sides = r->kind->sides,
           messages, relations;
    if (r->kind->wave) {
        messages = (double)r->messages;
        relations = 2 * messages;
    } else if (sides > 0) {
        bool mesh = r->kind->make == make_mesh;
        messages = (mesh ? 2 : 1) * sides * processes;
        relations = mesh ? 0 : sides * messages;
    } else {
        bool butterfly = r->kind->make == make_butterfly;
        messages = r->kind->make == make_all_to_all ? processes * (processes - 1)
                   : butterfly                      ? steps * processes
                                                    : processes;
        relations = butterfly ? 2 * messages : r->kind->make == make_binary_tree ? processes : 0;
    }
    return fl_memory_check(20 * messages + 28 * relations, r->spec, error);
}

fl_status fl_sim_workload_create(fl_sim_workload **out, uint64_t processes, const char *spec,
                                 fl_error *error)
{
    char copy[FL_SIM_NAME_MAX];
    if (fl_text_check_name(spec, "the workload", error))
        return FL_ERR_INVALID;
    if (strncmp(spec, "trace:", 6) == 0)
        return read_trace(out, processes, spec + 6, error);
    if (strlen(spec) >= sizeof copy)
        return fl_fail(error, FL_ERR_INVALID, "the workload '%.60s...' is too long", spec);
    strcpy(copy, spec);
    char *options = strchr(copy, ':');
    if (options)
        *options++ = 0;
    request r = {.spec = spec, .processes = processes, .messages = RANDOM_MESSAGES, .seed = 1};
    fl_status status = find_kind(&r.kind, copy, spec, error);
    if (status)
        return status;
    if (processes < 2 || processes >= FL_SIM_NODE)
        return fl_fail(error, FL_ERR_INVALID, "a workload needs 2 to 2^31 - 1 processes, not %llu",
                       (unsigned long long)processes);
    r.bytes = r.kind->bytes;
    r.wave = r.kind->wave;
    if (options)
        status = read_options(&r, options, processes, error);
    if (!status)
        status = r.kind->check(&r, error);
    if (status)
        return status;
    if ((status = check_memory(&r, error)))
        return status;
    fl_sim_builder b;
    fl_sim_builder_begin(&b, (uint32_t)r.processes, spec);
    if (b.workload)
        r.kind->make(&r, &b);
    return fl_sim_builder_end(&b, out, error);
}
