/* The packets of a run, in one list that grows. */
#include "sim/engine/run/packets.h"

#include "core/array.h"

#include <stdlib.h>

void fl_sim_packets_create(packet_pool *pool, run_status *status)
{
    *pool = (packet_pool){.free = NONE, .status = status};
}

void fl_sim_packets_destroy(packet_pool *pool)
{
    free(pool->list);
}

static bool grow(packet_pool *pool)
{
    uint32_t room = pool->room ? 2 * pool->room : 256;
    if (!FL_RESIZE(&pool->list, room)) {
        fl_sim_out_of_memory(pool->status);
        return false;
    }
    for (uint32_t i = pool->room; i < room; i++)
        pool->list[i].next = i + 1 < room ? i + 1 : NONE;
    pool->free = pool->room;
    pool->room = room;
    return true;
}

uint32_t fl_sim_new_packet(packet_pool *pool)
{
    if (FL_UNLIKELY(pool->free == NONE) && !grow(pool))
        return NONE;
    uint32_t p = pool->free;
    pool->free = pool->list[p].next;
    pool->list[p].serial = ++pool->serials;
    pool->count++;
    if (pool->count > pool->largest_count)
        pool->largest_count = pool->count;
    return p;
}

void fl_sim_free_packet(packet_pool *pool, uint32_t p)
{
    pool->list[p].next = pool->free;
    pool->list[p].serial = 0;
    pool->free = p;
    pool->count--;
}
