# tutti_module(path DEPS … PRIVATE_DEPS …): one static library per folder of src/.
#
# A module's headers are reached as "folder/header.h" through an include root of its own that holds
# nothing else. A target therefore sees the headers of the modules it links and no others: an
# include against the arrow does not compile.
#
# Files ending in _test.cc become the module's test program (TEST_DEPS: what only they use), or part
# of the one it is TESTED_IN, where TUTTI_UNIT_TESTS asks for them; everything else is the library.
find_package(GTest)
find_package(rapidcheck)

function(tutti_module path)
  cmake_parse_arguments(ARG "" "TESTED_IN" "DEPS;PRIVATE_DEPS;TEST_DEPS" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  set(target tutti_${name})
  set(folder ${CMAKE_SOURCE_DIR}/src/${path})

  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  set(root ${CMAKE_BINARY_DIR}/include_roots/${name})
  tutti_fill_include_root(${root}/${path} ${folder})

  tutti_batches(sources ${name} ${sources})
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${root})
    target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE_DEPS} tutti_warnings)
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${root})
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()

  if(ARG_TESTED_IN)
    set_property(GLOBAL APPEND PROPERTY tutti_tests_of_${ARG_TESTED_IN} ${tests})
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY tutti_tests_of_${name} ${tests})
  get_property(tests GLOBAL PROPERTY tutti_tests_of_${name})
  if(tests)
    tutti_test_program(${name} DEPS ${target} ${ARG_PRIVATE_DEPS} ${ARG_TEST_DEPS})
  endif()
endfunction()

# Links every file of a folder, and none of the folders in it: those are modules of their own.
function(tutti_fill_include_root root folder)
  if(IS_SYMLINK ${root})
    file(REMOVE ${root})
  endif()
  file(MAKE_DIRECTORY ${root})
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${folder} ${folder}/*.h ${folder}/*.cc)
  file(GLOB links RELATIVE ${root} ${root}/*.h ${root}/*.cc)
  foreach(gone ${links})
    if(NOT gone IN_LIST files)
      file(REMOVE ${root}/${gone})
    endif()
  endforeach()
  foreach(file ${files})
    if(NOT EXISTS ${root}/${file})
      file(CREATE_LINK ${folder}/${file} ${root}/${file} SYMBOLIC)
    endif()
  endforeach()
endfunction()

# tutti_test_program(name DEPS …): one program of the tests of all modules that are TESTED_IN it. A
# test may use more than the module beside it: builders of whole clusters, for example.
function(tutti_test_program name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  if(NOT (TUTTI_TESTS AND TUTTI_UNIT_TESTS))
    return()
  endif()
  get_property(tests GLOBAL PROPERTY tutti_tests_of_${name})
  set(program tutti_${name}_test)
  tutti_batches(tests ${name}_test ${tests})
  add_executable(${program} ${tests})
  target_link_libraries(${program} PRIVATE ${ARG_DEPS} tutti_warnings
    GTest::gtest_main rapidcheck tutti_test_support)
  # What is tested stays optimised; a third of the time to compile the tests themselves is saved.
  target_compile_options(${program} PRIVATE -O0)
  set_target_properties(${program} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${program} --gtest_brief=1
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  # The same random cases on every run: a failure belongs to the change that caused it. To hunt
  # with fresh ones, run the test program itself, for example RC_PARAMS=max_success=10000.
  set_tests_properties(${name} PROPERTIES ENVIRONMENT RC_PARAMS=seed=1)
endfunction()

# Builders and fakes shared by tests; header-only use of whatever the test already links.
add_library(tutti_test_support INTERFACE)
target_include_directories(tutti_test_support INTERFACE ${CMAKE_SOURCE_DIR}/tests)
