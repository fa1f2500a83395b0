/* Private to analysis: an exploration under way, a walk over a decision diagram that is built
 * meanwhile.
 *
 * A *situation* is all that the router's next question depends on: where the packet is, its
 * header, and the answers given so far in the decision under way. The router itself is run once
 * a situation; what it does there (ask about a link, start a search, send the packet on, give
 * up) is kept. A *place* is a situation and, inside a search, how far it has come.
 *
 * What can still happen at a place depends on what is already known about the components that will
 * still be asked about, and on nothing else. So a place remembers its results in a trie: each
 * node tests what is known about one component (up, down, nothing), in the order in which the
 * exploration that first came by asked. Two histories that agree on these components share the
 * result. This is a reduced decision diagram whose order of variables is the router's own. */
#ifndef FL_ANALYSIS_EXACT_EXPLORATION_H
#define FL_ANALYSIS_EXACT_EXPLORATION_H

#include "analysis/exact/explorer.h"
#include "core/array.h"
#include "core/hash_map.h"

enum { UP = 0, DOWN = 1, UNKNOWN = 2, NONE = -1 };
enum { POLY_ZERO, POLY_ONE, POLY_OPEN, WEIGHT_STRIDE = 512 };
#define DELIVERED UINT32_MAX /* in place of a situation */

typedef enum explorer_action {
    ACTION_NEW,
    ACTION_BLOCKED,
    ACTION_GO,
    ACTION_ASK,
    ACTION_SEARCH
} explorer_action;

typedef struct explorer_situation {
    fl_address here;
    uint64_t header_state;
    uint32_t parent; /* situation before the last answer, or none before the first */
    uint8_t answer;  /* the last answer: UP, DOWN (for a search: not found) */
    uint8_t channel;
    uint16_t questions;        /* answers given so far in this decision */
    uint32_t next;             /* ACTION_GO: situation that follows, or DELIVERED */
    uint32_t candidate_length; /* ACTION_GO */
    fl_link link;              /* ACTION_ASK */
    uint32_t port_ranges;      /* ACTION_SEARCH: index into port_ranges */
    uint8_t port_range_count;
    uint8_t action; /* explorer_action */
} explorer_situation;

/* Where an exploration stands. Outside searches `turn` and `at` are 0. */
typedef struct explorer_place {
    uint32_t situation;
    uint8_t turn;
    uint16_t at[FL_DETOUR_MAX];
    fl_address probe[FL_DETOUR_MAX + 1];
} explorer_place;

typedef struct explorer_poly {
    uint32_t asked; /* components that matter */
    size_t numbers; /* delivered[asked + 1], lengths[asked + 1], open[asked + 1] */
} explorer_poly;

typedef struct explorer_result {
    uint32_t poly;
    uint32_t added; /* links travelled before it */
} explorer_result;

typedef struct explorer_trie_node {
    int32_t component; /* NONE: leaf */
    int32_t child[3];  /* of a leaf: poly, added, whether nothing was left out */
    double weight;     /* of a leaf: of the path on which it was computed */
} explorer_trie_node;

/* The trie of a place that asks about a component. */
typedef struct explorer_root {
    uint32_t situation, component;
    uint64_t point; /* reached in the search */
    int32_t node;
} explorer_root;

typedef struct explorer_log_entry {
    uint32_t component;
    uint8_t known;
} explorer_log_entry;

struct fl_explorer {
    const fl_router *router;
    const fl_fault_model *model;
    fl_explorer_limits limits;
    fl_order *order;
    fl_searcher searcher;
    fl_address source, destination;

    FL_ARRAY(explorer_situation) situations;
    FL_ARRAY(fl_port_range) port_ranges;
    FL_ARRAY(explorer_poly) polys;
    FL_ARRAY(long double) numbers;
    FL_ARRAY(explorer_trie_node) tries;
    FL_ARRAY(explorer_root) roots;
    FL_ARRAY(explorer_log_entry) log;
    fl_hash_index situation_of; /* of situations, by (parent, answer) or vertex and header */
    fl_hash_index root_of;      /* of roots, by all but the node */
    fl_hash_map component_of;   /* number in the fault model -> local component */
    FL_ARRAY(uint8_t) known;    /* by local component */
    FL_ARRAY(uint32_t) stamps;  /* by local component: when it was last seen in merging a log */
    uint32_t stamp;
    double *weights;     /* [ups * stride + downs] largest probability of such answers */
    uint32_t ups, downs; /* answers on the current path */
    uint32_t steps;      /* of the packet on the current path */

    /* of the run of the router that is under way */
    uint8_t script[FL_QUESTIONS_MAX];
    uint32_t script_length, asked;
    bool pending, found;
    fl_port found_ports[FL_DETOUR_MAX];
    fl_address found_end;
    explorer_situation *running;

    uint64_t branchings;
    bool rounded;
    fl_status status; /* the first failure; until the run ends everything then goes by index 0 */
    fl_error error;
};

/* ---- situations.c ---- */

void fl_explorer_fail(fl_explorer *x, fl_status status, const char *text);
void fl_explorer_violated(fl_explorer *x, fl_address here, fl_violation violation);
void fl_explorer_out_of_memory(fl_explorer *x);

/* A packet at a vertex, before any question. */
uint32_t fl_explorer_situation_at(fl_explorer *x, fl_address here, uint64_t header_state,
                                  uint8_t channel);

/* The situation after an answer to the question of this one. */
uint32_t fl_explorer_situation_after(fl_explorer *x, uint32_t index, uint8_t answer);

/* Finds out what the router does at a situation, unless that is known. */
void fl_explorer_learn(fl_explorer *x, uint32_t index);

/* The situation after a search has found a detour, and the links travelled. */
uint32_t fl_explorer_after_found(fl_explorer *x, const explorer_place *at, uint32_t *travelled);

/* Of fl_order_create_custom and of fl_searcher: answer from the script. */
uint32_t fl_explorer_answer_link(fl_order *order, fl_link link);
bool fl_explorer_answer_search(fl_searcher *searcher, const fl_port_range *port_ranges,
                               unsigned count, fl_port *ports, fl_address *end);

/* ---- polynomials.c ---- */

/* The numbers of a polynomial, each [asked + 1]; good until the next one is made. */
FL_INLINE long double *fl_explorer_delivered(const fl_explorer *x, uint32_t p)
{
    return x->numbers.data + x->polys.data[p].numbers;
}

FL_INLINE long double *fl_explorer_lengths(const fl_explorer *x, uint32_t p)
{
    return fl_explorer_delivered(x, p) + x->polys.data[p].asked + 1;
}

FL_INLINE long double *fl_explorer_open(const fl_explorer *x, uint32_t p)
{
    return fl_explorer_lengths(x, p) + x->polys.data[p].asked + 1;
}

/* A polynomial of zeros. */
uint32_t fl_explorer_new_poly(fl_explorer *x, uint32_t asked);

/* Forgets all, and makes POLY_ZERO, POLY_ONE and POLY_OPEN. */
void fl_explorer_make_constants(fl_explorer *x);

/* The result of asking about one more component: `up` if it is up, else `down`. */
explorer_result fl_explorer_join(fl_explorer *x, explorer_result up, explorer_result down);

/* ---- explore.c ---- */

/* Everything that can happen from a place on. */
explorer_result fl_explorer_explore(fl_explorer *x, explorer_place at);
explorer_place fl_explorer_place_of(const fl_explorer *x, uint32_t index);

#endif
