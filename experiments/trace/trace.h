/* What happened to one packet. */
#ifndef FL_EXPERIMENTS_TRACE_TRACE_H
#define FL_EXPERIMENTS_TRACE_TRACE_H

#include "plots/plots.h"
#include "routing/routing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One question about a link, and its answer. */
typedef struct fl_question {
    fl_address from;
    fl_port port;
    fl_link link;
    bool up;
} fl_question;

/* A link travelled, and what the vertex at its beginning asked before. */
typedef struct fl_traced_hop {
    fl_address from, to;
    fl_port port;
    fl_link link;
    unsigned rule; /* the rule whose detour it is on, or FL_NO_RULE */
    unsigned turn; /* which link of that detour, 0 for its first */
    unsigned channel;
    fl_candidate candidate; /* the router's answer: of several ports where a complete detour
                               begins */
    uint32_t first_question, questions;
    bool avoids; /* a detour begins, because `avoided` is down */
    fl_link avoided;
} fl_traced_hop;

/* What happened to one packet under one set of faults. */
typedef struct fl_trace {
    const fl_router *router;
    const fl_fault_set *faults;
    fl_address source, destination;
    fl_walk_result result;
    fl_traced_hop *hops; /* [result.hops] */
    fl_question *questions;
    uint32_t question_count;
    /* of a packet that was not delivered */
    fl_address blocked_at;
    uint32_t blocked_questions; /* the last of the questions, asked there */
    bool has_blocking; /* false: it was given up without a question about a link that was down */
    fl_link blocking;  /* the link that it needed */
    /* breadth-first search, if the network has at most FL_TRACE_LINKS_MAX links */
    bool searched;
    uint32_t shortest_without_faults;
    uint32_t shortest_length; /* of a path of links that are up; UINT32_MAX: there is none */
    fl_address *shortest;    /* [shortest_length + 1] one such path: the one taken as far as it is a
                                shortest one */
    fl_link *shortest_links; /* [shortest_length] */
} fl_trace;

#define FL_TRACE_LINKS_MAX (UINT64_C(1) << 24)

/* Walks the packet. Router and faults are borrowed. FL_ERR_ROUTER if the router violates
 * the contract, FL_ERR_INVALID if source and destination are one node. The caller destroys the
 * trace. */
fl_status fl_trace_packet(fl_trace **out, const fl_router *router, const fl_fault_set *faults,
                          fl_address source, fl_address destination, fl_error *error);

/* Frees the trace; NULL is allowed. */
void fl_trace_destroy(fl_trace *trace);

/* Appends the trace as text for readers. */
void fl_trace_text(const fl_trace *trace, fl_text *text);

/* Appends the trace as a JSON object. */
void fl_trace_json(const fl_trace *trace, fl_text *text);

/* Draws the network, its faulty links, the shortest path, the path taken and the blocking link,
 * and writes the file. Errors are those of fl_drawing_write. */
fl_status fl_trace_draw(const fl_trace *trace, fl_extent extent, const char *path, fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
