/* Private to topo: random graphs of switches, drawn until one is connected. */
#ifndef FL_TOPO_STORED_MODELS_MODEL_H
#define FL_TOPO_STORED_MODELS_MODEL_H

#include "topo/stored/explicit.h"

/* What a family says of its graphs. */
typedef struct fl_model {
    uint64_t nodes, switches;
    uint64_t links_most;                               /* between switches */
    uint32_t (*nodes_of)(void *user, uint32_t number); /* nodes of a switch */
    /* NULL, or allocates what `draw` needs; called once it is known that the graph fits. */
    fl_status (*prepare)(void *user, fl_error *error);
    /* Draws one graph with fl_explicit_link: `graph` has no links before. False: it did not work
     * out, and the next attempt follows. */
    bool (*draw)(void *user, fl_explicit_graph *graph, fl_rng *rng);
    void *user;
    uint64_t seed;
    unsigned radix;     /* 0: as many ports as the graph takes */
    unsigned attempts;  /* 0: between 20 and 200, fewer on large graphs */
    const char *advice; /* ends the message of the refusal; NULL: "another seed may help" */
} fl_model;

/* Makes the network of the first graph drawn that is connected. All attempts take their numbers
 * from one stream, that of the seed. FL_ERR_INVALID when no attempt is connected, FL_ERR_MEMORY. */
fl_status fl_model_make(fl_network *network, const fl_model *model, fl_error *error);

/* The closed forms that all models have: nodes and switches. */
void fl_model_counts(uint64_t switches, uint64_t nodes_each, fl_closed_forms *out);

/* Parameters of the models, in the words that they share. */
#define FL_MODEL_SWITCHES(at_least)                                                          \
    {                                                                                        \
        .name = "m", .summary = "switches", .least = at_least, .most = FL_MODEL_SWITCHES_MAX \
    }
#define FL_MODEL_NODES                                                              \
    {                                                                               \
        .name = "p", .summary = "nodes of every switch", .least = 1, .most = 32767, \
        .optional = true, .fallback = 1                                             \
    }
#define FL_MODEL_SEED                                                                         \
    {                                                                                         \
        .name = "seed", .summary = "which of the graphs", .least = 0, .most = UINT64_MAX - 1, \
        .optional = true                                                                      \
    }
enum { FL_MODEL_SWITCHES_MAX = 10000000 };

#endif
