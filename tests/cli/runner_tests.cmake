# Long runs, shards and ranks. Included by CMakeLists.txt beside it.

faultline_test(runner ${CMAKE_SOURCE_DIR}/tests/experiments/runner.c threads)

cli_test(runner)
cli_test(merge)

# The thread sanitizer cannot follow MPI.
if(NOT FAULTLINE_SANITIZE MATCHES "thread")
  cli_test(mpi)
  set_tests_properties(cli.mpi PROPERTIES COST 100) # it takes longest, so it begins first
  set_property(TEST cli.mpi APPEND PROPERTY ENVIRONMENT "PLUGINS=${CMAKE_BINARY_DIR}/tests/plugins")
endif()
