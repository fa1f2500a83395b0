/* Traffic patterns: which node sends to which. */
#ifndef FL_SIM_TRAFFIC_H
#define FL_SIM_TRAFFIC_H

#include "sim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* Where packets go:
 *   uniform             any node but the source, all equally likely; `uniform:self`: with the source
 *   complement          node i to node N - 1 - i
 *   bit-inversion       the same, where N is a power of two
 *   tornado             every digit d of the node number, base k, becomes d + ceil(k/2) - 1 mod k;
 *                       `tornado:k=K` gives the base
 *   hot-spot:nodes=x,fraction=y
 *                       a fraction y of the packets goes to the hot nodes, which are a fraction x of
 *                       all (evenly spread), the rest anywhere
 *   permutation:FILE    line i (from 0): the node that node i sends to, or -
 * A node whose destination is itself sends nothing (but with uniform:self). Immutable, shared by
 * threads. */
/* clang-format on */
typedef struct fl_sim_traffic fl_sim_traffic;

/* A pattern for the nodes of a network. FL_ERR_INVALID names what is wrong with the spec or in the
 * file; FL_ERR_IO, FL_ERR_MEMORY. */
fl_status fl_sim_traffic_create(fl_sim_traffic **out, const fl_network *network, const char *spec,
                                fl_error *error);

#define FL_SIM_NOWHERE UINT32_C(0xffffffff)

/* The same from a list, which is copied: targets[i] is the node that node i sends to, or
 * FL_SIM_NOWHERE. */
fl_status fl_sim_traffic_create_fixed(fl_sim_traffic **out, const fl_network *network,
                                      const uint32_t *targets, fl_error *error);
void fl_sim_traffic_destroy(fl_sim_traffic *traffic);

/* The spec that it was made from; the traffic owns it. */
const char *fl_sim_traffic_spec(const fl_sim_traffic *traffic);

/* A hash of the file it was read from; 0: it was read from none. */
uint64_t fl_sim_traffic_content(const fl_sim_traffic *traffic);

typedef struct fl_sim_traffic_help {
    const char *name, *summary;
} fl_sim_traffic_help;
extern const fl_sim_traffic_help fl_sim_traffics[]; /* ended by a NULL name */

#ifdef __cplusplus
}
#endif
#endif
