/* Runs a fuzz target where libFuzzer is not available: every file of the corpus, then mutations of
 * them, the same ones every time.
 *
 *   fuzz_TARGET RUNS FILE_OR_FOLDER...
 *
 * An input may take 20 seconds of processor time, whatever the load of the machine. The target runs
 * in a child process; an input that kills it is saved in crash-fuzz_TARGET. */
#define _POSIX_C_SOURCE 200809L

#include "core/core.h"
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INPUT_MAX = 4096, FILES_MAX = 512, SECONDS_PER_INPUT_MAX = 20 };

typedef struct input {
    size_t size;
    uint8_t bytes[INPUT_MAX];
} input;

static input corpus[FILES_MAX];
static size_t corpus_size;

/* ---- the corpus ---- */

static void read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || corpus_size == FILES_MAX) {
        fprintf(stderr, "cannot take %s: %s\n", path, file ? "too many files" : "not readable");
        exit(2);
    }
    input *next = &corpus[corpus_size++];
    next->size = fread(next->bytes, 1, INPUT_MAX, file);
    fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static void read_corpus(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)) {
        read_file(path);
        return;
    }
    struct dirent **entries;
    int count = scandir(path, &entries, is_visible, by_name);
    for (int i = 0; i < count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/%s", path, entries[i]->d_name);
        read_file(name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* ---- mutations ---- */

static void replace(input *in, size_t at, size_t old_size, const void *bytes, size_t size)
{
    if (in->size - old_size + size > INPUT_MAX)
        return;
    memmove(in->bytes + at + size, in->bytes + at + old_size, in->size - at - old_size);
    memcpy(in->bytes + at, bytes, size);
    in->size = in->size - old_size + size;
}

static size_t below(fl_rng *rng, size_t bound)
{
    return fl_rng_below32(rng, (uint32_t)bound);
}

static void insert_token(input *in, size_t at, size_t length, fl_rng *rng)
{
    size_t count = 0;
    while (fuzz_tokens[count])
        count++;
    const char *token = fuzz_tokens[below(rng, count)];
    replace(in, at, below(rng, 2) ? length : 0, token, strlen(token));
}

static void splice(input *in, size_t at, size_t length, fl_rng *rng)
{
    const input *other = &corpus[below(rng, corpus_size)];
    size_t from = below(rng, other->size + 1), size = below(rng, other->size - from + 1);
    replace(in, at, length, other->bytes + from, size);
}

static void mutate(input *in, fl_rng *rng)
{
    static const char numbers[][24] = {
        "0",
        "1",
        "-1",
        "2",
        "64",
        "65",
        "255",
        "256",
        "65536",
        "2147483648",
        "4294967296",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "1e999",
        "-0",
        "0.5",
        "1.5",
        "1e-320",
        "nan",
    };
    size_t at = below(rng, in->size + 1), room = in->size - at,
           length = below(rng, room < 16 ? room + 1 : 16);
    uint8_t byte = (uint8_t)below(rng, 256), copy[16];
    memcpy(copy, in->bytes + at, length);
    switch (below(rng, 8)) {
    case 0:
        replace(in, at, room > 0, &byte, 1);
        break;
    case 1:
        replace(in, at, 0, &byte, 1);
        break;
    case 2:
        replace(in, at, length, "", 0);
        break;
    case 3:
        replace(in, at, 0, copy, length);
        break;
    case 4: {
        const char *number = numbers[below(rng, sizeof numbers / sizeof *numbers)];
        replace(in, at, below(rng, 2) ? length : 0, number, strlen(number));
        break;
    }
    case 5:
        splice(in, at, length, rng);
        break;
    default:
        insert_token(in, at, length, rng);
    }
}

/* ---- running ---- */

/* The current input, where the parent can read it after the child has died. */
static input *share_input(void)
{
    FILE *file = tmpfile();
    if (!file || ftruncate(fileno(file), sizeof(input)) != 0)
        return NULL;
    void *memory = mmap(NULL, sizeof(input), PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* SIGPROF ends the process after the given seconds of processor time from now on; 0: never. */
static void limit_processor_time(unsigned seconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    MUST_HOLD(setitimer(ITIMER_PROF, &timer, NULL) == 0);
}

static void run_one(const input *in)
{
    uint8_t *exact = malloc(in->size ? in->size : 1); /* to detect a read past the end */
    MUST_HOLD(exact);
    memcpy(exact, in->bytes, in->size);
    limit_processor_time(SECONDS_PER_INPUT_MAX);
    LLVMFuzzerTestOneInput(exact, in->size);
    limit_processor_time(0);
    free(exact);
}

static void run_all(input *current, unsigned long runs)
{
    fl_rng rng;
    fl_rng_seed(&rng, 1, FL_PURPOSE_ROUTING, 0);
    for (size_t i = 0; i < corpus_size; i++) {
        *current = corpus[i];
        run_one(current);
    }
    for (unsigned long run = 0; run < runs; run++) {
        *current = corpus[below(&rng, corpus_size)];
        for (size_t changes = 1 + below(&rng, 5); changes > 0; changes--)
            mutate(current, &rng);
        run_one(current);
    }
    printf("%zu files, %lu mutations: no finding\n", corpus_size, runs);
}

static void save(const input *in, const char *program)
{
    const char *slash = strrchr(program, '/');
    char path[4096];
    snprintf(path, sizeof path, "crash-%s", slash ? slash + 1 : program);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(in->bytes, 1, in->size, file) != in->size || fclose(file) != 0)
        return;
    fprintf(stderr,
            "the input is in %s (a leak: one of the inputs before may have lost the memory)\n",
            path);
}

int main(int count, char **arguments)
{
    if (count < 3) {
        fprintf(stderr, "usage: %s RUNS FILE_OR_FOLDER...\n", arguments[0]);
        return 2;
    }
    for (int i = 2; i < count; i++)
        read_corpus(arguments[i]);
    input *current = share_input();
    if (!current || corpus_size == 0) {
        fprintf(stderr, "no %s\n", current ? "corpus" : "shared memory");
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        run_all(current, strtoul(arguments[1], NULL, 10));
        return 0;
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    if (WIFSIGNALED(status))
        fprintf(stderr, "ended by signal %d%s\n", WTERMSIG(status),
                WTERMSIG(status) == SIGPROF ? ": one input took too long" : "");
    save(current, arguments[0]);
    return 1;
}
