/* Files that other programs read networks from. */
#ifndef FL_TOPO_FORMATS_FORMATS_H
#define FL_TOPO_FORMATS_FORMATS_H

#include "topo/network.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { FL_FORMAT_FILES_MAX = 4 };

/* What is assumed of links, switches and nodes. Gbit are 10^9 bit. */
typedef struct fl_format_speeds {
    double bandwidth;                            /* of a link, each way: Gbit/s, above 0 */
    double link_latency, switch_latency;         /* ns */
    double loopback_bandwidth, loopback_latency; /* of messages of a node to itself: Gbit/s, ns */
    double flops;                                /* of a node: 10^9 operations/s, above 0 */
} fl_format_speeds;

/* A link of a route, and which way: from its end `a` to `b` (fl_link_ends), or back. */
typedef struct fl_route_link {
    fl_link link;
    bool forward;
} fl_route_link;

/* The links from node to node, in their order. The caller that appends makes room (FL_GROW). */
typedef struct fl_route {
    fl_route_link *links;
    uint32_t count;
    size_t room;
} fl_route;

/* What is written: a network, and routes of some router under some faults. */
typedef struct fl_format_source {
    const fl_network *network;
    const char *router; /* its name, for the files' heads */
    const char *faults; /* the links that are down, as --fail takes them; NULL: none */
    fl_format_speeds speeds;
    /* All nodes have one port, and routes between the nodes of two switches differ in their first
     * and last link only. */
    bool by_switch;
    void *user; /* of the functions */
    bool (*is_up)(void *user, fl_link link);
    /* Sets *out to the route between two different nodes; to no link if it is blocked. */
    fl_status (*route)(void *user, fl_address from, fl_address to, fl_route *out, fl_error *error);
} fl_format_source;

/* What the files contain, and what they do not. Pairs are ordered. */
typedef struct fl_format_counts {
    uint64_t nodes, links, routes; /* routes: those written, which may each serve many pairs */
    uint64_t nodes_left_out;       /* all their links are down */
    uint64_t pairs, pairs_cut; /* of the nodes that are not left out: with a route, and without */
    uint64_t length_sum;       /* links, over the pairs with a route */
} fl_format_counts;

/* One entry describes a format. */
typedef struct fl_format {
    const char *name, *summary, *source;
    const char *endings[FL_FORMAT_FILES_MAX + 1]; /* of its files, e.g. ".xml"; ended by NULL */
    /* Appends the content of each file to `files`, in the order of the endings. Memory that ran
     * out while a text grew is found in its `failed`. */
    fl_status (*write)(const fl_format_source *source, fl_text *files, fl_format_counts *counts,
                       fl_error *error);
} fl_format;

/* All formats, ended by NULL. */
extern const fl_format *const fl_formats[];

/* Their names in the same order, ended by NULL: the words of an option. */
extern const char *const fl_format_names[];

#ifdef __cplusplus
}
#endif
#endif
