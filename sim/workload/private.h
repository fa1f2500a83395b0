/* Private to sim: workloads, and the building of one. */
#ifndef FL_SIM_WORKLOAD_PRIVATE_H
#define FL_SIM_WORKLOAD_PRIVATE_H

#include "sim/private.h"

enum { FL_SIM_NAME_MAX = 256 };
#define FL_SIM_MESSAGES_MAX UINT32_C(0xfffffffe)

struct fl_sim_workload {
    char name[FL_SIM_NAME_MAX];
    uint64_t content; /* hash of the trace, or 0 */
    uint32_t processes, count;
    uint64_t *id;                           /* [count]; NULL: 0, 1, 2, ... */
    uint32_t *source, *destination, *bytes; /* [count] */
    uint32_t *delay;                        /* [count]; NULL: no message has one */
    /* Both NULL if no message comes after another. */
    uint32_t *after_first, *after; /* [count + 1] and what they count: message i comes after
                                      after[after_first[i]...] */
    uint32_t *next_first,
        *next; /* the same backwards: next[next_first[i]...] come after message i */
};

/* Does process `at` know of message m by itself: does it send it, or receive it? */
FL_INLINE bool fl_sim_knows(const fl_sim_workload *w, uint32_t at, uint32_t m)
{
    return w->source[m] == at || w->destination[m] == at;
}

/* Packets of a message of that many bytes. */
FL_INLINE uint64_t fl_sim_packets_of(const fl_sim_model *m, uint32_t bytes)
{
    uint64_t complete = (uint64_t)(m->flit_bytes ? m->flit_bytes : 4) * m->packet_flits;
    return (bytes + complete - 1) / complete;
}

/* Adds messages, in their order, and relations between them. What goes wrong is kept until the end.
 */
typedef struct fl_sim_builder {
    fl_sim_workload *workload;
    uint32_t room;
    uint32_t *later, *earlier; /* [relations] message `later` comes after message `earlier` */
    uint64_t relations, relation_room;
    bool out_of_memory, too_many;
} fl_sim_builder;

/* An empty workload; the name is copied. */
void fl_sim_builder_begin(fl_sim_builder *b, uint32_t processes, const char *name);

/* Adds a message. Returns its place; 0 after a failure. */
uint32_t fl_sim_builder_message(fl_sim_builder *b, uint32_t source, uint32_t destination,
                                uint32_t bytes);

/* Gives a message a delay, in cycles. */
void fl_sim_builder_delay(fl_sim_builder *b, uint32_t message, uint32_t delay);

/* Message `later` comes after message `earlier`, in any order of calls. */
void fl_sim_builder_after(fl_sim_builder *b, uint32_t later, uint32_t earlier);

/* Has something gone wrong? */
bool fl_sim_builder_failed(const fl_sim_builder *b);

/* Hands the workload over, to be destroyed by the caller. The builder is empty then, also after a
 * failure: FL_ERR_INVALID for too many messages or relations, FL_ERR_MEMORY. */
fl_status fl_sim_builder_end(fl_sim_builder *b, fl_sim_workload **out, fl_error *error);
void fl_sim_builder_clear(fl_sim_builder *b);

#endif
