/* Private to topo: random graphs of given degrees, by pairing free ports at random. */
#ifndef FL_TOPO_STORED_MODELS_PAIRING_H
#define FL_TOPO_STORED_MODELS_PAIRING_H

#include "topo/stored/explicit.h"

typedef struct fl_pairing {
    uint32_t switches;
    uint64_t count;       /* free ports */
    uint32_t *free_ports; /* [count] the switch of each */
    uint64_t *offsets;    /* [switches + 1] where a switch's neighbours begin in `adjacent` */
    uint32_t *adjacent;   /* [count] */
    uint32_t *degree;     /* [switches] neighbours so far */
} fl_pairing;

/* Room for graphs whose switch s has degrees[s] links; none may have more than switches - 1. The
 * caller destroys it, also after a failure (FL_ERR_MEMORY). */
fl_status fl_pairing_create(fl_pairing *out, const uint32_t *degrees, uint32_t switches,
                            fl_error *error);
void fl_pairing_destroy(fl_pairing *pairing);

/* Pairs the free ports at random; loops and double links are undone by exchanging ends with links
 * drawn at random. If the number of ports is odd, one stays free. `graph` must have no links. False
 * if a loop or double link could not be undone. */
bool fl_pairing_draw(fl_pairing *pairing, fl_explicit_graph *graph, fl_rng *rng);

#endif
