#define _POSIX_C_SOURCE 200809L
#include "core/core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

fl_status fl_file_read(char **data, size_t *length, const char *path, size_t limit, fl_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fl_fail(error, FL_ERR_IO, "cannot read '%s': %s", path, strerror(errno));
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
        status = fl_fail(error, FL_ERR_IO, "cannot read '%s': %s", path, strerror(reason));
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

fl_status fl_file_write(const char *path, const char *data, size_t length, fl_error *error)
{
    fl_text neighbour = {0};
    fl_text_append(&neighbour, "%s.%ld.part", path, (long)getpid());
    if (neighbour.failed)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory while writing '%s'", path);
    int file = open(neighbour.data, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 && write_all(file, data, length) && fsync(file) == 0;
    int reason = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        reason = errno;
    }
    if (good && rename(neighbour.data, path) != 0) {
        good = false;
        reason = errno;
    }
    if (!good && file >= 0)
        unlink(neighbour.data);
    fl_text_clear(&neighbour);
    return good ? FL_OK : fl_fail(error, FL_ERR_IO, "cannot write '%s': %s", path, strerror(reason));
}

fl_status fl_file_make_folder(const char *path, fl_error *error)
{
    char *copy = strdup(path);
    if (!copy)
        return fl_fail(error, FL_ERR_MEMORY, "out of memory");
    fl_status status = FL_OK;
    for (char *c = copy + 1; status == FL_OK && copy[0]; c++) {
        bool last = *c == 0;
        if (!last && *c != '/')
            continue;
        *c = 0;
        struct stat info;
        if (mkdir(copy, 0777) != 0 && errno != EEXIST)
            status = fl_fail(error, FL_ERR_IO, "cannot make the folder '%s': %s", copy, strerror(errno));
        else if (stat(copy, &info) != 0 || !S_ISDIR(info.st_mode))
            status = fl_fail(error, FL_ERR_IO, "'%s' is not a folder", copy);
        if (last)
            break;
        *c = '/';
    }
    free(copy);
    return status;
}

bool fl_file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
