/* What the commands that take specs share. */
#include "cli/experiment.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

enum { SPEC_BYTES_MAX = 16 << 20 };

cJSON *fl_spec_load(const char *path)
{
    fl_error error;
    char *text;
    size_t length;
    cJSON *spec = NULL;
    if (fl_file_read(&text, &length, path, SPEC_BYTES_MAX, &error))
        return fl_complain_of(&error), NULL;
    if (fl_json_parse(&spec, text, length, path, &error))
        fl_complain_of(&error);
    free(text);
    return spec;
}

fl_experiment *fl_experiment_of(const fl_call *call, const char *path)
{
    fl_experiment *experiment = NULL;
    fl_error error;
    cJSON *spec = path ? fl_spec_load(path) : NULL;
    if (path && !spec)
        return NULL;
    fl_progress_wait("reading the experiment");
    fl_status status = fl_experiment_bind(&experiment, spec, &call->options, path, &error);
    fl_progress_wait_end();
    cJSON_Delete(spec);
    return status ? (fl_complain_of(&error), NULL) : experiment;
}

/* ---- notes ---- */

/* A note begins with the name of the rule that it is about, which may be all of the router's name.
 */
static void print_note(const fl_router *router)
{
    size_t length = strlen(router->name);
    bool named = strncmp(router->note, router->name, length) == 0 && router->note[length] == ' ';
    fprintf(stderr, "note: %s%s%s\n", named ? "" : router->name, named ? "" : ": ", router->note);
}

void fl_print_notes(const fl_experiment *experiment)
{
    for (unsigned i = 0; i < experiment->sweep_count; i++)
        for (unsigned r = 0; r < experiment->bound[i].router_count; r++) {
            const fl_router *router = experiment->bound[i].routers[r];
            if (strcmp(router->name, router->canonical) != 0)
                fprintf(stderr, "note: the results name '%s' canonically: '%s'\n", router->name,
                        router->canonical);
            if (router->note[0])
                print_note(router);
        }
}
