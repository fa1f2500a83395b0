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
 *                    of c neighbours; a bundle fails as one
 *   neighbours:size=c  a fault takes c links at neighbouring ports of one switch, at any place
 *                    of any switch; faults may overlap
 *   list:A-B;C-D...  these links, in this order (labels or link indices); `list:@FILE` reads
 *                    one a line
 * with `draw=independent` (every part fails with the probability on the axis) in place of
 * `draw=exact`, and `class=NAME[+NAME...]` to let only links of these classes fail
 * (`switch-links`: all but node links). */
fl_status fl_fault_model_create(fl_fault_model **out, const fl_network *network, const char *spec,
                                const fl_axis *axis, fl_error *error);
void fl_fault_model_destroy(fl_fault_model *model);

const char *fl_fault_model_spec(const fl_fault_model *model); /* canonical */

/* How many parts (links, switches, bundles, ...) can fail: the largest fault count. */
uint64_t fl_fault_model_components(const fl_fault_model *model);
bool fl_fault_model_is_independent(const fl_fault_model *model);

enum { FL_LINK_COMPONENTS_MAX = 256 };

/* The parts without any of which the link is down, by numbers that tell parts of this model
 * apart (not dense). Returns how many, 0 if the link never fails. */
unsigned fl_fault_model_components_of(const fl_fault_model *model, fl_link link,
                                      uint64_t *components);

/* Does the model treat all parts alike that the network's symmetries map on each other? (Bundles
 * and neighbourhoods follow the numbering of ports, lists name links.) */
bool fl_fault_model_is_symmetric(const fl_fault_model *model);
bool fl_fault_model_is_list(const fl_fault_model *model);

/* Fault count and rate of an axis level. For `draw=independent` the count is not fixed and
 * false is returned with *count untouched. */
bool fl_fault_model_count_at(const fl_fault_model *model, uint32_t fault_point, uint64_t *count);
double fl_fault_model_rate_at(const fl_fault_model *model, uint32_t fault_point);
uint32_t fl_fault_model_fault_points(const fl_fault_model *model);

/* One line a model, for help texts; ended by a NULL name. */
typedef struct fl_fault_model_help {
    const char *name, *summary;
} fl_fault_model_help;
extern const fl_fault_model_help fl_fault_models[];

#ifdef __cplusplus
}
#endif
#endif
