/* Private to analysis: a proof under way.
 *
 * Followed are all states that a packet to one destination can be in, whatever fails. A decision is
 * run once for every set of answers to its questions: a script of answers is replayed, the first
 * question after it gets its first answer, and then the last answer that has another one left is
 * advanced. A search (fl_searcher) is one question with as many answers as there are detours, and
 * "none".
 *
 * Of every outcome the first candidate is followed, or all of them
 * (fl_proof_options.all_candidates). A search then stands for one of its candidates: that one is
 * up, and nothing is said about the others.
 *
 * States are reached in the order of how many links had to be down before, fewest first. The
 * links that were, explain every dependency: a cycle's explanations together are a fault set that
 * may create it, which a walk through all pairs then confirms or does not. */
#ifndef FL_ANALYSIS_DEADLOCK_PROVER_H
#define FL_ANALYSIS_DEADLOCK_PROVER_H

#include "analysis/deadlock/dependencies.h"
#include "core/array.h"
#include "core/hash_map.h"

enum {
    FL_PROVER_DOWN_MAX = 1024,
    FL_PROVER_CANDIDATES_MAX = 512,
};
#define NO_STATE  UINT32_MAX
#define DELIVERED (UINT32_MAX - 1)

/* A state of a packet. */
typedef struct prover_node {
    fl_transit transit;
    uint32_t parent;             /* state before, NO_STATE at a source */
    uint32_t downs_first, downs; /* links seen down in the decision that led here */
    uint32_t cost;               /* links seen down since the source */
    uint32_t arcs_first, arcs;   /* states that can follow; set when it is expanded */
    bool expanded;
} prover_node;

/* One state can follow on another. */
typedef struct prover_arc {
    uint32_t to;                 /* or DELIVERED */
    uint32_t downs_first, downs; /* links seen down in the decision */
} prover_arc;

/* Why a dependency is there. */
typedef struct prover_reason {
    uint32_t from, to;
    fl_address source, destination;
    uint32_t links_first, links; /* that have to be down */
} prover_reason;

/* A search that the router has made in a decision: detours 0..failed-1 had a link that was down. */
typedef struct prover_search {
    fl_port_range port_ranges[FL_DETOUR_MAX];
    unsigned count;
    uint32_t failed;
} prover_search;

typedef FL_ARRAY(uint32_t) prover_round;

typedef struct prover {
    const fl_router *router;
    const fl_fault_model *model;
    const fl_network *network;
    fl_channel_graph *graph;
    fl_order *order;
    fl_searcher searcher;
    fl_address destination;
    fl_address here; /* where the decision under way is made */
    fl_proof_options limits;
    uint32_t asked_router; /* decisions, for asking should_stop now and then */

    uint32_t answers[FL_QUESTIONS_MAX], options[FL_QUESTIONS_MAX];
    uint32_t script, asked;
    bool discard;   /* this run contradicts itself */
    bool promised;  /* every link that can be up is: those of a detour in the header are */
    bool uncertain; /* this run asked about a link that can fail */
    fl_link down[FL_PROVER_DOWN_MAX]; /* links found down in this run, after it also those that
                                         explain its searches */
    uint32_t down_count;
    fl_candidate candidates[FL_PROVER_CANDIDATES_MAX];
    prover_search searches[FL_RULES_MAX];
    uint32_t search_count;

    FL_ARRAY(prover_node) nodes;
    FL_ARRAY(prover_arc) arcs;
    FL_ARRAY(fl_link) links; /* lists of links that are down, of nodes and arcs */
    FL_ARRAY(prover_reason) reasons;
    FL_ARRAY(fl_link) reason_links; /* lists of links that are down, of reasons */
    fl_hash_index states;           /* of nodes, by transit */
    fl_hash_map reason_of;          /* (from, to) -> reason */
    prover_round rounds[2]; /* states to be expanded: those of this cost and of higher ones */

    const fl_link *walk_down; /* [walk_down_count] down while a loop or a longest path is walked */
    size_t walk_down_count;
    uint32_t longest_tried; /* longest paths that were walked */

    fl_proof *proof;
    fl_status status;
    fl_error *error;
} prover;

/* ---- answers.c ---- */

/* Set the status, if it is still FL_OK; the router has violated the contract at p->here. */
void fl_prover_out_of_memory(prover *p);
void fl_prover_violated(prover *p, fl_violation violation);

/* Asks the caller of the proof whether to stop. */
void fl_prover_stop_if_asked(prover *p);

/* Asks the router with the answers of the script. What its answer violates ends the proof. */
void fl_prover_ask(prover *p, const fl_packet *packet, fl_view *view, fl_decision *decision);

/* Advances the script to the next answers; false when there are none left. */
bool fl_prover_advance(prover *p);

/* Of fl_order_create_custom and of fl_searcher: answer from the script. */
uint32_t fl_prover_answer_link(fl_order *order, fl_link link);
bool fl_prover_answer_search(fl_searcher *searcher, const fl_port_range *port_ranges,
                             unsigned count, fl_port *ports, fl_address *end);

bool fl_prover_is_always_down(const prover *p, fl_link link);

/* Is it up at some times and down at others? */
bool fl_prover_can_fail(const prover *p, fl_link link);

bool fl_prover_is_among(const fl_link *links, uint32_t count, fl_link link);

/* Adds to p->down the links that must have been down in the searches before this candidate. */
void fl_prover_explain_searches(prover *p, const fl_candidate *candidate);

/* ---- states.c ---- */

/* Adds the state of a packet that begins there. */
void fl_prover_start_at(prover *p, const fl_end *from);

/* Follows all states that can be reached. */
void fl_prover_expand_all(prover *p);
void fl_prover_forget_states(prover *p);

/* The explanation of a dependency, which must be there. */
const prover_reason *fl_prover_reason(const prover *p, uint32_t from, uint32_t to);

/* ---- loops.c ---- */

/* Writes the first loop among the states, or else the longest path, to the proof. */
void fl_prover_look_for_loops(prover *p);
void fl_proof_clear_loop(fl_proof *proof);

/* ---- cycles.c ---- */

/* Writes a shortest cycle of all dependencies to the proof, and a witness if that is wanted. */
void fl_prover_judge(prover *p);

#endif
