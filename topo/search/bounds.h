/* Bounds on the h-ASPL: the mean distance between hosts of a host-switch graph, in links. */
#ifndef FL_TOPO_SEARCH_BOUNDS_H
#define FL_TOPO_SEARCH_BOUNDS_H

#include "core/core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The most hosts that a connected graph of `switches` switches of this radix can have: Lemma 3.1 of
 * the Yasudo thesis. */
uint64_t fl_host_switch_hosts_max(uint64_t switches, uint64_t radix);

/* The least diameter of a host-switch graph, in links (Yasudo thesis, Corollary 3.1), and the lower
 * bound on its h-ASPL (Theorem 3.2), whatever the number of switches. hosts >= 2; radix >= 3 unless
 * one switch is enough. */
unsigned fl_host_switch_diameter_bound(uint64_t hosts, uint64_t radix);
double fl_host_switch_aspl_bound(uint64_t hosts, uint64_t radix);

/* The Moore bound on the mean distance of a graph with this number of vertices and neighbours of
 * each (Yasudo thesis, (2.10)), which need not be an integer. INFINITY: it cannot be connected. */
double fl_moore_bound(double vertices, double degree);

/* The continuous Moore bound on the h-ASPL of a graph with as many hosts on each switch (Yasudo
 * thesis, (3.5) and 3.4.2.4). Uneven graphs can be below it. INFINITY: it cannot be connected. */
double fl_host_switch_moore_bound(uint64_t hosts, uint64_t switches, uint64_t radix);

/* The number of switches at which the continuous Moore bound is least (m_opt): the first of them.
 * O(hosts). 0: no number of switches has a bound. */
uint64_t fl_host_switch_switches(uint64_t hosts, uint64_t radix);

#ifdef __cplusplus
}
#endif
#endif
