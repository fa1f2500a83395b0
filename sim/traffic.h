/* Who sends to whom. */
#ifndef FL_SIM_TRAFFIC_H
#define FL_SIM_TRAFFIC_H

#include "sim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where packets go:
 *   uniform             any node but the source, all equally likely; `uniform:self` with the source
 *   complement          node i to node N - 1 - i; bit-inversion, where N is a power of two, is the
 * same tornado             every digit d of the node number, base k, becomes d + ceil(k/2) - 1 mod
 * k; `tornado:k=K` hot-spot:nodes=x,share=y  a share y of the packets goes to the hot nodes, which
 * are a share x of all (evenly spread), the rest anywhere permutation:FILE    line i (from 0): the
 * node that node i sends to, or - A node whose destination is itself sends nothing (but with
 * uniform:self). */
typedef struct fl_sim_traffic fl_sim_traffic;
fl_status fl_sim_traffic_create(fl_sim_traffic **out, const fl_network *network, const char *spec,
                                fl_error *error);
/* The same from a list: targets[i] is the node that node i sends to, or FL_SIM_NOWHERE. Copied. */
#define FL_SIM_NOWHERE UINT32_C(0xffffffff)
fl_status fl_sim_traffic_create_fixed(fl_sim_traffic **out, const fl_network *network,
                                      const uint32_t *targets, fl_error *error);
void fl_sim_traffic_destroy(fl_sim_traffic *traffic);
const char *fl_sim_traffic_spec(const fl_sim_traffic *traffic);
uint64_t fl_sim_traffic_content(
    const fl_sim_traffic *traffic); /* hash of the file it was read from; 0: of none */

typedef struct fl_sim_traffic_help {
    const char *name, *summary;
} fl_sim_traffic_help;
extern const fl_sim_traffic_help fl_sim_traffics[]; /* ended by a NULL name */

#ifdef __cplusplus
}
#endif
#endif
