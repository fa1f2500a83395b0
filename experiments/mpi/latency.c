/* The time of one message from rank A to rank B: half of a round trip of N bytes, ROUNDS times.
 * latency [A [B [BYTES [ROUNDS]]]] */
#include "experiments/mpi/kernel.h"

#include <string.h>

typedef struct pair {
    int from, to, bytes;
    char *data;
} pair;

/* The other ranks wait until the pair has ended, so that no message of theirs is under way. */
static void wait_for_pair(const pair *p, const kernel *k)
{
    if (k->rank != p->from && k->rank != p->to)
        MPI_Recv(NULL, 0, MPI_BYTE, p->from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int other = 0; k->rank == p->from && other < k->ranks; other++)
        if (other != p->from && other != p->to)
            MPI_Send(NULL, 0, MPI_BYTE, other, 1, MPI_COMM_WORLD);
}

/* There and back; in between the data are erased. True if they came back. */
static bool round_trip(const pair *p, int rank, int round)
{
    char mark = (char)(round % 100 + 1);
    bool good = true;
    size_t bytes = (size_t)p->bytes;
    if (rank == p->from) {
        memset(p->data, mark, bytes);
        MPI_Send(p->data, p->bytes, MPI_BYTE, p->to, 0, MPI_COMM_WORLD);
        memset(p->data, 0, bytes);
        MPI_Recv(p->data, p->bytes, MPI_BYTE, p->to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == p->to) {
        MPI_Recv(p->data, p->bytes, MPI_BYTE, p->from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(p->data, p->bytes, MPI_BYTE, p->from, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; rank == p->from && i < p->bytes; i++)
        good &= p->data[i] == mark;
    return good;
}

int main(int count, char **arguments)
{
    kernel k = kernel_begin(&count, &arguments);
    pair p = {.from = kernel_argument(count, arguments, 1, 0, 0, k.ranks - 1),
              .to = kernel_argument(count, arguments, 2, k.ranks - 1, 0, k.ranks - 1),
              .bytes = kernel_argument(count, arguments, 3, 0, 0, 1 << 28)};
    int rounds = kernel_argument(count, arguments, 4, 1, 1, 1 << 20);
    p.data = kernel_allocate((size_t)p.bytes, 1);
    bool good = p.from != p.to;
    if (good) {
        good = round_trip(&p, k.rank, 0); /* both ends are ready from here on */
        k.start = MPI_Wtime();
        for (int round = 1; round <= rounds; round++)
            good &= round_trip(&p, k.rank, round);
        kernel_stop(&k);
        if (k.rank == p.from)
            printf("one_way=%.12f\n", k.seconds / 2 / rounds);
        wait_for_pair(&p, &k);
    }
    free(p.data);
    return kernel_end(&k, "latency", good);
}
