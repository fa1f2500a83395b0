/* Fault models: what fails. */
#ifndef FL_FAULTS_FAULT_MODEL_H
#define FL_FAULTS_FAULT_MODEL_H

#include "faults/axis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fl_fault_model fl_fault_model;

/* A model bound to a network and an axis; immutable, shared by threads. `spec`:
 *   links            single links fail: exactly f of them, every set of f equally likely
 *   switches         switches fail, and with one all its links
 *   bundles:size=c   the links of a switch towards the top (and its node links) lie in bundles
 *                    of c neighbours; a bundle fails as one component
 *   neighbours:size=c  a fault takes c links at neighbouring ports of one switch, at any place
 *                    of any switch; faults may overlap
 *   list:A-B;C-D...  these links, in this order (labels or link indices); `list:@FILE` reads
 *                    one per line
 * with `draw=independent` (every component fails with the probability on the axis) in place of
 * `draw=exact`, and `class=NAME[+NAME...]` to let only links of these classes fail
 * (`switch-links`: all but node links). FL_ERR_INVALID names what is wrong in `spec`, or the fault
 * count that the model cannot have. The caller destroys *out. The axis is copied; the network must
 * outlive the model. */
fl_status fl_fault_model_create(fl_fault_model **out, const fl_network *network, const char *spec,
                                const fl_axis *axis, fl_error *error);
/* Frees the model; NULL is allowed. */
void fl_fault_model_destroy(fl_fault_model *model);

/* The canonical spec, lent: equal models have equal ones. */
const char *fl_fault_model_spec(const fl_fault_model *model);

/* Number of components (links, switches, bundles, ...) that can fail: the largest fault count. */
uint64_t fl_fault_model_components(const fl_fault_model *model);

/* Does each component fail by itself, with the probability on the axis (draw=independent)? */
bool fl_fault_model_is_independent(const fl_fault_model *model);

enum { FL_LINK_COMPONENTS_MAX = 256 };

/* The components whose failure takes the link down, one at least of them: numbers that identify
 * components of this model (not dense). Returns how many (at most FL_LINK_COMPONENTS_MAX), 0 if
 * the link never fails. */
unsigned fl_fault_model_components_of(const fl_fault_model *model, fl_link link,
                                      uint64_t *components);

/* Does the model treat all components alike that the network's symmetries map to each other?
 * (Bundles and neighbourhoods follow the numbering of ports, lists name links.) */
bool fl_fault_model_is_symmetric(const fl_fault_model *model);

/* Is it the model `list`, which leaves nothing to chance? */
bool fl_fault_model_is_list(const fl_fault_model *model);

/* The fault count of a fault point. False, with *count untouched, for `draw=independent`, where it
 * is not fixed. */
bool fl_fault_model_count_at(const fl_fault_model *model, uint32_t fault_point, uint64_t *count);

/* The fault rate of a fault point: the fraction of the components, or the probability. */
double fl_fault_model_rate_at(const fl_fault_model *model, uint32_t fault_point);

/* Number of fault points of the axis. */
uint32_t fl_fault_model_fault_points(const fl_fault_model *model);

/* One line per model, for help texts; ended by a NULL name. */
typedef struct fl_fault_model_help {
    const char *name, *summary;
} fl_fault_model_help;
extern const fl_fault_model_help fl_fault_models[];

#ifdef __cplusplus
}
#endif
#endif
