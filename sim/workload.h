/* Workloads: messages that wait for others. */
#ifndef FL_SIM_WORKLOAD_H
#define FL_SIM_WORKLOAD_H

#include "sim/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Messages between processes, in place of traffic: reactive sources. A message may leave when its
 * source has received, or sent, every message that it comes after, and its delay is over. Sent
 * means: its last packet has begun to leave. Messages that may leave wait at their source in a
 * queue, by the cycle in which they came to it, those of one cycle by their order in the workload.
 * A message is cut into packets; flits that the last one does not need are sent all the same.
 * Immutable, shared by threads. Memory: 12 bytes a message, 24 if some come after others, 8 for
 * each of these relations. */
typedef struct fl_sim_workload fl_sim_workload;

typedef struct fl_sim_workload_help {
    const char *name, *summary;
} fl_sim_workload_help;
extern const fl_sim_workload_help fl_sim_workloads[]; /* ended by a NULL name */

/* NAME or NAME:key=value,... of fl_sim_workloads for that many processes, or trace:FILE (of at most
 * that many). docs/workloads.md defines them and their keys. FL_ERR_INVALID names what is wrong, in
 * a file with its line; FL_ERR_MEMORY. */
fl_status fl_sim_workload_create(fl_sim_workload **out, uint64_t processes, const char *spec,
                                 fl_error *error);

/* Reads a trace (docs/workloads.md); `where` names the text in messages. Errors as above. */
fl_status fl_sim_workload_parse(fl_sim_workload **out, const char *text, size_t length,
                                const char *where, fl_error *error);

/* Appends it as a trace: what is read from that is the same workload. */
void fl_sim_workload_write(const fl_sim_workload *workload, fl_text *out);

/* The same piece by piece: appends up to `count` messages from number `first` on, before number 0
 * the head. Returns how many messages it appended. */
uint32_t fl_sim_workload_write_some(const fl_sim_workload *workload, uint32_t first, uint32_t count,
                                    fl_text *out);
void fl_sim_workload_destroy(fl_sim_workload *workload);

/* The spec that it was made from, or the name in the trace; the workload owns it. */
const char *fl_sim_workload_name(const fl_sim_workload *workload);

/* A hash of the trace it was read from; 0: it was read from none. */
uint64_t fl_sim_workload_content(const fl_sim_workload *workload);

/* How many processes and messages it has. */
uint32_t fl_sim_workload_processes(const fl_sim_workload *workload);
uint32_t fl_sim_workload_messages(const fl_sim_workload *workload);

typedef struct fl_sim_message {
    uint64_t id;                  /* its number in a trace */
    uint32_t source, destination; /* processes */
    uint32_t bytes;
    uint32_t delay; /* cycles from when nothing is missing any more until it may leave */
    uint32_t after_count;
    const uint32_t *after; /* [after_count] places in the workload of the messages that it comes
                              after, rising */
} fl_sim_message;

/* The message at a place below fl_sim_workload_messages. The workload owns its list. */
fl_sim_message fl_sim_workload_message(const fl_sim_workload *workload, uint32_t place);

#ifdef __cplusplus
}
#endif
#endif
