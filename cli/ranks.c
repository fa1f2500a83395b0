#define _GNU_SOURCE /* sched_getaffinity */
/* Ranks started by mpirun. */
#include "cli/ranks.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What mpirun (Open MPI), mpiexec (MPICH, Intel) and srun (PMI, PMIx) leave in the environment. */
static const char *const size_names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL};
static const char *const rank_names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", NULL};

/* The first of the variables that is a number; false if none is. */
static bool number_in_environment(const char *const *names, uint64_t *out)
{
    for (; *names; names++) {
        const char *text = getenv(*names);
        if (text && fl_text_to_u64(text, out))
            return true;
    }
    return false;
}

bool fl_ranks_are_launched(void)
{
    uint64_t size;
    return number_in_environment(size_names, &size);
}

static unsigned usable_processors(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > FL_SWEEP_THREADS_MAX ? FL_SWEEP_THREADS_MAX : (unsigned)count;
}

bool fl_ranks_lead(const fl_ranks *ranks)
{
    return !ranks || ranks->mine == 0;
}

/* Have the ranks met to say whether they are ready? One that ends before that (--help, a wrong
 * option) keeps the others from waiting for it, too. */
static bool have_met;

/* A rank that is not ready (it cannot read a file, say) keeps the others from waiting for it. */
bool fl_ranks_are_ready(fl_ranks *ranks, unsigned says, unsigned *first)
{
    *first = says;
    if (!ranks)
        return says != 0;
    have_met = true;
    unsigned rank = ranks->count; /* the first that is not ready */
    for (unsigned i = 0; i < ranks->count;
         i++) { /* one after the other: collecting them would need memory */
        unsigned of_rank = says;
        ranks->share(ranks, &of_rank, sizeof of_rank, i);
        *first = i == 0 ? of_rank : *first;
        rank = !of_rank && rank == ranks->count ? i : rank;
    }
    if (rank == ranks->count)
        return true;
    char complaint[FL_COMPLAINT_MAX];
    snprintf(complaint, sizeof complaint, "%s", fl_last_complaint());
    ranks->share(ranks, complaint, sizeof complaint, rank);
    if (rank > 0) /* rank 0 has said its own */
        fl_complain("rank %u: %.2000s", rank,
                    complaint[0] ? complaint
                                 : "it ended before the work; was it started with other options?");
    return false;
}

/* Options of which only rank 0's count, and the number of threads, which is each rank's own. */
static bool is_its_own(const char *option)
{
    static const char *const names[] = {"spec",       "threads",    "out",    "force",
                                        "resume",     "checkpoint", "budget", "json",
                                        "no-figures", "log-y",      "quiet",  NULL};
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], option) == 0)
            return true;
    return false;
}

/* Was a spec given? Not every command takes one. */
static bool is_of_spec(const fl_call *call)
{
    const fl_option_row *row;
    for (int i = 0; (row = fl_option_at(call->options.groups, i, NULL)) != NULL; i++)
        if (strcmp(row->name, "spec") == 0)
            return call->options.given[i];
    return false;
}

bool fl_ranks_agree_on(const fl_call *call, bool ready, const fl_text *asked)
{
    fl_ranks *ranks = call->ranks;
    unsigned first;
    fl_error error;
    fl_text all = {0};
    const fl_option_row *row;
    if (!fl_ranks_are_ready(ranks, ready, &first))
        return false;
    if (!ranks)
        return true;
    /* The file of a spec may lie elsewhere on another host: `asked` holds what is in it. */
    fl_text_append(&all, "Faultline %s\nfaultline %s%s\n", FL_VERSION, call->command->name,
                   is_of_spec(call) ? " SPEC" : "");
    for (int i = 0; (row = fl_option_at(call->options.groups, i, NULL)) != NULL; i++) {
        if (!call->options.given[i] || is_its_own(row->name))
            continue;
        fl_text_append(&all, "--%s ", row->name);
        fl_option_append(&call->options, i, &all);
        fl_text_append(&all, "\n");
    }
    fl_text_append_bytes(&all, asked->data, asked->length);
    all.failed |= asked->failed;
    fl_status status = fl_ranks_compare(ranks, &all, &error);
    fl_text_clear(&all);
    return status ? (fl_complain_of(&error), false) : true;
}

#ifdef FL_WITH_MPI

#include <mpi.h>
#include <time.h>

enum { PIECE = 1 << 20 }; /* numbers in one message */

typedef struct mpi_ranks {
    fl_ranks base;
    unsigned on_host; /* ranks on this host, this one included */
    bool speaking;    /* add_up is under way */
    MPI_Request request;
    uint64_t said[FL_RANKS_REPORT], sums[FL_RANKS_REPORT];
} mpi_ranks;

static mpi_ranks world;

/* MPI's own waiting takes a whole processor, which other ranks or gnuplot may need. */
static void wait_for(MPI_Request *request)
{
    int done = 0;
    for (int tries = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; tries++)
        if (tries > 100)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static void share(fl_ranks *ranks, void *data, size_t bytes, unsigned from)
{
    (void)ranks;
    MPI_Request request;
    MPI_Ibcast(data, (int)bytes, MPI_BYTE, (int)from, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static void collect(fl_ranks *ranks, const uint64_t *mine, size_t size, uint64_t *all)
{
    (void)ranks;
    MPI_Request request;
    MPI_Iallgather(mine, (int)size, MPI_UINT64_T, all, (int)size, MPI_UINT64_T, MPI_COMM_WORLD,
                   &request);
    wait_for(&request);
}

/* The ranks have just met when this is called: none has to wait, and looking now and then only
 * would make long messages slow. */
static void sum(fl_ranks *ranks, uint64_t *numbers, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE) {
        int count = size - at < PIECE ? (int)(size - at) : PIECE;
        bool first = ranks->mine == 0;
        MPI_Reduce(first ? MPI_IN_PLACE : numbers + at, first ? numbers + at : NULL, count,
                   MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    }
}

static bool add_up(fl_ranks *ranks, const uint64_t mine[FL_RANKS_REPORT],
                   uint64_t sums[FL_RANKS_REPORT])
{
    (void)ranks;
    if (!world.speaking) {
        memcpy(world.said, mine, sizeof world.said);
        MPI_Iallreduce(world.said, world.sums, FL_RANKS_REPORT, MPI_UINT64_T, MPI_SUM,
                       MPI_COMM_WORLD, &world.request);
    }
    int done;
    MPI_Test(&world.request, &done, MPI_STATUS_IGNORE);
    world.speaking = !done;
    if (done)
        memcpy(sums, world.sums, sizeof world.sums);
    return done;
}

static unsigned count_on_host(void)
{
    MPI_Comm host;
    int count;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &count);
    MPI_Comm_free(&host);
    return (unsigned)count;
}

bool fl_ranks_open(fl_ranks **out)
{
    uint64_t started = 1, rank = 0;
    *out = NULL;
    if (!number_in_environment(size_names, &started) && !number_in_environment(rank_names, &rank))
        return true;
    int support, count, mine;
    /* Only the thread that initialises talks to other ranks. */
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &support);
    MPI_Comm_size(MPI_COMM_WORLD, &count);
    MPI_Comm_rank(MPI_COMM_WORLD, &mine);
    if (count == 1 && started > 1) {
        number_in_environment(rank_names, &rank);
        fl_complain_for((unsigned)rank);
        fl_complain(
            "mpirun started %llu processes, but of another MPI than this program was built with",
            (unsigned long long)started);
        MPI_Finalize();
        return false;
    }
    world = (mpi_ranks){.base = {(unsigned)count, (unsigned)mine, share, collect, sum, add_up},
                        .on_host = count_on_host()};
    fl_complain_for((unsigned)mine);
    *out = &world.base;
    return true;
}

static void meet_before_the_end(fl_ranks *ranks)
{
    unsigned first;
    if (!have_met)
        fl_ranks_are_ready(ranks, 0, &first);
}

int fl_ranks_close(fl_ranks *ranks, int code)
{
    if (!ranks)
        return code;
    meet_before_the_end(ranks);
    share(ranks, &code, sizeof code, 0);
    MPI_Finalize();
    return code;
}

unsigned fl_ranks_threads(const fl_ranks *ranks, unsigned asked)
{
    unsigned usable = usable_processors(), online = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    if (asked || !ranks)
        return asked ? asked : usable;
    unsigned fair = online / world.on_host > 0 ? online / world.on_host : 1;
    return usable < fair ? usable : fair;
}

#else

bool fl_ranks_open(fl_ranks **out)
{
    uint64_t started = 1, rank = 0;
    *out = NULL;
    number_in_environment(rank_names, &rank);
    if (!number_in_environment(size_names, &started) || started < 2)
        return true;
    fl_complain_for((unsigned)rank);
    fl_complain(
        "mpirun started %llu processes, but this program was built without MPI, and each would do all the work.\n"
        "Install an MPI (Debian: libopenmpi-dev) and build again with -DFAULTLINE_MPI=ON.",
        (unsigned long long)started);
    return false;
}

int fl_ranks_close(fl_ranks *ranks, int code)
{
    (void)ranks;
    return code;
}

unsigned fl_ranks_threads(const fl_ranks *ranks, unsigned asked)
{
    (void)ranks;
    return asked ? asked : usable_processors();
}

#endif
