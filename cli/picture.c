/* What the commands that draw a network share. */
#include "cli/picture.h"

#include <stddef.h>
#include <string.h>

#define OFFSET(member) offsetof(fl_picture_values, member)

const fl_option_row fl_picture_rows[] = {
    {.name = "picture",
     .kind = FL_OPTION_FILE,
     .offset = OFFSET(picture),
     .value = "FILE",
     .help = "draw it: FILE.svg, FILE.pdf or FILE.png",
     .was = "out,output"},
    {.name = "show",
     .kind = FL_OPTION_WORD,
     .offset = OFFSET(extent),
     .value = "EXTENT",
     .help = "the complete network if it can be read, else the part in question; all of it; or "
             "that part",
     .preset = "auto",
     .words = fl_extent_names},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(force),
     .help = "overwrite the picture"},
    {0}};

fl_network *fl_network_of(const fl_network_values *values)
{
    fl_network *network;
    fl_error error;
    if (!values->topology)
        return fl_complain(
                   "which network? Give --topology, e.g. --topology mikant:k=3,n=3; --help shows more"),
               NULL;
    fl_progress_wait(values->topology);
    fl_status status = fl_network_create(&network, values->topology, &error);
    fl_progress_wait_end();
    return status ? (fl_complain_of(&error), NULL) : network;
}

void fl_faults_append_drawn(const fl_call *call, const fl_network *network,
                            const fl_fault_set *faults, fl_text *out)
{
    enum { SHOWN_MAX = 1000 };
    if (fl_call_given(call, "fail") || faults->count == 0 || faults->count > SHOWN_MAX)
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
    fl_error error;
    char inside[FL_PATH_MAX + 4];
    snprintf(inside, sizeof inside, "%s/.", path);
    if (fl_file_exists(inside))
        return fl_complain("--%s %s: that is a folder; name a file, as in %s/picture.svg", option,
                           path, path),
               false;
    if (fl_drawing_check_path(path, &error))
        return fl_complain_in_option(option, NULL, &error), false;
    return true;
}

bool fl_check_free(const char *path, const char *option, bool force)
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

bool fl_picture_open(const char *path, bool force, fl_extent extent, fl_picture_file *out)
{
    static const char option[] = "picture";
    *out = (fl_picture_file){path, extent};
    if (!path)
        return true;
    if (strlen(path) >= FL_PATH_MAX)
        return fl_complain("--%s needs the name of a file: FILE.svg, FILE.pdf or FILE.png", option),
               false;
    return check_name(path, option) && fl_check_free(path, option, force);
}

bool fl_picture_of(const fl_call *call, const fl_picture_values *values, fl_picture_file *out)
{
    static const fl_option_pair pairs[] = {{"show", "picture", "it is about a picture"},
                                           {"force", "picture", "it is about a picture"},
                                           {0}};
    return fl_need_pairs(call, pairs) &&
           fl_picture_open(values->picture, values->force, values->extent, out);
}

void fl_picture_print_written(const fl_picture_file *file)
{
    printf("written to %s\n", file->path);
}
