/* Private to experiments: what deadlock results have in common. */
#ifndef FL_EXPERIMENTS_DEADLOCK_PRIVATE_H
#define FL_EXPERIMENTS_DEADLOCK_PRIVATE_H

#include "experiments/experiments.h"

/* The router's name without its channels. */
void fl_deadlock_name(const fl_router *router, char *out, size_t size);

/* Are all candidates of this router followed? Else the first. And what is followed, in words. */
bool fl_deadlock_follows_all(fl_deadlock_candidates candidates, const fl_router *router);
const char *fl_deadlock_candidates_text(fl_deadlock_candidates candidates);

/* "3 virtual channels (phase)" */
void fl_deadlock_append_channels(const fl_router *router, fl_text *out);
/* `A-B` */
void fl_deadlock_append_link(const fl_network *network, fl_link link, fl_text *out);
/* "3 faults: A-B, C-D, E-F" */
void fl_deadlock_append_faults(const fl_network *network, const fl_deadlock_witness *witness,
                               fl_text *out);
/* One line per channel: the packet that holds it and needs the next. */
void fl_deadlock_append_cycle(const fl_network *network, const fl_cycle_step *cycle,
                              unsigned length, const char *indent, fl_text *out);

/* For fl_proof_options.should_stop and fl_deadlock_options.progress; `user` is a study of the
 * caller's own. */
bool fl_deadlock_study_is_stopped(void *user);
bool fl_deadlock_study_goes_on(void *user, uint64_t done, uint64_t all);

/* The member "witness": null for NULL. */
void fl_deadlock_json_witness(const fl_network *network, const fl_deadlock_witness *witness,
                              fl_json_writer *out);

#endif
