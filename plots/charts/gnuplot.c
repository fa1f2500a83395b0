/* gnuplot as another process: it gets a script and returns a picture or messages.
 *
 * Its three standard streams are nameless temporary files and not pipes: a pipe that gnuplot
 * closes early raises SIGPIPE here, and two pipes read one after the other can wait for each
 * other for ever. No shell and no file name is involved, so no name can be misread. */
#define _POSIX_C_SOURCE 200809L /* posix_spawnp, fileno */

#include "plots/charts/private.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSTALL_HINT "figures need gnuplot; install it (Debian and Ubuntu: apt install gnuplot-nox)"
#define REPAIR_HINT \
    "a gnuplot that can draw PNG and SVG is in the package gnuplot-nox (Debian and Ubuntu)"
#define EXIT_NOT_STARTED 127 /* of a spawn that found no program to run */

extern char **environ;

typedef struct streams {
    int script, picture, complaints;
} streams;

/* Numbered above the standard streams, because the child's are made by copying these over
 * 0, 1 and 2 in turn and must not overwrite each other; closed in whatever else is started. */
static int open_scratch(void)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return -1;
    int descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 3);
    fclose(file);
    return descriptor;
}

static void close_scratch(int descriptor)
{
    if (descriptor >= 0)
        close(descriptor);
}

static bool write_all(int descriptor, const char *data, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t count = pwrite(descriptor, data + done, length - done, (off_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        done += (size_t)count;
    }
    return true;
}

/* Reads at most `limit` bytes from the start. */
static bool read_all(int descriptor, size_t limit, fl_text *out)
{
    char chunk[16384];
    for (size_t done = 0; done < limit;) {
        size_t wanted = limit - done < sizeof chunk ? limit - done : sizeof chunk;
        ssize_t count = pread(descriptor, chunk, wanted, (off_t)done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return false;
        if (count == 0)
            break;
        fl_text_append_bytes(out, chunk, (size_t)count);
        done += (size_t)count;
    }
    return true;
}

static int redirect(posix_spawn_file_actions_t *actions, const streams *files)
{
    int problem = posix_spawn_file_actions_adddup2(actions, files->script, STDIN_FILENO);
    if (problem == 0)
        problem = posix_spawn_file_actions_adddup2(actions, files->picture, STDOUT_FILENO);
    if (problem == 0)
        problem = posix_spawn_file_actions_adddup2(actions, files->complaints, STDERR_FILENO);
    return problem;
}

/* 0 or an errno. -d keeps gnuplot from reading start-up files, which would change the
 * figures of the project. */
static int start(pid_t *child, const streams *files)
{
    char program[] = "gnuplot", defaults_only[] = "-d";
    char *arguments[] = {program, defaults_only, NULL};
    posix_spawn_file_actions_t actions;
    int problem = posix_spawn_file_actions_init(&actions);
    if (problem != 0)
        return problem;
    problem = redirect(&actions, files);
    if (problem == 0)
        problem = posix_spawnp(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return problem;
}

/* Where SIGCHLD is ignored (some job launchers pass that on) the system keeps no exit status:
 * the wait still lasts until gnuplot has ended, and then only the picture shows how. */
static int wait_for(pid_t child)
{
    int how_it_ended = 0;
    while (waitpid(child, &how_it_ended, 0) < 0 && errno == EINTR)
        continue;
    return how_it_ended;
}

/* gnuplot surrounds its message with an echo of the command and a ^ below it, and may have
 * warned of something harmless before. */
static bool is_message(const char *line, size_t length)
{
    return strncmp(line, "gnuplot>", 8) != 0 && strspn(line, " \t^") < length;
}

static bool is_warning(const char *line, size_t length)
{
    static const char word[] = "warning";
    for (size_t at = 0; at + sizeof word - 1 <= length; at++)
        if (strncmp(line + at, word, sizeof word - 1) == 0)
            return true;
    return false;
}

/* The first line with a message; a warning only if there is nothing else. */
static const char *first_message(const char *complaints, int *length)
{
    const char *best = NULL;
    for (const char *line = complaints; *line != '\0';) {
        size_t end = strcspn(line, "\n");
        bool warning = is_warning(line, end);
        if (is_message(line, end) && (best == NULL || !warning)) {
            size_t indent = strspn(line, " \t");
            best = line + indent;
            *length = (int)(end - indent < 400 ? end - indent : 400);
            if (!warning)
                break;
        }
        line += end + (line[end] == '\n');
    }
    return best;
}

static fl_status fail_with_complaints(int descriptor, const char *what, int number, fl_error *error)
{
    fl_text complaints = {0};
    read_all(descriptor, 8192, &complaints);
    int length = 0;
    const char *message = complaints.length > 0 ? first_message(complaints.data, &length) : NULL;
    if (message != NULL)
        fl_fail(error, FL_ERR_IO, "gnuplot %s %d; its message is \"%.*s\"; " REPAIR_HINT, what,
                number, length, message);
    else
        fl_fail(error, FL_ERR_IO, "gnuplot %s %d without a message; " REPAIR_HINT, what, number);
    fl_text_clear(&complaints);
    return FL_ERR_IO;
}

static fl_status judge(int how_it_ended, int complaints, fl_error *error)
{
    if (WIFSIGNALED(how_it_ended))
        return fail_with_complaints(complaints, "was ended by signal", WTERMSIG(how_it_ended),
                                    error);
    if (WEXITSTATUS(how_it_ended) == EXIT_NOT_STARTED)
        return fail_with_complaints(complaints, "could not be run, exit status", EXIT_NOT_STARTED,
                                    error);
    if (WEXITSTATUS(how_it_ended) != 0)
        return fail_with_complaints(complaints, "failed with exit status",
                                    WEXITSTATUS(how_it_ended), error);
    return FL_OK;
}

static fl_status run(const streams *files, fl_error *error)
{
    pid_t child = 0;
    int problem = start(&child, files);
    if (problem == ENOENT)
        return fl_fail(error, FL_ERR_IO, "gnuplot was not found in PATH; " INSTALL_HINT);
    if (problem != 0)
        return fl_fail(error, FL_ERR_IO, "gnuplot could not be started: %s; " REPAIR_HINT,
                       strerror(problem));
    return judge(wait_for(child), files->complaints, error);
}

static fl_status collect(fl_text *output, int picture, fl_error *error)
{
    struct stat about;
    if (fstat(picture, &about) != 0 || !read_all(picture, (size_t)about.st_size, output))
        return fl_fail(error, FL_ERR_IO, "cannot read back what gnuplot drew: %s", strerror(errno));
    return output->failed ? fl_fail(error, FL_ERR_MEMORY, "no memory for a picture of %lld bytes",
                                    (long long)about.st_size)
                          : FL_OK;
}

fl_status fl_plots_gnuplot(fl_text *output, const fl_text *script, fl_error *error)
{
    streams files = {open_scratch(), open_scratch(), open_scratch()};
    fl_status status;
    if (files.script < 0 || files.picture < 0 || files.complaints < 0 ||
        !write_all(files.script, script->data, script->length))
        status = fl_fail(error, FL_ERR_IO, "cannot make temporary files for gnuplot: %s",
                         strerror(errno));
    else
        status = run(&files, error);
    if (status == FL_OK)
        status = collect(output, files.picture, error);
    close_scratch(files.script);
    close_scratch(files.picture);
    close_scratch(files.complaints);
    return status;
}
