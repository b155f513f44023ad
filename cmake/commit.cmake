# assay/_commit: the commit that the module is made from, in a line; none is written where that is not known.
if(ASSAY_COMMIT STREQUAL "" AND EXISTS ${CMAKE_SOURCE_DIR}/.git)
  execute_process(COMMAND git rev-parse HEAD WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE ASSAY_COMMIT_FOUND
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
else()
  set(ASSAY_COMMIT_FOUND "${ASSAY_COMMIT}")
endif()
if(NOT "${ASSAY_COMMIT_FOUND}" STREQUAL "")
  file(WRITE ${CMAKE_BINARY_DIR}/_commit "${ASSAY_COMMIT_FOUND}\n")
  install(FILES ${CMAKE_BINARY_DIR}/_commit DESTINATION assay)
endif()
