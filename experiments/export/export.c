/* A network as files for other programs: asks a router for every route, and has them written. */
#include "experiments/export/export.h"

#include "core/array.h"

#include <stdlib.h>
#include <string.h>

typedef struct walker {
    const fl_router *router;
    fl_order *order;
    fl_route *route;
    bool failed; /* no memory */
} walker;

static bool is_up(void *user, fl_link link)
{
    const walker *w = user;
    return fl_order_fails_at(w->order, link) > 0;
}

static void note_hop(void *user, const fl_walk_hop *hop)
{
    walker *w = user;
    fl_route *route = w->route;
    fl_link_ends ends;
    w->failed |= !FL_GROW(route->links, route->room, route->count, 1);
    if (w->failed)
        return;
    w->router->network->type->link_ends(w->router->network, hop->link, &ends);
    route->links[route->count++] =
        (fl_route_link){hop->link, ends.a == hop->from && ends.port_a == hop->port};
}

static fl_status no_memory(const walker *w, fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for the routes of %s",
                   w->router->network->spec);
}

static fl_status find_route(void *user, fl_address from, fl_address to, fl_route *out,
                            fl_error *error)
{
    walker *w = user;
    fl_walk_result result;
    fl_view view = {
        .network = w->router->network,
        .order = w->order,
        .holds_until = FL_NEVER_FAILS,
        .enabled_rules = w->router->enabled_rules,
        .scope = w->router->scope,
    };
    w->route = out;
    fl_status status = fl_walk(w->router, &view, from, to, note_hop, w, &result, error);
    if (!status && (w->failed || !fl_order_is_sound(w->order)))
        return no_memory(w, error);
    if (!result.delivered)
        out->count = 0;
    return status;
}

static void append_faults(const fl_network *network, const fl_fault_set *faults, fl_text *out)
{
    for (uint64_t i = 0; i < faults->count; i++) {
        fl_text_append(out, "%s", i ? ";" : "");
        fl_network_append_link(network, faults->links[i], out);
    }
}

static fl_status write_files(fl_export *out, walker *w, const char *faults,
                             const fl_format_speeds *speeds, fl_error *error)
{
    const fl_format_source source = {
        .network = w->router->network,
        .router = w->router->name,
        .faults = faults,
        .speeds = *speeds,
        .by_switch = fl_router_is_by_switch(w->router),
        .user = w,
        .is_up = is_up,
        .route = find_route,
    };
    fl_status status = out->format->write(&source, out->files, &out->counts, error);
    for (unsigned i = 0; !status && i < FL_FORMAT_FILES_MAX; i++)
        if (out->files[i].failed)
            status = no_memory(w, error);
    return status;
}

fl_status fl_export_make(fl_export *out, const fl_format *format, const fl_router *router,
                         const fl_fault_set *faults, const fl_format_speeds *speeds,
                         fl_error *error)
{
    walker w = {.router = router};
    fl_text down = {0};
    *out = (fl_export){.format = format};
    fl_status status = fl_order_create_fixed(&w.order, router->network, faults, error);
    append_faults(router->network, faults, &down);
    if (!status && down.failed)
        status = no_memory(&w, error);
    if (!status)
        status = write_files(out, &w, down.data, speeds, error);
    fl_text_clear(&down);
    fl_order_destroy(w.order);
    return status;
}

void fl_export_clear(fl_export *export_)
{
    for (unsigned i = 0; i < FL_FORMAT_FILES_MAX; i++)
        fl_text_clear(&export_->files[i]);
}

char *fl_export_path(const fl_format *format, const char *path, unsigned file)
{
    size_t length = strlen(path), ending = strlen(format->endings[0]);
    bool ends = length > ending && strcmp(path + length - ending, format->endings[0]) == 0;
    fl_text text = {0};
    fl_text_append_bytes(&text, path, file > 0 && ends ? length - ending : length);
    if (file > 0)
        fl_text_append(&text, "%s", format->endings[file]);
    if (text.failed)
        fl_text_clear(&text);
    return text.data;
}

fl_status fl_export_write(const fl_export *export_, const char *path, fl_error *error)
{
    fl_file_content contents[FL_FORMAT_FILES_MAX] = {0};
    char *paths[FL_FORMAT_FILES_MAX] = {0};
    unsigned count = 0;
    bool failed = false;
    for (; export_->format->endings[count]; count++) {
        const fl_text *text = &export_->files[count];
        failed |= !(paths[count] = fl_export_path(export_->format, path, count));
        contents[count] =
            (fl_file_content){paths[count], text->data ? text->data : "", text->length};
    }
    fl_status status = failed
                           ? fl_fail(error, FL_ERR_MEMORY, "out of memory for the name of a file")
                           : fl_file_write_group(contents, count, error);
    for (unsigned i = 0; i < count; i++)
        free(paths[i]);
    return status;
}

void fl_export_json(const fl_export *export_, const fl_router *router, const char *path,
                    fl_text *out)
{
    const fl_format_counts *counts = &export_->counts;
    fl_json_writer json = fl_json_writer_begin(out, 2);
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {{"nodes", counts->nodes},          {"nodes_left_out", counts->nodes_left_out},
                   {"links", counts->links},          {"routes", counts->routes},
                   {"pairs", counts->pairs},          {"pairs_cut", counts->pairs_cut},
                   {"length_sum", counts->length_sum}};
    fl_json_open_object(&json, NULL);
    fl_json_line(&json);
    fl_json_text(&json, "format", export_->format->name);
    fl_json_line(&json);
    fl_json_text(&json, "network", router->network->spec);
    fl_json_line(&json);
    fl_json_text(&json, "router", router->name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        fl_json_line(&json);
        fl_json_number(&json, numbers[i].key, numbers[i].value);
    }
    fl_json_line(&json);
    fl_json_open_array(&json, "files");
    for (unsigned i = 0; export_->format->endings[i]; i++) {
        char *name = fl_export_path(export_->format, path, i);
        fl_json_text(&json, NULL, name);
        out->failed |= !name;
        free(name);
    }
    fl_json_close(&json);
    fl_json_line(&json);
    fl_json_close(&json);
    fl_text_append(out, "\n");
}
