/* All-reduce: the sum of COUNT doubles over all ranks, ROUNDS times. All numbers are whole and
 * small, so that the sums are exact in any order.
 * allreduce [COUNT [ROUNDS]] */
#include "experiments/mpi/kernel.h"

int main(int count, char **arguments)
{
    kernel k = kernel_begin(&count, &arguments);
    int numbers = kernel_argument(count, arguments, 1, 1024, 1, 1 << 24),
        rounds = kernel_argument(count, arguments, 2, 4, 1, 1 << 20);
    double *in = kernel_allocate((size_t)numbers, sizeof *in),
           *sum = kernel_allocate((size_t)numbers, sizeof *sum);
    double n = k.ranks, ranks_sum = n * (n - 1) / 2;
    bool good = true;
    kernel_start(&k);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < numbers; i++)
            in[i] = k.rank * (i % 5 + 1) + i % 1000 + round;
        kernel_work(2.0 * numbers);
        MPI_Allreduce(in, sum, numbers, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < numbers; i++)
            good &= sum[i] == ranks_sum * (i % 5 + 1) + n * (i % 1000 + round);
    }
    kernel_stop(&k);
    free(in);
    free(sum);
    return kernel_end(&k, "allreduce", good);
}
