/* Private to experiments: what the MPI kernels share.
 *
 * Each kernel is a program of its own, built by `mpicc` for a machine, or by `smpicc` for SimGrid,
 * with the root of the source tree as include path. It checks its own results and prints one line.
 * Under SimGrid a kernel's time does not depend on the machine that simulates: what it computes is
 * counted (kernel_work) and not measured, if smpirun is given --cfg=smpi/simulate-computation:no.
 */
#ifndef FL_EXPERIMENTS_MPI_KERNEL_H
#define FL_EXPERIMENTS_MPI_KERNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct kernel {
    int rank, ranks;
    double start, seconds;
} kernel;

/* Argument number `index`, or `otherwise` where there is none; ends the program unless it is a
 * whole number from `least` to `most`. */
static inline int kernel_argument(int count, char **arguments, int index, int otherwise, int least,
                                  int most)
{
    char *end = NULL;
    long value = index < count ? strtol(arguments[index], &end, 10) : otherwise;
    if (value < least || value > most || (end && (*end || end == arguments[index]))) {
        fprintf(stderr, "%s: argument %d is '%s': whole numbers from %d to %d are valid\n",
                arguments[0], index, arguments[index], least, most);
        MPI_Abort(MPI_COMM_WORLD, 2);
        exit(2);
    }
    return (int)value;
}

/* Begins: all ranks know each other. Arguments are read between this and kernel_start. */
static inline kernel kernel_begin(int *count, char ***arguments)
{
    kernel k = {0, 0, 0, 0};
    MPI_Init(count, arguments);
    MPI_Comm_rank(MPI_COMM_WORLD, &k.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &k.ranks);
    return k;
}

/* Memory that is never missing; the caller frees it. */
static inline void *kernel_allocate(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    return memory;
}

/* The clock starts here, in all ranks at once. */
static inline void kernel_start(kernel *k)
{
    MPI_Barrier(MPI_COMM_WORLD);
    k->start = MPI_Wtime();
}

/* Counts arithmetic operations that were done. On a real machine they have taken their time. */
static inline void kernel_work(double operations)
{
#ifdef SMPI_H
    smpi_execute_flops(operations);
#else
    (void)operations;
#endif
}

/* This rank's clock stops here. */
static inline void kernel_stop(kernel *k)
{
    k->seconds = MPI_Wtime() - k->start;
}

/* Prints the result, with the time of the rank that stopped last, and ends. `good`: this rank's
 * results are right. Returns what main returns. */
static inline int kernel_end(const kernel *k, const char *name, bool good)
{
    double longest = 0;
    int wrong = good ? 0 : 1, all_wrong = 0;
    MPI_Reduce(&k->seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (k->rank == 0)
        printf("%s ranks=%d seconds=%.9f verified=%s\n", name, k->ranks, longest,
               all_wrong ? "no" : "yes");
    MPI_Finalize();
    return all_wrong != 0;
}

#endif
