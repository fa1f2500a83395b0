/* Private to experiments: several curves under load. */
#ifndef FL_EXPERIMENTS_SIMULATE_LOAD_H
#define FL_EXPERIMENTS_SIMULATE_LOAD_H

#include "experiments/simulate.h"

/* Runs that are finished, in a file that grows by each of them: one that was cut off in the middle of writing counts as
 * not there. The file is this program's on this machine, and says nothing elsewhere. */
typedef struct fl_load_checkpoint fl_load_checkpoint;

/* Opens the file and takes up what is in it: results[i] and done[i]. `hash` tells experiments apart: FL_ERR_INVALID for
 * another one's file. */
fl_status fl_load_checkpoint_open(fl_load_checkpoint **out, const char *path, uint64_t hash, fl_sim_result *results, bool *done,
                                  size_t count,
                                  fl_error *error);
void fl_load_checkpoint_add(void *checkpoint, size_t task, const fl_sim_result *result); /* fits fl_sim_pool.finished */
bool fl_load_checkpoint_close(fl_load_checkpoint *checkpoint); /* false: something could not be written */

/* Where a curve's results begin. */
size_t fl_load_first(const fl_load_results *results, unsigned curve);

#endif
