#!/bin/sh
# The tests, from a bare Debian 12: installs what is missing, builds with gcc (warnings are errors),
# and runs ctest.
#
#   sh check.sh          a release build and its tests: minutes
#   sh check.sh --full   what a change has to pass: also the tests that take long (ctest label `full`),
#                        all tests under the address and undefined-behaviour sanitizers, the threaded
#                        ones under the thread sanitizer, and a build with clang
#
# No test depends on how fast or how busy the machine is.
set -eu
cd "$(dirname "$0")"
. cmake/prepare.sh

full=
case "$*" in
'') ;;
--full) full=yes ;;
*)
  say "check.sh: unknown argument '$*'; usage: sh check.sh [--full]"
  exit 2
  ;;
esac

jobs=$(nproc)
need_to_build g++ libcriterion-dev libpcg-cpp-dev gnuplot-nox fonts-dejavu-core clang-format python3 python3-jsonschema pkg-config \
  libopenmpi-dev openmpi-bin libsimgrid-dev ${full:+clang libasan8 libubsan1 libtsan2}
if [ -z "$full" ]; then
  say "building: gcc, release"
  build ci-gcc -DFAULTLINE_TESTS=ON -DFAULTLINE_BENCHMARKS=OFF -DFAULTLINE_QUICK_TESTS=ON
  say "testing: release"
  exec ctest --preset ci-gcc --parallel "$jobs" --label-exclude '^(full|long)$'
fi

say "building: gcc, release"
build ci-gcc -DFAULTLINE_TESTS=ON -DFAULTLINE_BENCHMARKS=ON -DFAULTLINE_QUICK_TESTS=OFF
say "building: clang, release"
build ci-clang -DFAULTLINE_TESTS=ON -DFAULTLINE_BENCHMARKS=ON
say "building: gcc, debug, address and undefined-behaviour sanitizers"
build debug -DFAULTLINE_BENCHMARKS=OFF
say "building: gcc, debug, thread sanitizer"
build tsan -DFAULTLINE_BENCHMARKS=OFF

export FAULTLINE_FULL=1
say "testing: address and undefined-behaviour sanitizers"
ctest --preset debug --parallel "$jobs" --label-exclude '^full$'
say "testing: thread sanitizer"
ctest --preset tsan --parallel "$jobs" --tests-regex '^(unit.threads|cli.threads)$'
say "testing: release"
ctest --preset ci-gcc --parallel "$jobs" --label-exclude '^long$'
