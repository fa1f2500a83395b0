/* Where results go: a folder, or standard output. */
#include "cli/output.h"
#include "cli/ranks.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLD_BYTES_MAX = 1 << 30 };

#define OFFSET(member) offsetof(fl_output_values, member)

const fl_option_row fl_output_rows[] = {
    {.name = "out",
     .kind = FL_OPTION_FOLDER,
     .offset = OFFSET(folder),
     .value = "DIR",
     .help =
         "write the results, as CSV and JSON, and the figures into this folder (default: CSV to "
         "standard output, or a summary if that is a terminal)",
     .was = "output,dir"},
    {.name = "json",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(json),
     .help = "print JSON in place of CSV"},
    {.name = "no-figures",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(no_figures),
     .help = "write no figures"},
    {.name = "log-y",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(log_y),
     .help = "logarithmic vertical axes in the figures"},
    {.name = "force",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(force),
     .help = "overwrite the results in DIR"},
    {.name = "quiet",
     .kind = FL_OPTION_SWITCH,
     .offset = OFFSET(quiet),
     .help = "no progress, no notes, no summary; CSV also to a terminal"},
    {0}};

bool fl_check_output(const fl_call *call)
{
    static const char *const of_a_folder[] = {"force", "no-figures", "log-y"};
    static const fl_option_pair never[] = {
        {"json", "out", "--json goes to standard output, and with --out there is a JSON file"},
        {"log-y", "no-figures", "there are no axes then"},
        {0}};
    for (size_t i = 0; i < sizeof of_a_folder / sizeof *of_a_folder && !fl_call_given(call, "out");
         i++)
        if (fl_call_given(call, of_a_folder[i]))
            return fl_complain(
                       "--%s needs --out: without it there are no files, only CSV on standard output",
                       of_a_folder[i]),
                   false;
    return fl_refuse_pairs(call, never);
}

static const char *const result_files[] = {"sweep.csv", "sweep.json", NULL};
static const char checkpoint_file[] = "sweep.checkpoint";

static void join(char *path, size_t size, const char *folder, const char *name)
{
    snprintf(path, size, "%s/%s", folder, name);
}

/* ---- checkpoints ---- */

bool fl_output_checkpoint(char *path, size_t size, const char *folder)
{
    join(path, size, folder, checkpoint_file);
    return fl_file_exists(path);
}

/* A file that was being written when its process was killed: `sweep.checkpoint.PID.part`. */
static bool is_left_over(const char *name)
{
    static const char *const written[] = {"sweep.checkpoint", "sweep.json", "sweep.csv",
                                          ".faultline-can-write"};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        size_t length = strlen(written[i]);
        char *end;
        if (strncmp(name, written[i], length) != 0 || name[length] != '.')
            continue;
        long process = strtol(name + length + 1, &end, 10);
        if (process > 0 && strcmp(end, ".part") == 0)
            return kill((pid_t)process, 0) != 0 && errno == ESRCH;
    }
    return false;
}

static void remove_left_over(const char *folder)
{
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
        if (is_left_over(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
}

void fl_output_end_checkpoint(const char *folder)
{
    char path[FL_PATH_MAX];
    if (fl_output_checkpoint(path, sizeof path, folder))
        unlink(path);
    remove_left_over(folder);
}

/* ---- may it be written there? ---- */

bool fl_output_prepare(const char *folder, bool force, const fl_experiment *figures_of,
                       const fl_experiment *resumed)
{
    char path[FL_PATH_MAX];
    if (!fl_lock_folder(folder))
        return false;
    bool unfinished = fl_output_checkpoint(path, sizeof path, folder);
    if (unfinished && !resumed && !force)
        return fl_complain(
                   "'%s' holds an unfinished run: --resume goes on with it, --force overwrites it",
                   path),
               false;
    if (resumed) {
        /* The run refuses a checkpoint of another experiment, and says what differs; one of this
         * experiment is of a run that might overwrite what lies there. A run that was killed after
         * it had written its results, before it could say so, left no checkpoint: it is done again,
         * to the same bytes. */
        join(path, sizeof path, folder, "sweep.json");
        force |= unfinished || fl_results_goes_on(path, resumed);
    }
    if (!fl_prepare_folder(folder, &(fl_outputs){result_files, figures_of, ""}, force))
        return false;
    if (resumed)
        remove_left_over(folder);
    else
        fl_output_end_checkpoint(folder);
    return true;
}

/* ---- figures of results that are replaced ---- */

static const char *const figure_suffixes[] = {".png", ".svg", NULL};

static void figure_path(char *path, size_t size, const char *folder, const char *prefix,
                        const char *name, const char *suffix)
{
    snprintf(path, size, "%s/%s%s%s", folder, prefix, name, suffix);
}

bool fl_output_has_figures(const char *folder, const fl_experiment *experiment)
{
    const char *name;
    char path[FL_PATH_MAX];
    for (unsigned i = 0; (name = fl_experiment_figure(experiment, i)) != NULL; i++)
        for (const char *const *suffix = figure_suffixes; *suffix; suffix++) {
            figure_path(path, sizeof path, folder, "", name, *suffix);
            if (!fl_file_exists(path))
                return false;
        }
    return true;
}

static void remove_figure(const char *folder, const char *prefix, const char *name)
{
    char path[FL_PATH_MAX];
    if (strchr(name, '/')) /* no name of ours */
        return;
    for (const char *const *suffix = figure_suffixes; *suffix; suffix++) {
        figure_path(path, sizeof path, folder, prefix, name, *suffix);
        unlink(path);
    }
}

/* The results in the folder that are about to be replaced (to be deleted); NULL if there are none
 * that can be read. */
static fl_status read_old(cJSON **old, const char *folder, const char *name, fl_error *error)
{
    char path[FL_PATH_MAX], *text;
    size_t length;
    *old = NULL;
    snprintf(path, sizeof path, "%s/%s.json", folder, name);
    fl_status status = fl_file_read(&text, &length, path, OLD_BYTES_MAX, error);
    if (!status) {
        status = fl_json_parse(old, text, length, path, error);
        free(text);
    }
    if (status)
        *old = NULL;
    return status == FL_ERR_MEMORY ? status : FL_OK;
}

/* Their figures show something else than the new results. */
static void remove_figures_of(const cJSON *old, const char *folder, const char *prefix)
{
    const cJSON *figures = cJSON_GetObjectItemCaseSensitive(old, "figures"), *figure;
    if (!cJSON_IsObject(old))
        return;
    const fl_experiment usual = {0}; /* names no figures */
    const char *usual_name;
    for (unsigned i = 0; !figures && (usual_name = fl_experiment_figure(&usual, i)) != NULL; i++)
        remove_figure(folder, prefix, usual_name);
    cJSON_ArrayForEach(figure, figures)
    {
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(figure, "name");
        if (cJSON_IsString(name))
            remove_figure(folder, prefix, name->valuestring);
    }
}

/* ---- delivering ---- */

/* A disk can fill up during the work: the results then go to a folder for temporary files. */
static void save_elsewhere(const fl_deliverable *what, const fl_error *why)
{
    const char *base = getenv("TMPDIR");
    char folder[FL_PATH_MAX];
    fl_error error;
    snprintf(folder, sizeof folder, "%s/faultline-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(folder)) {
        if (what->write(what->results, folder, &error) == FL_OK) {
            fl_complain("%s; the results are in %s instead", why->text, folder);
            return;
        }
        rmdir(folder);
    }
    fl_complain("%s; there was no room in %s either: the results are lost", why->text,
                base && *base ? base : "/tmp");
}

static int write_files(const fl_deliverable *what, const char *folder,
                       const fl_output_values *options, bool *in_place)
{
    fl_error error;
    cJSON *old;
    *in_place = read_old(&old, folder, what->name, &error) == FL_OK &&
                what->write(what->results, folder, &error) == FL_OK;
    if (*in_place)
        remove_figures_of(old, folder, what->figure_prefix);
    cJSON_Delete(old);
    if (!*in_place) {
        save_elsewhere(what, &error);
        return FL_EXIT_FAILED;
    }
    if (!what->draws || options->no_figures)
        return FL_EXIT_OK;
    if (what->draw(what->results, folder, options->log_y, &error)) {
        fl_complain("no figures: %s\n(%s.csv and %s.json in %s are complete)", error.text,
                    what->name, what->name, folder);
        return FL_EXIT_FAILED;
    }
    return FL_EXIT_OK;
}

/* FL_EXIT_FAILED after a complaint. */
static int print_notes(const fl_deliverable *what)
{
    fl_text notes = {0};
    if (what->notes)
        what->notes(what->results, &notes);
    int code = notes.failed ? fl_complain_memory("the notes") : FL_EXIT_OK;
    if (code == FL_EXIT_OK && notes.data)
        fwrite(notes.data, 1, notes.length, stderr);
    fl_text_clear(&notes);
    return code;
}

/* At a terminal a person reads, not a program. What mpirun gives to its ranks may look like a
 * terminal and lead anywhere. */
static bool a_person_reads(const fl_output_values *options)
{
    return isatty(STDOUT_FILENO) && !fl_ranks_are_launched() && !options->quiet && !options->json;
}

int fl_output_deliver_any(const fl_deliverable *what, const fl_output_values *options,
                          bool *in_place)
{
    fl_text text = {0};
    int code = FL_EXIT_OK;
    const char *folder = options->folder;
    if (folder || a_person_reads(options))
        text.columns = fl_terminal_columns();
    bool quiet = options->quiet;
    *in_place = true;
    if (folder) {
        code = write_files(what, folder, options, in_place);
        if (!quiet)
            what->summary(what->results, &text);
        if (!quiet && *in_place)
            fl_text_append(&text, "written to %s in %.1f s\n", folder, what->seconds);
    } else if (a_person_reads(options)) {
        what->summary(what->results, &text);
        fl_text_append(&text, "as CSV: --quiet, or > FILE; with files and figures: --out DIR\n");
    } else {
        (options->json ? what->json : what->csv)(what->results, &text);
        if (!quiet && !text.failed)
            code = print_notes(what);
        if (code)
            fl_text_clear(&text);
    }
    int printed = fl_print_text(&text);
    return code ? code : printed;
}

FL_DELIVERY(fl_results)

int fl_output_deliver(const fl_results *results, const fl_output_values *options, bool *in_place)
{
    const fl_deliverable what = {
        .results = results,
        .name = "sweep",
        .figure_prefix = "",
        /* mpirun passes Ctrl-C on and kills the ranks a second later: too soon for figures. */
        .draws = !(results->partial && results->ranks > 1),
        .seconds = results->wall_seconds,
        FL_DELIVERY_FUNCTIONS,
    };
    return fl_output_deliver_any(&what, options, in_place);
}
