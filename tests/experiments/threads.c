/* experiments: what several threads do together, without a test framework, so that it also runs
 * under the thread sanitizer (under which Criterion cannot start): sweeps, sweeps that end early
 * or break off, limits, exact curves, checkpoints. */
#include "experiments/experiments.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void expect(bool good, const char *what)
{
    fprintf(stderr, "%s %s\n", good ? "[PASS]" : "[FAIL]", what);
    failures += !good;
}

/* Ends the program where the test cannot go on. */
static void need(fl_status status, const fl_error *error)
{
    if (status) {
        fprintf(stderr, "[FAIL] %s\n", error->text);
        exit(EXIT_FAILURE);
    }
}

/* ---- one sweep ---- */

enum { ROUTERS = 5, TRIALS = 3001 };

typedef struct fixture {
    fl_network *network;
    fl_fault_model *model;
    fl_router *routers[ROUTERS];
    fl_sweep sweep;
} fixture;

static void create(fixture *f, const char *spec)
{
    static const char *const names[ROUTERS] = {"shortest", "gdl", "adaptive-up", "limit",
                                               "minimal-limit"};
    uint64_t counts[] = {0, 3, 12, 30};
    fl_axis axis = {.counts = counts, .fault_points = sizeof counts / sizeof *counts};
    fl_error error;
    need(fl_network_create(&f->network, spec, &error), &error);
    need(fl_fault_model_create(&f->model, f->network, "links", &axis, &error), &error);
    for (unsigned i = 0; i < ROUTERS; i++)
        need(fl_router_create(&f->routers[i], f->network, names[i], FL_SCOPE_DETOUR, &error),
             &error);
    f->sweep = (fl_sweep){.network = f->network,
                          .model = f->model,
                          .routers = f->routers,
                          .router_count = ROUTERS,
                          .seed = 7,
                          .trials = TRIALS,
                          .threads = 1};
}

static void destroy(fixture *f)
{
    for (unsigned i = 0; i < ROUTERS; i++)
        fl_router_destroy(f->routers[i]);
    fl_fault_model_destroy(f->model);
    fl_network_destroy(f->network);
}

static fl_counts *run(const fl_sweep *sweep)
{
    fl_error error = {.text = "out of memory"};
    fl_counts *counts =
        fl_counts_create(sweep->router_count, fl_fault_model_fault_points(sweep->model));
    need(counts ? FL_OK : FL_ERR_MEMORY, &error);
    need(fl_sweep_run(sweep, counts, &error), &error);
    return counts;
}

static bool same(const fl_counts *a, const fl_counts *b)
{
    size_t pairs = (size_t)a->routers * (a->routers - 1) / 2 * a->fault_points;
    return a->trials == b->trials &&
           memcmp(a->of, b->of, (size_t)a->routers * a->fault_points * sizeof *a->of) == 0 &&
           memcmp(a->both, b->both, pairs * sizeof *a->both) == 0;
}

static void any_number_of_threads_gives_the_same_counts(void)
{
    static const char *const networks[] = {"mikant:k=3,n=3",
                                           "mikant:k=16,n=5"}; /* the second: hashed orders */
    for (size_t n = 0; n < 2; n++) {
        fixture f;
        create(&f, networks[n]);
        f.sweep.router_count = n == 0 ? ROUTERS : 3; /* it is too large for the limits */
        fl_counts *one = run(&f.sweep);
        for (unsigned threads = 2; threads <= 8; threads *= 2) {
            f.sweep.threads = threads;
            fl_counts *many = run(&f.sweep);
            expect(same(one, many), "any number of threads gives the same counts");
            fl_counts_destroy(many);
        }
        fl_counts_destroy(one);
        destroy(&f);
    }
}

/* ---- ended early ---- */

typedef struct ending {
    atomic_bool stop;
    unsigned calls;
} ending;

static void end_soon(void *user, uint64_t done, uint64_t trials)
{
    ending *e = user;
    (void)done, (void)trials;
    if (++e->calls == 2)
        atomic_store(&e->stop, true);
}

static void a_stopped_sweep_leaves_its_first_trials(void)
{
    fixture f;
    ending e = {.calls = 0};
    create(&f, "mikant:k=3,n=3");
    f.sweep.threads = 4;
    f.sweep.trials = UINT64_C(1) << 40;
    f.sweep.stop = &e.stop;
    f.sweep.progress = end_soon;
    f.sweep.user = &e;
    fl_counts *stopped = run(&f.sweep);
    expect(stopped->trials > 0 && stopped->trials < f.sweep.trials, "a sweep can be stopped");
    f.sweep.stop = NULL;
    f.sweep.progress = NULL;
    f.sweep.trials = stopped->trials;
    fl_counts *again = run(&f.sweep);
    expect(same(stopped, again), "a stopped sweep leaves its first trials");
    fl_counts_destroy(stopped);
    fl_counts_destroy(again);
    destroy(&f);
}

/* ---- broken off ---- */

static void next_loops(const fl_router *router, const fl_packet *packet, fl_view *view,
                       fl_decision *decision)
{
    (void)router, (void)packet;
    fl_probe at = fl_view_here(view), end;
    fl_port port = 3;
    if (fl_view_up(view, &at, port, &end))
        fl_decision_offer(decision, &port, 1, end.at, FL_NO_RULE, 0);
}

static void a_broken_router_ends_all_threads(void)
{
    fixture f;
    fl_error error = {.text = ""};
    create(&f, "mikant:k=3,n=3");
    fl_router_type type = {.name = "broken", .next = next_loops};
    fl_router router = {.type = &type,
                        .next = next_loops,
                        .network = f.network,
                        .scope = FL_SCOPE_LOCAL,
                        .name = "broken"};
    fl_router *routers[] = {&router};
    f.sweep.routers = routers;
    f.sweep.router_count = 1;
    f.sweep.threads = 4;
    fl_counts *counts = fl_counts_create(1, fl_fault_model_fault_points(f.model));
    expect(counts && fl_sweep_run(&f.sweep, counts, &error) == FL_ERR_ROUTER &&
               strstr(error.text, "'broken'"),
           "a broken router ends all threads and is named");
    fl_counts_destroy(counts);
    destroy(&f);
}

/* ---- experiments ---- */

static fl_experiment *need_experiment(void)
{
    static const char spec[] =
        "{\"sweeps\":[{\"topology\":\"mikant:k=2,n=3\"},{\"topology\":\"kary-ntree:k=2,n=3\"}],"
        "\"routers\":[\"shortest\",\"gdl\",\"limit\",\"minimal-limit\"],\"faults\":[0,2,5],"
        "\"trials\":5000,\"seed\":3}";
    fl_experiment *experiment = NULL;
    fl_error error;
    need(fl_experiment_parse(&experiment, spec, sizeof spec - 1, "threads.c", &error), &error);
    return experiment;
}

static void exact_curves_do_not_depend_on_threads(void)
{
    fl_experiment *experiment = need_experiment();
    fl_text texts[2] = {{0}, {0}};
    for (unsigned i = 0; i < 2; i++) {
        fl_exact_results *results;
        fl_exact_options options = {.threads = i == 0 ? 1 : 4, .states_max = 100000};
        fl_error error;
        need(fl_exact_experiment(&results, experiment, &options, &error), &error);
        fl_exact_csv(results, &texts[i]);
        fl_exact_results_destroy(results);
    }
    expect(texts[0].data && texts[1].data && strcmp(texts[0].data, texts[1].data) == 0,
           "exact curves do not depend on threads");
    fl_text_clear(&texts[0]);
    fl_text_clear(&texts[1]);
    fl_experiment_destroy(experiment);
}

static void an_experiment_does_not_depend_on_threads(void)
{
    fl_experiment *experiment = need_experiment();
    fl_text texts[2] = {{0}, {0}};
    for (unsigned i = 0; i < 2; i++) {
        fl_results *results;
        fl_run_options options = {.threads = i == 0 ? 1 : 4,
                                  .checkpoint = "threads.checkpoint",
                                  .checkpoint_seconds = .001};
        fl_error error;
        remove(options.checkpoint);
        need(fl_experiment_run(&results, experiment, &options, &error), &error);
        fl_results_csv(results, &texts[i]);
        fl_results_destroy(results);
        remove(options.checkpoint);
    }
    expect(texts[0].data && texts[1].data && strcmp(texts[0].data, texts[1].data) == 0,
           "an experiment with checkpoints does not depend on threads");
    fl_text_clear(&texts[0]);
    fl_text_clear(&texts[1]);
    fl_experiment_destroy(experiment);
}

static void a_search_does_not_depend_on_threads(void)
{
    const fl_search_spec spec = {
        .hosts = 48, .radix = 6, .chains = 5, .steps = 400, .hottest = 3, .coldest = .1, .seed = 5};
    fl_text graphs[2] = {{0}, {0}};
    for (unsigned i = 0; i < 2; i++) {
        fl_search *search;
        fl_error error;
        need(fl_search_create(&search, &spec, NULL, NULL, &error), &error);
        need(fl_search_run(search, &(fl_search_run_options){.threads = i == 0 ? 1 : 4}, &error),
             &error);
        fl_search_append_graph(search, &graphs[i]);
        fl_search_destroy(search);
    }
    expect(graphs[0].data && graphs[1].data && strcmp(graphs[0].data, graphs[1].data) == 0,
           "a search does not depend on threads");
    fl_text_clear(&graphs[0]);
    fl_text_clear(&graphs[1]);
}

int main(void)
{
    any_number_of_threads_gives_the_same_counts();
    a_stopped_sweep_leaves_its_first_trials();
    a_broken_router_ends_all_threads();
    exact_curves_do_not_depend_on_threads();
    an_experiment_does_not_depend_on_threads();
    a_search_does_not_depend_on_threads();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
