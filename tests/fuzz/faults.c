/* Fault models and axes. Three lines: a network (by its number in a list), a fault model, and fault
 * counts, or rates after an `r`. Accepted axes rise, and orders answer within them. */
#define _POSIX_C_SOURCE 200809L

#include "faults/faults.h"
#include "fuzz.h"

#include <string.h>

const char *const fuzz_tokens[] = {"\n",
                                   ":",
                                   ",",
                                   ";",
                                   "=",
                                   "+",
                                   "r",
                                   "links",
                                   "switches",
                                   "bundles",
                                   "neighbours",
                                   "list",
                                   "size=2",
                                   "class=",
                                   "draw=independent",
                                   "draw=exact",
                                   "node-links",
                                   "cross-links",
                                   "level-0-links",
                                   "switch-links",
                                   "<0,0,00>-<0,1,00>",
                                   "0:135:1",
                                   "r0:1:0.05",
                                   "0:1:",
                                   "#",
                                   NULL};

static const char *const networks[] = {
    "mikant:k=3,n=3", "kary-ntree:k=2,n=3",  "mikant:k=2,n=1",
    "mikant:k=2,n=2", "kary-ntree:k=12,n=2", "mikant:k=2,n=40",
};

static void check_axis(const fl_axis *axis)
{
    MUST_HOLD(axis->fault_points >= 1);
    for (uint32_t i = 0; i < axis->fault_points; i++) {
        if (axis->rates)
            MUST_HOLD(axis->rate[i] >= 0 && axis->rate[i] <= 1 &&
                      (i == 0 || axis->rate[i] > axis->rate[i - 1]));
        else
            MUST_HOLD(i == 0 || axis->counts[i] > axis->counts[i - 1]);
    }
}

static void check_model(const fl_fault_model *model, const fl_axis *axis)
{
    uint32_t fault_points = fl_fault_model_fault_points(model);
    uint64_t before = 0, count = 0;
    MUST_HOLD(fault_points >= 1 && fault_points <= axis->fault_points &&
              fl_fault_model_components(model) >= 1);
    for (uint32_t i = 0; i < fault_points; i++) {
        double rate = fl_fault_model_rate_at(model, i);
        bool counted = fl_fault_model_count_at(model, i, &count);
        MUST_HOLD(rate >= 0 && rate <= 1 && counted != fl_fault_model_is_independent(model));
        MUST_HOLD(!counted ||
                  (count <= fl_fault_model_components(model) && (i == 0 || count > before)));
        before = count;
    }
}

static void check_order(const fl_fault_model *model, const fl_network *network)
{
    fl_order *order;
    fl_error error;
    MUST_HOLD(fl_order_create(&order, model, &error) == FL_OK);
    for (uint64_t trial = 0; trial < 2; trial++) {
        fl_order_begin(order, 1, trial);
        for (uint64_t i = 0; i < 40; i++) {
            fl_link link = network->type->link_code(network, (i * 7919 + trial) % network->links);
            uint32_t fault_point = fl_order_fails_at(order, link);
            MUST_HOLD(fault_point < fl_fault_model_fault_points(model) ||
                      fault_point == FL_NEVER_FAILS);
            MUST_HOLD(fl_order_fails_at(order, link) == fault_point);
        }
        MUST_HOLD(fl_order_is_sound(order));
    }
    fl_order_destroy(order);
}

static void try_model(const fl_network *network, const char *spec, const fl_axis *axis)
{
    fl_fault_model *model = NULL, *again = NULL;
    fl_error error = {.text = ""};
    if (fl_fault_model_create(&model, network, spec, axis, &error)) {
        MUST_HOLD(!model && error.text[0]);
        return;
    }
    check_model(model, axis);
    check_order(model, network);
    MUST_HOLD(fl_fault_model_create(&again, network, fl_fault_model_spec(model), axis, &error) ==
              FL_OK);
    MUST_HOLD(strcmp(fl_fault_model_spec(again), fl_fault_model_spec(model)) == 0);
    MUST_HOLD(fl_fault_model_components(again) == fl_fault_model_components(model));
    fl_fault_model_destroy(again);
    fl_fault_model_destroy(model);
}

static void try_all(const char *number, const char *spec, const char *fault_points)
{
    fl_network *network;
    fl_error error = {.text = ""};
    uint64_t *counts = NULL;
    double *rates = NULL;
    fl_axis axis = {.rates = fault_points[0] == 'r'};
    fl_status status =
        axis.rates ? fl_axis_parse_rates(&rates, &axis.fault_points, fault_points + 1, &error)
                   : fl_axis_parse_counts(&counts, &axis.fault_points, fault_points, &error);
    if (status) {
        MUST_HOLD(!counts && !rates && error.text[0]);
        return;
    }
    axis.counts = counts;
    axis.rate = rates;
    check_axis(&axis);
    const char *name = networks[(unsigned char)number[0] % (sizeof networks / sizeof *networks)];
    MUST_HOLD(fl_network_create(&network, name, &error) == FL_OK);
    try_model(network, spec, &axis);
    fl_network_destroy(network);
    free(counts);
    free(rates);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    char *spec = strchr(text, '\n'), *fault_points = spec ? strchr(spec + 1, '\n') : NULL;
    if (fault_points && !strchr(text, '@')) { /* files are not read here: `list:@FILE` */
        *spec = *fault_points = 0;
        try_all(text, spec + 1, fault_points + 1);
    }
    free(text);
    return 0;
}
