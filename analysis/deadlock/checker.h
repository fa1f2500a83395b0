/* Private to analysis: a deadlock check under way.
 *
 * What a packet does holds until a link goes down that some switch on its path saw up (the same
 * idea as in the sweep). So the sets are visited depth first, component by component, and with
 * every component only the flows are routed again that saw a link of it up. A flow is a source
 * switch and a destination for routers that know no more (fl_router_type.switch_to_switch), else a
 * pair of nodes. On MiKANT(3,3) that is about a tenth of the flows a set. */
#ifndef FL_ANALYSIS_DEADLOCK_CHECKER_H
#define FL_ANALYSIS_DEADLOCK_CHECKER_H

#include "analysis/deadlock/dependencies.h"
#include "core/array.h"

enum { FL_CHECKER_CANDIDATES_MAX = 512, FL_CHECKER_STATES_MAX = FL_STEPS_MAX };
#define NO_COMPONENT UINT32_MAX

typedef struct checker_flow {
    fl_address source, destination;
    uint32_t switch_from;
} checker_flow;

/* What a flow does under the present faults. */
typedef struct checker_record {
    uint32_t first, count; /* dependencies in the store */
} checker_record;

typedef struct checker_dependency {
    uint32_t from, to;
} checker_dependency;

typedef struct checker_undo {
    uint32_t flow;
    checker_record old;
} checker_undo;

typedef struct checker {
    const fl_router *router;
    const fl_fault_model *model;
    const fl_deadlock_options *options;
    const fl_network *network;
    fl_channel_graph *graph;
    fl_order *order;

    uint64_t *component_name; /* [components] numbers of the fault model, rising */
    uint32_t components, component_words;
    uint32_t *component_links_from; /* [components + 1] into component_links */
    uint32_t *component_links;      /* link indices */
    uint32_t *down_count;           /* [links] components of the link that are down */
    uint32_t *link_components_from; /* [links + 1] into link_components */
    uint32_t *link_components;      /* components of a link */
    uint64_t *code;                 /* [links] */

    checker_flow *flows;
    uint32_t flow_count;
    checker_record *records; /* [flow_count] */
    uint64_t *seen_up;       /* [flow_count * component_words] components of links seen up */
    FL_ARRAY(checker_dependency) store;
    FL_ARRAY(checker_undo) undos;
    FL_ARRAY(uint64_t) undo_seen; /* component_words of every undo */

    fl_transit *states;       /* [FL_CHECKER_STATES_MAX] of one flow: visited and to be visited */
    fl_candidate *candidates; /* [FL_CHECKER_CANDIDATES_MAX] */
    uint64_t *seen;           /* [component_words] by the flow that is being routed */

    uint32_t *chosen; /* components of the present set */
    unsigned chosen_count;
    fl_deadlock_result *result;
    uint32_t *cycle; /* [channels] */
    uint64_t weighed, sets_to_try;
    uint32_t work; /* since the last report of progress, in flows */
    fl_status status;
    fl_error *error;
} checker;

FL_INLINE uint32_t fl_checker_link_index(const checker *c, fl_link link)
{
    return (uint32_t)c->network->type->link_index(c->network, link);
}

/* ---- components.c ---- */

/* Numbers the components densely, and lists links by component and components by link. False: out
 * of memory. */
bool fl_checker_number_components(checker *c);

/* The number of a component of the fault model, or NO_COMPONENT if it holds no link. */
uint32_t fl_checker_find_component(const checker *c, uint64_t name);

void fl_checker_set_component(checker *c, uint32_t component, bool down);

/* Of fl_order_create_custom: is the link down now? */
uint32_t fl_checker_answer(fl_order *order, fl_link link);

/* ---- flows.c ---- */

/* False: out of memory, or the status says what else. */
bool fl_checker_list_flows(checker *c);

/* Routes a flow under the present faults; an error goes to the status. */
void fl_checker_route_again(checker *c, uint32_t index);

/* Adds to the work done. Reports progress now and then, and stops when the caller wants that. */
void fl_checker_count_work(checker *c, uint32_t flows);

/* The dependencies of all flows under the present faults. */
void fl_checker_build_graph(checker *c);

/* Writes to *step how many pairs of nodes make a dependency, and the first of them. */
void fl_checker_find_holders(const checker *c, fl_cycle_step *step, uint32_t from, uint32_t to);

#endif
