/* The model: names of its values, presets, ranges. */
#include "sim/private.h"

#include <string.h>

const char *const fl_sim_switching_names[] = {"store-and-forward", "cut-through", "wormhole", NULL};
const char *const fl_sim_arbitration_names[] = {"random", "round-robin", "oldest", NULL};
const char *const fl_sim_choice_names[] = {"most-free", "any-free", "first", "shortest-queue",
                                           NULL};
const char *const fl_sim_on_failure_names[] = {"lose", "retry", NULL};
const char *const fl_sim_placement_names[] = {"switches", "numbers", NULL};
const char *const fl_sim_stop_names[] = {"cycles", "each-source", "per-destination", "messages",
                                         NULL};

const char *fl_sim_loss_name(unsigned loss)
{
    return loss < FL_REASONS ? fl_reason_names[loss] : "lost_on_link";
}

/* ---- presets ---- */

/* What a source leaves open is marked; docs/simulate.md shows how much each of these choices
 * matters. */
const fl_sim_preset fl_sim_presets[] = {
    {
        .name = "mikant2018",
        .summary =
            "one-flit packets, input FIFOs of 2, one cycle a hop; until 200 packets of each source arrived",
        .source = "MiKANT paper, V.B",
        .traffic = "uniform",
        .model =
            {
                .switching = FL_SIM_CUT_THROUGH,
                .arbitration = FL_SIM_RANDOM,
                .choice = FL_SIM_MOST_FREE,
                .packet_flits =
                    1, /* open: a flit holds the address, the paper does not say how many follow */
                .input_fifo = 2,
                .link_latency = 1,
                .credit_delay = 1,
                .source_queue = 0, /* open */
                .stop = FL_SIM_STOP_EACH_SOURCE,
                .packets = 200,
                .cycles = 1000000,
                .deadlock_after = 2000,
            },
    },
    {
        .name = "cat2022",
        .summary =
            "one-flit packets, input FIFOs of 8, one cycle a hop; until 200 packets arrived at the average node",
        .source = "Wang thesis, 3.4",
        .traffic = "uniform",
        .model =
            {
                .switching = FL_SIM_CUT_THROUGH,
                .arbitration = FL_SIM_RANDOM,
                .choice = FL_SIM_MOST_FREE,
                .packet_flits = 1,
                .input_fifo = 8,
                .link_latency = 1,
                .credit_delay = 1,
                .stop = FL_SIM_STOP_PER_DESTINATION,
                .packets = 200,
                .cycles = 1000000,
                .deadlock_after = 2000,
            },
    },
    {
        .name = "kns2016",
        .summary =
            "virtual cut-through, 256-flit packets, input and output queues of 2, routing 20 cycles, links 8",
        .source = "KNS paper, 5.1",
        .traffic = "uniform",
        .model =
            {
                .switching = FL_SIM_CUT_THROUGH,
                .arbitration = FL_SIM_ROUND_ROBIN, /* open */
                .choice = FL_SIM_MOST_FREE,
                .packet_flits = 256,
                .input_fifo = 2,
                .output_fifo = 2,
                .routing_delay = 20,
                .link_latency = 8,
                .credit_delay = 8, /* credits travel like flits */
                .stop = FL_SIM_STOP_CYCLES,
                .warmup = 20000,
                .cycles = 100000,
                .drain = 100000,
                .deadlock_after = 20000,
            },
    },
    {
        .name = "thintree",
        .summary =
            "virtual cut-through, 16-phit packets, input queues of 4, source queues of 4, shortest queue up",
        .source = "thin-tree paper, IV",
        .traffic = "uniform",
        .model =
            {
                .switching = FL_SIM_CUT_THROUGH,
                .arbitration = FL_SIM_RANDOM,
                .choice = FL_SIM_SHORTEST_QUEUE,
                .packet_flits = 16,
                .input_fifo = 4,
                .link_latency = 1,
                .credit_delay = 1,
                .source_queue = 4,
                .stop = FL_SIM_STOP_CYCLES,
                .warmup = 5000,
                .cycles = 20000,
                .drain = 20000,
                .deadlock_after = 5000,
            },
    },
    {.name = NULL},
};

fl_status fl_sim_preset_find(const fl_sim_preset **out, const char *name, fl_error *error)
{
    const char *names[16] = {0};
    fl_text all = {0};
    for (size_t i = 0; fl_sim_presets[i].name; i++) {
        names[i] = fl_sim_presets[i].name;
        if (strcmp(names[i], name) == 0) {
            *out = &fl_sim_presets[i];
            fl_text_clear(&all);
            return FL_OK;
        }
        fl_text_append(&all, "%s%s", i ? ", " : "", names[i]);
    }
    const char *nearest = fl_text_nearest(name, names);
    fl_status status = nearest
                           ? fl_fail(error, FL_ERR_INVALID,
                                     "unknown preset '%.60s'; did you mean '%s'?", name, nearest)
                           : fl_fail(error, FL_ERR_INVALID, "unknown preset '%.60s'; there are %s",
                                     name, all.data ? all.data : "?");
    fl_text_clear(&all);
    return status;
}

bool fl_sim_takes_any(fl_sim_choice choice, const fl_router *router)
{
    return choice != FL_SIM_FIRST_CANDIDATE && router->type->equivalent;
}

/* ---- ranges ---- */

typedef struct range {
    const char *name;
    uint64_t value, least, most;
} range;

fl_status fl_sim_check_model(const fl_sim_model *m, fl_error *error)
{
    const range ranges[] = {
        {"the packet length", m->packet_flits, 1, FL_SIM_PACKET_MAX},
        {"the number of bytes of a flit", m->flit_bytes, 0, FL_SIM_FLIT_BYTES_MAX},
        {"the depth of input FIFOs", m->input_fifo, 1, FL_SIM_FIFO_MAX},
        {"the depth of input FIFOs of level 0", m->input_fifo_level0, 0, FL_SIM_FIFO_MAX},
        {"the depth of output FIFOs", m->output_fifo, 0, FL_SIM_FIFO_MAX},
        {"the routing delay", m->routing_delay, 0, FL_SIM_DELAY_MAX},
        {"the link latency", m->link_latency, 1, FL_SIM_DELAY_MAX},
        {"the credit delay", m->credit_delay, 1, FL_SIM_DELAY_MAX},
        {"the depth of source queues", m->source_queue, 0, FL_SIM_FIFO_MAX},
        {"the number of warm-up cycles", m->warmup, 0, FL_SIM_CYCLES_MAX / 4},
        {"the number of measured cycles", m->cycles, 1,
         m->stop == FL_SIM_STOP_MESSAGES ? FL_SIM_CYCLES_MAX : FL_SIM_CYCLES_MAX / 4},
        {"the number of drain cycles", m->drain, 0, FL_SIM_CYCLES_MAX / 4},
        {"the number of packets to stop at", m->packets,
         m->stop == FL_SIM_STOP_EACH_SOURCE || m->stop == FL_SIM_STOP_PER_DESTINATION, UINT32_MAX},
        {"the time limit before looking for deadlocks", m->deadlock_after, 1, FL_SIM_CYCLES_MAX},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].value < ranges[i].least || ranges[i].value > ranges[i].most)
            return fl_fail(error, FL_ERR_INVALID, "%s must be %llu to %llu, not %llu",
                           ranges[i].name, (unsigned long long)ranges[i].least,
                           (unsigned long long)ranges[i].most, (unsigned long long)ranges[i].value);
    if (m->switching == FL_SIM_WORMHOLE && m->output_fifo > 0)
        return fl_fail(
            error, FL_ERR_INVALID,
            "output FIFOs hold complete packets: they go with store-and-forward and cut-through, not wormhole");
    return FL_OK;
}
