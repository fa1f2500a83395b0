#include "cli/output.h"
#include "cli/experiment.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    static const char *const written[] = {"sweep.checkpoint", "sweep.json", "sweep.csv", ".faultline-can-write"};
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

bool fl_output_prepare(const char *folder, bool force, const fl_experiment *figures_of, const fl_experiment *resumed)
{
    char path[FL_PATH_MAX];
    bool unfinished = fl_output_checkpoint(path, sizeof path, folder);
    if (unfinished && !resumed && !force)
        return fl_complain("'%s' holds an unfinished run: --resume goes on with it, --force overwrites it", path), false;
    if (resumed) {
        /* The run refuses a checkpoint of another experiment, and says what differs. A run that was killed after it
         * had written its results, before it could say so, left no checkpoint: it is done again, to the same bytes. */
        bool refused = unfinished && !fl_results_goes_on(path, resumed);
        join(path, sizeof path, folder, "sweep.json");
        force |= refused || fl_results_goes_on(path, resumed);
    }
    if (!fl_prepare_folder(folder, &(fl_outputs){result_files, figures_of, ""}, force))
        return false;
    if (resumed)
        remove_left_over(folder);
    else
        fl_output_end_checkpoint(folder);
    return true;
}

/* ---- delivering ---- */

/* A disk can fill up during the work: the results then go to a folder for temporary files. */
static int save_elsewhere(const fl_results *results, const fl_error *why)
{
    const char *base = getenv("TMPDIR");
    char folder[FL_PATH_MAX];
    fl_error error;
    snprintf(folder, sizeof folder, "%s/faultline-XXXXXX", base && *base ? base : "/tmp");
    if (mkdtemp(folder)) {
        if (fl_results_write(results, folder, &error) == FL_OK)
            return fl_complain("%s; the results are in %s instead", why->text, folder);
        rmdir(folder);
    }
    return fl_complain("%s; there was no room in %s either: the results are lost", why->text, base && *base ? base : "/tmp");
}

static int write_files(const fl_results *results, const char *folder, const fl_option *options)
{
    fl_error error;
    if (fl_results_write(results, folder, &error))
        return save_elsewhere(results, &error);
    if (fl_option_value(options, "no-figures"))
        return FL_EXIT_OK;
    /* mpirun passes Ctrl-C on and kills the ranks a second later: too soon for figures. */
    if (results->partial && results->ranks > 1)
        return FL_EXIT_OK;
    if (fl_results_draw(results, folder, fl_option_value(options, "log-y") != NULL, &error)) {
        fl_complain("no figures: %s\n(sweep.csv and sweep.json in %s are complete)", error.text, folder);
        return FL_EXIT_FAILED;
    }
    return FL_EXIT_OK;
}

int fl_output_deliver(const fl_results *results, const fl_option *options)
{
    fl_text text = {0};
    int code = FL_EXIT_OK;
    const char *folder = fl_option_value(options, "out");
    bool quiet = fl_option_value(options, "quiet") != NULL;
    if (folder) {
        code = write_files(results, folder, options);
        if (!quiet)
            fl_results_summary(results, &text);
        if (!quiet && code != FL_EXIT_BAD_INPUT)
            fl_text_append(&text, "written to %s in %.1f s\n", folder, results->wall_seconds);
    } else {
        fl_results_csv(results, &text);
    }
    if (text.data)
        fwrite(text.data, 1, text.length, stdout);
    fl_text_clear(&text);
    return code;
}
