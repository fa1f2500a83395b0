/* The folder of --out: its lock, and what could keep results from being written there. */
#include "cli/folder.h"

#include <string.h>
#include <unistd.h>

static bool is_free(const char *folder, const char *prefix, const char *name, const char *suffix)
{
    char path[FL_PATH_MAX];
    snprintf(path, sizeof path, "%s/%s%s%s", folder, prefix, name, suffix);
    if (fl_file_exists(path))
        return fl_complain("'%s' is there already: choose another --out, or --force to overwrite",
                           path),
               false;
    return true;
}

static bool all_are_free(const char *folder, const fl_outputs *outputs)
{
    for (int i = 0; outputs->files[i]; i++)
        if (!is_free(folder, "", outputs->files[i], ""))
            return false;
    const char *figure;
    for (unsigned i = 0;
         outputs->figures_of && (figure = fl_experiment_figure(outputs->figures_of, i)) != NULL;
         i++)
        if (!is_free(folder, outputs->figure_prefix, figure, ".png") ||
            !is_free(folder, outputs->figure_prefix, figure, ".svg"))
            return false;
    return true;
}

static fl_status try_to_write(const char *folder, fl_error *error)
{
    char path[FL_PATH_MAX];
    static char block[65536];
    snprintf(path, sizeof path, "%s/.faultline-can-write", folder);
    fl_status status = fl_file_write(path, block, sizeof block, error);
    unlink(path);
    return status;
}

/* The folder of this run. */
static struct {
    const char *folder; /* NULL: none yet. Borrowed from the command line */
    size_t existing;    /* how much of its path there was */
    fl_folder_lock *lock;
} locked;

bool fl_lock_folder(const char *folder)
{
    fl_error error;
    if (locked.folder)
        return true;
    if (!*folder)
        return fl_complain("--out needs the name of a folder"), false;
    locked.existing = fl_file_existing_folder(folder);
    if (fl_file_make_folder(folder, &error))
        return fl_complain_of(&error), false;
    locked.folder = folder;
    return fl_folder_lock_take(&locked.lock, folder, &error) ? (fl_complain_of(&error), false)
                                                             : true;
}

void fl_unlock_folder(void)
{
    fl_folder_lock_release(locked.lock);
    if (locked.folder)
        fl_file_remove_folders(locked.folder, locked.existing);
    locked.lock = NULL;
    locked.folder = NULL;
}

bool fl_prepare_folder(const char *folder, const fl_outputs *outputs, bool force)
{
    fl_error error;
    if (!fl_lock_folder(folder) || (!force && !all_are_free(folder, outputs)))
        return false;
    return try_to_write(folder, &error) ? (fl_complain_of(&error), false) : true;
}
