#include "cli/experiment.h"
#include "experiments/experiments.h"

#include <stdlib.h>
#include <string.h>

static const fl_option option_table[] = {
    {"out", "DIR",
     "folder for catalogue.html, catalogue.md and catalogue.csv (default: a summary only)", NULL},
    {"largest", "N", "networks with more links are not measured (default: 1200000)", NULL},
    {"all", NULL, "the same as --largest 12000000: minutes and some GB, for the night", NULL},
    {"force", NULL, "overwrite these files", NULL},
    {"quiet", NULL, "no progress", NULL},
    {"help", NULL, "this text", NULL},
    {NULL, NULL, NULL, NULL},
};

static const char *const files[] = {"catalogue.html", "catalogue.md", "catalogue.csv"};
enum { FILES = sizeof files / sizeof *files, PATH_SIZE = 4096 };

static void print_help(void)
{
    puts(
        "Every published table and figure of topological facts of the sources, beside what is so: published,\n"
        "by closed form, measured, and a verdict with the derivation where the source is wrong.\n\n"
        "usage: faultline catalogue [OPTIONS]\n\noptions:");
    fl_options_print(option_table, stdout);
    puts(
        "\nWhat is published stands in experiments/published/*.json.\n\n"
        "examples:\n"
        "  faultline catalogue --out results/catalogue\n"
        "  faultline catalogue --all --out results/catalogue-all\n\n"
        "exit codes: 0 done, 1 a closed form and a measured value contradict each other, 2 bad input,\n"
        "130 ended by Ctrl-C (nothing is written)");
}

static bool interrupted(void *user)
{
    (void)user;
    return fl_interrupted;
}

static bool read_largest(const fl_option *options, uint64_t *out)
{
    const char *largest = fl_option_value(options, "largest");
    bool all = fl_option_value(options, "all") != NULL;
    *out = all ? FL_CATALOGUE_ALL : 0;
    if (largest && all)
        return fl_complain("--largest and --all contradict each other"), false;
    if (largest && (!fl_text_to_u64(largest, out) || *out == 0))
        return fl_complain("--largest %.80s: expected a number of links, 1 or more", largest),
               false;
    return true;
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

static int deliver(const fl_catalogue *catalogue, const char *folder, char paths[FILES][PATH_SIZE])
{
    fl_error error;
    fl_text summary = {0};
    if (folder && write_files(catalogue, folder, paths, &error))
        return fl_complain_of(&error), FL_EXIT_FAILED;
    fl_catalogue_summary(catalogue, &summary);
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

static int run(const fl_option *options)
{
    const char *folder = fl_option_value(options, "out");
    char paths[FILES][PATH_SIZE];
    fl_progress progress;
    fl_catalogue *catalogue;
    fl_error error;
    fl_catalogue_options wanted = {
        .should_stop = interrupted, .progress = fl_progress_show, .user = &progress};
    if (!read_largest(options, &wanted.largest))
        return FL_EXIT_BAD_INPUT;
    if (!folder && fl_option_value(options, "force"))
        return fl_complain("--force without --out: nothing is written");
    if (folder && !(fl_lock_folder(folder) &&
                    may_be_written(folder, fl_option_value(options, "force") != NULL, paths)))
        return FL_EXIT_BAD_INPUT;
    fl_interrupt_watch();
    fl_progress_start(&progress, fl_option_value(options, "quiet") != NULL, "entries");
    fl_status status = fl_catalogue_create(&catalogue, &wanted, &error);
    fl_progress_end(&progress);
    if (status == FL_ERR_STOPPED)
        return fl_complain("ended early: nothing is written"), FL_EXIT_INTERRUPTED;
    if (status)
        return fl_complain_of(&error), FL_EXIT_FAILED;
    int code = deliver(catalogue, folder, paths);
    fl_catalogue_destroy(catalogue);
    return code;
}

int fl_command_catalogue(int count, char **arguments)
{
    fl_option options[sizeof option_table / sizeof *option_table];
    memcpy(options, option_table, sizeof options);
    int positional;
    if (!fl_options_read(options, count, arguments, NULL, 0, &positional))
        return FL_EXIT_BAD_INPUT;
    if (fl_option_value(options, "help")) {
        print_help();
        return FL_EXIT_OK;
    }
    return run(options);
}
