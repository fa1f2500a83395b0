/* Private to sim: what plans, traffic and measuring offer the engine. */
#ifndef FL_SIM_PRIVATE_H
#define FL_SIM_PRIVATE_H

#include "sim/sim.h"

/* ---- model ---- */

/* FL_ERR_INVALID names a value that is out of range, or that does not go with another. */
fl_status fl_sim_check_model(const fl_sim_model *model, fl_error *error);

/* ---- traffic ---- */

/* Where node `source` sends its next packet; FL_SIM_NOWHERE: it sends nothing. */
uint32_t fl_sim_traffic_next(const fl_sim_traffic *traffic, uint32_t source, fl_rng *rng);
/* Does it send anything at all? */
bool fl_sim_traffic_sends(const fl_sim_traffic *traffic, uint32_t source);

/* How many destinations a source has; 0: they are not equally likely. */
uint32_t fl_sim_traffic_fanout(const fl_sim_traffic *traffic);
/* Destination i, below the fanout, of a source; FL_SIM_NOWHERE: it sends nothing. */
uint32_t fl_sim_traffic_target(const fl_sim_traffic *traffic, uint32_t source, uint32_t i);

/* ---- ports and channels ---- */

/* Ports are numbered switch by switch, up to the last of each that has a link: of KNS networks the
 * routers have a few ports and the crossbars hundreds. A port is the name of an output channel, and
 * of the input port beside it. The channel of node n has the number ports + n. */
#define FL_SIM_UNPLUGGED UINT32_C(0xffffffff)
#define FL_SIM_NODE      UINT32_C(0x80000000)

typedef struct fl_sim_switch {
    fl_address address;
    uint32_t first_port;
} fl_sim_switch;

struct fl_sim_plan {
    fl_sim_set_up set_up;
    fl_sim_model model;
    const fl_network *network;
    uint32_t ports, channels; /* channels = ports + nodes */
    unsigned virtual_channels;
    uint32_t
        *to; /* [channels] input port at the other end, FL_SIM_NODE | node, or FL_SIM_UNPLUGGED */
    uint32_t *from;      /* [ports] channel that leads to this input port, or FL_SIM_UNPLUGGED */
    uint8_t *link_class; /* [channels] */
    fl_sim_switch *switches;  /* [switches + 1] the last only says where the ports end */
    uint32_t *switch_of;      /* [ports] */
    fl_address *node_address; /* [nodes] */
    uint16_t *depth;          /* [ports] of an input FIFO, of each virtual channel */
    unsigned deepest;
    unsigned latency[FL_SIM_CLASSES_MAX];
    uint64_t class_channels[FL_SIM_CLASSES_MAX];
    unsigned candidates; /* that a switch keeps of a decision */
    uint32_t senders;    /* nodes that the traffic lets send */
    uint64_t packets;    /* of all messages of a workload */
    uint32_t *node_of;   /* [processes] of a workload */
};

/* Virtual channel v of a channel has the number channel * virtual_channels + v: an output VC; that
 * of an input port is an input VC. */
FL_INLINE uint32_t fl_sim_channel_of(const fl_sim_plan *plan, uint32_t vc)
{
    return plan->virtual_channels == 1 ? vc : vc / plan->virtual_channels;
}

/* The number of a port at its switch. */
FL_INLINE uint32_t fl_sim_port_number(const fl_sim_plan *plan, uint32_t port, uint32_t s)
{
    return port - plan->switches[s].first_port;
}

/* The output VC whose packets come to an input VC. */
FL_INLINE uint32_t fl_sim_output_before(const fl_sim_plan *plan, uint32_t input)
{
    uint32_t port = fl_sim_channel_of(plan, input), v = input - port * plan->virtual_channels;
    return plan->from[port] * plan->virtual_channels + v;
}

/* The input VC at the other end of an output VC that does not lead to a node. */
FL_INLINE uint32_t fl_sim_input_after(const fl_sim_plan *plan, uint32_t output)
{
    uint32_t channel = fl_sim_channel_of(plan, output),
             v = output - channel * plan->virtual_channels;
    return plan->to[channel] * plan->virtual_channels + v;
}

/* The output VC of node n by which packets leave. */
FL_INLINE uint32_t fl_sim_output_of_node(const fl_sim_plan *plan, uint32_t n)
{
    return (plan->ports + n) * plan->virtual_channels;
}

/* Both directions of a link; FL_SIM_UNPLUGGED for one that there is not. */
void fl_sim_channels_of(const fl_sim_plan *plan, fl_link link, uint32_t out[2]);

/* ---- measuring ---- */

/* Slices of the measured cycles in which arrivals are counted; when all are full two become one. */
enum { FL_SIM_SLICES = 2 * FL_SIM_BATCHES, FL_SIM_FIRST_SLICE = 16 };
enum {
    FL_SIM_EXACT_BELOW = 4096,
    FL_SIM_BINS_PER_OCTAVE = 1024,
    FL_SIM_BINS = FL_SIM_EXACT_BELOW + 24 * FL_SIM_BINS_PER_OCTAVE
};

typedef struct fl_sim_meter {
    uint64_t bins[FL_SIM_BINS];
    double batch_sum[FL_SIM_BATCHES];
    uint64_t batch_count[FL_SIM_BATCHES];
    uint64_t arrivals[FL_SIM_SLICES], slice_length, next_cut, received_before;
    unsigned slices;
} fl_sim_meter;

/* The bin of a latency in the histogram. */
unsigned fl_sim_bin_of(uint64_t latency);
/* A slice ends in this cycle. */
void fl_sim_meter_cut(fl_sim_meter *meter, uint64_t received);
/* Fills in latencies, percentiles and intervals. */
void fl_sim_meter_read(const fl_sim_meter *meter, fl_sim_result *out);

#endif
