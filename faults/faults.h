/* faults: which links fail, in which order, and what a switch may know of it.
 *
 * A fault model is a random order in which the components of a network fail. An axis is a rising
 * list of fault points (fault counts, or failure probabilities). Only one thing matters about a
 * link: the first fault point at which it is down. That number is drawn at the first question
 * about the link, and not before (docs/how-the-sweep-works.md explains why this is unbiased), so
 * that a trial costs the same on 135 links and on ten million. */
#ifndef FL_FAULTS_FAULTS_H
#define FL_FAULTS_FAULTS_H

#include "faults/axis.h"
#include "faults/fault_model.h"
#include "faults/fault_order.h"
#include "faults/fault_set.h"
#include "faults/link_view.h"

#endif
