/* How much memory this process may take, so that what cannot fit is refused before the work. */
#define _DEFAULT_SOURCE /* _SC_PHYS_PAGES */
#include "core/core.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct bound {
    uint64_t bytes;
    const char *what;
} bound;

static void lower(bound *lowest, uint64_t bytes, const char *what)
{
    if (bytes < lowest->bytes)
        *lowest = (bound){bytes, what};
}

/* The number in a file of one; UINT64_MAX if there is none ("max"). */
static uint64_t number_in(const char *path)
{
    unsigned long long number = UINT64_MAX;
    FILE *file = fopen(path, "r");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%llu", &number) != 1)
        number = UINT64_MAX;
    fclose(file);
    return number;
}

/* Those of the control group of this process, and of all above it (version 2); of containers with
 * version 1, their own. */
static void lower_by_control_groups(bound *lowest)
{
    static const char what[] = "this control group may take";
    char line[1024], path[1200];
    FILE *file = fopen("/proc/self/cgroup", "r");
    lower(lowest, number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"), what);
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        for (char *slash = line + strlen(line); slash; slash = strrchr(line + 3, '/')) {
            *slash = 0;
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
            lower(lowest, number_in(path), what);
        }
    }
    if (file)
        fclose(file);
}

static bound find_bound(void)
{
    bound lowest = {UINT64_MAX, "there is"};
    long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (pages > 0 && bytes > 0)
        lower(&lowest, (uint64_t)pages * (uint64_t)bytes, "this machine has");
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lower(&lowest, limit.rlim_cur, "this process may take (ulimit -v)");
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        lower(&lowest, limit.rlim_cur, "this process may take (ulimit -d)");
    lower_by_control_groups(&lowest);
    return lowest;
}

fl_status fl_memory_check(double bytes, const char *what, fl_error *error)
{
    static const double looked_at = 1 << 24, gibibyte = 1 << 30; /* less is left to malloc */
    if (bytes < looked_at)
        return FL_OK;
    bound most = find_bound();
    if (bytes <= (double)most.bytes)
        return FL_OK;
    return fl_fail(error, FL_ERR_INVALID,
                   "%.500s: too large: needs about %.3g GiB of memory; %s %.3g GiB", what,
                   bytes / gibibyte, most.what, (double)most.bytes / gibibyte);
}
