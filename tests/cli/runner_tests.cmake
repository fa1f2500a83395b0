# Long runs, shards and ranks. Included by CMakeLists.txt beside it.

# Written with more of Criterion than its stand-in under the thread sanitizer knows; cli.runner and
# unit.sweep run the same code there.
if(NOT FAULTLINE_SANITIZE MATCHES "thread")
  faultline_test(runner ${CMAKE_SOURCE_DIR}/tests/runner.c)
  set_tests_properties(unit.runner PROPERTIES LABELS threads)
endif()

cli_test(runner)
cli_test(merge)

# The thread sanitizer cannot follow MPI.
if(NOT FAULTLINE_SANITIZE MATCHES "thread")
  cli_test(mpi)
  set_tests_properties(cli.mpi PROPERTIES RUN_SERIAL ON)
endif()
