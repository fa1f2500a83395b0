/* Private to cli: ranks started by mpirun. Everything about MPI is behind this header, in ranks.c;
 * the rest of the program, built with it or without, knows fl_ranks only. */
#ifndef FL_CLI_RANKS_H
#define FL_CLI_RANKS_H

#include "cli/cli.h"

/* Joins the other ranks if the program was started by mpirun: *out is NULL if it was not, and MPI
 * is not even initialised then. From here on only rank 0 complains (see fl_complain_for). False
 * after a complaint: built without MPI, or for another one. */
bool fl_ranks_open(fl_ranks **out);

/* Was the program started by mpirun or srun, with one rank or more? */
bool fl_ranks_are_launched(void);

/* Takes leave of the others. Returns the exit code of rank 0, for all to end with. */
int fl_ranks_close(fl_ranks *ranks, int code);

/* Does every rank say that it is ready (`says` is not 0)? If not, the complaint of the first that
 * is not is that of all. *first: what rank 0 says. */
bool fl_ranks_are_ready(fl_ranks *ranks, unsigned says, unsigned *first);

/* Is every rank ready (`ready`), and was every one asked for the same: the command, its options but
 * for those that are each rank's own or only rank 0's, and `asked`, which is what they make of the
 * input: canonical spec, hashes of files? False on all of them if not, after rank 0 has reported
 * which one differs, and in what. Called before anything is written. */
bool fl_ranks_agree_on(const fl_call *call, bool ready, const fl_text *asked);

/* Does this process speak and write for all? */
bool fl_ranks_lead(const fl_ranks *ranks);

/* The threads of this process: those of --threads, or, where that is 0, the processors that it has
 * for itself: those that it may run on, shared fairly with the other ranks on this host. */
unsigned fl_ranks_threads(const fl_ranks *ranks, unsigned asked);

#endif
