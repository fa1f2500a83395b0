#include "experiments/deadlock/private.h"
#include "plots/plots.h"

#include <stdlib.h>

/* The picture of a cycle of channels. */

enum { STEP_LABEL_MAX = 16 };

/* The first router that has one: its cycle under the fewest faults. */
static const fl_deadlock_witness *find_witness(const fl_deadlock_findings *findings,
                                               const fl_router **router)
{
    for (unsigned r = 0; r < findings->study.router_count; r++) {
        const fl_deadlock_finding *finding = &findings->of[r];
        const fl_deadlock_witness *best = finding->has_proof ? finding->proof.witness : NULL;
        for (uint32_t i = 0; i < finding->check_count; i++) {
            const fl_deadlock_witness *other = finding->checks[i].witness;
            best = other && (!best || other->faults < best->faults) ? other : best;
        }
        *router = finding->router;
        if (best)
            return best;
    }
    return NULL;
}

static fl_status draw(const fl_router *router, const fl_deadlock_witness *witness,
                      fl_drawn_step *steps, char (*labels)[STEP_LABEL_MAX], const char *path,
                      fl_error *error)
{
    fl_text title = {0}, subtitle = {0};
    for (unsigned i = 0; i < witness->length; i++) {
        const fl_channel *channel = &witness->cycle[i].channel;
        if (router->channels > 1)
            snprintf(labels[i], STEP_LABEL_MAX, "%u:vc%u", i + 1, channel->number);
        else
            snprintf(labels[i], STEP_LABEL_MAX, "%u", i + 1);
        steps[i] = (fl_drawn_step){channel->from, channel->link, labels[i]};
    }
    fl_text_append(&title, "%s on %s: channels that wait for each other", router->canonical,
                   router->network->spec);
    fl_text_append(&subtitle, "under ");
    fl_deadlock_append_faults(router->network, witness, &subtitle);
    const fl_trail trail = {.name = "channel; its holder waits for the next",
                            .look = FL_TRAIL_ARROWS,
                            .count = witness->length,
                            .steps = steps};
    const fl_drawing drawing = {.network = router->network,
                                .title = title.data,
                                .subtitle = subtitle.data,
                                .faulty = witness->links,
                                .faulty_count = witness->link_count,
                                .trails = &trail,
                                .trail_count = 1};
    fl_status status = title.failed || subtitle.failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing")
                           : fl_drawing_write(&drawing, path, error);
    fl_text_clear(&title);
    fl_text_clear(&subtitle);
    return status;
}

bool fl_deadlock_has_cycle(const fl_deadlock_findings *findings)
{
    const fl_router *router;
    return find_witness(findings, &router) != NULL;
}

fl_status fl_deadlock_draw(const fl_deadlock_findings *findings, const char *path, fl_error *error)
{
    const fl_router *router = NULL;
    const fl_deadlock_witness *witness = find_witness(findings, &router);
    if (!witness)
        return fl_fail(error, FL_ERR_INVALID, "no cycle was found");
    fl_drawn_step *steps = calloc(witness->length, sizeof *steps);
    char(*labels)[STEP_LABEL_MAX] = calloc(witness->length, sizeof *labels);
    fl_status status = steps && labels
                           ? draw(router, witness, steps, labels, path, error)
                           : fl_fail(error, FL_ERR_MEMORY, "out of memory for a drawing");
    free(steps);
    free(labels);
    return status;
}
