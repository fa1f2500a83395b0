/* Specs of several curves under load: their keys, runs, checkpoints and points. */
#include "experiments/load/curves_private.h"
#include "plots/charts/private.h"
#include "sim/private.h"
#include "tests/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(fl_status status, const fl_error *error)
{
    cr_assert_eq(status, FL_OK, "%s", error->text);
}

static fl_status parse(fl_load_spec **out, const char *text, fl_error *error)
{
    return fl_load_spec_parse(out, text, strlen(text), "spec", NULL, error);
}

/* ---- specs ---- */

Test(load, a_spec_is_read_whole)
{
    fl_load_spec *spec;
    fl_error error;
    need(
        parse(
            &spec,
            "{\"name\": \"n\", \"steady\": true, \"load\": [0.1, 0.25], \"routers\": [\"shortest\"], \"curves\": [{\"label\": \"a\", \"input_fifo\": 4},"
            "{\"label\": \"b\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"hops\", \"against\": \"accepted_load\", \"y_max\": 7,"
            "\"curves\": [\"b\"]}]}",
            &error),
        &error);
    cr_assert_eq(spec->curve_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        const fl_load_values *values = &spec->curves[i].values;
        cr_assert_eq(values->load.count, 2);
        cr_assert(values->load.of[0] == 0.1 && values->load.of[1] == 0.25);
        cr_assert(values->steady);
        cr_assert_str_eq(values->routers.of[0], "shortest");
        cr_assert_eq(fl_option_given(&spec->curves[i].options, "input-fifo"), i == 0);
    }
    cr_assert_eq(spec->curves[0].values.model.input_fifo, 4);
    cr_assert_eq(spec->figures[0].quantity, FL_LOAD_HOPS);
    cr_assert_eq(spec->figures[0].axis, FL_LOAD_AXIS_ACCEPTED);
    cr_assert_eq(spec->figures[0].y_max, 7);
    cr_assert(isnan(spec->figures[0].x_max));
    cr_assert_str_eq(fl_load_spec_figure(spec, 0), "f");
    cr_assert_null(fl_load_spec_figure(spec, 1));
    fl_load_spec_destroy(spec);
}

Test(load, what_is_wrong_is_named)
{
    static const struct {
        const char *text, *names;
    } cases[] = {
        {"[]", "object"},
        {"{\"curves\": []}", "1 to 64"},
        {"{\"curves\": [{\"routers\": \"x\"}]}", "'label'"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}, {\"label\": \"a\"}]}",
         "another curve 'a'"},
        {"{\"curves\": [{\"label\": \"a\", \"ruters\": \"x\"}]}", "did you mean 'routers'"},
        {"{\"input-fifo\": 3, \"curves\": [{\"label\": \"a\"}]}", "did you mean 'input_fifo'"},
        {"{\"routers\": \"shortest\", \"load\": 1, \"curves\": [{\"label\": \"a\", \"load\": 0.5}]}",
         "used by none"},
        {"{\"routers\": \"shortest\", \"steady\": false, \"curves\": [{\"label\": \"a\"}]}",
         "'steady'"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\", \"load\": []}]}", "'load'"},
        {"{\"routers\": \"shortest\", \"fault_rate\": \"0:2:1\", \"curves\": [{\"label\": \"a\"}]}",
         "numbers from 0 to 1"},
        {"{\"routers\": \"shortest\", \"fault_rate\": 0.1, \"fault_sets\": 0, \"curves\": [{\"label\": \"a\"}]}",
         "1 to 1000"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"latencies\"}]}",
         "'quantity' must be latency"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"latency\", \"curves\": [\"b\"]}]}",
         "no curve 'b'"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"series_lost\"}]}",
         "'cycle'"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"hops\", \"against\": \"fault_rate\"}]}",
         "several fault rates"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"hops\", \"difference_to\": \"b\"}]}",
         "no curve 'b'"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"hops\", \"against\": \"accepted_load\", "
         "\"difference_to\": \"a\"}]}",
         "offered_load or fault_rate"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"f\", \"quantity\": \"hops\", \"log_y\": true, "
         "\"difference_to\": \"a\"}]}",
         "negative"},
        {"{\"routers\": \"shortest\", \"curves\": [{\"label\": \"a\"}], \"figures\": [{\"name\": \"../f\", \"quantity\": \"hops\"}]}",
         "file name"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_load_spec *spec;
        fl_error error;
        expect_refused(parse(&spec, cases[i].text, &error), &error, cases[i].text, cases[i].names);
    }
}

/* ---- runs ---- */

enum { LOADS = 3, REPEATS = 3, RUNS = LOADS * REPEATS };

typedef struct lab {
    fl_network *network;
    fl_router *router;
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    fl_load_spec *spec;
    fl_sim_task tasks[RUNS];
    double loads[LOADS];
    fl_load_curve curve;
} lab;

static lab *need_long_lab(uint64_t series, uint64_t seed, uint64_t cycles)
{
    static const double loads[] = {.1, .2, 1};
    lab *l = need_memory(1, sizeof *l);
    fl_error error;
    const fl_sim_preset *preset;
    need(fl_sim_preset_find(&preset, "mikant2018", &error), &error);
    fl_sim_model model = preset->model;
    model.stop = FL_SIM_STOP_CYCLES;
    model.warmup = 100;
    model.cycles = model.drain = cycles;
    l->network = need_network("mikant:k=2,n=3");
    l->router = need_router(l->network, "shortest", FL_SCOPE_DETOUR);
    need(fl_sim_traffic_create(&l->traffic, l->network, "uniform", &error), &error);
    const fl_sim_set_up set_up = {
        .router = l->router, .model = &model, .traffic = l->traffic, .series = series};
    need(fl_sim_plan_create(&l->plan, &set_up, &error), &error);
    need(parse(&l->spec, "{\"routers\": [\"shortest\"], \"curves\": [{\"label\": \"a\"}]}", &error),
         &error);
    memcpy(l->loads, loads, sizeof loads);
    for (unsigned i = 0; i < RUNS; i++)
        l->tasks[i] = (fl_sim_task){l->plan, loads[i / REPEATS], seed + i % REPEATS};
    l->curve = (fl_load_curve){"a", "test", LOADS, REPEATS, l->loads, l->tasks, {0}};
    return l;
}

static lab *need_lab(uint64_t series, uint64_t seed)
{
    return need_long_lab(series, seed, 600);
}

static void free_lab(lab *l)
{
    fl_load_spec_destroy(l->spec);
    fl_sim_plan_destroy(l->plan);
    fl_sim_traffic_destroy(l->traffic);
    fl_router_destroy(l->router);
    fl_network_destroy(l->network);
    free(l);
}

static fl_load_results *need_results(const lab *l, const char *checkpoint)
{
    fl_load_results *results;
    fl_error error;
    const fl_load_options how = {.threads = 2, .checkpoint = checkpoint};
    need(fl_load_run(&results, l->spec, &l->curve, &how, &error), &error);
    return results;
}

static char *csv_of(const fl_load_results *results)
{
    fl_text csv = {0};
    fl_load_csv(results, &csv);
    cr_assert(!csv.failed);
    return csv.data;
}

/* With a file that holds all runs, some, half a record, or none: the results are always the same.
 */
Test(load, a_run_that_was_cut_off_goes_on_to_the_same_bytes)
{
    char path[] = "/tmp/faultline-load-XXXXXX";
    int file = mkstemp(path);
    cr_assert_geq(file, 0);
    close(file);
    lab *l = need_lab(100, 1);
    fl_load_results *complete = need_results(l, path);
    char *expected = csv_of(complete), *data;
    size_t length;
    fl_error error;
    cr_assert_eq(complete->taken_up, 0);
    need(fl_file_read(&data, &length, path, 1 << 24, &error), &error);
    const size_t kept[] = {length, length - 1, length / 2, length / 9, 3, 0};
    const size_t least[] = {RUNS, RUNS - 1, 3, 0, 0, 0},
                 most[] = {RUNS, RUNS - 1, RUNS - 2, 1, 0, 0};
    for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++) {
        need(fl_file_write(path, data, kept[i], &error), &error);
        fl_load_results *again = need_results(l, path);
        char *csv = csv_of(again);
        cr_assert(again->taken_up >= least[i] && again->taken_up <= most[i],
                  "%zu of %zu bytes: %zu runs", kept[i], length, again->taken_up);
        cr_assert_str_eq(csv, expected);
        for (size_t run = 0; run < RUNS; run++) {
            cr_assert_eq(again->results[run].series_length, complete->results[run].series_length);
            cr_assert_eq(memcmp(again->results[run].series, complete->results[run].series,
                                complete->results[run].series_length * sizeof(fl_sim_sample)),
                         0);
        }
        free(csv);
        fl_load_results_destroy(again);
    }
    lab *other = need_lab(100, 2);
    const fl_load_options how = {.threads = 1, .checkpoint = path};
    fl_load_results *none;
    expect_refused(fl_load_run(&none, other->spec, &other->curve, &how, &error), &error,
                   "the checkpoint of another experiment", "another spec");
    free_lab(other);
    unlink(path);
    free(data);
    free(expected);
    fl_load_results_destroy(complete);
    free_lab(l);
}

/* Reads the bytes as a checkpoint of the lab's runs. Returns the number of runs restored, or RUNS
 * + 1 if the file is refused. What is restored must equal what was written. */
static size_t take_up(const lab *l, const fl_load_results *complete, const char *data,
                      size_t length, uint64_t hash)
{
    fl_sim_result results[RUNS];
    bool done[RUNS] = {false};
    size_t taken = 0, used;
    fl_error error = {0};
    char *exact = need_memory(length ? length : 1, 1); /* to detect a read past the end */
    memset(results, 0, sizeof results);
    memcpy(exact, data, length);
    if (fl_load_checkpoint_parse(exact, length, "checkpoint", hash, l->tasks, results, done, RUNS,
                                 &used, &error)) {
        cr_assert(error.text[0]);
        free(exact);
        return RUNS + 1;
    }
    cr_assert_leq(used, length);
    for (size_t i = 0; i < RUNS; i++) {
        const fl_sim_result *a = &results[i], *b = &complete->results[i];
        taken += done[i];
        cr_assert(!done[i] ||
                  (a->received == b->received && a->latency_sum == b->latency_sum &&
                   a->series_length == b->series_length &&
                   memcmp(a->series, b->series, a->series_length * sizeof *a->series) == 0));
        fl_sim_result_clear(&results[i]);
    }
    free(exact);
    return taken;
}

/* Cut off at every length, and with every bit flipped: restored runs are correct, and the others
 * are repeated. */
Test(load, a_checkpoint_may_end_or_be_wrong_anywhere)
{
    lab *l = need_lab(300, 1);
    fl_load_results *complete = need_results(l, NULL);
    fl_text file = {0};
    uint64_t hash = fl_sim_tasks_hash(l->tasks, RUNS);
    fl_load_checkpoint_begin(&file, hash);
    size_t head = file.length;
    for (size_t i = 0; i < 3; i++)
        fl_load_checkpoint_append(&file, l->tasks, i, &complete->results[i]);
    cr_assert(!file.failed);
    cr_assert_eq(take_up(l, complete, file.data, file.length, hash), 3);
    cr_assert_eq(take_up(l, complete, file.data, file.length, hash + 1), RUNS + 1,
                 "another experiment's");
    size_t record = (file.length - head) / 3;
    for (size_t length = 0; length < file.length; length++)
        cr_assert_eq(take_up(l, complete, file.data, length, hash),
                     length < head ? 0 : (length - head) / record, "%zu bytes", length);
    for (size_t bit = 0; bit < 8 * file.length; bit++) {
        file.data[bit / 8] ^= (char)(1 << bit % 8);
        size_t taken = take_up(l, complete, file.data, file.length, hash);
        cr_assert_eq(taken, bit / 8 < head ? RUNS + 1 : (bit / 8 - head) / record,
                     "bit %zu: %zu runs", bit, taken);
        file.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    fl_text_clear(&file);
    fl_load_results_destroy(complete);
    free_lab(l);
}

Test(load, what_was_stopped_is_left_out)
{
    lab *l = need_lab(0, 1);
    atomic_bool stop = true;
    const fl_load_options how = {.threads = 2, .stop = &stop};
    fl_load_results *results;
    fl_error error;
    need(fl_load_run(&results, l->spec, &l->curve, &how, &error), &error);
    cr_assert(results->partial);
    char *csv = csv_of(results);
    cr_assert_null(strstr(csv, "mikant"));
    double value;
    fl_interval interval;
    fl_load_point(results, 0, 0, FL_LOAD_ACCEPTED, &value, &interval);
    cr_assert(isnan(value));
    free(csv);
    fl_load_results_destroy(results);
    free_lab(l);
}

typedef struct seen_progress {
    unsigned times;
    uint64_t first, last;
    bool falls, passes;
} seen_progress;

static void see_progress(void *user, uint64_t done, uint64_t all)
{
    seen_progress *seen = user;
    seen->first = seen->times++ ? seen->first : done;
    seen->falls |= done < seen->last;
    seen->passes |= done > all;
    seen->last = done;
}

Test(load, progress_rises_from_nothing_and_never_passes_the_whole)
{
    lab *l = need_long_lab(0, 1, 30000);
    for (unsigned threads = 1; threads <= 8; threads *= 8) {
        seen_progress seen = {0};
        const fl_load_options how = {.threads = threads, .progress = see_progress, .user = &seen};
        fl_load_results *results;
        fl_error error;
        need(fl_load_run(&results, l->spec, &l->curve, &how, &error), &error);
        cr_expect(seen.times > 0 && seen.first == 0 && seen.last > 0, "%u threads: it rises",
                  threads);
        cr_expect(!seen.falls && !seen.passes, "%u threads", threads);
        fl_load_results_destroy(results);
    }
    free_lab(l);
}

Test(load, a_point_is_the_mean_of_its_runs_with_students_interval)
{
    lab *l = need_lab(0, 1);
    fl_load_results *r = need_results(l, NULL);
    double value, latency[REPEATS], mean = 0, squares = 0;
    fl_interval interval;
    for (unsigned i = 0; i < REPEATS; i++)
        mean += (latency[i] = (double)r->results[i].latency_sum / (double)r->results[i].counted) /
                REPEATS;
    for (unsigned i = 0; i < REPEATS; i++)
        squares += (latency[i] - mean) * (latency[i] - mean);
    double half = 4.3027 * sqrt(squares / 2 / 3);
    fl_load_point(r, 0, 0, FL_LOAD_LATENCY, &value, &interval);
    cr_assert_float_eq(value, mean, 1e-9);
    cr_assert_float_eq(interval.high - mean, half, 1e-4 * half);
    cr_assert_float_eq(mean - interval.low, half, 1e-4 * half);
    cr_assert_gt(half, 0);
    /* Load 1 is saturated and has no latency; the accepted load is known all the same. */
    fl_load_point(r, 0, LOADS - 1, FL_LOAD_LATENCY, &value, &interval);
    cr_assert(isnan(value) && isnan(interval.low));
    fl_load_point(r, 0, LOADS - 1, FL_LOAD_ACCEPTED, &value, &interval);
    cr_assert(value > .2 && value < 1 && interval.low < value);
    fl_load_results_destroy(r);
    free_lab(l);
}

/* Two curves of equal seeds: differences run by run have their own interval, narrower than
 * that of either curve. */
Test(load, differences_are_paired_run_by_run)
{
    lab *l = need_lab(0, 1);
    fl_load_results *r = need_results(l, NULL);
    fl_sim_result results[2 * RUNS];
    memcpy(results, r->results, sizeof r->results[0] * RUNS);
    memcpy(results + RUNS, r->results, sizeof r->results[0] * RUNS);
    const double added[REPEATS] = {1, 2, 6}; /* mean 3, standard deviation sqrt(7) */
    for (unsigned i = 0; i < REPEATS; i++)
        results[RUNS + i].latency += added[i];
    const fl_load_curve curves[] = {l->curve, l->curve};
    const fl_load_results both = {
        .spec = l->spec, .curves = curves, .results = results, .result_count = 2 * RUNS};
    double value;
    fl_interval interval;
    fl_load_difference(&both, 1, 0, 0, FL_LOAD_LATENCY, &value, &interval);
    double half = 4.3027 * sqrt(7.0 / 3);
    cr_assert_float_eq(value, 3, 1e-9);
    cr_assert_float_eq(interval.high - 3, half, 1e-3);
    cr_assert_float_eq(3 - interval.low, half, 1e-3);
    fl_load_difference(&both, 0, 0, 0, FL_LOAD_LATENCY, &value, &interval);
    cr_assert(value == 0 && interval.low == 0 && interval.high == 0, "of a curve to itself");
    fl_load_difference(&both, 1, 0, LOADS - 1, FL_LOAD_LATENCY, &value, &interval);
    cr_assert(isnan(value) && isnan(interval.low), "saturated");
    fl_load_results_destroy(r);
    free_lab(l);
}

Test(load, a_sample_of_a_time_series_is_a_ratio_over_all_runs)
{
    lab *l = need_lab(100, 1);
    fl_load_results *r = need_results(l, NULL);
    double delivered[REPEATS], latencies[REPEATS], all = 0, sum = 0, value, squares = 0,
                                                   of_counts = 0;
    fl_interval interval;
    for (unsigned i = 0; i < REPEATS; i++) {
        const fl_sim_sample *s = &r->results[i].series[3];
        all += delivered[i] = (double)s->delivered;
        sum += latencies[i] = (double)s->latency_sum;
    }
    fl_load_sample(r, 0, 3, FL_LOAD_SERIES_LATENCY, &value, &interval);
    cr_assert_float_eq(value, sum / all, 1e-9);
    for (unsigned i = 0; i < REPEATS; i++) {
        squares += pow(latencies[i] - sum / all * delivered[i], 2);
        of_counts += pow(delivered[i] - all / 3, 2);
    }
    cr_assert_float_eq(interval.high - value, 4.3027 * sqrt(squares / 2 / 3) / (all / 3), 1e-3);
    fl_load_sample(r, 0, 3, FL_LOAD_SERIES_DELIVERED, &value, &interval);
    cr_assert_float_eq(value, all / 3 / 100, 1e-9);
    cr_assert_float_eq(value - interval.low, 4.3027 * sqrt(of_counts / 2 / 3) / 100, 1e-5);
    fl_load_sample(r, 0, 1000000, FL_LOAD_SERIES_DELIVERED, &value, &interval);
    cr_assert(isnan(value) && isnan(interval.low), "beyond the end");
    fl_load_results_destroy(r);
    free_lab(l);
}

Test(load, students_points_are_those_of_tables)
{
    static const struct {
        unsigned freedom;
        double point;
    } table[] = {{1, 12.7062}, {2, 4.3027},  {5, 2.5706},  {6, 2.4469},  {7, 2.3646},
                 {10, 2.2281}, {19, 2.0930}, {30, 2.0423}, {120, 1.9799}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_assert_float_eq(fl_stats_student95(table[i].freedom), table[i].point, 5e-4,
                           "%u degrees of freedom", table[i].freedom);
}

/* ---- what the papers' figures need ---- */

/* The Wang thesis doubles the buffers of the level-0 switches, and labels CAT's leaf switches
 * <0,D,0> like the cubes' <0,D,C>. */
Test(load, the_leaf_switches_of_cat_are_of_fault_point_0)
{
    fl_error error;
    const fl_sim_preset *preset;
    need(fl_sim_preset_find(&preset, "cat2022", &error), &error);
    fl_sim_model model = preset->model;
    model.input_fifo_level0 = 16;
    fl_network *network = need_network("cat:k=3,n=3");
    fl_router *router = need_router(network, "tree-cube", FL_SCOPE_DETOUR);
    fl_sim_traffic *traffic;
    fl_sim_plan *plan;
    need(fl_sim_traffic_create(&traffic, network, "uniform", &error), &error);
    const fl_sim_set_up set_up = {.router = router, .model = &model, .traffic = traffic};
    need(fl_sim_plan_create(&plan, &set_up, &error), &error);
    unsigned deep = 0;
    for (uint64_t s = 0; s < network->switches; s++)
        deep += plan->depth[plan->switches[s].first_port] == 16;
    cr_assert_eq(deep, 9 * 8, "%u switches have the double buffers", deep);
    fl_sim_plan_destroy(plan);
    fl_sim_traffic_destroy(traffic);
    fl_router_destroy(router);
    fl_network_destroy(network);
}

typedef struct ways_down {
    uint32_t *destination; /* [switch * radix + port] by which it is used, or none */
    const fl_network *network;
    uint32_t now;
    bool shared;
} ways_down;

static void note_candidate(void *user, const fl_walk_hop *hop)
{
    ways_down *w = user;
    if (fl_address_is_node(hop->from) || fl_address_is_node(hop->to) ||
        fl_tree_level(hop->to) >= fl_tree_level(hop->from))
        return;
    uint32_t *of =
        &w->destination[w->network->type->switch_index(w->network, hop->from) * w->network->radix +
                        hop->port];
    w->shared |= *of != UINT32_MAX && *of != w->now;
    *of = w->now;
}

static bool shares_ways_down(const char *topology, const char *name)
{
    fl_network *network = need_network(topology);
    fl_router *router = need_router(network, name, FL_SCOPE_DETOUR);
    size_t ports = network->switches * network->radix;
    ways_down w = {.destination = need_memory(ports, sizeof *w.destination), .network = network};
    memset(w.destination, 0xff, ports * sizeof *w.destination);
    const fl_fault_set none = {0};
    fl_order *order;
    fl_error error;
    need(fl_order_create_fixed(&order, network, &none, &error), &error);
    for (uint32_t from = 0; from < network->nodes; from++)
        for (w.now = 0; w.now < network->nodes; w.now++) {
            fl_view view = {.network = network,
                            .order = order,
                            .enabled_rules = router->enabled_rules,
                            .scope = router->scope};
            fl_walk_result result;
            if (from == w.now)
                continue;
            need(fl_walk(router, &view, network->type->node_address(network, from),
                         network->type->node_address(network, w.now), note_candidate, &w, &result,
                         &error),
                 &error);
            cr_assert(result.delivered);
        }
    fl_order_destroy(order);
    free(w.destination);
    fl_router_destroy(router);
    fl_network_destroy(network);
    return w.shared;
}

Test(load, with_d_mod_k_no_two_nodes_share_a_candidate_down)
{
    static const char *const trees[] = {"kary-ntree:k=3,n=3", "kary-ntree:k=2,n=4", "clos:k=3,n=3",
                                        "kary-ntree:k=4,n=2"};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        cr_assert(!shares_ways_down(trees[i], "d-mod-k"), "%s", trees[i]);
        cr_assert(shares_ways_down(trees[i], "shortest"),
                  "%s: Algorithm 1 goes by the switch of the destination", trees[i]);
    }
}

/* ---- axes of the figures ---- */

static fl_plots_view view_of(double *y, bool log_y, double y_min)
{
    static const double x[] = {1, 2, 3};
    fl_error error;
    fl_plots_view view;
    const fl_plot_series series = {.label = "s", .points = 3, .x = x, .y = y};
    const fl_plot plot = {.log_y = log_y,
                          .x_min = NAN,
                          .x_max = NAN,
                          .y_min = y_min,
                          .y_max = NAN,
                          .series_count = 1,
                          .series = &series};
    need(fl_plots_view_find(&view, &plot, &error), &error);
    return view;
}

Test(load, an_axis_that_begins_far_below_the_data_leaves_air_above_them)
{
    double flat[] = {6, 6.2, 6.4}, steep[] = {0, 10, 20}, equal[] = {5, 5, 5};
    cr_assert_float_eq(view_of(flat, false, 0).y_max, 1.05 * 6.4, 1e-9);
    cr_assert_float_eq(view_of(steep, false, 0).y_max, 1.05 * 20, 1e-9);
    cr_assert_geq(view_of(equal, false, 0).y_max, 1.05 * 5);
    cr_assert_float_eq(log(view_of(flat, true, 0.1).y_max / 6.4), 0.05 * log(64), 1e-9);
    cr_assert_float_eq(view_of(flat, false, NAN).y_max, 6.4 + 0.04 * 0.4, 1e-9,
                       "without a given end as ever");
    cr_assert_float_eq(view_of(flat, false, NAN).y_min, 6 - 0.04 * 0.4, 1e-9);
}

Test(load, an_axis_of_nothing_but_zeros_goes_to_one)
{
    double zeros[] = {0, 0, 0};
    fl_plots_view view = view_of(zeros, false, 0), free = view_of(zeros, false, NAN);
    cr_assert_eq(view.y_min, 0);
    cr_assert_eq(view.y_max, 1);
    cr_assert_eq(free.y_min, 0);
    cr_assert_eq(free.y_max, 1);
}
