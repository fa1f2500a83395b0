/* Files that are read and replaced as one, folders, and locks on them. */
#ifndef FL_CORE_FILE_H
#define FL_CORE_FILE_H

#include "core/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads a whole regular file (at most `limit` bytes) into a fresh 0-ended buffer that the caller
 * frees. Refuses what is no regular file: devices have no end, and pipes cannot be read a second
 * time. */
fl_status fl_file_read(char **data, size_t *length, const char *path, size_t limit,
                       fl_error *error);

/* Writes a whole file so that a reader sees the old or the new content and never a part:
 * into a neighbour file, fsync, rename. */
fl_status fl_file_write(const char *path, const char *data, size_t length, fl_error *error);

/* The same of up to 8 files that belong together: none is replaced unless all could be written. */
typedef struct fl_file_content {
    const char *path, *data;
    size_t length;
} fl_file_content;
fl_status fl_file_write_group(const fl_file_content *files, size_t count, fl_error *error);

/* Makes a folder and those above it. An existing folder is fine. What was made is removed again
 * when the last of them cannot be made. */
fl_status fl_file_make_folder(const char *path, fl_error *error);

/* Length of the part of the path that exists. */
size_t fl_file_existing_folder(const char *path);
/* Removes the (empty) folders of the path behind its first `kept` bytes. */
void fl_file_remove_folders(const char *path, size_t kept);

/* Is there a file or folder? */
bool fl_file_exists(const char *path);

/* An exclusive lock on a folder, against other programs that would write into it: FL_ERR_EXISTS
 * names the one that holds it. The system takes it back when its holder ends, however it ends: the
 * file .faultline-lock that a killed one leaves behind locks nothing. *out is NULL after FL_OK
 * where the file system knows no locks. One lock a process and folder. */
#define FL_LOCK_FILE ".faultline-lock"
typedef struct fl_folder_lock fl_folder_lock;
fl_status fl_folder_lock_take(fl_folder_lock **out, const char *folder, fl_error *error);
void fl_folder_lock_release(fl_folder_lock *lock); /* and removes the file; NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
