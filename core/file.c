#define _POSIX_C_SOURCE 200809L
#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fl_status status_of(int reason)
{
    return reason == ENOMEM ? FL_ERR_MEMORY : FL_ERR_IO;
}

/* O_NONBLOCK: opening a pipe that no one writes to would wait for ever. */
static fl_status open_regular(FILE **out, const char *path, size_t limit, fl_error *error)
{
    struct stat info;
    fl_status status = FL_OK;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &info) != 0)
        status = fl_fail(error, status_of(errno), "cannot read '%s': %s", path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        status = fl_fail(error, FL_ERR_IO, "cannot read '%s': %s", path, strerror(EISDIR));
    else if (!S_ISREG(info.st_mode))
        status =
            fl_fail(error, FL_ERR_IO, "'%s' is no regular file: copy what it gives into one", path);
    else if ((uintmax_t)info.st_size > limit)
        status = fl_fail(error, FL_ERR_INVALID, "'%s' is larger than %zu bytes: it has %llu", path,
                         limit, (unsigned long long)info.st_size);
    else if (!(status = fl_memory_check(2.0 * (double)info.st_size, path, error)) &&
             !(*out = fdopen(file, "rb")))
        status = fl_fail(error, status_of(errno), "cannot read '%s': %s", path, strerror(errno));
    if (status && file >= 0)
        close(file);
    return status;
}

fl_status fl_file_read(char **data, size_t *length, const char *path, size_t limit, fl_error *error)
{
    FILE *file;
    fl_status status = open_regular(&file, path, limit, error);
    if (status)
        return status;
    fl_text text = {0};
    char block[65536];
    size_t got;
    errno = 0;
    while (text.length <= limit && (got = fread(block, 1, sizeof block, file)) > 0)
        fl_text_append_bytes(&text, block, got);
    fl_text_append_bytes(&text, "", 0); /* an empty file still gives a text */
    bool broken = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    if (broken)
        status = fl_fail(error, status_of(reason), "cannot read '%s': %s", path, strerror(reason));
    else if (text.failed)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory while reading '%s'", path);
    else if (text.length > limit)
        status = fl_fail(error, FL_ERR_INVALID, "'%s' is larger than the %zu bytes that are read",
                         path, limit);
    if (status) {
        fl_text_clear(&text);
        return status;
    }
    *data = text.data;
    *length = text.length;
    return FL_OK;
}

static bool write_all(int file, const char *data, size_t length)
{
    while (length > 0) {
        ssize_t written = write(file, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        length -= (size_t)written;
    }
    return true;
}

/* A file that was not there before: any user who may write into the folder could have put a link to
 * another file under its name. What a dead process of this number left is removed, a link itself
 * and not what it leads to. */
static int open_anew(const char *path)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int file = open(path, flags, 0666);
    return file < 0 && errno == EEXIST && unlink(path) == 0 ? open(path, flags, 0666) : file;
}

/* Writes the neighbour file; its errno on failure, else 0. */
static int write_neighbour(const char *neighbour, const fl_file_content *content)
{
    int file = open_anew(neighbour);
    if (file < 0)
        return errno ? errno : EIO;
    bool good = write_all(file, content->data, content->length) && fsync(file) == 0;
    int reason = good ? 0 : errno ? errno : EIO;
    if (close(file) != 0 && good)
        reason = errno;
    if (reason)
        unlink(neighbour);
    return reason;
}

enum { GROUP_MAX = 8 };

fl_status fl_file_write_group(const fl_file_content *files, size_t count, fl_error *error)
{
    char *neighbours[GROUP_MAX] = {0};
    size_t written = 0, at = 0;
    int reason = count > GROUP_MAX ? EINVAL : 0;
    while (written < count && !reason) {
        fl_text neighbour = {0};
        fl_text_append(&neighbour, "%s.%ld.part", files[written].path, (long)getpid());
        neighbours[written] = neighbour.data;
        at = written;
        reason = neighbour.failed ? ENOMEM : write_neighbour(neighbour.data, &files[written]);
        written += !reason;
    }
    for (size_t i = 0; i < written; i++) {
        if (!reason && rename(neighbours[i], files[i].path) != 0) {
            reason = errno;
            at = i;
        }
        if (reason)
            unlink(neighbours[i]);
    }
    for (size_t i = 0; i < GROUP_MAX; i++)
        free(neighbours[i]);
    return reason ? fl_fail(error, status_of(reason), "cannot write '%s': %s", files[at].path,
                            strerror(reason))
                  : FL_OK;
}

fl_status fl_file_write(const char *path, const char *data, size_t length, fl_error *error)
{
    return fl_file_write_group(&(fl_file_content){path, data, length}, 1, error);
}

size_t fl_file_existing_folder(const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    char *copy = strdup(path);
    while (copy && length > 0 && stat(copy, &info) != 0) {
        while (length > 0 && copy[length - 1] == '/')
            length--;
        while (length > 0 && copy[length - 1] != '/')
            length--;
        copy[length] = 0;
    }
    free(copy);
    return length;
}

void fl_file_remove_folders(const char *path, size_t kept)
{
    char *copy = strdup(path);
    for (size_t length = strlen(path); copy && length > kept;) {
        copy[length] = 0;
        if (rmdir(copy) != 0 && errno == ENOTEMPTY)
            break;
        while (length > 0 && copy[length - 1] == '/')
            length--;
        while (length > 0 && copy[length - 1] != '/')
            length--;
    }
    free(copy);
}

static fl_status make_folder(char *path, fl_error *error)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return fl_fail(error, FL_ERR_IO, "cannot make the folder '%s': %s", path, strerror(errno));
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return fl_fail(error, FL_ERR_IO, "'%s' is not a folder", path);
    return FL_OK;
}

fl_status fl_file_make_folder(const char *path, fl_error *error)
{
    size_t existing = fl_file_existing_folder(path);
    char *copy = strdup(path);
    if (!copy)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for the folder '%s'", path);
    fl_status status = FL_OK;
    for (char *c = copy + 1; status == FL_OK && copy[0]; c++) {
        char end = *c;
        if (end && end != '/')
            continue;
        *c = 0;
        status = make_folder(copy, error);
        *c = end;
        if (!end)
            break;
    }
    free(copy);
    if (status)
        fl_file_remove_folders(path, existing);
    return status;
}

/* ---- locks ---- */

struct fl_folder_lock {
    int file;
    char *path;
};

/* Writes the process that holds the lock into the file. A disk that is too full for that has a lock
 * all the same. */
static void sign(const fl_folder_lock *lock)
{
    char host[256] = "", since[32];
    fl_text text = {0};
    gethostname(host, sizeof host - 1);
    fl_time_stamp(since);
    fl_text_append(&text, "process %ld on %s, since %s", (long)getpid(), host, since);
    if (!text.failed && ftruncate(lock->file, 0) == 0)
        write_all(lock->file, text.data, text.length);
    fl_text_clear(&text);
}

static fl_status fail_locked(const fl_folder_lock *lock, const char *folder, fl_error *error)
{
    char holder[400];
    ssize_t length = pread(lock->file, holder, sizeof holder - 1, 0);
    holder[length > 0 ? length : 0] = 0;
    return fl_fail(error, FL_ERR_EXISTS,
                   "another run writes into '%s' (%s): wait for its end, or choose another folder",
                   folder, length > 0 ? holder : "it does not say which");
}

/* The holder that ended just now has removed the file that was opened here: a lock on that one
 * locks nothing. */
static bool is_in_place(const fl_folder_lock *lock)
{
    struct stat opened, there;
    return fstat(lock->file, &opened) == 0 && stat(lock->path, &there) == 0 &&
           opened.st_ino == there.st_ino && opened.st_dev == there.st_dev;
}

static void close_lock(fl_folder_lock *lock)
{
    if (lock->file >= 0)
        close(lock->file);
    free(lock->path);
    free(lock);
}

/* FL_ERR_STOPPED: try again. `*lockable`: false where there are no locks. */
static fl_status try_to_lock(fl_folder_lock *lock, const char *folder, bool *lockable,
                             fl_error *error)
{
    struct flock complete = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    *lockable = true;
    lock->file = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (lock->file < 0)
        return fl_fail(error, FL_ERR_IO, "cannot write '%s': %s", lock->path, strerror(errno));
    if (fcntl(lock->file, F_SETLK, &complete) != 0) {
        if (errno == EACCES || errno == EAGAIN)
            return fail_locked(lock, folder, error);
        *lockable = false;
        unlink(lock->path);
        return FL_OK;
    }
    if (is_in_place(lock))
        return FL_OK;
    close(lock->file);
    lock->file = -1;
    return FL_ERR_STOPPED;
}

fl_status fl_folder_lock_take(fl_folder_lock **out, const char *folder, fl_error *error)
{
    enum { TRIES_MAX = 100 };
    bool lockable = true;
    fl_text path = {0};
    fl_folder_lock *lock = malloc(sizeof *lock);
    fl_text_append(&path, "%s/%s", folder, FL_LOCK_FILE);
    if (!lock || path.failed) {
        free(lock);
        fl_text_clear(&path);
        return fl_fail(error, FL_ERR_MEMORY, "out of memory for a lock");
    }
    *lock = (fl_folder_lock){-1, path.data};
    fl_status status = FL_ERR_STOPPED;
    for (int i = 0; i < TRIES_MAX && status == FL_ERR_STOPPED; i++)
        status = try_to_lock(lock, folder, &lockable, error);
    if (status == FL_ERR_STOPPED)
        status =
            fl_fail(error, FL_ERR_IO, "cannot lock '%s': it is removed again and again", path.data);
    *out = NULL;
    if (status || !lockable) {
        close_lock(lock);
        return status;
    }
    sign(lock);
    *out = lock;
    return FL_OK;
}

void fl_folder_lock_release(fl_folder_lock *lock)
{
    if (!lock)
        return;
    unlink(lock->path); /* while held: a process that opened it before finds it gone */
    close_lock(lock);
}

bool fl_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
