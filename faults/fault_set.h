/* One set of faults. */
#ifndef FL_FAULTS_FAULT_SET_H
#define FL_FAULTS_FAULT_SET_H

#include "faults/fault_order.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Which links are down, for analyses of one set and not of a fault order. */
typedef struct fl_fault_set {
    fl_link *links; /* [count] rising */
    uint64_t count;
} fl_fault_set;

#define FL_FAULT_SET_LINKS_MAX (UINT64_C(1) << 24)

/* All links that are down at a fault point of the model's axis, in one trial. Every link is asked
 * about, by rising index, so that the set depends on model, axis, seed and trial only. (A sweep
 * asks what its routers ask, in their order: its trials have the same distribution, but the trial
 * with the same number is not the same set.) FL_ERR_INVALID for networks of more links than
 * FL_FAULT_SET_LINKS_MAX. */
fl_status fl_fault_set_draw(fl_fault_set *out, const fl_network *network,
                            const fl_fault_model *model, uint32_t fault_point, uint64_t seed,
                            uint64_t trial, fl_error *error);

/* `LINK;LINK...` or `@FILE`, as in the fault model `list`. */
fl_status fl_fault_set_parse(fl_fault_set *out, const fl_network *network, const char *text,
                             fl_error *error);
void fl_fault_set_clear(fl_fault_set *set); /* frees */

bool fl_fault_set_holds(const fl_fault_set *set, fl_link link);

/* An order with one fault point, 0, at which the links of the set are down; borrows the set. */
fl_status fl_order_create_fixed(fl_order **out, const fl_network *network, const fl_fault_set *set,
                                fl_error *error);

#ifdef __cplusplus
}
#endif
#endif
