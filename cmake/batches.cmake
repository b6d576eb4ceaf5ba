# tutti_batches(OUT name source…): compiles several sources as one unit where that is asked for.
#
# Seventy percent of a cold build goes into headers that every source reads again. With
# TUTTI_BATCH=N the sources of one module become units of about N lines each, which include them
# one after another; OUT is then the list of these units. Without it OUT is the sources.
#
# CMake's own CMAKE_UNITY_BUILD writes absolute paths into its units, so that a second checkout
# never finds them in the compiler's cache. These name sources as any header is named.
#
# What it asks of the code: file-local names are unique within their module. A source that changes
# the meaning of its whole unit says so in a line that begins "// Compiled alone".
function(tutti_batches out name)
  if(NOT TUTTI_BATCH)
    set(${out} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(units)
  set(text)
  set(lines 0)
  foreach(source ${ARGN})
    file(STRINGS ${source} alone REGEX "^// Compiled alone")
    if(alone)
      list(APPEND units ${source})
      continue()
    endif()
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/src ${source})
    string(APPEND text "#include \"${path}\"\n")
    file(STRINGS ${source} content)
    list(LENGTH content length)
    math(EXPR lines "${lines} + ${length}")
    if(lines GREATER TUTTI_BATCH)
      tutti_batch(units ${name} "${text}")
      set(text)
      set(lines 0)
    endif()
  endforeach()
  if(text)
    tutti_batch(units ${name} "${text}")
  endif()
  set(${out} ${units} PARENT_SCOPE)
endfunction()

# Writes the next unit; an unchanged one keeps its time, so that nothing is compiled again.
function(tutti_batch list name text)
  list(LENGTH ${list} number)
  set(unit ${CMAKE_BINARY_DIR}/batches/${name}_${number}.cc)
  file(CONFIGURE OUTPUT ${unit} CONTENT "${text}" @ONLY)
  set(${list} ${${list}} ${unit} PARENT_SCOPE)
endfunction()
