/* Private to sim: the requests of a cycle, and whose turn it is. */
#ifndef FL_SIM_ENGINE_SWITCHES_REQUESTS_H
#define FL_SIM_ENGINE_SWITCHES_REQUESTS_H

#include "sim/engine/run/run_status.h"

/* Heads that request one channel, or one place at the crossbar. */
typedef struct request {
    uint32_t count;
    uint32_t winner; /* the head that will have it, as far as is known */
} request;

typedef struct requests {
    request *of_channel;               /* [channels] */
    uint32_t *channels, channel_count; /* channels that are requested in this cycle */
    uint32_t *turn;                    /* [channels] round-robin: port that was served last */
    /* The virtual channels of a port share one place at the crossbar. [ports], if there are
     * several. */
    request *of_port;
    uint32_t *ports, port_count; /* ports whose place is requested in this cycle */
    uint32_t *port_turn;         /* round-robin: virtual channel that was served last */
} requests;

/* False when memory ran out; destroy it all the same. */
bool fl_sim_requests_create(requests *r, const fl_sim_plan *plan);
void fl_sim_requests_destroy(requests *r);

#endif
