/* A trace as a picture. */
#include "experiments/experiments.h"

#include <stdlib.h>
#include <string.h>

/* The picture of a trace. */

enum { STEP_LABEL_MAX = 16 };

typedef struct picture {
    const fl_trace *trace;
    fl_drawn_step *taken, *shortest, *avoided, blocking;
    size_t avoided_count;
    char (*numbers)[STEP_LABEL_MAX];
    fl_link *asked;
} picture;

static void label_of(const fl_trace *trace, fl_address at, char *out)
{
    trace->router->network->type->label(trace->router->network, at, out, FL_LABEL_MAX);
}

static void list_steps(picture *p)
{
    const fl_trace *trace = p->trace;
    for (uint32_t i = 0; i < trace->result.hops; i++) {
        const fl_traced_hop *hop = &trace->hops[i];
        if (trace->router->channels > 1)
            snprintf(p->numbers[i], STEP_LABEL_MAX, "%u:vc%u", i + 1, hop->channel);
        else
            snprintf(p->numbers[i], STEP_LABEL_MAX, "%u", i + 1);
        p->taken[i] = (fl_drawn_step){hop->from, hop->link, p->numbers[i]};
        if (hop->avoids)
            p->avoided[p->avoided_count++] = (fl_drawn_step){hop->from, hop->avoided, NULL};
    }
    for (uint32_t i = 0; trace->shortest && i < trace->shortest_length; i++)
        p->shortest[i] = (fl_drawn_step){trace->shortest[i], trace->shortest_links[i], NULL};
    for (uint32_t i = 0; i < trace->question_count; i++)
        p->asked[i] = trace->questions[i].link;
    if (trace->has_blocking)
        p->blocking = (fl_drawn_step){trace->blocked_at, trace->blocking, NULL};
}

static void write_title(const fl_trace *trace, fl_text *title)
{
    char from[FL_LABEL_MAX], to[FL_LABEL_MAX];
    label_of(trace, trace->source, from);
    label_of(trace, trace->destination, to);
    fl_text_append(title, "%s: %s to %s on %s", trace->router->canonical, from, to,
                   trace->router->network->spec);
}

static void write_subtitle(const fl_trace *trace, fl_text *subtitle)
{
    const fl_walk_result *result = &trace->result;
    char at[FL_LABEL_MAX];
    label_of(trace, trace->blocked_at, at);
    if (result->delivered)
        fl_text_append(subtitle, "delivered over %u links", result->length);
    else
        fl_text_append(subtitle, "blocked at %s after %u link%s (%s)", at, result->hops,
                       result->hops == 1 ? "" : "s", fl_reason_names[result->reason]);
    if (trace->shortest)
        fl_text_append(subtitle, "; a shortest path that is left has %u", trace->shortest_length);
    else if (trace->searched)
        fl_text_append(subtitle, "; no path is left");
    fl_text_append(
        subtitle, "; %llu of %llu links down; scope %s", (unsigned long long)trace->faults->count,
        (unsigned long long)trace->router->network->links, fl_scope_names[trace->router->scope]);
}

static fl_status draw(picture *p, fl_extent extent, const char *path, fl_error *error)
{
    const fl_trace *trace = p->trace;
    fl_text title = {0}, subtitle = {0};
    list_steps(p);
    write_title(trace, &title);
    write_subtitle(trace, &subtitle);
    const fl_trail trails[] = {
        {.name = "shortest path left",
         .look = FL_TRAIL_BAND,
         .count = trace->shortest ? trace->shortest_length : 0,
         .steps = p->shortest},
        {.name = "path taken",
         .look = FL_TRAIL_ARROWS,
         .count = trace->result.hops,
         .steps = p->taken},
        {.name = "link that a detour avoids",
         .look = FL_TRAIL_CROSSES,
         .count = p->avoided_count,
         .steps = p->avoided},
        {.name = "blocking link",
         .look = FL_TRAIL_STOPS,
         .count = trace->has_blocking,
         .steps = &p->blocking},
    };
    const fl_drawn_mark marks[] = {
        {.at = trace->source, .word = "source"},
        {.at = trace->destination, .word = "destination"},
        {.at = trace->blocked_at, .colour = "#d55e00"},
    };
    bool stuck = !trace->result.delivered && !fl_address_is_node(trace->blocked_at);
    const fl_drawing drawing = {
        .network = trace->router->network,
        .title = title.data,
        .subtitle = subtitle.data,
        .faulty = trace->faults->links,
        .faulty_count = trace->faults->count,
        .trails = trails,
        .trail_count = sizeof trails / sizeof *trails,
        .marks = marks,
        .mark_count = stuck ? 3 : 2,
        .nearby = p->asked,
        .nearby_count = trace->question_count,
        .extent = extent,
    };
    fl_status status = title.failed || subtitle.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing")
                           : fl_drawing_write(&drawing, path, error);
    fl_text_clear(&title);
    fl_text_clear(&subtitle);
    return status;
}

fl_status fl_trace_draw(const fl_trace *trace, fl_extent extent, const char *path, fl_error *error)
{
    size_t hops = trace->result.hops + 1u,
           shortest = trace->shortest ? trace->shortest_length + 1u : 1;
    picture p = {
        .trace = trace,
        .taken = malloc(hops * sizeof *p.taken),
        .avoided = malloc(hops * sizeof *p.avoided),
        .shortest = malloc(shortest * sizeof *p.shortest),
        .numbers = malloc(hops * sizeof *p.numbers),
        .asked = malloc((trace->question_count + 1u) * sizeof *p.asked),
    };
    fl_status status = p.taken && p.avoided && p.shortest && p.numbers && p.asked
                           ? draw(&p, extent, path, error)
                           : fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
    free(p.taken);
    free(p.avoided);
    free(p.shortest);
    free(p.numbers);
    free(p.asked);
    return status;
}
