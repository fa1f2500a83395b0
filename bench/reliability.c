/* Two-terminal reliability of all pairs of nodes: processor time, states and memory.
 *
 *   bench/reliability [spec...]    default: kary-ntree:k=3,n=3 mikant:k=3,n=3
 *
 * Each network is computed in a process of its own, so that its peak memory is its own. */
#include "faultline.h"
#include "topo/topo.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Processor time: there is one thread, and others may share the machine. */
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int fail(const fl_error *error)
{
    fprintf(stderr, "bench: %s\n", error->text);
    return 1;
}

static double resident_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int measure(const char *spec)
{
    fl_error error;
    fl_network *network;
    if (fl_network_create(&network, spec, &error))
        return fail(&error);
    long double *connected = calloc(network->links + 1, sizeof *connected);
    fl_reliability_report report;
    double start = now();
    if (!connected || fl_reliability_all_pairs(connected, &report, network, NULL, &error))
        return fail(&error);
    double took = now() - start;
    printf(
        "%-20s %4llu links %9.3f s %10llu states, width %2u, %8.1f MB (process %.1f MB), relative error below %.1e\n",
        spec, (unsigned long long)network->links, took, (unsigned long long)report.states,
        report.width, (double)report.memory / 1e6, resident_megabytes(), report.relative_error);
    uint64_t at[] = {network->links / 10, network->links / 4, network->links * 4 / 9,
                     network->links / 2};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        printf("    f = %3llu: %.17Lg\n", (unsigned long long)at[i], connected[at[i]]);
    free(connected);
    fl_network_destroy(network);
    return 0;
}

static int measure_alone(const char *spec)
{
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        exit(measure(spec));
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

int main(int count, char **arguments)
{
    int failed = 0;
    for (int i = 1; i < count; i++)
        failed |= measure_alone(arguments[i]);
    if (count == 1)
        failed = measure_alone("kary-ntree:k=3,n=3") | measure_alone("mikant:k=3,n=3");
    return failed;
}
