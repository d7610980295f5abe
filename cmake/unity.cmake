# Where several files are built at once (CMAKE_UNITY_BUILD), those of a folder are: their local names have to differ
# from one another, but from nobody else's.
# Further arguments: headers that nearly all of these files include, compiled once. Other builds do without, and so show
# what a file forgets to include.
function(unite_by_folder target)
  unite_folders(${target} all)
  if(CMAKE_UNITY_BUILD AND ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Unites the files of each folder that is named; all: of every folder. Other files are compiled one by one.
function(unite_folders target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    if(ARGN STREQUAL "all" OR folder IN_LIST ARGN)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "in_${folder}")
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()
