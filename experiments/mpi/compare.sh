#!/bin/sh
# Simulated times of MPI programs on several networks: exports each network as a SimGrid platform, runs the
# kernels of this folder on it, and prints a table.
#
#   sh experiments/mpi/compare.sh [-n RANKS] [-s STRIDE] [-k KERNELS] [-p PROGRAM] [-c OPTIONS] [-o FOLDER] NETWORK...
#
#   -n RANKS    MPI ranks, on the first nodes of each network (default: 16)
#   -s STRIDE   ranks on every STRIDE-th node instead
#   -k KERNELS  names with arguments behind colons (default: 'alltoall:1024 allreduce:1024 stencil:3:8:4 cg:128:4')
#   -p PROGRAM  instead: a program built by smpicc, with its arguments; its simulated time is printed
#   -c OPTIONS  more options of smpirun, after those below
#   -o FOLDER   platforms, programs and results (default: results/mpi); results that are there are not computed again
#   NETWORK     as for faultline, in quotes with the name of a router behind it: 'fattree3:K=4 table'
#
# Times are in microseconds. Behind the times stands the geometric mean of the speed-ups over the first network.
# The environment variable FAULTLINE names the program (default: build/faultline, or the one that is installed).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
faultline=${FAULTLINE:-$root/build/faultline}
[ -n "${FAULTLINE:-}" ] || [ -x "$faultline" ] || faultline=$(command -v faultline || printf %s "$faultline") # installed
ranks=16
stride=1
kernels='alltoall:1024 allreduce:1024 stencil:3:8:4 cg:128:4'
program=
options=
out=results/mpi

fail() {
  printf 'compare.sh: %s\n' "$*" >&2
  exit 2
}

while getopts n:s:k:p:c:o: option; do
  case $option in
  n) ranks=$OPTARG ;;
  s) stride=$OPTARG ;;
  k) kernels=$OPTARG ;;
  p) program=$OPTARG ;;
  c) options=$OPTARG ;;
  o) out=$OPTARG ;;
  *) fail "usage: compare.sh [-n RANKS] [-s STRIDE] [-k KERNELS] [-p PROGRAM] [-c OPTIONS] [-o FOLDER] NETWORK..." ;;
  esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || fail "which networks? For example: compare.sh torus:k=4,n=2 'fattree3:K=4 table'"
for tool in smpirun smpicc cksum awk; do
  command -v $tool >/dev/null || fail "$tool is not installed (SimGrid: Debian, Ubuntu: libsimgrid-dev)"
done
case $ranks$stride in *[!0-9]*) fail "-n $ranks -s $stride: whole numbers above 0 are valid" ;; esac
[ "$ranks" -gt 0 ] && [ "$stride" -gt 0 ] || fail "-n $ranks -s $stride: whole numbers above 0 are valid"
[ -x "$faultline" ] || fail "'$faultline' is not there: build it, or set FAULTLINE"

# Messages take the latencies of their routes and share the bandwidth of their links; there are no factors for the
# software of a certain cluster, which are SimGrid's default. Computation is what the kernels count.
set_up="--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 --cfg=network/crosstraffic:0 --cfg=surf/precision:1e-12
  --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 --cfg=smpi/coll-selector:mvapich2 --cfg=smpi/display-timing:yes $options"
set_up=$(printf '%s' "$set_up" | tr -s ' \n' '  ')

mkdir -p "$out"
[ -z "$program" ] || kernels=program
for kernel in $kernels; do
  name=${kernel%%:*}
  [ -n "$program" ] && continue
  [ -f "$root/experiments/mpi/$name.c" ] || fail "unknown kernel '$name': those of experiments/mpi are valid"
  [ "$out/$name" -nt "$root/experiments/mpi/$name.c" ] ||
    smpicc -std=gnu17 -O2 -I"$root" "$root/experiments/mpi/$name.c" -o "$out/$name" -lm
done

# The platform of a network and router: the name of its files without endings.
platform() {
  base=$out/$(printf '%s' "$1 $2" | tr -c 'A-Za-z0-9=\n' _)
  [ -f "$base.xml" ] || "$faultline" export "$1" --router "$2" --format simgrid --out "$base.xml" >/dev/null
  [ -f "$base.every-$stride" ] ||
    awk -v stride="$stride" '(NR - 1) % stride == 0' "$base.hosts" >"$base.every-$stride"
  printf '%s\n' "$base"
}

# Seconds: the kernel's own, or all that a program took. Kernels that find wrong results end with an error.
measure() {
  base=$1
  command=$2
  shift 2
  result=$out/$(printf '%s\n' "$base $ranks $stride $command $set_up" | cksum | tr ' ' -).txt
  if ! [ -f "$result" ]; then
    # shellcheck disable=SC2086 # lists of words
    smpirun -np "$ranks" -platform "$base.xml" -hostfile "$base.every-$stride" $set_up $command >"$result.part" 2>&1 ||
      { tail -n 5 "$result.part" >&2; fail "'$command' failed on $base.xml"; }
    printf '%s\n' "$base.xml $ranks $stride $command $set_up" >>"$result.part"
    mv "$result.part" "$result"
  fi
  if [ -n "$program" ]; then
    awk '/Simulated time:/ { sub(/.*Simulated time: */, ""); print $1 }' "$result"
  else
    grep -q 'verified=yes' "$result" || fail "'$command' did not verify: see $result"
    sed -n 's/.* seconds=\([^ ]*\) .*/\1/p' "$result"
  fi
}

printf '| network | router |'
for kernel in $kernels; do
  printf ' %s |' "$kernel"
done
printf ' speed-up |\n|---|---|'
for kernel in $kernels; do
  printf -- '--:|'
done
printf -- '--:|\n'
first=
for words in "$@"; do
  network=${words%% *}
  router=shortest
  [ "$network" = "$words" ] || router=${words#* }
  base=$(platform "$network" "$router")
  times=
  for kernel in $kernels; do
    command=$program
    [ -n "$program" ] || command="$out/$(printf '%s' "$kernel" | tr : ' ')"
    time=$(measure "$base" "$command")
    times="$times $time"
  done
  [ -n "$first" ] || first=$times
  printf '| %s | %s |' "$network" "$router"
  printf '%s\n%s\n' "$first" "$times" | awk '
    NR == 1 { n = split($0, first) }
    NR == 2 {
      for (i = 1; i <= n; i++) { printf " %.2f |", $i * 1e6; sum += log(first[i] / $i) }
      printf " %.3f |\n", exp(sum / n)
    }'
done
