#include "cli/picture.h"

#include <string.h>

fl_network *fl_network_from_options(const fl_option *options)
{
    fl_network *network;
    fl_error error;
    const char *topology = fl_option_value(options, "topology");
    if (!topology)
        return fl_complain(
                   "which network? Give --topology, e.g. --topology mikant:k=3,n=3; --help tells more"),
               NULL;
    fl_progress_wait(topology);
    fl_status status = fl_network_create(&network, topology, &error);
    fl_progress_wait_end();
    return status ? fl_complain_of(&error), NULL : network;
}

/* ---- faults ---- */

/* Options that mean nothing together, or without another. */
static bool check_combinations(const fl_option *options)
{
    static const char *const ways[] = {"fail", "faults", "fault-rate"};
    static const char *const of_drawn[] = {"fault-model", "seed", "trial"};
    const char *given = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!fl_option_value(options, ways[i]))
            continue;
        if (given)
            return fl_complain("give --%s or --%s, not both", given, ways[i]), false;
        given = ways[i];
    }
    bool drawn = given && strcmp(given, "fail") != 0;
    for (size_t i = 0; i < sizeof of_drawn / sizeof *of_drawn; i++)
        if (fl_option_value(options, of_drawn[i]) && !drawn)
            return fl_complain(
                       "--%s belongs to faults that are drawn: give --faults or --fault-rate too",
                       of_drawn[i]),
                   false;
    return true;
}

static bool draw_faults(const fl_option *options, const fl_network *network, fl_fault_set *out)
{
    const char *count_text = fl_option_value(options, "faults"),
               *rate_text = fl_option_value(options, "fault-rate");
    const char *spec = fl_option_value(options, "fault-model");
    uint64_t count = 0, seed = 1, trial = 0;
    double rate = 0;
    fl_error error;
    fl_fault_model *model;
    if (!fl_option_number(options, "faults", 0, UINT64_MAX, &count) ||
        !fl_option_seed(options, "seed", &seed) ||
        !fl_option_number(options, "trial", 0, UINT64_MAX, &trial))
        return false;
    if (rate_text && (!fl_text_to_double(rate_text, &rate) || rate < 0 || rate > 1))
        return fl_complain("--fault-rate %.80s: expected a number from 0 to 1", rate_text), false;
    fl_axis axis = {.rates = !count_text,
                    .fault_points = 1,
                    .counts = count_text ? &count : NULL,
                    .rate = count_text ? NULL : &rate};
    if (fl_fault_model_create(&model, network, spec ? spec : "links", &axis, &error))
        return fl_complain_of(&error), false;
    fl_status status = fl_fault_set_draw(out, network, model, 0, seed, trial, &error);
    fl_fault_model_destroy(model);
    return status ? (fl_complain_of(&error), false) : true;
}

static bool complain_links(const char *option, const char *links, const fl_error *error)
{
    if (links[0] != '@' && error->status != FL_ERR_MEMORY && fl_file_exists(links))
        fl_complain("--%s %s: to read the links from this file, write @%s", option, links, links);
    else
        fl_complain_in_option(option, NULL, error);
    return false;
}

bool fl_faults_from_options(const fl_option *options, const fl_network *network, fl_fault_set *out)
{
    const char *fail = fl_option_value(options, "fail");
    fl_error error;
    *out = (fl_fault_set){0};
    if (!check_combinations(options))
        return false;
    if (fail)
        return fl_fault_set_parse(out, network, fail, &error) ? complain_links("fail", fail, &error)
                                                              : true;
    if (fl_option_value(options, "faults") || fl_option_value(options, "fault-rate"))
        return draw_faults(options, network, out);
    return true;
}

void fl_faults_append_drawn(const fl_option *options, const fl_network *network,
                            const fl_fault_set *faults, fl_text *out)
{
    enum { SHOWN_MAX = 1000 };
    if (fl_option_value(options, "fail") || faults->count == 0 || faults->count > SHOWN_MAX)
        return;
    fl_text_append(out, "drawn: --fail '");
    for (uint64_t i = 0; i < faults->count; i++) {
        fl_text_append(out, "%s", i ? ";" : "");
        fl_network_append_link(network, faults->links[i], out);
    }
    fl_text_append(out, "'\n");
}

/* ---- files ---- */

/* A folder lacks an ending too, but that is not what is wrong with it. */
static bool check_name(const char *path, const char *option)
{
    char inside[FL_PATH_MAX + 4];
    fl_error error;
    snprintf(inside, sizeof inside, "%s/.", path);
    if (fl_file_exists(inside))
        return fl_complain("--%s %s: that is a folder; name a file, as in %s/picture.svg", option,
                           path, path),
               false;
    if (fl_drawing_check_path(path, &error))
        return fl_complain_in_option(option, NULL, &error), false;
    return true;
}

static bool read_extent(const fl_option *options, fl_extent *out)
{
    const char *text = fl_option_value(options, "show");
    *out = FL_EXTENT_AUTO;
    for (int i = 0; text && fl_extent_names[i]; i++)
        if (strcmp(text, fl_extent_names[i]) == 0) {
            *out = (fl_extent)i;
            return true;
        }
    if (text)
        return fl_complain("--show %.80s: it is auto, all or part", text), false;
    return true;
}

static bool is_free(const char *path, const char *option, bool force)
{
    char folder[FL_PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash && slash > folder) {
        *slash = 0;
        if (!fl_file_exists(folder))
            return fl_complain("'%s' cannot be written: there is no folder '%s'", path, folder),
                   false;
    }
    if (!force && fl_file_exists(path))
        return fl_complain("'%s' is there already: choose another --%s, or --force to overwrite",
                           path, option),
               false;
    return true;
}

bool fl_picture_of_option(const fl_option *options, const char *option, fl_picture_file *out)
{
    const char *path = fl_option_value(options, option);
    bool force = fl_option_value(options, "force") != NULL;
    *out = (fl_picture_file){0};
    if (!path)
        return true;
    if (!*path || strlen(path) >= FL_PATH_MAX)
        return fl_complain("--%s needs the name of a file: FILE.svg, FILE.pdf or FILE.png", option),
               false;
    out->path = path;
    return check_name(path, option) && is_free(path, option, force);
}

bool fl_picture_from_options(const fl_option *options, fl_picture_file *out)
{
    if (!fl_option_value(options, "out") &&
        (fl_option_value(options, "show") || fl_option_value(options, "force")))
        return fl_complain("--show and --force belong to a picture: give --out too"), false;
    fl_extent extent;
    if (!read_extent(options, &extent) || !fl_picture_of_option(options, "out", out))
        return false;
    out->extent = extent;
    return true;
}

void fl_picture_say_written(const fl_picture_file *file)
{
    printf("written to %s\n", file->path);
}
