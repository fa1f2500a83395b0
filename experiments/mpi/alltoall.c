/* All-to-all: every rank sends a block of BYTES bytes to every rank, ROUNDS times.
 * alltoall [BYTES [ROUNDS]] */
#include "experiments/mpi/kernel.h"

/* What rank `from` sends to rank `to`: other bytes for every pair and round. */
static unsigned char byte_of(int from, int to, int round, int i)
{
    return (unsigned char)(from * 7 + to * 13 + round * 31 + i * 3);
}

int main(int count, char **arguments)
{
    kernel k = kernel_begin(&count, &arguments);
    int bytes = kernel_argument(count, arguments, 1, 1024, 1, 1 << 24),
        rounds = kernel_argument(count, arguments, 2, 1, 1, 1 << 20);
    size_t room = (size_t)bytes * (size_t)k.ranks;
    unsigned char *out = kernel_allocate(room, 1), *in = kernel_allocate(room, 1);
    bool good = true;
    kernel_start(&k);
    for (int round = 0; round < rounds; round++) {
        for (int to = 0; to < k.ranks; to++)
            for (int i = 0; i < bytes; i++)
                out[(size_t)to * (size_t)bytes + (size_t)i] = byte_of(k.rank, to, round, i);
        MPI_Alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, MPI_COMM_WORLD);
        for (int from = 0; from < k.ranks; from++)
            for (int i = 0; i < bytes; i++)
                good &=
                    in[(size_t)from * (size_t)bytes + (size_t)i] == byte_of(from, k.rank, round, i);
    }
    kernel_stop(&k);
    free(out);
    free(in);
    return kernel_end(&k, "alltoall", good);
}
