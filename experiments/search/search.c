/* A search: chains of annealing in rounds, on threads and ranks, with exchange between rounds. */
#include "experiments/search/private.h"

#include "core/clock.h"
#include "core/file.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* From FIRST_EXCHANGE on, every ROUNDS_BETWEEN_EXCHANGES rounds, one chain in FOLLOWERS, the worst
 * ones, goes on from the state of a best one. Earlier, what is good by chance at a high temperature
 * would displace the others. */
enum { FIRST_EXCHANGE = FL_SEARCH_ROUNDS / 2, ROUNDS_BETWEEN_EXCHANGES = 20, FOLLOWERS = 4 };

/* ---- sizes ---- */

static fl_status check_spec(const fl_search_spec *spec, fl_error *error)
{
    unsigned long long hosts = spec->hosts, symmetry = spec->symmetry, switches = spec->switches;
    if (spec->hosts < 2 || spec->hosts > FL_SEARCH_HOSTS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%llu hosts: 2 to %d can be searched for", hosts,
                       FL_SEARCH_HOSTS_MAX);
    if (spec->radix < 3)
        return fl_fail(error, FL_ERR_INVALID, "radix %llu: switches need 3 ports at least",
                       (unsigned long long)spec->radix);
    if (symmetry > 0 && hosts % symmetry != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "symmetry %llu does not divide the %llu hosts: each of a group of switches "
                       "has the same number",
                       symmetry, hosts);
    if (symmetry > 0 && switches % symmetry != 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "symmetry %llu does not divide the %llu switches into groups", symmetry,
                       switches);
    if (switches > 0 && fl_host_switch_hosts_max(switches, spec->radix) < hosts)
        return fl_fail(error, FL_ERR_INVALID,
                       "%llu switches of radix %llu can be connected and have %llu hosts, not %llu",
                       switches, (unsigned long long)spec->radix,
                       (unsigned long long)fl_host_switch_hosts_max(switches, spec->radix), hosts);
    if (spec->chains < 1 || spec->chains > FL_SEARCH_CHAINS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%llu chains: 1 to %d are possible",
                       (unsigned long long)spec->chains, FL_SEARCH_CHAINS_MAX);
    return FL_OK;
}

/* A divisor of `number` above 1, each as probable, or 1 if it has none. */
static uint64_t draw_divisor(uint64_t number, fl_rng *rng)
{
    uint64_t drawn = 1;
    uint32_t count = 0;
    for (uint64_t d = 2; d <= number; d++)
        if (number % d == 0 && fl_rng_below32(rng, ++count) == 0)
            drawn = d;
    return drawn;
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
    while (b > 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* With free symmetry good graphs have up to twice as many switches as the Moore bound wants, since
 * some of them have no hosts. */
static uint64_t draw_switches(uint64_t usual, uint64_t symmetry, const fl_search_spec *spec,
                              fl_rng *rng)
{
    uint64_t least = (3 * usual / 4 + symmetry - 1) / symmetry, most = 2 * usual / symmetry;
    while (least <= most && (least == 0 || fl_host_switch_hosts_max(least * symmetry, spec->radix) <
                                               spec->hosts + 2 * symmetry))
        least++;
    return least > most ? 0 : (least + fl_rng_below(rng, most - least + 1)) * symmetry;
}

fl_status fl_search_size_of(const fl_search_spec *spec, uint64_t chain, unsigned attempt,
                            fl_search_size *out, fl_error *error)
{
    uint64_t switches = spec->switches, symmetry = spec->symmetry;
    uint64_t usual = switches ? switches : fl_host_switch_switches(spec->hosts, spec->radix);
    fl_rng rng;
    fl_rng_seed(&rng, spec->seed, FL_PURPOSE_PAIRS,
                chain + (uint64_t)attempt * FL_SEARCH_CHAINS_MAX);
    if (symmetry == 0 && switches > 0)
        symmetry = draw_divisor(greatest_divisor(spec->hosts, switches), &rng);
    for (int i = 0; switches == 0 && spec->symmetry != 1 && i < 1000; i++) {
        symmetry = spec->symmetry ? spec->symmetry : draw_divisor(spec->hosts, &rng);
        switches = draw_switches(usual, symmetry, spec, &rng);
    }
    if (spec->symmetry == 1 && switches == 0)
        switches = usual;
    if (switches == 0)
        return fl_fail(error, FL_ERR_INVALID, "no number of switches fits this symmetry");
    if (switches * spec->radix > FL_SEARCH_PORTS_MAX)
        return fl_fail(error, FL_ERR_INVALID, "%llu switches of radix %llu: %d ports at most",
                       (unsigned long long)switches, (unsigned long long)spec->radix,
                       FL_SEARCH_PORTS_MAX);
    *out = (fl_search_size){.nodes = (uint32_t)spec->hosts,
                            .switches = (uint32_t)switches,
                            .radix = (uint32_t)spec->radix,
                            .symmetry = (uint32_t)(symmetry ? symmetry : 1)};
    return FL_OK;
}

/* ---- making one ---- */

static bool is_mine(const fl_search *search, uint64_t chain)
{
    return chain % search->stride == search->first;
}

static unsigned rank_of(const fl_search *search, uint64_t chain)
{
    return (unsigned)(chain % search->stride);
}

/* Can the chains begin with this network? */
static fl_status check_start(const fl_search_spec *spec, const fl_network *start, fl_error *error)
{
    fl_search_graph graph;
    fl_search_size size;
    fl_rng rng;
    fl_rng_seed(&rng, spec->seed, FL_PURPOSE_PAIRS, 0);
    fl_status status = fl_search_size_of(spec, 0, 0, &size, error);
    if (status)
        return status;
    status =
        fl_search_graph_create(&graph, size.nodes, size.switches, size.radix, size.symmetry, error);
    if (!status)
        status = fl_search_graph_take(&graph, start, &rng, error);
    fl_search_graph_clear(&graph);
    return status;
}

fl_status fl_search_create(fl_search **out, const fl_search_spec *spec, const fl_network *start,
                           fl_ranks *ranks, fl_error *error)
{
    *out = NULL;
    fl_status status = check_spec(spec, error);
    if (!status && start)
        status = check_start(spec, start, error);
    if (status)
        return status;
    fl_search *s = calloc(1, sizeof *s);
    if (!s)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    s->spec = *spec;
    s->start = start;
    s->ranks = ranks;
    s->stride = ranks ? ranks->count : 1;
    s->first = ranks ? ranks->mine : 0;
    s->chains = calloc(spec->chains, sizeof *s->chains);
    s->reports = calloc(spec->chains, sizeof *s->reports);
    if (!s->chains || !s->reports) {
        fl_search_destroy(s);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for %llu chains",
                       (unsigned long long)spec->chains);
    }
    *out = s;
    return FL_OK;
}

void fl_search_destroy(fl_search *search)
{
    if (!search)
        return;
    for (uint64_t c = 0; search->chains && c < search->spec.chains; c++)
        fl_chain_clear(&search->chains[c]);
    fl_chain_clear(&search->winner);
    free(search->chains);
    free(search->reports);
    free(search);
}

/* ---- a round ---- */

typedef struct round_of_threads {
    fl_search *search;
    const atomic_bool *stop;
    double slice; /* seconds that each chain has */
    atomic_uint_fast64_t next;
    pthread_mutex_t lock;
    fl_error *error;
    fl_status status;
} round_of_threads;

static double temperature_at(const fl_search_spec *spec, double fraction)
{
    /* To the precision of a float: mathematical libraries differ in the last bits. */
    return (float)(spec->hottest * pow(spec->coldest / spec->hottest, fraction));
}

static void anneal(const round_of_threads *round, fl_chain *chain)
{
    enum { STEPS_BETWEEN_LOOKS = 64 };
    const fl_search *search = round->search;
    const fl_search_spec *spec = &search->spec;
    uint64_t end = spec->steps / FL_SEARCH_ROUNDS * (search->rounds_done + 1) +
                   spec->steps % FL_SEARCH_ROUNDS * (search->rounds_done + 1) / FL_SEARCH_ROUNDS;
    double begin = fl_seconds_now();
    while (!round->stop || !atomic_load_explicit(round->stop, memory_order_relaxed)) {
        double fraction;
        uint64_t steps = STEPS_BETWEEN_LOOKS;
        if (spec->steps > 0) {
            if (chain->steps >= end)
                return;
            steps = end - chain->steps < steps ? end - chain->steps : steps;
            fraction = (double)chain->steps / (double)spec->steps;
        } else {
            double in_round = (fl_seconds_now() - begin) / round->slice;
            if (!(in_round < 1))
                return;
            fraction = (search->rounds_done + in_round) / FL_SEARCH_ROUNDS;
        }
        double temperature = temperature_at(spec, fraction);
        for (uint64_t i = 0; i < steps; i++)
            fl_chain_step(chain, temperature);
    }
}

/* Sizes that were drawn may have no connected graph: others are drawn then. */
static fl_status begin_chain(const fl_search *search, uint64_t number, fl_error *error)
{
    enum { ATTEMPTS = 50 };
    fl_chain *chain = &search->chains[number];
    bool given = search->spec.switches > 0 && search->spec.symmetry > 0;
    fl_status status = FL_ERR_INVALID;
    for (unsigned i = 0; status == FL_ERR_INVALID && i < (given ? 1 : ATTEMPTS); i++) {
        fl_search_size size;
        fl_chain_clear(chain);
        status = fl_search_size_of(&search->spec, number, i, &size, error);
        if (!status)
            status = fl_chain_create(chain, &size, search->start, search->spec.seed, number, error);
    }
    return status;
}

static void *work(void *user)
{
    round_of_threads *round = user;
    fl_search *search = round->search;
    for (;;) {
        uint64_t c = search->first + atomic_fetch_add(&round->next, 1) * search->stride;
        if (c >= search->spec.chains)
            return NULL;
        fl_chain *chain = &search->chains[c];
        fl_error error;
        fl_status status = chain->distances ? FL_OK : begin_chain(search, c, &error);
        if (!status) {
            anneal(round, chain);
            continue;
        }
        pthread_mutex_lock(&round->lock);
        round->status = status;
        if (round->error)
            *round->error = error;
        pthread_mutex_unlock(&round->lock);
        return NULL;
    }
}

static uint64_t chains_of_mine(const fl_search *search)
{
    return search->spec.chains > search->first
               ? (search->spec.chains - search->first - 1) / search->stride + 1
               : 0;
}

/* Each chain of this process does its steps of the round. */
static fl_status do_round(fl_search *search, const fl_search_run_options *options, fl_error *error)
{
    uint64_t mine = chains_of_mine(search), threads = options->threads ? options->threads : 1;
    double left = search->spec.seconds - search->seconds;
    pthread_t ids[64];
    unsigned started = 0;
    if (threads > mine)
        threads = mine ? mine : 1;
    if (threads > sizeof ids / sizeof *ids + 1)
        threads = sizeof ids / sizeof *ids + 1;
    round_of_threads round = {
        .search = search,
        .stop = options->stop,
        .slice = fmax(0, left) / (FL_SEARCH_ROUNDS - search->rounds_done) * (double)threads /
                 (double)(mine ? mine : 1),
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .error = error,
    };
    /* Fewer threads than asked for do the same work. */
    while (started + 1 < threads && pthread_create(&ids[started], NULL, work, &round) == 0)
        started++;
    work(&round);
    for (unsigned i = 0; i < started; i++)
        pthread_join(ids[i], NULL);
    return round.status;
}

/* ---- between rounds ---- */

static void report(fl_search *search)
{
    for (uint64_t c = search->first; c < search->spec.chains; c += search->stride) {
        const fl_chain *chain = &search->chains[c];
        search->reports[c] = (fl_chain_report){.sum = chain->sum,
                                               .best_sum = chain->best_sum,
                                               .steps = chain->steps,
                                               .accepted = chain->accepted,
                                               .switches = chain->size.switches,
                                               .symmetry = chain->size.symmetry};
    }
    for (uint64_t c = 0; search->ranks && c < search->spec.chains; c++)
        search->ranks->share(search->ranks, &search->reports[c], sizeof search->reports[c],
                             rank_of(search, c));
}

/* The sum over unordered pairs, node links included. */
static uint64_t sum_of_pairs(const fl_search *search, uint64_t sum)
{
    uint64_t hosts = search->spec.hosts;
    return sum / 2 + hosts * (hosts - 1);
}

static void update_state(fl_search *search)
{
    fl_search_state *state = &search->state;
    const fl_chain_report *best = search->reports, *now = best;
    *state = (fl_search_state){.round = search->rounds_done,
                               .rounds = FL_SEARCH_ROUNDS,
                               .seconds = search->seconds,
                               .pairs = search->spec.hosts * (search->spec.hosts - 1) / 2};
    for (uint64_t c = 0; c < search->spec.chains; c++) {
        const fl_chain_report *r = &search->reports[c];
        best = r->best_sum < best->best_sum ? r : best;
        now = r->sum < now->sum ? r : now;
        state->steps += r->steps;
        state->accepted += r->accepted;
    }
    search->best = (uint64_t)(best - search->reports);
    state->sum = sum_of_pairs(search, best->best_sum);
    state->current_sum = sum_of_pairs(search, now->sum);
    state->switches = best->switches;
    state->symmetry = best->symmetry;
}

/* Appends the bytes of a chain, on all ranks: in pieces, so that a rank without memory takes part,
 * and fails afterwards. */
static void spread_chain(const fl_search *search, uint64_t chain, fl_text *out)
{
    fl_ranks *ranks = search->ranks;
    fl_text bytes = {0};
    char piece[4096] = {0};
    if (is_mine(search, chain))
        fl_chain_append(&search->chains[chain], &bytes);
    uint64_t length = bytes.failed ? 0 : bytes.length;
    if (!ranks) {
        fl_text_append_bytes(out, bytes.data, length);
    } else {
        unsigned owner = rank_of(search, chain);
        ranks->share(ranks, &length, sizeof length, owner);
        for (uint64_t at = 0; at < length; at += sizeof piece) {
            size_t size = length - at < sizeof piece ? length - at : sizeof piece;
            if (is_mine(search, chain))
                memcpy(piece, bytes.data + at, size);
            ranks->share(ranks, piece, size, owner);
            fl_text_append_bytes(out, piece, size);
        }
    }
    out->failed |= length == 0;
    fl_text_clear(&bytes);
}

typedef struct rank_state {
    fl_status status;
    bool stopped;
    char text[sizeof((fl_error *)0)->text];
} rank_state;

/* The same on all ranks: the first failure, or whether one was asked to stop. */
static fl_status agree(const fl_search *search, fl_status status, bool *stopped, fl_error *error)
{
    for (unsigned i = 0; search->ranks && i < search->ranks->count; i++) {
        rank_state state = {.status = status, .stopped = *stopped};
        if (status && error)
            memcpy(state.text, error->text, sizeof state.text);
        search->ranks->share(search->ranks, &state, sizeof state, i);
        *stopped |= state.stopped;
        if (state.status)
            return fl_fail(error, state.status, "%s", state.text);
    }
    return status;
}

/* Chains by their sums now, best first; equal ones by number. */
static int compare_ranks_of_chains(const void *a, const void *b)
{
    const fl_chain_report *x = *(const fl_chain_report *const *)a;
    const fl_chain_report *y = *(const fl_chain_report *const *)b;
    return x->sum != y->sum ? (x->sum < y->sum ? -1 : 1) : x < y ? -1 : 1;
}

static fl_status exchange(fl_search *search, fl_error *error)
{
    uint64_t chains = search->spec.chains, followers = chains / FOLLOWERS;
    if (followers == 0 && chains > 1)
        followers = 1;
    const fl_chain_report **order = malloc(chains * sizeof *order);
    bool none = false;
    fl_status status = order ? FL_OK : fl_fail(error, FL_ERR_MEMORY, "out of memory");
    status = agree(search, status, &none, error);
    for (uint64_t c = 0; !status && c < chains; c++)
        order[c] = &search->reports[c];
    if (!status)
        qsort(order, chains, sizeof *order, compare_ranks_of_chains);
    for (uint64_t i = 0; !status && i < followers; i++) {
        uint64_t leader = (uint64_t)(order[i] - search->reports);
        uint64_t follower = (uint64_t)(order[chains - 1 - i] - search->reports);
        fl_text bytes = {0};
        spread_chain(search, leader, &bytes);
        if (bytes.failed)
            status = fl_fail(error, FL_ERR_MEMORY, "out of memory for a chain");
        else if (is_mine(search, follower))
            status = fl_chain_follow(&search->chains[follower], bytes.data, bytes.length, error);
        fl_text_clear(&bytes);
        status = agree(search, status, &none, error);
    }
    free(order);
    return status;
}

static fl_status write_checkpoint(fl_search *search, const char *path, fl_error *error)
{
    fl_text chains = {0}, file = {0};
    bool none = false;
    fl_status status = FL_OK;
    for (uint64_t c = 0; c < search->spec.chains; c++)
        spread_chain(search, c, &chains);
    if (search->first == 0) {
        fl_search_checkpoint(search, &chains, &file);
        status = file.failed ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a checkpoint")
                             : fl_file_write(path, file.data, file.length, error);
    }
    fl_text_clear(&chains);
    fl_text_clear(&file);
    return agree(search, status, &none, error);
}

/* A checkpoint a second is enough. Rank 0 decides for all. */
static bool wants_checkpoint(fl_search *search, const fl_search_run_options *options)
{
    double now = fl_seconds_now();
    bool wants = options->checkpoint && now - search->last_checkpoint >= 1;
    if (search->ranks)
        search->ranks->share(search->ranks, &wants, sizeof wants, 0);
    if (wants)
        search->last_checkpoint = now;
    return wants;
}

/* Without room for a checkpoint the search goes on. */
static fl_status keep_checkpoint(fl_search *search, const fl_search_run_options *options,
                                 fl_error *error)
{
    fl_error own;
    fl_status status = write_checkpoint(search, options->checkpoint, &own);
    if (status != FL_ERR_IO)
        return status ? fl_fail(error, status, "%s", own.text) : FL_OK;
    if (search->first == 0 && options->warn && !search->warned)
        options->warn(options->user, own.text);
    search->warned = true;
    return FL_OK;
}

/* The best chain, for rank 0 to write. */
static fl_status find_winner(fl_search *search, fl_error *error)
{
    fl_text bytes = {0};
    size_t used;
    bool none = false;
    fl_status status = FL_OK;
    spread_chain(search, search->best, &bytes);
    fl_chain_clear(&search->winner);
    if (search->first == 0)
        status = bytes.failed
                     ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the graph")
                     : fl_chain_read(&search->winner, bytes.data, bytes.length, &used, error);
    fl_text_clear(&bytes);
    return agree(search, status, &none, error);
}

fl_status fl_search_run(fl_search *search, const fl_search_run_options *options, fl_error *error)
{
    fl_status status = FL_OK;
    bool stopped = false;
    search->last_checkpoint = fl_seconds_now();
    while (!status && !stopped && search->rounds_done < FL_SEARCH_ROUNDS) {
        double begin = fl_seconds_now();
        status = do_round(search, options, error);
        stopped = options->stop && atomic_load(options->stop);
        status = agree(search, status, &stopped, error);
        if (status)
            break;
        search->seconds += fl_seconds_now() - begin;
        search->rounds_done += !stopped;
        report(search);
        update_state(search);
        if (options->progress && search->first == 0)
            options->progress(options->user, &search->state);
        if (stopped || search->rounds_done == FL_SEARCH_ROUNDS)
            break;
        if (search->rounds_done >= FIRST_EXCHANGE &&
            search->rounds_done % ROUNDS_BETWEEN_EXCHANGES == 0)
            status = exchange(search, error);
        if (!status && wants_checkpoint(search, options))
            status = keep_checkpoint(search, options, error);
    }
    search->state.stopped = stopped;
    return status ? status : find_winner(search, error);
}

void fl_search_state_of(const fl_search *search, fl_search_state *out)
{
    *out = search->state;
}
