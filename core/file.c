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

fl_status fl_file_read(char **data, size_t *length, const char *path, size_t limit, fl_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fl_fail(error, status_of(errno), "cannot read '%s': %s", path, strerror(errno));
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
    fl_status status = FL_OK;
    if (broken)
        status = fl_fail(error, status_of(reason), "cannot read '%s': %s", path, strerror(reason));
    else if (text.failed)
        status = fl_fail(error, FL_ERR_MEMORY, "out of memory while reading '%s'", path);
    else if (text.length > limit)
        status = fl_fail(error, FL_ERR_INVALID, "'%s' is larger than %zu bytes", path, limit);
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

/* A file that was not there before: whoever may write into the folder could have put a link to another file under its name. What a
 * dead process of this number left is removed, a link itself and not what it leads to. */
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
    return reason ? fl_fail(error, status_of(reason), "cannot write '%s': %s", files[at].path, strerror(reason)) : FL_OK;
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

bool fl_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
