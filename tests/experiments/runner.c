/* experiments: runs in blocks: ranges of trials, precision on demand, several processes (threads
 * that play the ranks here, so that no MPI is needed), shards, checkpoints and merging. */
#include "tests/support.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- making ---- */

static fl_experiment *need_experiment(const char *text)
{
    fl_experiment *experiment = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_experiment_parse(&experiment, text, strlen(text), "test", &error) == FL_OK,
              "%s: %s", text, error.text);
    return experiment;
}

static fl_experiment *need_two_sweeps(uint64_t trials)
{
    char text[400];
    snprintf(
        text, sizeof text,
        "{\"trials\": %llu, \"sweeps\": ["
        "{\"topology\": \"mikant:k=3,n=3\", \"routers\": [\"shortest\", \"gns\", \"gns+gdl\"], \"faults\": \"0:135:9\"},"
        "{\"topology\": \"kary-ntree:k=2,n=3\", \"routers\": [\"shortest\", \"gdl\"], \"fault_rate\": \"0:1:0.25\"}]}",
        (unsigned long long)trials);
    return need_experiment(text);
}

static fl_results *need_run(const fl_experiment *experiment, const fl_run_options *options)
{
    fl_results *results = NULL;
    fl_error error = {.text = ""};
    cr_assert(fl_experiment_run(&results, experiment, options, &error) == FL_OK, "%s", error.text);
    return results;
}

static char *csv_of(const fl_results *results)
{
    fl_text text = {0};
    fl_results_csv(results, &text);
    return text.data;
}

/* The CSV of a run, whose results are freed. */
static char *csv_of_run(const fl_experiment *experiment, const fl_run_options *options)
{
    fl_results *results = need_run(experiment, options);
    char *csv = csv_of(results);
    fl_results_destroy(results);
    return csv;
}

static void expect_same_counts(const fl_results *a, const fl_results *b, const char *what)
{
    char *of_a = csv_of(a), *of_b = csv_of(b);
    cr_expect(strcmp(of_a, of_b) == 0, "%s: the tables differ", what);
    for (unsigned i = 0; i < a->experiment->sweep_count; i++) {
        const fl_counts *x = a->counts[i], *y = b->counts[i];
        size_t pairs = (size_t)x->routers * (x->routers - 1) / 2 * x->fault_points;
        cr_expect(memcmp(x->both, y->both, pairs * sizeof *x->both) == 0,
                  "%s: the counts of pairs differ", what);
    }
    free(of_a);
    free(of_b);
}

/* ---- ranges ---- */

enum { PLACES = 200 };

static void compare_with_bits(const fl_ranges *ranges, const bool *bits)
{
    uint64_t total = 0, gap_first = PLACES;
    for (uint64_t i = PLACES; i-- > 0;) {
        total += bits[i];
        gap_first = bits[i] ? gap_first : i;
    }
    cr_assert(fl_ranges_total(ranges) == total, "the ranges hold all numbers");
    fl_range gap;
    bool has_gap = fl_ranges_gap(ranges, (fl_range){0, PLACES}, &gap);
    cr_assert(has_gap == (gap_first < PLACES), "a gap is found if there is one");
    for (uint64_t i = gap.first; has_gap && i < gap.end; i++)
        cr_assert(!bits[i], "%llu is in no gap", (unsigned long long)i);
    cr_assert(!has_gap || (gap.first == gap_first && (gap.end == PLACES || bits[gap.end])),
              "the first gap is found, and all of it");
    for (size_t i = 0; i < ranges->count; i++) {
        cr_assert(ranges->of[i].first < ranges->of[i].end, "no range is empty");
        cr_assert(i == 0 || ranges->of[i - 1].end < ranges->of[i].first, "neighbours are joined");
    }
}

Test(ranges, are_a_set_of_numbers)
{
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_ROUTING, 0);
    for (int round = 0; round < TEST_ROUNDS(300); round++) {
        fl_ranges ranges = {0};
        bool bits[PLACES] = {false};
        for (int i = 0; i < 60; i++) {
            fl_range range = {fl_rng_below32(&rng, PLACES - 20), 0}, where;
            range.end = range.first + fl_rng_below32(&rng, 20);
            bool meets = false;
            for (uint64_t at = range.first; at < range.end; at++)
                meets |= bits[at];
            fl_error error = {.text = ""};
            cr_assert(fl_ranges_meet(&ranges, range, &where) == meets,
                      "what is there already is noticed");
            cr_assert(!meets || (where.first < range.end && range.first < where.end),
                      "... and shown");
            cr_assert(fl_ranges_add(&ranges, range, &error) == (meets ? FL_ERR_INVALID : FL_OK),
                      "%s", error.text);
            for (uint64_t at = range.first; at < range.end; at++)
                bits[at] = true;
            if (meets) /* which was refused: bits are as before */
                break;
            compare_with_bits(&ranges, bits);
        }
        fl_ranges_clear(&ranges);
    }
}

static void expect_gap(const fl_ranges *ranges, fl_range within, uint64_t first, uint64_t end)
{
    fl_range gap = {0};
    bool found = fl_ranges_gap(ranges, within, &gap);
    cr_expect(found == (first < end) && (!found || (gap.first == first && gap.end == end)),
              "in %llu to %llu: %llu to %llu", (unsigned long long)within.first,
              (unsigned long long)within.end, (unsigned long long)gap.first,
              (unsigned long long)gap.end);
}

Test(ranges, gaps_end_with_what_is_asked_about)
{
    fl_ranges ranges = {0};
    fl_error error = {.text = ""};
    for (uint64_t first = 10; first <= 30; first += 20)
        cr_assert(fl_ranges_add(&ranges, (fl_range){first, first + 10}, &error) == FL_OK, "%s",
                  error.text);
    expect_gap(&ranges, (fl_range){12, 20}, 0, 0);
    expect_gap(&ranges, (fl_range){12, 25}, 20, 25);
    expect_gap(&ranges, (fl_range){0, 5}, 0, 5);
    expect_gap(&ranges, (fl_range){30, 50}, 40, 50);
    fl_ranges_clear(&ranges);
}

/* ---- precision on demand ---- */

static fl_precision need_plan(double target, uint64_t most)
{
    fl_precision plan = {0};
    fl_error error = {.text = ""};
    cr_assert(fl_precision_plan(&plan, target, most, &error) == FL_OK, "%s", error.text);
    return plan;
}

static double error_of(double z)
{
    return erfc(z / sqrt(2));
}

Test(precision, z_is_the_inverse_of_the_tail)
{
    cr_expect(fabs(fl_stats_z(.05) - FL_Z95) <= 1e-12, "z of 5%%: %.17g", fl_stats_z(.05));
    for (double alpha = 1; alpha > 1e-14; alpha *= .7)
        cr_expect(fabs(error_of(fl_stats_z(alpha)) / alpha - 1) <= 1e-9, "alpha %g", alpha);
}

Test(precision, error_probabilities_of_a_plan_add_up_to_less_than_5_percent)
{
    for (double target = .49; target > 1e-6; target *= .8) {
        fl_precision plan = need_plan(target, 0);
        double sum = 0;
        for (unsigned i = 0; i < plan.looks; i++) {
            sum += error_of(plan.look[i].z);
            cr_assert(i == 0 || plan.look[i].trials > plan.look[i - 1].trials,
                      "looks come later and later");
        }
        cr_expect(sum <= .05, "target %g: %g", target, sum);
        fl_look last = plan.look[plan.looks - 1];
        cr_expect(fl_stats_wilson_half_width(last.trials / 2, last.trials, last.z) <= target,
                  "target %g: the last look is precise enough", target);
        uint64_t fewer = last.trials - last.trials / 1000000 - 4;
        cr_expect(last.trials == 1024 ||
                      fl_stats_wilson_half_width(fewer / 2, fewer, last.z) > target,
                  "target %g: and none too late", target);
        cr_expect(last.trials == fl_precision_most(target), "target %g: it is known beforehand",
                  target);
    }
}

Test(precision, the_most_trials_are_the_last_look)
{
    const uint64_t most[] = {1, 2, 1000, 5000, 123456, UINT64_C(1) << 40},
                   enough = fl_precision_most(.001);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        fl_precision plan = need_plan(.001, most[i]);
        uint64_t last = plan.look[plan.looks - 1].trials;
        cr_expect(last == (most[i] < enough ? most[i] : enough), "at most %llu: %llu",
                  (unsigned long long)most[i], (unsigned long long)last);
    }
}

Test(precision, targets_that_cannot_be)
{
    const double targets[] = {0, -.1, .5, 1, 1e-8, NAN, INFINITY};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        fl_precision plan;
        fl_error error = {.text = ""};
        expect_refused(fl_precision_plan(&plan, targets[i], 0, &error), &error, "target",
                       "half-width");
    }
}

/* Success ratio of `shortest` with f faults: a pair at distance h is delivered if its h links are
 * up. */
static double exact_ratio(const fl_network *network, uint64_t faults)
{
    fl_graph *graph;
    fl_error error = {.text = ""};
    cr_assert(fl_graph_create(&graph, network, &error) == FL_OK, "%s", error.text);
    uint32_t *distance = need_memory(graph->vertices, sizeof *distance),
             *queue = need_memory(graph->vertices, sizeof *queue);
    double sum = 0;
    for (uint64_t source = 0; source < network->nodes; source++) {
        fl_graph_distances(graph, source, distance, queue);
        for (uint64_t destination = 0; destination < network->nodes; destination++)
            if (destination != source)
                sum += all_up(network->links, distance[destination], faults);
    }
    free(distance);
    free(queue);
    fl_graph_destroy(graph);
    return sum / ((double)network->nodes * (double)(network->nodes - 1));
}

/* P(X <= successes), X binomial. */
static double lower_tail(uint64_t successes, uint64_t trials, double p)
{
    double sum = 0;
    for (uint64_t i = 0; i <= successes; i++)
        sum += exp(lgamma((double)trials + 1) - lgamma((double)i + 1) -
                   lgamma((double)(trials - i) + 1) + (double)i * log(p) +
                   (double)(trials - i) * log1p(-p));
    return sum;
}

/* Runs until the target is reached, and checks whether the intervals at that point contain the
 * exact values. Adds to covered[fault point]; returns the look at which it stopped. */
static unsigned cover(const char *faults, const double *exact, double target, uint64_t seed,
                      unsigned *covered)
{
    char text[200];
    fl_precision plan = need_plan(target, 0);
    snprintf(text, sizeof text,
             "{\"topology\": \"mikant:k=2,n=2\", \"routers\": [\"shortest\"], \"faults\": \"%s\", "
             "\"trials\": %llu, \"seed\": %llu}",
             faults, (unsigned long long)plan.look[plan.looks - 1].trials,
             (unsigned long long)seed);
    fl_experiment *experiment = need_experiment(text);
    fl_results *results = need_run(experiment, &(fl_run_options){.threads = 1, .precision = &plan});
    const fl_counts *counts = results->counts[0];
    cr_assert(results->reached && results->stopped_by == FL_STOPPED_BY_PRECISION &&
                  !results->partial,
              "it stops when it is precise");
    cr_assert(counts->trials == plan.look[results->look].trials, "it stops at a look");
    for (uint32_t fault_point = 0; fault_point < counts->fault_points; fault_point++) {
        fl_interval interval =
            fl_stats_wilson(counts->of[fault_point].delivered, counts->trials, results->z);
        cr_assert((interval.high - interval.low) / 2 <= target, "level %u is precise",
                  (unsigned)fault_point);
        covered[fault_point] +=
            interval.low <= exact[fault_point] && exact[fault_point] <= interval.high;
    }
    unsigned look = results->look;
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
    return look;
}

/* The rule promises at least 95% at every point. A rule that only just keeps the promise fails here
 * with a probability of at most 1e-4 per point, 8e-4 in all (8 points). */
Test(precision, intervals_cover_the_exact_value_when_the_counts_decide_when_to_stop)
{
    static const struct {
        const char *faults;
        uint64_t counts[5];
        unsigned fault_points;
        double target;
    } cases[] = {
        {"0,1,3,5,9", {0, 1, 3, 5, 9}, 5, .02}, /* all sorts of ratios: always the last look */
        {"6", {6}, 1, .02}, /* a ratio at which either of two looks can be the last ... */
        {"6", {6}, 1, .01},
        {"8", {8}, 1, .008}, /* ... and one that is precise early */
    };
    const unsigned seeds = TEST_ROUNDS(300);
    fl_network *network = need_network("mikant:k=2,n=2");
    bool looks_differ = false;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double exact[5];
        unsigned covered[5] = {0}, first = 0;
        for (unsigned fault_point = 0; fault_point < cases[i].fault_points; fault_point++)
            exact[fault_point] = exact_ratio(network, cases[i].counts[fault_point]);
        for (unsigned seed = 0; seed < seeds; seed++) {
            unsigned look = cover(cases[i].faults, exact, cases[i].target, seed, covered);
            first = seed ? first : look;
            looks_differ |= look != first;
        }
        for (unsigned fault_point = 0; fault_point < cases[i].fault_points; fault_point++)
            cr_expect(lower_tail(covered[fault_point], seeds, .95) > 1e-4,
                      "faults %s, level %u, ratio %g: %u of %u intervals hold it", cases[i].faults,
                      fault_point, exact[fault_point], covered[fault_point], seeds);
    }
    cr_expect(looks_differ || FL_TEST_DIVISOR > 1,
              "in some run it is the counts that decide at which look it stops");
    fl_network_destroy(network);
}

Test(precision, the_stopping_point_does_not_depend_on_threads)
{
    fl_precision plan = need_plan(.02, 0);
    fl_experiment *experiment = need_two_sweeps(plan.look[plan.looks - 1].trials);
    char *expected = csv_of_run(experiment, &(fl_run_options){.threads = 1, .precision = &plan});
    for (unsigned threads = 2; threads <= 8; threads *= 2) {
        char *csv =
            csv_of_run(experiment, &(fl_run_options){.threads = threads, .precision = &plan});
        cr_expect(strcmp(csv, expected) == 0, "%u threads", threads);
        free(csv);
    }
    free(expected);
    fl_experiment_destroy(experiment);
}

/* ---- several processes, played by threads ---- */

enum { RANKS_MAX = 4 };

/* Ranks that meet at a barrier. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned count, here;
    uint64_t round;
    void *data[RANKS_MAX];
    /* of add_up, which no rank waits for */
    unsigned spoken, heard;
    uint64_t said[FL_RANKS_REPORT];
    bool complete;
} meeting;

typedef struct player {
    fl_ranks base;
    meeting *meeting;
    bool has_spoken;
    const fl_experiment *experiment;
    fl_run_options options;
    fl_results *results;
    fl_status status;
    fl_error error;
} player;

static player *player_of(fl_ranks *ranks)
{
    return (player *)(void *)ranks; /* base is the first member */
}

/* Waits for all ranks. The `data` of each (if not NULL) may be read until the next meeting. */
static void meet(fl_ranks *ranks, void *data)
{
    meeting *m = player_of(ranks)->meeting;
    pthread_mutex_lock(&m->lock);
    uint64_t round = m->round;
    if (data)
        m->data[ranks->mine] = data;
    if (++m->here == m->count) {
        m->here = 0;
        m->round++;
        pthread_cond_broadcast(&m->changed);
    }
    while (m->round == round)
        pthread_cond_wait(&m->changed, &m->lock);
    pthread_mutex_unlock(&m->lock);
}

static void share_by_meeting(fl_ranks *ranks, void *data, size_t bytes, unsigned from)
{
    meet(ranks, data);
    if (ranks->mine != from)
        memcpy(data, player_of(ranks)->meeting->data[from], bytes);
    meet(ranks, NULL);
}

static void collect_by_meeting(fl_ranks *ranks, const uint64_t *mine, size_t size, uint64_t *all)
{
    uint64_t *copy = need_memory(size, sizeof *copy);
    memcpy(copy, mine, size * sizeof *copy);
    meet(ranks, copy);
    for (unsigned rank = 0; rank < ranks->count; rank++)
        memcpy(all + rank * size, player_of(ranks)->meeting->data[rank], size * sizeof *all);
    meet(ranks, NULL);
    free(copy);
}

static void sum_by_meeting(fl_ranks *ranks, uint64_t *numbers, size_t size)
{
    meet(ranks, numbers);
    for (unsigned rank = 1; rank < ranks->count && ranks->mine == 0; rank++)
        for (size_t i = 0; i < size; i++)
            numbers[i] += ((const uint64_t *)player_of(ranks)->meeting->data[rank])[i];
    meet(ranks, NULL);
}

static bool add_up_by_meeting(fl_ranks *ranks, const uint64_t mine[FL_RANKS_REPORT],
                              uint64_t sums[FL_RANKS_REPORT])
{
    player *p = player_of(ranks);
    meeting *m = p->meeting;
    pthread_mutex_lock(&m->lock);
    if (!p->has_spoken && !m->complete) {
        if (m->spoken++ == 0)
            memset(m->said, 0, sizeof m->said);
        for (int i = 0; i < FL_RANKS_REPORT; i++)
            m->said[i] += mine[i];
        p->has_spoken = true;
        m->complete = m->spoken == m->count;
    }
    bool done = p->has_spoken && m->complete;
    if (done) {
        memcpy(sums, m->said, sizeof m->said);
        p->has_spoken = false;
        if (++m->heard == m->count) {
            m->spoken = m->heard = 0;
            m->complete = false;
        }
    }
    pthread_mutex_unlock(&m->lock);
    return done;
}

static void *play(void *argument)
{
    player *p = argument;
    p->status = fl_experiment_run(&p->results, p->experiment, &p->options, &p->error);
    return NULL;
}

/* Runs with a given number of ranks; `prepare` may change one of them. */
static void play_all(player *players, unsigned count, const fl_experiment *experiment,
                     const fl_run_options *options, void (*prepare)(player *))
{
    meeting m = {
        .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .count = count};
    pthread_t threads[RANKS_MAX];
    for (unsigned i = 0; i < count; i++) {
        player *p = &players[i];
        *p = (player){.base = {count, i, share_by_meeting, collect_by_meeting, sum_by_meeting,
                               add_up_by_meeting},
                      .meeting = &m,
                      .experiment = experiment,
                      .options = *options};
        p->options.ranks = &p->base;
        if (prepare)
            prepare(p);
    }
    for (unsigned i = 0; i < count; i++)
        cr_assert(pthread_create(&threads[i], NULL, play, &players[i]) == 0, "no thread");
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 1; i < count; i++)
        cr_expect(players[i].results == NULL, "rank 0 alone has the results");
}

Test(ranks, counts_are_those_of_one_process)
{
    fl_experiment *experiment = need_two_sweeps(TEST_ROUNDS(60001));
    fl_results *alone = need_run(experiment, &(fl_run_options){.threads = 1});
    for (unsigned count = 1; count <= RANKS_MAX; count++) {
        player players[RANKS_MAX];
        play_all(players, count, experiment, &(fl_run_options){.threads = 1 + count % 2}, NULL);
        cr_assert(players[0].status == FL_OK, "%s", players[0].error.text);
        expect_same_counts(players[0].results, alone, "ranks");
        cr_expect(!players[0].results->partial && players[0].results->ranks == count,
                  "%u ranks: it is whole", count);
        fl_results_destroy(players[0].results);
    }
    fl_results_destroy(alone);
    fl_experiment_destroy(experiment);
}

static atomic_bool reports_to_stop;
static atomic_uint reports; /* calls of progress */

static void stop_soon(void *user, uint64_t done, uint64_t all)
{
    (void)user, (void)all;
    if (done > 0 && atomic_fetch_add(&reports, 1) > 20)
        atomic_store(&reports_to_stop, true);
}

static void stop_the_last(player *p)
{
    p->options.stop = p->base.mine == p->base.count - 1 ? &reports_to_stop : NULL;
}

Test(ranks, one_that_is_reports_to_stop_stops_all_and_nothing_is_lost)
{
    fl_experiment *experiment = need_two_sweeps(UINT64_C(1) << 50);
    player players[RANKS_MAX];
    play_all(players, 3, experiment, &(fl_run_options){.threads = 1, .progress = stop_soon},
             stop_the_last);
    cr_assert(players[0].status == FL_OK, "%s", players[0].error.text);
    const fl_results *results = players[0].results;
    cr_expect(results->partial && results->stopped_by == FL_STOPPED_BY_INTERRUPT,
              "it says that it was interrupted");
    for (unsigned i = 0; i < experiment->sweep_count; i++) {
        const fl_counts *counts = results->counts[i];
        cr_expect(counts->trials > 0 && counts->trials == fl_ranges_total(&results->ranges[i]),
                  "sweep %u: ranges and counts agree", i);
        uint64_t sum = counts->of[0].delivered;
        for (int reason = 0; reason < FL_REASONS; reason++)
            sum += counts->of[0].blocked[reason];
        cr_expect(sum == counts->trials, "every trial that is in the ranges is in the counts");
    }
    fl_results_destroy(players[0].results);
    fl_experiment_destroy(experiment);
}

/* A router that offers only its own switch: the walk never ends. */
static void offer_nothing_new(const fl_router *router, const fl_packet *packet, fl_view *view,
                              fl_decision *decision)
{
    (void)router;
    fl_decision_offer(decision, &(fl_port){0}, 1, view->here, FL_NO_RULE, packet->header_state);
}

static fl_experiment *broken;

static void break_the_last(player *p)
{
    if (p->base.mine == p->base.count - 1)
        p->experiment = broken;
}

Test(ranks, an_error_of_one_is_an_error_of_all)
{
    fl_experiment *experiment = need_two_sweeps(100000);
    broken = need_two_sweeps(100000);
    broken->bound[1].routers[1]->next = offer_nothing_new;
    for (unsigned count = 1; count <= RANKS_MAX; count++) {
        player players[RANKS_MAX];
        play_all(players, count, experiment, &(fl_run_options){.threads = 2}, break_the_last);
        for (unsigned i = 0; i < count; i++) {
            cr_expect(players[i].status == FL_ERR_ROUTER, "rank %u: status %d", i,
                      (int)players[i].status);
            cr_expect(strstr(players[i].error.text, "the router 'gdl' never ends"), "rank %u: %s",
                      i, players[i].error.text);
        }
    }
    fl_experiment_destroy(experiment);
    fl_experiment_destroy(broken);
}

/* ---- interruptions, checkpoints, merging ---- */

typedef struct scratch {
    char folder[64], checkpoint[96];
} scratch;

static scratch need_scratch(void)
{
    scratch s = {.folder = "/tmp/faultline-runner-XXXXXX"};
    cr_assert(mkdtemp(s.folder) != NULL, "no folder for temporary files");
    snprintf(s.checkpoint, sizeof s.checkpoint, "%s/checkpoint", s.folder);
    return s;
}

static void free_scratch(const scratch *s)
{
    unlink(s->checkpoint);
    cr_expect(rmdir(s->folder) == 0, "nothing else was left in %s", s->folder);
}

typedef struct stopper {
    atomic_bool stop;
    unsigned left; /* calls of progress until it stops */
} stopper;

static void count_down(void *user, uint64_t done, uint64_t all)
{
    stopper *s = user;
    (void)done, (void)all;
    if (s->left-- == 0)
        atomic_store(&s->stop, true);
}

/* Runs to the end in many sessions, each ended early and resumed from its checkpoint. */
static fl_results *run_in_sessions(const fl_experiment *experiment, const char *checkpoint,
                                   const fl_precision *precision, unsigned *sessions)
{
    for (*sessions = 1;; ++*sessions) {
        stopper s = {.left = 1 + 3 * (*sessions % 7)};
        fl_run_options options = {.threads = 1 + *sessions % 3,
                                  .stop = &s.stop,
                                  .progress = count_down,
                                  .user = &s,
                                  .checkpoint = checkpoint,
                                  .checkpoint_seconds = .01,
                                  .resume = true,
                                  .precision = precision};
        fl_results *results = need_run(experiment, &options);
        if (!results->partial)
            return results;
        cr_assert(results->stopped_by == FL_STOPPED_BY_INTERRUPT,
                  "a session ends by interruption or at the end");
        fl_results_destroy(results);
    }
}

Test(checkpoints, a_run_in_many_sessions_is_one_run)
{
    scratch s = need_scratch();
    fl_experiment *experiment = need_two_sweeps(TEST_ROUNDS(100003));
    fl_results *complete = need_run(experiment, &(fl_run_options){.threads = 2});
    unsigned sessions;
    fl_results *results = run_in_sessions(experiment, s.checkpoint, NULL, &sessions);
    cr_expect(sessions > 2, "%u sessions", sessions);
    expect_same_counts(results, complete, "sessions");
    fl_results_destroy(results);
    fl_results_destroy(complete);
    fl_experiment_destroy(experiment);
    free_scratch(&s);
}

Test(checkpoints, looks_are_the_same_in_many_sessions)
{
    scratch s = need_scratch();
    fl_precision plan = need_plan(FL_TEST_DIVISOR > 1 ? .02 : .004, 0);
    fl_experiment *experiment = need_two_sweeps(plan.look[plan.looks - 1].trials);
    fl_results *complete =
        need_run(experiment, &(fl_run_options){.threads = 2, .precision = &plan});
    unsigned sessions;
    fl_results *results = run_in_sessions(experiment, s.checkpoint, &plan, &sessions);
    expect_same_counts(results, complete, "sessions");
    cr_expect(results->look == complete->look && results->z == complete->z && results->reached &&
                  complete->reached,
              "it stops at the same look");
    fl_results_destroy(results);
    fl_results_destroy(complete);
    fl_experiment_destroy(experiment);
    free_scratch(&s);
}

Test(checkpoints, ranks_go_on_with_what_one_process_began)
{
    scratch s = need_scratch();
    fl_experiment *experiment = need_two_sweeps(TEST_ROUNDS(100003));
    fl_results *complete = need_run(experiment, &(fl_run_options){.threads = 2});
    stopper first = {.left = 3};
    fl_results *begun = need_run(experiment, &(fl_run_options){.threads = 1,
                                                               .stop = &first.stop,
                                                               .progress = count_down,
                                                               .user = &first,
                                                               .checkpoint = s.checkpoint});
    cr_expect(begun->partial, "it was interrupted");
    player players[RANKS_MAX];
    play_all(players, 3, experiment,
             &(fl_run_options){.threads = 1, .checkpoint = s.checkpoint, .resume = true}, NULL);
    cr_assert(players[0].status == FL_OK, "%s", players[0].error.text);
    expect_same_counts(players[0].results, complete, "ranks");
    fl_results_destroy(players[0].results);
    fl_results_destroy(begun);
    fl_results_destroy(complete);
    fl_experiment_destroy(experiment);
    free_scratch(&s);
}

Test(runs, a_budget_ends_all_sweeps_at_about_the_same_time)
{
    fl_experiment *experiment = need_two_sweeps(UINT64_C(1) << 50);
    double start = fl_seconds_now();
    fl_results *results =
        need_run(experiment, &(fl_run_options){.threads = 2, .budget_seconds = .5});
    cr_expect(fl_seconds_now() - start < 10, "it ends");
    cr_expect(!results->partial && results->stopped_by == FL_STOPPED_BY_BUDGET,
              "a budget does not make it partial");
    cr_expect(results->counts[0]->trials > 0 && results->counts[1]->trials > 0,
              "no sweep is left out");
    fl_results_destroy(results);
    fl_experiment_destroy(experiment);
}
