/* What a workload is made of, and its building: messages first, then the relations between them,
 * sorted both ways. */
#include "sim/workload/private.h"

#include "core/array.h"

#include <stdlib.h>

void fl_sim_builder_begin(fl_sim_builder *b, uint32_t processes, const char *name)
{
    *b = (fl_sim_builder){.workload = calloc(1, sizeof *b->workload)};
    if (!b->workload) {
        b->out_of_memory = true;
        return;
    }
    b->workload->processes = processes;
    snprintf(b->workload->name, sizeof b->workload->name, "%s", name);
}

bool fl_sim_builder_failed(const fl_sim_builder *b)
{
    return b->out_of_memory || b->too_many;
}

static bool make_room(fl_sim_builder *b)
{
    fl_sim_workload *w = b->workload;
    if (w->count < b->room)
        return true;
    if (w->count == FL_SIM_MESSAGES_MAX) {
        b->too_many = true;
        return false;
    }
    uint64_t room = b->room ? (uint64_t)b->room + b->room / 2 : 1024;
    room = room > FL_SIM_MESSAGES_MAX ? FL_SIM_MESSAGES_MAX : room;
    if (!FL_RESIZE(&w->source, room) || !FL_RESIZE(&w->destination, room) ||
        !FL_RESIZE(&w->bytes, room) || (w->delay && !FL_RESIZE(&w->delay, room))) {
        b->out_of_memory = true;
        return false;
    }
    b->room = (uint32_t)room;
    return true;
}

uint32_t fl_sim_builder_message(fl_sim_builder *b, uint32_t source, uint32_t destination,
                                uint32_t bytes)
{
    fl_sim_workload *w = b->workload;
    if (fl_sim_builder_failed(b) || !make_room(b))
        return 0;
    w->source[w->count] = source;
    w->destination[w->count] = destination;
    w->bytes[w->count] = bytes;
    if (w->delay)
        w->delay[w->count] = 0;
    return w->count++;
}

void fl_sim_builder_delay(fl_sim_builder *b, uint32_t message, uint32_t delay)
{
    fl_sim_workload *w = b->workload;
    if (fl_sim_builder_failed(b) || delay == 0)
        return;
    if (!w->delay) {
        w->delay = calloc(b->room, sizeof *w->delay);
        if (!w->delay) {
            b->out_of_memory = true;
            return;
        }
    }
    w->delay[message] = delay;
}

void fl_sim_builder_after(fl_sim_builder *b, uint32_t later, uint32_t earlier)
{
    if (fl_sim_builder_failed(b))
        return;
    if (b->relations == b->relation_room) {
        uint64_t room = b->relation_room ? 2 * b->relation_room : 1024;
        if (b->relations >= UINT32_MAX) {
            b->too_many = true;
            return;
        }
        if (!FL_RESIZE(&b->later, room) || !FL_RESIZE(&b->earlier, room)) {
            b->out_of_memory = true;
            return;
        }
        b->relation_room = room;
    }
    b->later[b->relations] = later;
    b->earlier[b->relations++] = earlier;
}

void fl_sim_builder_clear(fl_sim_builder *b)
{
    free(b->later);
    free(b->earlier);
    fl_sim_workload_destroy(b->workload);
    *b = (fl_sim_builder){0};
}

/* Relations sorted by `key`, those of one key in the order in which they stand: a counting sort. */
static bool sort_relations(uint32_t **first_out, uint32_t **out, uint32_t count,
                           const uint32_t *key, const uint32_t *value, uint64_t relations)
{
    uint32_t *first = calloc((size_t)count + 1, sizeof *first),
             *list = malloc((size_t)relations * sizeof *list);
    *first_out = first;
    *out = list;
    if (!first || !list)
        return false;
    for (uint64_t i = 0; i < relations; i++)
        first[key[i] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    for (uint64_t i = 0; i < relations; i++)
        list[first[key[i]]++] = value[i];
    for (uint32_t i = count; i > 0; i--)
        first[i] = first[i - 1];
    first[0] = 0;
    return true;
}

/* Twice sorted, so that both lists rise whatever the order in which the relations came. */
static bool link_messages(fl_sim_builder *b)
{
    fl_sim_workload *w = b->workload;
    if (b->relations == 0)
        return true;
    if (!sort_relations(&w->next_first, &w->next, w->count, b->earlier, b->later, b->relations))
        return false;
    uint64_t i = 0;
    for (uint32_t m = 0; m < w->count; m++)
        for (uint32_t j = w->next_first[m]; j < w->next_first[m + 1]; j++, i++) {
            b->earlier[i] = m;
            b->later[i] = w->next[j];
        }
    if (!sort_relations(&w->after_first, &w->after, w->count, b->later, b->earlier, b->relations))
        return false;
    i = 0;
    for (uint32_t m = 0; m < w->count; m++)
        for (uint32_t j = w->after_first[m]; j < w->after_first[m + 1]; j++, i++) {
            b->later[i] = m;
            b->earlier[i] = w->after[j];
        }
    free(w->next_first);
    free(w->next);
    return sort_relations(&w->next_first, &w->next, w->count, b->earlier, b->later, b->relations);
}

/* A list that cannot be made smaller stays as it is. */
static void shrink(uint32_t **list, uint32_t count)
{
    if (*list && count > 0)
        (void)FL_RESIZE(list, count);
}

fl_status fl_sim_builder_end(fl_sim_builder *b, fl_sim_workload **out, fl_error *error)
{
    fl_status status = FL_OK;
    if (b->too_many)
        status = fl_fail(error, FL_ERR_INVALID,
                         "%s has more than %u messages, or than 2^32 - 1 relations between them",
                         b->workload->name, FL_SIM_MESSAGES_MAX);
    else if (b->out_of_memory || !link_messages(b))
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory for the messages of a workload");
    if (!status) {
        fl_sim_workload *w = b->workload;
        shrink(&w->source, w->count);
        shrink(&w->destination, w->count);
        shrink(&w->bytes, w->count);
        shrink(&w->delay, w->count);
        *out = w;
        b->workload = NULL;
    }
    fl_sim_builder_clear(b);
    return status;
}

void fl_sim_workload_destroy(fl_sim_workload *w)
{
    if (!w)
        return;
    void *const lists[] = {w->id,          w->source, w->destination, w->bytes, w->delay,
                           w->after_first, w->after,  w->next_first,  w->next};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]);
    free(w);
}

uint64_t fl_sim_workload_content(const fl_sim_workload *workload)
{
    return workload->content;
}

const char *fl_sim_workload_name(const fl_sim_workload *workload)
{
    return workload->name;
}

uint32_t fl_sim_workload_processes(const fl_sim_workload *workload)
{
    return workload->processes;
}

uint32_t fl_sim_workload_messages(const fl_sim_workload *workload)
{
    return workload->count;
}

fl_sim_message fl_sim_workload_message(const fl_sim_workload *w, uint32_t place)
{
    uint32_t first = w->after_first ? w->after_first[place] : 0;
    return (fl_sim_message){
        .id = w->id ? w->id[place] : place,
        .source = w->source[place],
        .destination = w->destination[place],
        .bytes = w->bytes[place],
        .delay = w->delay ? w->delay[place] : 0,
        .after_count = w->after_first ? w->after_first[place + 1] - first : 0,
        .after = w->after_first ? w->after + first : NULL,
    };
}
