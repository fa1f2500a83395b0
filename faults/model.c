#include "faults/private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const fl_fault_model_help fl_fault_models[] = {
    {"links",
     "single links fail; `links:class=cross-links` only those of a class (switch-links: all but node links)"},
    {"switches", "switches fail, and with a switch all its links"},
    {"bundles",
     "`bundles:size=c`: c links at neighbouring ports of the lower switch lie in one bundle and fail as one"},
    {"neighbours",
     "`neighbours:size=c`: a fault takes the links at c neighbouring ports of a switch; faults may overlap"},
    {"list",
     "`list:LINK;LINK...` or `list:@FILE`: these links in this order; LINK is <0,0,00>-<0,1,00> or an index"},
    {NULL, NULL},
};

enum { GUIDE_MAX = 1 << 18, LIST_FILE_MAX = 64 << 20 };

static fl_status out_of_memory(fl_error *error)
{
    return fl_fail(error, FL_ERR_MEMORY, "out of memory for a fault model");
}

/* ---- parsing ---- */

static fl_status parse_kind(fl_fault_model *model, const char *name, fl_error *error)
{
    const char *names[8] = {0};
    unsigned number;
    for (size_t i = 0; fl_fault_models[i].name; i++)
        names[i] = fl_fault_models[i].name;
    fl_status status = fl_names_find(&number, names, name, "fault model", error);
    if (!status)
        model->kind = (fl_fault_kind)number;
    return status;
}

/* To the network's own classes a fault model adds one more name. */
static fl_status find_class(const fl_network *network, const char *name, unsigned *out,
                            fl_error *error)
{
    static const char *const more[] = {"switch-links", NULL};
    fl_error what;
    fl_status status = fl_network_parse_class(network, name, out, &what);
    if (!status)
        return FL_OK;
    if (fl_text_nearest(name, more))
        return fl_fail(
            error, status,
            "unknown link class '%.60s'; did you mean 'switch-links' (all but node links)?", name);
    return fl_fail(error, status, "%s, and switch-links (all but node links)", what.text);
}

static fl_status parse_classes(fl_fault_model *model, char *value, fl_error *error)
{
    model->restricted = true;
    for (char *name = value, *next; name; name = next) {
        next = strchr(name, '+');
        if (next)
            *next++ = 0;
        unsigned found = 0;
        bool all = strcmp(name, "switch-links") == 0;
        fl_status status = all ? FL_OK : find_class(model->network, name, &found, error);
        if (status)
            return status;
        model->says_switch_links |= all;
        for (unsigned i = all ? 1 : found; i < (all ? model->network->classes : found + 1); i++) {
            if (model->may_fail[i])
                return fl_fail(error, FL_ERR_INVALID, "class=: '%.60s' is in the list already",
                               name);
            model->may_fail[i] = true;
        }
    }
    return FL_OK;
}

static fl_status parse_option(fl_fault_model *model, char *item, unsigned *given, fl_error *error)
{
    static const char *const names[] = {"size", "class", "draw", NULL};
    char *equals = strchr(item, '=');
    if (equals)
        *equals++ = 0;
    const char *value = equals ? equals : "";
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(item, names[i]) != 0)
            continue;
        if (*given >> i & 1)
            return fl_fail(error, FL_ERR_INVALID, "%s= is given twice for the fault model", item);
        *given |= 1u << i;
    }
    if (strcmp(item, "size") == 0) {
        uint64_t size;
        if (model->kind != FL_FAULT_BUNDLES && model->kind != FL_FAULT_NEIGHBOURS)
            return fl_fail(error, FL_ERR_INVALID,
                           "size= belongs to the fault models bundles and neighbours only");
        if (!fl_text_to_u64(value, &size) || size < 1 || size > model->network->radix)
            return fl_fail(
                error, FL_ERR_INVALID,
                "size=%.40s is not possible: it must be 1 to %u, the ports of a switch of %s",
                value, model->network->radix, model->network->spec);
        model->size = (unsigned)size;
        return FL_OK;
    }
    if (strcmp(item, "class") == 0) {
        if (model->kind == FL_FAULT_SWITCHES)
            return fl_fail(
                error, FL_ERR_INVALID,
                "class= chooses links; the fault model switches takes all links of a switch");
        return parse_classes(model, equals ? equals : item + strlen(item), error);
    }
    if (strcmp(item, "draw") == 0) {
        model->independent = strcmp(value, "independent") == 0;
        if (!model->independent && strcmp(value, "exact") != 0)
            return fl_fail(
                error, FL_ERR_INVALID,
                "draw=%.40s is unknown: it is exact (exactly that many components fail) or independent (each with the same probability)",
                value);
        return FL_OK;
    }
    return fl_names_unknown(names, item, "fault model option", error);
}

/* ---- explicit lists ---- */

static fl_status add_listed(fl_fault_model *model, char *item, fl_error *error)
{
    fl_link link;
    uint32_t before;
    item += strspn(item, " \t\r");
    if (!*item || *item == '#')
        return FL_OK;
    fl_status status = fl_network_parse_link(model->network, item, &link, error);
    if (status)
        return status;
    if (fl_hash_map_find(&model->listed, link, &before))
        return fl_fail(error, FL_ERR_INVALID, "the link '%.80s' stands twice in the fault list",
                       item);
    fl_hash_map_put(&model->listed, link, (uint32_t)model->components++);
    return model->listed.failed ? out_of_memory(error) : FL_OK;
}

static fl_status parse_list(fl_fault_model *model, const char *text, fl_error *error)
{
    char *content = NULL;
    size_t length;
    fl_status status = FL_OK;
    if (!fl_hash_map_create(&model->listed, 6))
        return out_of_memory(error);
    if (*text == '@')
        status = fl_file_read(&content, &length, text + 1, LIST_FILE_MAX, error);
    else if (!(content = strdup(text)))
        status = out_of_memory(error);
    for (char *item = content, *next; !status && item; item = next) {
        next = strpbrk(item, ";\n");
        if (next)
            *next++ = 0;
        status = add_listed(model, item, error);
    }
    free(content);
    if (!status && model->components == 0)
        status = fl_fail(error, FL_ERR_INVALID, "the fault list '%.60s' names no link", text);
    return status;
}

/* ---- counting the parts ---- */

static fl_status count_components(fl_fault_model *model, fl_error *error)
{
    const fl_network *network = model->network;
    const fl_tree *tree = network->tree;
    bool grouped = model->kind == FL_FAULT_BUNDLES || model->kind == FL_FAULT_NEIGHBOURS;
    if (grouped && !tree)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the fault models bundles and neighbours are defined for trees only, not for %s",
            network->spec);
    if (grouped && !model->size)
        return fl_fail(
            error, FL_ERR_INVALID,
            "the fault model needs size=, the number of neighbouring links that fail together");
    if (model->kind == FL_FAULT_NEIGHBOURS && 2 * model->size > FL_LINK_COMPONENTS_MAX)
        return fl_fail(error, FL_ERR_INVALID,
                       "size=%u is not possible: neighbourhoods have 1 to %d links", model->size,
                       FL_LINK_COMPONENTS_MAX / 2);
    if (model->kind == FL_FAULT_BUNDLES && model->size > tree->k)
        return fl_fail(error, FL_ERR_INVALID,
                       "size=%u is not possible: a bundle of %s has 1 to %u links", model->size,
                       network->spec, tree->k);
    if (model->kind == FL_FAULT_SWITCHES) {
        model->components = network->switches;
    } else if (model->kind == FL_FAULT_NEIGHBOURS) {
        /* Neighbourhoods wrap round a switch's plugged ports: as many as there are ports. */
        uint64_t tops = tree->mirrored ? 0 : network->switches / (tree->top + 1);
        model->components = (network->switches - tops) * 2 * tree->k + tops * tree->k;
    } else {
        unsigned per_bundle = model->kind == FL_FAULT_BUNDLES ? model->size : 1;
        for (unsigned i = 0; i < network->classes; i++) {
            uint64_t links = !model->restricted || model->may_fail[i]
                                 ? network->type->class_size(network, i)
                                 : 0;
            model->components += per_bundle == 1
                                     ? links
                                     : links / tree->k * ((tree->k + per_bundle - 1) / per_bundle);
        }
    }
    if (model->components == 0)
        return fl_fail(error, FL_ERR_INVALID,
                       "nothing can fail under '%s' on %s: it has no such links", model->spec,
                       network->spec);
    return FL_OK;
}

/* ---- the parts of a link ---- */

static unsigned add_switch(const fl_network *network, fl_address at, uint64_t *components,
                           unsigned count)
{
    if (!fl_address_is_node(at))
        components[count++] = network->type->switch_index(network, at);
    return count;
}

/* The bundle of a link lies at its lower switch (of a node link: at its switch). */
static uint64_t bundle_of(const fl_fault_model *model, const fl_link_ends *ends)
{
    const fl_network *network = model->network;
    unsigned k = network->tree->k;
    bool node_link = fl_address_is_node(ends->a);
    unsigned port = node_link ? ends->port_b : ends->port_a, side = port / k * k;
    uint64_t owner = network->type->switch_index(network, node_link ? ends->b : ends->a);
    return owner * network->radix + side + (port - side) / model->size * model->size;
}

/* All neighbourhoods of one switch that contain the port. */
static unsigned add_neighbourhoods(const fl_fault_model *model, fl_address at, unsigned port,
                                   uint64_t *components, unsigned count)
{
    const fl_tree *tree = model->network->tree;
    if (fl_address_is_node(at))
        return count;
    unsigned ports = fl_tree_level(at) == tree->top && !tree->mirrored ? tree->k : 2 * tree->k;
    unsigned size = model->size < ports ? model->size : ports;
    uint64_t first = model->network->type->switch_index(model->network, at) * 2 * tree->k;
    for (unsigned back = 0; back < size; back++)
        components[count++] = first + (port + ports - back) % ports;
    return count;
}

unsigned fl_fault_model_components_of(const fl_fault_model *model, fl_link link,
                                      uint64_t *components)
{
    const fl_network *network = model->network;
    uint32_t listed;
    if (!fl_fault_model_can_fail(model, link) ||
        (model->kind == FL_FAULT_LIST && !fl_hash_map_find(&model->listed, link, &listed)))
        return 0;
    if (model->kind == FL_FAULT_LINKS || model->kind == FL_FAULT_LIST) {
        components[0] = link;
        return 1;
    }
    fl_link_ends ends;
    network->type->link_ends(network, link, &ends);
    switch (model->kind) {
    case FL_FAULT_SWITCHES:
        return add_switch(network, ends.b, components, add_switch(network, ends.a, components, 0));
    case FL_FAULT_BUNDLES:
        components[0] = bundle_of(model, &ends);
        return 1;
    default:
        return add_neighbourhoods(model, ends.b, ends.port_b, components,
                                  add_neighbourhoods(model, ends.a, ends.port_a, components, 0));
    }
}

/* ---- fault points ---- */

static fl_status set_independent_fault_points(fl_fault_model *model, const fl_axis *axis,
                                              fl_error *error)
{
    if (!axis->rates)
        return fl_fail(error, FL_ERR_INVALID,
                       "draw=independent needs fault rates (probabilities), not fault counts");
    for (uint32_t i = 0; i < axis->fault_points; i++) {
        model->rates[i] = axis->rate[i];
        model->thresholds[i] = (uint64_t)ldexp(axis->rate[i], 63); /* places are 63-bit numbers */
    }
    model->fault_points = axis->fault_points;
    return FL_OK;
}

static fl_status set_exact_fault_points(fl_fault_model *model, const fl_axis *axis, fl_error *error)
{
    for (uint32_t i = 0; i < axis->fault_points; i++) {
        uint64_t count = axis->rates ? (uint64_t)llround(axis->rate[i] * (double)model->components)
                                     : axis->counts[i];
        if (count > model->components)
            return fl_fail(error, FL_ERR_INVALID,
                           "%llu faults are too many: %s has %llu parts that can fail under '%s'",
                           (unsigned long long)count, model->network->spec,
                           (unsigned long long)model->components, model->spec);
        /* Two rates can round to one count, which then is one fault point. */
        if (model->fault_points > 0 && model->thresholds[model->fault_points - 1] == count)
            continue;
        model->thresholds[model->fault_points] = count;
        model->rates[model->fault_points++] = (double)count / (double)model->components;
    }
    return FL_OK;
}

/* A table over the places, exact where they are few. Elsewhere it leads to the fault point of the
 * first place of a stretch, from where the search goes on. */
static fl_status make_guide(fl_fault_model *model, fl_error *error)
{
    uint64_t places = model->independent ? UINT64_C(1) << 63 : model->components;
    while ((places - 1) >> model->guide_shift >= (model->independent ? GUIDE_MAX / 256 : GUIDE_MAX))
        model->guide_shift++;
    uint64_t entries = ((places - 1) >> model->guide_shift) + 1;
    model->guide = malloc(entries * sizeof *model->guide);
    if (!model->guide)
        return out_of_memory(error);
    uint32_t fault_point = 0;
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t place = i << model->guide_shift;
        while (fault_point < model->fault_points && model->thresholds[fault_point] <= place)
            fault_point++;
        model->guide[i] = fault_point < model->fault_points || model->guide_shift > 0
                              ? fault_point
                              : FL_NEVER_FAILS;
    }
    return FL_OK;
}

static fl_status set_fault_points(fl_fault_model *model, const fl_axis *axis, fl_error *error)
{
    model->thresholds = malloc(axis->fault_points * sizeof *model->thresholds);
    model->rates = malloc(axis->fault_points * sizeof *model->rates);
    if (!model->thresholds || !model->rates)
        return out_of_memory(error);
    fl_status status = model->independent ? set_independent_fault_points(model, axis, error)
                                          : set_exact_fault_points(model, axis, error);
    return status ? status : make_guide(model, error);
}

static void apply_fault_points_to_list(fl_fault_model *model)
{
    for (uint32_t i = 0; i < model->listed.count; i++) {
        uint32_t *value = &model->listed.values[model->listed.used[i]];
        *value = fl_fault_model_fault_point_of(model, *value);
    }
}

/* ---- the canonical spec ---- */

static void append_classes(fl_text *out, const fl_fault_model *model)
{
    const fl_network *network = model->network;
    unsigned chosen = 0;
    for (unsigned i = 0; i < network->classes; i++)
        chosen += model->may_fail[i];
    if (!model->restricted || chosen == network->classes)
        return;
    fl_text_append(out, ",class=");
    if (chosen == network->classes - 1 && !model->may_fail[0] &&
        (chosen > 1 || model->says_switch_links)) {
        fl_text_append(out, "switch-links");
        return;
    }
    bool first = true;
    for (unsigned i = 0; i < network->classes; i++) {
        char name[64];
        if (!model->may_fail[i])
            continue;
        network->type->class_name(network, i, name, sizeof name);
        fl_text_append(out, "%s%s", first ? "" : "+", name);
        first = false;
    }
}

static void append_list(fl_text *out, const fl_fault_model *model)
{
    for (uint32_t i = 0; i < model->listed.count; i++)
        fl_text_append(out, "%s%llu", i ? ";" : ":",
                       (unsigned long long)model->network->type->link_index(
                           model->network, model->listed.keys[model->listed.used[i]]));
}

/* Equal models have equal texts: they go into results and their hash. */
static fl_status write_spec(fl_fault_model *model, fl_error *error)
{
    fl_text text = {0};
    fl_text_append(&text, "%s", fl_fault_models[model->kind].name);
    size_t name = text.length;
    if (model->size)
        fl_text_append(&text, ",size=%u", model->size);
    append_classes(&text, model);
    if (model->independent)
        fl_text_append(&text, ",draw=independent");
    if (!text.failed && text.length > name)
        text.data[name] = ':';
    append_list(&text, model);
    if (text.failed) {
        fl_text_clear(&text);
        return out_of_memory(error);
    }
    free(model->spec);
    model->spec = text.data;
    return FL_OK;
}

/* ---- making ---- */

static fl_status parse_options(fl_fault_model *model, char *options, fl_error *error)
{
    fl_status status = FL_OK;
    unsigned given = 0;
    for (char *item = options && *options ? options : NULL, *next; item && !status; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = 0;
        status = parse_option(model, item, &given, error);
    }
    return status;
}

static fl_status build(fl_fault_model *model, const char *spec, const fl_axis *axis,
                       fl_error *error)
{
    model->spec = strdup(spec);
    char *copy = strdup(spec);
    if (!copy || !model->spec) {
        free(copy);
        return out_of_memory(error);
    }
    char *colon = strchr(copy, ':');
    if (colon)
        *colon = 0;
    fl_status status = parse_kind(model, copy, error);
    if (!status && model->kind == FL_FAULT_LIST)
        status = parse_list(model, colon ? spec + (colon - copy) + 1 : "", error);
    else if (!status)
        status = parse_options(model, colon ? colon + 1 : NULL, error);
    free(copy);
    if (!status && model->kind != FL_FAULT_LIST)
        status = count_components(model, error);
    if (!status)
        status = write_spec(model, error);
    if (!status)
        status = set_fault_points(model, axis, error);
    if (!status && model->kind == FL_FAULT_LIST)
        apply_fault_points_to_list(model);
    return status;
}

fl_status fl_fault_model_create(fl_fault_model **out, const fl_network *network, const char *spec,
                                const fl_axis *axis, fl_error *error)
{
    assert(network->classes <= FL_CLASSES_MAX);
    fl_fault_model *model = calloc(1, sizeof *model);
    if (!model)
        return out_of_memory(error);
    model->network = network;
    fl_status status = build(model, spec, axis, error);
    if (status) {
        fl_fault_model_destroy(model);
        return status;
    }
    *out = model;
    return FL_OK;
}

void fl_fault_model_destroy(fl_fault_model *model)
{
    if (!model)
        return;
    free(model->thresholds);
    free(model->rates);
    free(model->guide);
    free(model->spec);
    fl_hash_map_destroy(&model->listed);
    free(model);
}

const char *fl_fault_model_spec(const fl_fault_model *model)
{
    return model->spec;
}

bool fl_fault_model_is_symmetric(const fl_fault_model *model)
{
    return model->kind == FL_FAULT_LINKS || model->kind == FL_FAULT_SWITCHES;
}

bool fl_fault_model_is_list(const fl_fault_model *model)
{
    return model->kind == FL_FAULT_LIST;
}

uint64_t fl_fault_model_components(const fl_fault_model *model)
{
    return model->components;
}

bool fl_fault_model_is_independent(const fl_fault_model *model)
{
    return model->independent;
}

bool fl_fault_model_count_at(const fl_fault_model *model, uint32_t fault_point, uint64_t *count)
{
    if (!model->independent)
        *count = model->thresholds[fault_point];
    return !model->independent;
}

double fl_fault_model_rate_at(const fl_fault_model *model, uint32_t fault_point)
{
    return model->rates[fault_point];
}

uint32_t fl_fault_model_fault_points(const fl_fault_model *model)
{
    return model->fault_points;
}
