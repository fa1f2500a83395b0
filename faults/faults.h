/* faults: which links fail, in which order, and what a switch may know of it.
 *
 * A fault model is a random order in which the parts of a network fail. An axis is a rising
 * list of fault levels (so many faults, or such a failure probability). Of a link only one
 * thing matters: the first level of the axis at which it is down. That number is drawn when
 * somebody first asks about the link, and not before (docs/how-the-sweep-works.md says why
 * this is unbiased), so that a trial costs the same on 135 links and on ten million. */
#ifndef FL_FAULTS_FAULTS_H
#define FL_FAULTS_FAULTS_H

#include "faults/axis.h"
#include "faults/fault_model.h"
#include "faults/fault_order.h"
#include "faults/fault_set.h"
#include "faults/link_view.h"

#endif
