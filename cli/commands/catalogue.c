/* `catalogue`: what is published, beside what is so. */
#include "cli/folder.h"

#include <stddef.h>
#include <string.h>

typedef struct values {
    char *folder;
    uint64_t largest;
    bool all, json, force, quiet;
    fl_common_values common;
} values;

static const fl_option_row rows[] = {
    {.name = "out",
     .kind = FL_OPTION_FOLDER,
     .offset = offsetof(values, folder),
     .value = "DIR",
     .help = "folder for catalogue.html, catalogue.md and catalogue.csv (default: a summary only)"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, json),
     .help = "print the entries as JSON in place of a summary"},
    {.name = "largest",
     .kind = FL_OPTION_COUNT,
     .offset = offsetof(values, largest),
     .value = "N",
     .help = "networks with more links are not measured (default: 1.2e6)",
     .least = 1},
    {.name = "all",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, all),
     .help = "the same as --largest 12e6: minutes and some GB, for the night"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, force),
     .help = "overwrite these files"},
    {.name = "quiet",
     .kind = FL_OPTION_SWITCH,
     .offset = offsetof(values, quiet),
     .help = "no progress"},
    {0}};

static const fl_option_group groups[] = {
    FL_OPTION_ROWS("options", rows, 0),
    FL_OPTION_ROWS("other", fl_common_rows, offsetof(values, common)),
    {0}};

static const char *const files[] = {"catalogue.html", "catalogue.md", "catalogue.csv"};
enum { FILES = sizeof files / sizeof *files, PATH_SIZE = 4096 };

static bool interrupted(void *user)
{
    (void)user;
    return fl_interrupted;
}

/* Before the work, which takes a while. */
static bool may_be_written(const char *folder, bool force, char paths[FILES][PATH_SIZE])
{
    static const char *const names[] = {"catalogue.html", "catalogue.md", "catalogue.csv", NULL};
    for (int i = 0; i < FILES; i++) {
        int length = snprintf(paths[i], PATH_SIZE, "%s/%s", folder, files[i]);
        if (*folder == 0 || length < 0 || length >= PATH_SIZE)
            return fl_complain("--out '%s': not the name of a folder", folder), false;
    }
    return fl_prepare_folder(folder, &(fl_outputs){names, NULL, ""}, force);
}

static fl_status write_files(const fl_catalogue *catalogue, const char *folder,
                             char paths[FILES][PATH_SIZE], fl_error *error)
{
    fl_text texts[FILES] = {{0}};
    fl_file_content contents[FILES];
    fl_catalogue_html(catalogue, &texts[0]);
    fl_catalogue_markdown(catalogue, &texts[1]);
    fl_catalogue_csv(catalogue, &texts[2]);
    fl_status status = fl_file_make_folder(folder, error);
    for (int i = 0; i < FILES; i++) {
        contents[i] = (fl_file_content){paths[i], texts[i].data, texts[i].length};
        if (texts[i].failed && !status)
            status = fl_fail(error, FL_ERR_MEMORY, "out of memory for %s", paths[i]);
    }
    if (!status)
        status = fl_file_write_group(contents, FILES, error);
    for (int i = 0; i < FILES; i++)
        fl_text_clear(&texts[i]);
    return status;
}

static int deliver(const fl_catalogue *catalogue, const char *folder, bool json,
                   char paths[FILES][PATH_SIZE])
{
    fl_error error;
    fl_text summary = {.columns = json ? 0 : fl_terminal_columns()};
    if (folder && write_files(catalogue, folder, paths, &error))
        return fl_complain_of(&error), FL_EXIT_FAILED;
    (json ? fl_catalogue_json : fl_catalogue_summary)(catalogue, &summary);
    if (folder)
        fl_text_append(&summary, "written to %s: %s, %s, %s\n", folder, files[0], files[1],
                       files[2]);
    int code = fl_print_text(&summary);
    if (code != FL_EXIT_OK)
        return code;
    if (catalogue->instances[FL_VERDICT_BROKEN])
        return fl_complain("a closed form and a measured value contradict each other"),
               FL_EXIT_FAILED;
    return FL_EXIT_OK;
}

static int run(fl_call *call)
{
    static const fl_option_pair never[] = {{"largest", "all", "they contradict each other"},
                                           {"json", "out", "--json goes to standard output"},
                                           {0}};
    static const fl_option_pair needed[] = {{"force", "out", "without it nothing is written"}, {0}};
    const values *v = call->options.values;
    const char *folder = v->folder;
    char paths[FILES][PATH_SIZE];
    fl_progress progress;
    fl_catalogue *catalogue;
    fl_error error;
    fl_catalogue_options wanted = {
        .should_stop = interrupted, .progress = fl_progress_show, .user = &progress};
    if (!fl_refuse_pairs(call, never) || !fl_need_pairs(call, needed))
        return FL_EXIT_BAD_INPUT;
    wanted.largest = v->all ? FL_CATALOGUE_ALL : v->largest;
    if (folder && !(fl_lock_folder(folder) && may_be_written(folder, v->force, paths)))
        return FL_EXIT_BAD_INPUT;
    fl_interrupt_watch();
    fl_progress_start(&progress, v->quiet, "entries");
    fl_status status = fl_catalogue_create(&catalogue, &wanted, &error);
    fl_progress_end(&progress);
    if (status == FL_ERR_STOPPED)
        return fl_complain("ended early: nothing is written"), FL_EXIT_INTERRUPTED;
    if (status)
        return fl_complain_of(&error), FL_EXIT_FAILED;
    int code = deliver(catalogue, folder, v->json, paths);
    fl_catalogue_destroy(catalogue);
    return code;
}

const fl_command fl_command_catalogue = {
    .name = "catalogue",
    .summary = "published tables and figures beside closed forms and measured values, as one page",
    .about = "Every published table and figure of topological facts of the sources, beside what is "
             "so: published, by closed form, measured, and a verdict with the derivation where the "
             "source is wrong. What is published stands in experiments/published/*.json.",
    .usage = (const char *const[]){"[OPTIONS]", NULL},
    .groups = groups,
    .size = sizeof(values),
    .examples =
        (const char *const[]){"faultline catalogue --out results/catalogue",
                              "faultline catalogue --all --out results/catalogue-all", NULL},
    .exits = "exit codes: 0 done, 1 a closed form and a measured value contradict each other, 2 "
             "bad input, 130 ended by Ctrl-C (nothing is written)",
    .run = run,
};
